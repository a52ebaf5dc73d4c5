//===- Report.cpp - progress and loss curve of a training run ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <cmath>

using llvm::formatv;

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

ProgressBar::ProgressBar() : terminal(llvm::sys::Process::StandardOutIsDisplayed()) {}

void ProgressBar::print(const Status &status) {
  const int width = 24;
  int filled = static_cast<int>(status.done * width);
  llvm::outs() << (terminal ? "\r[" : "[") << std::string(filled, '#') << std::string(width - filled, '.')
               << formatv("] {0,3:f0}%  {1,5:f2} bits/char  {2,5:f1}k chars/s  {3,3:f0} s left", 100 * status.done,
                          status.bits, status.charactersPerSecond / 1000, status.secondsLeft)
               << (terminal ? " " : "\n");
  llvm::outs().flush();
}

void ProgressBar::update(const Status &status) {
  using namespace std::chrono;
  // Ten updates per second on a terminal, ten in total in a log.
  double now = terminal ? duration<double>(steady_clock::now().time_since_epoch()).count() * 10 : status.done * 10;
  if (std::floor(now) == shown)
    return;
  shown = std::floor(now);
  print(status);
}

void ProgressBar::finish(const Status &status) {
  if (!terminal)
    return;
  print(status);
  llvm::outs() << "\n";
}

//===----------------------------------------------------------------------===//
// The picture
//===----------------------------------------------------------------------===//

namespace {

/// Ticks at 1, 2 or 5 times a power of ten, about `count` of them.
double getTickStep(double range, int count) {
  double raw = range / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power)
      return factor * power;
  return 10 * power;
}

/// An SVG drawing of one diagram: x from 0 to `maxX` and y from 0 to `maxY`, in pixels only inside.
class Diagram {
public:
  Diagram(llvm::raw_ostream &os, double maxX, double maxY) : os(os), maxX(maxX), maxY(maxY) {}

  double placeX(double x) const { return left + x / maxX * (right - left); }
  double placeY(double y) const { return bottom - y / maxY * (bottom - top); }

  void text(double x, double y, llvm::StringRef anchor, llvm::StringRef content, llvm::StringRef more = "") {
    os << formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"{2}\" {3}>", x, y, anchor, more);
    for (char c : content)
      os << (c == '<' ? "&lt;" : c == '&' ? "&amp;" : llvm::StringRef(&c, 1));
    os << "</text>\n";
  }
  void line(double x0, double y0, double x1, double y1, llvm::StringRef style) {
    os << formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" y2=\"{3:f1}\" {4}/>\n", x0, y0, x1, y1, style);
  }

  void drawFrame(llvm::StringRef title, llvm::StringRef nameX, llvm::StringRef nameY) {
    os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                  "font-family=\"sans-serif\" font-size=\"13\">\n",
                  width, height)
       << formatv("<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n", width, height);
    text(width / 2, 26, "middle", title, "font-size=\"16\"");
    double stepX = getTickStep(maxX, 8), stepY = getTickStep(maxY, 6);
    for (double x = 0; x <= maxX * 1.0001; x += stepX) {
      line(placeX(x), top, placeX(x), bottom, "stroke=\"#e4e4e4\"");
      text(placeX(x), bottom + 18, "middle",
           stepX < 1 ? formatv("{0:f2}", x).str() : formatv("{0}", std::llround(x)).str());
    }
    for (double y = 0; y <= maxY * 1.0001; y += stepY) {
      line(left, placeY(y), right, placeY(y), "stroke=\"#e4e4e4\"");
      text(left - 8, placeY(y) + 4, "end", formatv("{0:f1}", y).str());
    }
    line(left, bottom, right, bottom, "stroke=\"black\"");
    line(left, top, left, bottom, "stroke=\"black\"");
    text((left + right) / 2, height - 12, "middle", nameX);
    text(20, (top + bottom) / 2, "middle", nameY,
         formatv("transform=\"rotate(-90 20 {0:f1})\"", (top + bottom) / 2).str());
  }

  /// Points that share a pixel are drawn as their mean.
  void drawCurve(llvm::ArrayRef<double> values, double stepX, llvm::StringRef style) {
    os << "<polyline fill=\"none\" " << style << " points=\"";
    size_t bucket = std::max<size_t>(1, values.size() / 700);
    for (size_t begin = 0; begin < values.size(); begin += bucket) {
      size_t end = std::min(values.size(), begin + bucket);
      double mean = 0;
      for (size_t index = begin; index < end; ++index)
        mean += values[index] / (end - begin);
      os << formatv("{0:f1},{1:f1} ", placeX(0.5 * (begin + end + 1) * stepX), placeY(mean));
    }
    os << "\"/>\n";
  }

  static constexpr double width = 800, height = 480, left = 64, right = 776, top = 44, bottom = 420;

private:
  llvm::raw_ostream &os;
  double maxX, maxY;
};

} // namespace

llvm::Error writeLossCurve(llvm::StringRef path, const LossCurve &curve) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return llvm::createStringError("cannot write `" + path.str() + "`: " + code.message());
  std::vector<double> smooth;
  SmoothedLoss smoothed;
  for (double loss : curve.losses)
    smooth.push_back(smoothed.add(loss));
  double stepX = curve.charactersPerStep / 1000.0, maxX = (curve.losses.size() + 1) * stepX;
  // The entropy of a text of one character is 0; the diagram still needs a height.
  double highest = std::max({0.1, curve.unigramEntropy, *std::max_element(curve.losses.begin(), curve.losses.end())});

  const char raw[] = "stroke=\"#9ec1e0\" stroke-width=\"1\"", bold[] = "stroke=\"#14599d\" stroke-width=\"2.5\"";
  const char dashed[] = "stroke=\"#b3261e\" stroke-width=\"1.5\" stroke-dasharray=\"7 5\"";
  Diagram diagram(os, maxX, highest * 1.08);
  diagram.drawFrame(curve.title, "characters trained on (thousands)", "loss (bits per character)");
  diagram.drawCurve(curve.losses, stepX, raw);
  diagram.drawCurve(smooth, stepX, bold);
  double entropyY = diagram.placeY(curve.unigramEntropy), endX = maxX - stepX;
  diagram.line(Diagram::left, entropyY, Diagram::right, entropyY, dashed);
  diagram.text(Diagram::right - 6, entropyY - 7, "end",
               formatv("unigram entropy of the text: {0:f2}", curve.unigramEntropy).str(), "fill=\"#b3261e\"");
  // Below the curve, unless that is below the diagram.
  double endY = std::min(diagram.placeY(smooth.back()), Diagram::bottom - 56);
  diagram.text(Diagram::right - 6, endY + 24, "end", formatv("training, smoothed: {0:f2}", smooth.back()).str(),
               "fill=\"#14599d\"");
  if (curve.heldOut) {
    os << formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"5\" fill=\"#e08a00\"/>\n", diagram.placeX(endX),
                  diagram.placeY(*curve.heldOut));
    diagram.text(Diagram::right - 6, endY + 42, "end", formatv("text held out: {0:f2}", *curve.heldOut).str(),
                 "fill=\"#a86700\"");
  }
  os << "</svg>\n";
  os.close();
  if (os.has_error())
    return llvm::createStringError("cannot write `" + path.str() + "`: " + os.error().message());
  return llvm::Error::success();
}
