// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline_analysis/timeline_diff.hpp"

#include <fmt/format.h>

#include <utility>

#include "frontend/timeline/trace_event_file.hpp"
#include "frontend/timeline_analysis/timeline_reader.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

class CycleReader {
 public:
  explicit CycleReader(const std::string& file) : reader_(file) {}
  std::optional<TimelineCycle> next() {
    while (const auto e = reader_.next()) {
      const bool cycle = e->category == "cycle";
      if (e->kind != TimelineEvent::Kind::slice || (!cycle && e->category != "transfer")) continue;
      ++count_;
      TimelineCycle c{reader_.process_name(e->process), e->name, {}, e->at, e->until()};
      if (cycle)
        c.value = (e->text("direction") == "write" ? "<- " : "-> ") + e->text("value");
      else if (const auto address = e->text("address"); !address.empty())
        c.what += " at " + address;
      return c;
    }
    return std::nullopt;
  }
  std::uint64_t count() const { return count_; }

 private:
  TimelineReader reader_;
  std::uint64_t count_ = 0;
};

std::string side(const std::string& file, const std::optional<TimelineCycle>& cycle) {
  return fmt::format("  {}: {}\n", file, cycle ? cycle->line() : "ends here");
}

std::string parting_text(const TimelineDiff::Parting& p, const std::string& first, const std::string& second) {
  std::string out;
  if (p.before) out += fmt::format("  before it: {}\n", p.before->line());
  return out + side(first, p.first) + side(second, p.second);
}

ordered_json cycle_json(const std::optional<TimelineCycle>& c) {
  if (!c) return nullptr;
  return {{"machine", c->machine},
          {"cycle", c->what},
          {"value", c->value},
          {"start_ps", c->start.ps},
          {"end_ps", c->end.ps}};
}

ordered_json parting_json(const std::optional<TimelineDiff::Parting>& p) {
  if (!p) return nullptr;
  return {{"number", p->number},
          {"before", cycle_json(p->before)},
          {"first", cycle_json(p->first)},
          {"second", cycle_json(p->second)}};
}

}  // namespace

std::string TimelineCycle::line() const {
  return fmt::format("{} µs {} {}{}{} ns", microseconds(start), what, value, value.empty() ? "" : ", ",
                     (end - start).ps / 1000);
}

std::string TimelineDiff::text(const std::string& first, const std::string& second) const {
  if (same()) return fmt::format("no difference in {} cycles on the bus\n", cycles[0]);
  std::string out = fmt::format("the runs diverge at cycle {} on the bus:\n", in_time->number) +
                    parting_text(*in_time, first, second);
  if (!in_accesses)
    out += "all accesses are the same except for their times\n";
  else if (in_accesses->number != in_time->number)
    out += fmt::format("and in more than their times at cycle {}:\n", in_accesses->number) +
           parting_text(*in_accesses, first, second);
  return out;
}

ordered_json TimelineDiff::json(const std::string& first, const std::string& second) const {
  return {{"schema", "planar.timeline-diff/1"},
          {"first", first},
          {"second", second},
          {"equal", same()},
          {"cycles", {cycles[0], cycles[1]}},
          {"in_time", parting_json(in_time)},
          {"in_accesses", parting_json(in_accesses)}};
}

TimelineDiff diff_timelines(const std::string& first, const std::string& second) {
  CycleReader a(first), b(second);
  TimelineDiff diff;
  std::optional<TimelineCycle> before;
  for (std::uint64_t number = 1;; ++number) {
    auto x = a.next(), y = b.next();
    if (!x && !y) break;
    const bool same_access = x && y && x->same_access(*y);
    if (!diff.in_time && !(x && y && *x == *y)) diff.in_time = {number, before, x, y};
    if (!diff.in_accesses && !same_access) diff.in_accesses = {number, before, x, y};
    before = std::move(x);
  }
  diff.cycles[0] = a.count();
  diff.cycles[1] = b.count();
  return diff;
}

}  // namespace planar
