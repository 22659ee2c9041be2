// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX's bus unit in closed form, with prefetch counted lazily, compared with the same unit advanced word by word
// at every step.
#include <algorithm>
#include <vector>

#include "core/common/random.hpp"
#include "tests/catch.hpp"
#include "tests/core/cpu/timing/timing_support.hpp"

using namespace planar;
using namespace planar::cpu;
using namespace planar::cpu::timing_test;

namespace {

/// The rules of Timing386sx in their simplest form: one cycle at a time, with the queue updated at every start.
class WordByWord {
 public:
  explicit WordByWord(const TimingConfig& config) : c_(config) { rows_.fill(UINT32_MAX); }
  std::uint64_t clock = 0;

  void begin(const Op& op, std::uint32_t eip) {
    const std::uint32_t grain = c_.prefetch_request - 1u;
    const std::uint32_t needed = (eip + op.length + grain) & ~grain;
    if (refill_) {
      refill_ = false;
      next_ = eip & ~1u;
      words(from_, UINT64_MAX, next_, needed, false);
      clock = std::max(clock, free_ + 3) + op.i386sx.refill;
    } else {
      next_ += eip - eip_;
      eip_ = eip;
      prefetch(clock);
      if (static_cast<std::int32_t>(needed - next_) > 0) {
        words(from_, UINT64_MAX, next_, needed, false);
        clock = std::max(clock, free_ + 2);
      }
    }
    if (next_ - (eip & ~grain) >= 16) from_ = clock;
    eip_ = eip + op.length;
    clock += op.clocks;
    tail_ = op.clocks > 4 ? op.clocks - 4u : 0;
    credit_ = 0;
  }
  void read(std::uint32_t address, unsigned bytes) {
    const std::uint64_t wanted = back(tail_ + 2);
    prefetch(wanted);
    std::uint32_t at = address & ~1u;
    words(wanted, UINT64_MAX, at, (address + bytes + 1) & ~1u, false);
    clock = std::max(clock, free_ + tail_);
    if (tail_ == 0) credit_ += 2;
    tail_ -= std::min(tail_, 2u);
  }
  void write(std::uint32_t address, unsigned bytes) {
    clock = std::max(clock, write_starts_);
    prefetch(clock);
    write_starts_ = std::max(clock, free_);
    std::uint32_t at = address & ~1u;
    words(clock, UINT64_MAX, at, (address + bytes + 1) & ~1u, true);
  }
  void jump() {
    prefetch(back(4));
    from_ = back(4);
    refill_ = true;
  }
  void spend(unsigned clocks) {
    clock += clocks - std::min(credit_, clocks);
    credit_ = 0;
    tail_ = clocks > 2 ? clocks - 2 : 0;
  }
  std::uint64_t cycle_start(bool io) {
    const std::uint64_t wanted = io ? clock : back(2);
    prefetch(wanted);
    return std::max(wanted, free_);
  }
  void wait_until(std::uint64_t at) {
    clock = std::max(clock, at);
    free_ = std::max(free_, at);
  }
  void steal(std::uint64_t from, unsigned clocks) {
    prefetch(from);
    free_ = std::max(free_, from) + clocks;
    rows_.fill(UINT32_MAX);
  }

 private:
  std::uint64_t back(std::uint64_t by) const { return clock > by ? clock - by : 0; }
  void prefetch(std::uint64_t until) {
    if (!refill_) words(from_, until, next_, (eip_ & ~(c_.prefetch_request - 1u)) + 16, false);
  }
  void words(std::uint64_t at, std::uint64_t until, std::uint32_t& address, std::uint32_t limit, bool writing) {
    for (std::uint64_t t = std::max(at, free_); static_cast<std::int32_t>(limit - address) > 0 && t < until;
         address += 2, free_ = t) {
      if (c_.refresh.period_num != 0) {
        const std::uint64_t due = refreshes_ * c_.refresh.period_num / c_.refresh.period_den;
        if (t >= due) t = refresh(t);
      }
      t += cycle(address, writing);
    }
  }
  std::uint64_t refresh(std::uint64_t t) {
    std::uint64_t due = 0;
    for (; refreshes_ * c_.refresh.period_num / c_.refresh.period_den <= t; ++refreshes_)
      due = refreshes_ * c_.refresh.period_num / c_.refresh.period_den;
    rows_.fill(UINT32_MAX);
    return std::max(t, std::max(due, std::min(free_, t)) + c_.refresh.hold);
  }
  unsigned cycle(std::uint32_t address, bool writing) {
    for (const auto& range : c_.rom_ranges)
      if (range.holds(address)) return c_.rom.clocks * (c_.rom.width == 1 ? 2u : 1u);
    std::uint32_t& row = rows_[(address >> c_.dram.bank_shift) % c_.dram.banks];
    const bool hit = row == address / c_.dram.page_bytes;
    row = address / c_.dram.page_bytes;
    return writing ? (hit ? c_.dram.write_hit : c_.dram.write_miss) : hit ? c_.dram.read_hit : c_.dram.read_miss;
  }

