// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/echo_discard.hpp"

#include <algorithm>
#include <array>

namespace planar::net {
namespace {

constexpr std::array<ServicePort, 2> echo_ports{{{Transport::tcp, echo_port}, {Transport::udp, echo_port}}};
constexpr std::array<ServicePort, 2> discard_ports{{{Transport::tcp, discard_port}, {Transport::udp, discard_port}}};

/// Bytes that echo holds for a client that does not read its answers: the size of a Linux 2.2 socket's send buffer.
constexpr std::size_t echo_buffer = 65535;

class Echo final : public ServiceConnection {
 public:
  void receive(ByteView data, Time) override { pending_.insert(pending_.end(), data.begin(), data.end()); }
  std::size_t to_send(std::size_t at_most, Time) override { return std::min(at_most, pending_.size()); }
  void take(std::span<std::uint8_t> data) override {
    const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(data.size());
    std::copy(pending_.begin(), end, data.begin());
    pending_.erase(pending_.begin(), end);
  }
  bool reading() const override { return pending_.size() < echo_buffer; }
  bool sends_after_end() const override { return true; }
  void archive(Archive& a) override {
    a.section("echo connection", 1);
    a(pending_);
  }

 private:
  std::deque<std::uint8_t> pending_;
};

class Discard final : public ServiceConnection {
 public:
  void receive(ByteView, Time) override {}
  std::size_t to_send(std::size_t, Time) override { return 0; }
  void take(std::span<std::uint8_t>) override {}
  void archive(Archive& a) override { a.section("discard connection", 1); }
};

}  // namespace

std::span<const ServicePort> EchoService::ports() const { return echo_ports; }
std::unique_ptr<ServiceConnection> EchoService::accept(std::uint16_t) { return std::make_unique<Echo>(); }
std::optional<Bytes> EchoService::datagram(const DatagramSender&, std::uint16_t, ByteView data, Time) {
  return Bytes(data.begin(), data.end());
}

std::span<const ServicePort> DiscardService::ports() const { return discard_ports; }
std::unique_ptr<ServiceConnection> DiscardService::accept(std::uint16_t) { return std::make_unique<Discard>(); }

}  // namespace planar::net
