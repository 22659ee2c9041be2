// SPDX-License-Identifier: GPL-2.0-or-later
// The second path to memory (access.hpp): segment check, host TLB, the memory event, the L0 line. For each cache
// geometry known when planar is compiled, all of it is one function; read_any() and write_any() are for any other
// geometry, and for what is not in the host's TLB.
#include "core/cpu/mmu/access.hpp"
#include "core/cpu/timing/cached/memory_events.hpp"

namespace planar::cpu {

template <class T>
T Engine::read_any(unsigned s, std::uint32_t offset) {
  const std::uint32_t linear = linear_for_read(s, offset, sizeof(T));
  return read_linear<T>(linear, [&](const HostTlbEntry& e) { fill_l0(seg[s], seg[s].reads, e, linear); });
}
template <class T>
void Engine::write_any(unsigned s, std::uint32_t offset, T v) {
  const std::uint32_t linear = linear_for_write(s, offset, sizeof(T));
  write_linear<T>(linear, v, [&](const HostTlbEntry& e) { fill_l0(seg[s], seg[s].writes, e, linear); });
}

std::uint8_t* Engine::begin_modify(unsigned s, std::uint32_t offset, unsigned bytes) {
  const std::uint32_t linear = linear_for_write(s, offset, bytes);
  const HostTlbEntry& e = host_entry(linear);
  if (e.write_tag != (linear & (page_mask | (bytes - 1)))) [[unlikely]] {
    probe_write(linear, bytes, cpl == 3);
    return nullptr;
  }
  timing.read_aligned(e.physical + (linear & 0xFFF), bytes);
  return e.host + (linear & 0xFFF);
}
void Engine::end_modify(unsigned s, std::uint32_t offset, unsigned bytes) {
  const std::uint32_t linear = seg[s].base + offset;
  const HostTlbEntry& e = host_entry(linear);
  timing.write_aligned(e.physical + (linear & 0xFFF), bytes);
  fill_l0(seg[s], seg[s].writes, e, linear);
  if (e.holds_code(linear)) [[unlikely]]
    code_written(e.physical + (linear & 0xFFF), bytes);
}

namespace {

// Every unusual case leaves by a tail call: without calls in between, everything stays in host registers. A segment
// with a context has base 0 and no limit.
template <class Timing, Geometry G>
struct ByEvent {
  using Events = MemoryEvents<Timing, G>;
  static Timing& timing(Engine& c) { return c.timing.of<Timing::model>(); }

  template <class T>
  [[gnu::noinline]] static T read(Engine& c, unsigned s, std::uint32_t offset) {
    const HostTlbEntry& e = c.host_entry(offset);
    if (c.seg[s].reads.value != c.l0_context || e.read_tag != (offset & (page_mask | (sizeof(T) - 1)))) [[unlikely]]
      return read_unaligned<T>(c, s, offset);
    Timing& t = timing(c);
    const std::uint32_t address = e.physical + (offset & 0xFFF);
    if (!Events::read_quickly(t, address)) [[unlikely]]
      return read_slowly<T>(c, offset);
    if (const std::uint32_t tag = t.template l0_tag<G.data>(address)) c.put_l0(e, offset, tag, G.data.line, true);
    return load_little<T>(e.host + (offset & 0xFFF));
  }
  /// Unaligned within a page, or unusual.
  template <class T>
  [[gnu::noinline]] static T read_unaligned(Engine& c, unsigned s, std::uint32_t offset) {
    const HostTlbEntry& e = c.host_entry(offset);
    if (c.seg[s].reads.value != c.l0_context || e.read_tag != (offset & page_mask) ||
        (offset & 0xFFF) + sizeof(T) > 0x1000 || (c.system_flags & flag_ac)) [[unlikely]]
      return c.read_any<T>(s, offset);
    timing(c).read(e.physical + (offset & 0xFFF), sizeof(T));
    return load_little<T>(e.host + (offset & 0xFFF));
  }
  template <class T>
  [[gnu::noinline]] static T read_slowly(Engine& c, std::uint32_t linear) {
    Timing& t = timing(c);
    const HostTlbEntry& e = c.host_entry(linear);
    const std::uint32_t address = e.physical + (linear & 0xFFF);
    Events::read_slowly(t, address, sizeof(T));
    if (const std::uint32_t tag = t.template l0_tag<G.data>(address)) c.put_l0(e, linear, tag, G.data.line, true);
    return load_little<T>(e.host + (linear & 0xFFF));
  }

