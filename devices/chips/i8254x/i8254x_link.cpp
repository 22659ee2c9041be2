// SPDX-License-Identifier: GPL-2.0-or-later
// 8254x: the link (the 1000BASE-X PCS) and flow control.
//
// With TXCW.ANE the PCS sends its configuration word and checks the other end's; if both are present, the link is up
// after three times the link timer (clause 37.3.1.4: restart, acknowledge, idle). Without it CTRL.SLU sets the link
// state. CTRL.LRST holds the PCS in reset. SWDPIN1, an input, is the transceiver's loss of signal.
#include <algorithm>
#include <array>

#include "devices/chips/i8254x/i8254x.hpp"

namespace planar::ethernet {

using namespace i8254x;

namespace {
constexpr std::uint16_t acknowledge = 0x4000, pause_bits = net::Pcs::pause | net::Pcs::asm_dir;
constexpr Time pause_quantum = 512_ns;  // 512 bit times
constexpr std::uint16_t pause_opcode = 1;
constexpr std::size_t pause_frame_bytes = net::min_frame_bytes - net::fcs_bytes;
}  // namespace

// ---- registers ----

std::uint32_t I8254x::control() const {
  std::uint32_t value = reg(CTRL);
  if (!(value & CTRL_SWDPIO1)) value = (value & ~CTRL_SWDPIN1) | (port_.partner() ? 0u : CTRL_SWDPIN1);
  return value;
}

std::uint32_t I8254x::status() const {
  std::uint32_t value = STATUS_FD | (link_ ? STATUS_LU : 0u) | (pause_over_.pending() ? STATUS_TXOFF : 0u);
  if (!config_.is_82543) return value | STATUS_TCKOK | (port_.partner() ? STATUS_RBCOK : 0u);
  value |= STATUS_TBIMODE | STATUS_SPEED_1000;
  if (host_.bus_clock() < 30_ns) value |= STATUS_PCI66;
  if (host_.bus_64()) value |= STATUS_BUS64;
  return value;
}

std::uint32_t I8254x::receive_word() const {
  const auto partner = port_.partner();
  if (!partner) return RXCW_NC;
  if (!partner->negotiates) return RXCW_SYNCH;
  const bool done = negotiates() && link_;
  return RXCW_SYNCH | (done ? RXCW_ANC : RXCW_C) | partner->ability | (negotiates() ? acknowledge : 0u);
}

// ---- the PCS ----

net::Pcs I8254x::own_pcs() const {
  if (reg(CTRL) & CTRL_LRST) return {true, 0};
  if (negotiates()) return {true, static_cast<std::uint16_t>(reg(TXCW) & 0xFFFF & ~std::uint32_t{acknowledge})};
  return {false, 0};
}

// CTRL or TXCW has been written.
void I8254x::pcs_written(Time now) {
  if (const net::Pcs pcs = own_pcs(); pcs != port_.pcs()) {
    negotiated_.cancel();
    port_.set_pcs(pcs, now);
    if (pcs.negotiates) set_link(false, now);
  }
  link_work(now);
}

void I8254x::partner_changed(Time now) {
  negotiated_.cancel();
  const bool lost = link_ && (negotiates() || !port_.partner());
  if (lost) {
    set_link(false, now);
    if (reg(RCTL) & RCTL_EN) ++tally(SEC);
    raise(RXSEQ, now);
  }
  link_work(now);
}

void I8254x::link_work(Time now) {
  const auto partner = port_.partner();
  if (!partner || reg(CTRL) & CTRL_LRST) {
    negotiated_.cancel();
    return set_link(false, now);
  }
  if (!negotiates()) {
    negotiated_.cancel();
    return set_link(reg(CTRL) & CTRL_SLU, now);
  }
  if (link_ || negotiated_.pending() || !partner->negotiates) return;
  negotiated_.at(now + config_.link_timer * 3);
  raise(RXCFG, now);
}

// The link is up whatever the abilities are (802.3 clause 37: resolving them is left to management): NetBSD's wm
// advertises only pause.
void I8254x::negotiated(Time now) {
  const auto partner = port_.partner();
  if (!partner) return;
  resolve_pause(partner->ability);
  set_link(true, now);
}

// IEEE 802.3 table 37-4.
void I8254x::resolve_pause(std::uint16_t partner) {
  const std::uint32_t own = reg(TXCW) & pause_bits, other = partner & pause_bits;
  reg(CTRL) &= ~(CTRL_RFCE | CTRL_TFCE);
  if (own & other & net::Pcs::pause)
    reg(CTRL) |= CTRL_RFCE | CTRL_TFCE;
  else if (own == net::Pcs::asm_dir && other == pause_bits)
    reg(CTRL) |= CTRL_TFCE;
  else if (own == pause_bits && other == net::Pcs::asm_dir)
    reg(CTRL) |= CTRL_RFCE;
}

void I8254x::set_link(bool up, Time now) {
  if (up == link_) return;
  link_ = up;
  raise(LSC, now);
  if (up) try_send(now);
}

// ---- flow control ----

// A good frame has been received: returns whether it is a flow control frame, which is not passed on.
bool I8254x::pause_frame(std::span<const std::uint8_t> frame, Time now) {
  if (!(reg(CTRL) & CTRL_RFCE) || frame.size() < net::min_frame_bytes) return false;
  const std::uint64_t to = std::uint64_t{reg(FCAH) & 0xFFFF} << 32 | reg(FCAL);
  const std::uint64_t own = std::uint64_t{tables_[(RA - tables) / 4 + 1] & 0xFFFF} << 32 | tables_[(RA - tables) / 4];
  std::uint64_t address = 0;
  for (std::size_t n = 0; n < 6; ++n) address |= std::uint64_t{frame[n]} << (8 * n);
  if ((address != to && address != own) || frame_word(frame, 12) != reg(FCT)) return false;
  if (frame_word(frame, 14) != pause_opcode) {
    ++tally(FCRUC);
    return !(reg(RCTL) & RCTL_PMCF);
  }
  if (const std::uint16_t quanta = frame_word(frame, 16)) {
    ++tally(XOFFRXC);
    pause_over_.at(now + pause_quantum * std::int64_t{quanta});
  } else {
    ++tally(XONRXC);
    pause_over_.cancel();
    try_send(now);
  }
  return reg(RCTL) & RCTL_DPF;
}

/// The receiver's part of the packet buffer has filled or emptied.
void I8254x::watch_fill(Time now) {
  const std::uint32_t high = reg(FCRTH) & 0xFFF8, low = reg(FCRTL) & 0xFFF8, fill = receive_fill();
  if (!(reg(CTRL) & CTRL_TFCE) || high == 0) return;
  if (fill >= high && !xoff_sent_) {
    xoff_sent_ = true;
    pause_wanted_ = Pause::xoff;
  } else if (fill <= low && xoff_sent_) {
    xoff_sent_ = xoff_again_ = false;
    if (reg(FCRTL) & FCRTL_XONE) pause_wanted_ = Pause::xon;
  }
  try_send(now);
}

std::vector<std::uint8_t> I8254x::make_pause(bool xoff) const {
  std::vector<std::uint8_t> frame(pause_frame_bytes);
  const std::uint32_t own[] = {tables_[(RA - tables) / 4], tables_[(RA - tables) / 4 + 1]};
  for (std::size_t n = 0; n < 6; ++n) {
    frame[n] = static_cast<std::uint8_t>((n < 4 ? reg(FCAL) : reg(FCAH)) >> (8 * (n % 4)));
    frame[6 + n] = static_cast<std::uint8_t>(own[n / 4] >> (8 * (n % 4)));
  }
  frame[12] = static_cast<std::uint8_t>(reg(FCT) >> 8);
  frame[13] = static_cast<std::uint8_t>(reg(FCT));
  frame[15] = pause_opcode;
  frame[16] = static_cast<std::uint8_t>(xoff ? reg(FCTTV) >> 8 : 0);
  frame[17] = static_cast<std::uint8_t>(xoff ? reg(FCTTV) : 0);
  net::append_fcs(frame);
  return frame;
}

}  // namespace planar::ethernet
