// SPDX-License-Identifier: GPL-2.0-or-later
// The second way to memory (access.hpp): segment check, host TLB, the memory event, the L0 line. For the geometries
// that are known when planar is compiled all of it is one function for each of them.
#include <type_traits>

#include "core/cpu/mmu/access.hpp"
#include "core/cpu/timing/cached/memory_events.hpp"

namespace planar::cpu {

namespace {
template <Model M, Geometry G>
using EventsOf = MemoryEvents<std::conditional_t<M == Model::pentium, TimingPentium, Timing486>, G>;
}  // namespace

template <class T>
T Engine::read_checked(unsigned s, std::uint32_t offset) {
  switch (timing.known_geometry()) {
    case KnownGeometry::pentium_with_l2: return read_by_event<T, Model::pentium, pentium_with_l2>(s, offset);
    case KnownGeometry::pentium_overdrive: return read_by_event<T, Model::pentium, pentium_overdrive>(s, offset);
    case KnownGeometry::pentium_direct_l2: return read_by_event<T, Model::pentium, pentium_direct_l2>(s, offset);
    case KnownGeometry::plain_486: return read_by_event<T, Model::i486sx, plain_486>(s, offset);
    default: return read_any<T>(s, offset);
  }
}
template <class T>
void Engine::write_checked(unsigned s, std::uint32_t offset, T v) {
  switch (timing.known_geometry()) {
    case KnownGeometry::pentium_with_l2: return write_by_event<T, Model::pentium, pentium_with_l2>(s, offset, v);
    case KnownGeometry::pentium_overdrive: return write_by_event<T, Model::pentium, pentium_overdrive>(s, offset, v);
    case KnownGeometry::pentium_direct_l2: return write_by_event<T, Model::pentium, pentium_direct_l2>(s, offset, v);
    case KnownGeometry::plain_486: return write_by_event<T, Model::i486sx, plain_486>(s, offset, v);
    default: return write_any<T>(s, offset, v);
  }
}

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

// Whatever is not usual goes elsewhere as the last thing that is done here: without calls in between the host's
// registers hold everything. A segment with a context begins at 0 and ends nowhere.
template <class T, Model M, Geometry G>
T Engine::read_by_event(unsigned s, std::uint32_t offset) {
  const HostTlbEntry& e = host_entry(offset);
  if (seg[s].reads.value != l0_context || e.read_tag != (offset & (page_mask | (sizeof(T) - 1)))) [[unlikely]]
    return read_any<T>(s, offset);
  auto& t = timing.of<M>();
  const std::uint32_t address = e.physical + (offset & 0xFFF);
  if (!EventsOf<M, G>::read_quickly(t, address)) [[unlikely]]
    return read_slow_event<T, M, G>(offset);
  if (const std::uint32_t tag = t.template l0_tag<G.data>(address)) put_l0(e, offset, tag, G.data.line, true);
  return load<T>(e.host + (offset & 0xFFF));
}
template <class T, Model M, Geometry G>
T Engine::read_slow_event(std::uint32_t linear) {
  auto& t = timing.of<M>();
  const HostTlbEntry& e = host_entry(linear);
  const std::uint32_t address = e.physical + (linear & 0xFFF);
  EventsOf<M, G>::read_slowly(t, address, sizeof(T));
  if (const std::uint32_t tag = t.template l0_tag<G.data>(address)) put_l0(e, linear, tag, G.data.line, true);
  return load<T>(e.host + (linear & 0xFFF));
}

template <class T, Model M, Geometry G>
void Engine::write_by_event(unsigned s, std::uint32_t offset, T v) {
  const HostTlbEntry& e = host_entry(offset);
  if (seg[s].writes.value != l0_context || e.write_tag != (offset & (page_mask | (sizeof(T) - 1))) ||
      e.holds_code(offset)) [[unlikely]]
    return write_any<T>(s, offset, v);
  if (!EventsOf<M, G>::write_quickly(timing.of<M>(), e.physical + (offset & 0xFFF))) [[unlikely]]
    return write_slow_event<T, M, G>(offset, v);
  store<T>(e.host + (offset & 0xFFF), v);
}
template <class T, Model M, Geometry G>
void Engine::write_slow_event(std::uint32_t linear, T v) {
  auto& t = timing.of<M>();
  const HostTlbEntry& e = host_entry(linear);
  const std::uint32_t address = e.physical + (linear & 0xFFF);
  EventsOf<M, G>::write_slowly(t, address, sizeof(T));
  if constexpr (G.write_back)
    if (const std::uint32_t tag = t.template l0_tag<G.data>(address))
      put_l0(e, linear, tag, G.data.line, e.read_tag == (linear & page_mask));
  store<T>(e.host + (linear & 0xFFF), v);
}

template std::uint8_t Engine::read_checked(unsigned, std::uint32_t);
template std::uint16_t Engine::read_checked(unsigned, std::uint32_t);
template std::uint32_t Engine::read_checked(unsigned, std::uint32_t);
template void Engine::write_checked(unsigned, std::uint32_t, std::uint8_t);
template void Engine::write_checked(unsigned, std::uint32_t, std::uint16_t);
template void Engine::write_checked(unsigned, std::uint32_t, std::uint32_t);

}  // namespace planar::cpu
