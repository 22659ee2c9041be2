// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/host/host_bridge.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::bus {

namespace {
/// Categories of lines about one cycle, and about a port or memory access.
constexpr TraceMask cycle_categories =
    trace_bit(TraceCategory::bus) | trace_bit(TraceCategory::nic) | trace_bit(TraceCategory::disk);
constexpr TraceMask port_categories = cycle_categories | trace_bit(TraceCategory::io);
constexpr TraceMask memory_categories = cycle_categories | trace_bit(TraceCategory::memory);
constexpr TraceMask access_category(bool memory) {
  return trace_bit(memory ? TraceCategory::memory : TraceCategory::io);
}

/// A cycle that no device answers: of the default kind; the board assumes an 8-bit slave.
constexpr CycleSpec nobody{};

template <bool memory>
constexpr auto kind_of = memory ? BusCycle::Kind::memory : BusCycle::Kind::io;

constexpr std::uint32_t mask(unsigned bytes) { return bytes >= 4 ? ~0u : (1u << (8 * bytes)) - 1; }

/// The number of bytes of an operand at `address` that fit into one cycle of `unit` bytes.
constexpr unsigned fits(std::uint32_t address, unsigned bytes, unsigned unit) {
  return std::min(bytes, unit - (address & (unit - 1)));
}

/// Calls `f(offset, bytes)` for the naturally aligned parts of a cycle's bytes: 1, 2 or 4, as slaves expect them. A
/// cycle with three byte enables, or a word in the middle of a doubleword, reaches the slave as two parts at the same
/// time.
template <class F>
void lanes(std::uint32_t address, unsigned bytes, F f) {
  if ((address & (bytes - 1)) == 0 && bytes != 3) return f(0u, bytes);
  for (unsigned done = 0; done < bytes;) {
    const unsigned part = ((address + done) & 1) == 0 && bytes - done >= 2 ? 2 : 1;
    f(done, part);
    done += part;
  }
}
}  // namespace

/// What answers one cycle. A copy: events that fire before the data phase may change the claims.
struct HostBridge::Target {
  Slave* slave = nullptr;
  const std::uint8_t* data = nullptr;  // RAM or ROM underneath a page that a device shares: the addressed byte
  bool* selected = nullptr;
  std::uint32_t offset = 0;
  std::uint32_t reach = 1;  // bytes from here to the end of the range
  CycleSpec cycle = nobody;
};

HostBridge::HostBridge(Scheduler& scheduler, AddressSpace& memory, const HostTiming& timing, Trace& trace)
    : scheduler_(scheduler), memory_(memory), timing_(timing), trace_(trace) {}

void HostBridge::attach(Bus& bus) {
  if (attached_ == buses_.size()) throw Error("a host bridge has four buses at most");
  bus.set_number(attached_);
  bus.connect(*this);
  buses_[attached_++] = &bus;
}

HostBridge::Target HostBridge::io_target(std::uint32_t port) const {
  const IoSpace::Range* r = io_.find(static_cast<std::uint16_t>(port));
  if (!r) return {};
  const auto offset = static_cast<std::uint16_t>(port) - std::uint32_t{r->first};
  return {r->slave, nullptr, r->selected, offset, std::uint32_t{r->last} - r->first + 1 - offset, r->cycle};
}

HostBridge::Target HostBridge::memory_target(std::uint32_t address) const {
  if (const AddressSpace::Range* r = memory_.find(address)) {
    const std::uint32_t offset = address - r->base;
    return {r->slave, nullptr, r->selected, offset, r->size - offset, r->cycle};
  }
  const Page& page = memory_.page(address);
  if (!page.data) {
    Target target;
    if (timing_.first_bus_ends != 0 && address >= timing_.first_bus_ends) {
      target.cycle = timing_.beyond;
      target.reach = 4;
    }
    return target;
  }
  const std::uint32_t in_page = address & 0xFFF;
  CycleSpec cycle;
  cycle.width = static_cast<std::uint8_t>(timing_.memory_width);
  Target target{nullptr, page.data + in_page, nullptr, 0, 1, cycle};
  while (target.reach < 4 && in_page + target.reach < 4096 && !memory_.find(address + target.reach)) ++target.reach;
  return target;
}

template <bool memory>
inline HostBridge::Target HostBridge::target(std::uint32_t address) const {
  return memory ? memory_target(address) : io_target(address);
}

