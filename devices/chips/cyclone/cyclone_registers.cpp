// SPDX-License-Identifier: GPL-2.0-or-later
// Cyclone: windows and fixed registers, description.
#include <algorithm>
#include <array>

#include "devices/chips/cyclone/cyclone.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

constexpr unsigned last_window_register = 0x0D;
constexpr std::uint16_t asic_revision = 3 << 1;  // with a hash filter of 256 bits
// Bits that software may write.
constexpr std::uint16_t network_writable =
    Cyclone::ExternalLoopback | Cyclone::InternalLoopback | Cyclone::UpperBytesEnable;
constexpr std::uint16_t media_writable =
    Cyclone::LinkBeatEnable | Cyclone::JabberGuardEnable | Cyclone::EnableSqeStats | Cyclone::CrcStripDisable;
constexpr std::uint16_t mac_writable = 0x03FF, reset_writable = 0x04F8;
constexpr std::uint32_t config_writable = 0x03F0C1CF;
constexpr std::uint32_t dma_writable = Cyclone::UpRxEarlyEnable | Cyclone::CounterSpeed | Cyclone::CountdownMode |
                                       Cyclone::UpAltSeqDisable | Cyclone::DefeatMwi | Cyclone::DefeatMrl |
                                       Cyclone::UpOverDiscDisable;

constexpr std::uint16_t low(std::uint32_t v) { return static_cast<std::uint16_t>(v); }
constexpr std::uint16_t high(std::uint32_t v) { return static_cast<std::uint16_t>(v >> 16); }
constexpr std::uint16_t pair(std::uint8_t first, std::uint8_t second) {
  return static_cast<std::uint16_t>(first | second << 8);
}

}  // namespace

// ---- reading ----

std::uint32_t Cyclone::read(std::uint32_t offset, unsigned bytes, Time now) {
  sync_receive(now);
  const std::uint32_t value = peek(offset, bytes);
  for (unsigned n = 0; n < bytes; ++n) read_effects((offset + n) & 127, now);
  return value;
}

void Cyclone::read_effects(unsigned reg, Time now) {
  if (reg == 0x1E) {
    acknowledge_all(now);
  } else if (window_ == 6 && reg <= last_window_register) {
    statistics_read(reg);
    update(now);
  } else if (window_ == 4 && reg == 0x0D) {
    upper_bytes_ = 0;
  }
}

std::uint32_t Cyclone::peek(std::uint32_t offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned n = 0; n < bytes; ++n) {
    const unsigned at = (offset + n) & 127;
    value |= std::uint32_t{static_cast<std::uint8_t>(peek_word(at & ~1u) >> (at & 1 ? 8 : 0))} << (8 * n);
  }
  return value;
}

