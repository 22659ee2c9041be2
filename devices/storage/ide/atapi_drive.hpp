// SPDX-License-Identifier: GPL-2.0-or-later
// An ATAPI CD-ROM drive: a SCSI drive whose commands are sent in packets on an IDE cable.
//
//   PACKET -> the drive takes 12 bytes of command -> data in blocks of at most the byte count requested in cylinder low
//   and high, or by DMA -> the end: status, and the sense key in the error register
//
// Every step except the packet's begins with an interrupt; the count register gives its reason (bit 0 command or end,
// bit 1 to the host). Commands of its own: PACKET, IDENTIFY PACKET DEVICE, DEVICE RESET, SET FEATURES (transfer mode),
// the power commands; IDENTIFY DEVICE is aborted with the signature EB14h in the cylinder registers, which identifies
// the drive. The packets' commands are executed by ScsiDrive. Facts: SFF-8020i; ATA-3.
//
// Not modelled: overlapped commands, audio.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "devices/storage/drive/scsi_drive.hpp"
#include "devices/storage/ide/ide_device.hpp"

namespace planar::storage {

class AtapiDrive final : public IdeDevice {
 public:
  AtapiDrive(Scheduler& scheduler, Trace& trace, std::string name, IdeCable& cable, const IdeTiming& timing,
             std::optional<DiskImage> image);

  const Drive& drive() const override { return drive_; }
  void change_medium(std::optional<DiskImage> image) override { drive_.change_medium(std::move(image)); }

 private:
  static constexpr std::uint32_t packet_bytes = 12;
  static constexpr std::uint32_t piece_bytes = 16 * 2048;
  enum : std::uint8_t { packet_step = own_step, fetched_step, chunk_step, end_step, identify_step };
  enum class Phase : std::uint8_t { none, packet, in, out, identify };

  // IdeDevice
  void execute(std::uint8_t command, Time now) override;
  void step(std::uint8_t step, Time now) override;
  void block_moved(Time now) override;
  std::array<std::uint8_t, 2> signature() const override { return {0x14, 0xEB}; }
  std::uint8_t reset_status() const override { return 0; }
  void lose_settings() override { dma_mode_ = 0x02; }
  void reset_drive() override;
  void describe_drive(Description& d) const override;
  void archive_drive(Archive& a) override;

  void packet_taken(Time now);
  void next_piece(Time now);
  void open_chunk(Time now);
  void end(Time now);
  void check(Time now);
  void identify();

  ScsiDrive drive_;
  std::uint8_t dma_mode_ = 0x02;  // multiword DMA mode
  Phase phase_ = Phase::none;
  bool by_dma_ = false;
  std::uint32_t limit_ = 0;          // maximum block by port
  std::uint32_t left_ = 0;           // rest of the data phase, not yet in piece_ or taken
  std::vector<std::uint8_t> piece_;  // read from the drive
  std::uint32_t piece_at_ = 0;       // bytes given to the host
  std::uint32_t chunk_ = 0;          // the block being moved by the host
};

}  // namespace planar::storage
