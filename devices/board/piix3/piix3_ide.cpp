// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/piix3_ide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"

namespace planar {

namespace {

enum TimingRegister : std::uint8_t { IDETIM = 0x40, SIDETIM = 0x44 };
constexpr unsigned bmiba = 4;
constexpr std::uint32_t bmiba_bits = 0xFFF0;
// IDETIM
constexpr std::uint16_t decode_enable = 0x8000, second_timing = 0x4000;
constexpr std::uint8_t fast = 0x01, dma_only = 0x08;
constexpr Time least_word = 120_ns;  // multiword DMA mode 2 and PIO mode 4

struct Place {
  std::uint16_t command, control;
};
constexpr std::array<Place, Piix3Ide::channels> places{{{0x1F0, 0x3F6}, {0x170, 0x376}}};

}  // namespace

TimingProfile Piix3Ide::profile() { return TimingProfile::embedded("devices/storage/ide/ide.toml"); }

Piix3Ide::Part::Part(Piix3Ide& f, unsigned n, const storage::IdeTiming& timing)
    : function(f),
      number(n),
      drives(f.slot().scheduler(), f.slot().trace(), f.slot().device_name(fmt::format("ide{}", n)), *this, timing),
      master(f, f.slot().device_name(fmt::format("ide{}.dma", n)), n, drives, *this) {}

Piix3Ide::Piix3Ide(pci::Slot& slot, const TimingProfile& p)
    : Function(slot,
               {.vendor = 0x8086, .device = 0x7010, .revision = 0x00, .class_code = 0x010180, .interrupt_pin = 0}),
      compatible_(p.time("port.compatible")) {
  config_.set_writable(pci::COMMAND, 2, pci::BUS_MASTER);
  add_bar(bmiba, {pci::Bar::Kind::io, 16, &masters_, {32, pci::CycleKind::io, {}}});
  config_.set_writable(pci::BAR0 + 4 * bmiba, 4, bmiba_bits);
  config_.set_clearable(pci::STATUS, 2,
                        pci::SIGNALED_TARGET_ABORT | pci::RECEIVED_TARGET_ABORT | pci::RECEIVED_MASTER_ABORT);
  config_.set_writable(pci::CACHE_LINE_SIZE, 1, 0);
  config_.set_writable(pci::LATENCY_TIMER, 1, 0xF0);
  config_.set_writable(pci::INTERRUPT_LINE, 1, 0);
  config_.set_writable(IDETIM, 4, 0xF3FFF3FF);
  config_.set_writable(SIDETIM, 1, 0xFF);
  const auto timing = storage::IdeTiming::read(p);
  for (unsigned n = 0; n < channels; ++n) parts_[n] = std::make_unique<Part>(*this, n, timing);
}

// ---- the bus masters' ports ----

std::uint32_t Piix3Ide::Masters::peek(std::uint32_t offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned n = 0; n < bytes; ++n)
    value |= std::uint32_t{function.parts_[(offset + n) >> 3 & 1]->master.read((offset + n) & 7)} << (8 * n);
  return value;
}

void Piix3Ide::Masters::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  for (unsigned n = 0; n < bytes; ++n)
    function.parts_[(offset + n) >> 3 & 1]->master.write((offset + n) & 7, static_cast<std::uint8_t>(value >> (8 * n)),
                                                         now);
}

std::string_view Piix3Ide::Masters::register_name(std::uint32_t offset, Direction) const {
  switch (offset & 7) {
    case 0: return "BMICX";
    case 2: return "BMISX";
    case 4: return "BMIDTPX";
    default: return {};
  }
}

// ---- configuration ----

void Piix3Ide::config_changed(unsigned reg, unsigned bytes, Time) {
  const bool command = reg + bytes > pci::COMMAND && reg < pci::STATUS;
  if (command || (reg + bytes > IDETIM && reg <= SIDETIM)) decode_channels();
}

