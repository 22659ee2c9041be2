// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/test_meter.hpp"

#include <algorithm>
#include <iterator>

#include "devices/stations/packet.hpp"
#include "frontend/meters/adapter_ports.hpp"
#include "frontend/meters/ip_frames.hpp"

namespace planar {
namespace {

constexpr std::size_t most_test_marks = 1 << 14;
constexpr unsigned udp = 17;

}  // namespace

double TestMeter::Span::busy_percent() const {
  return clocks ? 100.0 * static_cast<double>(clocks - halted) / static_cast<double>(clocks) : 0;
}

TestMeter::TestMeter(Lab& lab, std::size_t machine)
    : lab_(lab), number_(machine), watch_(AdapterPorts(lab, machine).used_media(), *this) {}

/// Bytes of UDP data in a frame.
std::size_t TestMeter::datagram_bytes(const net::WireRecord& record) {
  const auto start = ip_datagram_at(record);
  if (!record.good() || !start || record.bytes.size() < *start + 28) return 0;
  const auto ip = record.bytes.subspan(*start);
  const std::size_t header = std::size_t{ip[0] & 0x0Fu} * 4, total = net::get16(ip, 2);
  if (header < 20 || total < header + 8 || ip[9] != udp) return 0;
  const bool first = (net::get16(ip, 6) & 0x1FFF) == 0;  // only this fragment has the UDP header
  return total - header - (first ? 8 : 0);
}

void TestMeter::observe(const net::WireRecord& record) {
  datagram_bytes_ += datagram_bytes(record);
  if (frames_++ % stride_ != 0) return;
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

void TestMeter::test_ended(const Measured& test) {
  if (marks_.empty()) return;
  const Mark first = at(test.from), last = at(test.to);
  tests_.push_back(
      {last.clocks - first.clocks, last.halted - first.halted, last.datagram_bytes - first.datagram_bytes});
  // The next test's first frames may have been sent. They are interpolated from the last one before.
  const auto later =
      std::upper_bound(marks_.begin(), marks_.end(), test.to, [](Time t, const Mark& mark) { return t < mark.at; });
  if (later != marks_.begin()) marks_.erase(marks_.begin(), std::prev(later));
  frames_ = 0;
  stride_ = 1;
}

void TestMeter::archive(Archive& a) {
  a.section("test meter", 2);
  a(datagram_bytes_, frames_, stride_, marks_, tests_);
  if (a.loading()) stride_ = std::max<std::uint64_t>(stride_, 1);
}

}  // namespace planar
