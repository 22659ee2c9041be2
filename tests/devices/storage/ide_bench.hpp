// SPDX-License-Identifier: GPL-2.0-or-later
// The PIIX3's IDE function on a PCI segment, and the port accesses of Linux 2.2's driver and of a BIOS.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "devices/board/piix3/piix3_ide.hpp"
#include "devices/board/piix3/piix3_isa.hpp"
#include "tests/bus/pci_rig.hpp"
#include "tests/devices/board/bench.hpp"

namespace planar::test {

/// Content of the test media from byte `first` on. Sectors at a distance of 256 are equal.
inline std::vector<std::uint8_t> medium_bytes(std::size_t size, std::size_t first = 0) {
  static const auto period = [] {
    std::array<std::uint8_t, 256 * 512> bytes{};
    for (std::size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<std::uint8_t>(n / 512 * 5 + n * 3);
    return bytes;
  }();
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t n = 0; n < size;) {
    const std::size_t place = (first + n) % period.size(), part = std::min(size - n, period.size() - place);
    std::copy_n(period.begin() + static_cast<std::ptrdiff_t>(place), part,
                bytes.begin() + static_cast<std::ptrdiff_t>(n));
    n += part;
  }
  return bytes;
}

inline std::vector<std::uint8_t> sectors_of(std::size_t sector, std::size_t sectors) {
  return medium_bytes(sectors * 512, sector * 512);
}

struct IdeBench {
  static constexpr unsigned slot_number = 7;
  static constexpr std::uint16_t masters = 0xF000;

  PciRig rig;
  bus::InterruptLines lines;
  PirqRouter router{lines, PirqTable::rotation(9)};
  pci::Slot slot{slot_number, 0, rig.wiring()};
  Piix3Isa isa{slot, router};
  Piix3Ide ide{slot, Piix3Ide::profile()};
  tests::Probe irq14, irq15;
  std::uint16_t base = 0x1F0;

  IdeBench() {
    ide.irq14.connect(irq14);
    ide.irq15.connect(irq15);
  }
  /// Configuration by the firmware: both channels decode, the bus masters have their ports.
  void firmware(std::uint32_t timing = 0x80008000) {
    config(0x20, masters);
    config(0x40, timing);
    config(0x04, pci::IO_SPACE | pci::BUS_MASTER);
  }
  void config(unsigned reg, std::uint32_t value) { rig.set_config(slot_number, reg, value, 4, 1); }
  std::uint32_t config(unsigned reg) { return rig.config(slot_number, reg, 4, 1); }

  storage::DiskImage image(std::size_t sectors, storage::WriteMode mode = storage::WriteMode::memory) {
    return {medium_bytes(sectors * 512), "test.img", mode};
  }
  void disk(unsigned id, std::size_t sectors = 20'160, storage::WriteMode mode = storage::WriteMode::memory) {
    ide.attach(id, storage::DriveKind::disk, image(sectors, mode));
  }
  void cdrom(unsigned id, std::size_t blocks = 300) {
    ide.attach(id, storage::DriveKind::cdrom, image(blocks * 4, storage::WriteMode::read_only));
  }

  std::uint8_t in(unsigned reg) { return static_cast<std::uint8_t>(rig.in(static_cast<std::uint16_t>(base + reg))); }
  void out(unsigned reg, unsigned value) { rig.out(static_cast<std::uint16_t>(base + reg), value); }
  std::uint8_t alternate() { return static_cast<std::uint8_t>(rig.in(static_cast<std::uint16_t>(base + 0x206))); }
  void control(unsigned value) { rig.out(static_cast<std::uint16_t>(base + 0x206), value); }
  std::uint16_t word() { return static_cast<std::uint16_t>(rig.in(base, 2)); }
  const tests::Probe& irq() const { return base == 0x1F0 ? irq14 : irq15; }

  template <class Condition>
  bool until(Condition condition, Time limit = 2_s) {
    const Time end = rig.now + limit;
    while (!condition()) {
      if (rig.now >= end) return false;
      rig.step(5_us);
    }
    return true;
  }
  bool interrupt(Time limit = 2_s) {
    return until([&] { return irq().level; }, limit);
  }
  bool idle(Time limit = 2_s) {
    return until([&] { return !(alternate() & storage::ide_bsy); }, limit);
  }

  /// Selects an LBA on device 0 or 1.
  void address(std::uint32_t lba, unsigned count, unsigned device = 0) {
    out(6, 0xE0 | device << 4 | lba >> 24);
    out(2, count);
    out(3, lba & 0xFF);
    out(4, lba >> 8 & 0xFF);
    out(5, lba >> 16 & 0xFF);
  }
  /// Runs a command that ends with an interrupt and transfers no data; returns its status.
  std::uint8_t run(unsigned command) {
    out(7, command);
    if (!interrupt()) return 0xFF;
    return in(7);
  }
  std::vector<std::uint8_t> read_words(std::size_t bytes) {
    std::vector<std::uint8_t> data;
    while (data.size() < bytes) {
      const std::uint16_t w = word();
      data.push_back(static_cast<std::uint8_t>(w));
      data.push_back(static_cast<std::uint8_t>(w >> 8));
    }
    return data;
  }
  void write_words(const std::vector<std::uint8_t>& data) {
    for (std::size_t n = 0; n + 1 < data.size(); n += 2) rig.out(base, data[n] | data[n + 1] << 8, 2);
  }
  /// Reads by PIO: an interrupt, the status, a block of data, and so on.
  std::vector<std::uint8_t> read_by_port(unsigned command, std::size_t sectors, std::size_t per_block = 1) {
    std::vector<std::uint8_t> data;
    out(7, command);
    while (sectors != 0) {
      if (!interrupt()) return {};
      if ((in(7) & 0x89) != 0x08) return {};
      const std::size_t n = std::min(sectors, per_block);
      const auto part = read_words(n * 512);
      data.insert(data.end(), part.begin(), part.end());
      sectors -= n;
    }
    return data;
  }
  std::vector<std::uint8_t> identify(unsigned command = 0xEC) { return read_by_port(command, 1); }
  static unsigned id_word(const std::vector<std::uint8_t>& id, unsigned n) {
    return id.at(2 * n) | id.at(2 * n + 1) << 8;
  }

  // Bus master register of the channel.
  std::uint16_t master(unsigned reg) const {
    return static_cast<std::uint16_t>(masters + reg + (base == 0x1F0 ? 0 : 8));
  }
  /// Writes a PRD table at 1000h.
  void table(const std::vector<std::array<std::uint32_t, 2>>& regions) {
    std::uint32_t at = 0x1000;
    for (const auto& r : regions) {
      rig.put32(at, r[0]);
      rig.put32(at + 4, r[1]);
      at += 8;
    }
    rig.out(master(4), 0x1000, 4);
  }
  /// Linux's order: table, direction, status cleared, the command, start.
  void dma(unsigned command, bool to_memory) {
    rig.out(master(0), to_memory ? 8 : 0);
    rig.out(master(2), rig.in(master(2)) | 6);
    out(7, command);
    rig.out(master(0), to_memory ? 9 : 1);
  }
  /// ide_dma_end: stops the bus master, clears its status and returns what it was.
  std::uint8_t dma_end() {
    const auto status = static_cast<std::uint8_t>(rig.in(master(2)));
    rig.out(master(0), 0);
    rig.out(master(2), status | 6);
    return status;
  }

  void archive(Archive& a) {
    rig.archive(a);
    a(lines, isa, ide);
  }
};

}  // namespace planar::test
