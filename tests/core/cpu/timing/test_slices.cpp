// SPDX-License-Identifier: GPL-2.0-or-later
// The way in which a processor's run is sliced must not affect the guest's state or clock.
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

/// A loop of loads, stores, read-modify-writes, stack accesses and branches in both directions, with several lines of
/// code and more data than L1 holds, run to its HLT and on to 4 ms, `slice` clocks at a time (0: in one go).
std::vector<std::uint8_t> state_after(Model model, std::int64_t slice, unsigned block_length) {
  Board b(model);
  b.flat({0xB9, 0x2C, 0x01, 0x00, 0x00,  // MOV ECX, 300
          0xBE, 0x00, 0x00, 0x02, 0x00,  // MOV ESI, data
          0x8B, 0x06, 0x01, 0xC8,        // again: MOV EAX, [ESI]; ADD EAX, ECX
          0x89, 0x46, 0x04,              // MOV [ESI+4], EAX
          0x8D, 0x54, 0x40, 0x07,        // LEA EDX, [EAX+EAX*2+7]
          0x31, 0x56, 0x08, 0x50,        // XOR [ESI+8], EDX; PUSH EAX
          0xFF, 0x04, 0x8E, 0x5B,        // INC DWORD [ESI+ECX*4]; POP EBX
          0xC1, 0xEB, 0x03,              // SHR EBX, 3
          0x0F, 0xB6, 0x7E, 0x01,        // MOVZX EDI, BYTE [ESI+1]
          0x39, 0xD3, 0x72, 0x03,        // CMP EBX, EDX; JB on
          0x83, 0xC6, 0x34,              // ADD ESI, 52
          0x83, 0xC6, 0x14, 0x49,        // on: ADD ESI, 20; DEC ECX
          0x75, 0xD9, 0xF4});            // JNZ again; HLT
  for (std::uint32_t i = 0; i < 0x4000; ++i) b.put8(data_at + i, static_cast<std::uint8_t>(i * 73 >> 3));
  if (block_length != 0) b.cpu.limit_block_length(block_length);
  const Time end = 4_ms;
  const ClockDomain clock = b.cpu.config().clock;
  if (slice == 0) b.cpu.run(end);
  while (b.cpu.time() < end) b.cpu.run(std::min(end, b.cpu.time() + clock.at(static_cast<std::uint64_t>(slice))));
  REQUIRE(b.cpu.halted());
  Archive a = Archive::saver();
  b.cpu.archive(a);
  std::vector<std::uint8_t> state = a.stream();
  state.insert(state.end(), b.ram.begin(), b.ram.end());
  return state;
}

}  // namespace

TEST_CASE("The guest's state and clock do not depend on how a run is sliced", "[cpu][determinism]") {
  const Model model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium);
  const auto whole = state_after(model, 0, 0);
  for (const std::int64_t slice : {1, 2, 3, 5, 8, 13, 40, 150, 1000}) {
    INFO("slices of " << slice << " clocks");
    CHECK((state_after(model, slice, 0) == whole));
  }
  for (const unsigned length : {1u, 2u, 7u}) {
    INFO("blocks of " << length << " instructions");
    CHECK((state_after(model, 0, length) == whole));
    CHECK((state_after(model, 13, length) == whole));
  }
}
