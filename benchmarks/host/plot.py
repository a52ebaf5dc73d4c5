"""A straight line through points, and a plot of several such lines as SVG. Needs Python alone.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


def fit(points):
    """Slope and intercept of the line with the least squared relative errors, and the largest relative error."""
    # Weights 1 / y^2, so that a small problem counts as much as a large one.
    weights = [1 / (y * y) for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    slope = (sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) /
             sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points)))
    start = mean_y - slope * mean_x
    return slope, start, max(abs(start + slope * x - y) / y for x, y in points)


def write_plot(path, curves):
    """`curves` is a list of (title, points, slope, start); one panel each, milliseconds over the size."""
    width, height, left, bottom = 340, 240, 52, 40
    parts = []
    for index, (title, points, slope, start) in enumerate(curves):
        most_x, most_y = max(x for x, _ in points) * 1.05, max(y for _, y in points) * 1.1
        dx, dy = (index % 2) * width, (index // 2) * height

        def at(x, y):
            return (dx + left + x / most_x * (width - left - 12), dy + height - bottom - y / most_y * (height - bottom - 24))

        def line(a, b, style):
            (x1, y1), (x2, y2) = at(*a), at(*b)
            parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>')

        def text(x, y, value, anchor="middle"):
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{value}</text>')
        line((0, 0), (most_x, 0), 'stroke="black"')
        line((0, 0), (0, most_y), 'stroke="black"')
        line((0, start), (most_x, start + slope * most_x), 'stroke="#1f77b4"')
        for x, y in points:
            px, py = at(x, y)
            parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="#d62728"/>')
            text(px, at(0, 0)[1] + 14, x)
        for step in range(1, 5):
            value = most_y * step / 5
            text(at(0, 0)[0] - 4, at(0, value)[1] + 4, f"{value * 1e3:.3g}", "end")
        text(dx + width / 2, dy + 16, title + ", milliseconds")
    rows = (len(curves) + 1) // 2
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{rows * height}" '
                   'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n' +
                   "\n".join(parts) + "\n</svg>\n")
