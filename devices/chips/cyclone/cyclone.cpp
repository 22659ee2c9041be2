// SPDX-License-Identifier: GPL-2.0-or-later
// Cyclone: commands, resets, interrupts, statistics, snapshot.
#include "devices/chips/cyclone/cyclone.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::ethernet {
namespace {

// Thresholds after a reset, in the units of their registers; comments give bytes. Recalled, not from a public source.
constexpr std::uint8_t dn_burst_default = 8, up_burst_default = 8;        // 256
constexpr std::uint8_t dn_priority_default = 4, up_priority_default = 4;  // 128
constexpr std::uint8_t reclaim_default = 8;                               // 128

constexpr std::uint16_t acknowledged =
    Cyclone::RxEarly | Cyclone::IntRequested | Cyclone::DnComplete | Cyclone::UpComplete;

}  // namespace

Cyclone::Cyclone(Scheduler& scheduler, const std::string& name, BurstHost& host, const CycloneTiming& timing,
                 const Eeprom& eeprom, const MiiPhyConfig& phy, std::uint64_t seed)
    : scheduler_(scheduler),
      host_(host),
      timing_(timing),
      port_(scheduler, name + ".port", *this, seed),
      phy_(scheduler, name + ".phy", port_, phy, *this),
      eeprom_(scheduler, name, eeprom, timing.eeprom_read, timing.eeprom_write),
      engines_(host),
      up_dma_(engines_, "upload bursts", Callback::to<&Cyclone::up_done>(this)),
      dn_dma_(engines_, "download bursts", Callback::to<&Cyclone::dn_done>(this)),
      transmit_start_(scheduler, name + ".transmit_start", Priority::device,
                      Callback::to<&Cyclone::transmit_start>(this)),
      starved_(scheduler, name + ".starved", Priority::device, Callback::to<&Cyclone::starved>(this)),
      room_(scheduler, name + ".room", Priority::device, Callback::to<&Cyclone::dn_run>(this)),
      loop_end_(scheduler, name + ".loop_end", Priority::device, Callback::to<&Cyclone::loop_ends>(this)),
      receive_step_(scheduler, name + ".receive_step", Priority::device, Callback::to<&Cyclone::receive_step>(this)),
      dn_poll_(scheduler, name + ".dn_poll", Priority::device, Callback::to<&Cyclone::dn_poll>(this)),
      up_poll_(scheduler, name + ".up_poll", Priority::device, Callback::to<&Cyclone::up_poll>(this)),
      countdown_(scheduler, name + ".countdown", Priority::device, Callback::to<&Cyclone::countdown_over>(this)) {
  mdio_.connect(phy_address, phy_);
  reset(scheduler.now());
}

void Cyclone::set_lines(unsigned bytes, bool write_invalidate) {
  line_bytes_ = bytes;
  write_invalidate_ = write_invalidate && bytes != 0;
}

// ---- resets ----

void Cyclone::reset(Time now) {
  eeprom_.reset();
  global_reset(0, now);
}

// After a host error, operation resumes only after this command, whatever `keep` excludes.
void Cyclone::global_reset(std::uint16_t keep, Time now) {
  host_error_ = false;
  const auto part = static_cast<std::uint16_t>((keep & (KeepNetwork | KeepFifo)) | (keep & KeepUpDown ? KeepDma : 0));
  tx_reset(part, now);
  rx_reset(part, now);
  if (!(keep & KeepNetwork)) {
    station_address_ = station_mask_ = {};
    hash_filter_ = {};
    mac_control_ = 0;
    longest_frame_ = net::max_frame_bytes;
    network_diagnostic_ = media_status_ = 0;
    statistics_ = {};
    upper_frames_ = upper_bytes_ = 0;
    statistics_enabled_ = dc_converter_ = link_event_ = false;
  }
  if (!(keep & KeepUpDown)) {
    dma_ctrl_ = 0;
    dn_burst_thresh_ = dn_burst_default;
    dn_priority_thresh_ = dn_priority_default;
    up_burst_thresh_ = up_burst_default;
    up_priority_thresh_ = up_priority_default;
    dn_poll_interval_ = up_poll_interval_ = 0;
    dn_max_burst_ = up_max_burst_ = 0;
    countdown_.cancel();
  }
  if (!(keep & KeepHost)) {
    window_ = command_low_ = 0;
    interrupt_enable_ = indication_enable_ = 0;
    physical_mgmt_ = 0;
    latch_ = requested_ = false;
    latched_at_ = now;
  }
  if (!(keep & KeepEeprom)) {
    internal_config_ = std::uint32_t{eeprom_.word(internal_config_word + 1)} << 16 | eeprom_.word(internal_config_word);
    reset_options_ = 0;
  }
  reset_done_ = now + (keep & KeepEeprom ? timing_.reset : timing_.global_reset);
  dn_run(now);
  up_run(now);
  update(now);
}

