// SPDX-License-Identifier: GPL-2.0-or-later
// 82077AA diskette controller in PS/2 or PC/AT mode, with its drives.
//
//   3F0h SRA   3F1h SRB   3F2h DOR   3F4h MSR (read), DSR (write)   3F5h FIFO
//   3F7h DIR (read), CCR (write)
//
// Facts: Intel 82077AA data sheet (commands, phases, status registers, FIFO);
// docs/hardware/planar-devices.md#diskette-controller (register bits of both modes; what clears the interrupt).
// Timing: rotation 300 rpm (200 ms); a sector is read when it passes under the head; step rate and head settling from
// SPECIFY; motor spin-up 300 ms (inferred from drive data sheets); accepting a command byte takes 8 us (inferred). Gap
// lengths follow IBM system 34, GAP 3 up to 108 bytes. All spindles have their index at multiples of 200 ms. As on the
// chip, a command on a drive without index pulses (no diskette, motor off) never ends until a reset.
// Known limits: a raw image holds 512-byte MFM sectors only: other sizes and FM read as missing, deleted marks are not
// kept, sectors formatted with foreign IDs are not stored; 40-cylinder images use single steps; SCAN and, as on an
// 82077AA, PART ID are invalid commands; the power-down modes have no effect.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/diskette/floppy_image.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

/// A 3.5" drive of a PS/2 and the diskette in it.
struct FloppyDrive {
  bool installed = false;
  std::uint16_t highest_rate = 1000;  ///< kbit/s: 1000 for a 2.88 MB drive, 500 for 1.44 MB
  std::optional<FloppyImage> image;
  std::uint8_t cylinder = 0;  ///< present head position
  bool changed = true;        ///< disk change line, until a step with a diskette in the drive
  bool motor = false;
  Time motor_ready = Time::never();  ///< when the spindle reaches its speed
  void archive(Archive& a) { a(installed, highest_rate, cylinder, changed, motor, motor_ready); }
};

/// The wiring of the chip's IDENT and MFM pins. In PC/AT mode there are no SRA and SRB, DIR has bit 7 only, and DOR bit
/// 3 (DMAGATE#) enables the interrupt and DMA request pins; in PS/2 mode it is reserved, and they are always enabled.
enum class DisketteMode : std::uint8_t { ps2, at };

class I82077 final : public Slave {
 public:
  static constexpr unsigned drives = 4;

  I82077(Scheduler& scheduler, Trace& trace, DisketteMode mode = DisketteMode::ps2);

  /// Decodes 3F0h-3F5h and 3F7h, in PC/AT mode 3F2h-3F5h and 3F7h. `selected` is the feedback latch of port 91h.
  void claim_ports(IoSpace& space, bool* selected = nullptr);
  void release_ports() { ports_.release(); }

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  Output irq6;
  /// DMA request, arbitration level 2.
  Output drq;
  /// The I/O half of a DMA transfer, while drq is active.
  std::uint8_t dma_read(Time now);
  void dma_write(std::uint8_t value, Time now);
  /// -TC, with (immediately after) the last transfer.
  void terminal_count(Time now);

  /// Builder: a drive and its highest rate (kbit/s).
  void install(unsigned drive, std::uint16_t highest_rate);
  /// Inserts a diskette into a drive (or removes it) and activates the change line.
  void insert(unsigned drive, FloppyImage image, Time now);
  /// Removes the diskette, with its changes.
  std::optional<FloppyImage> eject(unsigned drive);
  const FloppyDrive& drive(unsigned number) const { return drives_[number & 3]; }
  /// Whether any motor is on (activity light).
  bool motor_on() const { return dor_ & 0xF0; }

  void reset(Time now);
  /// Registers as at `now`, the command in progress, and each installed drive.
  void describe(Description& d, Time now) const;
  /// Saves the diskettes in the drives with their changes; to load, the same images must be in the drives.
  void archive(Archive& a);

 private:
  enum class Phase : std::uint8_t { idle, command, execution, result };
  enum class Transfer : std::uint8_t { none, to_host, to_disk, format };
  struct Seek {
    bool active = false;
    bool recalibrate = false;
    bool inward = false;
    std::uint8_t steps_left = 0;
    Time due{};
    void archive(Archive& a) { a(active, recalibrate, inward, steps_left, due); }
  };

  // i82077.cpp: registers, interrupt, reset
  std::uint8_t msr() const;
  std::uint8_t sra(Time now) const;
  std::uint8_t srb() const;
  std::uint8_t dir() const;
  bool sound() const;
  void describe_drive(Description& d, unsigned number) const;
  std::uint8_t st3(unsigned drive) const;
  void write_dor(std::uint8_t value, Time now);
  void enter_reset(Time now);
  void leave_reset(Time now);
  void reset_done(Time now);
  std::uint8_t read_fifo(Time now);
  void write_fifo(std::uint8_t value, Time now);
  void set_interrupt(bool active, Time now);
  void drive_pins(Time now);
  unsigned rate() const;

