// SPDX-License-Identifier: GPL-2.0-or-later
// Another master takes the memory and writes to it while code runs that the processor still has to fetch: what that
// costs is a matter of virtual time alone.
#include "core/common/random.hpp"
#include "tests/core/cpu/machine.hpp"
#include "tests/core/cpu/timing/timing_support.hpp"

using namespace planar;
using namespace planar::cpu;
using namespace planar::cpu_test;
using namespace planar::cpu::timing_test;

namespace {

enum class Disturbance { none, short_blocks, flushes, cuts, snapshots };

/// A processor with a machine's timing that runs through new code, and a master that has the memory every other
/// microsecond.
struct Rig {
  static constexpr std::uint32_t program_at = 0x80000, program_bytes = 0x40000;
  static constexpr Time end = 4_ms;

  static CpuConfig config(const TimingConfig& timing) {
    CpuConfig c = Board::config(timing.model);
    c.timing = timing;
    return c;
  }

  Board b;
  Random random{7};
  Event turn{b.scheduler, "master", Priority::device, Callback::to<&Rig::take_memory>(this)};

  explicit Rig(const TimingConfig& timing) : b(config(timing)) {
    b.pins.scheduler = &b.scheduler;
    b.flat({0xBF, 0x00, 0x00, 0x02, 0x00,    // MOV EDI, data
            0x89, 0xFE,                      // MOV ESI, EDI
            0xE9, 0xF4, 0xFF, 0x06, 0x00});  // JMP program
    write_program();
    turn.at(1_us);
  }

  /// Straight on: registers, loads, stores, the stack, short branches; now and then a port.
  void write_program() {
    static const std::vector<std::vector<std::uint8_t>> pieces{
        {0x40},                                // INC EAX
        {0x01, 0xC8},                          // ADD EAX, ECX
        {0x89, 0x06},                          // MOV [ESI], EAX
        {0x89, 0x46, 0x24},                    // MOV [ESI+24h], EAX
        {0x8B, 0x4E, 0x08},                    // MOV ECX, [ESI+8]
        {0x31, 0x56, 0x0C},                    // XOR [ESI+0Ch], EDX
        {0x50, 0x5B},                          // PUSH EAX; POP EBX
        {0x39, 0xD3, 0x72, 0x02, 0x42, 0x43},  // CMP EBX, EDX; JB +2; INC EDX; INC EBX
        {0x8D, 0x54, 0x40, 0x07},              // LEA EDX, [EAX+EAX*2+7]
        {0x0F, 0xAF, 0xC1},                    // IMUL EAX, ECX
    };
    Random choice{3};
    for (std::uint32_t at = program_at; at < program_at + program_bytes;) {
      const auto n = choice.below(64);
      std::vector<std::uint8_t> piece = pieces[n % pieces.size()];
      if (n == 62)  // LEA ESI, [EDI+disp32]
        piece = {
            0x8D, 0xB7, static_cast<std::uint8_t>(choice.below(16) << 4), static_cast<std::uint8_t>(choice.below(64)),
            0,    0};
      if (n == 63 && choice.below(4) == 0) piece = {0xE6, 0x80};  // OUT 80h, AL
      for (const std::uint8_t byte : piece) b.put8(at++, byte);
    }
  }

