// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/frame_time.hpp"

#include <algorithm>
#include <numeric>

namespace planar {
namespace {

constexpr std::size_t most_marks = 1 << 14;

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
      senders_(machine().config().name_prefix() + "slot"),
      media_(lab.media_of(number)),
      last_(machine().cpu().account()),
      gap_(lab.scheduler(), "frame timer.gap", Priority::observer, Callback::to<&FrameTimer::gap_over>(this)) {
  for (net::Medium* medium : media_) medium->add_observer(*this);
  // The first interrupt sources are the slots; planar devices follow.
  machine().interrupts().watch([this, slots = machine().config().slot_widths.size()](unsigned, unsigned source, Time) {
    if (source >= slots) return;
    settle();
    give_silence(FrameTime::card);
  });
}

FrameTimer::~FrameTimer() {
  for (net::Medium* medium : media_) medium->remove_observer(*this);
  machine().interrupts().watch({});
}

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

void FrameTimer::begins(const net::Medium&, std::string_view sender, Time) {
  settle();
  give_silence(of_the_machine(sender) ? FrameTime::card : FrameTime::idle);
  ++signals_;
  gap_.cancel();
}

void FrameTimer::observe(const net::WireRecord& record) {
  settle();
  occupied_until_ = std::max(occupied_until_, record.end + record.medium.gap());
  if (signals_ > 0 && --signals_ == 0) gap_.at(occupied_until_);
  if (!record.good() || !of_the_machine(record.sender)) return;
  if (row_began_ == Time::never()) row_began_ = record.end;
  const auto bytes = static_cast<std::uint32_t>(record.bytes.size());
  if (bytes < longest_) return;
  if (bytes > longest_) {
    longest_ = bytes;
    longest_count_ = 0;
    stride_ = 1;
    marks_.clear();
  }
  const std::uint64_t number = longest_count_++;
  if (number % stride_ != 0) return;
  if (marks_.size() == most_marks) {
    stride_ *= 2;
    std::erase_if(marks_, [&](const Mark& m) { return m.number % stride_ != 0; });
    if (number % stride_ != 0) return;
  }
  marks_.push_back({record.end, number, clocks_});
}

// The event has just fired and is no longer pending: the clocks up to here still belong to the gap.
void FrameTimer::gap_over(Time) {
  ++signals_;
  settle();
  --signals_;
}

void FrameTimer::row_ended(std::uint32_t packet_bytes, std::uint64_t ticks) {
  std::vector<Mark> row;
  row.swap(marks_);
  // A row without a frame never began; `ticks` is an unchecked value from the guest.
  constexpr std::int64_t tick = 1'000'000'000'000 / 1024;
  const auto longest = static_cast<std::uint64_t>((Time::never() - row_began_).ps / tick);
  const Time end = row_began_ + Time{static_cast<std::int64_t>(std::min(ticks, longest)) * tick};
  const std::uint32_t bytes = longest_;
  row_began_ = Time::never();
  longest_ = 0;
  longest_count_ = 0;
  stride_ = 1;
  std::erase_if(row, [&](const Mark& m) { return m.at > end; });
  if (row.size() < 2) return;
  FrameTime result{packet_bytes, bytes, row.back().number - row.front().number, {}};
  for (unsigned p = 0; p < FrameTime::parts; ++p) result.clocks[p] = row.back().clocks[p] - row.front().clocks[p];
  rows_.push_back(result);
}

void FrameTimer::archive(Archive& a) {
  a.section("frame timer", 2);
  if (!a.loading()) settle();
  a(clocks_, silence_, signals_, occupied_until_, row_began_, longest_, longest_count_, stride_, marks_, rows_);
  gap_.archive(a);
  machine().cpu().archive_account(a);
  if (a.loading()) {
    stride_ = std::max<std::uint64_t>(stride_, 1);
    last_ = machine().cpu().account();
  }
}

}  // namespace planar
