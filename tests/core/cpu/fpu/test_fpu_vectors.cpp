// SPDX-License-Identifier: GPL-2.0-or-later
// The x87 compared with stored results, on every host: for each instruction form a digest of the results of 400 random
// states. When the digests of fpu_digests.txt were taken, the emulated x87 equalled a host's x87 for all of those
// states (test_fpu_host.cpp compares with other seeds, case by case); the digests of transcendentals are the
// emulation's own. tests_core "[fpu-digests]" prints a new list.
#include <cstdio>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "test_fpu_support.hpp"

using namespace planar;
using namespace planar::fpu_test;

namespace planar::fpu_test {

std::vector<Instruction> exact_instructions() {
  std::vector<Instruction> v;
  const auto registers = [&](unsigned opcode, std::initializer_list<unsigned> groups) {
    for (unsigned g : groups)
      for (unsigned i = 0; i < 8; ++i)
        v.push_back({static_cast<std::uint8_t>(opcode), static_cast<std::uint8_t>(0xC0 + g * 8 + i)});
  };
  const auto memory = [&](unsigned opcode, std::initializer_list<unsigned> groups) {
    for (unsigned g : groups) v.push_back({static_cast<std::uint8_t>(opcode), static_cast<std::uint8_t>(g * 8)});
  };
  const auto single = [&](unsigned opcode, std::initializer_list<unsigned> modrms) {
    for (unsigned m : modrms) v.push_back({static_cast<std::uint8_t>(opcode), static_cast<std::uint8_t>(m)});
  };
  registers(0xD8, {0, 1, 2, 3, 4, 5, 6, 7});
  registers(0xDC, {0, 1, 2, 3, 4, 5, 6, 7});
  registers(0xDE, {0, 1, 2, 4, 5, 6, 7});
  registers(0xD9, {0, 1, 3});
  registers(0xDD, {0, 1, 2, 3, 4, 5});
  registers(0xDF, {0, 1, 2, 3});
  single(0xD9, {0xD0, 0xE0, 0xE1, 0xE4, 0xE5, 0xE8, 0xE9, 0xEA, 0xEB, 0xEC, 0xED, 0xEE});
  single(0xD9, {0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xFA, 0xFC, 0xFD});
  single(0xDA, {0xE9});
  single(0xDE, {0xD9});
  for (unsigned o : {0xD8u, 0xDAu, 0xDCu, 0xDEu}) memory(o, {0, 1, 2, 3, 4, 5, 6, 7});
  memory(0xD9, {0, 2, 3});
  memory(0xDB, {0, 2, 3, 5, 7});
  memory(0xDD, {0, 2, 3});
  memory(0xDF, {0, 2, 3, 4, 5, 6, 7});
  return v;
}

}  // namespace planar::fpu_test

namespace {

std::vector<Instruction> all_instructions() {
  std::vector<Instruction> v = exact_instructions();
  for (unsigned m : {0xF0u, 0xF1u, 0xF2u, 0xF3u, 0xF9u, 0xFBu, 0xFEu, 0xFFu})
    v.push_back({0xD9, static_cast<std::uint8_t>(m)});
  return v;
}

/// FNV-1a hash of control, status, tags, registers and operand of all cases.
std::uint64_t digest(Guest& guest, Instruction i) {
  Values values(std::uint64_t{i.opcode} << 8 | i.modrm);
  std::uint64_t hash = 0xCBF29CE484222325u;
  const auto add = [&](std::uint8_t b) { hash = (hash ^ b) * 0x100000001B3u; };
  for (unsigned n = 0; n < 400; ++n) {
    Image image = values.state();
    Operand operand = values.operand(i);
    guest.run(i, image, operand);
    for (unsigned at : {0u, 1u, 4u, 5u, 8u, 9u}) add(image.bytes[at]);
    for (unsigned at = 28; at < 108; ++at) add(image.bytes[at]);
    for (auto b : operand) add(b);
  }
  return hash;
}

const char* const digests = PLANAR_SOURCE_DIR "/tests/core/cpu/fpu/fpu_digests.txt";

}  // namespace

TEST_CASE("x87 results are the same on every host", "[cpu][fpu]") {
  std::map<std::string, std::string> stored;
  std::ifstream file(digests);
  REQUIRE(file);
  for (std::string line; std::getline(file, line);)
    if (line.size() == 21) stored[line.substr(0, 4)] = line.substr(5);
  Guest guest;
  for (const Instruction i : all_instructions()) {
    const std::string name = fmt::format("{:02X}{:02X}", i.opcode, i.modrm);
    INFO(name);
    CHECK(stored[name] == fmt::format("{:016X}", digest(guest, i)));
  }
}

TEST_CASE("x87 digests", "[.][fpu-digests]") {
  Guest guest;
  for (const Instruction i : all_instructions())
    std::printf("%02X%02X %016llX\n", i.opcode, i.modrm, static_cast<unsigned long long>(digest(guest, i)));
}
