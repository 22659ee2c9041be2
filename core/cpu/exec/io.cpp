// SPDX-License-Identifier: GPL-2.0-or-later
// IN and OUT, and the I/O permission bitmap of the TSS.
#include "core/cpu/dispatch/select.hpp"

namespace planar::cpu {

// Intel 386 PRM 8.3: unless CPL <= IOPL (and always in V86 mode), the bits of all bytes accessed must be 0. Two bytes
// of the map are read, so the second must lie within the segment limit, too, even for a port at the end of the map.
void Engine::permit_io(const Op& op, std::uint16_t port, unsigned bytes) {
  if (!protected_mode || (!v86 && cpl <= iopl())) return;
  const bool is32 = (task.access & 0x08) != 0;
  if (!is32 || !task.present() || task.limit < 0x67) raise(vec_gp, 0);
  const std::uint32_t map = read_system(task.base + 0x66, 2);
  const std::uint32_t byte = map + port / 8;
  if (byte + 1 > task.limit) raise(vec_gp, 0);
  const std::uint32_t bits = read_system(task.base + byte, 2);
  if (bits >> (port & 7) & ((1u << bytes) - 1)) raise(vec_gp, 0);
  timing.spend(io_permission_extra(model, op));
}

std::uint32_t Engine::in(std::uint16_t port, unsigned bytes, std::uint64_t start) {
  const Cycle cycle = pins.io_read(port, bytes, clock.at(start));
  wait_for(cycle.end);
  if (!fast_data && (cr4 & cr4_de)) check_breakpoints(port, bytes, break_on_port);
  if (observer) observer->port_read(port, bytes, cycle.value);
  return cycle.value;
}

void Engine::out(std::uint16_t port, unsigned bytes, std::uint32_t v, std::uint64_t start) {
  wait_for(pins.io_write(port, bytes, v, clock.at(start)));
  if (!fast_data && (cr4 & cr4_de)) check_breakpoints(port, bytes, break_on_port);
  if (observer) observer->port_written(port, bytes, v);
}

namespace {

template <bool Immediate, class T>
void in_port(Engine& c, const Op& op) {
  const std::uint16_t port = static_cast<std::uint16_t>(Immediate ? op.immediate & 0xFF : c.gpr[EDX]);
  c.permit_io(op, port, sizeof(T));
  c.set<T>(EAX, static_cast<T>(c.in(port, sizeof(T))));
}
template <bool Immediate, class T>
void out_port(Engine& c, const Op& op) {
  const std::uint16_t port = static_cast<std::uint16_t>(Immediate ? op.immediate & 0xFF : c.gpr[EDX]);
  c.permit_io(op, port, sizeof(T));
  c.out(port, sizeof(T), c.get<T>(EAX));
}

}  // namespace

Handlers select_io(const Op& op) {
  switch (op.opcode) {
    case 0xE4:
    case 0xE5: return by_size(op, []<class T> { return any<in_port<true, T>>; });
    case 0xE6:
    case 0xE7: return by_size(op, []<class T> { return any<out_port<true, T>>; });
    case 0xEC:
    case 0xED: return by_size(op, []<class T> { return any<in_port<false, T>>; });
    case 0xEE:
    case 0xEF: return by_size(op, []<class T> { return any<out_port<false, T>>; });
    default: return nullptr;
  }
}

}  // namespace planar::cpu
