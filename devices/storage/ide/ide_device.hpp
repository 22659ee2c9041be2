// SPDX-License-Identifier: GPL-2.0-or-later
// What disks and packet devices on an IDE cable have in common: command block registers, status and interrupt, data
// blocks moved by the host through the port or by DMA, resets and the signature.
//
//   command -> BSY -> a block of data: DRQ, and an interrupt -> the host moves it -> BSY -> ... -> the end
//
// Sources: ATA-3 (X3.298-1997), chapters 6 to 8. Time: ide.toml.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/memory/port_run.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/storage/drive/drive.hpp"
#include "devices/storage/drive/mechanics.hpp"
#include "devices/storage/ide/ide_fields.hpp"

namespace planar::storage {

/// The drives of a machine's IDE channels.
struct IdeTiming {
  Time command;  ///< a command without medium access: from its write to its end
  Time gap;      ///< minimum time between two data blocks
  Time packet;   ///< from PACKET until the drive accepts the packet
  Time reset;    ///< how long a drive is busy after a reset
  DriveTiming disk, cdrom;

  /// Reads the values from ide.toml.
  static IdeTiming read(const TimingProfile& profile);
};

/// The device's side of the cable.
class IdeCable {
 public:
  /// INTRQ of a device has changed.
  virtual void interrupt_changed(Time now) = 0;
  /// A device asserts DMARQ: IdeDevice::dma_data() is ready to be moved.
  virtual void dma_requested(Time now) = 0;

 protected:
  ~IdeCable() = default;
};

class IdeDevice {
 public:
  IdeDevice(const IdeDevice&) = delete;
  virtual ~IdeDevice() = default;

  virtual const Drive& drive() const = 0;
  /// Changes the medium; a CD-ROM drive may be left without one.
  virtual void change_medium(std::optional<DiskImage> image) = 0;

  // ---- accesses by the host, passed on by the channel ----
  /// Registers 1 to 6; ignored while the device is busy or moves data.
  void write_register(unsigned reg, std::uint8_t value);
  /// Registers 1 to 6; a busy device returns its status.
  std::uint8_t read_register(unsigned reg) const;
  std::uint8_t status() const { return status_; }
  /// Reading the status register clears the interrupt.
  void acknowledge(Time now) { set_interrupt(false, now); }
  void write_command(std::uint8_t command, Time now);
  bool interrupt() const { return interrupt_; }

  /// The data register: one word. All ones if there is no block to read.
  std::uint16_t read_data(Time now);
  std::uint16_t peek_data() const;
  void write_data(std::uint16_t value, Time now);
  /// The rest of the block moved through the data register; empty if the block's direction is the other.
  std::span<std::uint8_t> port_data(Direction direction);
  void port_moved(std::size_t bytes, Time now) { moved(bytes, now); }

  /// DMARQ, and the direction.
  bool dma_requested() const { return dma_ && block_ != Block::none; }
  bool dma_to_host() const { return block_ == Block::to_host; }
  std::span<std::uint8_t> dma_data();
  void dma_moved(std::size_t bytes, Time now) { moved(bytes, now); }

  /// SRST is set; SRST is cleared; RESET#, which also loses settings.
  void hold_reset(Time now);
  void leave_reset(Time now);
  void hard_reset(Time now);
  /// EXECUTE DEVICE DIAGNOSTIC is executed by both devices; device 0 interrupts at the end.
  void diagnose(bool interrupts, Time now);

  void describe(Description& d) const;
  void archive(Archive& a);

 protected:
  enum class Block : std::uint8_t { none, to_host, from_host };
  /// What the event does: steps common to all devices; further steps are the device's own.
  enum : std::uint8_t { complete_step, reset_step, diagnostic_step, own_step };

  IdeDevice(Scheduler& scheduler, Trace& trace, std::string name, IdeCable& cable, const IdeTiming& timing);

  // ---- defined by the kind of device ----
  virtual void execute(std::uint8_t command, Time now) = 0;
  virtual void step(std::uint8_t step, Time now) = 0;
  /// The host has moved the whole block.
  virtual void block_moved(Time now) = 0;
  /// The registers after a reset, and the status.
  virtual std::array<std::uint8_t, 2> signature() const = 0;
  virtual std::uint8_t reset_status() const = 0;
  /// RESET#: settings are lost.
  virtual void lose_settings() = 0;
  virtual void reset_drive() = 0;
  virtual void describe_drive(Description& d) const = 0;
  virtual void archive_drive(Archive& a) = 0;

  // ---- parts of a command ----
  std::uint8_t& reg(unsigned n) { return registers_[n]; }
  std::uint8_t reg(unsigned n) const { return registers_[n]; }
  std::uint8_t features() const { return features_; }
  /// Busy until `when`, then performs `step`.
  void busy_until(Time when, std::uint8_t step);
  /// Offers the first `bytes` of buffer_ as the block: DRQ. By port it starts with an interrupt if `interrupts` is set.
  void open_block(Block block, bool dma, std::size_t bytes, bool interrupts, Time now);
  /// Size of the open block; 0: none.
  std::uint32_t block_bytes() const { return block_ == Block::none ? 0 : end_; }
  /// The command ends successfully, or with error bits.
  void complete(bool interrupts, Time now);
  void fail(std::uint8_t error, Time now);
  void set_signature();
  void set_interrupt(bool asserted, Time now);

  Trace& trace_;
  const std::string name_;
  IdeCable& cable_;
  const IdeTiming timing_;
  std::vector<std::uint8_t> buffer_;  // whole words

 private:
  void moved(std::size_t bytes, Time now);
  void stop(Time now);
  void event(Time now);

  std::array<std::uint8_t, 7> registers_{};  // register 1 is the error register
  std::uint8_t features_ = 0;
  std::uint8_t command_ = 0;
  std::uint8_t status_ = 0;
  bool interrupt_ = false;
  Block block_ = Block::none;
  bool dma_ = false;
  std::uint32_t at_ = 0, end_ = 0;  // position in and end of the block in buffer_
  std::uint8_t step_ = complete_step;
  bool interrupts_ = false;  // diagnostic: this device raises the interrupt
  Event event_;
};

}  // namespace planar::storage