  // i82077_commands.cpp: command and result phase, seeks
  static unsigned command_length(std::uint8_t opcode);
  void byte_taken(Time now);
  void execute(Time now);
  void respond(std::vector<std::uint8_t> bytes, bool interrupt, Time now);
  void to_idle();
  void sense_interrupt(Time now);
  bool seek_to_sense() const;
  void dump_registers(Time now);
  void start_seek(unsigned drive, int steps, bool recalibrate, Time now);
  void schedule_step();
  void step(Time now);
  void step_drive(unsigned drive, Time now);
  void seek_done(unsigned drive, std::uint8_t status, Time now);
  void begin_data_command(Time now);

  // i82077_transfer.cpp: execution phase of commands that access the track
  const FloppyImage* track() const;
  bool spinning(Time now) const;
  Time byte_time() const;
  Time next_index(Time after) const;
  Time track_position(Time index, unsigned sector) const;
  Time next_id(unsigned sector, Time after) const;
  unsigned sector_pitch() const;
  void start_transfer(Time now);
  void search(Time now);
  void sector_event(Time now);
  void id_found(Time now);
  void search_failed(Time now);
  void sector_done(Time now);
  bool advance_sector();
  bool unexpected_mark() const;
  bool skips() const;
  bool more_sectors() const;
  void format_slot(Time now);
  void service(Time now);
  void pull(Time now);
  void schedule_byte();
  unsigned fifo_capacity() const;
  unsigned fifo_target() const;
  void request(bool active, Time now);
  std::uint8_t take_byte(Time now);
  void give_byte(std::uint8_t value, Time now);
  void finish(std::uint8_t interrupt_code, std::uint8_t st1, std::uint8_t st2, Time now);

  const DisketteMode mode_;
  Trace& trace_;
  std::array<FloppyDrive, drives> drives_;
  std::array<Seek, drives> seeks_;
  std::array<std::uint8_t, drives> pcn_{};          // present cylinder numbers
  std::array<std::uint8_t, drives> seek_status_{};  // ST0 of a completed seek
  std::array<bool, drives> seek_pending_{};         // not yet sensed
  Phase phase_ = Phase::idle;
  std::uint8_t dor_ = 0;
  std::uint8_t rate_select_ = 2;  // DSR and CCR bits 1-0
  std::uint8_t dsr_ = 0;
  bool ready_for_byte_ = false;   // RQM
  std::uint8_t polled_ = 0;       // per drive: the status of the poll after a reset has not been sensed
  std::uint8_t srb_toggles_ = 0;  // write data, read data, write enable flip-flops (bits 4-2)
  bool last_step_inward_ = false;
  // SPECIFY, CONFIGURE, PERPENDICULAR, LOCK
  std::uint8_t srt_hut_ = 0;
  std::uint8_t hlt_nd_ = 0;
  std::uint8_t configure_ = 0x20;  // bit 6 implied seek, 5 FIFO off, 4 polling off, 3-0 threshold
  std::uint8_t precompensation_ = 0;
  std::uint8_t perpendicular_ = 0;
  bool locked_ = false;
  std::vector<std::uint8_t> command_;
  std::vector<std::uint8_t> results_;
  std::uint32_t result_position_ = 0;
  // Execution
  Transfer transfer_ = Transfer::none;
  bool searching_ = false;  // for an ID; otherwise in a data field
  bool stuck_ = false;      // waits for index pulses that never come
  bool implied_seek_ = false;
  bool id_only_ = false;   // READ ID
  bool terminal_ = false;  // TC has arrived
  bool draining_ = false;  // all sectors read; data is left in the FIFO
  bool requesting_ = false;
  bool interrupt_ = false;
  std::uint8_t unit_ = 0;  // drive of the command
  std::uint8_t head_ = 0;
  std::uint8_t c_ = 0, h_ = 0, r_ = 0, n_ = 0, eot_ = 0;
  std::uint16_t verify_left_ = 0;  // VERIFY with a count; 0 = until EOT
  std::uint8_t format_left_ = 0;
  std::uint8_t found_sector_ = 0;
  std::array<std::uint8_t, FloppyImage::sector_bytes> sector_{};
  std::uint32_t disk_position_ = 0;  // bytes of the data field that have passed the head
  std::deque<std::uint8_t> fifo_;
  Time byte_start_{};  // when the first data byte begins to pass the head
  Time head_loaded_until_{};
  std::uint8_t head_loaded_drive_ = 0;
  Event reset_event_;
  Event command_event_;
  Event step_event_;
  Event sector_event_;
  Event byte_event_;
  PortGroup ports_{"diskette"};
};

}  // namespace planar
