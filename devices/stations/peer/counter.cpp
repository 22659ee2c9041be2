// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/counter.hpp"

#include <algorithm>
#include <array>

namespace planar::net {
namespace {

constexpr std::array<ServicePort, 1> counter_ports{{{Transport::udp, counter_port}}};

}  // namespace

std::span<const ServicePort> CounterService::ports() const { return counter_ports; }

CounterService::Count CounterService::count(std::uint32_t run) const {
  const auto at = std::find_if(counts_.begin(), counts_.end(), [&](const Count& c) { return c.run == run; });
  return at == counts_.end() ? Count{} : *at;
}

CounterService::Count& CounterService::counted(std::uint32_t run) {
  const auto at = std::find_if(counts_.begin(), counts_.end(), [&](const Count& c) { return c.run == run; });
  if (at != counts_.end()) return *at;
  std::rotate(counts_.begin(), counts_.end() - 1, counts_.end());
  counts_[0] = {};
  counts_[0].run = run;
  return counts_[0];
}

std::optional<Bytes> CounterService::datagram(const DatagramSender&, std::uint16_t, ByteView data, Time now) {
  if (data.size() < 8) return std::nullopt;
  const std::uint32_t first = get32(data, 0);
  if (first == counter_magic) {
    const std::uint32_t run = get32(data, 4);
    if (run == 0) return std::nullopt;
    Count& c = counted(run);
    c = {};
    c.run = run;
    return Bytes(data.begin(), data.end());
  }
  if (first == 0) return std::nullopt;
  Count& c = counted(first);
  if (c.frames++ == 0) c.first = now;
  c.last = now;
  c.bytes += data.size();
  return std::nullopt;
}

void CounterService::archive_used(Archive& a) {
  a.section("counter", 1);
  for (Count& c : counts_) c.archive(a);
}

}  // namespace planar::net
