// SPDX-License-Identifier: GPL-2.0-or-later
// A PCI segment as a timed resource: the processor's cycles through the host bridge, configuration cycles, posted
// writes, and masters with their arbiter.
//
//   REQ# ... GNT#  address  DEVSEL#/first datum  datum datum ... datum   idle
//        grant             read_first or write_first   1 clock each
//
// Arbitration: round robin among the masters, overlapping the current transaction. The processor competes as one more
// master: when it waits, the owner loses GNT# and ends its transaction once its latency timer has expired, and the
// processor gets the next transaction. The rest of the burst competes again. A burst is one transaction as long as
// there is no other request: the bridge itself ends a transaction only at a 4 KB boundary [inferred], and `read` and
// `read_line` end at the limit of its read-ahead.
//
// A 64-bit master on a 64-bit segment asserts REQ64#, and memory answers with ACK64#: each clock then moves an aligned
// quadword, in which byte enables select the bytes, instead of a doubleword. Processor cycles have 32 bits. A connector
// card that does not support 66 MHz grounds M66EN: the whole segment then runs at 33 MHz.
//
// Masters share memory with the processor line by line: each line keeps the processor from memory for
// MemoryTarget::line, and its inquire cycle occupies the processor's bus for MemoryTarget::snoop. A line that is dirty
// in a cache is first written back over that bus; the bridge snoops ahead, so a read waits only for the write-back of
// its first line.
//
// An address outside memory ends in a master abort. A transfer to or from another device's memory takes as long as one
// to or from memory [inferred].
//
// Not modelled: retries and delayed transactions of targets, fast back-to-back, locked transactions, dual address
// cycles, parity. Sources: PCI Local Bus Specification 2.1, chapter 3; docs/hardware/pci.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/common/bus.hpp"
#include "bus/pci/master.hpp"
#include "bus/pci/posted_writes.hpp"
#include "bus/pci/timing.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/trace.hpp"

namespace planar::pci {

class Function;
class Slot;

class Segment final : public bus::Bus {
 public:
  static constexpr unsigned devices = 32;
  static constexpr Time clock_33mhz = 30_ns;
  static constexpr std::uint32_t line_bytes = 32;  ///< of the processor's caches
  /// The processor, as seen by masters that access memory.
  struct Host {
    /// The transaction's lines that are dirty in the processor's caches, by level; `first`: the level of the first
    /// line, 0 if clean.
    struct Dirty {
      std::uint32_t first_level = 0, second_level = 0;
      unsigned first = 0;
    };
    /// A transaction begins that reads or writes `bytes` bytes at `address`: returns what its inquire cycles find.
    std::function<Dirty(BurstCommand command, std::uint32_t address, std::uint32_t bytes)> snoop;
    /// From `from` to `to`, a master's lines, one every `period`, keep the processor from memory for `line` each, and
    /// from its bus for `bus`.
    std::function<void(Time from, Time to, Time period, Time line, Time bus)> share;
  };

  Segment(Scheduler& scheduler, const SegmentTiming& timing, AddressSpace& memory, Trace& trace,
          std::string name = "pci");

  void set_host(Host host) { host_ = std::move(host); }

  // bus::Bus
  std::string_view name() const override { return name_; }
  std::string_view owner_name() const override { return owner_ ? std::string_view(owner_->name_) : "processor"; }
  void describe(Description& d) const override;
  void archive(Archive& a) override;
  void bus_timeout(Time now) override;
  Time post_write(std::uint32_t address, unsigned bytes, std::uint32_t value, const CycleSpec& cycle, Time t) override;

