// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/mii/mii_phy.hpp"

#include <utility>

#include "core/common/error.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint16_t all_abilities = MiiPhy::TX_FULL | MiiPhy::TX_HALF | MiiPhy::T_FULL | MiiPhy::T_HALF;
constexpr std::uint16_t kept_control = MiiPhy::LOOPBACK | MiiPhy::SPEED_100 | MiiPhy::AN_ENABLE | MiiPhy::POWER_DOWN |
                                       MiiPhy::ISOLATE | MiiPhy::DUPLEX_FULL | MiiPhy::COLLISION_TEST;
constexpr std::uint16_t kept_advertisement = 0x3FFF;  // no next pages; the protocol itself controls acknowledge

unsigned mbit_of(const net::EthernetLink& link) { return static_cast<unsigned>(link.bits_per_second / 1'000'000); }

std::uint16_t partner_abilities(const net::EthernetLink& link) {
  std::uint16_t offers = MiiPhy::ACKNOWLEDGE | MiiPhy::SELECTOR_802_3 | MiiPhy::T_HALF;
  if (link.full_duplex) offers |= MiiPhy::T_FULL;
  if (mbit_of(link) >= 100) offers |= MiiPhy::TX_HALF | (link.full_duplex ? MiiPhy::TX_FULL : 0);
  return offers;
}

}  // namespace

MiiPhy::MiiPhy(Scheduler& scheduler, std::string name, const net::EthernetPort& port, const MiiPhyConfig& config,
               MiiPhyUser& user)
    : port_(port),
      config_(config),
      user_(user),
      control_(config.control),
      advertisement_(all_abilities | SELECTOR_802_3),
      settled_(scheduler, std::move(name), Priority::device, Callback::to<&MiiPhy::settle>(this)) {
  start(scheduler.now());
}

std::string_view MiiPhy::register_name(unsigned reg) {
  constexpr std::string_view names[] = {"BMCR", "BMSR", "PHYID1", "PHYID2", "ANAR", "ANLPAR", "ANER"};
  return reg <= ANER ? names[reg] : "vendor";
}

// ---- registers ----

std::uint16_t MiiPhy::peek(unsigned reg, Time now) const {
  switch (reg) {
    case BMCR: return static_cast<std::uint16_t>(control_ | (now < reset_until_ ? RESET : 0));
    case BMSR:
      return static_cast<std::uint16_t>(ABILITIES | AN_ABLE | EXTENDED |
                                        (config_.preamble_suppression ? MF_PREAMBLE : 0) |
                                        (complete_ ? AN_COMPLETE : 0) | (link_ && !link_failed_ ? LINK : 0));
    case PHYID1: return config_.id1;
    case PHYID2: return config_.id2;
    case ANAR: return advertisement_;
    case ANLPAR: return partner_;
    case ANER: return static_cast<std::uint16_t>((page_received_ ? PAGE_RECEIVED : 0) | (partner_ ? PARTNER_ABLE : 0));
    default: return reg < registers ? user_.vendor_peek(reg) : 0xFFFF;
  }
}

std::uint16_t MiiPhy::read(unsigned reg, Time now) {
  if (reg > ANER && reg < registers) return user_.vendor_read(reg, now);
  const std::uint16_t value = peek(reg, now);
  if (reg == BMSR) link_failed_ = !link_;
  if (reg == ANER) page_received_ = false;
  if (reg <= ANER) user_.phy_register_read(reg, now);
  return value;
}

void MiiPhy::write(unsigned reg, std::uint16_t value, Time now) {
  if (reg == BMCR)
    write_control(value, now);
  else if (reg == ANAR)
    advertisement_ = value & kept_advertisement;
  else if (reg > ANER && reg < registers)
    user_.vendor_write(reg, value, now);
}

void MiiPhy::write_control(std::uint16_t value, Time now) {
  if (value & RESET) {
    reset(now);
    reset_until_ = now + config_.reset;
    return;
  }
  constexpr std::uint16_t mode = AN_ENABLE | POWER_DOWN, forced = SPEED_100 | DUPLEX_FULL;
  const std::uint16_t before = std::exchange(control_, static_cast<std::uint16_t>(value & kept_control));
  const std::uint16_t changed = before ^ control_;
  const bool negotiates = control_ & AN_ENABLE;
  if (changed & mode || (negotiates && value & AN_RESTART) || (!negotiates && changed & forced)) start(now);
}

void MiiPhy::reset(Time now) {
  control_ = config_.control;
  advertisement_ = all_abilities | SELECTOR_802_3;
  reset_until_ = {};
  start(now);
}

// ---- the link ----

void MiiPhy::start(Time now) {
  complete_ = page_received_ = false;
  partner_ = 0;
  set_link(false, now);
  if (control_ & POWER_DOWN)
    settled_.cancel();
  else
    settled_.at(now + (control_ & AN_ENABLE ? config_.negotiation : config_.lock));
}

void MiiPhy::settle(Time now) {
  const net::EthernetLink wire = port_.link();
  if (!wire.present) return;  // medium_changed() starts negotiation again
  mbit_ = control_ & SPEED_100 ? 100 : 10;
  full_duplex_ = control_ & DUPLEX_FULL;
  if (control_ & AN_ENABLE) {
    partner_ = partner_abilities(wire);
    complete_ = page_received_ = true;
    const unsigned common = partner_ & advertisement_;
    if (!(common & all_abilities)) return;
    // The best mode that both offer (IEEE 802.3 annex 28B.3).
    mbit_ = common & (TX_FULL | TX_HALF) ? 100 : 10;
    full_duplex_ = common & TX_FULL || (!(common & TX_HALF) && common & T_FULL);
  }
  set_link(mbit_ == mbit_of(wire), now);
}

void MiiPhy::set_link(bool up, Time now) {
  if (!up) link_failed_ = true;
  if (std::exchange(link_, up) != up) user_.phy_link_changed(up, now);
}

// ---- ----

void MiiPhy::describe(Description& d, Time now) const {
  d.activity("link", !link_ ? settled_.pending() ? "is coming" : "down" : full_duplex_ ? "full duplex" : "half duplex");
  d.number("Mbit/s", mbit_);
  for (unsigned reg = BMCR; reg <= ANER; ++reg) d.reg(register_name(reg), peek(reg, now), 16);
}

void MiiPhy::archive(Archive& a) {
  a.section("mii phy", 1);
  a(control_, advertisement_, partner_, complete_, page_received_, link_, full_duplex_, link_failed_, mbit_,
    reset_until_);
  settled_.archive(a);
  if (a.loading() && mbit_ != 10 && mbit_ != 100)
    throw Error("snapshot holds a damaged PHY; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
