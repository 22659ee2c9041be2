// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline_analysis/frame_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontend/output/svg_plot.hpp"
#include "frontend/timeline_analysis/svg_parts.hpp"

namespace planar {
namespace {

constexpr double width = 1000, left = 205, right = 20, plot = width - left - right;
constexpr double top = 34, lane_height = 15, lane_gap = 3, card_head = 52, card_gap = 14, axis = 34, legend_row = 18;
constexpr double apart = 0.7;         // in units of the picture: closer slices are drawn as one
constexpr std::size_t most_rows = 6;  // for a card's engines, and for its levels

constexpr std::pair<const char*, const char*> legend[] = {{"user", "user"},
                                                          {"kernel", "kernel"},
                                                          {"interrupt", "interrupt"},
                                                          {"halted", "halted"},
                                                          {"I/O", "I/O cycle; the processor waits for it"},
                                                          {"memory", "cycle to adapter memory"},
                                                          {"transfer", "bus master's transfer; adapter at work"},
                                                          {"level", "level"}};

/// Of a picture: units per microsecond, position of zero, and microseconds between grid lines.
struct Scale {
  double per_us, zero, step;
};

/// Draws the lanes of one card from `y` on.
class CardPicture {
 public:
  CardPicture(const FrameWay& way, const Scale& scale, double y)
      : way_(way), per_us_(scale.per_us), zero_(scale.zero), step_(scale.step), y_(y) {}

  std::string draw() {
    out_ += fmt::format("<text x=\"0\" y=\"{:.1f}\" font-size=\"14\" font-weight=\"bold\">{}</text>\n", y_ + 14,
                        escaped(way_.title));
    double line = y_ + 30;
    for (const std::string& words : frame_way_text(way_)) {
      out_ += svg_text(0, line, "start", words, "#555");
      line += 14;
    }
    y_ += card_head;
    const double lanes = y_;
    label("processor");
    spans(way_.processor, {});
    spans(way_.bus_wait, "waits for the bus", lane_height / 3);
    next();
    row(way_.bus, "bus", {});
    for (std::size_t n = 0; n < std::min(most_rows, way_.engines.size()); ++n)
      row(way_.engines[n], way_.engines[n].name, "activity");
    for (std::size_t n = 0; n < std::min(most_rows, way_.levels.size()); ++n) level(way_.levels[n]);
    row(way_.interrupt, "interrupt line", "interrupt");
    row(way_.sent, "wire, sent", "sent");
    row(way_.received, "wire, received", "received");
    lines(lanes);
    return out_;
  }

  static double height(const FrameWay& way) {
    const auto rows = 5 + std::min(most_rows, way.engines.size()) + std::min(most_rows, way.levels.size());
    return card_head + static_cast<double>(rows) * (lane_height + lane_gap) + card_gap;
  }

 private:
  /// Draws the grid lines, from `from` down to the current position.
  void lines(double from) {
    for (double n = std::ceil(-in_us(way_.before - way_.from) / step_); n * step_ <= in_us(way_.to - way_.before); ++n)
      out_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#000\" {3}/>\n",
                          zero_ + n * step_ * per_us_, from, y_,
                          n == 0 ? "stroke-dasharray=\"5 3\"" : "stroke-opacity=\"0.12\"");
  }
  double x(Time t) const { return zero_ + in_us(t - way_.before) * per_us_; }
  void next() { y_ += lane_height + lane_gap; }
  void label(const std::string& name) {
    const std::size_t room = 34;
    const auto shown = name.size() > room ? name.substr(0, room - 2) + ".." : name;
    out_ += svg_text(left - 6, y_ + 11.5, "end", shown);
    out_ += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#f7f7f7\"/>\n", x(way_.from),
                        y_, in_us(way_.to - way_.from) * per_us_, lane_height);
  }
  void row(const FrameWay::Lane& lane, const std::string& name, const std::string& colour) {
    label(name);
    spans(lane, colour);
    next();
  }

  /// All spans of a lane, in the colour for `colour` or, if that is empty, for their kind; `inset` from the top of the
  /// lane.
  void spans(const FrameWay::Lane& lane, const std::string& colour, double inset = 0) {
    const auto& list = lane.spans;
    for (std::size_t n = 0; n < list.size();) {
      const FrameWay::Span& first = list[n];
      Time to = first.to, covered = first.length();
      std::size_t merged = 1;
      while (n + merged < list.size() && list[n + merged].kind == first.kind &&
             in_us(list[n + merged].from - to) * per_us_ < apart) {
        to = std::max(to, list[n + merged].to);
        covered += list[n + merged].length();
        ++merged;
      }
      const std::string what = merged == 1 ? first.name : fmt::format("{} of {}", merged, first.kind);
      box(first.from, to, covered, colour.empty() ? first.kind : colour, what, inset,
          merged == 1 && (colour == "activity" || colour == "sent" || colour == "received") ? first.name : "");
      n += merged;
    }
  }

