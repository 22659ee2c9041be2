// SPDX-License-Identifier: GPL-2.0-or-later
// MOVS, STOS, LODS, CMPS, SCAS, INS, OUTS, and REP.
//
// A repeated instruction stops between iterations when something needs attention: EIP points to the instruction again
// and attend_rep is set. If the boundary finds an interrupt, attend_rep is cleared and the instruction starts anew
// after IRET; if it was only the end of a time slice, the instruction resumes without being charged its start again.
#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/runs/memory_run.hpp"
#include "core/cpu/runs/port_run.hpp"
#include "core/cpu/runs/window_run.hpp"

namespace planar::cpu {

namespace {

/// Several iterations of REP MOVS at once: within RAM, or to or from a device's memory.
template <class T>
std::uint32_t run_copy(Engine& c, const Op& op, std::uint32_t count, bool& possible) {
  const std::uint32_t done = run_memory<T, true>(c, op, count, possible);
  if (done != 0) return done;
  bool window = true;
  const std::uint32_t moved = run_window<T>(c, op, count, window);
  possible = possible || window;
  return moved;
}

/// For repeat(): each iteration individually.
constexpr auto no_runs = [](std::uint32_t, bool& possible) {
  possible = false;
  return std::uint32_t{0};
};

/// Runs `iteration` (true: continue) once, or CX/ECX times under a REP prefix. `copies`: it reads, then writes. `run`
/// executes and charges as many of the given number of iterations as it can at once and returns how many; it clears
/// `possible` if it cannot do any more.
template <bool copies = false, class F, class R = decltype(no_runs)>
void repeat(Engine& c, const Op& op, F&& iteration, R run = no_runs) {
  if (!op.rep && !op.repne) {
    iteration();
    return;
  }
  const bool resumed = c.resumed;
  c.resumed = false;
  std::uint32_t count = c.get_sized(ECX, op.address32);
  if (count == 0) return;
  if (!resumed) {
    c.timing.spend(repeat_start(c.model, op));
    c.timing.begin_repeat(count, !(c.system_flags & flag_df));
  }
  const unsigned each = repeat_iteration(c.model, op);
  for (bool runs = true;;) {
    std::uint32_t done = runs ? run(count, runs) : 0;
    bool go_on = true;
    if (done == 0) {
      done = 1;
      go_on = iteration();
      if constexpr (copies)
        c.timing.spend_before_write(each);
      else
        c.timing.spend(each);
    }
    c.set_sized(ECX, op.address32, count -= done);
    if (count == 0 || !go_on) return;
    if (c.timing.clocks() >= c.stop_at) {
      c.eip -= op.length;
      --c.instructions;  // counted only when finished
      c.attention |= attend_rep;
      c.stop_at = 0;
      return;
    }
  }
}

template <class T>
std::uint32_t step(const Engine& c) {
  return c.system_flags & flag_df ? 0u - static_cast<std::uint32_t>(sizeof(T)) : static_cast<std::uint32_t>(sizeof(T));
}

template <class T>
void movs(Engine& c, const Op& op) {
  const bool wide = op.address32;
  repeat<true>(
      c, op,
      [&] {
        const std::uint32_t si = c.get_sized(ESI, wide), di = c.get_sized(EDI, wide), d = step<T>(c);
        c.write<T>(ES, di, c.read<T>(op.segment, si));
        c.set_sized(ESI, wide, si + d);
        c.set_sized(EDI, wide, di + d);
        return true;
      },
      [&](std::uint32_t count, bool& possible) { return run_copy<T>(c, op, count, possible); });
}
template <class T>
void stos(Engine& c, const Op& op) {
  const bool wide = op.address32;
  repeat(
      c, op,
      [&] {
        const std::uint32_t di = c.get_sized(EDI, wide);
        c.write<T>(ES, di, c.get<T>(EAX));
        c.set_sized(EDI, wide, di + step<T>(c));
        return true;
      },
      [&](std::uint32_t count, bool& possible) { return run_memory<T, false>(c, op, count, possible); });
}
template <class T>
void lods(Engine& c, const Op& op) {
  const bool wide = op.address32;
  repeat(c, op, [&] {
    const std::uint32_t si = c.get_sized(ESI, wide);
    c.set<T>(EAX, c.read<T>(op.segment, si));
    c.set_sized(ESI, wide, si + step<T>(c));
    return true;
  });
}
template <class T>
void cmps(Engine& c, const Op& op) {
  const bool wide = op.address32;
  repeat(c, op, [&] {
    const std::uint32_t si = c.get_sized(ESI, wide), di = c.get_sized(EDI, wide), d = step<T>(c);
    const T a = c.read<T>(op.segment, si), b = c.read<T>(ES, di);
    c.set_sub<T>(a, b, static_cast<T>(a - b));
    c.set_sized(ESI, wide, si + d);
    c.set_sized(EDI, wide, di + d);
    return c.zf() == op.rep;
  });
}
template <class T>
void scas(Engine& c, const Op& op) {
  const bool wide = op.address32;
  repeat(c, op, [&] {
    const std::uint32_t di = c.get_sized(EDI, wide);
    const T a = c.get<T>(EAX), b = c.read<T>(ES, di);
    c.set_sub<T>(a, b, static_cast<T>(a - b));
    c.set_sized(EDI, wide, di + step<T>(c));
    return c.zf() == op.rep;
  });
}

/// The I/O permission of INS and OUTS, checked and charged once; a REP with a count of zero accesses no port.
template <class T>
void permit(Engine& c, const Op& op, std::uint16_t port) {
  if ((op.rep || op.repne) && c.get_sized(ECX, op.address32) == 0) return;
  if (!c.resumed) c.permit_io(op, port, sizeof(T));
}
// The port is read only once the store is known to succeed.
template <class T>
void ins(Engine& c, const Op& op) {
  const bool wide = op.address32;
  const std::uint16_t port = static_cast<std::uint16_t>(c.gpr[EDX]);
  permit<T>(c, op, port);
  repeat(
      c, op,
      [&] {
        const std::uint32_t di = c.get_sized(EDI, wide);
        const std::uint32_t linear = c.linear_for_write(ES, di, sizeof(T));
        c.probe_write(linear, sizeof(T), c.cpl == 3);
        const T v = static_cast<T>(c.in(port, sizeof(T)));
        c.write_linear<T>(linear, v);
        c.set_sized(EDI, wide, di + step<T>(c));
        return true;
      },
      [&](std::uint32_t count, bool& possible) { return run_port<T, Direction::read>(c, op, port, count, possible); });
}
template <class T>
void outs(Engine& c, const Op& op) {
  const bool wide = op.address32;
  const std::uint16_t port = static_cast<std::uint16_t>(c.gpr[EDX]);
  permit<T>(c, op, port);
  repeat(
      c, op,
      [&] {
        const std::uint32_t si = c.get_sized(ESI, wide);
        c.out(port, sizeof(T), c.read<T>(op.segment, si));
        c.set_sized(ESI, wide, si + step<T>(c));
        return true;
      },
      [&](std::uint32_t count, bool& possible) { return run_port<T, Direction::write>(c, op, port, count, possible); });
}

}  // namespace

Handlers select_string(const Op& op) {
  switch (op.opcode) {
    // clang-format off
    case 0x6C: case 0x6D: return by_size(op, []<class T> { return any<ins<T>>; });
    case 0x6E: case 0x6F: return by_size(op, []<class T> { return any<outs<T>>; });
    case 0xA4: case 0xA5: return by_size(op, []<class T> { return any<movs<T>>; });
    case 0xA6: case 0xA7: return by_size(op, []<class T> { return any<cmps<T>>; });
    case 0xAA: case 0xAB: return by_size(op, []<class T> { return any<stos<T>>; });
    case 0xAC: case 0xAD: return by_size(op, []<class T> { return any<lods<T>>; });
    case 0xAE: case 0xAF: return by_size(op, []<class T> { return any<scas<T>>; });
    // clang-format on
    default: return nullptr;
  }
}

}  // namespace planar::cpu
