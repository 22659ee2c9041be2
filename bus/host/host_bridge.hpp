// SPDX-License-Identifier: GPL-2.0-or-later
// The host bridge: the processor's pins on one side, the buses of the machine on the other.
//
// Each access is split as the processor and the board split it (docs/hardware/micro-channel.md#width-and-splitting):
// first at the width of the processor's bus, then at the width of the slave that answers; every part is a cycle on the
// bus of that slave, with its own cost and its own wait for the bus. The cost is: synchronisation (once a processor
// cycle) + waiting for the bus + the cycle by its CycleSpec, stretched to Slave::ready(). The world is brought up to
// the end of a cycle before the slave sees it.
//
// Writes to memory that a bus posts reach their slave later (Bus::post_write()).
//
// A range says which bus it is on (bus_number()). Board devices, accesses that nobody answers and interrupt
// acknowledge cycles are on the bus that was attached first.
//
// Nobody answers: reads give ones, writes vanish, and the cycle is a default one to an 8-bit slave.
//
// Not modelled: rounding to a processor clock between the cycles of one split access (the processor
// rounds at the end); writes to RAM that lies in the same 4 KB page as a claimed range vanish (no
// planar maps its memory so).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "bus/common/bus.hpp"
#include "bus/common/interrupts.hpp"
#include "core/cpu/pins.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/io_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::bus {

/// The processor's side of a board.
struct HostTiming {
  /// Widest transfer of one processor cycle in bits: 16 (386SX) or 32.
  unsigned cpu_bus_width = 32;
  /// Width in bits of the board's memory beneath a page that a device shares.
  unsigned memory_width = 32;
  /// Memory that nobody answers: the default cycle of the first bus below this address, from it on that of `beyond`. A
  /// bridge that decodes by subtraction takes what its bus has addresses for. 0: all.
  std::uint32_t first_bus_ends = 0;
  CycleSpec beyond{};
};

class HostBridge final : public cpu::Pins, private PostedSink {
 public:
  HostBridge(Scheduler& scheduler, AddressSpace& memory, const HostTiming& timing, Trace& trace);

  IoSpace& io() { return io_; }
  AddressSpace& memory() { return memory_; }
  /// Connects a bus before anything on it claims a range; it lives as long as the bridge works. Throws Error when there
  /// are four already.
  void attach(Bus& bus);

  /// The 8259 pair. Without one INTA cycles read ones.
  void connect(InterruptAcknowledger& pic) { pic_ = &pic; }
  /// The planar's answer to a processor shutdown (a reset), and the path of FERR# to IRQ 13.
  void on_shutdown(std::function<void(Time)> f) { shutdown_ = std::move(f); }
  void on_fpu_error(std::function<void(bool, Time)> f) { fpu_error_ = std::move(f); }

  cpu::Cycle io_read(std::uint16_t port, unsigned bytes, Time start) override;
  Time io_write(std::uint16_t port, unsigned bytes, std::uint32_t value, Time start) override;
  bool port_run(std::uint16_t port, unsigned bytes, Direction direction, cpu::PinsRun& run) override;
  bool memory_run(std::uint32_t address, unsigned bytes, Direction direction, Time now, cpu::PinsRun& run) override;
  Time run_continued(cpu::PinsRun& run, Time end, Time t) override;
  void run_written(cpu::PinsRun& run, std::span<const std::uint8_t> data, std::uint32_t count, Time end) override;
  void run_read(cpu::PinsRun& run, std::span<std::uint8_t> data, std::uint32_t count, Time end) override;
  cpu::Cycle memory_read(std::uint32_t address, unsigned bytes, Time start) override;
  Time memory_write(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start) override;
  cpu::Cycle acknowledge_interrupt(Time start) override;
  void shutdown(Time now) override;
  void fpu_error(bool active, Time now) override;

  /// Bus cycles that the processor has run, for reports.
  std::uint64_t cycles() const { return cycles_; }

  /// Saves the buses with it.
  void archive(Archive& a);

 private:
  void write_posted(std::uint32_t address, unsigned bytes, std::uint32_t value, Time now) override;

  struct Target;  // who answers one cycle, and where
  Target io_target(std::uint32_t port) const;
  Target memory_target(std::uint32_t address) const;
  template <bool memory>
  Target target(std::uint32_t address) const;
  Bus& bus_of(const CycleSpec& cycle) const { return *buses_[bus_number(cycle) % buses_.size()]; }
  template <bool memory>
  Bus& bus_at(std::uint32_t address) const;
  template <bool memory, bool observed>
  cpu::Cycle read(std::uint32_t address, unsigned bytes, Time start, BusObserver* observer);
  template <bool memory, bool observed>
  Time write(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start, BusObserver* observer);
  template <bool memory, class F>
  Time split(std::uint32_t address, unsigned bytes, Direction direction, Time start, F f);
  std::uint32_t read_cycle(const Target& target, std::uint32_t at, unsigned bytes, Time& t);
  static void deliver(const Target& target, std::uint32_t at, unsigned bytes, std::uint32_t value, Time end);
  void write_cycle(const Target& target, std::uint32_t at, unsigned bytes, std::uint32_t value, Time& t);
  bool posted(std::uint32_t address) const;
  Time post(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start);
  template <bool memory>
  cpu::Cycle read(std::uint32_t address, unsigned bytes, Time start);
  template <bool memory>
  Time write(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start);
  const IoSpace::Range* single(std::uint16_t port, unsigned bytes) const;
  const AddressSpace::Range* single_memory(std::uint32_t address, unsigned bytes) const;
  void finish_run(std::uint32_t count, Time end);
  bool cycle_end(const Bus& bus, const CycleSpec& cycle, Slave* slave, std::uint32_t offset, unsigned bytes,
                 Direction direction, Time start, Time& end);
  void finish_cycle(Bus& bus, bool* selected, Time end);
  // access_trace.cpp
  /// A cycle on a bus: synchronised to it before `asked`, on it from `begun` to `end`.
  struct Phases {
    Time synchronisation, asked, begun, end;
  };
  void trace_cycle(bool memory, std::uint32_t address, unsigned bytes, std::uint32_t value, Direction direction,
                   const Phases& phases);
  void trace_access(bool memory, std::uint32_t address, unsigned bytes, std::uint32_t value, Direction direction,
                    Time end);
  void trace_acknowledge(std::uint8_t vector, Time start, Time end);
  void trace_single(const Bus& bus, std::uint16_t port, unsigned bytes, std::uint32_t value, Direction direction,
                    Time begun, Time end);

  Scheduler& scheduler_;
  AddressSpace& memory_;
  const HostTiming timing_;
  Trace& trace_;
  IoSpace io_;
  std::array<Bus*, 4> buses_{};
  unsigned attached_ = 0;
  InterruptAcknowledger* pic_ = nullptr;
  std::function<void(Time)> shutdown_;
  std::function<void(bool, Time)> fpu_error_;
  std::uint64_t cycles_ = 0;
  /// Who answers the run of accesses that port_run() or memory_run() has granted last.
  struct Run {
    Bus* bus = nullptr;
    Slave* slave = nullptr;
    std::uint32_t offset = 0;
    bool* selected = nullptr;
    unsigned cycles = 1;  // on the bus, of an access
    Time last{};          // from the first one's start to the last one's
  } run_;
};

}  // namespace planar::bus
