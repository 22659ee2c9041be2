// SPDX-License-Identifier: GPL-2.0-or-later
// Another master takes the memory and writes to it while the processor runs code that it still has to fetch: the cost
// depends only on virtual time.
#include "tests/core/cpu/timing/master_rig.hpp"

using namespace planar;
using namespace planar::cpu;
using namespace planar::cpu_test;
using namespace planar::cpu::timing_test;

namespace {

/// Straight-line code: registers, loads, stores, the stack, short branches; now and then a port.
MasterRig::Bytes new_code(Random& choice, std::uint32_t) {
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
  const auto n = choice.below(64);
  if (n == 62)  // LEA ESI, [EDI+disp32]
    return {0x8D, 0xB7, static_cast<std::uint8_t>(choice.below(16) << 4), static_cast<std::uint8_t>(choice.below(64)),
            0,    0};
  if (n == 63 && choice.below(4) == 0) return {0xE6, 0x80};  // OUT 80h, AL
  return pieces[n % pieces.size()];
}

}  // namespace

TEST_CASE("the cost of another master's turn does not depend on the host's blocks and caches", "[cpu][determinism]") {
  const TimingConfig model = GENERATE(sx_config(), i486_config(), pentium_config(), pc_config());
  check_all_ways(model, new_code);
}

TEST_CASE("A code line fetch in progress is completed before another master's use of the memory", "[cpu][timing]") {
  const auto config = GENERATE(i486_config(), pentium_config());
  const auto next_line_after = [&](unsigned stolen) {
    Runner r(without_refresh(config));
    r.issue(plain(0x90, 1));  // the next line is prefetched
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

TEST_CASE("a line being fetched is not visible to a disabled cache or to INVD", "[cpu][timing]") {
  const auto config = GENERATE(i486_config(), pentium_config());
  for (const bool told : {false, true}) {
    Runner r(without_refresh(config));
    r.issue(plain(0x90, 1));
    r.timing.jump_to(r.timing.clocks() + 200);
    if (told) r.timing.cycle_start(false);  // any use of the bus completes the fetch of the line
    r.timing.set_cache_enabled(false);
    r.eip = (r.eip & ~31u) + config.l1.line;
    r.lap();
    r.issue(plain(0x90, 1));
    CHECK(r.lap() <= 1);
  }
}