  TimingConfig c_;
  std::array<std::uint32_t, 8> rows_;
  std::uint64_t free_ = 0, from_ = 0, write_starts_ = 0, refreshes_ = 1;
  std::uint32_t next_ = 0, eip_ = 0;
  unsigned tail_ = 0, credit_ = 0;
  bool refill_ = true;
};

std::vector<std::uint8_t> saved(Timing386sx& t) {
  Archive a = Archive::saver();
  t.archive(a);
  return a.stream();
}

/// Random code; false at the first difference. `twin` runs the same and is compared after every step.
bool agrees(const TimingConfig& config, std::uint64_t seed, unsigned steps) {
  Timing386sx timing(config), twin(config);
  WordByWord reference(config);
  Random random(seed);
  const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random.below(n)); };
  // Code and data in few rows, so that hits are common; occasionally elsewhere, also in ROM.
  const auto place = [&] {
    static constexpr std::uint32_t bases[] = {0x100000, 0x100700, 0x102000, 0x9FF80, 0xE0000, 0xFFF80, 0x3007F0};
    return bases[below(std::size(bases))] + below(256);
  };
  std::uint32_t eip = place();
  const auto both = [&](auto f) {
    f(timing);
    f(twin);
  };
  for (unsigned i = 0; i < steps; ++i) {
    const Op model = below(4) == 0 ? with_immediate(rm(0x81, below(8), ebx, 4), 4)
                     : below(2)    ? rm(0x8B, eax, ebx, static_cast<std::uint8_t>(below(2)))
                     : below(3)    ? plain(0x90, 1)
                                   : with_prefixes(rr(0xF7, ecx, 4), static_cast<std::uint8_t>(below(6)));
    Op op = model;
    timing.set_static_clocks(op);
    both([&](Timing386sx& t) { t.begin(op, eip); });
    reference.begin(op, eip);
    eip += op.length;
    for (unsigned n = below(3); n > 0; --n) {
      const std::uint32_t at = place();
      const unsigned bytes = 1u << below(3), clocks = below(12);
      switch (below(6)) {
        // clang-format off
        case 0: case 1: both([&](Timing386sx& t) { t.read(at, bytes); }); reference.read(at, bytes); break;
        case 2: both([&](Timing386sx& t) { t.write(at, bytes); }); reference.write(at, bytes); break;
        case 3: both([&](Timing386sx& t) { t.spend(clocks); }); reference.spend(clocks); break;
        // clang-format on
        case 4: {
          const bool io = below(2);
          const std::uint64_t start = reference.cycle_start(io);
          if (timing.cycle_start(io) != start || twin.cycle_start(io) != start) return false;
          both([&](Timing386sx& t) { t.wait_until(start + clocks); });
          reference.wait_until(start + clocks);
          break;
        }
        default:
          if (below(4) != 0) break;
          both([&](Timing386sx& t) { t.steal(reference.clock + clocks, bytes * 3); });
          reference.steal(reference.clock + clocks, bytes * 3);
      }
    }
    if (below(5) == 0) {
      both([](Timing386sx& t) { t.interrupt_flush(); });
      reference.jump();
      eip = place();
    } else if (below(200) == 0) {
      eip += 4096 + 2 * below(64);  // sequentially into another page frame
    }
    if (timing.clocks() != reference.clock || twin.clocks() != reference.clock) return false;
    const auto state = saved(twin);
    if (below(16) == 0) {
      if (saved(timing) != state) return false;
      Archive a = Archive::loader(state);
      Timing386sx restored(config);
      restored.archive(a);
      twin = restored;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("386SX bus cycles in closed form equal the cycles counted one by one", "[cpu][timing]") {
  TimingConfig usual = sx_config();
  for (std::uint64_t seed = 1; seed <= 40; ++seed) CHECK(agrees(usual, seed, 3000));
}

TEST_CASE("386SX closed form holds with wait states, one bank, narrow ROM, word prefetch, no refresh",
          "[cpu][timing]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const auto from = [&](unsigned low, unsigned n) { return static_cast<std::uint8_t>(low + random.below(n)); };
    TimingConfig c = sx_config();
    c.dram.page_bytes = 256u << random.below(5);
    c.dram.banks = static_cast<std::uint8_t>(1u << random.below(4));
    c.dram.bank_shift = from(7, 9);  // also banks that share a row
    c.dram.read_hit = from(2, 4);
    c.dram.read_miss = static_cast<std::uint8_t>(c.dram.read_hit + random.below(5));
    c.dram.write_hit = from(2, 4);
    c.dram.write_miss = static_cast<std::uint8_t>(c.dram.write_hit + random.below(5));
    c.rom.width = from(1, 2);
    c.prefetch_request = random.below(2) ? 2 : 4;
    if (random.below(3) == 0)
      c.refresh.period_num = 0;
    else
      c.refresh.period_num = 60 + static_cast<std::uint32_t>(random.below(400));
    c.refresh.period_den = 1 + static_cast<std::uint32_t>(random.below(2));
    c.refresh.hold = from(0, 12);
    CHECK(agrees(c, seed, 1500));
  }
}
