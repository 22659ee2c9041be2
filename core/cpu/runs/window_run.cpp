// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/runs/window_run.hpp"

#include "core/cpu/runs/repeated_cycles.hpp"

namespace planar::cpu {

namespace {
struct AtWindow {
  static constexpr bool io = false;
  std::uint32_t physical;
  template <class T>
  T read(Engine& c, std::uint32_t offset, std::uint64_t start) const {
    return static_cast<T>(c.read_device(physical + offset, sizeof(T), start));
  }
  template <class T>
  void write(Engine& c, std::uint32_t offset, T v, std::uint64_t start) const {
    c.write_device(physical + offset, sizeof(T), v, start);
  }
  template <class Clock>
  static void spend(Clock& clock, unsigned clocks) {
    clock.spend_before_write(clocks);
  }
};

/// One side of the copy: its linear address, and what the host's TLB says of its page.
struct Side {
  std::uint32_t linear, tag;
  const HostTlbEntry& entry;
  std::uint32_t physical() const { return entry.physical + (linear & 0xFFF); }
  bool ram() const { return tag == (linear & page_mask); }
  bool device() const { return tag == ((linear & page_mask) | device_mark); }
};

template <class T, Direction direction>
std::uint32_t run_between(Engine& c, const Op& op, const Side& ram, const Side& device, std::uint32_t count,
                          bool& possible) {
  constexpr std::uint32_t low_bits = sizeof(T) - 1;
  // Operands across doublewords are only known to all cost the same if they are doublewords, and only CachedRun splits
  // them.
  const bool unaligned = ram.physical() & low_bits;
  possible = !c.one_by_one && (device.physical() & low_bits) == 0 &&
             (!unaligned || (sizeof(T) == 4 && c.timing.has_cache() && !(c.system_flags & flag_ac))) &&
             (direction == Direction::write || ram.entry.page->code_granules == 0);
  PinsRun run;
  if (!possible || !c.pins.memory_run(device.physical(), sizeof(T), direction, c.now(), run)) return 0;
  Repeated<T, direction, AtWindow> repeated{c,
                                            run,
                                            {device.physical()},
                                            ram.physical(),
                                            ram.linear,
                                            ram.entry.host + (ram.linear & 0xFFF),
                                            repeat_iteration(c.model, op)};
  return repeated.go(count);
}
}  // namespace

template <class T>
std::uint32_t run_window(Engine& c, const Op& op, std::uint32_t count, bool& possible) {
  const bool wide = op.address32;
  const Segment &source = c.seg[op.segment], &destination = c.seg[ES];
  const std::uint32_t si = c.get_sized(ESI, wide), di = c.get_sized(EDI, wide);
  const HostTlbEntry &read = c.host_entry(source.base + si), &written = c.host_entry(destination.base + di);
  const Side from{source.base + si, read.read_tag, read}, to{destination.base + di, written.write_tag, written};
  possible = !c.timing.is_p6() && count >= worthwhile_run && !(c.system_flags & flag_df) && !(from.ram() && to.ram());
  if (!possible || from.device() == to.device()) return 0;
  count = elements_within<T>(source, source.read_span, si, wide, count);
  count = elements_within<T>(destination, destination.write_span, di, wide, count);
  if (count < worthwhile_run) return 0;  // the end of a page is near
  std::uint32_t done = 0;
  if (to.device() && from.ram())
    done = run_between<T, Direction::write>(c, op, from, to, count, possible);
  else if (from.device() && to.ram())
    done = run_between<T, Direction::read>(c, op, to, from, count, possible);
  c.set_sized(ESI, wide, si + done * static_cast<std::uint32_t>(sizeof(T)));
  c.set_sized(EDI, wide, di + done * static_cast<std::uint32_t>(sizeof(T)));
  return done;
}

template std::uint32_t run_window<std::uint8_t>(Engine&, const Op&, std::uint32_t, bool&);
template std::uint32_t run_window<std::uint16_t>(Engine&, const Op&, std::uint32_t, bool&);
template std::uint32_t run_window<std::uint32_t>(Engine&, const Op&, std::uint32_t, bool&);

}  // namespace planar::cpu
