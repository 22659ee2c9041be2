// SPDX-License-Identifier: GPL-2.0-or-later
// `planar timeline`: draws pictures of timelines written by --timeline.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/timeline_analysis/bus_view.hpp"
#include "frontend/timeline_analysis/frame_picture.hpp"
#include "frontend/timeline_analysis/frame_way.hpp"
#include "machines/config/units.hpp"

namespace planar {
namespace {

struct TimelineOptions {
  std::vector<std::string> files, names;
  std::string view = "bus", title;
  std::optional<std::string> svg, zoom;
  std::optional<std::uint64_t> frame;
};

/// The heading of the picture of file `n`.
std::string timeline_name(const TimelineOptions& o, std::size_t n) {
  if (n < o.names.size()) return o.names[n];
  auto name = std::filesystem::path(o.files[n]).filename().string();
  for (const char* end : {".json", ".timeline"})
    if (name.ends_with(end)) name.resize(name.size() - std::string(end).size());
  return name;
}

std::optional<Time> timeline_zoom(const TimelineOptions& o) {
  if (!o.zoom) return {};
  const auto length = parse_time(*o.zoom);
  if (!length || *length <= Time{}) throw Error(fmt::format("--zoom {}: expects a time, such as '5 us'", *o.zoom));
  return length;
}

int draw_timelines(const TimelineOptions& o) {
  if (o.names.size() > o.files.size())
    throw Error(fmt::format("--name: {} for {}; give one for each timeline, in their order",
                            counted(o.names.size(), "name"), counted(o.files.size(), "timeline")));
  const auto zoom = timeline_zoom(o);
  std::string picture;
  if (o.view == "frame") {
    if (o.frame || zoom)
      throw Error("--frame and --zoom go with --view bus; a frame's path is that of --timeline-frame");
    std::vector<FrameWay> ways;
    for (std::size_t n = 0; n < o.files.size(); ++n) ways.push_back(FrameWay::read(o.files[n], timeline_name(o, n)));
    for (const FrameWay& way : ways)
      for (const auto& line : frame_way_text(way)) fmt::print("{}: {}\n", way.title, line);
    picture = svg_frame_ways(o.title.empty() ? "A frame's path" : o.title, ways);
  } else {
    std::vector<BusView> views;
    for (std::size_t n = 0; n < o.files.size(); ++n)
      views.push_back(BusView::read(o.files[n], timeline_name(o, n), o.frame));
    for (const BusView& view : views)
      for (const auto& line : bus_view_text(view)) fmt::print("{}: {}\n", view.title, line);
    picture = svg_bus_views(o.title.empty() ? "The buses while a frame passes" : o.title, views, zoom);
  }
  if (o.svg) replace_file(*o.svg, picture, "--svg");
  return 0;
}

}  // namespace

Verb add_timeline(CLI::App& app) {
  auto o = std::make_shared<TimelineOptions>();
  CLI::App* verb = app.add_subcommand(
      "timeline", "Draw what --timeline has written: the buses while a frame passes, or a frame's path, on one scale");
  verb->add_option("files", o->files, "Timelines, one above the other")->required()->type_name("FILE...");
  verb->add_option(
          "--view", o->view,
          "bus: each bus from the first bit of a frame to the first bit of its sender's next one, with the "
          "processor's cycles and every master's transfers; frame: the path of a sent frame through processor, "
          "card and wire, as compare draws it")
      ->check(CLI::IsMember({"bus", "frame"}))
      ->capture_default_str();
  verb->add_option("--frame", o->frame,
                   "The frame, by its number in the capture (default: the longest that the file shows)")
      ->type_name("N");
  verb->add_option("--zoom", o->zoom, "Draw only a section of this length, starting at the longest transfer")
      ->type_name("TIME");
  verb->add_option("--name", o->names, "What to call each timeline (default: its file)")->type_name("TEXT");
  verb->add_option("--title", o->title, "The picture's title")->type_name("TEXT");
  verb->add_option("--svg", o->svg, "Write the picture; without it only its figures are printed")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  planar netperf --machine pc-p166 --card 3c905b --receive --seconds 0.2 --timeline pci.json --timeline-frame "
      "300\n"
      "  planar timeline pci.json --svg bus.svg\n"
      "  planar timeline pci.json --zoom '5 us' --svg burst.svg");
  return [o] { return draw_timelines(*o); };
}

}  // namespace planar
