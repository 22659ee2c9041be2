// SPDX-License-Identifier: GPL-2.0-or-later
// 8254x: reception, the receiver's part of the packet buffer, and its descriptors.
//
//   frame -> filters -> received_ (packet buffer) -> receive_data_ -> buffer of the front descriptor
//            receive_fetch_ -> receive_ring_ -> used_ -> receive_write_back_
#include <algorithm>
#include <utility>

#include "devices/chips/i8254x/i8254x.hpp"

namespace planar::ethernet {

using namespace i8254x;

namespace {
// Status and errors of a descriptor.
constexpr std::uint8_t RXD_DD = 0x01, RXD_EOP = 0x02, RXD_IXSM = 0x04, RXD_VP = 0x08, RXD_TCPCS = 0x20, RXD_IPCS = 0x40,
                       RXD_PIF = 0x80;
constexpr std::uint8_t RXD_CE = 0x01, RXD_TCPE = 0x20, RXD_IPE = 0x40;
constexpr std::size_t longest_usual = net::max_frame_bytes + 4;  // with a VLAN tag
constexpr std::uint32_t address_registers = 16;
}  // namespace

// ---- filters ----

bool I8254x::accepts(std::span<const std::uint8_t> frame, std::uint8_t& status) const {
  if (frame.size() < 16) return false;  // the remains of a collision
  const std::uint32_t rctl = reg(RCTL);
  if (rctl & RCTL_VFE && frame_word(frame, 12) == reg(VET)) {
    const std::uint16_t tag = frame_word(frame, 14);
    const std::uint32_t vlan = tag & 0xFFF;
    if (!(tables_[(VFTA - tables) / 4 + vlan / 32] >> vlan % 32 & 1)) return false;
    if (rctl & RCTL_CFIEN && (tag >> 12 & 1) != (rctl & RCTL_CFI ? 1 : 0)) return false;
  }
  std::uint32_t low = 0, high = 0;
  for (std::size_t n = 0; n < 4; ++n) low |= std::uint32_t{frame[n]} << (8 * n);
  for (std::size_t n = 4; n < 6; ++n) high |= std::uint32_t{frame[n]} << (8 * (n - 4));
  for (std::uint32_t n = 0; n < address_registers; ++n) {
    const std::uint32_t* const ra = &tables_[(RA - tables) / 4 + 2 * n];
    if (ra[1] & RAH_AV && ra[0] == low && (ra[1] & 0xFFFF) == high) return true;
  }
  if (low == UINT32_MAX && high == 0xFFFF && rctl & RCTL_BAM) return true;  // without BAM like any group address
  if (!(frame[0] & 1)) return rctl & RCTL_UPE;
  if (rctl & RCTL_MPE) return true;
  const unsigned shift = 4 - (rctl >> 12 & 3);  // MO: the twelve bits starting at 36, 35, 34 or 32
  const std::uint32_t hash = high >> (shift == 1 ? 0 : shift) & 0xFFF;
  if (!(tables_[(MTA - tables) / 4 + hash / 32] >> hash % 32 & 1)) return false;
  status |= RXD_PIF;
  return true;
}

void I8254x::frame_ends(const net::Reception& r, Time now) {
  if (link_ && !(reg(RCTL) & RCTL_LBM)) take_frame(r, now);
}

void I8254x::take_frame(const net::Reception& r, Time now) {
  const std::uint32_t rctl = reg(RCTL);
  if (!(rctl & RCTL_EN) || r.length == 0) return;
  Received f;
  r.append(f.data, std::min<std::size_t>(r.length, longest_frame + 1));
  tally(TOR) += r.length;
  ++tally(TPR);
  const std::size_t longest = rctl & RCTL_LPE ? longest_frame : longest_usual;
  const bool too_short = r.length<net::min_frame_bytes, too_long = r.length> longest;
  if (r.fcs_ok && !too_short && !too_long && pause_frame(f.data, now)) return;
  if (!accepts(f.data, f.status)) return;  // errors, too, are counted only for frames that pass the filter (13.7)
  if (too_short || too_long) {
    ++tally(RLEC);
    ++tally(too_short ? (r.fcs_ok ? RUC : RFC) : (r.fcs_ok ? ROC : RJC));
    return;
  }
  if (!r.fcs_ok) {
    ++tally(CRCERRS);
    f.errors |= RXD_CE;
    if (!(rctl & RCTL_SBP)) return;
  }
  if (receive_ring_.free(receive_size(), reg(RDT)) == 0) ++tally(RNBC);
  if (receive_fill() + place_of(f.data.size()) > receive_buffer()) {
    ++tally(MPC);
    ++counters_.overruns;
    if (xoff_sent_ && !std::exchange(xoff_again_, true)) pause_wanted_ = Pause::xoff;
    raise(RXO, now);
    return watch_fill(now);
  }
  if (r.fcs_ok) count_good(f.data);
  const std::span without_fcs(f.data.data(), f.data.size() - net::fcs_bytes);
  f.status |= RXD_IXSM;
  if (config_.is_82543) {
    const std::uint32_t rxcsum = reg(RXCSUM);
    f.checksum = static_cast<std::uint16_t>(
        ~ones_sum(without_fcs.subspan(std::min<std::size_t>(rxcsum & 0xFF, without_fcs.size()))));
    if (rxcsum & (RXCSUM_IPOFL | RXCSUM_TUOFL)) {
      f.status &= static_cast<std::uint8_t>(~RXD_IXSM);
      const ChecksumResult found = check_ip(without_fcs);
      if (rxcsum & RXCSUM_IPOFL && found.ip) {
        f.status |= RXD_IPCS;
        if (found.ip_bad) f.errors |= RXD_IPE;
      }
      if (rxcsum & RXCSUM_TUOFL && found.tcp) {
        f.status |= RXD_TCPCS;
        if (found.tcp_bad) f.errors |= RXD_TCPE;
      }
    }
    if (rctl & RCTL_SECRC) f.data.resize(without_fcs.size());
  } else {
    f.status &= static_cast<std::uint8_t>(~RXD_IXSM);
  }
  if (reg(CTRL) & CTRL_VME && frame_word(f.data, 12) == reg(VET)) {
    f.status |= RXD_VP;
    f.special = frame_word(f.data, 14);
    f.data.erase(f.data.begin() + 12, f.data.begin() + 16);
  }
  received_fill_ += place_of(f.data.size());
  received_.push_back(std::move(f));
  watch_fill(now);
  receive_work(now);
}

/// A good frame is in the packet buffer: frames counted by MPC are not counted in any of these.
void I8254x::count_good(std::span<const std::uint8_t> frame) {
  ++tally(GPRC);
  tally(GORC) += frame.size();
  count_size(PRC64, frame.size());
  const auto to = net::ethernet_destination(frame);
  if (to == net::Destination::broadcast) ++tally(BPRC);
  if (to == net::Destination::group) ++tally(MPRC);
}

// ---- the packet buffer ----

void I8254x::count_receive_fill() {
  received_fill_ = 0;
  for (const Received& r : received_) received_fill_ += place_of(r.data.size());
}

std::uint32_t I8254x::buffer_size() const {
  const std::uint32_t size = reg(RCTL) >> 16 & 3;  // 2048, 1024, 512, 256; with BSEX sixteen times that, and not for 0
  return (2048u >> size) * (reg(RCTL) & RCTL_BSEX && size ? 16 : 1);
}

// ---- descriptors ----

void I8254x::fetch_receive(Time now) {
  if (receive_fetch_.busy() || receive_size() == 0) return;
  const std::uint32_t count =
      receive_ring_.wanted(receive_size(), reg(RDT), thresholds(reg(RXDCTL)), config_.receive_descriptors,
                           receive_base() / Descriptor::bytes, per_line());
  if (count)
    receive_fetch_.read(receive_base() + std::uint64_t{receive_ring_.next()} * Descriptor::bytes,
                        count * Descriptor::bytes, host_.cache_line(), abort_time(), now);
}

void I8254x::receive_fetched(Time now) {
  if (!receive_fetch_.moved()) bus_error(now);
  receive_ring_.take(receive_fetch_.data(), receive_size());
  receive_work(now);
}

// The next part of the first frame goes to the next buffer.
void I8254x::receive_work(Time now) {
  if (reg(RCTL) & RCTL_EN) fetch_receive(now);
  if (receive_data_.busy() || receive_step_.pending() || received_.empty() || receive_ring_.empty()) return;
  if (used_.size() >= config_.receive_descriptors) return write_back_receive(now);
  const Received& f = received_.front();
  const auto bytes = std::min(buffer_size(), static_cast<std::uint32_t>(f.data.size()) - f.moved);
  receive_data_.write(receive_ring_.front().address(), std::span(f.data).subspan(f.moved, bytes), abort_time(), now);
}

void I8254x::receive_moved(Time now) {
  if (!receive_data_.moved()) bus_error(now);
  Received& f = received_.front();
  const std::uint32_t bytes = receive_data_.bytes();
  f.moved += bytes;
  const bool end = f.moved == f.data.size();
  Descriptor d = receive_ring_.pop();
  d.put(8, 2, bytes);
  d.put(10, 2, f.checksum);
  d.put(12, 1, RXD_DD | (end ? f.status | RXD_EOP : 0));
  d.put(13, 1, end ? f.errors : 0u);
  d.put(14, 2, f.special);
  used_.push_back(d);
  const std::uint32_t free = receive_ring_.free(receive_size(), reg(RDT));
  const std::uint32_t divider = 2u << std::min(reg(RCTL) >> 8 & 3, 2u);  // RDMTS: half, a quarter, an eighth
  if (free == receive_size() / divider) raise(RXDMT0, now);
  if (end) {
    received_fill_ -= place_of(f.data.size());
    received_.pop_front();
    ++counters_.received;
    watch_fill(now);
    if (const std::uint32_t delay = reg(RDTR) & 0xFFFF) {
      receive_delay_.at(now + delay_unit * std::int64_t{delay});
    } else {
      flush_used_ = rxt0_due_ = true;
    }
  }
  write_back_receive(now);
  receive_step_.at(now + config_.receive_step);
}

void I8254x::write_back_receive(Time now) {
  if (receive_write_back_.busy()) return;
  if (used_.empty()) {
    flush_used_ = false;
    if (std::exchange(rxt0_due_, false)) raise(RXT0, now);
    return;
  }
  const std::uint32_t wanted = std::max(thresholds(reg(RXDCTL)).write_back, 1u);
  if (!flush_used_ && used_.size() < std::min(wanted, config_.receive_descriptors)) return;
  writing_back_ = write_back(receive_write_back_, receive_base(), used_, true, now);
}

void I8254x::receive_written(Time now) {
  if (!receive_write_back_.moved()) bus_error(now);
  const std::uint32_t last = used_[writing_back_ - 1].index;
  used_.erase(used_.begin(), used_.begin() + writing_back_);
  writing_back_ = 0;
  reg(RDH) = last + 1 < receive_size() ? last + 1 : 0;
  if (rxt0_due_ && (used_.empty() || (reg(RDTR) & 0xFFFF) == 0)) {
    rxt0_due_ = !used_.empty();
    raise(RXT0, now);
  }
  write_back_receive(now);
  receive_work(now);
}

// RDTR has expired, or software requests the used descriptors.
void I8254x::receive_delay_over(Time now) {
  receive_delay_.cancel();
  flush_used_ = rxt0_due_ = true;
  write_back_receive(now);
}

// Software has written head, base or length: the frame being transferred restarts.
void I8254x::restart_receive_ring(Time now) {
  receive_fetch_.cancel(now);
  receive_data_.cancel(now);
  if (!received_.empty()) received_.front().moved = 0;
  receive_ring_.restart(reg(RDH));
}

// RCTL.RST or a reset.
void I8254x::cut_receiver(Time now) {
  for (Dma64* dma : {&receive_fetch_, &receive_write_back_, &receive_data_}) dma->cancel(now);
  for (Event* e : {&receive_step_, &receive_delay_, &pause_over_}) e->cancel();
  received_.clear();
  received_fill_ = 0;
  used_.clear();
  writing_back_ = 0;
  flush_used_ = rxt0_due_ = false;
  reg(RDH) = reg(RDT) = 0;
  receive_ring_.restart(0);
}

}  // namespace planar::ethernet
