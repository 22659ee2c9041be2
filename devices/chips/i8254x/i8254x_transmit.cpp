// SPDX-License-Identifier: GPL-2.0-or-later
// 8254x: transmit descriptors, the transmitter's part of the packet buffer, and the transmitter.
//
//   transmit_fetch_ -> transmit_ring_ -> transmit_data_ -> frame_ -> frames_ (packet buffer) -> port
//                                     -> reports_ -> transmit_write_back_
//
// The first descriptor is processed: a context descriptor is loaded; for the others the data is read.
#include <algorithm>
#include <utility>

#include "devices/chips/i8254x/i8254x.hpp"

namespace planar::ethernet {

using namespace i8254x;

namespace {
// Command byte, at offset 11; status at 12.
constexpr std::uint8_t TXD_EOP = 0x01, TXD_IFCS = 0x02, TXD_IC = 0x04, TXD_RS = 0x08, TXD_RPS = 0x10, TXD_DEXT = 0x20,
                       TXD_VLE = 0x40, TXD_IDE = 0x80;
constexpr std::uint8_t TXD_DD = 0x01;
constexpr std::uint8_t TXD_IXSM = 0x01, TXD_TXSM = 0x02;  // POPTS, at 13
// Descriptors awaiting write-back. The manual gives no number: as many as the 82543 caches.
constexpr std::size_t report_store = 64;

struct Command {
  Command(const Descriptor& d, bool knows_dext) : raw(d.raw), bits(raw[11]) {
    extended = knows_dext && bits & TXD_DEXT;
    context = extended && raw[10] >> 4 == 0;
    length = context ? 0 : static_cast<std::uint32_t>(d.get(8, extended ? 3 : 2)) & 0xFFFFF;
    if (d.address() == 0) length = 0;  // the null address transfers nothing
  }
  const std::array<std::uint8_t, Descriptor::bytes>& raw;
  std::uint8_t bits;
  bool extended, context;
  std::uint32_t length;
};
}  // namespace

// ---- descriptors ----

void I8254x::fetch_transmit(Time now) {
  if (transmit_fetch_.busy() || transmit_size() == 0) return;
  const std::uint32_t count =
      transmit_ring_.wanted(transmit_size(), reg(TDT), thresholds(reg(TXDCTL)), config_.transmit_descriptors,
                            transmit_base() / Descriptor::bytes, per_line());
  if (count)
    transmit_fetch_.read(transmit_base() + std::uint64_t{transmit_ring_.next()} * Descriptor::bytes,
                         count * Descriptor::bytes, host_.cache_line(), abort_time(), now);
}

void I8254x::transmit_fetched(Time now) {
  if (!transmit_fetch_.moved()) bus_error(now);
  transmit_ring_.take(transmit_fetch_.data(), transmit_size());
  transmit_work(now);
}

void I8254x::transmit_work(Time now) {
  if (!(reg(TCTL) & TCTL_EN)) return;
  fetch_transmit(now);
  if (transmit_data_.busy() || transmit_step_.pending() || transmit_ring_.empty()) return;
  std::size_t waiting = reports_.size() + report_.size();
  for (const Sending& s : frames_) waiting += s.report.size();
  if (waiting >= report_store) return;
  const Command c(transmit_ring_.front(), config_.is_82543);
  if (c.length == 0) return descriptor_done(transmit_ring_.pop(), now);
  // All its data must fit: if it never does, the transmitter stalls.
  const std::uint32_t room = transmit_buffer() - std::min(transmit_buffer(), transmit_fill());
  const std::uint32_t more = place_to_send(frame_.size() + c.length) - place_to_send(frame_.size());
  if (more > room) return;
  transmit_data_.read(transmit_ring_.front().address(), c.length, host_.cache_line(), abort_time(), now);
}

void I8254x::transmit_read(Time now) {
  if (!transmit_data_.moved()) bus_error(now);
  const auto data = transmit_data_.data();
  frame_.insert(frame_.end(), data.begin(), data.end());
  descriptor_done(transmit_ring_.pop(), now);
}

void I8254x::descriptor_done(Descriptor d, Time now) {
  const Command c(d, config_.is_82543);
  reg(TDH) = d.index + 1 < transmit_size() ? d.index + 1 : 0;
  if (c.context) {
    context_ = {d.raw[0],
                d.raw[1],
                d.raw[4],
                d.raw[5],
                static_cast<std::uint16_t>(d.get(2, 2)),
                static_cast<std::uint16_t>(d.get(6, 2))};
  } else {
    if (c.extended) popts_ |= d.raw[13];
    if (c.bits & TXD_RPS && !(c.bits & TXD_RS)) report_.push_back(d);
  }
  if (c.bits & TXD_RS) report(d, now);
  if (!c.context && c.bits & TXD_EOP) finish_frame(d, now);
  if (reg(TDH) == reg(TDT)) raise(TXQE, now);
  transmit_step_.at(now + config_.transmit_step);
}

// The frame is complete: apply the chip's insertions.
void I8254x::finish_frame(const Descriptor& last, Time now) {
  Sending s{std::exchange(frame_, {}), std::exchange(report_, {})};
  const Command c(last, config_.is_82543);
  const std::uint8_t popts = std::exchange(popts_, std::uint8_t{0});
  if (s.data.empty()) {
    for (const Descriptor& d : s.report) report(d, now);
    return;
  }
  if (c.extended) {
    if (popts & TXD_IXSM) insert_checksum(s.data, context_.ipcss, context_.ipcso, context_.ipcse);
    if (popts & TXD_TXSM) insert_checksum(s.data, context_.tucss, context_.tucso, context_.tucse);
  } else if (c.bits & TXD_IC) {
    insert_checksum(s.data, last.raw[13], last.raw[10], 0);
  }
  const bool tag = c.bits & TXD_VLE && reg(CTRL) & CTRL_VME && s.data.size() >= 12;
  if (tag) {
    const auto special = last.get(14, 2);
    const std::uint8_t inserted[] = {static_cast<std::uint8_t>(reg(VET) >> 8), static_cast<std::uint8_t>(reg(VET)),
                                     static_cast<std::uint8_t>(special >> 8), static_cast<std::uint8_t>(special)};
    s.data.insert(s.data.begin() + 12, std::begin(inserted), std::end(inserted));
  }
  if (c.bits & TXD_IFCS || tag) {
    if (reg(TCTL) & TCTL_PSP && s.data.size() < net::min_frame_bytes - net::fcs_bytes)
      s.data.resize(net::min_frame_bytes - net::fcs_bytes);
    net::append_fcs(s.data);
  }
  frames_.push_back(std::move(s));
  try_send(now);
}

// ---- write-back and interrupts ----

void I8254x::report(const Descriptor& d, Time now) {
  reports_.push_back(d);
  reports_.back().raw[12] |= TXD_DD;
  const bool bursts = thresholds(reg(TXDCTL)).write_back;
  if (bursts && !transmit_delay_.pending() && reg(TIDV) & 0xFFFF)
    transmit_delay_.at(now + delay_unit * std::int64_t{reg(TIDV) & 0xFFFF});
  write_back_transmit(now);
}

void I8254x::write_back_transmit(Time now) {
  if (transmit_write_back_.busy()) return;
  const std::uint32_t wanted = thresholds(reg(TXDCTL)).write_back;
  if (reports_.empty()) {
    flush_reports_ = false;
    return;
  }
  const std::size_t full = report_store / 2;
  if (!flush_reports_ && reports_.size() < std::min<std::size_t>(wanted, full)) return;
  reporting_ = write_back(transmit_write_back_, transmit_base(), reports_, wanted != 0, now);
}

void I8254x::transmit_written(Time now) {
  if (!transmit_write_back_.moved()) bus_error(now);
  const bool bursts = thresholds(reg(TXDCTL)).write_back;
  bool at_once = false, delayed = false;
  for (std::uint32_t n = 0; n < reporting_; ++n) {
    if (reports_[n].raw[11] & TXD_IDE && reg(TIDV) & 0xFFFF)
      delayed = true;
    else
      at_once = true;
  }
  reports_.erase(reports_.begin(), reports_.begin() + reporting_);
  reporting_ = 0;
  if (at_once) {
    transmit_delay_.cancel();
    raise(TXDW, now);
  } else if (delayed && !bursts) {
    transmit_delay_.at(now + delay_unit * std::int64_t{reg(TIDV) & 0xFFFF});
  }
  write_back_transmit(now);
  transmit_work(now);
}

void I8254x::transmit_delay_over(Time now) {
  raise(TXDW, now);
  flush_reports_ = true;
  write_back_transmit(now);
}

// ---- the packet buffer and the transmitter ----

/// Space for a frame being read: with padding, FCS and tag, which may be added.
std::uint32_t I8254x::place_to_send(std::size_t bytes) const {
  return bytes ? place_of(std::max(bytes, net::min_frame_bytes - net::fcs_bytes) + net::fcs_bytes + 4) : 0;
}

std::uint32_t I8254x::transmit_fill() const {
  std::uint32_t fill = place_to_send(frame_.size());
  for (const Sending& s : frames_) fill += place_of(s.data.size());
  return fill;
}

void I8254x::try_send(Time now) {
  if (sending_ || sending_pause_ || orphan_ || !link_) return;
  if (const Pause wanted = std::exchange(pause_wanted_, Pause::none); wanted != Pause::none) {
    ++tally(wanted == Pause::xoff ? XOFFTXC : XONTXC);
    sending_pause_ = true;
    return port_.transmit(make_pause(wanted == Pause::xoff), now);
  }
  if (frames_.empty() || pause_over_.pending() || !(reg(TCTL) & TCTL_EN)) return;
  sending_ = true;
  inside_ = reg(RCTL) & RCTL_LBM;
  const auto& frame = frames_.front().data;
  if (inside_)
    looped_.at(now + port_.byte_time() * static_cast<std::int64_t>(8 + frame.size()));
  else
    port_.transmit(frame, now);
}

// Loopback: a frame has passed through the chip.
void I8254x::looped(Time now) {
  const std::vector<std::uint8_t> frame = frames_.front().data;
  inside_ = false;
  const net::Reception r = port_.looped(frame, now);
  take_frame(r, now);
  frame_left(now);
}

void I8254x::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (std::exchange(orphan_, false)) return try_send(now);
  if (std::exchange(sending_pause_, false)) return try_send(now);
  if (sending_ && outcome.result != net::TransmitResult::abandoned) frame_left(now);
}

