# check_links.py ROOT - links between Markdown pages lead to a file and to a heading, and README.md links every page or
# its folder.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
FOLDERS = ("docs", "examples", "benchmarks", "test/golden")


def anchors(path):
    """The anchors of the headings of a page, as GitHub forms them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = sorted(root.glob("*.md"))
    for folder in FOLDERS:
        pages += sorted((root / folder).rglob("*.md"))
    links = failed = 0
    linked = {root / "README.md"}
    for page in pages:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            links += 1
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if page == root / "README.md":
                linked.add(path)
            if not path.exists():
                problem = "no such file"
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                problem = "no such heading"
            else:
                continue
            failed += 1
            print(f"{page.relative_to(root)}: error: {target}: {problem}")
    for page in pages:
        if page not in linked and page.parent not in linked:
            failed += 1
            print(f"README.md: error: no link to {page.relative_to(root)}")
    print(f"{links} links of {len(pages)} pages, {failed} fail")
    return 1 if failed or not links else 0


sys.exit(main())