std::uint16_t Cyclone::peek_word(unsigned reg) const {
  if (reg <= last_window_register) return peek_window(reg);
  const TxStatusEntry top = tx_status_.empty() ? TxStatusEntry{} : tx_status_.front();
  const Time now = scheduler_.now();
  switch (reg) {
    case 0x0E:
    case 0x1E: return int_status();
    case 0x18: return top.packet_id;
    case 0x1A: {
      const auto ticks = std::clamp<std::int64_t>((now - latched_at_) / 3'200_ns, 0, 0xFF);
      return pair(static_cast<std::uint8_t>(ticks), top.status);
    }
    case 0x20: return low(dma_control());
    case 0x22: return high(dma_control());
    case 0x24: return low(dn_list_ptr_);
    case 0x26: return high(dn_list_ptr_);
    case 0x2A: return dn_burst_thresh_;
    case 0x2C: return pair(dn_priority_thresh_, dn_poll_interval_);
    case 0x30: return low(up_packet_status());
    case 0x32: return high(up_packet_status());
    case 0x34: return static_cast<std::uint16_t>((now - Time{}) / timer_tick());
    case 0x36: return static_cast<std::uint16_t>(countdown_.pending() ? (countdown_.when() - now) / timer_tick() : 0);
    case 0x38: return low(up_list_ptr_);
    case 0x3A: return high(up_list_ptr_);
    case 0x3C: return pair(up_priority_thresh_, up_poll_interval_);
    case 0x3E: return up_burst_thresh_;
    case 0x78: return dn_max_burst_;
    case 0x7A: return up_max_burst_;
    default: return 0;
  }
}

std::uint16_t Cyclone::peek_window(unsigned reg) const {
  switch (window_) {
    case 0:
      if (reg == 0x08) return 0xFF;  // BiosRomData: no ROM
      return reg == 0x0A ? eeprom_.command() : reg == 0x0C ? eeprom_.data() : std::uint16_t{0};
    case 2:
      if (reg == 0x0C) return reset_options_;
      return reg < 6 ? pair(station_address_[reg], station_address_[reg + 1])
                     : pair(station_mask_[reg - 6], station_mask_[reg - 5]);
    case 3:
      switch (reg) {
        case 0x00: return low(internal_config_);
        case 0x02: return high(internal_config_);
        case 0x04: return static_cast<std::uint16_t>(longest_frame_ - net::fcs_bytes);
        case 0x06: return mac_control_;
        case 0x08: return eeprom_.word(media_options_word);
        case 0x0A: return static_cast<std::uint16_t>(rx_free());
        default: return static_cast<std::uint16_t>(tx_free(scheduler_.now()));
      }
    case 4: return peek_diagnostics(reg);
    case 5:
      switch (reg) {
        case 0x00: return tx_start_thresh_;
        case 0x06: return rx_early_thresh_;
        case 0x08: return pair(rx_filter_, tx_reclaim_thresh_);
        case 0x0A: return interrupt_enable_;
        case 0x0C: return indication_enable_;
        default: return 0;
      }
    case 6: return pair(statistics_byte(reg), statistics_byte(reg + 1));
    default: return 0;
  }
}

std::uint16_t Cyclone::peek_diagnostics(unsigned reg) const {
  std::uint16_t v = 0;
  const auto flag = [&v](bool on, std::uint16_t bits) {
    if (on) v |= bits;
  };
  switch (reg) {
    case 0x04:
      flag(storing_, RxReceiving);
      flag(rx_free() == 0, RxOverrunDiag);
      break;
    case 0x06:
      v = network_diagnostic_ | asic_revision;
      flag(tx_enabled_, TxEnabled);
      flag(rx_enabled_, RxEnabled);
      flag(port_.transmitting() || loop_end_.pending(), TxTransmitting);
      flag(tx_fatal_, TxFatalError);
      flag(statistics_enabled_, StatisticsEnabled);
      break;
    case 0x08:
      v = physical_mgmt_;
      flag(mdio_.data_in(), MgmtData);
      break;
    case 0x0A:
      v = media_status_ | AuiDisable;
      flag(sending_, TxInProg);
      flag(phy_.link(), LinkDetect);
      flag(phy_.link() && phy_.mbit() == 100, DataRate100);
      flag(phy_.connected() && (port_.carrier() || port_.transmitting()), CarrierSense);
      break;
    case 0x0C: v = pair(0, upper_bytes_); break;  // BadSSD never counts
    default: break;
  }
  return v;
}

std::uint32_t Cyclone::dma_control() const {
  const bool stalled = dn_stall_ && !dn_dma_.busy();
  return dma_ctrl_ | (dn_.step != Step::idle && dn_.header & DnIndicate ? DnCmplReq : 0u) | (stalled ? DnStalled : 0u) |
         (up_complete_ ? UpCompleteDma : 0u) | (dn_complete_ ? DnCompleteDma : 0u) |
         (countdown_.pending() ? ArmCountdown : 0u) | (dn_list_ptr_ != 0 && !stalled ? DnInProg : 0u) |
         (host_error_ ? MasterAbort : 0u);
}

/// Bytes uploaded of the frame in progress, or the status of the last one.
std::uint32_t Cyclone::up_packet_status() const {
  const bool stalled = up_full_ || (up_stall_ && !up_dma_.busy());
  const bool works = up_at_work() && !rx_fifo_.empty();
  return (works ? rx_fifo_.front().taken : up_status_) | (stalled ? UpStalled : 0u);
}

// ---- writing ----

/// 32-bit registers: all byte lanes of an access arrive together.
bool Cyclone::pair_register(unsigned reg) const {
  return reg == 0x20 || reg == 0x24 || reg == 0x38 || (reg == 0x00 && window_ == 3);
}

void Cyclone::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  sync_receive(now);
  offset &= 127;
  const unsigned shift = 8 * (offset & 3);
  if (const unsigned reg = offset & ~3u; pair_register(reg)) {
    const std::uint32_t lanes = (bytes >= 4 ? ~0u : (1u << (8 * bytes)) - 1) << shift;
    write_pair(reg, (peek(reg, 4) & ~lanes) | (value << shift & lanes), now);
  } else {
    for (unsigned n = 0; n < bytes; ++n) {
      const unsigned at = (offset + n) & 127;
      if (!(at & 1) && n + 1 < bytes) {
        write_word(at, static_cast<std::uint16_t>(value >> (8 * n)), now);
        ++n;
      } else {
        write_byte(at, static_cast<std::uint8_t>(value >> (8 * n)), now);
      }
    }
  }
  update(now);
}

