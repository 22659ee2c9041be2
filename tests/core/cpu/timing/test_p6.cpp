// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's clocks of loops that others have measured on Pentium Pro, II and III: Agner Fog (AF), the authors of GMP,
// Torvalds (linux-kernel, 26 September 2001), lmbench on Coppermine machines. Those of the first table were looked at
// while the model was made, those of the second were not.
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <tuple>
#include <vector>

#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

/// Coppermine at 548 MHz, as the machines of lmbench's figures: 7 clocks from load to datum in the second level.
cpu::CpuConfig coppermine() {
  cpu::CpuConfig c;
  c.model = Model::p6;
  c.clock = ClockDomain(600'000'000);
  c.fpu = true;
  cpu::TimingConfig& t = c.timing;
  t.model = Model::p6;
  t.core_per_bus_num = 6;
  t.dram.width = 8;
  t.dram.read_hit = 11;
  t.dram.read_miss = 14;
  t.dram.burst_step = 1;
  t.dram.line_clocks = 8;
  t.l1 = {.bytes = 16384, .ways = 4, .line = 32, .split = true, .write_back = true};
  t.l2 = {.bytes = 256 * 1024, .ways = 4, .latency = 4, .line_clocks = 2};
  t.write_buffers = 8;
  return c;
}

struct Loop {
  const char* name;
  double expected, bound;  // clocks of a unit; percent
  std::vector<unsigned> setup, body;
  unsigned times, units;  // the body in a pass of the loop; units in that
};

const Loop development_loops[] = {
    // clang-format off
    // add eax, edx
    {"ADD r,r chain", 1.0, 3,
     {},
     {0x01, 0xD0}, 40, 40},
    // imul eax, edx
    {"IMUL r,r chain", 4, 3,
     {},
     {0x0F, 0xAF, 0xC2}, 20, 20},
    // mov eax, 1; mov dl, 1
    // mov ah, 0; div dl
    {"DIV r8 chain", 19, 3,
     {0xB8, 0x01, 0x00, 0x00, 0x00, 0xB2, 0x01},
     {0xB4, 0x00, 0xF6, 0xF2}, 10, 10},
    // mov eax, 1; mov bx, 1
    // mov edx, 0; div bx
    {"DIV r16 chain", 23, 3,
     {0xB8, 0x01, 0x00, 0x00, 0x00, 0x66, 0xBB, 0x01, 0x00},
     {0xBA, 0x00, 0x00, 0x00, 0x00, 0x66, 0xF7, 0xF3}, 10, 10},
    // mov eax, 1; mov ebx, 1
    // mov edx, 0; div ebx
    {"DIV r32 chain", 39, 3,
     {0xB8, 0x01, 0x00, 0x00, 0x00, 0xBB, 0x01, 0x00, 0x00, 0x00},
     {0xBA, 0x00, 0x00, 0x00, 0x00, 0xF7, 0xF3}, 10, 10},
    // mov [esi], esi; mov eax, esi
    // mov eax, [eax]
    {"load chain, first level", 3, 3,
     {0x89, 0x36, 0x89, 0xF0},
     {0x8B, 0x00}, 20, 20},
    // mov [esi], eax; mov eax, [esi]
    {"store and load of the same place", 5, 5,
     {},
     {0x89, 0x06, 0x8B, 0x06}, 8, 8},
    // mov ebp, 0x100
    // mov [edi+esi-0x20000], eax; mov edx, [esp+ebp]
    {"two reads of retired registers a clock", 3, 6,
     {0xBD, 0x00, 0x01, 0x00, 0x00},
     {0x89, 0x84, 0x37, 0x00, 0x00, 0xFE, 0xFF, 0x8B, 0x14, 0x2C}, 8, 8},
    // mov [edi], eax; mov edx, [edi+64]
    {"the same with one", 1, 15,
     {},
     {0x89, 0x07, 0x8B, 0x57, 0x40}, 8, 8},
    // inc ebx; adc eax, edx
    {"INC, then ADC: flags of two writers", 6, 35,
     {},
     {0x43, 0x11, 0xD0}, 8, 8},
    // mov eax, 1
    // mov al, [esi]; mov edx, eax
    {"write of AL, read of EAX", 6, 20,
     {0xB8, 0x01, 0x00, 0x00, 0x00},
     {0x8A, 0x06, 0x89, 0xC2}, 8, 8},
    // xor eax, eax; mov al, [esi]; mov edx, eax
    {"XOR EAX, EAX before it", 1.1, 15,
     {},
     {0x31, 0xC0, 0x8A, 0x06, 0x89, 0xC2}, 8, 8},
    // mov eax, [esi]; shld edx, eax, 3; mov [edi], edx; mov edx, [esi+4]; shld eax, edx, 3; mov [edi+4], eax
    {"shift across limbs (lshift, SHLD)", 5.0, 5,
     {},
     {0x8B, 0x06, 0x0F, 0xA4, 0xC2, 0x03, 0x89, 0x17, 0x8B, 0x56, 0x04, 0x0F, 0xA4, 0xD0, 0x03, 0x89, 0x47, 0x04}, 1, 1},
    // rdtsc
    {"RDTSC to RDTSC", 32, 5,
     {},
     {0x0F, 0x31}, 8, 8},
    // lock add [esi], eax
    {"LOCK ADD", 18, 5,
     {},
     {0xF0, 0x01, 0x06}, 8, 8},
    // push ecx; cpuid; pop ecx
    {"CPUID", 138, 10,
     {},
     {0x51, 0x0F, 0xA2, 0x59}, 1, 1},
    // clang-format on
};