void I8254x::frame_left(Time now) {
  const Sending s = std::move(frames_.front());
  frames_.pop_front();
  sending_ = false;
  ++counters_.sent;
  ++tally(GPTC);
  ++tally(TPT);
  tally(GOTC) += s.data.size();
  tally(TOT) += s.data.size();
  count_size(PTC64, s.data.size());
  const auto to = net::ethernet_destination(s.data);
  if (to == net::Destination::broadcast) ++tally(BPTC);
  if (to == net::Destination::group) ++tally(MPTC);
  for (const Descriptor& d : s.report) report(d, now);
  try_send(now);
  transmit_work(now);
}

// Software has written head, base or length: the frame being read is dropped.
void I8254x::restart_transmit_ring(Time now) {
  transmit_fetch_.cancel(now);
  transmit_data_.cancel(now);
  frame_.clear();
  report_.clear();
  popts_ = 0;
  transmit_ring_.restart(reg(TDH));
}

// TCTL.RST or a reset: other stations see a frame on the wire end there.
void I8254x::cut_transmitter(Time now) {
  for (Dma64* dma : {&transmit_fetch_, &transmit_write_back_, &transmit_data_}) dma->cancel(now);
  for (Event* e : {&transmit_step_, &transmit_delay_, &looped_}) e->cancel();
  if (((sending_ && !inside_) || sending_pause_) && port_.cut(now)) orphan_ = true;
  sending_ = inside_ = sending_pause_ = flush_reports_ = false;
  pause_wanted_ = Pause::none;
  frame_.clear();
  report_.clear();
  frames_.clear();
  reports_.clear();
  reporting_ = 0;
  context_ = {};
  popts_ = 0;
  reg(TDH) = reg(TDT) = 0;
  transmit_ring_.restart(0);
}

}  // namespace planar::ethernet
