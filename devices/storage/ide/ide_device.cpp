// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/ide/ide_device.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"

namespace planar::storage {

IdeTiming IdeTiming::read(const TimingProfile& p) {
  return {p.time("drive.command"),
          p.time("drive.gap"),
          p.time("drive.packet"),
          p.time("drive.reset"),
          DriveTiming::read(p, DriveKind::disk),
          DriveTiming::read(p, DriveKind::cdrom)};
}

IdeDevice::IdeDevice(Scheduler& scheduler, Trace& trace, std::string name, IdeCable& cable, const IdeTiming& timing)
    : trace_(trace),
      name_(std::move(name)),
      cable_(cable),
      timing_(timing),
      event_(scheduler, name_, Priority::device, Callback::to<&IdeDevice::event>(this)) {}

// ---- registers ----

void IdeDevice::write_register(unsigned n, std::uint8_t value) {
  if (status_ & (ide_bsy | ide_drq)) return;
  if (n == ide_error)
    features_ = value;
  else
    registers_[n] = value;
}

std::uint8_t IdeDevice::read_register(unsigned n) const { return status_ & ide_bsy ? status_ : registers_[n]; }

void IdeDevice::set_interrupt(bool asserted, Time now) {
  if (interrupt_ == asserted) return;
  interrupt_ = asserted;
  cable_.interrupt_changed(now);
}

void IdeDevice::write_command(std::uint8_t command, Time now) {
  const bool reset = command == device_reset_ata && signature()[0] != 0;  // packet devices accept it while busy
  if ((status_ & ide_bsy) && !reset) return;
  trace_(TraceCategory::disk, now, name_, "{} ({:02X}h), sector {:02X} {:02X} {:02X} {:02X}, count {:02X}",
         ata_command_name(command), command, registers_[ide_select], registers_[ide_high], registers_[ide_low],
         registers_[ide_sector], registers_[ide_count]);
  stop(now);
  command_ = command;
  registers_[ide_error] = 0;
  execute(command, now);
}

// ---- parts of a command ----

/// Ends everything in progress.
void IdeDevice::stop(Time now) {
  event_.cancel();
  block_ = Block::none;
  dma_ = false;
  status_ &= static_cast<std::uint8_t>(~(ide_drq | ide_err));
  set_interrupt(false, now);
}

void IdeDevice::busy_until(Time when, std::uint8_t step) {
  status_ = static_cast<std::uint8_t>((status_ | ide_bsy) & ~ide_drq);
  step_ = step;
  event_.at(when);
}

void IdeDevice::open_block(Block block, bool dma, std::size_t bytes, bool interrupts, Time now) {
  block_ = block;
  dma_ = dma;
  at_ = 0;
  end_ = static_cast<std::uint32_t>(bytes);
  buffer_.resize(std::max(buffer_.size(), (bytes + 1) & ~std::size_t{1}));
  status_ = ide_drdy | ide_dsc | ide_drq;
  if (dma)
    cable_.dma_requested(now);
  else if (interrupts)
    set_interrupt(true, now);
}

void IdeDevice::complete(bool interrupts, Time now) {
  status_ = ide_drdy | ide_dsc;
  if (interrupts) set_interrupt(true, now);
}

void IdeDevice::fail(std::uint8_t error, Time now) {
  trace_(TraceCategory::disk, now, name_, "{} ends with error {:02X}", ata_command_name(command_), error);
  registers_[ide_error] = error;
  status_ = ide_drdy | ide_dsc | ide_err;
  set_interrupt(true, now);
}

void IdeDevice::event(Time now) {
  switch (step_) {
    case complete_step: complete(true, now); break;
    case reset_step:
    case diagnostic_step:
      set_signature();
      status_ = reset_status();
      if (step_ == diagnostic_step && interrupts_) set_interrupt(true, now);
      break;
    default: step(step_, now); break;
  }
}

// ---- data ----

void IdeDevice::moved(std::size_t bytes, Time now) {
  at_ += static_cast<std::uint32_t>(bytes);
  if (at_ < end_) return;
  block_ = Block::none;
  status_ &= static_cast<std::uint8_t>(~ide_drq);
  block_moved(now);
}

std::uint16_t IdeDevice::peek_data() const {
  if (block_ != Block::to_host || dma_) return 0xFFFF;
  return load_little<std::uint16_t>(&buffer_[at_]);
}

std::uint16_t IdeDevice::read_data(Time now) {
  if (block_ != Block::to_host || dma_) return 0xFFFF;
  const std::uint16_t value = peek_data();
  moved(2, now);
  return value;
}

void IdeDevice::write_data(std::uint16_t value, Time now) {
  if (block_ != Block::from_host || dma_) return;
  buffer_[at_] = static_cast<std::uint8_t>(value);
  buffer_[at_ + 1] = static_cast<std::uint8_t>(value >> 8);
  moved(2, now);
}

std::span<std::uint8_t> IdeDevice::port_data(Direction direction) {
  const Block wanted = direction == Direction::read ? Block::to_host : Block::from_host;
  if (block_ != wanted || dma_) return {};
  return std::span(buffer_).subspan(at_, ((end_ + 1) & ~1u) - at_);
}

std::span<std::uint8_t> IdeDevice::dma_data() {
  return dma_requested() ? std::span(buffer_).subspan(at_, end_ - at_) : std::span<std::uint8_t>{};
}

// ---- resets ----

void IdeDevice::set_signature() {
  const auto cylinder = signature();
  registers_ = {0, ide_diagnostic_passed, 1, 1, cylinder[0], cylinder[1], 0};
}

void IdeDevice::hold_reset(Time now) {
  stop(now);
  reset_drive();
  status_ = ide_bsy;
}

void IdeDevice::leave_reset(Time now) { busy_until(now + timing_.reset, reset_step); }

void IdeDevice::hard_reset(Time now) {
  lose_settings();
  hold_reset(now);
  leave_reset(now);
}

void IdeDevice::diagnose(bool interrupts, Time now) {
  stop(now);
  interrupts_ = interrupts;
  busy_until(now + timing_.reset, diagnostic_step);
}

// ---- for description and snapshots ----

void IdeDevice::describe(Description& d) const {
  d.text("image", drive().loaded() ? drive().image().name() : "none");
  d.activity("command", status_ & (ide_bsy | ide_drq) ? std::string(ata_command_name(command_)) : "none");
  d.reg("status", status_, 8).reg("error", registers_[ide_error], 8).reg("features", features_, 8);
  d.reg("sector count", registers_[ide_count], 8).reg("sector number", registers_[ide_sector], 8);
  d.reg("cylinder low", registers_[ide_low], 8).reg("cylinder high", registers_[ide_high], 8);
  d.reg("device/head", registers_[ide_select], 8).flag("INTRQ", interrupt_).flag("DMARQ", dma_requested());
  d.level("bytes of the block", block_ == Block::none ? 0 : end_ - at_);
  describe_drive(d);
}

void IdeDevice::archive(Archive& a) {
  a.section("ide device", 1);
  a(registers_, features_, command_, status_, interrupt_, block_, dma_, at_, end_, step_, interrupts_, event_, buffer_);
  if (a.loading()) {
    const bool block_ok = block_ == Block::none || (at_ < end_ && end_ <= buffer_.size() && (at_ & 1) == 0);
    if (block_ > Block::from_host || !block_ok || buffer_.size() % 2 != 0 || buffer_.size() > 0x20000 ||
        ((status_ & ide_bsy) != 0 && block_ != Block::none))
      throw Error("snapshot holds a damaged IDE transfer; take a new one", ExitCode::missing_file);
  }
  archive_drive(a);
}

}  // namespace planar::storage
