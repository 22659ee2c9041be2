// SPDX-License-Identifier: GPL-2.0-or-later
// The transceivers inside the chip and its auto-negotiation, CSR12 to CSR15.
//
//   CSR12  status   31:16 what the partner offers, 15 it can negotiate, 14:12 state, 2 LS10 and 1 LS100: no link
//                   write 14:12 = 1: negotiate
//   CSR13  SIA      kept: negotiation needs no bit of it (pnic2.c writes it only afterwards)
//   CSR14  control  19 to 16 what is offered: pause, 100BASE-T4, 100BASE-TX full, half; 7 negotiate; 6 10BASE-T half
//   CSR15  port     kept
//
//   CSR14.7   CSR6.18 (port select)   CSR6.24 (scrambler)   port
//      1             0                     1                NWAY: the one that negotiation chose
//      1             0                     0                negotiation, or the 10BASE-T that it chose
//      0             0                     x                10BASE-T
//      x             1                     x                100BASE-TX
//
// 10BASE-T full duplex is offered with CSR6.9. A successful negotiation sets LNP in CSR5 and shows the link at the
// chosen rate. With the NWAY port that is all: it negotiates when it is selected, and frames pass at either rate
// (Becker's tulip.c 0.92 and Etherboot write CSR6 = 01000000h after a reset, and never CSR12 to CSR14). With other
// settings the driver starts the negotiation and then selects the port. After that a link that comes up or goes down
// sets LC at 100 Mbit/s, LNP or LNF at 10. The partner is the segment: it offers everything up to the segment's rate
// and duplex.
//
// Not modelled: 100BASE-T4, pause, remote fault, a partner that cannot negotiate, AUI; a segment keeps its rate and
// duplex whatever the driver selects, and a port of another rate has no link.
// Sources: Linux tulip.c 0.91g (t21142_start_nway, t21142_lnk_change) and pnic2.c, which summarises the PNIC-II's data
// sheet ("Data Port Selection"); tulip.c 0.92 (nway_start, nway_lnk_change) and Etherboot's; IEEE 802.3u clause 28.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

struct TulipNwayConfig {
  Time negotiation{};  ///< from its start to the link
  Time lock{};         ///< from a signal on the selected port to the link
};

/// The chip around it.
class TulipNwayUser {
 public:
  enum class LinkEvent : std::uint8_t {
    passed,   ///< negotiation complete, or 10BASE-T link good: CSR5 LNP
    failed,   ///< 10BASE-T or negotiated link lost: CSR5 LNF
    changed,  ///< 100BASE-TX link come or gone: CSR5 LC
  };
  virtual void link_event(LinkEvent event, Time now) = 0;

 protected:
  ~TulipNwayUser() = default;
};

class TulipNway {
 public:
  enum Csr12 : std::uint32_t { LS100 = 0x0002, LS10 = 0x0004, ANS = 0x7000, LPN = 0x8000 };
  enum Csr14 : std::uint32_t { HDE = 0x0040, ANE = 0x0080, TXH = 0x10000, TXF = 0x20000 };
  /// CSR12<14:12>.
  enum class State : std::uint8_t { disabled, break_link, ability_detect, acknowledge, complete_acknowledge, complete };

  TulipNway(Scheduler& scheduler, std::string name, const net::EthernetPort& port, const TulipNwayConfig& config,
            TulipNwayUser& user);

  /// `csr` 12 to 15.
  std::uint32_t read(unsigned csr) const;
  void write(unsigned csr, std::uint32_t value, Time now);
  /// By CSR6 bits 18 and 24.
  enum class Port : std::uint8_t { ten, fast, nway };
  /// CSR6 has been written: `full_duplex` is its bit 9.
  void select(Port port, bool full_duplex, Time now);
  /// For EthernetStation::link_changed().
  void medium_changed(bool up, Time now);
  void reset(Time now);

  /// The selected port has a link: frames pass.
  bool connected() const { return selected_ == Port::fast ? link_100_ : link_10_ || (nway_port() && link_100_); }
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  bool negotiates() const { return selected_ != Port::fast && control_ & ANE; }
  bool nway_port() const { return selected_ == Port::nway && control_ & ANE; }
  void port_changed(bool was_nway, Time now);
  void look_for_signal(Time now);
  void negotiate(Time now);
  void settle(Time now);
  void set_links(bool at_10, bool at_100, Time now);

  const net::EthernetPort& port_;
  const TulipNwayConfig config_;
  TulipNwayUser& user_;
  std::uint32_t sia_ = 0, control_ = 0, general_ = 0;
  Port selected_ = Port::ten;
  bool full_duplex_ = false;
  State state_ = State::disabled;
  std::uint16_t partner_ = 0;  // 0: not known
  bool link_10_ = false, link_100_ = false;
  Event settled_;
};

}  // namespace planar::ethernet