  void box(Time from, Time to, Time covered, const std::string& colour, const std::string& what, double inset,
           const std::string& words) {
    const double extent = in_us(to - from) * per_us_;
    const double share = std::min(1.0, in_us(covered) / std::max(in_us(to - from), 1e-6));
    out_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"{}><title>{}: {:.2f} µs"
        "</title></rect>\n",
        x(from), y_ + inset, std::max(extent, 0.5), lane_height - inset, span_colour(colour),
        share > 0.95 ? "" : fmt::format(" fill-opacity=\"{:.2f}\"", 0.3 + 0.7 * share), escaped(what), in_us(covered));
    if (!words.empty() && svg_letter * static_cast<double>(words.size()) < extent)
      out_ += svg_text(x(from) + 3, y_ + 11.5, "start", words, colour == "received" ? "#000" : "#fff");
  }

  void level(const FrameWay::Level& level) {
    label(level.name);
    std::uint64_t most = 1;
    for (const auto& [at, value] : level.values) most = std::max(most, value);
    const auto y = [&](std::uint64_t value) {
      return y_ + lane_height * (1 - static_cast<double>(value) / static_cast<double>(most));
    };
    std::string path = fmt::format("M{:.1f},{:.1f}", x(level.values.front().first), y_ + lane_height);
    for (std::size_t n = 0; n < level.values.size(); ++n) {
      const Time until = n + 1 < level.values.size() ? level.values[n + 1].first : way_.to;
      if (in_us(until - level.values[n].first) * per_us_ < 0.2) continue;
      path += fmt::format("L{:.1f},{:.1f}H{:.1f}", x(level.values[n].first), y(level.values[n].second), x(until));
    }
    out_ += fmt::format("<path d=\"{}V{:.1f}Z\" fill=\"{}\"><title>{}: up to {}</title></path>\n", path,
                        y_ + lane_height, span_colour("level"), escaped(level.name), most);
    out_ += svg_text(x(way_.to) + 4, y_ + 11.5, "start", fmt::format("{}", most), "#777");
    next();
  }

  const FrameWay& way_;
  double per_us_, zero_, step_, y_;
  std::string out_;
};

std::string legend_text(double y) {
  std::string out;
  double x = left;
  for (const auto& [kind, words] : legend) {
    const double extent = 22 + svg_letter * static_cast<double>(std::string(words).size());
    if (x + extent > width) {
      x = left;
      y += legend_row;
    }
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, y - 10,
                       span_colour(kind)) +
           svg_text(x + 16, y, "start", words);
    x += extent;
  }
  return out;
}

int percent(Time part, Time whole) {
  return static_cast<int>(std::lround(100 * in_us(part) / std::max(in_us(whole), 1e-6)));
}

}  // namespace

std::vector<std::string> frame_way_text(const FrameWay& way) {
  const Time all = way.to - way.before;
  const auto share = [&](const FrameWay::Lane& lane, const char* kind) {
    return percent(lane.total(kind, way.before), all);
  };
  std::string bus = fmt::format("port cycles {} %", share(way.bus, "I/O"));
  if (const int memory = share(way.bus, "memory"); memory != 0)
    bus += fmt::format(", cycles to adapter memory {} %", memory);
  if (const int transfer = share(way.bus, "transfer"); transfer != 0)
    bus += fmt::format(", bus master's transfers {} %", transfer);
  return {fmt::format("frame {}, {} bytes: {:.0f} µs from the end of the previous data frame to its own", way.frame,
                      way.bytes, in_us(all)),
          fmt::format("processor: waits for the bus {} %, halted {} %; bus: {}; wire: sends {} %",
                      share(way.bus_wait, "waits for the bus"), share(way.processor, "halted"), bus,
                      percent(way.sent.total("sent", way.before), all))};
}

std::string svg_frame_ways(const std::string& title, const std::vector<FrameWay>& ways) {
  double ahead = 1, longest = 1, height = top + axis + 3 * legend_row;  // before and after zero
  for (const FrameWay& way : ways) {
    ahead = std::max(ahead, in_us(way.before - way.from));
    longest = std::max(longest, in_us(way.to - way.before));
    height += CardPicture::height(way);
  }
  const double per_us = (plot - 30) / (ahead + longest), step = axis_step(ahead + longest);
  const double zero = left + ahead * per_us;
  const Scale scale{per_us, zero, step};
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" font-family=\"sans-serif\" font-size=\"11\" "
      "role=\"img\" aria-label=\"{}\">\n<text x=\"0\" y=\"20\" font-size=\"15\">{}</text>\n",
      width, height, escaped(title), escaped(title));
  double y = top;
  for (const FrameWay& way : ways) {
    out += CardPicture(way, scale, y).draw();
    y += CardPicture::height(way);
  }
  for (double n = -std::floor(ahead / step); n * step <= longest; ++n)
    out += svg_text(zero + n * step * per_us, y + 12, "middle", fmt::format("{:g}", n * step));
  out += svg_text(left + plot / 2, y + 27, "middle", "µs; 0 is the end of the previous data frame");
  return out + legend_text(y + axis + legend_row) + "</svg>\n";
}

}  // namespace planar
