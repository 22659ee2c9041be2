// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/south_bridge/pci_ide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"

namespace planar {

namespace {

constexpr unsigned bmiba = 4;
constexpr std::uint32_t bmiba_bits = 0xFFF0;

struct Place {
  std::uint16_t command, control;
};
constexpr std::array<Place, PciIde::channels> places{{{0x1F0, 0x3F6}, {0x170, 0x376}}};

}  // namespace

TimingProfile PciIde::profile() { return TimingProfile::embedded("devices/storage/ide/ide.toml"); }

PciIde::Part::Part(PciIde& f, unsigned n, const storage::IdeTiming& timing)
    : function(f),
      number(n),
      drives(f.slot().scheduler(), f.slot().trace(), f.slot().device_name(fmt::format("ide{}", n)), *this, timing),
      master(f, f.slot().device_name(fmt::format("ide{}.dma", n)), n, drives, *this) {}

PciIde::PciIde(pci::Slot& slot, const pci::Identity& identity, const TimingProfile& p)
    : Function(slot, identity), compatible_(p.time("port.compatible")) {
  config_.set_writable(pci::COMMAND, 2, pci::BUS_MASTER);
  add_bar(bmiba, {pci::Bar::Kind::io, 16, &masters_, {32, pci::CycleKind::io, {}}});
  config_.set_writable(pci::BAR0 + 4 * bmiba, 4, bmiba_bits);
  config_.set_clearable(pci::STATUS, 2,
                        pci::SIGNALED_TARGET_ABORT | pci::RECEIVED_TARGET_ABORT | pci::RECEIVED_MASTER_ABORT);
  config_.set_writable(pci::CACHE_LINE_SIZE, 1, 0);
  config_.set_writable(pci::LATENCY_TIMER, 1, 0xF0);
  config_.set_writable(pci::INTERRUPT_LINE, 1, 0);
  const auto timing = storage::IdeTiming::read(p);
  for (unsigned n = 0; n < channels; ++n) parts_[n] = std::make_unique<Part>(*this, n, timing);
}

// ---- the bus masters' ports ----

std::uint32_t PciIde::Masters::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return join_little(bytes,
                     [&](unsigned n) { return function.parts_[(offset + n) >> 3 & 1]->master.read((offset + n) & 7); });
}

void PciIde::Masters::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  for (unsigned n = 0; n < bytes; ++n)
    function.parts_[(offset + n) >> 3 & 1]->master.write((offset + n) & 7, static_cast<std::uint8_t>(value >> (8 * n)),
                                                         now);
}

std::string_view PciIde::Masters::register_name(std::uint32_t offset, Direction) const {
  switch (offset & 7) {
    case 0: return "BMICX";
    case 2: return "BMISX";
    case 4: return "BMIDTPX";
    default: return {};
  }
}

// ---- configuration ----

void PciIde::config_changed(unsigned reg, unsigned bytes, Time) {
  constexpr unsigned first_own = 0x40;
  const bool command = reg + bytes > pci::COMMAND && reg < pci::STATUS;
  if (command || reg >= first_own) decode_channels();
}

/// Time of the slower drive, if both are present.
Time PciIde::slower_word(unsigned channel, bool dma) const {
  Time longest{};
  for (unsigned n = 0; n < 2; ++n)
    if (!parts_[channel] || parts_[channel]->drives.device(n)) longest = std::max(longest, word_time(channel, n, dma));
  return longest == Time{} ? compatible_ : longest;
}

void PciIde::decode_channels() {
  for (unsigned n = 0; n < channels; ++n) {
    Part& part = *parts_[n];
    part.data.release();
    part.registers.release();
    part.control.release();
    if (!enabled(pci::IO_SPACE) || !decodes_channel(n)) continue;
    const Place& at = places[n];
    const CycleSpec registers{8, pci::CycleKind::io, compatible_};
    // Three ports more than the register has, because a doubleword access extends beyond it.
    part.data = slot().claim_io(at.command, static_cast<std::uint16_t>(at.command + 3), part.drives.data(),
                                {32, pci::CycleKind::io, slower_word(n, false)});
    part.registers = slot().claim_io(static_cast<std::uint16_t>(at.command + 1),
                                     static_cast<std::uint16_t>(at.command + 7), part.drives.registers(), registers);
    part.control = slot().claim_io(at.control, at.control, part.drives.control(), registers);
  }
}

void PciIde::bus_reset(Time now) {
  Function::bus_reset(now);
  for (const auto& part : parts_) {
    part->master.reset(now);
    part->drives.reset(now);
  }
  decode_channels();
}

// ---- interrupts and drives ----

void PciIde::Part::ide_interrupt(bool asserted, Time now) {
  if (asserted) master.interrupt_rose();
  (number == 0 ? function.irq14 : function.irq15).set(asserted, now);
}

void PciIde::attach(unsigned id, storage::DriveKind kind, std::optional<storage::DiskImage> image) {
  if (id >= 2 * channels)
    throw Error(
        fmt::format("IDE drive {}: there are four, 0 to 3: the first channel's master and slave, then the second "
                    "one's; choose one of them",
                    id));
  parts_[id / 2]->drives.attach(id % 2, kind, std::move(image));
}

const storage::Drive* PciIde::drive(unsigned id) const {
  const storage::IdeDevice* const device = id < 2 * channels ? parts_[id / 2]->drives.device(id % 2) : nullptr;
  return device ? &device->drive() : nullptr;
}

void PciIde::change_medium(unsigned id, std::optional<storage::DiskImage> image) {
  parts_.at(id / 2)->drives.device(id % 2)->change_medium(std::move(image));
}

bool PciIde::busy() const {
  for (unsigned id = 0; id < 2 * channels; ++id)
    if (const storage::IdeDevice* d = parts_[id / 2]->drives.device(id % 2);
        d && (d->status() & (storage::ide_bsy | storage::ide_drq)))
      return true;
  return false;
}

// ---- for description and snapshots ----

void PciIde::describe(Description& d) const {
  describe_header(d);
  describe_timing(d);
  for (const auto& part : parts_) {
    Description& channel = d.part(part->number == 0 ? "primary" : "secondary");
    part->drives.describe(channel);
    part->master.describe_registers(channel.part("bus master"));
  }
}

void PciIde::archive(Archive& a) {
  a.section(std::string(name()) + " ide", 1);
  archive_function(a);
  a(irq14, irq15);
  for (const auto& part : parts_) {
    part->drives.archive(a);
    part->master.archive_registers(a);
  }
  if (a.loading()) decode_channels();
}

}  // namespace planar