// The network part includes the PHY: the link is renegotiated.
void Cyclone::rx_reset(std::uint16_t keep, Time now) {
  sync_receive(now);
  if (!(keep & KeepNetwork)) {
    rx_enabled_ = listening_ = false;
    rx_filter_ = 0;
    receive_step_.cancel();
    phy_.reset(now);
  }
  const bool flush = !(keep & KeepFifo);
  if (flush || !(keep & KeepDma)) {  // one cannot continue without the other: a half-uploaded frame is lost
    up_dma_.cancel(now);
    if (up_at_work() && !rx_fifo_.empty()) rx_drop_head();
    up_ = {};
    up_poll_.cancel();
    up_full_ = false;
  }
  if (flush) {
    rx_fifo_.clear();
    rx_used_ = 0;
    storing_ = listening_ = rx_early_ = false;
    rx_early_thresh_ = whole_frame;
    receive_step_.cancel();
  }
  if (!(keep & KeepDma)) {
    up_list_ptr_ = up_status_ = 0;
    up_stall_ = up_complete_ = false;
    dma_ctrl_ &= ~std::uint32_t{UpRxEarlyEnable};
  }
  if (!(keep & KeepNetwork)) drop_arriving();
  up_run(now);
  reset_done_ = std::max(reset_done_, now + timing_.reset);
}

// A frame on the wire is cut off without a report.
void Cyclone::tx_reset(std::uint16_t keep, Time now) {
  const bool network = !(keep & KeepNetwork), flush = !(keep & KeepFifo);
  if (network || flush) {
    if ((sending_ || orphan_) && !loop_end_.pending() && port_.busy() && port_.cut(now)) orphan_ = true;
    transmit_start_.cancel();
    starved_.cancel();
    loop_end_.cancel();
    if (loop_.on()) stop_loop();
    sending_ = false;
  }
  if (network) {
    tx_enabled_ = tx_fatal_ = false;
    tx_status_.clear();
  }
  if (flush || !(keep & KeepDma)) {
    dn_dma_.cancel(now);
    if (!tx_fifo_.empty() && !tx_fifo_.back().complete && !(sending_ && tx_fifo_.size() == 1)) tx_fifo_.pop_back();
    dn_ = {};
    dn_poll_.cancel();
    room_.cancel();
  }
  if (flush) {
    tx_fifo_.clear();
    tx_start_thresh_ = whole_frame;
    tx_reclaim_thresh_ = reclaim_default;
  }
  if (!(keep & KeepDma)) {
    dn_list_ptr_ = 0;
    dn_stall_ = dn_complete_ = false;
  }
  reset_done_ = std::max(reset_done_, now + timing_.reset);
}

// ---- commands ----

// A stall is complete when the engine's burst has ended.
bool Cyclone::in_progress() const {
  return scheduler_.now() < reset_done_ || (dn_stall_ && dn_dma_.busy()) || (up_stall_ && up_dma_.busy());
}

