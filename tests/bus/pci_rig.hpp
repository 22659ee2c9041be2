// SPDX-License-Identifier: GPL-2.0-or-later
// A host bridge with a PCI segment and 1 MB of memory, a stepped clock instead of a processor, and a driver's way to
// find a device: configuration accesses by mechanism 1.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "bus/host/host_bridge.hpp"
#include "bus/pci/config_ports.hpp"
#include "bus/pci/function.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"
#include "tests/bus/plain_bus.hpp"
#include "tests/catch.hpp"

namespace planar::test {

/// A function that may be a master, in its own slot, for a test's pci::Master.
struct MasterPlace {
  MasterPlace(const pci::SlotWiring& wiring, unsigned device) : slot(device, 0, wiring) {
    write(pci::COMMAND, 2, pci::BUS_MASTER);
  }
  void write(unsigned reg, unsigned bytes, std::uint32_t value, Time now = {}) {
    function.config_write(reg, bytes, value, now);
  }
  void set_latency_timer(unsigned clocks) { write(pci::LATENCY_TIMER, 1, clocks); }

  pci::Slot slot;
  pci::Function function{slot, {.interrupt_pin = 0}};
};

struct PciRig {
  explicit PciRig(pci::SegmentTiming timing = {}, pci::ConfigMechanism mechanism = pci::ConfigMechanism::one)
      : bus(scheduler, memory, {}, trace), segment(scheduler, timing, memory, trace), mechanism_(mechanism) {
    bus.attach(board);
    bus.attach(segment);
    memory.map_ram(0, ram);
    ports.emplace(segment, bus.io(), mechanism_);
  }

  pci::SlotWiring wiring() {
    return {scheduler, bus.io(),
            memory,    segment,
            trace,     [this](unsigned, unsigned pin, bool asserted, Time) { interrupts.at(pin) = asserted; }};
  }

  // A processor that is idle between accesses: each starts when the previous one has ended.
  std::uint32_t in(std::uint16_t port, unsigned bytes = 1) { return took_of(bus.io_read(port, bytes, now)); }
  void out(std::uint16_t port, std::uint32_t value, unsigned bytes = 1) {
    took_until(bus.io_write(port, bytes, value, now));
  }
  std::uint32_t load(std::uint32_t address, unsigned bytes = 4) {
    return took_of(bus.memory_read(address, bytes, now));
  }
  void store(std::uint32_t address, std::uint32_t value, unsigned bytes = 4) {
    took_until(bus.memory_write(address, bytes, value, now));
  }
  /// Advances the time without using a bus.
  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }

  // Mechanism 1.
  std::uint32_t config(unsigned device, unsigned reg, unsigned bytes = 4, unsigned function = 0) {
    out(0xCF8, 0x80000000u | device << 11 | function << 8 | (reg & 0xFC), 4);
    return in(static_cast<std::uint16_t>(0xCFC + (reg & 3)), bytes);
  }
  void set_config(unsigned device, unsigned reg, std::uint32_t value, unsigned bytes = 4, unsigned function = 0) {
    out(0xCF8, 0x80000000u | device << 11 | function << 8 | (reg & 0xFC), 4);
    out(static_cast<std::uint16_t>(0xCFC + (reg & 3)), value, bytes);
  }

  // Memory as a driver sees it, without time.
  void put(std::uint32_t address, const std::vector<std::uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), ram.begin() + address);
  }
  void put32(std::uint32_t address, std::uint32_t value) {
    for (unsigned n = 0; n < 4; ++n) ram.at(address + n) = static_cast<std::uint8_t>(value >> (8 * n));
  }
  std::uint32_t get32(std::uint32_t address) const {
    std::uint32_t value = 0;
    for (unsigned n = 0; n < 4; ++n) value |= std::uint32_t{ram.at(address + n)} << (8 * n);
    return value;
  }
  std::vector<std::uint8_t> get(std::uint32_t address, std::size_t bytes) const {
    return {ram.begin() + address, ram.begin() + address + static_cast<std::ptrdiff_t>(bytes)};
  }

  void archive(Archive& a) {
    scheduler.archive(a);
    bus.archive(a);
    ports->archive(a);
    a(now);
    a.bytes(ram);
    if (a.loading() && (now < scheduler.now() || now > scheduler.now() + 1_s))  // the check that a machine makes for
                                                                                // its processor
      throw Error("snapshot: the rig's time is not the scheduler's", ExitCode::missing_file);
  }

  Scheduler scheduler;
  AddressSpace memory;
  Trace trace;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x100000, 0);
  bus::HostBridge bus;
  PlainBus board{scheduler, {}};
  pci::Segment segment;
  std::optional<pci::ConfigPorts> ports;
  std::array<bool, 5> interrupts{};  // by pin
  Time now{};
  Time took{};  // by the latest access

 private:
  std::uint32_t took_of(const cpu::Cycle& cycle) {
    took_until(cycle.end);
    return cycle.value;
  }
  void took_until(Time end) {
    took = end - now;
    now = end;
  }
  pci::ConfigMechanism mechanism_;
};

}  // namespace planar::test