void Cyclone::write_pair(unsigned reg, std::uint32_t value, Time now) {
  switch (reg) {
    case 0x20:
      dma_ctrl_ = value & dma_writable;
      listen(now);
      break;
    case 0x24:
      if (dn_list_ptr_ != 0 && !dn_stall_) return;  // in use by the engine
      dn_list_ptr_ = value & ~7u;
      if (dn_.step == Step::poll) {
        dn_poll_.cancel();
        dn_.step = Step::idle;
      }
      dn_run(now);
      break;
    case 0x38:
      up_list_ptr_ = value & ~7u;
      up_full_ = false;
      up_poll_.cancel();
      up_run(now);
      break;
    default: internal_config_ = value & config_writable; break;
  }
}

void Cyclone::write_word(unsigned reg, std::uint16_t value, Time now) {
  if (reg == 0x0E) {
    command(value, now);
  } else if (reg <= last_window_register) {
    write_window(reg, value, now);
  } else if (reg == 0x36) {
    write_countdown(value, now);
  } else {
    write_byte(reg, static_cast<std::uint8_t>(value), now);
    write_byte(reg + 1, static_cast<std::uint8_t>(value >> 8), now);
  }
}

// Half of a word register: the other half keeps its value; Command takes effect when its upper half is written.
void Cyclone::write_byte(unsigned reg, std::uint8_t value, Time now) {
  if (reg <= last_window_register) {
    const std::uint16_t old = peek_window(reg & ~1u);
    const auto merged = reg & 1 ? (old & 0x00FF) | value << 8 : (old & 0xFF00) | value;
    write_window(reg & ~1u, static_cast<std::uint16_t>(merged), now);
    return;
  }
  switch (reg) {
    case 0x0E: command_low_ = value; break;
    case 0x0F: command(static_cast<std::uint16_t>(value << 8 | command_low_), now); break;
    case 0x1B:
      if (!tx_status_.empty()) tx_status_.pop_front();
      break;
    case 0x2A:
      dn_burst_thresh_ = value & 0x1F;
      dn_run(now);
      break;
    case 0x2C: dn_priority_thresh_ = value & 0x3F; break;
    case 0x2D: dn_poll_interval_ = value & 0x7F; break;
    case 0x3C: up_priority_thresh_ = value & 0x1F; break;
    case 0x3D: up_poll_interval_ = value & 0x7F; break;
    case 0x3E:
      up_burst_thresh_ = value & 0x1F;
      up_run(now);
      break;
    default: break;
  }
}

void Cyclone::write_window(unsigned reg, std::uint16_t value, Time now) {
  const auto first = static_cast<std::uint8_t>(value), second = static_cast<std::uint8_t>(value >> 8);
  if (window_ == 0) {
    if (reg == 0x0A) eeprom_.command(value, now);
    if (reg == 0x0C) eeprom_.set_data(value);
  } else if (window_ == 2) {
    if (reg == 0x0C) {
      reset_options_ = value & reset_writable;
    } else {
      auto& address = reg < 6 ? station_address_ : station_mask_;
      address[reg % 6] = first;
      address[reg % 6 + 1] = second;
    }
  } else if (window_ == 3) {
    // Linux's 3c59x.c (set_8021q_mode) writes the MTU and the header, with 802.1Q also the tag, and has no other limit.
    if (reg == 0x04) longest_frame_ = static_cast<std::uint16_t>((value & 0x1FFF) + net::fcs_bytes);
    if (reg == 0x06) mac_control_ = value & mac_writable;
  } else if (window_ == 4) {
    if (reg == 0x06) network_diagnostic_ = value & network_writable;
    if (reg == 0x08) write_physical_management(value, now);
    if (reg == 0x0A) media_status_ = value & media_writable;
  }
}

void Cyclone::write_physical_management(std::uint16_t value, Time now) {
  physical_mgmt_ = value & (MgmtClk | MgmtDir);
  mdio_.pins(value & MgmtClk, value & MgmtData, value & MgmtDir, now);
}

// ---- names and description ----

