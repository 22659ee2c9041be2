// SPDX-License-Identifier: GPL-2.0-or-later
// The host bridge: the processor's pins on one side, the machine's buses on the other.
//
// Each access is split as the processor and the board split it (docs/hardware/micro-channel.md#width-and-splitting):
// first at the width of the processor's bus, then at the width of the slave that answers. Every part is a cycle on that
// slave's bus, with its own duration and its own wait for the bus. The total is: synchronisation (once per processor
// cycle) + waiting for the bus + the cycle by its CycleSpec, extended until Slave::ready(). The simulation is advanced
// to the end of a cycle before the slave sees it.
//
// Memory writes that a bus posts reach their slave later (Bus::post_write()).
//
// A range identifies the bus it is on (bus_number()). Board devices, unanswered accesses and interrupt acknowledge
// cycles are on the bus that was attached first.
//
// If no device answers, reads return ones, writes are lost, and the cycle is a default one to an 8-bit slave.
//
// Not modelled: rounding to a processor clock between the cycles of one split access (the processor rounds at the end).
// Writes to RAM in the same 4 KB page as a claimed range are lost (no planar maps its memory that way).
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

/// The parameters of the processor's side of a board.
struct HostTiming {
  /// Widest transfer of one processor cycle, in bits: 16 (386SX) or 32.
  unsigned cpu_bus_width = 32;
  /// Width, in bits, of the board's memory underneath a page that a device shares.
  unsigned memory_width = 32;
  /// Unanswered memory accesses: below this address, the default cycle of the first bus; from it upwards, `beyond`. A
  /// subtractive-decode bridge takes only what its bus can address. 0: all addresses.
  std::uint32_t first_bus_ends = 0;
  CycleSpec beyond{};
};

class HostBridge final : public cpu::Pins, private PostedSink {
 public:
  HostBridge(Scheduler& scheduler, AddressSpace& memory, const HostTiming& timing, Trace& trace);

  IoSpace& io() { return io_; }
  AddressSpace& memory() { return memory_; }
  /// Connects a bus before anything on it claims a range; the bus must live as long as the bridge is used. Throws Error
  /// if four are already attached.
  void attach(Bus& bus);

  /// The 8259 pair. Without one, INTA cycles read ones.
  void connect(InterruptAcknowledger& pic) { pic_ = &pic; }
  /// The planar's response to a processor shutdown (a reset), and the path of FERR# to IRQ 13.
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

  /// Also saves the buses.
  void archive(Archive& a);

 private:
  void write_posted(std::uint32_t address, unsigned bytes, std::uint32_t value, Time now) override;

  struct Target;  // what answers one cycle, and where
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
  template <Direction direction, class Range>
  bool at_once(const Range& range, std::uint32_t offset, unsigned bytes, Time start, cpu::Cycle& c);
  bool cycle_end(const Bus& bus, const CycleSpec& cycle, Slave* slave, std::uint32_t offset, unsigned bytes,
                 Direction direction, Time start, Time& end);
  void finish_cycle(Bus& bus, bool* selected, Time end);
  // access_trace.cpp
  /// A bus cycle: synchronised to the bus before `asked`, on the bus from `begun` to `end`.
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
  /// What answers the run of accesses most recently granted by port_run() or memory_run().
  struct Run {
    Bus* bus = nullptr;
    Slave* slave = nullptr;
    std::uint32_t offset = 0;
    bool* selected = nullptr;
    Time last{};  // from the start of the first bus cycle of an access to the start of its last one
  } run_;
};

}  // namespace planar::bus