const Loop check_loops[] = {
    // clang-format off
    // mov eax, [esi+0]; adc eax, [ebx+0]; mov [edi+0], eax; mov eax, [esi+4]; adc eax, [ebx+4]; mov [edi+4], eax; mov eax, [esi+8]
    // and so on
    {"add_n with DEC", 25.0, 12,
     {},
     {0x8B, 0x06, 0x13, 0x03, 0x89, 0x07, 0x8B, 0x46, 0x04, 0x13, 0x43, 0x04, 0x89, 0x47, 0x04, 0x8B, 0x46, 0x08, 0x13, 0x43, 0x08, 0x89, 0x47, 0x08, 0x8B, 0x46, 0x0C, 0x13, 0x43, 0x0C, 0x89, 0x47, 0x0C, 0x8B, 0x46, 0x10, 0x13, 0x43, 0x10, 0x89, 0x47, 0x10, 0x8B, 0x46, 0x14, 0x13, 0x43, 0x14, 0x89, 0x47, 0x14, 0x8B, 0x46, 0x18, 0x13, 0x43, 0x18, 0x89, 0x47, 0x18, 0x8B, 0x46, 0x1C, 0x13, 0x43, 0x1C, 0x89, 0x47, 0x1C}, 1, 1},
    // mov eax, [esi]; mov edx, [esi+4]; mov [edi], eax; mov [edi+4], edx
    {"copy by MOV", 3.5, 16,
     {},
     {0x8B, 0x06, 0x8B, 0x56, 0x04, 0x89, 0x07, 0x89, 0x57, 0x04}, 1, 1},
    // mov ebp, 0
    // mov eax, [esi]; mul ebx; add eax, ebp; mov ebp, 0; adc ebp, edx; mov [edi], eax
    {"mul_1", 5.5, 12,
     {0xBD, 0x00, 0x00, 0x00, 0x00},
     {0x8B, 0x06, 0xF7, 0xE3, 0x01, 0xE8, 0xBD, 0x00, 0x00, 0x00, 0x00, 0x11, 0xD5, 0x89, 0x07}, 4, 4},
    // mov ebp, 0
    // mov eax, [esi]; mul ebx; add eax, ebp; adc edx, 0; add [edi], eax; adc edx, 0; mov ebp, edx
    {"addmul_1", 7.5, 12,
     {0xBD, 0x00, 0x00, 0x00, 0x00},
     {0x8B, 0x06, 0xF7, 0xE3, 0x01, 0xE8, 0x83, 0xD2, 0x00, 0x01, 0x07, 0x83, 0xD2, 0x00, 0x89, 0xD5}, 4, 4},
    // clang-format on
};

std::uint64_t clocks_of(const std::vector<unsigned>& code) {
  Board b(coppermine());
  b.flat({0x90});
  for (std::size_t n = 0; n < code.size(); ++n)
    b.put8(code_at + static_cast<std::uint32_t>(n), static_cast<std::uint8_t>(code[n]));
  b.change([](Registers& r) { r.cr0 &= ~0x60000000u; });
  b.run(1000_ms);
  REQUIRE(b.cpu.halted());
  return b.cpu.clocks();
}

std::vector<unsigned> little(std::uint32_t v) { return {v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24}; }
void append(std::vector<unsigned>& code, const std::vector<unsigned>& more) {
  code.insert(code.end(), more.begin(), more.end());
}

/// Clocks of a pass of `body` times `times`: the difference of 512 and 256 passes.
double clocks_of_pass(const std::vector<unsigned>& setup, const std::vector<unsigned>& body, unsigned times) {
  const auto run = [&](std::uint32_t passes) {
    std::vector<unsigned> code{0xBE, 0, 0, 2, 0, 0xBF, 0, 0x80, 2, 0, 0xBB, 0, 0, 3, 0, 0x31, 0xC0, 0x31, 0xD2};
    append(code, setup);
    code.push_back(0xB9);  // mov ecx, passes
    append(code, little(passes));
    while (code.size() % 16 != 0) code.push_back(0x90);
    const std::size_t top = code.size();
    for (unsigned n = 0; n < times; ++n) append(code, body);
    append(code, {0x49, 0x0F, 0x85});  // dec ecx; jnz top
    append(code, little(static_cast<std::uint32_t>(top - (code.size() + 4))));
    code.push_back(0xF4);
    return clocks_of(code);
  };
  return static_cast<double>(run(512) - run(256)) / 256;
}

