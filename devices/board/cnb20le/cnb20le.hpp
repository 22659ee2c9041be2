// SPDX-License-Identifier: GPL-2.0-or-later
// ServerWorks CNB20LE, the host bridge of the ServerSet III LE, as two functions of device 0 on bus 0: function 0 is
// the bridge of bus 0, 32 bits at 33 MHz, function 1 that of a peer bus, 64 bits at 66 MHz. Their handling of accesses
// is in bus/host and bus/pci; this file has their registers.
//
//   44h first and 45h last bus number of the function: 0 and 0, 1 and 1 after a reset [inferred: what firmware
//       leaves in real machines]; the first one of function 1 is the peer segment's number
//   C0h, C2h memory window, C4h, C6h prefetchable memory window (addresses 31:16, first and last)
//   D0h, D2h port window
//
// Its data book is not public. Sources: Linux 2.2.16 bios32.c and FreeBSD's pci_bus.c (bus numbers), Linux
// arch/x86/pci/broadcom_bus.c (windows), lspci of such machines on the Linux kernel list (identity, revision, COMMAND,
// STATUS). Not modelled: all other registers, which read 0; the windows are stored without effect, as devices decode by
// their base addresses.
#pragma once

#include <cstdint>

#include "bus/pci/segment.hpp"
#include "devices/board/north_bridge/north_bridge.hpp"

namespace planar {

class Cnb20le final : public NorthBridge {
 public:
  enum Register : std::uint8_t {
    FIRST_BUS = 0x44,
    LAST_BUS = 0x45,
    MEMORY_WINDOW = 0xC0,
    PREFETCH_WINDOW = 0xC4,
    IO_WINDOW = 0xD0,
  };

  /// `peer`: the segment of the second bus.
  Cnb20le(pci::Slot& slot, pci::Segment& peer);

  const char* name() const override { return "cnb20le"; }
  void describe(Description& d) const override;
  void archive(Archive& a) override;

 private:
  /// Function 1.
  class Peer final : public pci::Function {
   public:
    Peer(pci::Slot& slot, pci::Segment& segment);
    void bus_reset(Time now) override;
    void describe(Description& d) const;
    void archive(Archive& a);

   private:
    void config_changed(unsigned reg, unsigned bytes, Time now) override;
    void number_segment();
    pci::Segment& segment_;
  };
  Peer peer_;
};

}  // namespace planar