/// One word of the data port or of DMA: of the slower drive, if both are there.
Time Piix3Ide::word_time(unsigned channel, bool dma) const {
  const std::uint32_t timing = config_.read(IDETIM + 2 * channel, 2);
  const std::uint32_t second = config_.read(SIDETIM, 1) >> (4 * channel);
  Time longest{};
  for (unsigned n = 0; n < 2; ++n) {
    if (parts_[channel] && !parts_[channel]->drives.device(n)) continue;
    const std::uint32_t bits = timing >> (4 * n);
    const bool quick = (bits & fast) && (dma || !(bits & dma_only));
    const bool own = n == 1 && (timing & second_timing);
    const std::uint32_t sample = own ? second >> 2 & 3 : timing >> 12 & 3,
                        recovery = own ? second & 3 : timing >> 8 & 3;
    const unsigned clocks = (5 - sample) + (4 - recovery);
    longest = std::max(longest, quick ? std::max(slot().segment().timing().clocks(clocks), least_word) : compatible_);
  }
  return longest == Time{} ? compatible_ : longest;
}

void Piix3Ide::decode_channels() {
  for (unsigned n = 0; n < channels; ++n) {
    Part& part = *parts_[n];
    part.data.release();
    part.registers.release();
    part.control.release();
    if (!enabled(pci::IO_SPACE) || !(config_.read(IDETIM + 2 * n, 2) & decode_enable)) continue;
    const Place& at = places[n];
    const CycleSpec registers{8, pci::CycleKind::io, compatible_};
    // Three ports more than the register has: a doubleword begins in its range and ends beside it.
    part.data = slot().claim_io(at.command, static_cast<std::uint16_t>(at.command + 3), part.drives.data(),
                                {32, pci::CycleKind::io, word_time(n, false)});
    part.registers = slot().claim_io(static_cast<std::uint16_t>(at.command + 1),
                                     static_cast<std::uint16_t>(at.command + 7), part.drives.registers(), registers);
    part.control = slot().claim_io(at.control, at.control, part.drives.control(), registers);
  }
}

void Piix3Ide::bus_reset(Time now) {
  Function::bus_reset(now);
  for (const auto& part : parts_) {
    part->master.reset(now);
    part->drives.reset(now);
  }
  decode_channels();
}

// ---- interrupts and drives ----

void Piix3Ide::Part::ide_interrupt(bool asserted, Time now) {
  if (asserted) master.interrupt_rose();
  (number == 0 ? function.irq14 : function.irq15).set(asserted, now);
}

void Piix3Ide::attach(unsigned id, storage::DriveKind kind, std::optional<storage::DiskImage> image) {
  if (id >= 2 * channels)
    throw Error(
        fmt::format("IDE drive {}: there are four, 0 to 3: the first channel's master and slave, then the second "
                    "one's; choose one of them",
                    id));
  parts_[id / 2]->drives.attach(id % 2, kind, std::move(image));
}

const storage::Drive* Piix3Ide::drive(unsigned id) const {
  const storage::IdeDevice* const device = id < 2 * channels ? parts_[id / 2]->drives.device(id % 2) : nullptr;
  return device ? &device->drive() : nullptr;
}

void Piix3Ide::change_medium(unsigned id, std::optional<storage::DiskImage> image) {
  parts_.at(id / 2)->drives.device(id % 2)->change_medium(std::move(image));
}

bool Piix3Ide::busy() const {
  for (unsigned id = 0; id < 2 * channels; ++id)
    if (const storage::IdeDevice* d = parts_[id / 2]->drives.device(id % 2);
        d && (d->status() & (storage::ide_bsy | storage::ide_drq)))
      return true;
  return false;
}

// ---- what others see of it ----

void Piix3Ide::describe(Description& d) const {
  describe_header(d);
  d.reg("IDETIM primary", config_.read(IDETIM, 2), 16).reg("IDETIM secondary", config_.read(IDETIM + 2, 2), 16);
  d.reg("SIDETIM", config_.read(SIDETIM, 1), 8);
  for (const auto& part : parts_) {
    Description& channel = d.part(part->number == 0 ? "primary" : "secondary");
    part->drives.describe(channel);
    part->master.describe_registers(channel.part("bus master"));
  }
}

void Piix3Ide::archive(Archive& a) {
  a.section("piix3 ide", 1);
  archive_function(a);
  a(irq14, irq15);
  for (const auto& part : parts_) {
    part->drives.archive(a);
    part->master.archive_registers(a);
  }
  if (a.loading()) decode_channels();
}

}  // namespace planar
