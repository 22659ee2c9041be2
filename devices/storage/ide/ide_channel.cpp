// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/ide/ide_channel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/storage/ide/ata_disk.hpp"
#include "devices/storage/ide/atapi_drive.hpp"

namespace planar::storage {

namespace {
constexpr std::uint8_t nobody = 0x7F;
}

IdeChannel::IdeChannel(Scheduler& scheduler, Trace& trace, std::string name, IdeHost& host, const IdeTiming& timing)
    : scheduler_(scheduler), trace_(trace), name_(std::move(name)), host_(host), timing_(timing) {}

void IdeChannel::attach(unsigned number, DriveKind kind, std::optional<DiskImage> image) {
  std::unique_ptr<IdeDevice>& place = devices_.at(number);
  if (place) throw Error(fmt::format("{}: there is a {} already", name_, number == 0 ? "master" : "slave"));
  const std::string name = fmt::format("{}.{}", name_, number == 0 ? "master" : "slave");
  IdeCable& cable = *this;
  if (kind == DriveKind::disk)
    place = std::make_unique<AtaDisk>(scheduler_, trace_, name, cable, timing_, std::move(image).value());
  else
    place = std::make_unique<AtapiDrive>(scheduler_, trace_, name, cable, timing_, std::move(image));
}

// ---- registers ----

std::uint8_t IdeChannel::status() const {
  if (const IdeDevice* d = selected()) return d->status();
  return other() ? 0 : nobody;
}

std::uint8_t IdeChannel::read_register(unsigned reg) const {
  if (reg == ide_status) return status();
  const IdeDevice* const d = selected() ? selected() : other();
  if (!d) return nobody;
  const std::uint8_t value = d->read_register(reg);
  // Both have the same device/head, except for the bit that distinguishes them after a reset.
  return reg == ide_select && !(d->status() & ide_bsy)
             ? static_cast<std::uint8_t>((value & ~ide_device1) | (select_ & ide_device1))
             : value;
}

void IdeChannel::write_register(unsigned reg, std::uint8_t value, Time now) {
  if (reg == ide_status) {
    if (value == diagnostic_ata) {
      for (unsigned n = 0; n < 2; ++n)
        if (devices_[n]) devices_[n]->diagnose(n == 0, now);
      select_ = 0;
    } else if (IdeDevice* d = selected()) {
      d->write_command(value, now);
    }
    return;
  }
  for (const auto& d : devices_)
    if (d) d->write_register(reg, value);
  if (reg != ide_select) return;
  select_ = value;
  interrupt_changed(now);
  if (dma()) host_.ide_dma_request(now);
}

std::uint32_t IdeChannel::Registers::read(std::uint32_t offset, unsigned, Time now) {
  const std::uint8_t value = channel.read_register(offset + 1);
  if (offset + 1 == ide_status && channel.selected()) channel.selected()->acknowledge(now);
  return value;
}

std::uint32_t IdeChannel::Registers::peek(std::uint32_t offset, unsigned, Time) const {
  return channel.read_register(offset + 1);
}

void IdeChannel::Registers::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  channel.write_register(offset + 1, static_cast<std::uint8_t>(value), now);
}

std::string_view IdeChannel::Registers::register_name(std::uint32_t offset, Direction d) const {
  switch (offset + 1) {
    case ide_error: return d == Direction::read ? "error" : "features";
    case ide_count: return "sector count";
    case ide_sector: return "sector number";
    case ide_low: return "cylinder low";
    case ide_high: return "cylinder high";
    case ide_select: return "device/head";
    case ide_status: return d == Direction::read ? "status" : "command";
    default: return {};
  }
}

// ---- data ----

std::uint32_t IdeChannel::Data::read(std::uint32_t, unsigned bytes, Time now) {
  IdeDevice* const d = channel.selected();
  if (!d) return ~0u;
  const std::uint32_t low = d->read_data(now);
  return bytes == 4 ? low | std::uint32_t{d->read_data(now)} << 16 : low;
}

std::uint32_t IdeChannel::Data::peek(std::uint32_t, unsigned, Time) const {
  const IdeDevice* const d = channel.selected();
  return d ? 0xFFFF0000u | d->peek_data() : ~0u;
}

void IdeChannel::Data::write(std::uint32_t, unsigned bytes, std::uint32_t value, Time now) {
  IdeDevice* const d = channel.selected();
  if (!d) return;
  d->write_data(static_cast<std::uint16_t>(value), now);
  if (bytes == 4) d->write_data(static_cast<std::uint16_t>(value >> 16), now);
}

PortRun IdeChannel::Data::port_run(std::uint32_t, unsigned bytes, Direction direction) {
  IdeDevice* const d = channel.selected();
  if (!d || bytes != 2) return {};
  PortRun run;
  run.count = static_cast<std::uint32_t>(d->port_data(direction).size() / 2);
  return run;
}

void IdeChannel::Data::run_written(std::uint32_t, std::span<const std::uint8_t> data, PortRun&, Time end) {
  IdeDevice& d = *channel.selected();
  std::copy(data.begin(), data.end(), d.port_data(Direction::write).begin());
  d.port_moved(data.size(), end);
}

void IdeChannel::Data::run_read(std::uint32_t, std::span<std::uint8_t> data, PortRun&, Time end) {
  IdeDevice& d = *channel.selected();
  std::copy_n(d.port_data(Direction::read).begin(), data.size(), data.begin());
  d.port_moved(data.size(), end);
}

// ---- control, interrupt, DMA ----

void IdeChannel::Control::write(std::uint32_t, unsigned, std::uint32_t value, Time now) {
  const std::uint8_t before = channel.control_;
  channel.control_ = static_cast<std::uint8_t>(value);
  const bool held = channel.control_ & ide_srst, was = before & ide_srst;
  if (held != was) {
    channel.select_ = 0;
    for (const auto& d : channel.devices_) {
      if (!d) continue;
      if (held)
        d->hold_reset(now);
      else
        d->leave_reset(now);
    }
  }
  channel.interrupt_changed(now);
}

void IdeChannel::interrupt_changed(Time now) {
  const IdeDevice* const d = selected();
  const bool asserted = d && d->interrupt() && !(control_ & ide_nien);
  if (asserted == interrupt_) return;
  interrupt_ = asserted;
  host_.ide_interrupt(asserted, now);
}

void IdeChannel::dma_requested(Time now) {
  if (dma()) host_.ide_dma_request(now);
}

IdeDevice* IdeChannel::dma() const {
  IdeDevice* const d = selected();
  return d && d->dma_requested() ? d : nullptr;
}

void IdeChannel::reset(Time now) {
  select_ = control_ = 0;
  for (const auto& d : devices_)
    if (d) d->hard_reset(now);
  interrupt_changed(now);
}

void IdeChannel::describe(Description& d) const {
  d.number("selected device", selected_number()).reg("device control", control_, 8).flag("interrupt", interrupt_);
  for (unsigned n = 0; n < 2; ++n)
    if (devices_[n]) devices_[n]->describe(d.part(n == 0 ? "master" : "slave"));
}

void IdeChannel::archive(Archive& a) {
  a.section("ide channel", 1);
  a(select_, control_, interrupt_);
  for (const auto& d : devices_) {
    bool present = d != nullptr;
    a(present);
    if (present != (d != nullptr))
      throw Error("the snapshot has other IDE drives than this machine; restore it with the same drives",
                  ExitCode::missing_file);
    if (d) d->archive(a);
  }
}

}  // namespace planar::storage
