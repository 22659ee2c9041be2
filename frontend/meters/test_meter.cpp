// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/test_meter.hpp"

#include <algorithm>
#include <iterator>

#include "devices/stations/packet.hpp"
#include "frontend/meters/ip_frames.hpp"

namespace planar {
namespace {

constexpr std::size_t most_test_marks = 1 << 14;
constexpr unsigned tcp = 6, udp = 17;

}  // namespace

double TestMeter::Span::busy_percent() const {
  return clocks ? 100.0 * static_cast<double>(clocks - halted) / static_cast<double>(clocks) : 0;
}

TestMeter::TestMeter(Lab& lab, std::size_t machine)
    : lab_(lab),
      number_(machine),
      senders_(lab.machine(machine).config().name_prefix() + "slot"),
      media_(lab.media_of(machine)) {
  for (net::Medium* medium : media_) medium->add_observer(*this);
}

TestMeter::~TestMeter() {
  for (net::Medium* medium : media_) medium->remove_observer(*this);
}

bool TestMeter::of_a_test(const net::WireRecord& record) {
  const bool sent = record.sender.starts_with(senders_);
  const auto start = ip_datagram_at(record);
  if (!start || record.bytes.size() < *start + 28) return false;
  const auto ip = record.bytes.subspan(*start);
  const std::size_t header = std::size_t{ip[0] & 0x0Fu} * 4, total = net::get16(ip, 2);
  if (header < 20 || total < header + 8 || ip.size() < header + 8) return false;
  if (ip[9] == udp) {
    const bool first = (net::get16(ip, 6) & 0x1FFF) == 0;  // only this fragment has the UDP header
    if (record.good()) datagram_bytes_ += total - header - (first ? 8 : 0);
    return sent;
  }
  if (!sent || ip[9] != tcp) return false;
  const std::uint32_t port = net::get16(ip, header + 2);
  if (!control_port_) control_port_ = port;
  return port != *control_port_;
}

void TestMeter::observe(const net::WireRecord& record) {
  const bool begins = of_a_test(record) && !began_;
  if (begins) began_ = record.start;
  // A machine that only receives a test's datagrams sends no frame that begins a test, so every frame counts.
  if (frames_++ % stride_ != 0 && !begins) return;
  const auto account = lab_.machine(number_).cpu().account();
  marks_.push_back({record.end, account.clocks, account.halted, datagram_bytes_});
  if (marks_.size() < most_test_marks) return;
  stride_ *= 2;
  for (std::size_t n = 0; 2 * n < marks_.size(); ++n) marks_[n] = marks_[2 * n];
  marks_.resize(marks_.size() / 2);
}

/// Interpolated between two marks; outside the marks, the nearest one.
TestMeter::Mark TestMeter::at(Time time) const {
  const auto later =
      std::upper_bound(marks_.begin(), marks_.end(), time, [](Time t, const Mark& mark) { return t < mark.at; });
  if (later == marks_.begin()) return marks_.front();
  const Mark& before = *std::prev(later);
  if (later == marks_.end()) return before;
  const double share = static_cast<double>((time - before.at).ps) / static_cast<double>((later->at - before.at).ps);
  const auto between = [&](std::uint64_t from, std::uint64_t to) {
    return from + static_cast<std::uint64_t>(share * static_cast<double>(to - from));
  };
  return {time, between(before.clocks, later->clocks), between(before.halted, later->halted),
          between(before.datagram_bytes, later->datagram_bytes)};
}

void TestMeter::test_ended(Time from, Time duration) {
  if (!marks_.empty()) {
    const Time to = from + std::min(duration, std::max(marks_.back().at - from, Time{}));
    const Mark first = at(from), last = at(to);
    if (last.clocks > first.clocks)
      tests_.push_back({from, to, last.clocks - first.clocks, last.halted - first.halted,
                        last.datagram_bytes - first.datagram_bytes});
  }
  began_.reset();
  marks_.clear();
  frames_ = 0;
  stride_ = 1;
}

void TestMeter::archive(Archive& a) {
  a.section("test meter", 1);
  a(control_port_, began_, datagram_bytes_, frames_, stride_, marks_, tests_);
  if (a.loading()) stride_ = std::max<std::uint64_t>(stride_, 1);
}

}  // namespace planar
