// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/counter.hpp"

#include <array>

namespace planar::net {
namespace {

constexpr std::array<ServicePort, 1> counter_ports{{{Transport::udp, counter_port}}};

}  // namespace

std::span<const ServicePort> CounterService::ports() const { return counter_ports; }

std::optional<Bytes> CounterService::datagram(const DatagramSender&, std::uint16_t, ByteView data, Time now) {
  if (data.size() < 8) return std::nullopt;
  const std::uint32_t first = get32(data, 0);
  if (first == counter_magic) {
    count_ = {};
    count_.run = get32(data, 4);
    return Bytes(data.begin(), data.end());
  }
  if (first != count_.run) {
    count_ = {};
    count_.run = first;
  }
  if (count_.frames++ == 0) count_.first = now;
  count_.last = now;
  count_.bytes += data.size();
  return std::nullopt;
}

void CounterService::archive_used(Archive& a) {
  a.section("counter", 1);
  count_.archive(a);
}

}  // namespace planar::net
