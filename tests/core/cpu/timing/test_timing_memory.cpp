// SPDX-License-Identifier: GPL-2.0-or-later
// Caches, posted writes, DRAM, refresh, other masters.
#include <vector>

#include "core/common/error.hpp"
#include "core/common/random.hpp"
#include "tests/catch.hpp"
#include "tests/core/cpu/timing/timing_support.hpp"

using namespace planar;
using namespace planar::cpu;
using namespace planar::cpu::timing_test;

namespace {

std::uint32_t step(std::uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

/// Replacement according to the i486 data book: a decision tree whose nodes point to the half to be replaced next.
class TreeReference {
 public:
  TreeReference(unsigned sets, unsigned ways, unsigned line) : line_(line), ways_(ways), sets_(sets) {
    for (auto& s : sets_) {
      s.lines.assign(ways, UINT64_MAX);
      s.order.clear();
    }
  }
  bool access(std::uint32_t address, bool allocate) {
    const std::uint64_t line = address / line_;
    Set& s = sets_[line % sets_.size()];
    for (unsigned w = 0; w < ways_; ++w)
      if (s.lines[w] == line) {
        used(s, w);
        return true;
      }
    if (!allocate) return false;
    unsigned w = 0;
    while (w < ways_ && s.lines[w] != UINT64_MAX) ++w;
    if (w == ways_) w = victim(s);
    s.lines[w] = line;
    used(s, w);
    return false;
  }

 private:
  struct Set {
    std::vector<std::uint64_t> lines;
    std::vector<unsigned> order;  // ways by use, oldest first
  };
  static void used(Set& s, unsigned way) {
    std::erase(s.order, way);
    s.order.push_back(way);
  }
  unsigned victim(const Set& s) const {
    if (ways_ == 2) return s.order.front();
    // The pair that was not used last; within it, the way that was not used last.
    const unsigned pair = s.order.back() / 2 ^ 1;
    for (unsigned i = ways_; i-- > 0;)
      if (s.order[i] / 2 == pair) return s.order[i] ^ 1;
    return pair * 2;
  }
  unsigned line_, ways_;
  std::vector<Set> sets_;
};

double mb_per_s(const TimingConfig& config, double mhz, std::uint32_t bytes, std::uint32_t chunk, bool copy) {
  Runner r(config);
  Op op = plain(copy ? 0xA5 : 0xAD, 2);
  op.rep = true;
  op.prefixes = 1;
  const Op ready = r.with_clocks(op);
  for (int pass = 0; pass < 2; ++pass) {
    r.lap();
    for (std::uint32_t o = 0; o < bytes; o += chunk) {
      r.timing.interrupt_flush();
      r.timing.begin(ready, 0x100000);
      r.timing.spend(repeat_start(config.model, ready));
      for (std::uint32_t k = 0; k < chunk; k += 4) {
        r.timing.read(0x200000 + o + k, 4);
        if (copy) r.timing.write(0x900000 + o + k, 4);
        r.timing.spend(repeat_iteration(config.model, ready));
      }
    }
  }
  return bytes / (static_cast<double>(r.lap()) / mhz);
}

}  // namespace

TEST_CASE("486 cache: hits, misses and replacement", "[cpu][timing]") {
  Timing t(without_refresh(i486_config()));
  TreeReference reference(128, 4, 16);
  std::uint32_t seed = 1;
  std::uint64_t reads = 0, writes = 0;
  for (int i = 0; i < 50000; ++i) {
    const std::uint32_t address = 0x200000 + (step(seed) % 24576 & ~3u);
    if (step(seed) % 4 == 0) {
      t.write(address, 4);
      writes += !reference.access(address, false);  // no allocation on write
    } else {
      t.read(address, 4);
      reads += !reference.access(address, true);
    }
  }
  CHECK(t.counters().read_misses == reads);
  CHECK(t.counters().write_misses == writes);
  CHECK(reads > 10000);
}

TEST_CASE("Pentium data cache: two ways, 32-byte lines, separate from code", "[cpu][timing]") {
  Runner r(without_refresh(pentium_config()));
  TreeReference data(128, 2, 32);
  std::uint32_t seed = 7;
  std::uint64_t reads = 0;
  for (int i = 0; i < 50000; ++i) {
    if (i % 64 == 0) r.eip = 0x100000 + step(seed) % 16384;
    r.issue(low(0x40, eax));
    const std::uint32_t address = 0x200000 + (step(seed) % 16384 & ~3u);
    r.timing.read(address, 4);
    reads += !data.access(address, true);
  }
  CHECK(r.timing.counters().read_misses == reads);
  CHECK(r.timing.counters().code_misses > 100);
}

TEST_CASE("Pentium OverDrive data cache: 16 KB, four ways", "[cpu][timing]") {
  Timing t(overdrive_config());
  TreeReference reference(128, 4, 32);
  std::uint32_t seed = 3;
  std::uint64_t reads = 0;
  for (int i = 0; i < 50000; ++i) {
    const std::uint32_t address = 0x200000 + (step(seed) % 40960 & ~3u);
    t.read(address, 4);
    reads += !reference.access(address, true);
  }
  CHECK(t.counters().read_misses == reads);
  CHECK(reads > 10000);
}

TEST_CASE("Pentium OverDrive: a 32-byte line is filled by two bursts of four doublewords", "[cpu][timing]") {
  Timing t(overdrive_config());
  t.read(0x200000, 4);  // opens the row
  t.jump_to(1000);      // an edge of the bus clock: two bus clocks are five core clocks
  t.read(0x200048, 4);
  CHECK(t.clocks() == 1000 + 10);  // four bus clocks to the first datum
  t.read(0x200058, 4);
  CHECK(t.clocks() == 1000 + 50);  // 4-2-2-2, 4-2-2-2
}

TEST_CASE("Pentium OverDrive: a dirty line is evicted by single writes, or by bursts if the bus has them",
          "[cpu][timing]") {
  auto config = overdrive_config();
  const bool bursts = GENERATE(false, true);
  config.l1.write_burst = bursts;
  Timing t(config);
  for (std::uint32_t line = 0x200000; line != 0x204000; line += 0x1000) {  // the four ways of a set
    t.read(line, 4);
    t.jump_to(t.clocks() + 1000);
    t.write(line, 4);
  }
  t.jump_to(10000);
  t.read(0x204000, 4);
  CHECK(t.clocks() == 10018);  // another row: 7 bus clocks, 17.5 core clocks
  // The fill takes 16 bus clocks more and ends at 10057.5. The processor's write-back begins at the next edge, 10060,
  // in a closed row: 6 clocks, then seven writes of 3, or one burst's beats of 2, a start of 4, and beats of 2.
  const unsigned writing = bursts ? 6 + 6 * 2 + 4 : 6 + 7 * 3;
  t.read(0x205000, 4);
  CHECK(t.clocks() == (2 * 10060 + 5 * (writing + 7) + 1) / 2);
}

TEST_CASE("A line fill resumes execution with the requested datum and delays later accesses", "[cpu][timing]") {
  Timing t(without_refresh(i486_config()));
  t.read(0x200000, 4);  // opens the row
  t.jump_to(100);
  t.read(0x200048, 4);
  CHECK(t.clocks() == 100 + 4);  // page hit: first datum
  t.read(0x20004C, 4);
  CHECK(t.clocks() == 100 + 4 + 3 * 2);  // 4-2-2-2
  t.read(0x200040, 4);
  CHECK(t.clocks() == 110);
  t.jump_to(200);
  t.read(0x201000, 4);
  CHECK(t.clocks() == 207);  // another row
}

TEST_CASE("486: four writes are posted, the fifth waits", "[cpu][timing]") {
  Timing t(without_refresh(i486_config()));
  t.write(0x200000, 4);
  t.jump_to(100);
  for (unsigned i = 1; i <= 4; ++i) t.write(0x200000 + 4 * i, 4);
  CHECK(t.clocks() == 100);
  t.write(0x200014, 4);
  CHECK(t.clocks() == 103);           // the first has completed after a 3-clock page-hit write
  CHECK(t.cycle_start(true) == 115);  // a port cycle waits until all have been written
}

TEST_CASE("486: a read miss overtakes posted writes that hit, not those that missed", "[cpu][timing]") {
  for (const bool hit : {true, false}) {
    CAPTURE(hit);
    Timing t(without_refresh(i486_config()));
    if (hit) t.read(0x200000, 4);
    t.jump_to(100);
    t.write(0x200000, 4);
    t.write(0x200004, 4);
    t.write(0x200008, 4);
    const auto first_write = hit ? 3u : 6u;  // row open or not
    t.read(0x200040, 4);
    CHECK(t.clocks() == (hit ? 100 + first_write + 4 : 100 + first_write + 2 * 3 + 4));
    CHECK(t.cycle_start(true) >= 100 + first_write + 2 * 3 + (hit ? 10 : 0));
  }
}

TEST_CASE("Copies and reads run at the machines' rates", "[cpu][timing]") {
  // docs/hardware/machines.md#rates-to-expect (inferred there): copy 4-5, reads 9-10 MB/s on the 56SX; copy 12-15 on
  // the 77. The bounds include the manuals' cycle counts for the same wait states.
  CHECK(mb_per_s(sx_config(), 20, 65536, 1024, true) == Approx(5).margin(1));
  CHECK(mb_per_s(sx_config(), 20, 65536, 1024, false) == Approx(9.5).margin(1));
  CHECK(mb_per_s(i486_config(), 100.0 / 3, 65536, 1024, true) == Approx(16).margin(4));
  // Pentium: both in L1, about a dword per clock; from L2; from memory.
  const double l1 = mb_per_s(pentium_config(), 90, 2048, 1024, true);
  const double l2 = mb_per_s(pentium_config(), 90, 65536, 1024, true);
  const double far = mb_per_s(pentium_config(), 90, 2 << 20, 1024, true);
  CHECK(l1 > 100);
  CHECK(l2 < l1);
  CHECK(l2 > 50);
  CHECK(far < l2 / 2);
  CHECK(far > 15);
}

TEST_CASE("Pentium: the second level responds immediately or one clock later, by its way prediction", "[cpu][timing]") {
  TimingConfig c = without_refresh(pentium_config());
  Timing t(c);
  // Two lines that share a set of both levels: fill both, then evict them from L1 with two others.
  const std::uint32_t a = 0x200000, b = a + 0x20000;
  const auto touch = [&](std::uint32_t address) {
    t.jump_to(t.clocks() + 300);
    const auto aligned = t.cycle_start(true);
    t.read(address, 4);
    return t.clocks() - aligned;
  };
  touch(a);
  touch(b);
  touch(a + 0x1000);  // shares only the L1 set
  touch(a + 0x3000);
  CHECK(touch(b) == 3);  // two bus clocks: b was in the most recently used way
  CHECK(touch(a) == 5);  // three bus clocks, to the next core clock
  CHECK(touch(a) == 0);
}

TEST_CASE("Refresh takes exactly its share", "[cpu][timing]") {
  // Reads that keep the 386SX's bus busy: 15.12 us minus the hold time remain.
  TimingConfig with = sx_config(), without = without_refresh(sx_config());
  const auto run = [](const TimingConfig& c) {
    Timing t(c);
    for (int i = 0; i < 100000; ++i) {
      t.spend(0);
      t.read(0x200000 + (i & 511) * 2, 2);
    }
    return static_cast<double>(t.clocks());
  };
  const double share = run(with) / run(without) - 1;
  CHECK(share == Approx((6 + 2) / 302.4).epsilon(0.1));  // hold, and the row is closed afterwards
  // A processor that does not use the bus is not affected.
  Timing t(with);
  t.jump_to(1'000'000);
  t.spend(10);
  CHECK(t.clocks() == 1'000'010);
  // A long pause is one step, whatever its length.
  Timing far(pentium_config());
  far.jump_to(std::uint64_t{1} << 50);
  far.read(0x200000, 4);
  CHECK(far.clocks() - (std::uint64_t{1} << 50) < 60);
}

TEST_CASE("Another master's cycles block the processor on a single-path planar, except for cache hits",
          "[cpu][timing]") {
  Timing t(without_refresh(sx_config()));
  t.read(0x200000, 2);
  t.jump_to(1000);
  t.steal(995, 30);
  t.read(0x200000, 2);
  CHECK(t.clocks() == 995 + 30 + 4);  // and the row is closed
  Timing cached(without_refresh(i486_config()));
  cached.read(0x200000, 4);
  cached.jump_to(1000);
  cached.steal(1000, 100);
  cached.read(0x200000, 4);
  CHECK(cached.clocks() == 1000);  // a hit needs no bus
  cached.read(0x300000, 4);
  CHECK(cached.clocks() >= 1100);
}

TEST_CASE("A master's write invalidates cached lines", "[cpu][timing]") {
  for (const auto& config : {i486_config(), pentium_config()}) {
    Timing t(without_refresh(config));
    for (std::uint32_t a = 0; a < 256; a += 4) t.read(0x200000 + a, 4);
    const auto misses = t.counters().read_misses;
    t.jump_to(10000);
    t.read(0x200010, 4);
    CHECK(t.counters().read_misses == misses);
    t.master_wrote(0x20000E, 4);
    t.read(0x200080, 4);
    CHECK(t.counters().read_misses == misses);
    t.read(0x200010, 4);
    CHECK(t.counters().read_misses == misses + 1);
    t.master_wrote(0xFFFFFFF0, 16);  // the end of the address space
  }
}

TEST_CASE("A master's inquire cycles find dirty lines and write them back", "[cpu][timing]") {
  Timing t(without_refresh(pc_config()));
  const auto miss = [&](std::uint32_t at) {
    const auto before = t.counters().read_misses;
    t.read(at, 4);
    return t.counters().read_misses != before;
  };
  using Where = SnoopHits::Where;
  for (const std::uint32_t line : {0x200000u, 0x200020u}) {
    t.read(line, 4);
    t.write(line, 4);
  }
  t.jump_to(1000);
  // Two of three lines are dirty in L1, and clean after the snoop; they stay there.
  auto hits = t.snoop({.address = 0x200010, .bytes = 0x50});
  CHECK(hits.first_level == 2);
  CHECK(hits.second_level == 0);
  CHECK(hits.first == Where::first_level);
  CHECK_FALSE(miss(0x200000));
  hits = t.snoop({.address = 0x200000, .bytes = 64});
  CHECK(hits.first_level == 0);
  CHECK(hits.first == Where::clean);
  // Dirty again after a write that hits, invalidated when the master has written.
  t.write(0x200000, 4);
  hits = t.snoop({.address = 0x1FFFFC, .bytes = 8, .write = true});
  CHECK(hits.first_level == 1);
  CHECK(hits.first == Where::clean);  // the line at 1FFFE0h
  t.master_wrote(0x1FFFFC, 8);
  CHECK(miss(0x200000));
  // Dirty only in L2: displaced from L1 by two other lines of its set.
  t.read(0x200040, 4);
  t.write(0x200040, 4);
  t.read(0x201040, 4);
  t.read(0x202040, 4);
  t.jump_to(t.clocks() + 1000);
  SECTION("a read writes the line back, once") {
    CHECK(t.snoop({.address = 0x200040, .bytes = 4}).second_level == 1);
    CHECK(t.snoop({.address = 0x200040, .bytes = 4}).second_level == 0);
  }
  SECTION("a write writes it back, too") {
    hits = t.snoop({.address = 0x200040, .bytes = 32, .write = true});
    CHECK(hits.second_level == 1);
    CHECK(hits.first == Where::second_level);
  }
  SECTION("a line that is overwritten completely is not written back") {
    CHECK(t.snoop({.address = 0x200040, .bytes = 32, .write = true, .whole_lines = true}).second_level == 0);
  }
  CHECK(t.snoop({.address = 0xFFFFFFF0, .bytes = 16}).first_level == 0);  // the end of the address space
  CHECK(t.snoop({}).first_level == 0);
  CHECK(Timing(sx_config()).snoop({.address = 0, .bytes = 64}).first_level == 0);  // no cache
}

TEST_CASE("Snoops occupy the processor's bus for a part of each line", "[cpu][timing]") {
  const auto config = without_refresh(pc_config());
  const auto end_of_reads = [&](MemoryShare share) {
    Timing t(config);
    for (std::uint32_t a = 0; a < 0x4000; a += 32) t.read(0x200000 + a, 4);  // evicts to L2
    t.jump_to(100'000);
    t.share(share);
    for (std::uint32_t a = 0; a < 0x1000; a += 32) t.read(0x200000 + a, 4);
    return t.clocks();
  };
  const auto alone = end_of_reads({});
  CHECK(end_of_reads({100'000, 200'000, 40, 18, 0}) == alone);  // the memory's line transfers do not affect L2
  const auto snooped = end_of_reads({100'000, 200'000, 40, 18, 5});
  CHECK(snooped > alone + 128 * 5 / 8);
  CHECK(snooped < alone + 128 * 8);
  CHECK(end_of_reads({200'000, 300'000, 40, 18, 5}) == alone);
}

TEST_CASE("Adapter memory and a disabled cache are never cached", "[cpu][timing]") {
  Timing t(without_refresh(i486_config()));
  t.read(0xC8000, 4);
  t.jump_to(1000);
  t.read(0xC8000, 4);
  CHECK(t.clocks() > 1000);
  t.read(0x200000, 4);
  t.jump_to(2000);
  t.set_cache_enabled(false);
  t.read(0x200000, 4);
  CHECK(t.clocks() == 2000);  // cached lines still hit
  t.flush_caches();
  t.read(0x200000, 4);
  t.jump_to(3000);
  t.read(0x200000, 4);
  CHECK(t.clocks() > 3000);
}

TEST_CASE("WBINVD takes the time to write back the dirty lines", "[cpu][timing]") {
  Timing t(without_refresh(pentium_config()));
  for (std::uint32_t a = 0; a < 4096; a += 32) t.read(0x200000 + a, 4);
  t.jump_to(100000);
  t.flush_caches(true);
  CHECK(t.clocks() == 100000);
  for (std::uint32_t a = 0; a < 4096; a += 32) {
    t.read(0x200000 + a, 4);
    t.write(0x200000 + a, 4);
  }
  t.jump_to(200000);
  t.flush_caches(true);
  CHECK(t.clocks() > 200000 + 128 * 10);
}

TEST_CASE("Geometries known to the compiler and all others give the same clocks", "[cpu][timing]") {
  for (TimingConfig known : {i486_config(), pentium_config(), overdrive_config(), pc_config()}) {
    known = without_refresh(known);  // because its times are rounded down to ticks
    TimingConfig other = known;      // the same clocks from different parameters
    if (known.l2.ways == 1) {        // large enough for no new conflicts between addresses of the test
      other.l2.bytes *= 2;
    } else if (known.core_per_bus_num <= 4) {
      other.core_per_bus_num = static_cast<std::uint8_t>(2 * known.core_per_bus_num);
      other.core_per_bus_den = static_cast<std::uint8_t>(2 * known.core_per_bus_den);
    } else {  // a second bank that contains no address of the test
      other.dram.banks = 2;
      other.dram.bank_shift = 31;
    }
    REQUIRE(has_known_geometry(known));
    REQUIRE(!has_known_geometry(other));
    Runner a(known), b(other);
    const std::uint32_t data_bytes = known.l2.ways == 1 ? known.l2.bytes : 0x60000;
    std::uint32_t random = 20;
    for (int i = 0; i < 200'000; ++i) {
      const std::uint32_t what = step(random) % 16, data = 0x200000 + step(random) % data_bytes;
      const std::uint32_t target = 0x100000 + step(random) % 0x8000;
      const auto idle = step(random) % 64;
      for (Runner* r : {&a, &b}) {
        if (known.shared_by_line && i % 50 == 0) {
          const auto now = r->timing.clocks();
          r->timing.snoop({data, 256, what < 4});
          r->timing.share({now, now + 600, 50, 18, 7});
        }
        if (what < 6)
          r->load(rm(0x8B, eax, ebx), what < 3 ? data % 0x3000 : data, 1u << what % 3);
        else if (what < 11)
          r->store(rm(0x89, eax, ebx), what < 9 ? data % 0x3000 : data, 1u << what % 3);
        else if (what < 14)
          r->issue(rr(0x01, eax, ecx));
        else if (what == 14)
          r->jump(jcc(), target);
        else
          r->timing.jump_to(r->timing.cycle_start(true) + idle);
      }
      REQUIRE(a.timing.clocks() == b.timing.clocks());
    }
    CHECK(a.timing.counters().read_misses == b.timing.counters().read_misses);
    CHECK(a.timing.counters().code_misses == b.timing.counters().code_misses);
    CHECK(a.timing.counters().write_misses == b.timing.counters().write_misses);
    CHECK(a.timing.counters().read_misses > 1000);
    CHECK(a.timing.counters().code_misses > 1000);
  }
}

TEST_CASE("A restored timing state continues with the same clocks", "[cpu][timing]") {
  for (const auto& config : {sx_config(), i486_config(), pentium_config()}) {
    Runner r(config);
    std::uint32_t seed = 99;
    const auto stretch = [](Runner& run, std::uint32_t& s, int steps) {
      for (int i = 0; i < steps; ++i) {
        switch (step(s) % 6) {
          case 0: run.load(rm(0x8B, step(s) % 8, ebx), 0x200000 + step(s) % 40000); break;
          case 1: run.store(rm(0x89, step(s) % 8, ebx, 1), 0x200000 + step(s) % 40000); break;
          case 2: run.jump(jcc(), 0x100000 + step(s) % 3000); break;
          case 3: run.fall_through(jcc()); break;
          case 4: run.issue(with_prefixes(rr(0x01, step(s) % 8, step(s) % 8), 1)); break;
          default: run.issue(low(0x40, step(s) % 8)); break;
        }
        if (step(s) % 500 == 0) run.timing.interrupt_flush();
        if (step(s) % 300 == 0) run.timing.wait_until(run.timing.cycle_start(true) + 20);
      }
    };
    stretch(r, seed, 20000);
    Archive saved = Archive::saver();
    r.timing.archive(saved);
    Runner other(config, r.eip);
    Archive loaded = Archive::loader(saved.stream());
    other.timing.archive(loaded);
    loaded.expect_end();
    CHECK(other.timing.clocks() == r.timing.clocks());
    std::uint32_t seed2 = seed;
    stretch(r, seed, 20000);
    stretch(other, seed2, 20000);
    CHECK(other.timing.clocks() == r.timing.clocks());
    Archive a = Archive::saver(), b = Archive::saver();
    r.timing.archive(a);
    other.timing.archive(b);
    CHECK(a.stream() == b.stream());
  }
}

TEST_CASE("An impossible configuration is rejected, and the parameter is named", "[cpu][timing]") {
  const auto refused = [](auto change) {
    TimingConfig c = pentium_config();
    change(c);
    try {
      Timing t(c);
    } catch (const Error& e) { return std::string(e.what()); }
    return std::string();
  };
  CHECK(refused([](TimingConfig&) {}).empty());
  CHECK(refused([](TimingConfig& c) { c.dram.page_bytes = 3000; }).find("dram.page_bytes = 3000") != std::string::npos);
  CHECK(refused([](TimingConfig& c) { c.l1.ways = 3; }).find("l1.ways = 3") != std::string::npos);
  CHECK(refused([](TimingConfig& c) { c.l1.line = 24; }).find("l1.line") != std::string::npos);
  CHECK(refused([](TimingConfig& c) { c.core_per_bus_den = 3; }).find("core_per_bus_den") != std::string::npos);
  CHECK(refused([](TimingConfig& c) { c.write_buffers = 0; }).find("write_buffers") != std::string::npos);
  CHECK(refused([](TimingConfig& c) { c.model = Model::i386sx; }).find("386SX") != std::string::npos);
}
