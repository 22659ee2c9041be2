// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline_analysis/bus_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/common/error.hpp"
#include "frontend/timeline_analysis/svg_parts.hpp"
#include "frontend/timeline_analysis/timeline_reader.hpp"

namespace planar {
namespace {

/// The next frame of the same sender on the same medium; null: none in the file.
const TimelineEvent* next_of(const std::vector<TimelineEvent>& events, const TimelineEvent& frame) {
  const TimelineEvent* next = nullptr;
  for (const TimelineEvent& e : events)
    if (e.category == "wire" && e.process == frame.process && e.text("sender") == frame.text("sender") &&
        e.number("frame") != 0 && e.at > frame.at && (!next || e.at < next->at))
      next = &e;
  return next;
}

/// The bus whose cycles or owners a track shows: "pci" for "pci" and "pci owner".
std::string bus_of(const std::string& track) {
  constexpr std::string_view owner = " owner";
  return track.ends_with(owner) ? track.substr(0, track.size() - owner.size()) : track;
}

BusView::Lane& lane(BusView& view, const std::string& name) {
  const auto found =
      std::find_if(view.lanes.begin(), view.lanes.end(), [&](const auto& each) { return each.name == name; });
  return found != view.lanes.end() ? *found : view.lanes.emplace_back(BusView::Lane{name, {}});
}

class Collector {
 public:
  Collector(BusView& view, unsigned medium, const TimelineReader& names)
      : view_(view), medium_(medium), names_(names) {}

  void take(const TimelineEvent& e) {
    if (e.kind != TimelineEvent::Kind::slice) return;
    const std::string track = names_.track_name(e.thread);
    if (e.category == "wire" && e.process == medium_) {
      add("wire", e, names_.is_of_first_machine(e.text("sender")) ? "sent" : "received", e.name);
    } else if (e.process != TimelineReader::machine) {
      return;
    } else if (e.category == "cycle") {
      add(bus_of(track) + ": processor", e, e.text("kind") == "io" ? "I/O" : e.text("kind"), e.text("address"));
    } else if (e.category == "transfer") {
      add(bus_of(track) + ": " + e.text("owner"), e, "transfer",
          e.number("bytes") ? fmt::format("{} bytes", e.number("bytes")) : std::string{});
    } else if (e.category == "owner") {
      add(bus_of(track) + ": " + e.name, e, e.name == "refresh" ? "refresh" : "owned", {});
    }
  }

 private:
  void add(const std::string& name, const TimelineEvent& e, std::string kind, std::string brief) {
    if (e.until() <= view_.from || e.at >= view_.until) return;
    lane(view_, name).spans.push_back({e.at, e.until(), std::move(kind), e.name, std::move(brief), e.number("bytes")});
  }

  BusView& view_;
  unsigned medium_;
  const TimelineReader& names_;
};

}  // namespace

BusView::Use BusView::use(const Lane& lane) const {
  Use sum;
  for (const Span& s : lane.spans) {
    if (s.kind == "owned" || s.from < from || s.from >= to) continue;
    ++sum.count;
    sum.bytes += s.bytes;
    sum.time += s.to - s.from;
  }
  return sum;
}

BusView BusView::read(const std::string& file, std::string title, std::optional<std::uint64_t> number) {
  TimelineReader reader(file);
  std::vector<TimelineEvent> events;
  while (auto e = reader.next()) events.push_back(std::move(*e));
  Time begin{};
  for (const TimelineEvent& e : events)
    if (e.kind == TimelineEvent::Kind::note)
      begin = std::max(begin, Time{static_cast<std::int64_t>(e.number("from_ps"))});
  const TimelineEvent* chosen = nullptr;
  for (const TimelineEvent& e : events) {
    if (e.at <= begin) continue;  // it began before the file
    if (e.category != "wire" || e.number("frame") == 0 || !next_of(events, e)) continue;
    if (number ? e.number("frame") == *number : !chosen || e.number("bytes") > chosen->number("bytes")) chosen = &e;
  }
  if (!chosen)
    throw Error(number ? fmt::format("{}: does not show frame {} and the next one of its sender", file, *number)
                       : fmt::format("{}: shows no frame with the next one of its sender; make it with "
                                     "--timeline-frame",
                                     file),
                ExitCode::missing_file);
  BusView view;
  view.title = std::move(title);
  view.frame = chosen->number("frame");
  view.bytes = chosen->number("bytes");
  view.received = !reader.is_of_first_machine(chosen->text("sender"));
  view.from = chosen->at;
  view.to = next_of(events, *chosen)->at;
  for (const TimelineEvent& e : events)
    if (e.category == "wire") view.until = std::max(view.until, e.until());
  lane(view, "wire");
  Collector collector(view, chosen->process, reader);
  for (const TimelineEvent& e : events) collector.take(e);
  std::stable_sort(view.lanes.begin() + 1, view.lanes.end(), [](const Lane& a, const Lane& b) {
    const auto key = [](const Lane& l) {
      return std::pair(l.name.substr(0, l.name.find(':')), !l.name.ends_with(": processor"));
    };
    return key(a) < key(b);
  });
  for (Lane& each : view.lanes)
    std::stable_sort(each.spans.begin(), each.spans.end(), [](const Span& a, const Span& b) {
      return std::pair(a.kind != "owned", a.from) < std::pair(b.kind != "owned", b.from);
    });
  return view;
}

std::vector<std::string> bus_view_text(const BusView& view) {
  const Time all = view.to - view.from;
  std::vector<std::string> lines{fmt::format("frame {}, {} bytes, {}: {:.1f} µs to the next one", view.frame,
                                             view.bytes, view.received ? "received" : "sent", in_us(all))};
  for (const BusView::Lane& lane : view.lanes) {
    const BusView::Use use = view.use(lane);
    if (lane.name == "wire" || use.count == 0) continue;
    const char* const what = lane.name.ends_with(": processor") ? "cycles"
                             : lane.name.ends_with(": refresh") ? "of them"
                                                                : "transfers";
    lines.push_back(fmt::format("{}: {} {}, {}{:.2f} µs, {:.1f} %", lane.name, use.count, what,
                                use.bytes ? fmt::format("{} bytes, ", use.bytes) : std::string{}, in_us(use.time),
                                100 * in_us(use.time) / std::max(in_us(all), 1e-6)));
  }
  return lines;
}

}  // namespace planar