/// The bus that would answer an access to `address` at present.
template <bool memory>
inline Bus& HostBridge::bus_at(std::uint32_t address) const {
  return attached_ == 1 ? *buses_[0] : bus_of(target<memory>(address).cycle);
}

/// Sets `end` to the end of the data phase; returns false if the slave (if any) was not ready within the limit and the
/// cycle was abandoned.
inline bool HostBridge::cycle_end(const Bus& bus, const CycleSpec& cycle, Slave* slave, std::uint32_t offset,
                                  unsigned bytes, Direction direction, Time start, Time& end) {
  end = start + bus.costs().cycle(cycle);
  if (slave) end = std::max(end, slave->ready(offset, bytes, direction, start));
  if (end - start > bus.costs().ready_limit) [[unlikely]] {
    end = start + bus.costs().ready_limit;
    return false;
  }
  return true;
}

/// The cycle lasts until `end`: advances the simulation to that time.
inline void HostBridge::finish_cycle(Bus& bus, bool* selected, Time end) {
  bus.processor_cycle(end);
  scheduler_.advance(end);
  if (selected) *selected = true;
}

/// Performs one read cycle on its bus, starting at `t`; sets `t` to its end.
inline std::uint32_t HostBridge::read_cycle(const Target& target, std::uint32_t at, unsigned bytes, Time& t) {
  Time end;
  Bus& bus = bus_of(target.cycle);
  const bool ready = cycle_end(bus, target.cycle, target.slave, target.offset, bytes, Direction::read, t, end);
  t = end;
  finish_cycle(bus, target.selected, end);
  if (!ready) [[unlikely]] {
    bus.bus_timeout(end);
    return mask(bytes);
  }
  std::uint32_t value = 0;
  if (target.data) {
    if (bytes == 2) return target.data[0] | std::uint32_t{target.data[1]} << 8;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{target.data[i]} << (8 * i);
    return value;
  }
  if (!target.slave) return mask(bytes);
  lanes(at, bytes, [&](unsigned offset, unsigned count) {
    value |= (target.slave->read(target.offset + offset, count, end) & mask(count)) << (8 * offset);
  });
  return value;
}

/// Passes the data of a write cycle to its slave, if any, at the end of the cycle.
inline void HostBridge::deliver(const Target& target, std::uint32_t at, unsigned bytes, std::uint32_t value, Time end) {
  if (!target.slave) return;
  lanes(at, bytes, [&](unsigned offset, unsigned count) {
    target.slave->write(target.offset + offset, count, value >> (8 * offset) & mask(count), end);
  });
}

inline void HostBridge::write_cycle(const Target& target, std::uint32_t at, unsigned bytes, std::uint32_t value,
                                    Time& t) {
  Time end;
  Bus& bus = bus_of(target.cycle);
  const bool ready = cycle_end(bus, target.cycle, target.slave, target.offset, bytes, Direction::write, t, end);
  t = end;
  finish_cycle(bus, target.selected, end);
  if (ready) [[likely]]
    deliver(target, at, bytes, value, end);
  else
    bus.bus_timeout(end);
}

/// Splits an access and calls `f(target, address, bytes, done, t)` for each of its cycles, where `t` is when it may
/// start; `f` returns the data of the cycle.
template <bool memory, class F>
inline Time HostBridge::split(std::uint32_t address, unsigned bytes, Direction direction, Time start, F f) {
  const unsigned cpu_unit = timing_.cpu_bus_width / 8;
  Time t = start;
  for (unsigned done = 0; done < bytes;) {
    // Each processor cycle...
    unsigned left = fits(address + done, bytes - done, cpu_unit);
    const unsigned first = done;
    while (left > 0) {
      // ...is one or more bus cycles.
      const std::uint32_t at = address + done;
      Bus* bus = &bus_at<memory>(at);
      const Time synchronisation = done == first ? bus->costs().synchronisation : Time{};
      const Time asked = t += synchronisation;
      t = bus->acquire(t);
      Target target = this->target<memory>(at);
      while (&bus_of(target.cycle) != bus) [[unlikely]] {  // events before `t` have changed the claims
          bus = &bus_of(target.cycle);
          t = bus->acquire(t);
          target = this->target<memory>(at);
        }
      const unsigned n = std::min(fits(at, left, std::max(1u, target.cycle.width / 8u)), target.reach);
      const Time begun = t;
      const std::uint32_t value = f(target, at, n, done, t);
      if (trace_.any(cycle_categories)) [[unlikely]]
        trace_cycle(memory, at, n, value, direction, {synchronisation, asked, begun, t});
      done += n;
      left -= n;
    }
  }
  return t;
}

