// SPDX-License-Identifier: GPL-2.0-or-later
// 82077AA: registers, interrupt, reset, drives.
#include "devices/board/at/diskette/i82077.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/common/error.hpp"

namespace planar {

namespace {
constexpr Time spin_up = 300_ms;         // inferred
constexpr Time command_byte = 8_us;      // inferred
constexpr Time reset_time = 250_us;      // inferred: until the polling interrupt
constexpr Time revolution = 200_ms;      // 300 rpm
constexpr Time index_pulse = 2_ms;       // drive data sheets
constexpr std::size_t format_bytes = 6;  // of the FORMAT command
// DOR
constexpr std::uint8_t not_reset = 0x04;
constexpr std::uint8_t dma_gate = 0x08;
}  // namespace

I82077::I82077(Scheduler& scheduler, Trace& trace, DisketteMode mode)
    : mode_(mode),
      trace_(trace),
      reset_event_(scheduler, "fdc.reset", Priority::device, Callback::to<&I82077::reset_done>(this)),
      command_event_(scheduler, "fdc.command", Priority::device, Callback::to<&I82077::byte_taken>(this)),
      step_event_(scheduler, "fdc.step", Priority::device, Callback::to<&I82077::step>(this)),
      sector_event_(scheduler, "fdc.sector", Priority::device, Callback::to<&I82077::sector_event>(this)),
      byte_event_(scheduler, "fdc.byte", Priority::device, Callback::to<&I82077::service>(this)) {}

void I82077::claim_ports(IoSpace& space, bool* selected) {
  ports_.release();
  const std::uint16_t first = mode_ == DisketteMode::at ? 0x3F2 : 0x3F0;
  ports_.claim(space, *this, 0x3F0, {{first, 0x3F5}, {0x3F7, 0x3F7}}, selected);
}

// --- Drives ---

void I82077::install(unsigned drive, std::uint16_t highest_rate) {
  drives_[drive & 3].installed = true;
  drives_[drive & 3].highest_rate = highest_rate;
}

void I82077::insert(unsigned drive, FloppyImage image, Time now) {
  FloppyDrive& d = drives_[drive & 3];
  d.image.emplace(std::move(image));
  d.changed = true;
  if (stuck_ && (drive & 3) == unit_) search(now);
}

std::optional<FloppyImage> I82077::eject(unsigned drive) {
  FloppyDrive& d = drives_[drive & 3];
  d.changed = true;
  std::optional<FloppyImage> image;
  image.swap(d.image);
  return image;
}

unsigned I82077::rate() const {
  constexpr std::uint16_t rates[] = {500, 300, 250, 1000};
  return rates[rate_select_];
}

// --- Interrupt and reset ---

void I82077::set_interrupt(bool active, Time now) {
  interrupt_ = active;
  drive_pins(now);
}

void I82077::drive_pins(Time now) {
  const bool enabled = mode_ == DisketteMode::ps2 || dor_ & dma_gate;
  irq6.set(enabled && interrupt_, now);
  drq.set(enabled && requesting_ && !(hlt_nd_ & 1), now);
}

void I82077::enter_reset(Time now) {
  command_event_.cancel();
  step_event_.cancel();
  sector_event_.cancel();
  byte_event_.cancel();
  reset_event_.cancel();
  request(false, now);
  set_interrupt(false, now);
  to_idle();
  ready_for_byte_ = false;
  for (Seek& seek : seeks_) seek.active = false;
  pcn_.fill(0);
  seek_pending_.fill(false);
  polled_ = 0;
  if (!locked_) {
    configure_ = 0x20;
    precompensation_ = 0;
  }
  perpendicular_ &= 0xFC;
}

// Commands are accepted at once: CONFIGURE may disable the poll before it begins (Intel), and FreeBSD's fdc looks for
// RQM after 100 us.
void I82077::leave_reset(Time now) {
  ready_for_byte_ = true;
  reset_event_.at(now + reset_time);
}

/// After a reset the controller polls its drives, once it is idle: one interrupt, and one status per drive to be
/// sensed.
void I82077::reset_done(Time now) {
  if (configure_ & 0x10) return;
  if (phase_ != Phase::idle) {
    reset_event_.at(now + reset_time);
    return;
  }
  polled_ = (1u << drives) - 1;
  set_interrupt(true, now);
}

void I82077::reset(Time now) {
  locked_ = false;
  enter_reset(now);
  srt_hut_ = hlt_nd_ = perpendicular_ = dsr_ = srb_toggles_ = 0;
  rate_select_ = 2;
  write_dor(0, now);
}

// --- Registers ---

void I82077::write_dor(std::uint8_t value, Time now) {
  const std::uint8_t changed = dor_ ^ value;
  dor_ = value;
  drive_pins(now);
  for (unsigned i = 0; i < drives; ++i) {
    FloppyDrive& d = drives_[i];
    const bool on = value >> (4 + i) & 1;
    if (on == d.motor) continue;
    d.motor = on;
    d.motor_ready = on ? now + spin_up : Time::never();
    if (on && stuck_ && i == unit_) search(now);
  }
  if (!(changed & not_reset)) return;
  trace_(TraceCategory::diskette, now, "diskette", "reset {}", value & not_reset ? "released" : "active");
  if (value & not_reset)
    leave_reset(now);
  else
    enter_reset(now);
}

std::uint8_t I82077::msr() const {
  std::uint8_t value = ready_for_byte_ ? 0x80 : 0;
  switch (phase_) {
    case Phase::idle: break;
    case Phase::command: value |= 0x10; break;
    case Phase::execution:
      value |= 0x10;
      if (hlt_nd_ & 1) value |= transfer_ == Transfer::to_host ? 0x60 : 0x20;
      break;
    case Phase::result: value |= 0x50; break;
  }
  for (unsigned i = 0; i < drives; ++i)
    if (seeks_[i].active) value |= static_cast<std::uint8_t>(1u << i);
  return value;
}

std::uint8_t I82077::st3(unsigned drive) const {
  const FloppyDrive& d = drives_[drive];
  const bool protect = d.installed && (!d.image || d.image->write_protected());
  return static_cast<std::uint8_t>((protect ? 0x40 : 0) | 0x28 | (d.installed && d.cylinder == 0 ? 0x10 : 0) |
                                   head_ << 2 | drive);
}

std::uint8_t I82077::sra(Time now) const {
  const unsigned selected = dor_ & 3;
  const FloppyDrive& d = drives_[selected];
  const bool listens = d.installed && d.motor;
  const bool index = listens && d.image && (now.ps % revolution.ps) < index_pulse.ps;
  const bool protect = listens && (!d.image || d.image->write_protected());
  return static_cast<std::uint8_t>((irq6.level() ? 0x80 : 0) | (drives_[1].installed ? 0 : 0x40) |
                                   (listens && d.cylinder == 0 ? 0 : 0x10) | (head_ ? 0x08 : 0) | (index ? 0 : 0x04) |
                                   (protect ? 0 : 0x02) | (last_step_inward_ ? 0x01 : 0));
}

std::uint8_t I82077::srb() const {
  return static_cast<std::uint8_t>(0xC0 | (dor_ & 1) << 5 | srb_toggles_ | (dor_ >> 4 & 3));
}

std::uint8_t I82077::dir() const {
  const FloppyDrive& d = drives_[dor_ & 3];
  const bool change = d.installed && d.motor && d.changed;
  const bool high_density = rate() >= 500;
  if (mode_ == DisketteMode::at) return change ? 0xFF : 0x7F;
  return static_cast<std::uint8_t>((change ? 0x80 : 0) | 0x78 | rate_select_ << 1 | (high_density ? 0 : 1));
}

std::uint32_t I82077::peek(std::uint32_t offset, unsigned, Time now) const {
  switch (offset) {
    case 0: return sra(now);
    case 1: return srb();
    case 2: return dor_;
    case 4: return msr();
    case 5:
      if (phase_ == Phase::result) return results_[result_position_];
      return phase_ == Phase::execution && !fifo_.empty() ? fifo_.front() : 0;
    case 7: return dir();
    default: return 0xFF;
  }
}

std::uint32_t I82077::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (offset == 5) return read_fifo(now);
  return peek(offset, bytes, now);
}

