// SPDX-License-Identifier: GPL-2.0-or-later
// 82077AA diskette controller in PS/2 mode, with its drives.
//
//   3F0h SRA   3F1h SRB   3F2h DOR   3F4h MSR (read), DSR (write)   3F5h FIFO   3F7h DIR (read), CCR (write)
//
// Facts: Intel 82077AA data sheet (commands, phases, status registers, FIFO); planar-devices.md section 6 (PS/2 register
// bits; DOR bit 3 is reserved: interrupt and DMA request are always gated on).
// Timing: rotation 300 rpm (200 ms); a sector is read when it passes under the head; step rate and head settling from
// SPECIFY; motor spin-up 300 ms (inferred from drive data sheets); a command byte is taken in 8 us (inferred).
// Gap lengths follow IBM system 34 with the usual GAP 3, so that n sectors fill one revolution evenly.
// Known limits: sectors other than 512 bytes, deleted marks and FM are not stored in raw images: they read as missing;
// two sides of a drive switch without delay; the power-down modes and SCAN commands are answered but change nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/scheduler.hpp"
#include "core/slave.hpp"
#include "core/trace.hpp"
#include "devices/planar/floppy_image.hpp"
#include "devices/planar/port_group.hpp"
#include "devices/planar/signal.hpp"

namespace planar {

/// A 3.5" drive of a PS/2 and the diskette in it.
struct FloppyDrive {
  bool installed = false;
  std::uint16_t highest_rate = 1000;  ///< kbit/s: 1000 for a 2.88 MB drive, 500 for 1.44 MB
  std::optional<FloppyImage> image;
  std::uint8_t cylinder = 0;          ///< where the head stands
  bool changed = true;                ///< disk change line, until a step with a diskette in the drive
  bool motor = false;
  Time motor_ready = Time::never();   ///< when the spindle has its speed
  void archive(Archive& a);
};

class I82077 final : public Slave {
 public:
  static constexpr unsigned drives = 4;

  I82077(Scheduler& scheduler, Trace& trace);

  /// Decodes 3F0h-3F5h and 3F7h. `selected` is the feedback latch of port 91h.
  void claim_ports(IoSpace& space, bool* selected = nullptr);
  void release_ports() { ports_.release(); }

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;

  Output irq6;
  /// DMA request, arbitration level 2.
  Output drq;
  /// The DMA controller's I/O half while drq is active.
  std::uint8_t dma_read(Time now);
  void dma_write(std::uint8_t value, Time now);
  /// -TC, with (directly after) the last transfer.
  void terminal_count(Time now);

  /// Builder: a drive and its highest rate (kbit/s).
  void install(unsigned drive, std::uint16_t highest_rate);
  /// Puts a diskette into a drive (or takes it out) and raises the change line.
  void insert(unsigned drive, FloppyImage image);
  std::optional<FloppyImage> eject(unsigned drive);
  const FloppyDrive& drive(unsigned number) const { return drives_[number & 3]; }
  /// Any motor is on (activity light).
  bool motor_on() const { return dor_ & 0xF0; }

  void reset(Time now);
  void archive(Archive& a);

 private:
  enum class Phase : std::uint8_t { idle, command, execution, result };
  enum class Transfer : std::uint8_t { none, to_host, to_disk };
  struct Seek {
    bool active = false;
    bool recalibrate = false;
    std::uint8_t target = 0;
    std::uint8_t steps_left = 0;
    void archive(Archive& a) { a(active, recalibrate, target, steps_left); }
  };

  // i82077.cpp: registers
  std::uint8_t msr() const;
  std::uint8_t sra() const;
  std::uint8_t srb() const;
  std::uint8_t dir() const;
  void write_dor(std::uint8_t value, Time now);
  void controller_reset(Time now);
  void reset_done(Time now);
  std::uint8_t read_fifo(Time now);
  void write_fifo(std::uint8_t value, Time now);
  void raise_interrupt(Time now);
  void lower_interrupt(Time now);

  // i82077_commands.cpp
  static unsigned command_length(std::uint8_t opcode);
  void byte_taken(Time now);
  void execute(Time now);
  void result(std::initializer_list<std::uint8_t> bytes, Time now, bool interrupt);
  void finish_transfer(std::uint8_t st0, std::uint8_t st1, std::uint8_t st2, Time now);
  void sense_interrupt(Time now);
  void start_seek(unsigned drive, std::uint8_t target, bool recalibrate, Time now);
  void step(Time now);
  void invalid(Time now);

  // i82077_transfer.cpp
  void start_transfer(Time now);
  void next_sector(Time now);
  void sector_arrives(Time now);
  void sector_done(Time now);
  void transfer_byte_due(Time now);
  void format_track(Time now);
  void read_id(Time now);
  void request(Time now);
  bool advance_sector();
  bool readable(unsigned drive, Time now) const;
  unsigned rate() const;
  Time bit_cells(std::uint64_t cells) const;
  Time sector_start(unsigned drive, unsigned sector, Time after) const;
  std::uint8_t st3(unsigned drive) const;

  Scheduler& scheduler_;
  Trace& trace_;
  std::array<FloppyDrive, drives> drives_;
  std::array<Seek, drives> seeks_;
  Phase phase_ = Phase::idle;
  Transfer transfer_ = Transfer::none;
  std::uint8_t dor_ = 0;
  std::uint8_t dsr_ = 2;
  std::uint8_t ccr_ = 2;
  bool in_reset_ = true;
  bool ready_for_byte_ = false;
  bool interrupt_ = false;
  std::uint8_t reset_senses_ = 0;   // drives whose reset interrupt has not been sensed
  std::uint8_t seek_status_[drives] = {};
  bool seek_pending_[drives] = {};
  std::uint8_t srb_toggles_ = 0;    // write data, read data, write enable flip-flops
  bool last_step_inward_ = false;
  std::uint8_t head_ = 0;
  // SPECIFY, CONFIGURE, PERPENDICULAR, LOCK
  std::uint8_t srt_hut_ = 0;
  std::uint8_t hlt_nd_ = 0;
  std::uint8_t configure_ = 0;      // EIS, EFIFO, POLL, threshold
  std::uint8_t precompensation_ = 0;
  std::uint8_t perpendicular_ = 0;
  bool locked_ = false;
  std::vector<std::uint8_t> command_;
  std::vector<std::uint8_t> results_;
  std::uint32_t result_position_ = 0;
  // Execution
  std::uint8_t c_ = 0, h_ = 0, r_ = 0, n_ = 0, eot_ = 0;
  std::uint8_t transfer_head_ = 0;
  std::array<std::uint8_t, FloppyImage::sector_bytes> sector_{};
  std::uint32_t sector_position_ = 0;
  std::uint32_t sector_length_ = 0;
  bool terminal_ = false;
  bool overrun_ = false;
  std::uint8_t format_remaining_ = 0;
  Time byte_start_{};               // when byte 0 of the sector passes the head
  Time search_end_{};
  Event reset_event_;
  Event command_event_;
  Event step_event_;
  Event sector_event_;
  Event byte_event_;
  PortGroup ports_;
};

}  // namespace planar