  /// The master's turn: a while of the memory, and a write to what is there already, mostly to code that comes soon.
  void take_memory(Time now) {
    const ClockDomain& clock = b.cpu.config().clock;
    const Time from = now + Time{static_cast<std::int64_t>(random.below(2) * 300'000)};
    const Time until = from + Time{static_cast<std::int64_t>(100'000 + random.below(500'000))};
    const std::uint64_t first = clock.first_at_or_after(from);
    const auto taken = static_cast<unsigned>(clock.first_at_or_after(until) - first);
    const std::uint32_t near = random.below(2)
                                   ? b.cpu.registers().eip + 32 * static_cast<std::uint32_t>(random.below(4))
                                   : data_at + static_cast<std::uint32_t>(random.below(0x400));
    const std::uint32_t at = near & ~15u;
    if (b.cpu.config().timing.shared_by_line) {
      const SnoopHits dirty = b.cpu.snoop({at, 256, true});
      b.cpu.share({first, first + taken, 40, 18, 5 + 3 * dirty.first_level + 2 * dirty.second_level});
    } else {
      b.cpu.steal(first, taken);
    }
    std::vector<std::uint8_t> same(&b.ram[at], &b.ram[at] + 16);
    b.space.master_write(at, same, now);
    turn.at(now + Time{static_cast<std::int64_t>(200'000 + random.below(1'800'000))});
  }

  void archive(Archive& a) {
    b.scheduler.archive(a);
    b.cpu.archive(a);
    turn.archive(a);
    a(random);
    a.bytes(b.ram);
  }
  std::vector<std::uint8_t> saved() {
    Archive a = Archive::saver();
    archive(a);
    return a.stream();
  }
};

std::vector<std::uint8_t> state_after(const TimingConfig& model, Disturbance d, std::uint64_t seed) {
  auto rig = std::make_unique<Rig>(model);
  if (d == Disturbance::short_blocks) rig->b.cpu.limit_block_length(static_cast<unsigned>(seed));
  if (d == Disturbance::flushes) rig->b.cpu.flush_blocks_at_random(seed);
  if (d == Disturbance::cuts) rig->b.scheduler.cut_horizons_at_random(seed);
  if (d == Disturbance::snapshots) {
    Random random(seed);
    for (Time t = 100_us; t < Rig::end; t += Time{static_cast<std::int64_t>(random.below(200'000'000))}) {
      rig->b.scheduler.run_until(t);
      const auto stream = rig->saved();
      rig = std::make_unique<Rig>(model);
      Archive a = Archive::loader(stream);
      rig->archive(a);
    }
  }
  rig->b.scheduler.run_until(Rig::end);
  const std::uint32_t eip = rig->b.cpu.registers().eip;
  REQUIRE(eip > Rig::program_at + 0x800);
  REQUIRE(eip < Rig::program_at + Rig::program_bytes);
  return rig->saved();
}

}  // namespace

TEST_CASE("What another master's turn costs does not depend on the host's blocks and caches", "[cpu][determinism]") {
  const TimingConfig model = GENERATE(sx_config(), i486_config(), pentium_config(), pc_config());
  CAPTURE(static_cast<int>(model.model));
  const auto whole = state_after(model, Disturbance::none, 0);
  for (const unsigned length : {1u, 2u, 3u}) {
    CAPTURE(length);
    CHECK((state_after(model, Disturbance::short_blocks, length) == whole));
  }
  for (const std::uint64_t seed : {5u, 77u}) {
    CAPTURE(seed);
    CHECK((state_after(model, Disturbance::flushes, seed) == whole));
  }
  CHECK((state_after(model, Disturbance::cuts, 6) == whole));
  CHECK((state_after(model, Disturbance::snapshots, 7) == whole));
}

TEST_CASE("A code line that is on its way when another master takes the memory comes before it", "[cpu][timing]") {
  const auto config = GENERATE(i486_config(), pentium_config());
  const auto next_line_after = [&](unsigned stolen) {
    Runner r(without_refresh(config));
    r.issue(plain(0x90, 1));  // the line after it is wanted next
    r.timing.jump_to(r.timing.clocks() + 200);
    r.timing.steal(r.timing.clocks(), stolen);
    r.eip = (r.eip & ~31u) + config.l1.line;
    r.lap();
    r.issue(plain(0x90, 1));
    return r.lap();
  };
  CHECK(next_line_after(0) <= 1);
  CHECK(next_line_after(500) <= 1);
}

TEST_CASE("What is on its way is not what a disabled cache or INVD finds", "[cpu][timing]") {
  const auto config = GENERATE(i486_config(), pentium_config());
  for (const bool told : {false, true}) {
    Runner r(without_refresh(config));
    r.issue(plain(0x90, 1));
    r.timing.jump_to(r.timing.clocks() + 200);
    if (told) r.timing.cycle_start(false);  // whatever uses the bus finds the line fetched
    r.timing.set_cache_enabled(false);
    r.eip = (r.eip & ~31u) + config.l1.line;
    r.lap();
    r.issue(plain(0x90, 1));
    CHECK(r.lap() <= 1);
  }
}
