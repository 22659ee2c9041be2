// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/runs/port_run.hpp"

#include "core/cpu/runs/repeated_cycles.hpp"

namespace planar::cpu {

namespace {
struct AtPort {
  static constexpr bool io = true;
  std::uint16_t port;
  template <class T>
  T read(Engine& c, std::uint32_t, std::uint64_t start) const {
    return static_cast<T>(c.in(port, sizeof(T), start));
  }
  template <class T>
  void write(Engine& c, std::uint32_t, T v, std::uint64_t start) const {
    c.out(port, sizeof(T), v, start);
  }
  template <class Clock>
  static void spend(Clock& clock, unsigned clocks) {
    clock.spend(clocks);
  }
};
}  // namespace

template <class T, Direction direction>
std::uint32_t run_port(Engine& c, const Op& op, std::uint16_t port, std::uint32_t count, bool& possible) {
  possible = !c.one_by_one && !c.timing.is_p6() && count >= worthwhile_run && !(c.system_flags & flag_df);
  if (!possible) return 0;
  constexpr bool writes_port = direction == Direction::write;
  constexpr unsigned index = writes_port ? ESI : EDI;
  const Segment& g = c.seg[writes_port ? op.segment : unsigned{ES}];
  const std::uint32_t offset = c.get_sized(index, op.address32), linear = g.base + offset;
  const HostTlbEntry& e = c.host_entry(linear);
  if ((writes_port ? e.read_tag : e.write_tag) != (linear & (page_mask | (sizeof(T) - 1)))) return 0;
  if (!writes_port && e.page->code_granules != 0) return 0;
  count = elements_within<T>(g, writes_port ? g.read_span : g.write_span, offset, op.address32, count);
  if (count < worthwhile_run) return 0;
  PinsRun run;
  possible = c.pins.port_run(port, sizeof(T), direction, run);
  if (!possible) return 0;
  const std::uint32_t in_page = linear & 0xFFF;
  Repeated<T, direction, AtPort> repeated{
      c, run, {port}, e.physical + in_page, linear, e.host + in_page, repeat_iteration(c.model, op)};
  const std::uint32_t done = repeated.go(count);
  c.set_sized(index, op.address32, offset + done * static_cast<std::uint32_t>(sizeof(T)));
  return done;
}

template std::uint32_t run_port<std::uint8_t, Direction::write>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                bool&);
template std::uint32_t run_port<std::uint8_t, Direction::read>(Engine&, const Op&, std::uint16_t, std::uint32_t, bool&);
template std::uint32_t run_port<std::uint16_t, Direction::write>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                 bool&);
template std::uint32_t run_port<std::uint16_t, Direction::read>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                bool&);
template std::uint32_t run_port<std::uint32_t, Direction::write>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                 bool&);
template std::uint32_t run_port<std::uint32_t, Direction::read>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                bool&);

}  // namespace planar::cpu
