// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/frame_time.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

namespace planar {
namespace {

constexpr std::size_t most_marks = 1 << 14, most_lengths = 16;
/// No adapter waits that long of its own accord. Linux 2.2 waits at least 20 ticks before it retransmits, the first of
/// them a part of one (net/ipv4/tcp_input.c, TCP_RTO_MIN).
constexpr Time retransmission = 190_ms;

}  // namespace

// ---- the result ----

namespace {
std::int64_t ns_each(std::uint64_t clocks, const ClockDomain& clock, std::uint64_t frames) {
  const auto divisor = static_cast<std::int64_t>(frames) * 1000;  // from picoseconds
  return (clock.at(clocks).ps + divisor / 2) / divisor;
}
}  // namespace

std::int64_t FrameTime::total_ns(const ClockDomain& clock) const {
  return ns_each(std::accumulate(clocks.begin(), clocks.end(), std::uint64_t{0}), clock, frames);
}

// The cumulative sums are rounded, not the parts.
std::array<std::int64_t, FrameTime::parts> FrameTime::parts_ns(const ClockDomain& clock) const {
  std::array<std::int64_t, parts> ns{};
  std::uint64_t sum = 0;
  std::int64_t before = 0;
  for (unsigned p = 0; p < parts; ++p) {
    sum += clocks[p];
    const std::int64_t upto = ns_each(sum, clock, frames);
    ns[p] = upto - before;
    before = upto;
  }
  return ns;
}

// ---- the watch ----

FrameTimer::FrameTimer(Lab& lab, std::size_t number)
    : lab_(lab),
      number_(number),
      ports_(lab, number),
      watch_(ports_.used_media(), *this),
      last_(machine().cpu().account()),
      gap_(lab.scheduler(), "frame timer.gap", Priority::observer, Callback::to<&FrameTimer::gap_over>(this)) {
  // The first interrupt sources are the slots; planar devices follow.
  machine().interrupts().watch([this, slots = machine().config().slot_widths.size()](unsigned, unsigned source, Time) {
    if (source >= slots) return;
    settle();
    give_silence(FrameTime::card);
  });
}

FrameTimer::~FrameTimer() { machine().interrupts().watch({}); }

void FrameTimer::settle() {
  const cpu::Cpu::Account now = machine().cpu().account();
  const std::uint64_t halted = now.halted - last_.halted, pins = now.pins - last_.pins,
                      copying = now.copying - last_.copying;
  clocks_[FrameTime::bus_wait] += pins;
  clocks_[FrameTime::cpu_copy] += copying;
  clocks_[FrameTime::stack] += now.clocks - last_.clocks - halted - pins - copying;
  if (signals_ > 0 || gap_.pending())
    clocks_[FrameTime::wire] += halted;
  else
    silence_ += halted;
  last_ = now;
}

void FrameTimer::give_silence(FrameTime::Part part) {
  clocks_[part] += silence_;
  silence_ = 0;
}

// A frame of the machine's own after such a silence, without an interrupt of the adapter, is a retransmission.
void FrameTimer::begins(const net::Medium&, std::string_view sender, Time) {
  settle();
  const bool own = ports_.contains(sender);
  const bool repeated = own && machine().cpu().config().clock.at(silence_) >= retransmission;
  give_silence(own && !repeated ? FrameTime::card : FrameTime::idle);
  ++signals_;
  gap_.cancel();
}

void FrameTimer::observe(const net::WireRecord& record) {
  settle();
  occupied_until_ = std::max(occupied_until_, record.end + record.medium.gap());
  if (signals_ > 0 && --signals_ == 0) gap_.at(occupied_until_);
  if (!record.good() || !ports_.contains(record.sender)) return;
  const auto bytes = static_cast<std::uint32_t>(record.bytes.size());
  auto place = std::ranges::lower_bound(frames_, bytes, {}, &Frames::bytes);
  if (place == frames_.end() || place->bytes != bytes) place = frames_.insert(place, {.bytes = bytes, .marks = {}});
  place->add(record.end, clocks_);
  if (frames_.size() > most_lengths) frames_.erase(frames_.begin());
}

void FrameTimer::Frames::add(Time at, const Clocks& clocks) {
  const std::uint64_t number = count++;
  if (number % stride != 0) return;
  if (marks.size() == most_marks) {
    stride *= 2;
    std::erase_if(marks, [&](const Mark& m) { return m.number % stride != 0; });
    if (number % stride != 0) return;
  }
  marks.push_back({at, number, clocks});
}

// The event has just fired and is no longer pending: the clocks up to here still belong to the gap.
void FrameTimer::gap_over(Time) {
  ++signals_;
  settle();
  --signals_;
}

void FrameTimer::row_ended(std::uint32_t packet_bytes, const Measured& row) {
  std::optional<FrameTime> result;
  std::uint64_t sent_once = 0;  // bytes in frames of the lengths of which the row had only one
  for (auto longest = frames_.rbegin(); longest != frames_.rend(); ++longest) {
    Frames& frames = *longest;
    const auto first = std::ranges::lower_bound(frames.marks, row.from, {}, &Mark::at);
    const auto end = std::ranges::upper_bound(first, frames.marks.end(), row.to, {}, &Mark::at);
    if (!result && end - first == 1) sent_once += frames.bytes;
    if (!result && end - first >= 2) {
      const Mark& last = *std::prev(end);
      result = FrameTime{packet_bytes, frames.bytes, last.number - first->number, {}};
      for (unsigned p = 0; p < FrameTime::parts; ++p) result->clocks[p] = last.clocks[p] - first->clocks[p];
    }
    frames.marks.erase(frames.marks.begin(), end);
  }
  // Otherwise the data were in the longer ones, and these are acknowledgements.
  if (result && (result->frames + 1) * result->frame_bytes > sent_once) rows_.push_back(*result);
  std::erase_if(frames_, [](const Frames& frames) { return frames.marks.empty(); });
}

void FrameTimer::archive(Archive& a) {
  a.section("frame timer", 3);
  if (!a.loading()) settle();
  a(clocks_, silence_, signals_, occupied_until_, frames_, rows_);
  gap_.archive(a);
  machine().cpu().archive_account(a);
  if (a.loading()) {
    for (Frames& frames : frames_) frames.stride = std::max<std::uint64_t>(frames.stride, 1);
    last_ = machine().cpu().account();
  }
}

}  // namespace planar