template <bool memory, bool observed>
inline cpu::Cycle HostBridge::read(std::uint32_t address, unsigned bytes, Time start, BusObserver* observer) {
  std::uint32_t value = 0;
  const Time end = split<memory>(address, bytes, Direction::read, start,
                                 [&](const Target& target, std::uint32_t at, unsigned n, unsigned done, Time& t) {
                                   const Time from = t;
                                   const std::uint32_t part = read_cycle(target, at, n, t);
                                   value |= part << (8 * done);
                                   if constexpr (observed)
                                     observer->cycle({kind_of<memory>, Direction::read, at, n, part, from, t});
                                   return part;
                                 });
  if constexpr (observed) observer->accessed({kind_of<memory>, Direction::read, address, bytes, value, start, end});
  if (trace_.any(access_category(memory))) [[unlikely]]
    trace_access(memory, address, bytes, value, Direction::read, end);
  return {value, end};
}

/// Whether a write to memory at `address` is posted.
inline bool HostBridge::posted(std::uint32_t address) const {
  const AddressSpace::Range* const r = memory_.find(address);
  return r && bus_of(r->cycle).costs().kinds[r->cycle.kind % CycleTable::rows].posted;
}

/// Passes a write to the bus's buffer, one bus doubleword at a time.
Time HostBridge::post(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start) {
  Time t = start;
  for (unsigned done = 0; done < bytes;) {
    const std::uint32_t at = address + done;
    const unsigned n = fits(at, bytes - done, 4);
    const AddressSpace::Range* const r = memory_.find(at);
    const CycleSpec cycle = r ? r->cycle : nobody;
    t = bus_of(cycle).post_write(at, n, value >> (8 * done) & mask(n), cycle, t);
    done += n;
  }
  if (trace_.any(memory_categories)) [[unlikely]]
    trace_access(true, address, bytes, value, Direction::write, t);
  return t;
}

template <bool memory, bool observed>
inline Time HostBridge::write(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start,
                              BusObserver* observer) {
  const Time end =
      split<memory>(address, bytes, Direction::write, start,
                    [&](const Target& target, std::uint32_t at, unsigned n, unsigned done, Time& t) {
                      const Time from = t;
                      const std::uint32_t part = value >> (8 * done);
                      write_cycle(target, at, n, part, t);
                      if constexpr (observed)
                        observer->cycle({kind_of<memory>, Direction::write, at, n, part & mask(n), from, t});
                      return part;
                    });
  if constexpr (observed)
    observer->accessed({kind_of<memory>, Direction::write, address, bytes, value & mask(bytes), start, end});
  if (trace_.any(access_category(memory))) [[unlikely]]
    trace_access(memory, address, bytes, value, Direction::write, end);
  return end;
}

template <bool memory>
inline cpu::Cycle HostBridge::read(std::uint32_t address, unsigned bytes, Time start) {
  BusObserver* const observer = bus_at<memory>(address).observer();
  return observer ? read<memory, true>(address, bytes, start, observer)
                  : read<memory, false>(address, bytes, start, nullptr);
}

template <bool memory>
inline Time HostBridge::write(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start) {
  BusObserver* const observer = bus_at<memory>(address).observer();
  return observer ? write<memory, true>(address, bytes, value, start, observer)
                  : write<memory, false>(address, bytes, value, start, nullptr);
}

/// The range of the common I/O access, in which one processor cycle is one bus cycle. Null for any other access, or if
/// the access is observed.
inline const IoSpace::Range* HostBridge::single(std::uint16_t port, unsigned bytes) const {
  const IoSpace::Range* r = io_.find(port);
  if (!r || r->cycle.width < 8 * bytes || timing_.cpu_bus_width < 8 * bytes || bus_of(r->cycle).observer() ||
      (port & (bytes - 1)) != 0 || r->last - port + 1u < bytes)
    return nullptr;
  return r;
}

