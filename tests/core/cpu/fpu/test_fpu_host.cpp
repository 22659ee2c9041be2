// SPDX-License-Identifier: GPL-2.0-or-later
// The emulated x87 compared with the host's own: state, operand, result, status word and tags, bit for bit. These tests
// are built on x86 hosts only; elsewhere test_fpu_vectors.cpp checks stored results instead.
#include "test_fpu_support.hpp"

#include <cstdio>
#include <functional>

#include <fmt/format.h>
#include <utility>

#include "tests/short_runs.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

using namespace planar;
using namespace planar::fpu_test;

namespace {

template <unsigned O, unsigned M>
void on_host(Image& image, Operand& operand) {
  if constexpr (M >= 0xC0) {
    asm volatile("frstor %0\n\t.byte %c1, %c2\n\tfnsave %0" : "+m"(image.bytes) : "i"(O), "i"(M) : "rax", "memory");
  } else {
    asm volatile("frstor %0\n\t.byte %c2, %c3\n\tfnsave %0"  // ModRM: [rax]
                 : "+m"(image.bytes), "+m"(operand)
                 : "i"(O), "i"(M & 0x38), "a"(operand.data())
                 : "memory");
  }
}

using Run = void (*)(Image&, Operand&);

template <unsigned O, std::size_t... M>
constexpr std::array<Run, 72> runs(std::index_sequence<M...>) {
  return {on_host < O, M < 8 ? M * 8 : 0xC0 + M - 8 > ...};
}

Run host(Instruction i) {
  using All = std::make_index_sequence<72>;
  static constexpr std::array<std::array<Run, 72>, 8> table = {runs<0xD8>(All{}), runs<0xD9>(All{}), runs<0xDA>(All{}),
                                                               runs<0xDB>(All{}), runs<0xDC>(All{}), runs<0xDD>(All{}),
                                                               runs<0xDE>(All{}), runs<0xDF>(All{})};
  return table[i.opcode & 7][i.memory() ? i.reg() : i.modrm - 0xC0 + 8u];
}

/// C1 of FFREE, FFREEP and of FLD ST(i) with two stack faults at once is undefined: manufacturers differ.
std::uint16_t defined_status(Instruction i) {
  const bool free = (i.opcode == 0xDD || i.opcode == 0xDF) && i.modrm >= 0xC0 && i.modrm < 0xC8;
  const bool load = i.opcode == 0xD9 && i.modrm >= 0xC0 && i.modrm < 0xC8;
  return free || load ? 0xFDFF : 0xFFFF;
}

/// Compares control, status, tags and registers; not the pointers, which some hosts keep only after an exception.
bool same(Instruction i, const Image& a, const Image& b) {
  const std::uint16_t mask = defined_status(i);
  return a.control() == b.control() && (a.status() & mask) == (b.status() & mask) && a.tags() == b.tags() &&
         std::memcmp(&a.bytes[28], &b.bytes[28], 80) == 0;
}

std::string hex(const Image& s) {
  char text[200];
  int n = std::snprintf(text, sizeof text, "CW %04X SW %04X TW %04X ", s.control(), s.status(), s.tags());
  std::string r(text, static_cast<std::size_t>(n));
  for (unsigned i = 0; i < 8; ++i) {
    n = std::snprintf(text, sizeof text, " %04X:%016llX", s.st(i).exponent,
                      static_cast<unsigned long long>(s.st(i).mantissa));
    r.append(text, static_cast<std::size_t>(n));
  }
  return r;
}

std::string hex(const Operand& operand) {
  std::string r;
  for (auto b : operand) r += fmt::format("{:02X}", b);
  return r;
}

/// FPREM and FPREM1 of a denormal by an infinity with underflow unmasked: Intel's processors leave the operand
/// unchanged, AMD's deliver the biased result with #U (float80_scale.cpp says which one is emulated; a test below
/// checks that).
bool differs_by_maker(Instruction i, const Image& before) {
  const bool remainder = i.opcode == 0xD9 && (i.modrm == 0xF5 || i.modrm == 0xF8);
  const Float80 dividend = before.st(0), divisor = before.st(1);
  return remainder && !(before.control() & cpu::float_underflow) && dividend.biased() == 0 && dividend.mantissa != 0 &&
         !(dividend.mantissa >> 63) && cpu::classify(divisor) == cpu::FloatClass::infinity;
}

/// Runs `cases` states through an instruction on both; returns mismatches and prints the first ones. `masked` counts
/// those that are not compared.
unsigned compare(Guest& guest, Values& values, Instruction i, unsigned cases, unsigned& masked) {
  unsigned wrong = 0;
  for (unsigned n = 0; n < cases; ++n) {
    const Image before = values.state();
    const Operand operand = values.operand(i);
    if (differs_by_maker(i, before)) {
      ++masked;
      continue;
    }
    Image ours = before, theirs = before;
    Operand our_operand = operand, their_operand = operand;
    guest.run(i, ours, our_operand);
    host(i)(theirs, their_operand);
    if (same(i, ours, theirs) && our_operand == their_operand) continue;
    if (++wrong <= 2) {
      UNSCOPED_INFO(fmt::format("{:02X} {:02X}\n  in   {} {}\n  host {} {}\n  ours {} {}", i.opcode, i.modrm,
                                hex(before), hex(operand), hex(theirs), hex(their_operand), hex(ours),
                                hex(our_operand)));
    }
  }
  return wrong;
}

/// Distance of two results in units in the last place; a very large number if they are of different kinds.
std::uint64_t distance(const Float80& a, const Float80& b) {
  if (a == b) return 0;
  const auto ka = cpu::classify(a), kb = cpu::classify(b);
  const auto number = [](cpu::FloatClass k) { return k <= cpu::FloatClass::normal; };
  if (!number(ka) || !number(kb) || a.sign() != b.sign()) return ~std::uint64_t{0};
  const auto ordinal = [](const Float80& v) {
    return cpu::UInt128{static_cast<unsigned>(v.biased())} << 63 | (v.mantissa & ~(std::uint64_t{1} << 63));
  };
  const cpu::UInt128 x = ordinal(a), y = ordinal(b);
  const cpu::UInt128 d = x > y ? x - y : y - x;
  return d > 1000000 ? 1000000 : static_cast<std::uint64_t>(d);
}

struct Tally {
  unsigned cases = 0, equal = 0, status = 0;
  std::uint64_t worst = 0;
};

/// States whose ST(0) and ST(1) are set by `fill`.
template <class F>
Tally transcendental(Guest& guest, Values& values, Instruction i, unsigned cases, F&& fill) {
  Tally t;
  unsigned shown = 0;
  for (unsigned n = 0; n < cases; ++n) {
    Image before = values.state();
    before.set(static_cast<std::uint16_t>(0x037F | values.below(4) << 10), 0x3000, 0x0F00);  // six in use
    Float80 x = before.st(0), y = before.st(1);
    fill(x, y);
    before.set_st(0, x);
    before.set_st(1, y);
    Image ours = before, theirs = before;
    Operand none{};
    guest.run(i, ours, none);
    host(i)(theirs, none);
    ++t.cases;
    std::uint64_t worst = 0;
    for (unsigned k = 0; k < 2; ++k) worst = std::max(worst, distance(ours.st(k), theirs.st(k)));
    t.equal += worst == 0;
    const bool differs = (ours.status() & ~0x0200) != (theirs.status() & ~0x0200);
    t.status += differs;
    if ((worst > 1 || differs) && ++shown <= 3)
      UNSCOPED_INFO(fmt::format("{:02X} {:02X}\n  in   {}\n  host {}\n  ours {}", i.opcode, i.modrm, hex(before),
                                hex(theirs), hex(ours)));
    t.worst = std::max(t.worst, worst);
  }
  return t;
}

}  // namespace