void I82077::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  switch (offset) {
    case 2: write_dor(value, now); break;
    case 4:
      dsr_ = value & 0x7F;
      rate_select_ = value & 3;
      if (value & 0x80 && dor_ & not_reset) {  // clears itself
        enter_reset(now);
        leave_reset(now);
      }
      break;
    case 5: write_fifo(value, now); break;
    case 7: rate_select_ = value & 3; break;
    default: break;
  }
}

std::uint8_t I82077::read_fifo(Time now) {
  if (phase_ == Phase::execution && hlt_nd_ & 1 && requesting_ && transfer_ == Transfer::to_host) return take_byte(now);
  if (phase_ != Phase::result) return 0;
  const std::uint8_t value = results_[result_position_];
  if (result_position_ == 0) set_interrupt(false, now);
  if (++result_position_ == results_.size()) {
    to_idle();
    if (seek_to_sense()) set_interrupt(true, now);  // another seek has ended, on this or another drive
  }
  return value;
}

void I82077::write_fifo(std::uint8_t value, Time now) {
  if (phase_ == Phase::execution) {
    if (hlt_nd_ & 1 && requesting_ && transfer_ != Transfer::to_host) give_byte(value, now);
    return;
  }
  if (!ready_for_byte_ || phase_ == Phase::result) return;  // the host ignores RQM or DIO: the byte is lost
  if (phase_ == Phase::idle) set_interrupt(false, now);     // a new command clears it; its status can still be sensed
  phase_ = Phase::command;
  command_.push_back(value);
  ready_for_byte_ = false;
  command_event_.at(now + command_byte);
}

