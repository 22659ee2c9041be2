// SPDX-License-Identifier: GPL-2.0-or-later
// A planar without devices, a stepped clock instead of a processor, and slaves that record their accesses.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "bus/host/host_bridge.hpp"
#include "bus/mca/dma.hpp"
#include "bus/mca/pos.hpp"
#include "bus/mca/slot.hpp"
#include "tests/catch.hpp"

namespace planar::test {

using namespace planar::bus;

/// Refresh disabled: tests that do not concern it use round numbers.
inline BusTiming quiet_timing() {
  BusTiming t;
  t.synchronisation = 0_ns;
  t.refresh.period = 1_s;
  return t;
}

struct NmiRecorder final : NmiSink {
  void set_nmi(NmiSource source, bool asserted, Time now) override {
    level[source] = asserted;
    last = now;
    if (asserted) ++count;
  }
  std::map<NmiSource, bool> level;
  Time last{};
  int count = 0;
};

struct IrqRecorder final : InterruptSink {
  void set_irq(unsigned line, bool active, Time now) override {
    level.at(line) = active;
    ++changes;
    last = now;
  }
  std::array<bool, 16> level{};
  int changes = 0;
  Time last{};
};

struct Rig {
  explicit Rig(BusTiming timing = quiet_timing(), HostTiming host = {})
      : bus(scheduler, memory, host, trace), channel(scheduler, timing, bus.io(), trace) {
    bus.attach(channel);
    interrupts.connect(irqs);
    channel_check.connect(nmi);
    channel.connect(nmi);
    memory.map_ram(0, ram);
  }

  SlotWiring wiring() {
    return {scheduler, bus.io(), memory, channel, dma, interrupts, channel_check, trace, pos.feedback()};
  }

  // A processor that is idle between accesses: each starts when the previous one has ended.
  std::uint32_t in(std::uint16_t port, unsigned bytes = 1) {
    const auto cycle = bus.io_read(port, bytes, now);
    took = cycle.end - now;
    now = cycle.end;
    return cycle.value;
  }
  void out(std::uint16_t port, std::uint32_t value, unsigned bytes = 1) {
    const Time end = bus.io_write(port, bytes, value, now);
    took = end - now;
    now = end;
  }
  std::uint32_t load(std::uint32_t address, unsigned bytes) {
    const auto cycle = bus.memory_read(address, bytes, now);
    took = cycle.end - now;
    now = cycle.end;
    return cycle.value;
  }
  void store(std::uint32_t address, std::uint32_t value, unsigned bytes) {
    const Time end = bus.memory_write(address, bytes, value, now);
    took = end - now;
    now = end;
  }
  /// Advances the time without using the channel.
  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }

  void archive(Archive& a) {
    scheduler.archive(a);
    bus.archive(a);
    dma.archive(a);
    pos.archive(a);
    interrupts.archive(a);
    channel_check.archive(a);
    a(now);
  }

  Scheduler scheduler;
  AddressSpace memory;
  Trace trace;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x20000, 0);
  HostBridge bus;
  Channel channel;
  DmaController dma{channel, bus.io(), memory, trace};
  PosController pos{bus.io(), trace, 3};
  InterruptLines interrupts;
  ChannelCheck channel_check;
  IrqRecorder irqs;
  NmiRecorder nmi;
  Time now{};
  Time took{};  // by the latest access
};

/// Records every access; reads return the offset in each byte (byte at offset 3 reads 43h).
struct RecordingSlave : Slave {
  struct Access {
    char kind;
    std::uint32_t offset;
    unsigned bytes;
    std::uint32_t value;
    Time when;
  };
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override {
    const std::uint32_t value = peek(offset, bytes, now);
    log.push_back({'r', offset, bytes, value, now});
    return value;
  }
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override {
    log.push_back({'w', offset, bytes, value, now});
  }
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time) const override {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= (0x40u + ((offset + i) & 0xF)) << (8 * i);
    return value;
  }
  Time ready(std::uint32_t, unsigned, Direction, Time start) override { return std::max(start, ready_at); }
  Time ready_at{};
  std::vector<Access> log;
};

}  // namespace planar::test