void Cyclone::command(std::uint16_t value, Time now) {
  const auto argument = static_cast<std::uint16_t>(value & 0x7FF);
  switch (value >> 11) {
    case GlobalReset: global_reset(argument, now); break;
    case SelectRegisterWindow: window_ = argument & 7; break;
    case EnableDcConverter: dc_converter_ = true; break;
    case DisableDcConverter: dc_converter_ = false; break;
    case RxDisable: rx_enabled_ = false; break;
    case RxEnable: rx_enabled_ = true; break;
    case RxReset: rx_reset(argument, now); break;
    case StallControl: stall(argument & 3, now); break;
    case RxDiscard: rx_discard(now); break;
    case TxEnable:
      tx_enabled_ = !tx_fatal_;
      start_next(now);
      break;
    case TxDisable: tx_enabled_ = false; break;
    case TxReset: tx_reset(argument, now); break;
    case RequestInterrupt: requested_ = true; break;
    case AcknowledgeInterrupt: acknowledge(argument); break;
    case SetInterruptEnable: interrupt_enable_ = argument; break;
    case SetIndicationEnable: indication_enable_ = argument; break;
    case SetRxFilter: rx_filter_ = argument & 31; break;
    case SetRxEarlyThresh:
      rx_early_thresh_ = static_cast<std::uint16_t>(argument << 2);
      listen(now);
      break;
    case SetTxStartThresh:
      tx_start_thresh_ = static_cast<std::uint16_t>(argument << 2);
      start_next(now);
      break;
    case StatisticsEnable: statistics_enabled_ = true; break;
    case StatisticsDisable: statistics_enabled_ = false; break;
    case SetTxReclaimThresh: tx_reclaim_thresh_ = static_cast<std::uint8_t>(argument); break;
    case SetHashFilterBit: {
      std::uint8_t& byte = hash_filter_[argument >> 3 & 31];
      const auto bit = static_cast<std::uint8_t>(1 << (argument & 7));
      byte = static_cast<std::uint8_t>(argument & 0x400 ? byte | bit : byte & ~bit);
      break;
    }
    default: break;  // codes undefined in this generation
  }
  update(now);
}

void Cyclone::stall(unsigned which, Time now) {
  switch (which) {
    case UpStall: up_stall_ = true; break;
    case UpUnStall:
      up_stall_ = up_full_ = false;
      up_poll_.cancel();
      up_run(now);
      break;
    case DnStall: dn_stall_ = true; break;
    case DnUnStall:
      dn_stall_ = false;
      dn_run(now);
      break;
    default: break;
  }
}

// ---- interrupts ----

void Cyclone::acknowledge(std::uint16_t bits) {
  if (bits & InterruptLatch) latch_ = false;
  if (bits & RxEarly) rx_early_ = false;
  if (bits & IntRequested) requested_ = false;
  if (bits & DnComplete) dn_complete_ = false;
  if (bits & UpComplete) up_complete_ = false;
}

std::uint16_t Cyclone::causes() const {
  const bool complete = !rx_fifo_.empty() && rx_fifo_.front().complete;
  return static_cast<std::uint16_t>(
      (host_error_ ? HostError : 0) | (tx_status_.empty() ? 0 : TxComplete) | (complete ? RxComplete : 0) |
      (rx_early_ ? RxEarly : 0) | (requested_ ? IntRequested : 0) | (statistics_alarm() ? UpdateStats : 0) |
      (link_event_ ? LinkEvent : 0) | (dn_complete_ ? DnComplete : 0) | (up_complete_ ? UpComplete : 0));
}

std::uint16_t Cyclone::int_status() const {
  return static_cast<std::uint16_t>(window_ << 13 | (in_progress() ? CmdInProgress : 0) |
                                    (causes() & indication_enable_) | (latch_ ? InterruptLatch : 0));
}

// The latch is set by any cause that is both indicated and enabled, and cleared only by acknowledgement; a cause that
// is still present sets it again at once, so that none is lost between a driver's last read and its acknowledgement.
void Cyclone::update(Time now) {
  if (!latch_ && causes() & indication_enable_ & interrupt_enable_) {
    latch_ = true;
    latched_at_ = now;
  }
  const bool level = latch_ && interrupt_enable_ & ~InterruptLatch;
  if (level == interrupt_) return;
  interrupt_ = level;
  host_.interrupt(level, now);
}

