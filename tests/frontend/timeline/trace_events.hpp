// SPDX-License-Identifier: GPL-2.0-or-later
// A timeline's file as read by a viewer, and the rules for its tracks: beginnings and ends in order of time, every
// slice closed, and no overlapping slices unless one contains the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/frontend/program.hpp"

namespace trace_events {

using Json = nlohmann::json;

struct Slice {
  std::int64_t from = 0, to = 0;  // ps
  std::string name, category;
  Json arguments;
};

struct Trace {
  std::map<unsigned, std::string> processes;
  std::map<std::string, std::vector<Slice>> tracks;  // by "process: track", ordered by beginning
  std::vector<Slice> markers;
  std::map<std::string, unsigned> counters;  // samples by name
  std::string problem;                       // the first broken rule

  const std::vector<Slice>& track(const std::string& name) const {
    static const std::vector<Slice> none;
    const auto found = tracks.find(name);
    return found == tracks.end() ? none : found->second;
  }
};

inline std::int64_t picoseconds(const Json& event, const char* member) {
  return std::llround(event.at(member).get<double>() * 1e6);
}

/// Two slices are either nested or disjoint: in sorted order, each fits into those that are open where it begins.
inline std::string nesting_problem(const std::string& track, std::vector<Slice>& slices) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const Slice& a, const Slice& b) { return a.from != b.from ? a.from < b.from : a.to > b.to; });
  std::vector<std::int64_t> open;
  for (const Slice& slice : slices) {
    while (!open.empty() && open.back() <= slice.from) open.pop_back();
    if (slice.to < slice.from) return track + ": '" + slice.name + "' ends before it begins";
    if (!open.empty() && slice.to > open.back()) return track + ": '" + slice.name + "' outlasts what it lies in";
    open.push_back(slice.to);
  }
  return {};
}

/// `text`: the file; a truncated one is closed first, as viewers do.
inline Trace parse(std::string text) {
  Trace trace;
  if (text.find("\n]") == std::string::npos) text = text.substr(0, text.rfind("},\n") + 1) + "\n]";
  std::map<unsigned, std::string> names;
  std::map<unsigned, std::vector<Slice>> slices, open;
  std::map<unsigned, std::int64_t> latest;
  const auto fail = [&](const std::string& what) {
    if (trace.problem.empty()) trace.problem = what;
  };
  for (const Json& e : Json::parse(text)) {
    const std::string phase = e.at("ph"), name = e.value("name", "");
    const unsigned pid = e.at("pid"), tid = e.value("tid", 0u);
    if (phase == "M") {
      if (name == "process_name") trace.processes[pid] = e["args"]["name"];
      if (name == "thread_name") names[tid] = trace.processes[pid] + ": " + e["args"]["name"].get<std::string>();
      continue;
    }
    const std::int64_t at = picoseconds(e, "ts");
    if (phase == "C") {
      ++trace.counters[name];
      if (!e["args"]["value"].is_number_unsigned()) fail("a counter without a number");
      continue;
    }
    Slice slice{at, at, name, e.value("cat", ""), e.value("args", Json())};
    if (phase == "i") {
      trace.markers.push_back(slice);
      continue;
    }
    if (!names.contains(tid)) fail("a slice on a track without a name");
    if (phase != "X" && at < latest[tid]) fail(names[tid] + ": goes back in time at '" + name + "'");
    if (phase != "X") latest[tid] = at;
    if (phase == "B") {
      open[tid].push_back(slice);
    } else if (phase == "X") {
      slice.to = at + picoseconds(e, "dur");
      slices[tid].push_back(slice);
    } else if (phase == "E") {
      if (open[tid].empty()) {
        fail(names[tid] + ": an end without a beginning");
        continue;
      }
      open[tid].back().to = at;
      slices[tid].push_back(open[tid].back());
      open[tid].pop_back();
    } else {
      fail("an event of kind " + phase);
    }
  }
  for (auto& [tid, list] : open)
    if (!list.empty()) fail(names[tid] + ": '" + list.back().name + "' is never closed");
  for (auto& [tid, list] : slices) {
    const auto problem = nesting_problem(names[tid], list);
    if (!problem.empty()) fail(problem);
    trace.tracks[names[tid]] = std::move(list);
  }
  return trace;
}

inline Trace read(const std::string& file) { return parse(program::read_file(file)); }

}  // namespace trace_events