  template <class T>
  [[gnu::noinline]] static void write(Engine& c, unsigned s, std::uint32_t offset, T v) {
    const HostTlbEntry& e = c.host_entry(offset);
    if (c.seg[s].writes.value != c.l0_context || e.write_tag != (offset & (page_mask | (sizeof(T) - 1))) ||
        e.holds_code(offset)) [[unlikely]]
      return c.write_any<T>(s, offset, v);
    if (!Events::write_quickly(timing(c), e.physical + (offset & 0xFFF))) [[unlikely]]
      return write_slowly<T>(c, offset, v);
    store_little<T>(e.host + (offset & 0xFFF), v);
  }
  template <class T>
  [[gnu::noinline]] static void write_slowly(Engine& c, std::uint32_t linear, T v) {
    Timing& t = timing(c);
    const HostTlbEntry& e = c.host_entry(linear);
    const std::uint32_t address = e.physical + (linear & 0xFFF);
    Events::write_slowly(t, address, sizeof(T));
    if constexpr (G.write_back)
      if (const std::uint32_t tag = t.template l0_tag<G.data>(address))
        c.put_l0(e, linear, tag, G.data.line, e.read_tag == (linear & page_mask));
    store_little<T>(e.host + (linear & 0xFFF), v);
  }
};

// The P6 has no L0 lines: each access goes through its timing.
struct OnP6 {
  template <class T>
  [[gnu::noinline, gnu::flatten]] static T read(Engine& c, unsigned s, std::uint32_t offset) {
    return c.read_linear<T, Model::p6>(c.linear_for_read(s, offset, sizeof(T)));
  }
  template <class T>
  [[gnu::noinline, gnu::flatten]] static void write(Engine& c, unsigned s, std::uint32_t offset, T v) {
    c.write_linear<T, Model::p6>(c.linear_for_write(s, offset, sizeof(T)), v);
  }
};

}  // namespace

// Only tail calls here, too.
template <class T>
T Engine::read_checked(unsigned s, std::uint32_t offset) {
  return with_geometry(timing.geometry(), [&]<class Timing, Geometry G>() {
    if constexpr (G.known)
      return ByEvent<Timing, G>::template read<T>(*this, s, offset);
    else
      return timing.is_p6() ? OnP6::read<T>(*this, s, offset) : read_any<T>(s, offset);
  });
}
template <class T>
void Engine::write_checked(unsigned s, std::uint32_t offset, T v) {
  return with_geometry(timing.geometry(), [&]<class Timing, Geometry G>() {
    if constexpr (G.known)
      return ByEvent<Timing, G>::write(*this, s, offset, v);
    else
      return timing.is_p6() ? OnP6::write<T>(*this, s, offset, v) : write_any<T>(s, offset, v);
  });
}

template std::uint8_t Engine::read_checked(unsigned, std::uint32_t);
template std::uint16_t Engine::read_checked(unsigned, std::uint32_t);
template std::uint32_t Engine::read_checked(unsigned, std::uint32_t);
template void Engine::write_checked(unsigned, std::uint32_t, std::uint8_t);
template void Engine::write_checked(unsigned, std::uint32_t, std::uint16_t);
template void Engine::write_checked(unsigned, std::uint32_t, std::uint32_t);

}  // namespace planar::cpu