double mean_error(std::span<const Loop> loops) {
  double sum = 0;
  for (const Loop& l : loops) {
    const double clocks = clocks_of_pass(l.setup, l.body, l.times) / l.units, error = 100 * (clocks / l.expected - 1);
    INFO(fmt::format("{}: {:.2f} clocks, expected {:.2f}: {:+.1f} %", l.name, clocks, l.expected, error));
    CHECK(std::abs(error) <= l.bound);
    sum += std::abs(error);
  }
  return sum / static_cast<double>(loops.size());
}

/// Dependent loads, each of another line, `stride` bytes apart in `bytes`; clocks of one.
double chase(std::uint32_t bytes, std::uint32_t stride) {
  const std::uint32_t base = 0x100000, count = bytes / stride;
  const auto run = [&](std::uint32_t loads) {
    Board b(coppermine());
    b.flat({0xB8, 0, 0, 0x10, 0, 0xB9, 0, 0, 0, 0, 0x8B, 0x00, 0x49, 0x75, 0xFB, 0xF4});  // mov eax,[eax]; dec; jnz
    b.put32(code_at + 6, loads);
    for (std::uint32_t n = 0; n < count; ++n) b.put32(base + n * stride, base + (n + 1) % count * stride);
    b.change([](Registers& r) { r.cr0 &= ~0x60000000u; });
    b.run(1000_ms);
    REQUIRE(b.cpu.halted());
    return b.cpu.clocks();
  };
  return static_cast<double>(run(8 * count) - run(4 * count)) / (4 * count);
}

}  // namespace

TEST_CASE("P6: loops of Agner Fog, GMP and others take the clocks that were measured") {
  CHECK(mean_error(development_loops) <= 12);
  CHECK(mean_error(check_loops) <= 15);
}

TEST_CASE("P6: dependent loads take 3 clocks in the first level, 7 in the second, some 73 from memory") {
  CHECK(chase(8192, 32) == Approx(3).epsilon(0.02));
  CHECK(chase(65536, 32) == Approx(7).epsilon(0.05));
  CHECK(chase(0xC0000, 128) == Approx(73).epsilon(0.05));
}

TEST_CASE("P6: a repeated copy of aligned doublewords takes 0.75 clocks each in the first level, another one two") {
  const auto copy = [](std::uint32_t from, std::uint32_t to) {
    const auto run = [&](std::uint32_t passes) {
      std::vector<unsigned> code{0xFC, 0xBD};
      append(code, little(passes));
      code.push_back(0xBE);
      append(code, little(from));
      code.push_back(0xBF);
      append(code, little(to));
      code.push_back(0xB9);
      append(code, little(1024));
      append(code, {0xF3, 0xA5, 0x4D, 0x75, 0xEC, 0xF4});  // rep movsd; dec ebp; jnz
      return clocks_of(code);
    };
    return static_cast<double>(run(40) - run(20)) / 20 / 1024;
  };
  CHECK(copy(0x20000, 0x22000) == Approx(0.75).epsilon(0.05));
  CHECK(copy(0x20004, 0x22000) == Approx(2).epsilon(0.05));
}

TEST_CASE("P6: any way to run gives the same state at the same clock") {
  const auto run = [](int way) {
    Board b(coppermine());
    // mov ecx,300; top: mov eax,[esi]; add [edi],eax; imul ebx,eax; adc edx,[esi+4]; push eax; call f; pop eax;
    // rep movsb of 40; dec ecx; jnz top; hlt; f: inc ebx; ret
    b.flat({0xB9, 0x2C, 1,    0,    0,    0xBE, 0,    0,    2,    0,    0xBF, 0,    0x80, 2,
            0,    0x8B, 0x06, 0x01, 0x07, 0x0F, 0xAF, 0xD8, 0x13, 0x56, 0x04, 0x50, 0xE8, 0x17,
            0,    0,    0,    0x58, 0x51, 0xB9, 0x28, 0,    0,    0,    0xF3, 0xA4, 0x59, 0x83,
            0xEF, 0x28, 0x83, 0xEE, 0x28, 0x49, 0x75, 0xDD, 0xF4, 0x90, 0x90, 0x90, 0x43, 0xC3});
    b.change([](Registers& r) { r.cr0 &= ~0x60000000u; });
    if (way == 0) {
      while (!b.cpu.halted()) b.cpu.run(b.cpu.time() + 1_ms);
    } else if (way == 1) {
      b.run(1000_ms);
    } else {
      for (int n = 1; !b.cpu.halted(); n = n % 97 + 1) {
        b.cpu.run(b.cpu.time() + Time{n * 1700});
        if (way == 3 && n % 10 == 0) {
          Archive saved = Archive::saver();
          b.cpu.archive(saved);
          Archive loaded = Archive::loader(saved.stream());
          b.cpu.archive(loaded);
        }
      }
    }
    return std::tuple{b.cpu.instructions(), b.reg(EBX), b.cpu.clocks() - b.cpu.halted_clocks()};
  };
  const auto whole = run(0);
  for (int way = 1; way < 4; ++way) {
    INFO("way " << way);
    const auto other = run(way);
    CHECK(std::get<0>(other) == std::get<0>(whole));
    CHECK(std::get<1>(other) == std::get<1>(whole));
    CHECK(std::get<2>(other) == std::get<2>(whole));
  }
}
