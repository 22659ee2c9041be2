// SPDX-License-Identifier: GPL-2.0-or-later
// EtherLink III: windows, commands, interrupts, statistics, EEPROM.
#include "devices/chips/etherlink3/etherlink3.hpp"

#include <algorithm>
#include <array>

#include "core/common/error.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

// Bits of Configuration Control, Net Diagnostics and Media Status that software may write.
constexpr std::uint16_t config_writable = EtherLink3::ConfigEnable;
constexpr std::uint16_t net_writable = EtherLink3::ExternalLoopback | EtherLink3::InternalLoopback;
constexpr std::uint16_t media_writable = EtherLink3::LinkBeatEnable | EtherLink3::JabberEnable | EtherLink3::SqeEnable;
constexpr Time timer_tick = 3'200_ns;  // Timer: since the interrupt, up to FFh

std::uint16_t word(const std::uint8_t* bytes) { return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8); }

}  // namespace

EtherLink3::EtherLink3(Scheduler& scheduler, const std::string& name, ChipHost& host, const EtherLink3Timing& timing,
                       const Eeprom& eeprom, std::uint16_t media, std::uint64_t seed)
    : scheduler_(scheduler),
      host_(host),
      timing_(timing),
      media_(media),
      port_(scheduler, name + ".port", *this, seed),
      eeprom_(scheduler, name, eeprom, timing.eeprom_read, timing.eeprom_write),
      transmit_start_(scheduler, name + ".transmit_start", Priority::device,
                      Callback::to<&EtherLink3::transmit_start>(this)),
      starved_(scheduler, name + ".starved", Priority::device, Callback::to<&EtherLink3::starved>(this)),
      loop_end_(scheduler, name + ".loop_end", Priority::device, Callback::to<&EtherLink3::loop_ends>(this)),
      receive_step_(scheduler, name + ".receive_step", Priority::device, Callback::to<&EtherLink3::receive_step>(this)),
      discard_done_(scheduler, name + ".discard", Priority::device, Callback::to<&EtherLink3::update>(this)) {
  // There is no status for a late collision, only a counter: the frame is retried like any other.
  port_.mac().retry_late_collisions = true;
}

void EtherLink3::reset(Time now) {
  tx_reset(now);
  rx_reset();
  window_ = command_low_ = 0;
  interrupt_mask_ = read_zero_mask_ = 0;
  config_control_ = ConfigEnable;
  address_config_ &= 0xC000;
  resource_config_ = 0x0F00;
  net_diagnostics_ = media_status_ = 0;
  address_ = {};
  statistics_ = {};
  statistics_enabled_ = coax_on_ = false;
  latch_ = tx_available_ = rx_early_ = requested_ = false;
  latched_at_ = now;
  eeprom_.reset();
  reset_done_ = now + timing_.global_reset;
  update(now);
}

void EtherLink3::select_transceiver(Transceiver t) {
  address_config_ = static_cast<std::uint16_t>((address_config_ & 0x3FFF) | t << 14);
}

// ---- reading ----

std::uint32_t EtherLink3::read(std::uint32_t offset, unsigned bytes, Time now) {
  offset &= 15;
  sync_receive(now);
  if (window_ == 1 && offset < 4) {
    if (offset & 1) return 0xFF;  // no byte lane of its own: bytes are accepted at +0 or +2
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{rx_read()} << (8 * i);
    update(now);
    return value;
  }
  const std::uint32_t value = peek(offset, bytes);
  if (window_ == 6 && offset < statistics_.size()) {
    for (unsigned i = 0; i < bytes && offset + i < statistics_.size(); ++i) statistics_[offset + i] = 0;
    update(now);
  }
  return value;
}

std::uint32_t EtherLink3::peek(std::uint32_t offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    const std::uint32_t at = (offset + i) & 15;
    std::uint8_t b;
    if (window_ == 1 && at < 4) {
      const bool there = !(offset & 1) && !rx_hidden() && !rx_fifo_.empty();
      const std::size_t k = there ? rx_fifo_.front().read + i : 0;
      b = there && k < rx_fifo_.front().data.size() ? rx_fifo_.front().data[k] : there ? 0x00 : 0xFF;
    } else {
      b = static_cast<std::uint8_t>(peek_word(at & ~1u) >> (at & 1 ? 8 : 0));
    }
    value |= std::uint32_t{b} << (8 * i);
  }
  return value;
}

