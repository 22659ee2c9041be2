// SPDX-License-Identifier: GPL-2.0-or-later
// 82371SB (PIIX3), function 1: two IDE channels at their AT addresses, with bus masters.
//
//   20h BMIBA    base of the bus masters' 16 ports        40h, 42h IDETIM  per channel: 15 decode, 14 SIDETIM for drive
//   1, 44h SIDETIM  timing of drive 1                                13:12 sample point, 9:8 recovery, 3:0 and 7:4 of a
//   drive:
//                                                                 DMA timing only, prefetch, IORDY, fast timing
//
// A channel decodes 1F0-1F7h and 3F6h (170-177h and 376h) while its IDETIM bit 15 and PCICMD bit 0 are set: firmware
// sets both. Its interrupt is ISA's IRQ 14 or 15, an edge.
//
// Time: a cycle of the data port takes the compatible time, or with fast timing the sample point and the recovery time
// in clocks of PCI; DMA the same, at least 120 ns per word. With two drives of different settings on one channel the
// slower counts. Sources: docs/hardware/piix3.md#ide; ide.toml. Not modelled: prefetch and posting of the data port.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "bus/pci/function.hpp"
#include "bus/pci/slot.hpp"
#include "devices/adapter/storage_adapter.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/board/at/system/signal.hpp"
#include "devices/board/piix3/bus_master_ide.hpp"
#include "devices/storage/ide/ide_channel.hpp"

namespace planar {

class Piix3Ide final : public pci::Function, public StorageAdapter {
 public:
  static constexpr unsigned channels = 2;

  /// The function that is built after Piix3Isa in the same slot. `profile`: ide.toml's, as the machine file has it.
  Piix3Ide(pci::Slot& slot, const TimingProfile& profile);
  /// The profile that is built in.
  static TimingProfile profile();

  Output irq14, irq15;

  // StorageAdapter: 0 and 1 are the first channel's master and slave, 2 and 3 the second one's
  void attach(unsigned id, storage::DriveKind kind, std::optional<storage::DiskImage> image) override;
  const storage::Drive* drive(unsigned id) const override;
  void change_medium(unsigned id, std::optional<storage::DiskImage> image) override;
  bool busy() const override;

  storage::IdeChannel& channel(unsigned n) { return parts_.at(n)->drives; }

  void bus_reset(Time now) override;
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  /// A channel with what the bridge adds to it.
  struct Part final : storage::IdeHost, BusMasterIde::Host {
    Part(Piix3Ide& f, unsigned n, const storage::IdeTiming& timing);
    // IdeHost
    void ide_interrupt(bool asserted, Time now) override;
    void ide_dma_request(Time now) override { master.go_on(now); }
    // BusMasterIde::Host
    Time dma_word(unsigned) const override { return function.word_time(number, true); }

    Piix3Ide& function;
    const unsigned number;
    storage::IdeChannel drives;
    BusMasterIde master;
    IoClaim data, registers, control;
  };
  /// BMIBA's ports.
  struct Masters final : Slave {
    explicit Masters(Piix3Ide& f) : function(f) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time) override { return peek(offset, bytes); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    std::string_view register_name(std::uint32_t offset, Direction) const override;
    Piix3Ide& function;
  };

  void config_changed(unsigned reg, unsigned bytes, Time) override;
  void decode_channels();
  Time word_time(unsigned channel, bool dma) const;

  const Time compatible_;
  Masters masters_{*this};
  std::array<std::unique_ptr<Part>, channels> parts_;
};

}  // namespace planar
