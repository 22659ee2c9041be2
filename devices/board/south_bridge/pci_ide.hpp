// SPDX-License-Identifier: GPL-2.0-or-later
// The IDE function of a south bridge: two channels at their AT addresses, with bus masters (base address register 4, 16
// ports). A channel's interrupt is ISA's IRQ 14 or 15, edge-triggered. The chip determines when a channel decodes and
// how long a word takes through the data port or by DMA.
//
// Not modelled: prefetch and posting of the data port, native mode, Ultra DMA.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "bus/pci/function.hpp"
#include "bus/pci/slot.hpp"
#include "devices/adapter/storage_adapter.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/board/at/system/signal.hpp"
#include "devices/board/piix3/bus_master_ide.hpp"
#include "devices/storage/ide/ide_channel.hpp"

namespace planar {

class PciIde : public pci::Function, public StorageAdapter {
 public:
  static constexpr unsigned channels = 2;

  /// Must be the function built after the ISA bridge in the same slot. `profile`: ide.toml's, as given by the machine
  /// file.
  PciIde(pci::Slot& slot, const pci::Identity& identity, const TimingProfile& profile);
  /// The built-in profile.
  static TimingProfile profile();

  Output irq14, irq15;

  // StorageAdapter: 0 and 1 are the first channel's master and slave, 2 and 3 the second one's
  void attach(unsigned id, storage::DriveKind kind, std::optional<storage::DiskImage> image) override;
  const storage::Drive* drive(unsigned id) const override;
  void change_medium(unsigned id, std::optional<storage::DiskImage> image) override;
  bool busy() const override;

  storage::IdeChannel& channel(unsigned n) { return parts_.at(n)->drives; }

  void bus_reset(Time now) override;
  virtual const char* name() const = 0;  ///< "piix3"
  void describe(Description& d) const;
  void archive(Archive& a);

 protected:
  /// Whether channel `n` responds at its AT addresses while I/O space is enabled.
  virtual bool decodes_channel(unsigned n) const = 0;
  /// Duration of one word of drive `drive` of a channel in its present mode: through the data port, or by DMA.
  virtual Time word_time(unsigned channel, unsigned drive, bool dma) const = 0;
  virtual void describe_timing(Description& d) const = 0;
  /// To be called when a register that the two depend on has been written.
  void decode_channels();
  /// Duration of one word through the data port in an AT.
  Time compatible() const { return compatible_; }

 private:
  /// A channel and the bridge's additions to it.
  struct Part final : storage::IdeHost, BusMasterIde::Host {
    Part(PciIde& f, unsigned n, const storage::IdeTiming& timing);
    // IdeHost
    void ide_interrupt(bool asserted, Time now) override;
    void ide_dma_request(Time now) override { master.go_on(now); }
    // BusMasterIde::Host
    Time dma_word(unsigned) const override { return function.slower_word(number, true); }

    PciIde& function;
    const unsigned number;
    storage::IdeChannel drives;
    BusMasterIde master;
    IoClaim data, registers, control;
  };
  /// BMIBA's ports.
  struct Masters final : Slave {
    explicit Masters(PciIde& f) : function(f) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    std::string_view register_name(std::uint32_t offset, Direction) const override;
    PciIde& function;
  };

  void config_changed(unsigned reg, unsigned bytes, Time) override;
  Time slower_word(unsigned channel, bool dma) const;

  const Time compatible_;
  Masters masters_{*this};
  std::array<std::unique_ptr<Part>, channels> parts_;
};

}  // namespace planar