/// The same for an untraced access to memory that a slave answers.
inline const AddressSpace::Range* HostBridge::single_memory(std::uint32_t address, unsigned bytes) const {
  const AddressSpace::Range* const r = memory_.find(address);
  if (!r || r->cycle.width < 8 * bytes || timing_.cpu_bus_width < 8 * bytes || bus_of(r->cycle).observer() ||
      (address & (bytes - 1)) != 0 || r->size - (address - r->base) < bytes || trace_.any(memory_categories))
    return nullptr;
  return r;
}

/// Performs an access to `range` as the single cycle that it is, if nothing delays it; returns whether it did. `c` gets
/// the value read, or has the one to be written, and gets the end.
template <Direction direction, class Range>
inline bool HostBridge::at_once(const Range& range, std::uint32_t offset, unsigned bytes, Time start, cpu::Cycle& c) {
  Bus& bus = bus_of(range.cycle);
  const Time t = start + bus.costs().synchronisation;
  if (!bus.acquire_quiet(t)) [[unlikely]]
    return false;
  // Copies: events that fire before the data phase may change the claims.
  Slave& slave = *range.slave;
  bool* const selected = range.selected;
  const bool ready = cycle_end(bus, range.cycle, &slave, offset, bytes, direction, t, c.end);
  finish_cycle(bus, selected, c.end);
  c.value = direction == Direction::read ? mask(bytes) : c.value & mask(bytes);
  if (!ready) [[unlikely]]
    bus.bus_timeout(c.end);
  else if constexpr (direction == Direction::read)
    c.value &= slave.read(offset, bytes, c.end);
  else
    slave.write(offset, bytes, c.value, c.end);
  return true;
}

cpu::Cycle HostBridge::io_read(std::uint16_t port, unsigned bytes, Time start) {
  const IoSpace::Range* const r = single(port, bytes);
  if (!r) [[unlikely]]
    return read<false>(port, bytes, start);
  const Bus& bus = bus_of(r->cycle);
  cpu::Cycle c{};
  if (!at_once<Direction::read>(*r, std::uint32_t{port} - r->first, bytes, start, c)) [[unlikely]]
    return read<false>(port, bytes, start);
  if (trace_.any(port_categories)) [[unlikely]]
    trace_single(bus, port, bytes, c.value, Direction::read, start + bus.costs().synchronisation, c.end);
  return c;
}

Time HostBridge::io_write(std::uint16_t port, unsigned bytes, std::uint32_t value, Time start) {
  const IoSpace::Range* const r = single(port, bytes);
  if (!r) [[unlikely]]
    return write<false>(port, bytes, value, start);
  const Bus& bus = bus_of(r->cycle);
  cpu::Cycle c{value, {}};
  if (!at_once<Direction::write>(*r, std::uint32_t{port} - r->first, bytes, start, c)) [[unlikely]]
    return write<false>(port, bytes, value, start);
  if (trace_.any(port_categories)) [[unlikely]]
    trace_single(bus, port, bytes, c.value, Direction::write, start + bus.costs().synchronisation, c.end);
  return c.end;
}

bool HostBridge::port_run(std::uint16_t port, unsigned bytes, Direction direction, cpu::PinsRun& run) {
  const IoSpace::Range* const r = single(port, bytes);
  if (!r || trace_.any(port_categories)) return false;
  Bus& bus = bus_of(r->cycle);
  if (!bus.quiet(run.from, run.before)) return false;
  run_ = {&bus, r->slave, std::uint32_t{port} - r->first, r->selected, {}};
  run.port = r->slave->port_run(run_.offset, bytes, direction);
  run.synchronisation = bus.costs().synchronisation;
  run.cycle = bus.costs().cycle(r->cycle);
  run.limit = bus.costs().ready_limit;
  run.quiet_until = scheduler_.quiet_until();
  return run.port.count != 0;
}

