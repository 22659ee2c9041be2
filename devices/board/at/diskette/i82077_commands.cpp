// SPDX-License-Identifier: GPL-2.0-or-later
// 82077AA: command and result phase, seeks.
#include <algorithm>

#include "devices/board/at/diskette/i82077.hpp"

namespace planar {

namespace {

enum Command : std::uint8_t {
  read_track = 0x02,
  specify = 0x03,
  sense_drive = 0x04,
  write_data = 0x05,
  read_data = 0x06,
  recalibrate = 0x07,
  sense_interrupt_status = 0x08,
  write_deleted = 0x09,
  read_id = 0x0A,
  read_deleted = 0x0C,
  format_track = 0x0D,
  dump_regs = 0x0E,
  seek = 0x0F,
  version = 0x10,
  perpendicular_mode = 0x12,
  configure = 0x13,
  lock = 0x14,
  verify = 0x16,
};

/// Which of the bits MT, MFM, SK (7, 6, 5) a command may have, and its length in bytes.
struct Shape {
  std::uint8_t opcode;
  std::uint8_t modifiers;
  std::uint8_t length;
};
constexpr Shape shapes[] = {
    {read_track, 0x60, 9},
    {specify, 0x00, 3},
    {sense_drive, 0x00, 2},
    {write_data, 0xC0, 9},
    {read_data, 0xE0, 9},
    {recalibrate, 0x00, 2},
    {sense_interrupt_status, 0x00, 1},
    {write_deleted, 0xC0, 9},
    {read_id, 0x40, 2},
    {read_deleted, 0xE0, 9},
    {format_track, 0x40, 6},
    {dump_regs, 0x00, 1},
    {seek, 0xC0, 3},
    {version, 0x00, 1},
    {perpendicular_mode, 0x00, 2},
    {configure, 0x00, 4},
    {lock, 0x80, 1},
    {verify, 0xE0, 9},
};

constexpr std::uint8_t invalid_command = 0x80;
constexpr std::uint8_t st0_polled = 0xC0;
constexpr std::uint8_t seek_end = 0x20, abnormal = 0x40, equipment_check = 0x10;
constexpr int recalibrate_steps = 79;       // pulses before the chip gives up
constexpr std::uint8_t last_cylinder = 83;  // mechanical limit of a drive

}  // namespace

unsigned I82077::command_length(std::uint8_t opcode) {
  for (const Shape& shape : shapes)
    if ((opcode & 0x1F) == shape.opcode && !(opcode & 0xE0 & ~shape.modifiers)) {
      // RELATIVE SEEK is a SEEK with bit 7; its direction bit 6 is invalid without bit 7.
      if (shape.opcode == seek && (opcode & 0xC0) == 0x40) return 0;
      return shape.length;
    }
  return 0;
}

void I82077::to_idle() {
  phase_ = Phase::idle;
  command_.clear();
  results_.clear();
  result_position_ = 0;
  ready_for_byte_ = true;
  searching_ = stuck_ = implied_seek_ = id_only_ = terminal_ = draining_ = false;
  transfer_ = Transfer::none;
  fifo_.clear();
}

/// Enters the result phase.
void I82077::respond(std::vector<std::uint8_t> bytes, bool interrupt, Time now) {
  to_idle();
  phase_ = Phase::result;
  results_ = std::move(bytes);
  trace_(TraceCategory::diskette, now, "diskette", "result {:02x}", fmt::join(results_, " "));
  if (interrupt) set_interrupt(true, now);
}

void I82077::byte_taken(Time now) {
  const unsigned length = command_length(command_[0]);
  if (command_.size() < length) {
    ready_for_byte_ = true;
    return;
  }
  trace_(TraceCategory::diskette, now, "diskette", "command {:02x}", fmt::join(command_, " "));
  if (length == 0)
    respond({invalid_command}, false, now);
  else
    execute(now);
}

void I82077::execute(Time now) {
  const std::uint8_t opcode = command_[0];
  const std::uint8_t first = command_.size() > 1 ? command_[1] : 0;
  const unsigned drive = first & 3;
  switch (opcode & 0x1F) {
    case specify:
      srt_hut_ = command_[1];
      hlt_nd_ = command_[2];
      to_idle();
      break;
    case sense_drive:
      head_ = first >> 2 & 1;
      respond({st3(drive)}, false, now);
      break;
    case recalibrate: start_seek(drive, -recalibrate_steps, true, now); break;
    case seek:
      head_ = first >> 2 & 1;
      if (opcode & 0x80)
        start_seek(drive, opcode & 0x40 ? command_[2] : -command_[2], false, now);
      else
        start_seek(drive, command_[2] - pcn_[drive], false, now);
      break;
    case sense_interrupt_status: sense_interrupt(now); break;
    case dump_regs: dump_registers(now); break;
    case version: respond({0x90}, false, now); break;
    case perpendicular_mode:
      // OW (bit 7) enables writing of the drive bits.
      perpendicular_ = static_cast<std::uint8_t>((first & 0x80 ? first & 0x3C : perpendicular_ & 0x3C) | (first & 3));
      to_idle();
      break;
    case configure:
      configure_ = command_[2] & 0x7F;
      precompensation_ = command_[3];
      to_idle();
      break;
    case lock:
      locked_ = opcode & 0x80;
      respond({static_cast<std::uint8_t>(locked_ ? 0x10 : 0x00)}, false, now);
      break;
    default: begin_data_command(now); break;
  }
}

void I82077::dump_registers(Time now) {
  respond({pcn_[0], pcn_[1], pcn_[2], pcn_[3], srt_hut_, hlt_nd_, eot_,
           static_cast<std::uint8_t>((locked_ ? 0x80 : 0) | perpendicular_), configure_, precompensation_},
          false, now);
}

bool I82077::seek_to_sense() const {
  return std::find(seek_pending_.begin(), seek_pending_.end(), true) != seek_pending_.end();
}

/// Each drive has one status, the latest: of its seek, or of the poll after a reset. The lowest drive's is reported
/// first.
void I82077::sense_interrupt(Time now) {
  for (std::uint8_t drive = 0; drive < drives; ++drive) {
    const auto bit = static_cast<std::uint8_t>(1u << drive);
    if (!seek_pending_[drive] && !(polled_ & bit)) continue;
    const auto st0 = static_cast<std::uint8_t>(seek_pending_[drive] ? seek_status_[drive] : st0_polled | drive);
    seek_pending_[drive] = false;
    polled_ = static_cast<std::uint8_t>(polled_ & ~bit);
    return respond({st0, pcn_[drive]}, false, now);
  }
  respond({invalid_command}, false, now);
}

// --- Seeks ---

/// Steps outward (negative) or inward; a recalibrate stops at track 0.
void I82077::start_seek(unsigned drive, int steps, bool recalibrating, Time now) {
  Seek& s = seeks_[drive];
  s.active = true;
  s.recalibrate = recalibrating;
  s.inward = steps > 0;
  s.steps_left = static_cast<std::uint8_t>(steps < 0 ? -steps : steps);
  s.due = now;
  if (!implied_seek_) to_idle();
  schedule_step();
}

void I82077::schedule_step() {
  Time next = Time::never();
  for (const Seek& s : seeks_)
    if (s.active) next = std::min(next, s.due);
  step_event_.at(next);
}

void I82077::step(Time now) {
  for (unsigned drive = 0; drive < drives; ++drive)
    if (seeks_[drive].active && seeks_[drive].due <= now) step_drive(drive, now);
  schedule_step();
}

void I82077::step_drive(unsigned drive, Time now) {
  Seek& s = seeks_[drive];
  FloppyDrive& d = drives_[drive];
  const bool at_zero = d.installed && d.cylinder == 0;
  if (s.recalibrate && at_zero) {
    pcn_[drive] = 0;
    seek_done(drive, seek_end, now);
    return;
  }
  if (s.steps_left == 0) {
    // A recalibrate that never saw track 0 ends abnormally.
    seek_done(drive, s.recalibrate ? seek_end | abnormal | equipment_check : seek_end, now);
    return;
  }
  --s.steps_left;
  last_step_inward_ = s.inward;
  pcn_[drive] = static_cast<std::uint8_t>(pcn_[drive] + (s.inward ? 1 : -1));
  if (s.recalibrate) pcn_[drive] = 0;
  if (d.installed) {
    if (s.inward)
      d.cylinder = std::min<std::uint8_t>(d.cylinder + 1, last_cylinder);
    else if (d.cylinder > 0)
      --d.cylinder;
    if (d.image) d.changed = false;
  }
  // SRT counts down from 16 in units of 1 ms at 500 kbit/s.
  s.due = now + Time{(1_ms).ps * (16 - (srt_hut_ >> 4)) * 500 / static_cast<std::int64_t>(rate())};
}

void I82077::seek_done(unsigned drive, std::uint8_t status, Time now) {
  seeks_[drive].active = false;
  if (implied_seek_ && drive == unit_) {
    implied_seek_ = false;
    start_transfer(now);
    return;
  }
  seek_status_[drive] = static_cast<std::uint8_t>(status | head_ << 2 | drive);
  seek_pending_[drive] = true;
  set_interrupt(true, now);
}

// --- Commands that need the track ---

void I82077::begin_data_command(Time now) {
  const std::uint8_t opcode = command_[0] & 0x1F;
  unit_ = command_[1] & 3;
  head_ = command_[1] >> 2 & 1;
  phase_ = Phase::execution;
  ready_for_byte_ = false;
  id_only_ = opcode == read_id;
  terminal_ = draining_ = false;
  verify_left_ = 0;
  fifo_.clear();
  if (opcode == format_track) {
    transfer_ = Transfer::format;
    n_ = command_[2];
    format_left_ = command_[3];
    eot_ = command_[3];
  } else if (!id_only_) {
    c_ = command_[2];
    h_ = command_[3];
    r_ = opcode == read_track ? 1 : command_[4];
    n_ = command_[5];
    eot_ = command_[6];
    const bool writes = opcode == write_data || opcode == write_deleted;
    transfer_ = writes ? Transfer::to_disk : opcode == verify ? Transfer::none : Transfer::to_host;
    if (opcode == verify && command_[1] & 0x80) verify_left_ = command_[8] ? command_[8] : 256;  // EC: a count
  }
  const bool needs_seek = !id_only_ && transfer_ != Transfer::format && configure_ & 0x40 && c_ != pcn_[unit_];
  if (needs_seek) {
    implied_seek_ = true;
    start_seek(unit_, c_ - pcn_[unit_], false, now);
    return;
  }
  start_transfer(now);
}

}  // namespace planar
