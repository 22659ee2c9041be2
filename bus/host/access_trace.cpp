// SPDX-License-Identifier: GPL-2.0-or-later
// The host bridge's trace output, kept apart from the untraced paths. Looks up again what answered; the access may have
// changed the claims.
#include "bus/host/host_bridge.hpp"

namespace planar::bus {

namespace {

double nanoseconds_of(Time t) { return static_cast<double>(t.ps) / 1000; }

constexpr const char* arrow(Direction direction) { return direction == Direction::read ? "->" : "<-"; }

constexpr std::uint32_t lanes_of(std::uint32_t value, unsigned bytes) {
  return bytes >= 4 ? value : value & ((1u << (8 * bytes)) - 1);
}

/// What decodes an address.
struct Answer {
  std::string_view device = "nobody";
  const TraceSubject* subject = nullptr;
  const Slave* slave = nullptr;
  std::uint32_t offset = 0;
  CycleSpec cycle{};
};

Answer answer(const TraceSubject* subject, const Slave* slave, std::uint32_t offset, const CycleSpec& cycle) {
  return {subject ? std::string_view(subject->device) : "planar", subject, slave, offset, cycle};
}

Answer who_answers(const IoSpace& io, AddressSpace& space, bool memory, std::uint32_t address) {
  if (!memory) {
    const IoSpace::Range* r = io.find(static_cast<std::uint16_t>(address));
    return r ? answer(r->subject, r->slave, static_cast<std::uint16_t>(address) - std::uint32_t{r->first}, r->cycle)
             : Answer{};
  }
  if (const AddressSpace::Range* r = space.find(address))
    return answer(r->subject, r->slave, address - r->base, r->cycle);
  return space.page(address).data ? Answer{"memory"} : Answer{};
}

}  // namespace

void HostBridge::trace_cycle(bool memory, std::uint32_t address, unsigned bytes, std::uint32_t value,
                             Direction direction, const Phases& p) {
  const Answer who = who_answers(io_, memory_, memory, address);
  const TraceAddress place = memory ? memory_address(address) : port_address(address);
  value = lanes_of(value, bytes);
  CycleSpec prompt = who.cycle;
  prompt.ready_delay = {};
  const Time least = bus_of(prompt).costs().cycle(prompt);
  trace_.at(place, TraceCategory::bus, p.end, who.device,
            "{} {:0{}X} {} {:0{}X} sync {:g} wait {:g} cycle {:g} ready {:g} ns", memory ? "memory" : "io", address,
            memory ? 8 : 4, arrow(direction), value, 2 * bytes, nanoseconds_of(p.synchronisation),
            nanoseconds_of(p.begun - p.asked), nanoseconds_of(least), nanoseconds_of(p.end - p.begun - least));
  if (!who.subject || who.subject->registers == TraceCategory::count || !who.slave) return;
  const auto name = who.slave->register_name(who.offset, direction);
  if (memory && name.empty()) return;  // its shared memory
  trace_.at(place, who.subject->registers, p.end, who.device, "{:0{}X} {} {} {:0{}X}", address, memory ? 8 : 4,
            name.empty() ? fmt::format("+{:02X}", who.offset) : std::string(name), arrow(direction), value, 2 * bytes);
}

void HostBridge::trace_access(bool memory, std::uint32_t address, unsigned bytes, std::uint32_t value,
                              Direction direction, Time end) {
  trace_.at(memory ? memory_address(address) : port_address(address),
            memory ? TraceCategory::memory : TraceCategory::io, end, who_answers(io_, memory_, memory, address).device,
            "{:0{}X} {} {:0{}X}", address, memory ? 8 : 4, arrow(direction), lanes_of(value, bytes), 2 * bytes);
}

void HostBridge::trace_acknowledge(std::uint8_t vector, Time start, Time end) {
  trace_(TraceCategory::irq, end, buses_[0]->name(), "acknowledge -> {:02X}", vector);
  trace_(TraceCategory::bus, end, buses_[0]->name(), "interrupt acknowledge -> {:02X}, two cycles in {:g} ns", vector,
         nanoseconds_of(end - start));
}

void HostBridge::trace_single(const Bus& bus, std::uint16_t port, unsigned bytes, std::uint32_t value,
                              Direction direction, Time begun, Time end) {
  trace_cycle(false, port, bytes, value, direction, {bus.costs().synchronisation, begun, begun, end});
  if (trace_.on(TraceCategory::io)) trace_access(false, port, bytes, value, direction, end);
}

}  // namespace planar::bus
