// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline_analysis/frame_way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/common/error.hpp"
#include "frontend/timeline_analysis/timeline_reader.hpp"

namespace planar {
namespace {

/// The frame that the file shows, and the previous data frame.
struct Target {
  std::uint64_t number = 0, bytes = 0;
  std::string sender;  ///< "client.slot1.ne2.port"
  Time from{}, before{}, to{};
  unsigned medium = 0;  ///< its process in the file
  /// Prefix of the adapter's tracks: "slot1.ne2".
  std::string adapter() const {
    const auto first = sender.find("slot");
    return sender.substr(first, sender.rfind('.') - first);
  }
};

std::vector<TimelineEvent> read_all(TimelineReader& reader) {
  std::vector<TimelineEvent> events;
  while (auto e = reader.next()) events.push_back(std::move(*e));
  return events;
}

std::optional<Target> find_target(const std::vector<TimelineEvent>& events, const TimelineReader& names) {
  std::uint64_t wanted = 0;
  for (const TimelineEvent& e : events)
    if (e.kind == TimelineEvent::Kind::note) wanted = std::max(wanted, e.number("frame"));
  const TimelineEvent* last = nullptr;
  for (const TimelineEvent& e : events) {
    if (e.category != "wire" || e.number("frame") == 0 || !names.is_of_first_machine(e.text("sender"))) continue;
    if (wanted ? e.number("frame") == wanted : !last || e.number("bytes") >= last->number("bytes")) last = &e;
  }
  if (!last) return std::nullopt;
  Target t{last->number("frame"), last->number("bytes"), last->text("sender"), last->at, last->at,
           last->until(),         last->process};
  for (const TimelineEvent& e : events)
    if (e.category == "wire" && e.number("frame") != 0 && e.number("frame") < t.number &&
        e.text("sender") == t.sender && e.number("bytes") >= t.bytes) {
      t.from = t.before == last->at ? e.until() : t.before;
      t.before = e.until();
    }
  return t;
}

/// "slot1.ne2, DP8390, transmitter: state" becomes "transmitter".
std::string short_name(std::string name) {
  for (int part = 0; part < 2; ++part)
    if (const auto comma = name.find(", "); comma != std::string::npos) name.erase(0, comma + 2);
  if (name.ends_with(": state")) name.resize(name.size() - 7);
  return name;
}

/// Puts a file's events into the lanes of a frame.
class Sorter {
 public:
  Sorter(FrameWay& way, const Target& target, const TimelineReader& names)
      : way_(way), target_(target), names_(names) {}

  void take(const TimelineEvent& e) {
    using Kind = TimelineEvent::Kind;
    if (e.category == "wire" && e.process != target_.medium) return;  // beyond a switch or bridge
    if (e.category == "wire")
      return e.text("sender") == target_.sender ? add(way_.sent, e, "sent") : add(way_.received, e, "received");
    if (e.process != TimelineReader::machine) return;
    if (e.kind == Kind::begin) {
      state_ = e;
    } else if (e.kind == Kind::end && state_) {
      TimelineEvent whole = *state_;
      whole.length = e.at - whole.at;
      add(way_.processor, whole, whole.name.substr(0, whole.name.find(' ')));  // without the vector
      state_.reset();
    } else if (e.kind == Kind::counter) {
      level(e);
    } else if (e.kind == Kind::slice) {
      slice(e);
    }
  }

 private:
  void add(FrameWay::Lane& lane, const TimelineEvent& e, std::string kind) {
    const Time from = std::max(e.at, way_.from), to = std::min(e.until(), way_.to);
    if (to > from) lane.spans.push_back({from, to, std::move(kind), e.name});
  }

  void slice(const TimelineEvent& e) {
    if (e.category == "bus wait" && e.name == "waits for the bus") return add(way_.bus_wait, e, e.name);
    if (e.category == "transfer") return add(way_.bus, e, "transfer");
    if (e.category == "cycle") return add(way_.bus, e, e.text("kind") == "io" ? "I/O" : e.text("kind"));
    if (e.category == "interrupt" && e.name.find("slot") != std::string::npos)
      return add(way_.interrupt, e, names_.track_name(e.thread));
    if (e.category == "activity" && names_.track_name(e.thread).starts_with(target_.adapter()))
      add(engine(short_name(names_.track_name(e.thread))), e, e.name);
  }

  FrameWay::Lane& engine(const std::string& name) {
    const auto found =
        std::find_if(way_.engines.begin(), way_.engines.end(), [&](const auto& lane) { return lane.name == name; });
    return found != way_.engines.end() ? *found : way_.engines.emplace_back(FrameWay::Lane{name, {}});
  }

  void level(const TimelineEvent& e) {
    if (!e.name.starts_with(target_.adapter()) || e.at >= way_.to) return;
    const auto name = short_name(e.name);
    auto found =
        std::find_if(way_.levels.begin(), way_.levels.end(), [&](const auto& level) { return level.name == name; });
    if (found == way_.levels.end()) found = way_.levels.insert(found, FrameWay::Level{name, {}});
    if (e.at <= way_.from) found->values.clear();
    found->values.emplace_back(std::max(e.at, way_.from), e.number("value"));
  }

  FrameWay& way_;
  const Target& target_;
  const TimelineReader& names_;
  std::optional<TimelineEvent> state_;
};

void sort_by_time(FrameWay::Lane& lane) {
  std::stable_sort(lane.spans.begin(), lane.spans.end(),
                   [](const FrameWay::Span& a, const FrameWay::Span& b) { return a.from < b.from; });
}

}  // namespace

Time FrameWay::Lane::total(const std::string& kind, Time since) const {
  Time sum{};
  for (const Span& span : spans)
    if (span.kind == kind && span.to > since) sum += span.to - std::max(span.from, since);
  return sum;
}

FrameWay FrameWay::read(const std::string& file, std::string title) {
  TimelineReader reader(file);
  const auto events = read_all(reader);
  const auto target = find_target(events, reader);
  if (!target)
    throw Error(fmt::format("{}: shows no frame of an adapter; make it with --timeline-frame", file),
                ExitCode::missing_file);
  FrameWay way;
  way.title = std::move(title);
  way.frame = target->number;
  way.bytes = target->bytes;
  way.from = target->from;
  way.before = target->before;
  way.to = target->to;
  Sorter sorter(way, *target, reader);
  for (const TimelineEvent& e : events) sorter.take(e);
  for (Lane* lane : {&way.processor, &way.bus_wait, &way.bus, &way.interrupt, &way.sent, &way.received})
    sort_by_time(*lane);
  std::erase_if(way.engines, [](const Lane& lane) { return lane.spans.empty(); });
  std::erase_if(way.levels, [](const Level& level) { return level.values.size() < 2; });
  return way;
}

}  // namespace planar
