// SPDX-License-Identifier: GPL-2.0-or-later
// A processor with a machine's timing that runs through code it has not executed before, and a master that takes the
// memory about once per microsecond. The cost depends only on virtual time: the final state is the same however the
// host runs the program.
#pragma once

#include <memory>
#include <vector>

#include "core/common/random.hpp"
#include "tests/core/cpu/machine.hpp"
#include "tests/core/cpu/timing/timing_support.hpp"
#include "tests/short_runs.hpp"

namespace planar::cpu_test {

enum class Disturbance { none, short_blocks, flushes, cuts, snapshots };

struct MasterRig {
  using Bytes = std::vector<std::uint8_t>;
  /// The next piece of the program, to be placed at `at`.
  using Piece = Bytes (*)(Random& choice, std::uint32_t at);
  static constexpr std::uint32_t program_at = 0x80000, program_bytes = 0x40000;
  static constexpr Time end = 4_ms;

  static cpu::CpuConfig config(const cpu::TimingConfig& timing) {
    cpu::CpuConfig c = Board::config(timing.model);
    c.timing = timing;
    return c;
  }

  Board b;
  Random random{7};
  Event turn{b.scheduler, "master", Priority::device, Callback::to<&MasterRig::take_memory>(this)};

  MasterRig(const cpu::TimingConfig& timing, Piece piece) : b(config(timing)) {
    b.pins.scheduler = &b.scheduler;
    b.flat({0xBF, 0x00, 0x00, 0x02, 0x00,    // MOV EDI, data
            0x89, 0xFE,                      // MOV ESI, EDI
            0xE9, 0xF4, 0xFF, 0x06, 0x00});  // JMP program
    Random choice{3};
    for (std::uint32_t at = program_at; at < program_at + program_bytes;)
      for (const std::uint8_t byte : piece(choice, at)) b.put8(at++, byte);
    turn.at(1_us);
  }

  /// One turn of the master: it holds the memory for a while and rewrites unchanged bytes, mostly in code that is
  /// executed soon.
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
      const cpu::SnoopHits dirty = b.cpu.snoop({at, 256, true});
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

inline std::vector<std::uint8_t> state_after(const cpu::TimingConfig& model, MasterRig::Piece piece, Disturbance d,
                                             std::uint64_t seed) {
  auto rig = std::make_unique<MasterRig>(model, piece);
  if (d == Disturbance::short_blocks) rig->b.cpu.limit_block_length(static_cast<unsigned>(seed));
  if (d == Disturbance::flushes) rig->b.cpu.flush_blocks_at_random(seed);
  if (d == Disturbance::cuts) rig->b.scheduler.cut_horizons_at_random(seed);
  if (d == Disturbance::snapshots) {
    Random random(seed);
    for (Time t = 100_us; t < MasterRig::end; t += Time{static_cast<std::int64_t>(random.below(200'000'000))}) {
      rig->b.scheduler.run_until(t);
      const auto stream = rig->saved();
      rig = std::make_unique<MasterRig>(model, piece);
      Archive a = Archive::loader(stream);
      rig->archive(a);
    }
  }
  rig->b.scheduler.run_until(MasterRig::end);
  const std::uint32_t eip = rig->b.cpu.registers().eip;
  REQUIRE(eip > MasterRig::program_at + 0x300);
  REQUIRE(eip < MasterRig::program_at + MasterRig::program_bytes);
  return rig->saved();
}

/// Checks that a program made of such pieces ends in the same state however the host runs it.
inline void check_all_ways(const cpu::TimingConfig& model, MasterRig::Piece piece) {
  CAPTURE(static_cast<int>(model.model));
  const auto whole = state_after(model, piece, Disturbance::none, 0);
  for (const unsigned length : {1u, 2u, 3u}) {
    if (test::short_runs() && length != 1) continue;
    CAPTURE(length);
    CHECK((state_after(model, piece, Disturbance::short_blocks, length) == whole));
  }
  for (const std::uint64_t seed : {5u, 77u}) {
    if (test::short_runs() && seed != 5) continue;
    CAPTURE(seed);
    CHECK((state_after(model, piece, Disturbance::flushes, seed) == whole));
  }
  CHECK((state_after(model, piece, Disturbance::cuts, 6) == whole));
  CHECK((state_after(model, piece, Disturbance::snapshots, 7) == whole));
}

}  // namespace planar::cpu_test
