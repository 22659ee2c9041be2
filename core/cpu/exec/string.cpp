// SPDX-License-Identifier: GPL-2.0-or-later
// MOVS, STOS, LODS, CMPS, SCAS, INS, OUTS, and REP.
//
// A repeated instruction stops between iterations when something wants the CPU: EIP goes back to the instruction and
// attend_rep stays set. If the boundary finds an interrupt, attend_rep is dropped and the instruction starts afresh
// after IRET; if it was only the end of a time slice, the instruction goes on without paying its start again.
#include <algorithm>

#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/port_run.hpp"
#include "core/cpu/exec/window_run.hpp"

namespace planar::cpu {

namespace {

/// Bytes of RAM or ROM within one line of the data cache.
struct Span {
  std::uint8_t* host = nullptr;
  std::uint32_t physical = 0;
  unsigned count = 0;  ///< elements; 0: must be accessed one by one
};
/// At most `count` elements from `offset` on.
template <class T, bool Writing>
Span within_line(const Engine& c, unsigned s, std::uint32_t offset, unsigned count) {
  const Segment& g = c.seg[s];
  const std::uint32_t linear = g.base + offset, line = c.timing.cached().data_line();
  const HostTlbEntry& e = c.host_entry(linear);
  if ((Writing ? e.write_tag : e.read_tag) != (linear & (page_mask | (sizeof(T) - 1)))) return {};
  count = std::min<unsigned>(count, (line - (linear & (line - 1))) / sizeof(T));
  if (std::int64_t{offset - g.low} + static_cast<std::int64_t>(count * sizeof(T) - 1) >
      (Writing ? g.write_span : g.read_span))
    return {};
  if (Writing && e.holds_code(linear)) return {};
  return {e.host + (linear & 0xFFF), e.physical + (linear & 0xFFF), count};
}

/// Several iterations of REP MOVS (`Copies`) or REP STOS at once, upwards and within one line (see repeat()).
template <class T, bool Copies>
std::uint32_t run_line(Engine& c, const Op& op, std::uint32_t count, bool& possible) {
  possible = c.timing.has_cache() && c.timing.cached().writes_back() && op.address32 && !(c.system_flags & flag_df);
  if (!possible) return 0;
  const Span to = within_line<T, true>(c, ES, c.gpr[EDI], count);
  const Span from = Copies ? within_line<T, false>(c, op.segment, c.gpr[ESI], to.count) : to;
  if (from.count == 0 || (Copies && !c.timing.cached().read_hits(from.physical))) return 0;
  const unsigned each = repeat_iteration(c.model, op);
  const unsigned done = c.timing.cached().write_run(to.physical, from.count, each, c.stop_at);
  if (done == 0) return 0;
  if constexpr (Copies)
    c.timing.spend_before_write(each);
  else
    c.timing.spend(each);
  for (unsigned i = 0; i < done; ++i)
    c.store<T>(to.host + i * sizeof(T), Copies ? c.load<T>(from.host + i * sizeof(T)) : c.get<T>(EAX));
  const unsigned bytes = done * static_cast<unsigned>(sizeof(T));
  if (Copies) c.gpr[ESI] += bytes;
  c.gpr[EDI] += bytes;
  return done;
}

/// Several iterations of REP MOVS at once: within a line, or to or from a device's memory.
template <class T>
std::uint32_t run_copy(Engine& c, const Op& op, std::uint32_t count, bool& possible) {
  const std::uint32_t done = run_line<T, true>(c, op, count, possible);
  if (done != 0) return done;
  bool window = true;
  const std::uint32_t moved = run_window<T>(c, op, count, window);
  possible = possible || window;
  return moved;
}

/// For repeat(): every iteration by itself.
constexpr auto no_runs = [](std::uint32_t, bool& possible) {
  possible = false;
  return std::uint32_t{0};
};

/// Runs `iteration` (true: go on) once, or CX/ECX times under a REP prefix. `copies`: it reads, then writes. `run` does
/// as many of a count of iterations as it can in one go, what they cost included, and says how many; clears `possible`
/// if it cannot do any more.
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
  if (!resumed) c.timing.spend(repeat_start(c.model, op));
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
      --c.instructions;  // it counts when it has finished
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
      [&](std::uint32_t count, bool& possible) { return run_line<T, false>(c, op, count, possible); });
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

/// The I/O permission of INS and OUTS, checked and charged once; a REP of no iterations touches no port.
template <class T>
void permit(Engine& c, const Op& op, std::uint16_t port) {
  if ((op.rep || op.repne) && c.get_sized(ECX, op.address32) == 0) return;
  if (c.resumed) return;
  c.check_io(port, sizeof(T));
  if (c.protected_mode && (c.v86 || c.cpl > c.iopl())) c.timing.spend(io_permission_extra(c.model, op));
}
// The port is read only when the store is sure to succeed.
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

Handlers select_string(const Op& op, const Target&) {
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
