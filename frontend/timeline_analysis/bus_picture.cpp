// SPDX-License-Identifier: GPL-2.0-or-later
// Draws buses during a frame: one lane for the wire, one for the processor's cycles, and one for each master.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frontend/output/svg_plot.hpp"
#include "frontend/timeline_analysis/bus_view.hpp"
#include "frontend/timeline_analysis/svg_parts.hpp"

namespace planar {
namespace {

constexpr double picture_width = 1000, lanes_left = 165, lanes_right = 12;
constexpr double lanes_width = picture_width - lanes_left - lanes_right;
constexpr double picture_title_height = 34, bus_lane_height = 20, bus_lane_gap = 4, line_height = 14, view_gap = 18,
                 picture_axis_height = 36;

constexpr std::pair<const char*, const char*> bus_legend[] = {{"received", "frame on the wire"},
                                                              {"I/O", "processor: port cycle"},
                                                              {"memory", "processor: memory cycle"},
                                                              {"interrupt acknowledge", "interrupt acknowledge"},
                                                              {"refresh", "refresh"},
                                                              {"owned", "granted to a master"},
                                                              {"transfer", "master's data"}};

/// The part of a view that is drawn; `from` is at the picture's 0.
struct Part {
  const BusView& view;
  Time from, to;
};

/// From the first of the longest transfers on, with a short lead before it.
Part part_of(const BusView& view, std::optional<Time> zoom, Time longest_frame) {
  if (!zoom) return {view, view.from, std::min(view.from + longest_frame, view.until)};
  const BusView::Span* longest = nullptr;
  for (const auto& lane : view.lanes)
    for (const auto& span : lane.spans)
      if (span.kind == "transfer" && (!longest || span.bytes > longest->bytes)) longest = &span;
  const Time start = longest ? longest->from : view.from, before = Time{zoom->ps / 10};
  return {view, start - before, start - before + *zoom};
}

double height_of(const BusView& view) {
  return 20 + static_cast<double>(bus_view_text(view).size()) * line_height + 4 +
         static_cast<double>(view.lanes.size()) * (bus_lane_height + bus_lane_gap) + view_gap;
}

class Drawing {
 public:
  Drawing(const Part& part, double per_us, double step) : part_(part), per_us_(per_us), step_(step) {}

  std::string draw(double y) {
    out_ += fmt::format("<text x=\"0\" y=\"{:.1f}\" font-size=\"14\" font-weight=\"bold\">{}</text>\n", y + 14,
                        escaped(part_.view.title));
    y += 30;
    for (const auto& words : bus_view_text(part_.view)) {
      out_ += svg_text(0, y, "start", words, "#555");
      y += line_height;
    }
    y -= 6;
    const double extent = in_us(part_.to - part_.from);
    const double pitch = bus_lane_height + bus_lane_gap;
    for (std::size_t n = 0; n < part_.view.lanes.size(); ++n)
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#f4f4f4\"/>\n",
                          lanes_left, y + pitch * static_cast<double>(n), extent * per_us_, bus_lane_height);
    const double bottom = y + pitch * static_cast<double>(part_.view.lanes.size()) - bus_lane_gap;
    for (double n = 0; n * step_ <= extent; ++n)
      out_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#ccc\"/>\n",
                          lanes_left + n * step_ * per_us_, y, bottom);
    for (const auto& lane : part_.view.lanes) {
      out_ += svg_text(lanes_left - 6, y + 14, "end", lane.name);
      for (const auto& span : lane.spans) box(span, y);
      y += pitch;
    }
    return out_;
  }

 private:
  void box(const BusView::Span& span, double y) {
    const Time from = std::max(span.from, part_.from), to = std::min(span.to, part_.to);
    if (to <= from) return;
    const double x = lanes_left + in_us(from - part_.from) * per_us_;
    const double extent = in_us(to - from) * per_us_;
    const double inset = span.kind == "owned" ? 0 : 3;
    out_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"{}><title>{}: {:.3f} "
        "µs</title></rect>\n",
        x, y + inset, std::max(extent, 0.4), bus_lane_height - 2 * inset, span_colour(span.kind),
        extent > 3 ? " stroke=\"#fff\" stroke-width=\"0.5\"" : "", escaped(span.name), in_us(span.to - span.from));
    if (!span.brief.empty() && svg_letter * static_cast<double>(span.brief.size()) + 4 < extent)
      out_ += svg_text(x + 4, y + 14, "start", span.brief,
                       span.kind == "received" || span.kind == "memory" ? "#000" : "#fff");
  }

  const Part& part_;
  double per_us_, step_;
  std::string out_;
};

}  // namespace

std::string svg_bus_views(const std::string& title, const std::vector<BusView>& views, std::optional<Time> zoom) {
  std::vector<Part> parts;
  Time longest_frame{};
  for (const BusView& view : views) longest_frame = std::max(longest_frame, view.to - view.from);
  double longest = 1e-3, height = picture_title_height + picture_axis_height + 24;
  for (const BusView& view : views) {
    parts.push_back(part_of(view, zoom, longest_frame));
    longest = std::max(longest, in_us(parts.back().to - parts.back().from));
    height += height_of(view);
  }
  const double per_us = lanes_width / longest, step = axis_step(longest);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" font-family=\"sans-serif\" font-size=\"11\" "
      "role=\"img\" aria-label=\"{}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"0\" y=\"20\" font-size=\"15\">{}</text>\n",
      picture_width, height, escaped(title), escaped(title));
  double y = picture_title_height;
  for (const Part& part : parts) {
    out += Drawing(part, per_us, step).draw(y);
    y += height_of(part.view);
  }
  for (double n = 0; n * step <= longest + 1e-9; ++n)
    out += svg_text(lanes_left + n * step * per_us, y + 4, "middle", fmt::format("{:g}", n * step));
  out += svg_text(
      lanes_left + lanes_width / 2, y + 19, "middle",
      zoom ? "µs, beginning shortly before a transfer of the frame's data" : "µs; 0 is the first bit of the frame");
  double x = 20;
  for (const auto& [kind, words] : bus_legend) {
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, y + 32,
                       span_colour(kind));
    out += svg_text(x + 16, y + 42, "start", words);
    x += 36 + svg_letter * 0.85 * static_cast<double>(std::string(words).size());
  }
  return out + "</svg>\n";
}

}  // namespace planar