TEST_CASE("All but the transcendental instructions equal the host's x87 bit for bit", "[cpu][fpu][host]") {
  Guest guest;
  Values values(0x8087);
  const unsigned part = test::short_runs() ? 10 : 1;
  unsigned total = 0, masked = 0;
  for (const Instruction i : exact_instructions()) {
    const bool one_of_eight = !i.memory() && i.opcode != 0xD9;
    const unsigned cases = (one_of_eight ? 2500 : 8000) / part;
    unsigned wrong = compare(guest, values, i, cases, masked);
    Values stored(std::uint64_t{i.opcode} << 8 | i.modrm);  // the states used by test_fpu_vectors.cpp
    wrong += compare(guest, stored, i, 400, masked);
    total += cases + 400;
    INFO(fmt::format("{:02X} {:02X}", i.opcode, i.modrm));
    CHECK(wrong == 0);
  }
  total -= masked;
  std::printf("x87 %u cases equal to the host's bit for bit, %u not compared: makers differ\n", total, masked);
  CHECK(total >= 1'000'000 / part);
  CHECK(masked < 20);
}

TEST_CASE("Transcendental results are within one unit in the last place of the host's", "[cpu][fpu][host]") {
  Guest guest;
  Values values(0x80387);
  const auto exponent = [&](int low, int high) {
    return values.with_exponent(16383 + low + static_cast<int>(values.below(static_cast<unsigned>(high - low + 1))));
  };
  const auto positive = [&](int low, int high) {
    const Float80 v = exponent(low, high);
    return cpu::negated(v, v.sign());
  };
  // clang-format off
  struct Row { const char* name; Instruction instruction; std::function<void(Float80&, Float80&)> fill; };
  const Row rows[] = {
      {"F2XM1", {0xD9, 0xF0}, [&](Float80& x, Float80&) { x = exponent(-70, -1); }},
      {"FYL2X", {0xD9, 0xF1}, [&](Float80& x, Float80& y) { x = positive(-200, 200); y = exponent(-60, 60); }},
      {"FYL2X near 1", {0xD9, 0xF1}, [&](Float80& x, Float80& y) { x = positive(-1, 0); y = exponent(-2, 2); }},
      {"FYL2XP1", {0xD9, 0xF9}, [&](Float80& x, Float80& y) { x = exponent(-70, -3); y = exponent(-60, 60); }},
      {"FPATAN", {0xD9, 0xF3}, [&](Float80& x, Float80& y) { x = exponent(-40, 40); y = exponent(-40, 40); }},
      {"FPATAN, far apart", {0xD9, 0xF3},
       [&](Float80& x, Float80& y) { x = exponent(-400, 400); y = exponent(-400, 400); }},
      // clang-format on
      {"FPTAN", {0xD9, 0xF2}, [&](Float80& x, Float80&) { x = exponent(-70, 5); }},
      {"FSIN", {0xD9, 0xFE}, [&](Float80& x, Float80&) { x = exponent(-70, 5); }},
      {"FCOS", {0xD9, 0xFF}, [&](Float80& x, Float80&) { x = exponent(-70, 5); }},
      {"FSINCOS", {0xD9, 0xFB}, [&](Float80& x, Float80&) { x = exponent(-70, 62); }},
      {"FSIN, large", {0xD9, 0xFE}, [&](Float80& x, Float80&) { x = exponent(6, 62); }},
      {"FCOS, large", {0xD9, 0xFF}, [&](Float80& x, Float80&) { x = exponent(6, 62); }},
      {"FPTAN, large", {0xD9, 0xF2}, [&](Float80& x, Float80&) { x = exponent(6, 62); }},
  };
  for (const Row& row : rows) {
    const Tally t = transcendental(guest, values, row.instruction, test::short_runs() ? 2000 : 20000, row.fill);
    std::printf("x87 %-18s %u of %u equal the host's, at most %llu ulp apart, %u status words differ\n", row.name,
                t.equal, t.cases, static_cast<unsigned long long>(t.worst), t.status);
    INFO(row.name);
    CHECK((t.worst <= 1 && t.status == 0));
  }
}

#endif