  // ---- configuration cycles ----
  /// The bus number assigned by the host bridge; 0 except for a peer segment, whose bridge sets it.
  unsigned bus_number() const { return bus_number_; }
  void set_bus_number(unsigned number) { bus_number_ = number; }
  /// Whether a function answers those configuration cycles.
  bool has(unsigned device, unsigned function) const;
  /// Registers of an absent device read ones. `bytes` 1, 2 or 4 within a doubleword.
  std::uint32_t config_read(unsigned device, unsigned function, unsigned reg, unsigned bytes, Time now);
  std::uint32_t config_peek(unsigned device, unsigned function, unsigned reg, unsigned bytes) const;
  void config_write(unsigned device, unsigned function, unsigned reg, unsigned bytes, std::uint32_t value, Time now);
  /// Calls `watcher` after each write, including one to an absent device; it may only inspect. An empty watcher removes
  /// it.
  using ConfigWatcher =
      std::function<void(unsigned device, unsigned function, unsigned reg, unsigned bytes, std::uint32_t value)>;
  void watch_config(ConfigWatcher watcher) { config_watcher_ = std::move(watcher); }
  /// RST#: resets every function and ends every master's burst.
  void reset(Time now);

  /// A card that does not support 66 MHz has been inserted.
  void ground_m66en();
  bool m66en() const { return timing_.clock < clock_33mhz; }

  Slot* slot(unsigned device) const { return device < devices ? slots_[device] : nullptr; }
  /// Every function on the segment, by device and function number.
  std::vector<Function*> functions() const;
  const SegmentTiming& timing() const { return timing_; }
  Scheduler& scheduler() { return scheduler_; }
  /// Totals of all masters, for reports.
  struct Counters {
    std::uint64_t transactions = 0, bytes = 0, aborts = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  friend class Master;
  friend class Slot;
  void attach(Slot& slot);
  void detach(Slot& slot);
  void attach(Master& master) { masters_.push_back(&master); }
  void detach(Master& master);
  void request(Master& master, Time now);
  void withdraw(Master& master, Time now);

  Time acquire_contended(Time t) override;
  void end_yield(Time end) override;
  void arbitrate(Time now);
  void grant(Time now);
  void begin(Master& master, Time now);
  /// The owner has lost GNT# at `now`.
  void yield_soon(Time now);
  bool deliver(Master& master, std::span<std::uint8_t> part, Time now);
  void end(Time now);
  void serve_posted(Time now);
  void post_done(Time now);
  bool requested() const;
  void trace_config(const char* arrow, unsigned device, unsigned function, unsigned reg, unsigned bytes,
                    std::uint32_t value, Time now);
  void update_contended() { contended_ = owner_ != nullptr || grant_.pending() || !posted_.empty(); }

  /// The owner's transaction: its size and times.
  struct Transaction {
    Time start{}, first{}, end{};
    std::uint32_t bytes = 0;
    Time bus{};  // on the processor's bus, per line
    BurstCommand command = BurstCommand::read;
    bool aborted = false;
    void archive(Archive& a) { a(start, first, end, bytes, bus, command, aborted); }
  };
  void snoop_transaction();
  void share_memory();
  // The transaction in progress; a beat is a data phase.
  std::uint32_t beat_width() const;  // bytes
  std::uint32_t beats() const;
  std::uint32_t lines() const;  // lines of the processor's caches touched
  Time beat_end(std::uint32_t beat) const;
  std::uint32_t beat_bytes(std::uint32_t beats) const;

  SegmentTiming timing_;
  AddressSpace& memory_;
  Trace& trace_;
  std::string name_;
  Host host_;
  ConfigWatcher config_watcher_;
  std::array<Slot*, devices> slots_{};
  std::vector<Master*> masters_;  // in order of construction
  std::uint32_t turn_ = 0;        // index in masters_ of the first to be considered
  unsigned bus_number_ = 0;       // assigned by the bridge
  Master* owner_ = nullptr;       // null: the processor
  Transaction now_on_;
  bool processor_waits_ = false;
  PostedWrites posted_;
  Counters counters_;
  Event grant_, end_, post_;
};

/// The PCI segments among a machine's buses, bus 0 first.
std::vector<Segment*> segments_of(std::span<bus::Bus* const> buses);

}  // namespace planar::pci