std::string_view Cyclone::register_name(std::uint32_t offset, Direction direction) const {
  using Window = std::array<std::string_view, 7>;  // by word
  constexpr std::array<Window, 8> windows{{
      {"", "", "BiosRomAddr", "BiosRomAddr", "BiosRomData", "EepromCommand", "EepromData"},
      {},
      {"StationAddress 0", "StationAddress 2", "StationAddress 4", "StationMask 0", "StationMask 2", "StationMask 4",
       "ResetOptions"},
      {"InternalConfig", "InternalConfig", "MaxPktSize", "MacControl", "MediaOptions", "RxFree", "TxFree"},
      {"", "", "FifoDiagnostic", "NetworkDiagnostic", "PhysicalMgmt", "MediaStatus", "BadSSD"},
      {"TxStartThresh", "", "", "RxEarlyThresh", "RxFilter", "InterruptEnable", "IndicationEnable"},
      {"Statistics 0", "Statistics 2", "Statistics 4", "FramesXmittedOk", "Statistics 8", "BytesRcvdOk",
       "BytesXmittedOk"},
      {},
  }};
  if (offset <= last_window_register) return windows[window_ & 7][offset / 2];
  switch (offset & ~1u) {
    case 0x0E: return direction == Direction::read ? "IntStatus" : "Command";
    case 0x18: return "TxPktId";
    case 0x1A: return offset & 1 ? "TxStatus" : "Timer";
    case 0x1E: return "IntStatusAuto";
    case 0x20:
    case 0x22: return "DmaCtrl";
    case 0x24:
    case 0x26: return "DnListPtr";
    case 0x2A: return "DnBurstThresh";
    case 0x2C: return offset & 1 ? "DnPoll" : "DnPriorityThresh";
    case 0x30:
    case 0x32: return "UpPktStatus";
    case 0x34: return "FreeTimer";
    case 0x36: return "Countdown";
    case 0x38:
    case 0x3A: return "UpListPtr";
    case 0x3C: return offset & 1 ? "UpPoll" : "UpPriorityThresh";
    case 0x3E: return "UpBurstThresh";
    case 0x78: return "DnMaxBurst";
    case 0x7A: return "UpMaxBurst";
    default: return "";
  }
}

void Cyclone::describe(Description& d) const {
  d.reg("IntStatus", int_status(), 16).number("window", window_).flag("INTA#", interrupt_);
  d.reg("InterruptEnable", interrupt_enable_, 16).reg("IndicationEnable", indication_enable_, 16);
  d.reg("InternalConfig", internal_config_, 32).reg("MacControl", mac_control_, 16).reg("RxFilter", rx_filter_, 8);
  d.reg("NetworkDiagnostic", peek_diagnostics(0x06), 16).reg("MediaStatus", peek_diagnostics(0x0A), 16);
  d.reg("StationAddress", big_endian(station_address_), 48).reg("DmaCtrl", dma_control(), 32);
  d.reg("EepromCommand", eeprom_.command(), 16).reg("EepromData", eeprom_.data(), 16);
  describe_engines(d);
  Description& transmit = d.part("transmit FIFO");
  transmit.flag("enabled", tx_enabled_).number("TxStartThresh", tx_start_thresh_).number("packets", tx_fifo_.size());
  transmit.reg("TxStatus", tx_status_.empty() ? 0u : tx_status_.front().status, 8)
      .number("statuses", tx_status_.size());
  transmit.level("bytes held", timing_.transmit_fifo - tx_free(scheduler_.now()));
  transmit.activity("state", sending_ ? port_activity(port_) : "idle").number("collisions", port_.collisions());
  Description& receive = d.part("receive FIFO");
  receive.flag("enabled", rx_enabled_).number("RxEarlyThresh", rx_early_thresh_).number("packets", rx_fifo_.size());
  receive.level("bytes held", rx_used_).activity("arriving frame", storing_ ? "stored" : "none");
  constexpr std::array names{"CarrierLost",    "SqeErrors",   "MultipleCollisions", "SingleCollisions",
                             "LateCollisions", "RxOverruns",  "FramesXmittedOk",    "FramesRcvdOk",
                             "FramesDeferred", "BytesRcvdOk", "BytesXmittedOk"};
  static_assert(names.size() == statistics);
  Description& counted = d.part("statistics");
  counted.flag("enabled", statistics_enabled_);
  for (unsigned n = 0; n < statistics; ++n) counted.number(names[n], statistics_[n]);
  phy_.describe(d.part("PHY"), scheduler_.now());
  mdio_.describe(d.part("MII management"));
}

void Cyclone::describe_engines(Description& d) const {
  const auto state = [](const ListEntry& e, bool stalled, bool has) -> const char* {
    if (stalled) return "stalled";
    switch (e.step) {
      case Step::idle: return has ? "waits" : "idle";
      case Step::data: return "moves data";
      case Step::skip: return "skips data";
      case Step::poll: return "polls";
      default: return "reads or writes its list";
    }
  };
  Description& download = d.part("download");
  download.reg("DnListPtr", dn_list_ptr_, 32).activity("state", state(dn_, dn_stall_, dn_list_ptr_ != 0));
  download.reg("FrameStartHeader", dn_.header, 32).number("fragment", dn_.fragment).number("bytes left", dn_.left);
  Description& upload = d.part("upload");
  upload.reg("UpListPtr", up_list_ptr_, 32).activity("state", state(up_, up_stall_ || up_full_, up_list_ptr_ != 0));
  upload.reg("UpPktStatus", up_packet_status(), 32).number("fragment", up_.fragment).number("bytes left", up_.left);
  engines_.describe(d);
}

}  // namespace planar::ethernet
