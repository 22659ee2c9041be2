// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/trace_event_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace planar {
namespace {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string arguments_text(const EventArguments& arguments) {
  return arguments.members().empty() ? "" : ",\"args\":{" + arguments.members() + "}";
}

}  // namespace

std::string microseconds(Time t) { return fmt::format("{}.{:06}", t.ps / 1'000'000, t.ps % 1'000'000); }

EventArguments& EventArguments::number(std::string_view name, std::uint64_t value) {
  members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", json_text(name), value);
  return *this;
}

EventArguments& EventArguments::text(std::string_view name, std::string_view value) {
  members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", json_text(name), json_text(value));
  return *this;
}

TraceEventFile::TraceEventFile(const std::string& file, const std::string& option)
    : name_(file), file_(open_output(file, option)) {
  failed_ = std::fputs("[\n", file_.get()) < 0;
}

TraceEventFile::~TraceEventFile() = default;

void TraceEventFile::event(const std::string& text) {
  if (!file_) return;
  const std::string line = (first_ ? "{" : ",\n{") + text + "}";
  first_ = false;
  failed_ |= std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size();
}

unsigned TraceEventFile::process(const std::string& name) {
  const unsigned n = ++processes_;
  event(fmt::format(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", n, json_text(name)));
  event(fmt::format(R"("ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}})", n, n));
  return n;
}

TraceEventFile::Track TraceEventFile::track(unsigned process, const std::string& name) {
  const auto [found, is_new] = tracks_.try_emplace({process, name});
  if (is_new) {
    found->second = {process, ++threads_};
    const auto where = fmt::format(R"("pid":{},"tid":{})", process, threads_);
    event(fmt::format(R"("ph":"M","name":"thread_name",{},"args":{{"name":{}}})", where, json_text(name)));
    event(fmt::format(R"("ph":"M","name":"thread_sort_index",{},"args":{{"sort_index":{}}})", where, threads_));
  }
  return found->second;
}

void TraceEventFile::begin(Track track, std::string_view name, std::string_view category, Time at,
                           const EventArguments& arguments) {
  open_[track].push_back(at);
  event(fmt::format(R"("ph":"B","name":{},"cat":{},"pid":{},"tid":{},"ts":{}{})", json_text(name), json_text(category),
                    track.process, track.thread, microseconds(at), arguments_text(arguments)));
}

void TraceEventFile::end(Track track, Time at) {
  auto& open = open_[track];
  if (open.empty()) return;
  at = std::max(at, open.back());
  open.pop_back();
  event(fmt::format(R"("ph":"E","pid":{},"tid":{},"ts":{})", track.process, track.thread, microseconds(at)));
}

void TraceEventFile::slice(Track track, std::string_view name, std::string_view category, Time from, Time to,
                           const EventArguments& arguments) {
  event(fmt::format(R"("ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{}{})", json_text(name),
                    json_text(category), track.process, track.thread, microseconds(from), microseconds(to - from),
                    arguments_text(arguments)));
}

void TraceEventFile::counter(unsigned process, std::string_view name, Time at, std::uint64_t value) {
  event(fmt::format(R"("ph":"C","name":{},"pid":{},"ts":{},"args":{{"value":{}}})", json_text(name), process,
                    microseconds(at), value));
}

void TraceEventFile::marker(std::string_view name, std::string_view category, Time at,
                            const EventArguments& arguments) {
  event(fmt::format(R"("ph":"i","s":"g","name":{},"cat":{},"pid":1,"tid":0,"ts":{}{})", json_text(name),
                    json_text(category), microseconds(at), arguments_text(arguments)));
}

void TraceEventFile::note(std::string_view name, const EventArguments& arguments) {
  event(fmt::format(R"("ph":"M","name":{},"pid":1{})", json_text(name), arguments_text(arguments)));
}

void TraceEventFile::close(Time at) {
  if (!file_) return;
  for (const auto& [track, slices] : std::map(open_))
    for (std::size_t n = 0; n < slices.size(); ++n) end(track, at);
  failed_ |= std::fputs("\n]\n", file_.get()) < 0;
  failed_ |= std::fclose(file_.release()) != 0;
}

std::string TraceEventFile::problem() const {
  const bool failed = failed_ || (file_ && (std::fflush(file_.get()) != 0 || std::ferror(file_.get())));
  return failed ? fmt::format("{}: the timeline could not be written completely; check the free space", name_)
                : std::string{};
}

}  // namespace planar