std::uint16_t EtherLink3::peek_word(unsigned reg) const {
  if (reg == 0x0E) return status();
  switch (window_) {
    case 0: return peek_setup(reg);
    case 1: return peek_operating(reg);
    case 2: return reg < address_.size() ? word(&address_[reg]) : 0;
    case 3: return static_cast<std::uint16_t>(reg == 0x0A ? rx_free() : reg == 0x0C ? tx_free() : 0);
    case 4: return peek_diagnostics(reg);
    case 5: return peek_readback(reg);
    case 6: return reg < statistics_.size() ? word(&statistics_[reg]) : 0;
    default: return 0;
  }
}

std::uint16_t EtherLink3::peek_setup(unsigned reg) const {
  switch (reg) {
    case 0x00: return eeprom_.word(7);
    case 0x02: return eeprom_.word(3);
    case 0x04: return static_cast<std::uint16_t>(config_control_ | media_);
    case 0x06: return address_config_;
    case 0x08: return resource_config_;
    case 0x0A: return eeprom_.command();
    case 0x0C: return eeprom_.data();
    default: return 0;
  }
}

std::uint16_t EtherLink3::peek_operating(unsigned reg) const {
  switch (reg) {
    case 0x08: return rx_status();
    case 0x0A: {
      const auto ticks = std::clamp<std::int64_t>((scheduler_.now() - latched_at_) / timer_tick, 0, 0xFF);
      return static_cast<std::uint16_t>(ticks | (tx_status_.empty() ? 0 : tx_status_.front() << 8));
    }
    case 0x0C: return static_cast<std::uint16_t>(tx_free() & ~3u);
    default: return 0;
  }
}

std::uint16_t EtherLink3::peek_diagnostics(unsigned reg) const {
  std::uint16_t v = 0;
  const auto flag = [&v](bool on, std::uint16_t bits) {
    if (on) v |= bits;
  };
  switch (reg) {
    case 0x04:
      flag(storing_, RxReceiving);
      flag(rx_underrun_, RxUnderrun);
      flag(rx_fifo_.size() >= rx_packets, RxStatusOverrun);
      flag(rx_free() == 0, RxOverrun);
      flag(tx_overrun_, TxOverrun);
      break;
    case 0x06:
      v = net_diagnostics_;
      flag(tx_enabled_, TxEnabled);
      flag(rx_enabled_, RxEnabled);
      flag(port_.transmitting() || loop_end_.pending(), TxTransmitting);
      flag(tx_reset_required_, TxResetRequired);
      flag(statistics_enabled_, StatisticsEnabled);
      break;
    case 0x0A:
      v = media_status_;
      flag(address_config_ >> 14 == TwistedPair, TpEnabled);
      flag(address_config_ >> 14 == Coax && coax_on_, CoaxEnabled);
      flag(address_config_ >> 14 == TwistedPair && media_ & HasTp && media_status_ & LinkBeatEnable && port_.plugged(),
           LinkBeatDetect);
      flag(transceiver_on() && (port_.carrier() || port_.transmitting()), CarrierSense);
      break;
    default: break;
  }
  return v;
}

std::uint16_t EtherLink3::peek_readback(unsigned reg) const {
  switch (reg) {
    case 0x00: return tx_start_threshold_;
    case 0x02: return tx_available_threshold_;
    case 0x06: return rx_early_threshold_;
    case 0x08: return rx_filter_;
    case 0x0A: return interrupt_mask_;
    case 0x0C: return read_zero_mask_;
    default: return 0;
  }
}

bool EtherLink3::in_progress() const { return scheduler_.now() < reset_done_ || rx_hidden(); }

std::uint16_t EtherLink3::status() const {
  return static_cast<std::uint16_t>(window_ << 13 | (in_progress() ? CommandInProgress : 0) |
                                    (causes() & read_zero_mask_) | (latch_ ? InterruptLatch : 0));
}

// ---- writing ----

