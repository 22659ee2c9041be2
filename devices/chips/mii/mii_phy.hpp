// SPDX-License-Identifier: GPL-2.0-or-later
// The management side of a 10/100 Mbit/s PHY: the registers of MII management and the state of the link.
//
//   reg 0 BMCR   15 reset, 14 loopback, 13 100 Mbit/s, 12 auto-negotiation, 11 power down, 10 isolate, 9 restart
//                auto-negotiation, 8 full duplex, 7 collision test
//       1 BMSR   15:11 abilities, 6 preamble suppression, 5 auto-negotiation complete, 3 able to auto-negotiate, 2 link
//                (latched low), 0 extended registers
//       2, 3     identifier        4 ANAR  what it offers        5 ANLPAR  what the partner offers
//       6 ANER   1 page received (cleared by a read), 0 partner can auto-negotiate
//       others   the chip's (MiiPhyUser), 0 without one
//
// A cable, power-up, reset, or a restart takes the link down; after `negotiation` (auto-negotiation) or `lock` (forced
// mode) it comes up if there is something at the other end. The partner is the segment: it offers everything up to the
// segment's rate and duplex (100 Mbit/s full duplex 41E1h, half 40A1h; 10 Mbit/s full 4061h, half 4021h).
//
// The frames themselves go from the MAC to its EthernetPort; the MAC checks with connected() whether the PHY passes
// them.
//
// Not modelled: a segment never changes its rate or duplex for a station. If another rate is agreed or forced, the link
// stays down; with another duplex mode there is a link, and the segment keeps its own mode. Next pages, a partner that
// cannot auto-negotiate (parallel detection), remote fault, 100BASE-T4, jabber and collision test (the bit is kept).
// Sources: IEEE 802.3-2002 clauses 22.2.4 (registers) and 28 (auto-negotiation), as the drivers of the period use them.
#pragma once

#include <cstdint>
#include <string>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// A PHY's part number and times; the times come from the card's profile.
struct MiiPhyConfig {
  std::uint16_t id1 = 0, id2 = 0;  ///< registers 2 and 3
  std::uint16_t control = 0x3000;  ///< BMCR after reset
  bool preamble_suppression = false;
  Time reset{};        ///< how long BMCR bit 15 reads 1
  Time negotiation{};  ///< from the start of auto-negotiation to the link
  Time lock{};         ///< from a signal to the link, without auto-negotiation
};

/// What a PHY is part of.
class MiiPhyUser {
 public:
  /// The link has come up or gone down.
  virtual void phy_link_changed(bool /*up*/, Time /*now*/) {}
  /// Register 0 to 6 has been read over MII management.
  virtual void phy_register_read(unsigned /*reg*/, Time /*now*/) {}
  /// Registers 7 to 31. They are archived by their owner.
  virtual std::uint16_t vendor_peek(unsigned /*reg*/) const { return 0; }
  virtual std::uint16_t vendor_read(unsigned reg, Time /*now*/) { return vendor_peek(reg); }
  virtual void vendor_write(unsigned /*reg*/, std::uint16_t /*value*/, Time /*now*/) {}

 protected:
  ~MiiPhyUser() = default;
};

class MiiPhy {
 public:
  static constexpr unsigned registers = 32;
  enum Register : unsigned { BMCR, BMSR, PHYID1, PHYID2, ANAR, ANLPAR, ANER };
  enum Bmcr : std::uint16_t {
    RESET = 0x8000,
    LOOPBACK = 0x4000,
    SPEED_100 = 0x2000,
    AN_ENABLE = 0x1000,
    POWER_DOWN = 0x0800,
    ISOLATE = 0x0400,
    AN_RESTART = 0x0200,
    DUPLEX_FULL = 0x0100,
    COLLISION_TEST = 0x0080,
  };
  enum Bmsr : std::uint16_t {
    ABILITIES = 0x7800,  // 100BASE-TX and 10BASE-T, full and half duplex
    MF_PREAMBLE = 0x0040,
    AN_COMPLETE = 0x0020,
    AN_ABLE = 0x0008,
    LINK = 0x0004,
    EXTENDED = 0x0001,
  };
  /// Of ANAR and ANLPAR.
  enum Ability : std::uint16_t {
    ACKNOWLEDGE = 0x4000,
    TX_FULL = 0x0100,
    TX_HALF = 0x0080,
    T_FULL = 0x0040,
    T_HALF = 0x0020,
    SELECTOR_802_3 = 0x0001,
  };
  enum Aner : std::uint16_t { PAGE_RECEIVED = 2, PARTNER_ABLE = 1 };

  /// Powered up now, with auto-negotiation under way. `name` in traces: "slot1.rtl8139.phy".
  MiiPhy(Scheduler& scheduler, std::string name, const net::EthernetPort& port, const MiiPhyConfig& config,
         MiiPhyUser& user);

  /// Register `reg` 0 to 31, as MII management reads it.
  std::uint16_t read(unsigned reg, Time now);
  std::uint16_t peek(unsigned reg, Time now) const;
  void write(unsigned reg, std::uint16_t value, Time now);
  static std::string_view register_name(unsigned reg);

  /// The reset pin: resets all registers; the link comes up again.
  void reset(Time now);
  /// For the MAC's EthernetStation::link_changed().
  void medium_changed(Time now) { start(now); }

  bool link() const { return link_; }
  /// Of the link, or of the last one.
  bool full_duplex() const { return full_duplex_; }
  unsigned mbit() const { return mbit_; }
  /// Frames pass between MAC and wire.
  bool connected() const { return link_ && !(control_ & (ISOLATE | LOOPBACK)); }
  /// The MAC hears what it sends, and nothing else.
  bool loopback() const { return control_ & LOOPBACK; }
  bool preamble_suppression() const { return config_.preamble_suppression; }

  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  void write_control(std::uint16_t value, Time now);
  /// The link goes down; it comes up again after its time.
  void start(Time now);
  void settle(Time now);
  void set_link(bool up, Time now);

  const net::EthernetPort& port_;
  const MiiPhyConfig config_;
  MiiPhyUser& user_;

  std::uint16_t control_, advertisement_ = 0, partner_ = 0;
  bool complete_ = false, page_received_ = false;
  bool link_ = false, full_duplex_ = false;
  bool link_failed_ = true;  // since BMSR was last read: its link bit reads 0 once
  unsigned mbit_ = 10;
  Time reset_until_{};
  Event settled_;
};

}  // namespace planar::ethernet
