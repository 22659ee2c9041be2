// SPDX-License-Identifier: GPL-2.0-or-later
// Memory types in the P6's timing: the cost of loads and stores where the MTRRs do not select write-back. The bus times
// are those of the configuration: 4 bus clocks for a write of up to eight bytes and 3 more for a line, 11 to the first
// datum of a read; a bus clock is six processor clocks. Intel, Software Developer's Manual volume 3 (243192), 9.3.
#include <cstdint>
#include <vector>

#include "core/cpu/x86/memory_type.hpp"
#include "tests/core/cpu/machine.hpp"
#include "tests/core/cpu/timing/p6_support.hpp"

using namespace planar;
using namespace planar::cpu_test;
using cpu::MemoryType;

namespace {

constexpr std::uint32_t place = 0x40000;  // 64 KB of the type under test

void wrmsr(std::vector<unsigned>& code, std::uint32_t number, std::uint64_t v) {
  append(code, {0xB9});  // mov ecx, number; mov eax, ...; mov edx, ...; wrmsr
  append(code, little(number));
  append(code, {0xB8});
  append(code, little(static_cast<std::uint32_t>(v)));
  append(code, {0xBA});
  append(code, little(static_cast<std::uint32_t>(v >> 32)));
  append(code, {0x0F, 0x30});
}

/// All memory is write-back except `place`, which is of `type`; then ESI points there and EDI to other memory.
std::vector<unsigned> typed(MemoryType type) {
  std::vector<unsigned> code;
  wrmsr(code, 0x200, place | static_cast<unsigned>(type));
  wrmsr(code, 0x201, 0xFFFFF0800);
  wrmsr(code, 0x2FF, 0x806);
  append(code, {0xBE});
  append(code, little(place));
  append(code, {0xBF});
  append(code, little(place + 0x10000));
  return code;
}

/// Clocks per pass of `body`, which advances ESI by `step` bytes: the difference between 512 and 256 passes.
double clocks_of_pass(MemoryType type, const std::vector<unsigned>& body, unsigned step) {
  const auto run = [&](std::uint32_t passes) {
    std::vector<unsigned> code = typed(type);
    append(code, {0xB9});
    append(code, little(passes));
    while (code.size() % 16 != 0) code.push_back(0x90);
    const std::size_t top = code.size();
    append(code, body);
    append(code, {0x83, 0xC6, step, 0x49, 0x0F, 0x85});  // add esi, step; dec ecx; jnz top
    append(code, little(static_cast<std::uint32_t>(top - (code.size() + 4))));
    append(code, {0x0F, 0xA2, 0xF4});  // cpuid; hlt
    return clocks_of(code);
  };
  return static_cast<double>(run(512) - run(256)) / 256;
}

/// mov [esi], eax; mov [esi+4], eax; and so on: `bytes` in total.
std::vector<unsigned> stores(unsigned bytes) {
  std::vector<unsigned> code;
  for (unsigned n = 0; n < bytes; n += 4) append(code, {0x89, 0x46, n});
  return code;
}
const std::vector<unsigned> loads{0x8B, 0x46, 0, 0x8B, 0x56, 4, 0x8B, 0x46, 8, 0x8B, 0x56, 12};  // into EAX and EDX

constexpr double bus_clock = 6;  // processor clocks

}  // namespace

TEST_CASE("P6: stores to write-combining memory are written as lines, to uncacheable memory one by one", "[cpu][p6]") {
  const double uncacheable = clocks_of_pass(MemoryType::uncacheable, stores(32), 32),
               combining = clocks_of_pass(MemoryType::write_combining, stores(32), 32);
  CHECK(uncacheable == Approx(8 * 4 * bus_clock).epsilon(0.02));
  CHECK(combining == Approx((4 + 3) * bus_clock).epsilon(0.02));
  // A partly filled line buffer is written in quadwords when a store to another line needs the buffer.
  CHECK(clocks_of_pass(MemoryType::write_combining, stores(16), 32) == Approx(2 * 4 * bus_clock).epsilon(0.02));
  // REP STOSD combines as well: mov edi, esi; push ecx; mov ecx, 8; mov edx, ecx; rep stosd; pop ecx
  const std::vector<unsigned> repeated{0x89, 0xF7, 0x51, 0xB9, 8, 0, 0, 0, 0xF3, 0xAB, 0x59};
  CHECK(clocks_of_pass(MemoryType::write_combining, repeated, 32) < 1.2 * combining);
  CHECK(clocks_of_pass(MemoryType::uncacheable, repeated, 32) > 0.9 * uncacheable);
}

