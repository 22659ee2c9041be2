// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/tulip/tulip_nway.hpp"

#include <utility>

#include "core/common/error.hpp"

namespace planar::ethernet {
namespace {

// Abilities of a station (IEEE 802.3 clause 28.2.1.2).
enum Ability : std::uint32_t { half_10 = 0x0020, full_10 = 0x0040, half_100 = 0x0080, full_100 = 0x0100 };
constexpr std::uint32_t acknowledged_802_3 = 0x4001;
/// Polarity good, and bits that always read 1, as in public logs of the PNIC-II's driver.
constexpr std::uint32_t ones_of_csr12 = 0xC8;
/// All abilities. [recalled] 21143 hardware reference: all ones; drivers that never write CSR14 negotiate 100BASE-TX.
constexpr std::uint32_t control_after_reset = 0xFFFFF;
constexpr std::uint64_t fast = 100'000'000;

std::uint32_t offered_by(const net::EthernetLink& link) {
  std::uint32_t offers = acknowledged_802_3 | half_10;
  if (link.full_duplex) offers |= full_10;
  if (link.bits_per_second >= fast) offers |= half_100;
  if (link.bits_per_second >= fast && link.full_duplex) offers |= full_100;
  return offers;
}

}  // namespace

TulipNway::TulipNway(Scheduler& scheduler, std::string name, const net::EthernetPort& port,
                     const TulipNwayConfig& config, TulipNwayUser& user)
    : port_(port),
      config_(config),
      user_(user),
      settled_(scheduler, std::move(name), Priority::device, Callback::to<&TulipNway::settle>(this)) {
  reset(Time{});
}

void TulipNway::reset(Time) {
  sia_ = general_ = 0;
  control_ = control_after_reset;
  selected_ = Port::ten;
  full_duplex_ = false;
  state_ = State::disabled;
  partner_ = 0;
  link_10_ = link_100_ = false;
  settled_.cancel();
}

// ---- registers ----

std::uint32_t TulipNway::read(unsigned csr) const {
  switch (csr) {
    case 12:
      return ones_of_csr12 | std::uint32_t{partner_} << 16 | (partner_ ? LPN : 0u) |
             static_cast<std::uint32_t>(state_) << 12 | (link_10_ ? 0u : LS10) | (link_100_ ? 0u : LS100);
    case 13: return sia_;
    case 14: return control_;
    default: return general_;
  }
}

void TulipNway::write(unsigned csr, std::uint32_t value, Time now) {
  switch (csr) {
    case 12:
      if ((value & ANS) == static_cast<std::uint32_t>(State::break_link) << 12 && negotiates()) negotiate(now);
      break;
    case 13:
    case 14: {
      const bool negotiated = negotiates(), was_nway = nway_port();
      if (csr == 13)
        sia_ = value & 0xFFFF;
      else
        control_ = value & 0xFFFFF;
      if (negotiated || nway_port()) port_changed(was_nway, now);
      break;
    }
    default: general_ = value; break;
  }
}

void TulipNway::select(Port port, bool full_duplex, Time now) {
  const bool was_nway = nway_port();
  full_duplex_ = full_duplex;
  if (std::exchange(selected_, port) != port) port_changed(was_nway, now);
}

void TulipNway::port_changed(bool was_nway, Time now) {
  if (nway_port() && !was_nway)
    negotiate(now);
  else
    look_for_signal(now);
}

// ---- the link ----

// The port chosen by negotiation has its link; any other port has to find its signal.
void TulipNway::look_for_signal(Time now) {
  if (!connected() && !negotiates()) settled_.at(now + config_.lock);
}

void TulipNway::negotiate(Time now) {
  state_ = State::break_link;
  partner_ = 0;
  link_10_ = link_100_ = false;
  settled_.at(now + config_.negotiation);
}

void TulipNway::settle(Time now) {
  const net::EthernetLink wire = port_.link();
  const bool wire_100 = wire.bits_per_second >= fast;
  if (!negotiates()) {
    const bool at_100 = selected_ == Port::fast;
    set_links(!at_100 && wire.present && !wire_100, at_100 && wire.present && wire_100, now);
    return;
  }
  if (!wire.present) {
    state_ = State::ability_detect;  // medium_changed() continues
    return;
  }
  partner_ = static_cast<std::uint16_t>(offered_by(wire));
  state_ = State::complete;
  const std::uint32_t offered = (control_ & TXF ? full_100 : 0u) | (control_ & TXH ? half_100 : 0u) |
                                (full_duplex_ ? full_10 : 0u) | (control_ & HDE ? half_10 : 0u);
  const std::uint32_t common = offered & partner_;
  const bool chosen_100 = common & (full_100 | half_100);
  link_100_ = chosen_100 && wire_100;
  link_10_ = !chosen_100 && common && !wire_100;
  user_.link_event(TulipNwayUser::LinkEvent::passed, now);
}

void TulipNway::set_links(bool at_10, bool at_100, Time now) {
  const bool changed_10 = std::exchange(link_10_, at_10) != at_10;
  const bool changed_100 = std::exchange(link_100_, at_100) != at_100;
  if (selected_ == Port::fast && changed_100) user_.link_event(TulipNwayUser::LinkEvent::changed, now);
  if (selected_ != Port::fast && (changed_10 || changed_100))
    user_.link_event(at_10 || at_100 ? TulipNwayUser::LinkEvent::passed : TulipNwayUser::LinkEvent::failed, now);
}

void TulipNway::medium_changed(bool up, Time now) {
  if (!up) {
    settled_.cancel();
    if (state_ != State::disabled) state_ = State::ability_detect;
    set_links(false, false, now);
    return;
  }
  if (negotiates() && state_ != State::disabled)
    negotiate(now);
  else
    look_for_signal(now);
}

// ---- ----

void TulipNway::describe(Description& d) const {
  d.activity("link", connected() ? "up" : settled_.pending() ? "is coming" : "down");
  for (unsigned csr = 12; csr < 16; ++csr) d.reg("CSR" + std::to_string(csr), read(csr), 32);
}

void TulipNway::archive(Archive& a) {
  a(sia_, control_, general_, selected_, full_duplex_, state_, partner_, link_10_, link_100_, settled_);
  if (a.loading() && (state_ > State::complete || selected_ > Port::nway))
    throw Error("snapshot holds a damaged auto-negotiation; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
