// SPDX-License-Identifier: GPL-2.0-or-later
// The two simplest services, over TCP and UDP: echo (port 7, RFC 862) returns what it receives, discard (port 9, RFC
// 863) drops it.
#pragma once

#include <deque>

#include "devices/stations/peer/service.hpp"

namespace planar::net {

inline constexpr std::uint16_t echo_port = 7, discard_port = 9;

class EchoService final : public Service {
 public:
  std::string_view name() const override { return "echo"; }
  std::span<const ServicePort> ports() const override;
  std::unique_ptr<ServiceConnection> accept(std::uint16_t port) override;
  std::optional<Bytes> datagram(const DatagramSender& from, std::uint16_t port, ByteView data, Time now) override;
};

class DiscardService final : public Service {
 public:
  std::string_view name() const override { return "discard"; }
  std::span<const ServicePort> ports() const override;
  std::unique_ptr<ServiceConnection> accept(std::uint16_t port) override;
};

}  // namespace planar::net