TEST_CASE("P6: an uncacheable load waits for all earlier instructions; write-combining memory is not cached either",
          "[cpu][p6]") {
  const double uncacheable = clocks_of_pass(MemoryType::uncacheable, loads, 0),
               combining = clocks_of_pass(MemoryType::write_combining, loads, 0);
  CHECK(uncacheable >= 4 * 11 * bus_clock);
  CHECK(uncacheable < 4 * 13 * bus_clock);
  CHECK(combining >= 4 * 11 * bus_clock);
  CHECK(combining <= uncacheable);
  CHECK(clocks_of_pass(MemoryType::write_through, loads, 0) < 8);
  CHECK(clocks_of_pass(MemoryType::write_back, loads, 0) < 8);
  // A division that needs the load before it: a cached load runs in parallel with the previous division, an uncacheable
  // one after it. lea ebx,[ebp+1]; mov eax,1; xor edx,edx; div ebx; mov ebp,[esi]
  const std::vector<unsigned> beside{0x8D, 0x5D, 1, 0xB8, 1, 0, 0, 0, 0x31, 0xD2, 0xF7, 0xF3, 0x8B, 0x2E};
  CHECK(clocks_of_pass(MemoryType::write_back, beside, 0) < 45);
  CHECK(clocks_of_pass(MemoryType::uncacheable, beside, 0) > 39 + 11 * bus_clock);
}

TEST_CASE("P6: PREFETCHh of memory that is not cached has no effect", "[cpu][p6]") {
  const std::vector<unsigned> hint{0x0F, 0x18, 0x4E, 0};  // prefetcht0 [esi]
  for (const MemoryType type : {MemoryType::uncacheable, MemoryType::write_combining})
    CHECK(clocks_of_pass(type, hint, 32) < 4);
  // From memory, as fast as the bus delivers lines.
  CHECK(clocks_of_pass(MemoryType::write_back, hint, 32) == Approx(8 * bus_clock).epsilon(0.05));
}

TEST_CASE("P6: a store to write-through memory goes to the bus and keeps the line, to write-protected memory drops it",
          "[cpu][p6]") {
  // mov [esi], eax; mov edx, [esi+8]
  const std::vector<unsigned> store_and_load{0x89, 0x06, 0x8B, 0x56, 8};
  CHECK(clocks_of_pass(MemoryType::write_back, store_and_load, 0) < 4);
  CHECK(clocks_of_pass(MemoryType::write_through, store_and_load, 0) == Approx(4 * bus_clock).epsilon(0.05));
  CHECK(clocks_of_pass(MemoryType::write_protected, store_and_load, 0) > (4 + 8) * bus_clock);
  // A store that misses does not allocate a line.
  CHECK(clocks_of_pass(MemoryType::write_through, stores(4), 32) == Approx(4 * bus_clock).epsilon(0.05));
}

TEST_CASE("P6: write-combining buffers are flushed before IN, CPUID and locked instructions", "[cpu][p6]") {
  const double alone = clocks_of_pass(MemoryType::write_back, {0xF0, 0x01, 0x07}, 0);  // lock add [edi], eax
  std::vector<unsigned> after_store{0x89, 0x06, 0xF0, 0x01, 0x07};
  CHECK(clocks_of_pass(MemoryType::write_combining, after_store, 0) >= alone + 3 * bus_clock);
  const double cpuid = clocks_of_pass(MemoryType::write_back, {0x51, 0x0F, 0xA2, 0x59}, 0);
  CHECK(clocks_of_pass(MemoryType::write_combining, {0x51, 0x89, 0x06, 0x0F, 0xA2, 0x59}, 0) >= cpuid + 3 * bus_clock);
}

TEST_CASE("P6: a snapshot in the middle of a combined line does not affect the run", "[cpu][p6]") {
  const auto clocks = [](bool cut) {
    std::vector<unsigned> code = typed(MemoryType::write_combining);
    append(code, {0x89, 0x06, 0x89, 0x46, 4, 0x90, 0x89, 0x46, 8, 0x0F, 0xA2, 0xF4});
    Board b(coppermine());
    load_code(b, code);
    for (int n = 0; !b.cpu.halted(); ++n) {
      b.step();
      if (!cut) continue;
      Archive saved = Archive::saver();
      b.cpu.archive(saved);
      Archive loaded = Archive::loader(saved.stream());
      b.cpu.archive(loaded);
    }
    return b.cpu.clocks();
  };
  CHECK(clocks(true) == clocks(false));
}