void EtherLink3::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  offset &= 15;
  sync_receive(now);
  if (window_ == 1 && offset < 4) {
    if (offset & 1) return;
    for (unsigned i = 0; i < bytes; ++i) tx_write(static_cast<std::uint8_t>(value >> (8 * i)), now);
  } else if (bytes == 2 && !(offset & 1)) {
    write_word(offset, static_cast<std::uint16_t>(value), now);
  } else {
    for (unsigned i = 0; i < bytes; ++i)
      write_byte((offset + i) & 15, static_cast<std::uint8_t>(value >> (8 * i)), now);
  }
  update(now);
}

void EtherLink3::write_word(unsigned reg, std::uint16_t value, Time now) {
  if (reg == 0x0E) {
    command(value, now);
  } else if (window_ == 0) {
    write_setup(reg, value, now);
  } else if (window_ == 4) {
    if (reg == 0x06) net_diagnostics_ = value & net_writable;
    if (reg == 0x0A) media_status_ = value & media_writable;
  } else {
    write_byte(reg, static_cast<std::uint8_t>(value), now);
    write_byte(reg + 1, static_cast<std::uint8_t>(value >> 8), now);
  }
}

// Half of a word register: the other half keeps its value; Command takes effect when its upper half is written.
void EtherLink3::write_byte(unsigned reg, std::uint8_t value, Time now) {
  if (reg == 0x0E) {
    command_low_ = value;
  } else if (reg == 0x0F) {
    command(static_cast<std::uint16_t>(value << 8 | command_low_), now);
  } else if (window_ == 1) {
    if (reg == 0x0B && !tx_status_.empty()) tx_status_.pop_front();
  } else if (window_ == 2) {
    if (reg < address_.size()) address_[reg] = value;
  } else if (window_ == 6) {
    if (reg < statistics_.size()) statistics_[reg] = value;
  } else if (window_ == 0 || window_ == 4) {
    const std::uint16_t old = peek_word(reg & ~1u);
    const auto merged = reg & 1 ? (old & 0x00FF) | value << 8 : (old & 0xFF00) | value;
    write_word(reg & ~1u, static_cast<std::uint16_t>(merged), now);
  }
}

void EtherLink3::write_setup(unsigned reg, std::uint16_t value, Time now) {
  switch (reg) {
    case 0x04:
      if (value & ConfigReset) reset(now);
      config_control_ = value & config_writable;
      break;
    case 0x06: address_config_ = value; break;
    case 0x08: resource_config_ = value; break;
    case 0x0A: eeprom_.command(value, now); break;
    case 0x0C: eeprom_.set_data(value); break;
    default: break;
  }
}

void EtherLink3::command(std::uint16_t value, Time now) {
  const auto argument = static_cast<std::uint16_t>(value & 0x7FF);
  switch (value >> 11) {
    case GlobalReset: reset(now); break;
    case SelectWindow: window_ = argument & 7; break;
    case StartCoax: coax_on_ = true; break;
    case StopCoax: coax_on_ = false; break;
    case RxDisable: rx_enabled_ = false; break;
    case RxEnable: rx_enabled_ = true; break;
    case RxReset: rx_reset(); break;
    case RxDiscard: rx_discard(now); break;
    case TxEnable:
      tx_enabled_ = !tx_reset_required_;
      start_next(now);
      break;
    case TxDisable: tx_enabled_ = false; break;
    case TxReset: tx_reset(now); break;
    case RequestInterrupt: requested_ = true; break;
    case AcknowledgeInterrupt: acknowledge(argument); break;
    case SetInterruptMask: interrupt_mask_ = static_cast<std::uint8_t>(argument); break;
    case SetReadZeroMask: read_zero_mask_ = static_cast<std::uint8_t>(argument); break;
    case SetRxFilter: rx_filter_ = argument & 15; break;
    case SetRxEarly:
      rx_early_threshold_ = argument & ~3;
      plan_rx_early(now);
      break;
    case SetTxAvailable:
      tx_available_threshold_ = argument & ~3;
      tx_available_armed_ = tx_available_threshold_ < threshold_off;
      check_available();
      break;
    case SetTxStart:
      tx_start_threshold_ = argument & ~3;
      start_next(now);
      break;
    case StatisticsEnable: statistics_enabled_ = true; break;
    case StatisticsDisable: statistics_enabled_ = false; break;
    default: break;  // codes undefined in this generation
  }
  update(now);
}