// For a run, a device's memory gives the time from which it may be disturbed; the run ends there.
bool HostBridge::memory_run(std::uint32_t address, unsigned bytes, Direction direction, Time now, cpu::PinsRun& run) {
  const AddressSpace::Range* const r = memory_.find(address);
  if (!r || trace_.any(memory_categories)) return false;
  if (direction == Direction::write && posted(address)) return false;
  Bus& bus = bus_of(r->cycle);
  const CycleTable& costs = bus.costs();
  const Time cycle = costs.cycle(r->cycle);
  if (bus.observer() || cycle > costs.ready_limit || !bus.acquire_quiet(now) || !bus.quiet(run.from, run.before))
    return false;
  run.port = r->slave->port_run(address - r->base, bytes, direction);
  run.port.count = std::min(run.port.count, (r->size - (address - r->base)) / bytes);
  if (run.port.count == 0) return false;
  const unsigned unit = std::min(bytes, timing_.cpu_bus_width / 8), width = std::min(unit, r->cycle.width / 8u);
  run_ = {&bus, r->slave, address - r->base, r->selected, {}};
  run.synchronisation = costs.synchronisation;
  run.cycle = (bytes / width) * cycle + (bytes / unit - 1) * costs.synchronisation;
  run_.last = run.cycle - cycle;
  run.before -= run_.last;
  run.limit = Time::never();
  run.quiet_until = scheduler_.quiet_until();
  if (run.port.period != Time{}) run.quiet_until = std::min(run.quiet_until, run.port.taken_from);
  run.port.period = {};
  return true;
}

Time HostBridge::run_continued(cpu::PinsRun& run, Time end, Time t) {
  Bus& bus = *run_.bus;
  if (!bus.refresh_only(t, run.quiet_until)) return Time::never();
  if (end != Time{}) bus.processor_cycle(end);
  t = bus.acquire(t);
  bus.quiet(run.from, run.before);
  run.before -= run_.last;
  return t;
}

void HostBridge::run_written(cpu::PinsRun& run, std::span<const std::uint8_t> data, std::uint32_t, Time end) {
  finish_cycle(*run_.bus, run_.selected, end);
  run_.slave->run_written(run_.offset, data, run.port, end);
}

void HostBridge::run_read(cpu::PinsRun& run, std::span<std::uint8_t> data, std::uint32_t, Time end) {
  finish_cycle(*run_.bus, run_.selected, end);
  run_.slave->run_read(run_.offset, data, run.port, end);
}

cpu::Cycle HostBridge::memory_read(std::uint32_t address, unsigned bytes, Time start) {
  const AddressSpace::Range* const r = single_memory(address, bytes);
  cpu::Cycle c{};
  if (r && at_once<Direction::read>(*r, address - r->base, bytes, start, c)) [[likely]]
    return c;
  return read<true>(address, bytes, start);
}

Time HostBridge::memory_write(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start) {
  if (attached_ > 1 && posted(address)) return post(address, bytes, value, start);
  const AddressSpace::Range* const r = single_memory(address, bytes);
  cpu::Cycle c{value, {}};
  if (r && at_once<Direction::write>(*r, address - r->base, bytes, start, c)) [[likely]]
    return c.end;
  return write<true>(address, bytes, value, start);
}

/// A posted write has completed its cycle.
void HostBridge::write_posted(std::uint32_t address, unsigned bytes, std::uint32_t value, Time now) {
  deliver(memory_target(address), address, bytes, value, now);
}

cpu::Cycle HostBridge::acknowledge_interrupt(Time start) {
  Bus& bus = *buses_[0];
  BusObserver* const observer = bus.observer();
  BusCycle told{BusCycle::Kind::interrupt_acknowledge, Direction::read, 0, 1, 0, start, start};
  Time t = start + bus.costs().synchronisation;
  for (int cycle = 0; cycle < 2; ++cycle) {
    told.start = bus.acquire(t);
    t = told.start + bus.costs().interrupt_acknowledge;
    bus.processor_cycle(t);
    scheduler_.advance(t);
    told.end = t;
    if (observer && cycle == 0) observer->cycle(told);
  }
  const std::uint8_t vector = pic_ ? pic_->acknowledge(t) : 0xFF;
  if (observer) {
    told.value = vector;
    observer->cycle(told);
    told.start = start;
    observer->accessed(told);
  }
  trace_acknowledge(vector, start, t);
  return {vector, t};
}

void HostBridge::shutdown(Time now) {
  if (shutdown_) shutdown_(now);
}

void HostBridge::fpu_error(bool active, Time now) {
  if (fpu_error_) fpu_error_(active, now);
}

void HostBridge::archive(Archive& a) {
  a.section("bus controller", 2);
  for (unsigned n = 0; n < attached_; ++n) buses_[n]->archive(a);
}

}  // namespace planar::bus
