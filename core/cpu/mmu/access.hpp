// SPDX-License-Identifier: GPL-2.0-or-later
// Memory access by segment and offset, from the fastest path to the slowest:
//   1. the L0 line cache: allowed, translated, a hit in the data cache, free of charge; one comparison, in line;
//   2. segment check, the host's TLB, the timing model; out of line (checked.cpp); fills the L0 line cache;
//   3. paging.cpp: page walk, page crossings, device pages, breakpoints.
#pragma once

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

inline std::uint32_t Engine::linear_for_read(unsigned s, std::uint32_t offset, unsigned bytes) {
  const Segment& g = seg[s];
  if (std::int64_t{offset - g.low} + (bytes - 1) > g.read_span) [[unlikely]]
    segment_violation(s);
  return g.base + offset;
}
inline std::uint32_t Engine::linear_for_write(unsigned s, std::uint32_t offset, unsigned bytes) {
  const Segment& g = seg[s];
  if (std::int64_t{offset - g.low} + (bytes - 1) > g.write_span) [[unlikely]]
    segment_violation(s);
  return g.base + offset;
}

template <class T, Model... M, class Seen>
inline T Engine::read_linear(std::uint32_t linear, Seen&& seen) {
  const HostTlbEntry& e = host_entry(linear);
  if (e.read_tag != (linear & (page_mask | (sizeof(T) - 1)))) [[unlikely]]
    return static_cast<T>(read_slow(linear, sizeof(T), cpl == 3));
  timing.read_aligned<M...>(e.physical + (linear & 0xFFF), sizeof(T));
  seen(e);
  return load_little<T>(e.host + (linear & 0xFFF));
}
template <class T, Model... M, class Seen>
inline void Engine::write_linear(std::uint32_t linear, T v, Seen&& seen) {
  const HostTlbEntry& e = host_entry(linear);
  if (e.write_tag != (linear & (page_mask | (sizeof(T) - 1)))) [[unlikely]]
    return write_slow(linear, sizeof(T), v, cpl == 3);
  timing.write_aligned<M...>(e.physical + (linear & 0xFFF), sizeof(T));
  seen(e);
  store_little<T>(e.host + (linear & 0xFFF), v);
  if (e.holds_code(linear)) [[unlikely]]
    code_written(e.physical + (linear & 0xFFF), sizeof(T));
}

template <class T, class F>
void Engine::modify_checked(unsigned s, std::uint32_t offset, F& f) {
  if (std::uint8_t* const p = begin_modify(s, offset, sizeof(T))) [[likely]] {
    store_little<T>(p, f(load_little<T>(p)));
    return end_modify(s, offset, sizeof(T));
  }
  const std::uint32_t linear = seg[s].base + offset;
  const T v = f(static_cast<T>(read_slow(linear, sizeof(T), cpl == 3)));
  write_slow(linear, sizeof(T), v, cpl == 3);
}

template <class T>
inline T Engine::read(unsigned s, std::uint32_t offset) {
  const L0Line& v = l0_line(l0, offset);
  if (!readable<T>(v, s, offset) || !timing.cached().settled()) [[unlikely]]
    return read_checked<T>(s, offset);
  return load_little<T>(v.at(offset));
}
template <class T>
inline void Engine::write(unsigned s, std::uint32_t offset, T value) {
  const L0Line& v = l0_line(l0, offset);
  if (writable<T>(v, s, offset)) [[likely]]
    store_little<T>(v.at(offset), value);
  else
    write_checked<T>(s, offset, value);
}
template <class T, class F>
inline void Engine::modify(unsigned s, std::uint32_t offset, F&& f) {
  const L0Line& v = l0_line(l0, offset);
  if (writable<T>(v, s, offset)) [[likely]]
    store_little<T>(v.at(offset), f(load_little<T>(v.at(offset))));
  else
    modify_checked<T>(s, offset, f);
}

template <class T>
inline void Engine::push(T v) {
  const bool wide = seg[SS].big;
  const std::uint32_t sp = gpr[ESP] - static_cast<std::uint32_t>(sizeof(T));
  write<T>(SS, wide ? sp : sp & 0xFFFF, v);
  set_sized(ESP, wide, sp);
}
template <class T>
inline T Engine::pop() {
  const bool wide = seg[SS].big;
  const std::uint32_t sp = get_sized(ESP, wide);
  const T v = read<T>(SS, sp);
  set_sized(ESP, wide, sp + static_cast<std::uint32_t>(sizeof(T)));
  return v;
}

}  // namespace planar::cpu