// ---- interrupts ----

void EtherLink3::acknowledge(std::uint16_t bits) {
  if (bits & InterruptLatch) latch_ = false;
  if (bits & TxAvailable) tx_available_ = false;
  if (bits & RxEarly) rx_early_ = false;
  if (bits & InterruptRequested) requested_ = false;
}

std::uint16_t EtherLink3::causes() const {
  const bool complete = !rx_hidden() && !rx_fifo_.empty() && rx_fifo_.front().complete;
  return static_cast<std::uint16_t>(
      (rx_underrun_ || tx_overrun_ ? AdapterFailure : 0) | (tx_status_.empty() ? 0 : TxComplete) |
      (tx_available_ ? TxAvailable : 0) | (complete ? RxComplete : 0) | (rx_early_ && !complete ? RxEarly : 0) |
      (requested_ ? InterruptRequested : 0) | (statistics_alarm() ? UpdateStatistics : 0));
}

// The latch is set by any cause that is neither masked nor hidden, and cleared only by acknowledgement; a cause that is
// still present sets it again at once, so that none is lost between a driver's last read and its acknowledgement.
// Window 0 keeps the pin inactive (Linux 3c509.c, close).
void EtherLink3::update(Time now) {
  if (!latch_ && causes() & read_zero_mask_ & interrupt_mask_) {
    latch_ = true;
    latched_at_ = now;
  }
  const bool level = latch_ && interrupt_mask_ & ~InterruptLatch && config_control_ & ConfigEnable && window_ != 0;
  if (level == interrupt_) return;
  interrupt_ = level;
  host_.interrupt(level, now);
}

// ---- statistics ----

void EtherLink3::count(Statistic s, unsigned n) {
  if (!statistics_enabled_) return;
  if (s < RxOctets) {
    statistics_[s] = static_cast<std::uint8_t>(statistics_[s] + n);
    return;
  }
  const unsigned sum = word(&statistics_[s]) + n;
  statistics_[s] = static_cast<std::uint8_t>(sum);
  statistics_[s + 1] = static_cast<std::uint8_t>(sum >> 8);
}

// A counter is about to overflow: its top bit is set.
bool EtherLink3::statistics_alarm() const {
  std::uint8_t all = statistics_[RxOctets + 1] | statistics_[TxOctets + 1];
  for (unsigned s = CarrierLost; s <= Deferrals; ++s) all |= statistics_[s];
  return all & 0x80;
}

// ---- snapshot ----

std::string_view EtherLink3::register_name(std::uint32_t offset, Direction direction) const {
  using Window = std::array<std::string_view, 7>;  // by word
  constexpr std::array<Window, 8> windows{{
      {"Manufacturer ID", "Product ID", "Config Control", "Address Config", "Resource Config", "EEPROM Command",
       "EEPROM Data"},
      {"FIFO", "FIFO", "", "", "RX Status", "TX Status", "TX Free"},
      {"Station Address 0", "Station Address 2", "Station Address 4", "", "", "", ""},
      {"", "", "", "", "", "RX Free", "TX Free"},
      {"", "", "FIFO Diagnostics", "Net Diagnostics", "Ethernet Controller Status", "Media Status", ""},
      {"TX Start Threshold", "TX Available Threshold", "", "RX Early Threshold", "RX Filter", "Interrupt Mask",
       "Read Zero Mask"},
      {"Statistics 0", "Statistics 2", "Statistics 4", "Statistics 6", "Statistics 8", "RX Octets", "TX Octets"},
      {},
  }};
  if (offset >= 14) return direction == Direction::read ? "Status" : "Command";
  if (window_ == 1 && offset == 10) return "Timer";
  if (window_ == 1 && offset == 11) return "TX Status";
  return windows[window_ & 7][offset / 2];
}

