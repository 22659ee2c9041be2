// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline_analysis/timeline_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/common/error.hpp"
#include "frontend/kept/kept_json.hpp"

namespace planar {
namespace {

constexpr const char* remedy = "name a file that --timeline has written";
constexpr double latest = 4e12;  // microseconds; within the range of Time, with room for sums

/// The file's microseconds, exact up to some hours.
Time time_of(const nlohmann::ordered_json& event, const char* member) {
  if (!event.contains(member)) return {};
  const double us = event[member].get<double>();
  return us >= 0 && us < latest ? Time{std::llround(us * 1e6)} : Time{};
}

/// A process or a thread; 0 if it is missing.
unsigned number_of(nlohmann::ordered_json& event, const char* member) {
  using Unsigned = nlohmann::ordered_json::number_unsigned_t;
  return event.contains(member) ? static_cast<unsigned>(event[member].get_ref<Unsigned&>()) : 0;
}

std::optional<TimelineEvent::Kind> kind_of(const std::string& phase) {
  using Kind = TimelineEvent::Kind;
  static const std::map<std::string, Kind> kinds{{"B", Kind::begin},   {"E", Kind::end},    {"X", Kind::slice},
                                                 {"C", Kind::counter}, {"i", Kind::marker}, {"M", Kind::note}};
  const auto found = kinds.find(phase);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

/// Throws nlohmann's exceptions for members of the wrong type.
std::optional<TimelineEvent> event_of(nlohmann::ordered_json& j) {
  const auto kind = kind_of(j.value("ph", ""));
  if (!kind) return std::nullopt;
  TimelineEvent e;
  e.kind = *kind;
  e.name = j.value("name", "");
  e.category = j.value("cat", "");
  e.process = number_of(j, "pid");
  e.thread = number_of(j, "tid");
  e.at = time_of(j, "ts");
  e.length = time_of(j, "dur");
  if (j.contains("args")) e.arguments = std::move(j["args"]);
  return e;
}

}  // namespace

std::string TimelineEvent::text(const char* argument) const {
  const auto found = arguments.find(argument);
  return found != arguments.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::uint64_t TimelineEvent::number(const char* argument) const {
  const auto found = arguments.find(argument);
  return found != arguments.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

bool TimelineReader::is_timeline(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string first(7, '\0');
  in.read(first.data(), 7);
  first.resize(static_cast<std::size_t>(in.gcount()));
  return first == "[\n{\"ph\"" || first == "[\n\n]\n";
}

TimelineReader::TimelineReader(const std::string& file) : file_(file), in_(file, std::ios::binary) {
  if (!in_) throw Error(fmt::format("{}: there is no such timeline; {}", file, remedy), ExitCode::missing_file);
  if (!is_timeline(file)) throw Error(fmt::format("{}: is not a timeline; {}", file, remedy), ExitCode::missing_file);
  std::string line;
  std::getline(in_, line);
}

std::optional<TimelineEvent> TimelineReader::next() {
  std::string line;
  while (std::getline(in_, line)) {
    ++line_;
    if (line == "]" || line.empty()) continue;
    const bool cut_off = in_.eof();
    if (line.back() == ',') line.pop_back();
    nlohmann::ordered_json j;
    try {
      j = parse_json(line);
    } catch (const Error&) {  // reported below, unless the run was interrupted here
      if (cut_off) return std::nullopt;
    }
    std::optional<TimelineEvent> e;
    try {
      if (j.is_object()) e = event_of(j);
    } catch (const nlohmann::json::exception&) {}  // reported below
    if (!e)
      throw Error(fmt::format("{}:{}: is not an event of a timeline; {}", file_, line_, remedy),
                  ExitCode::missing_file);
    if (e->kind != TimelineEvent::Kind::note) return e;
    if (e->name == "process_name")
      processes_[e->process] = e->text("name");
    else if (e->name == "thread_name")
      tracks_[e->thread] = e->text("name");
    else if (!e->name.ends_with("_sort_index"))
      return e;
  }
  return std::nullopt;
}

std::string TimelineReader::process_name(unsigned process) const {
  const auto found = processes_.find(process);
  return found == processes_.end() ? std::string{} : found->second;
}

std::string TimelineReader::track_name(unsigned thread) const {
  const auto found = tracks_.find(thread);
  return found == tracks_.end() ? std::string{} : found->second;
}

bool TimelineReader::is_of_first_machine(const std::string& port) const {
  return port.starts_with("slot") || port.starts_with(process_name(machine) + ".slot");
}

}  // namespace planar