// A burst got no response: both engines stop until a GlobalReset.
void Cyclone::host_error(Time now) {
  host_error_ = true;
  update(now);
}

// IntStatusAuto: a read also acknowledges, and disables interrupts.
void Cyclone::acknowledge_all(Time now) {
  acknowledge(acknowledged | InterruptLatch);
  interrupt_enable_ = 0;
  update(now);
}

// ---- timers ----

// FreeTimer and Countdown. [recalled] 3Com's technical reference: 3.2 us, or with CounterSpeed a tenth of it.
Time Cyclone::timer_tick() const { return dma_ctrl_ & CounterSpeed ? 320_ns : 3'200_ns; }

void Cyclone::write_countdown(std::uint16_t value, Time now) {
  if (value == 0)
    countdown_.cancel();
  else
    countdown_.at(now + timer_tick() * std::int64_t{value});
}

void Cyclone::countdown_over(Time now) {
  requested_ = true;
  update(now);
}

// ---- statistics ----

namespace {
// Counters that span more than one register: of frames, of octets.
constexpr std::uint32_t frames_mask = 0x3FF, octets_mask = 0xFFFFF;
}  // namespace

void Cyclone::count(Statistic s, unsigned n) {
  if (!statistics_enabled_) return;
  const bool frames = s == FramesXmittedOk || s == FramesRcvdOk, octets = s >= BytesRcvdOk;
  statistics_[s] = (statistics_[s] + n) & (octets ? octets_mask : frames ? frames_mask : 0xFF);
}

// A counter is half full.
bool Cyclone::statistics_alarm() const {
  std::uint32_t small = 0;
  for (const Statistic s :
       {CarrierLost, SqeErrors, MultipleCollisions, SingleCollisions, LateCollisions, RxOverruns, FramesDeferred})
    small |= statistics_[s];
  const std::uint32_t frames = statistics_[FramesXmittedOk] | statistics_[FramesRcvdOk];
  const std::uint32_t octets = statistics_[BytesXmittedOk] | statistics_[BytesRcvdOk];
  return small & 0x80 || frames & 0x200 || octets & (network_diagnostic_ & UpperBytesEnable ? 0x80000 : 0x8000);
}

std::uint8_t Cyclone::statistics_byte(unsigned reg) const {
  if (reg < 9) return static_cast<std::uint8_t>(statistics_[reg]);
  if (reg == 9) return upper_frames_;
  if (reg > 13) return 0;
  return static_cast<std::uint8_t>(statistics_[reg < 12 ? BytesRcvdOk : BytesXmittedOk] >> (reg & 1 ? 8 : 0));
}

// Reading a counter clears it; its bits beyond the register are kept for UpperFramesOk and UpperBytesOk (inferred:
// Linux reads those afterwards, or not at all).
void Cyclone::statistics_read(unsigned reg) {
  const auto keep_upper = [](std::uint8_t& upper, unsigned shift, std::uint32_t mask, std::uint32_t bits) {
    upper = static_cast<std::uint8_t>((upper & ~(mask << shift)) | (bits & mask) << shift);
  };
  if (reg == FramesXmittedOk) keep_upper(upper_frames_, 4, 3, statistics_[FramesXmittedOk] >> 8);
  if (reg == FramesRcvdOk) keep_upper(upper_frames_, 0, 3, statistics_[FramesRcvdOk] >> 8);
  if (reg < 9) {
    statistics_[reg] = 0;
  } else if (reg == 9) {
    upper_frames_ = 0;
  } else if (reg <= 13) {
    std::uint32_t& octets = statistics_[reg < 12 ? BytesRcvdOk : BytesXmittedOk];
    if (!(reg & 1)) keep_upper(upper_bytes_, reg < 12 ? 0 : 4, 15, octets >> 16);
    octets &= reg & 1 ? 0x00FF : 0xFF00;
  }
}

// ---- MII ----

void Cyclone::phy_link_changed(bool, Time now) {
  link_event_ = true;
  update(now);
}

void Cyclone::phy_register_read(unsigned reg, Time now) {
  if (reg != MiiPhy::ANER) return;
  link_event_ = false;
  update(now);
}

// ---- snapshot ----

void Cyclone::archive(Archive& a) {
  a.section("cyclone", 1);
  a(line_bytes_, write_invalidate_, window_, command_low_, interrupt_enable_, indication_enable_, rx_filter_,
    tx_reclaim_thresh_, tx_start_thresh_, rx_early_thresh_, station_address_, station_mask_, hash_filter_,
    reset_options_, longest_frame_, mac_control_, internal_config_, network_diagnostic_, media_status_, physical_mgmt_,
    statistics_, upper_frames_, upper_bytes_, tx_enabled_, rx_enabled_, statistics_enabled_, dc_converter_,
    reset_done_);
  a(dma_ctrl_, dn_burst_thresh_, dn_priority_thresh_, dn_poll_interval_, up_burst_thresh_, up_priority_thresh_,
    up_poll_interval_, dn_max_burst_, up_max_burst_, dn_list_ptr_, up_list_ptr_, dn_stall_, up_stall_, up_full_, dn_,
    up_, up_status_);
  a(latch_, interrupt_, host_error_, rx_early_, requested_, link_event_, dn_complete_, up_complete_, latched_at_);
  a(tx_fifo_, tx_status_, sending_, orphan_, tx_fatal_);
  a(rx_fifo_, rx_used_, listening_, storing_, loop_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.receive_errors,
    counters_.transmit_errors);
  port_.archive(a);
  phy_.archive(a);
  mdio_.archive(a);
  eeprom_.archive(a);
  engines_.archive(a);
  for (Event* e : {&eeprom_.done(), &transmit_start_, &starved_, &room_, &loop_end_, &receive_step_, &dn_poll_,
                   &up_poll_, &countdown_})
    e->archive(a);
  if (a.loading()) check_loaded();
}

// Impossible chip state would cause accesses outside its buffers.
void Cyclone::check_loaded() {
  window_ &= 7;
  std::uint32_t rx = 0;
  bool sound = line_bytes_ != 0 || !write_invalidate_;
  for (const RxPacket& p : rx_fifo_) {
    sound = sound && p.data.size() <= length_most && p.taken <= p.data.size();
    rx += static_cast<std::uint32_t>(p.data.size()) - p.taken;
  }
  // The data before the last fragment of a frame to be sent must fit in the FIFO.
  const std::size_t longest = timing_.transmit_fifo + length_most + 3u;
  for (const TxPacket& p : tx_fifo_) sound = sound && p.data.size() <= longest && p.length <= longest;
  for (const ListEntry* e : {&dn_, &up_})
    sound = sound && e->step <= Step::poll && e->fragment <= fragments_most && e->left <= length_most;
  const auto handles_data = [](const ListEntry& e) { return e.step == Step::data || e.step == Step::fragment; };
  if (handles_data(dn_)) sound = sound && !tx_fifo_.empty() && !tx_fifo_.back().complete;
  if (up_.step == Step::data && up_dma_.busy())
    sound =
        sound && !rx_fifo_.empty() && up_dma_.data().size() <= rx_fifo_.front().data.size() - rx_fifo_.front().taken;
  if (up_at_work()) sound = sound && !rx_fifo_.empty();
  if (up_.step == Step::status) sound = sound && rx_fifo_.front().complete;
  sound = sound && rx == rx_used_ && rx_used_ <= timing_.receive_fifo && (!sending_ || !tx_fifo_.empty()) &&
          (!storing_ || (!rx_fifo_.empty() && !rx_fifo_.back().complete)) && tx_status_.size() <= tx_status_depth &&
          (up_.step != Step::data || up_dma_.data().size() <= up_.left || !up_dma_.busy()) &&
          (dn_.step != Step::data || dn_dma_.data().size() <= dn_.left || !dn_dma_.busy());
  if (!sound) throw Error("snapshot holds a damaged EtherLink XL; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