void EtherLink3::describe(Description& d) const {
  d.reg("Status", status(), 16).number("window", window_).flag("INT", interrupt_);
  d.reg("Interrupt Mask", interrupt_mask_, 8).reg("Read Zero Mask", read_zero_mask_, 8).reg("RX Filter", rx_filter_, 8);
  d.reg("Config Control", config_control_, 16).reg("Address Config", address_config_, 16);
  d.reg("Resource Config", resource_config_, 16).reg("Station Address", big_endian(address_), 48);
  d.reg("Net Diagnostics", net_diagnostics_, 16)
      .reg("Media Status", media_status_, 16)
      .flag("coax transceiver on", coax_on_);
  d.reg("EEPROM Command", eeprom_.command(), 16).reg("EEPROM Data", eeprom_.data(), 16);
  Description& transmit = d.part("TX FIFO");
  transmit.flag("enabled", tx_enabled_).number("TX Free", tx_free()).number("packets", tx_fifo_.size());
  transmit.number("TX Start Threshold", tx_start_threshold_).number("TX Available Threshold", tx_available_threshold_);
  transmit.reg("TX Status", tx_status_.empty() ? 0u : tx_status_.front(), 8).number("statuses", tx_status_.size());
  transmit.level("bytes held", tx_used_).activity("state", sending_ ? port_activity(port_) : "idle");
  transmit.flag("sending", sending_).number("collisions", port_.collisions());
  Description& receive = d.part("RX FIFO");
  receive.flag("enabled", rx_enabled_).number("RX Free", rx_free()).number("packets", rx_fifo_.size());
  receive.number("RX Early Threshold", rx_early_threshold_).reg("RX Status", rx_status(), 16).flag("storing", storing_);
  receive.level("bytes held", rx_used_).activity("arriving frame", storing_ ? "stored" : "none");
  constexpr std::array names{"Carrier Lost",     "No SQE",          "Multiple Collisions",
                             "Single Collision", "Late Collisions", "RX Overruns",
                             "Frames Sent",      "Frames Received", "Deferrals"};
  Description& statistics = d.part("statistics");
  statistics.flag("enabled", statistics_enabled_);
  for (unsigned n = 0; n < names.size(); ++n) statistics.number(names[n], statistics_[n]);
  statistics.number("RX Octets", statistics_[RxOctets] | statistics_[RxOctets + 1] << 8);
  statistics.number("TX Octets", statistics_[TxOctets] | statistics_[TxOctets + 1] << 8);
}

void EtherLink3::archive(Archive& a) {
  a.section("etherlink3", 1);
  a(window_, command_low_, interrupt_mask_, read_zero_mask_, rx_filter_, tx_start_threshold_, tx_available_threshold_,
    rx_early_threshold_, config_control_, address_config_, resource_config_, net_diagnostics_, media_status_, address_,
    statistics_, tx_enabled_, rx_enabled_, statistics_enabled_, coax_on_, reset_done_);
  eeprom_.archive(a);
  a(latch_, interrupt_, tx_available_, tx_available_armed_, rx_early_, requested_, latched_at_);
  a(tx_fifo_, tx_used_, tx_status_, sending_, orphan_, tx_overrun_, tx_reset_required_);
  a(rx_fifo_, rx_used_, listening_, storing_, discarding_rest_, rx_underrun_, loop_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.receive_errors,
    counters_.transmit_errors);
  port_.archive(a);
  for (Event* e : {&eeprom_.done(), &transmit_start_, &starved_, &loop_end_, &receive_step_, &discard_done_})
    e->archive(a);
  if (a.saving()) return;
  window_ &= 7;
  std::uint32_t tx = 0, rx = 0;
  for (const TxPacket& p : tx_fifo_) tx += p.header_bytes + static_cast<std::uint32_t>(p.data.size());
  for (const RxPacket& p : rx_fifo_) {
    const std::uint32_t held = p.complete ? p.padded() : static_cast<std::uint32_t>(p.data.size());
    rx += p.read <= held ? held - p.read : fifo_bytes;
  }
  const bool heads = (!sending_ || !tx_fifo_.empty()) && (!storing_ || !rx_fifo_.empty());
  if (tx != tx_used_ || rx != rx_used_ || tx_used_ > fifo_bytes || rx_used_ > fifo_bytes + 3 || !heads)
    throw Error("snapshot holds damaged EtherLink III FIFOs; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
