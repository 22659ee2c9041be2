// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/netio_protocol.hpp"

#include <algorithm>

namespace planar::net {
namespace {
constexpr std::uint32_t command_client_sends = 1, command_server_sends = 2;
constexpr std::array<ServicePort, 1> netio_ports{{{Transport::tcp, netio_port}}};
}  // namespace

void NetioSession::record(Time now) {
  const std::uint32_t command = get32(control_, 0), size = get32(control_, 4);
  control_bytes_ = 0;
  in_block_ = 0;
  const bool measure =
      (command == command_client_sends || command == command_server_sends) && size > 0 && size <= netio_longest_block;
  if (!measure) {
    if (generation_ == Generation::second) {
      phase_ = Phase::over;  // QUIT, or out of sync
      return;
    }
    generation_ = Generation::first;
    phase_ = Phase::discard;
    received_ += control_.size();
    return;
  }
  generation_ = Generation::second;
  block_ = size;
  phase_ = command == command_client_sends ? Phase::blocks_in : Phase::blocks_out;
  if (phase_ != Phase::blocks_out) return;
  until_ = now + duration_;
  begin_block(now);
}

void NetioSession::receive(ByteView data, Time now) {
  while (!data.empty()) {
    std::size_t used = data.size();
    switch (phase_) {
      case Phase::discard: received_ += used; break;
      case Phase::over: break;
      case Phase::control:
      case Phase::blocks_out:  // the next record may come early; it waits for the last block
        used = std::min<std::size_t>(used, control_.size() - control_bytes_);
        if (used == 0) {  // no client sends so far ahead
          phase_ = Phase::over;
          return;
        }
        std::copy_n(data.begin(), used, control_.begin() + control_bytes_);
        control_bytes_ += static_cast<std::uint32_t>(used);
        if (phase_ == Phase::control && control_bytes_ == control_.size()) record(now);
        break;
      case Phase::blocks_in:
        if (in_block_ == 0) last_ = data[0] != 0;
        used = std::min<std::size_t>(used, block_ - in_block_);
        in_block_ += static_cast<std::uint32_t>(used);
        received_ += used;
        if (in_block_ < block_) break;
        in_block_ = 0;
        if (last_) phase_ = Phase::control;
        break;
    }
    data = data.subspan(used);
  }
}

void NetioSession::begin_block(Time now) {
  in_block_ = 0;
  last_ = now >= until_;
}

std::size_t NetioSession::to_send(std::size_t at_most, Time now) {
  if (phase_ != Phase::blocks_out) return 0;
  if (in_block_ == block_) {
    if (last_) {
      phase_ = Phase::control;
      if (control_bytes_ == control_.size()) record(now);
      return to_send(at_most, now);
    }
    begin_block(now);
  }
  return std::min<std::size_t>(at_most, block_ - in_block_);
}

void NetioSession::take(std::span<std::uint8_t> data) {
  for (std::uint8_t& byte : data)  // only the first byte of a block matters
    byte = in_block_++ == 0 ? last_ : static_cast<std::uint8_t>(in_block_ * 0x9D >> 3);
  sent_ += data.size();
}

void NetioSession::archive(Archive& a) {
  a.section("netio service", 1);
  a(duration_, phase_, generation_, control_bytes_, block_, in_block_, last_, until_, received_, sent_);
  a.bytes(control_);
  if (!a.loading()) return;  // a damaged snapshot
  control_bytes_ = std::min<std::uint32_t>(control_bytes_, static_cast<std::uint32_t>(control_.size()));
  block_ = std::min(block_, netio_longest_block);
  in_block_ = std::min(in_block_, block_);
  if (block_ == 0 && (phase_ == Phase::blocks_in || phase_ == Phase::blocks_out)) phase_ = Phase::over;
}

std::span<const ServicePort> NetioService::ports() const { return netio_ports; }
std::unique_ptr<ServiceConnection> NetioService::accept(std::uint16_t) {
  return std::make_unique<NetioSession>(duration_);
}

}  // namespace planar::net
