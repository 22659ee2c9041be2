// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: its own registers, soft reset.
#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {

using streamer::lower;
using streamer::upper;

LanStreamer::LanStreamer(Scheduler& scheduler, const std::string& name, BusMasterHost& host,
                         const LanStreamerConfig& config, const net::MacAddress& node, std::uint64_t seed)
    : ChipSet(host, {config.receive_fifo, config.burst, net::ring_header_bytes, TransmitFrame::longest, least_buffer},
              LAP_ACC_ERR | SRB_REPLY | ASB_FREE | ARB_CMD | TRB_REPLY, TX1_DIS | TX2_DIS | RX_DIS, config.self_test,
              self_test_, more_),
      config_(config),
      node_(node),
      address_(node),
      port_(scheduler, name, *this, seed),
      self_test_(scheduler, name + ".self_test", Priority::device, Callback::to<&LanStreamer::self_tested>(this)),
      firmware_(scheduler, name + ".firmware", Priority::device, Callback::to<&LanStreamer::serve>(this)),
      room_(scheduler, name + ".room", Priority::device, Callback::to<&LanStreamer::pump>(this)),
      more_(scheduler, name + ".more", Priority::device, Callback::to<&LanStreamer::more_arrived>(this)) {}

void LanStreamer::configure(std::uint16_t gpr, bool inhibit_early_release) {
  board_gpr_ = gpr;
  board_inhibits_etr_ = inhibit_early_release;
}

// ---- reading ----

/// Two bytes of local memory in address order, as LAPD returns them. Values that the ring maintains are taken from it.
std::uint16_t LanStreamer::local(std::uint16_t at) const {
  const auto byte = [this](std::uint16_t a) -> unsigned {
    if (a >= LocalMemory::size) return 0xFF;
    const unsigned n = a - unsigned{LocalMemory::neighbour};
    if (n < 6 && ring_ == Ring::open)
      if (const auto neighbour = port_.upstream_neighbour()) return (*neighbour)[n];
    return memory_[a];
  };
  return static_cast<std::uint16_t>(byte(at) | byte(static_cast<std::uint16_t>(at + 1)) << 8);
}

std::uint16_t LanStreamer::peek_own(std::uint32_t offset) const {
  const auto half = [offset](std::uint32_t value) { return offset & 2 ? upper(value) : lower(value); };
  switch (offset) {
    case GPR: return gpr_;
    case LAPE: return lape_;
    case LAPCTL: return lapctl_;
    case LAPWWO: return LocalMemory::srb;
    case LAPWWC: return LocalMemory::writable_end;
    default: break;
  }
  switch (offset & ~2u) {
    case RXSTAT: return half(rx_status_);
    case RXDBA: return half(receive_.address());
    case TX1LFDA: return half(channels_[0].last);
    case TX1FDA: return half(channels_[0].next);
    case TX1STAT: return half(tx_statuses_[0]);
    case TX2LFDA: return half(channels_[1].last);
    case TX2FDA: return half(channels_[1].next);
    case TX2STAT: return half(tx_statuses_[1]);
    case TX1DBA:
    case TX2DBA: {
      const unsigned channel = (offset & ~2u) == TX2DBA;
      for (const auto& f : {wire_, next_})
        if (f && f->channel == channel && f->fetched < f->length) return half(f->source());
      return 0;
    }
    default: return 0xFFFF;
  }
}

void LanStreamer::local_read(Time now) {
  if (lapa_ >= LocalMemory::size - 1) raise_system(LAP_ACC_ERR, now);
}

// ---- writing ----

void LanStreamer::put_local(std::uint16_t at, std::uint16_t value, Time now) {
  const auto next = static_cast<std::uint16_t>(at + 1);
  if (!memory_.writable(at) || !memory_.writable(next)) {
    raise_system(LAP_ACC_ERR, now);
    return;
  }
  memory_[at] = static_cast<std::uint8_t>(value);
  memory_[next] = static_cast<std::uint8_t>(value >> 8);
}

void LanStreamer::written(std::uint32_t offset, std::uint16_t value, Time now) {
  switch (offset) {
    case LISR:
    case LISR_SUM: ring_doorbell(value, now); break;
    case GPR: gpr_ = value; break;
    case LAPE: lape_ = value; break;
    case LAPCTL: lapctl_ = value; break;
    case TX1LFDA:
    case TX1LFDA + 2:
    case TX2LFDA:
    case TX2LFDA + 2: {
      const unsigned channel = (offset & ~2u) == TX2LFDA;
      if (const auto address = whole_address(channel + 1, offset, value)) {
        if (open() && !(disabled_ & (channel ? TX2_DIS : TX1_DIS))) channels_[channel].ring(*address);
        pump(now);
      }
      break;
    }
    default: break;
  }
}

void LanStreamer::reset(Time now) {
  firmware_.cancel();
  close(now);
  reset_registers();
  lape_ = lapctl_ = rung_ = 0;
  gpr_ = board_gpr_;
  rx_status_ = 0;
  tx_statuses_ = {};
  memory_.clear();
  update_interrupt(now);
}

}  // namespace planar::tokenring
