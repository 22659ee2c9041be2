// SPDX-License-Identifier: GPL-2.0-or-later
// An ATA hard disk backed by a disk image.
//
// Commands: RECALIBRATE, READ and WRITE SECTORS, READ VERIFY, SEEK, EXECUTE DEVICE DIAGNOSTIC, INITIALIZE DEVICE
// PARAMETERS, READ and WRITE MULTIPLE, SET MULTIPLE MODE, READ and WRITE DMA, the power commands, FLUSH CACHE, IDENTIFY
// DEVICE, SET FEATURES (transfer mode, read-ahead). All others are aborted. Addresses are 28-bit LBA, or cylinder, head
// and sector in the translation set by INITIALIZE DEVICE PARAMETERS. Facts: ATA-3 (X3.298-1997).
//
// A written block is taken into the drive's buffer; the command ends when the last one is on the medium. Not modelled:
// a write cache (SET FEATURES aborts it), Ultra DMA, long reads and writes, security, SMART, spin-down (the power
// commands succeed without effect).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "devices/storage/ide/ide_device.hpp"

namespace planar::storage {

class AtaDisk final : public IdeDevice {
 public:
  AtaDisk(Scheduler& scheduler, Trace& trace, std::string name, IdeCable& cable, const IdeTiming& timing,
          DiskImage image);

  const Drive& drive() const override { return medium_; }
  void change_medium(std::optional<DiskImage> image) override;

 private:
  /// Maximum sectors per block of READ and WRITE MULTIPLE, and per piece of a DMA transfer.
  static constexpr std::uint32_t most_multiple = 16;
  enum : std::uint8_t { read_step = own_step, write_step };

  struct Medium final : Drive {
    explicit Medium(DiskImage image) : Drive(DriveKind::disk, std::move(image)) {}
    DiskImage& image() { return *image_; }
    using Drive::image;
  };
  struct Geometry {
    std::uint16_t cylinders = 1;
    std::uint8_t heads = 16, sectors = 63;
    void archive(Archive& a) { a(cylinders, heads, sectors); }
  };

  // IdeDevice
  void execute(std::uint8_t command, Time now) override;
  void step(std::uint8_t step, Time now) override;
  void block_moved(Time now) override;
  std::array<std::uint8_t, 2> signature() const override { return {0, 0}; }
  std::uint8_t reset_status() const override { return ide_drdy | ide_dsc; }
  void lose_settings() override;
  void reset_drive() override { mechanics_.reset(); }
  void describe_drive(Description& d) const override;
  void archive_drive(Archive& a) override;

  Geometry geometry(std::uint8_t heads, std::uint8_t sectors) const;
  std::uint32_t sectors() const;
  std::optional<std::uint32_t> address() const;
  void set_address(std::uint32_t sector);
  bool begin(std::uint32_t per_block, bool dma, bool reads, Time now);
  void next_read(Time now);
  void write_block(Time now);
  void verify(Time now);
  void bad_sector(std::uint8_t error, Time now);
  void settle(Time when) { busy_until(when, complete_step); }
  void set_features(Time now);
  void identify(Time now);
  void identification();
  void word(unsigned n, std::uint32_t value);
  void text(unsigned n, std::string_view text, unsigned words);

  Medium medium_;
  Mechanics mechanics_;
  Geometry translation_;
  std::uint8_t multiple_ = 0;     // 0: not set
  std::uint8_t dma_mode_ = 0x02;  // multiword DMA mode
  // the command in progress
  std::uint32_t sector_ = 0, left_ = 0, per_block_ = 1;
  bool moves_by_dma_ = false;
  bool reads_ = false;
  bool identifies_ = false;
};

}  // namespace planar::storage