void I82077::describe(Description& d, Time now) const {
  d.flag("decoded", ports_.claimed());
  if (mode_ == DisketteMode::ps2) d.reg("SRA", sra(now), 8).reg("SRB", srb(), 8);
  d.reg("DOR", dor_, 8).reg("MSR", msr(), 8).reg("DSR", dsr_, 8);
  d.reg("DIR", dir(), 8).number("data rate, kbit/s", rate());
  d.flag("interrupt", irq6.level()).flag("DMA request", drq.level());
  constexpr const char* phases[] = {"idle", "command", "execution", "result"};
  d.text("phase", phases[static_cast<unsigned>(phase_)]);
  if (!command_.empty()) d.text("command", fmt::format("{:02X}", fmt::join(command_, " ")));
  if (phase_ == Phase::result)
    d.text("result", fmt::format("{:02X}", fmt::join(results_, " "))).number("result bytes read", result_position_);
  if (phase_ == Phase::execution) {
    d.number("drive", unit_).number("C", c_).number("H", h_).number("R", r_).number("N", n_).number("EOT", eot_);
    d.text("looks for", stuck_ ? "index pulses" : searching_ ? "an ID" : "data");
    d.number("data bytes passed", disk_position_).number("FIFO", fifo_.size()).flag("terminal count", terminal_);
  }
  d.reg("SPECIFY 1", srt_hut_, 8).reg("SPECIFY 2", hlt_nd_, 8).reg("CONFIGURE", configure_, 8);
  d.reg("PERPENDICULAR", perpendicular_, 8).flag("LOCK", locked_);
  for (unsigned n = 0; n < drives; ++n)
    if (drives_[n].installed) describe_drive(d.part(fmt::format("drive {}", n)), n);
}

void I82077::describe_drive(Description& d, unsigned number) const {
  const FloppyDrive& drive = drives_[number];
  d.text("diskette", drive.image ? drive.image->name() : "none");
  if (drive.image)
    d.flag("write-protected", drive.image->write_protected()).flag("changed since", drive.image->changed());
  d.flag("disk change line", drive.changed).flag("motor", drive.motor).time("at speed from", drive.motor_ready);
  d.number("cylinder", drive.cylinder).number("PCN", pcn_[number]).flag("seeking", seeks_[number].active);
  if (seek_pending_[number]) d.reg("ST0 to be sensed", seek_status_[number], 8);
}

void I82077::archive(Archive& a) {
  a.section("i82077", 2);
  for (FloppyDrive& d : drives_) {
    a(d);
    bool loaded = d.image.has_value();
    a(loaded);
    if (a.loading() && loaded != d.image.has_value())
      throw Error(loaded ? "snapshot: a drive held a diskette; give the same --floppy image"
                         : "snapshot: the drive was empty; leave --floppy out");
    if (loaded) a(*d.image);
  }
  a(seeks_, pcn_, seek_status_, seek_pending_, phase_, dor_, rate_select_, dsr_, ready_for_byte_, polled_, srb_toggles_,
    last_step_inward_, srt_hut_, hlt_nd_, configure_, precompensation_, perpendicular_, locked_, command_, results_,
    result_position_);
  a(transfer_, searching_, stuck_, implied_seek_, id_only_, terminal_, draining_, requesting_, unit_, head_, c_, h_, r_,
    n_, eot_, verify_left_, format_left_, found_sector_, sector_, disk_position_, fifo_, byte_start_,
    head_loaded_until_, head_loaded_drive_);
  a(irq6, drq, reset_event_, command_event_, step_event_, sector_event_, byte_event_);
  if (mode_ == DisketteMode::at) a(interrupt_);
  if (a.saving()) return;
  if (mode_ == DisketteMode::ps2) interrupt_ = irq6.level();
  if (!sound()) throw Error("snapshot holds a damaged diskette controller; take a new one", ExitCode::missing_file);
  if (command_.empty()) command_event_.cancel();
}

bool I82077::sound() const {
  const bool needs_command = transfer_ != Transfer::none || phase_ == Phase::execution || phase_ == Phase::command ||
                             implied_seek_ || stuck_ || sector_event_.pending();
  const auto turns = [](const FloppyDrive& d) { return !d.motor || d.motor_ready != Time::never(); };
  return phase_ <= Phase::result && transfer_ <= Transfer::format && unit_ < drives_.size() && head_ <= 1 &&
         rate_select_ <= 3 && (phase_ != Phase::result || result_position_ < results_.size()) &&
         (!needs_command || !command_.empty()) && (transfer_ != Transfer::format || command_.size() >= format_bytes) &&
         disk_position_ <= FloppyImage::sector_bytes && std::all_of(drives_.begin(), drives_.end(), turns);
}

}  // namespace planar
