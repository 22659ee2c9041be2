// SPDX-License-Identifier: GPL-2.0-or-later
// Accesses as runs compared with single accesses, in a real-mode program while the card sends and receives: REP INS and
// REP OUTS, words, bytes and doublewords, at an NE/2's data port; REP MOVS between RAM and an SMC 8013's window. Both
// ways must end in the same complete state at the same clock.
#include "core/common/random.hpp"
#include "core/memory/slave.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/devices/medium/wire.hpp"
#include "tests/machines/assembler.hpp"
#include "tests/machines/ps2.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr std::uint32_t access_program_at = 0x1000, window_at = 0xD0000;
constexpr unsigned ne2_port = 0x1000, data_register = ne2_port + 0x10, wd_port = 0x1800, wd_chip = wd_port + 0x10;
constexpr Time duration = 60_ms;

struct Program {
  std::vector<std::uint8_t> code;
  bool words = true;  // the chip's data path
};

void out(Assembler& a, unsigned port, unsigned value) {
  a.word({0xBA}, port)({0xB0, value & 0xFF, 0xEE});  // MOV DX; MOV AL; OUT
}

/// Initialises the DP8390 at `chip` for receive pages from `ring` on, up to `stop`.
void start_chip(Assembler& a, unsigned chip, unsigned configuration, unsigned ring, unsigned stop) {
  out(a, chip + 0, 0x21);
  out(a, chip + 0xE, configuration);
  out(a, chip + 0xC, 0x04);
  out(a, chip + 0xD, 0x00);
  out(a, chip + 1, ring);
  out(a, chip + 3, ring);
  out(a, chip + 2, stop);
  out(a, chip + 0, 0x61);
  out(a, chip + 7, ring + 1);
  out(a, chip + 0, 0x22);
}

/// Now and then a frame is sent during the next transfer, and may overlap it.
void maybe_send(Assembler& a, Random& random, unsigned chip, unsigned first_page, unsigned pages) {
  if (random.below(3) != 0) return;
  const unsigned length = 60 + static_cast<unsigned>(random.below(1400));
  out(a, chip + 4, first_page + static_cast<unsigned>(random.below(pages)));
  out(a, chip + 5, length);
  out(a, chip + 6, length >> 8);
  out(a, chip + 0, 0x26);
}

// ---- the NE/2's data port ----

void remote(Assembler& a, unsigned count, unsigned address, unsigned command) {
  out(a, ne2_port + 0xA, count);
  out(a, ne2_port + 0xB, count >> 8);
  out(a, ne2_port + 8, address);
  out(a, ne2_port + 9, address >> 8);
  out(a, ne2_port + 0, command);
}

// A transfer that need not match the chip's programming: a different width, more or fewer accesses, either direction of
// memory.
void transfer(Assembler& a, Random& random, bool write) {
  const unsigned bytes = 2 + static_cast<unsigned>(random.below(1600));
  const unsigned address = (random.below(4) == 0 ? 0x7A00 : 0x4000) + 2 * static_cast<unsigned>(random.below(0x600));
  const bool odd_width = random.below(6) == 0, down = random.below(10) == 0;
  unsigned count = bytes / 2;
  if (random.below(3) == 0)
    count += static_cast<unsigned>(random.below(20));
  else if (random.below(3) == 0)
    count -= static_cast<unsigned>(random.below(count));
  remote(a, bytes, address, write ? 0x12 : 0x0A);
  a({down ? 0xFDu : 0xFCu});  // STD or CLD
  const auto offset = [&] {   // words at even addresses may wrap around the segment, others would fault there
    if (!odd_width && !down && random.below(4) == 0) return 0xF000 + 2 * static_cast<unsigned>(random.below(0x800));
    return 0x2000 + 2 * static_cast<unsigned>(random.below(0x5000)) + (random.below(8) == 0);
  };
  a.word({0xBE}, offset()).word({0xBF}, offset());  // MOV SI, DI
  a.word({0xB9}, count).word({0xBA}, data_register);
  if (odd_width && random.below(2) == 0) a({0x66});
  a({0xF3, (write ? 0x6Eu : 0x6Cu) + (odd_width && random.below(2) == 0 ? 0u : 1u)});
}

Program string_io(Random& random) {
  Assembler a(access_program_at);
  a({0xFA, 0xB8, 0x00, 0x20, 0x8E, 0xD8, 0x8E, 0xC0});  // CLI; DS = ES = 2000h
  const bool words = random.below(5) != 0;
  start_chip(a, ne2_port, 0x48 | words, 0x4C, 0x80);
  for (int i = 0; i < 40; ++i) {
    maybe_send(a, random, ne2_port, 0x40, 6);
    transfer(a, random, random.below(3) != 0);
  }
  out(a, ne2_port, 0x22);
  remote(a, 400, 0x4000, 0x12);
  a({0xFC}).word({0xBE}, 0).word({0xB9}, 10).word({0xBA}, data_register)({0xF3, 0x6F});
  a.label("end").jump(0xEB, "end");
  return {a.code(), words};
}

// ---- the SMC 8013's window ----

void copy_block(Assembler& a, Random& random) {
  const bool to_window = random.below(3) != 0, down = random.below(10) == 0;
  const unsigned window = 0xD000, ram = 0x2000, bytes = 4u << random.below(9);
  a.word({0xB8}, to_window ? ram : window)({0x8E, 0xD8}).word({0xB8}, to_window ? window : ram)({0x8E, 0xC0});
  const unsigned size = 1u << random.below(3);
  // Anywhere in the window, rarely unaligned; anywhere in RAM, doublewords mostly two bytes off.
  const unsigned there = static_cast<unsigned>(random.below(0x3800)) & ~(random.below(8) ? size - 1 : 0u);
  const unsigned here = 0x1000 + 4 * static_cast<unsigned>(random.below(0x3000)) +
                        (size == 4 && random.below(2) ? 2u
                         : random.below(6)            ? 0u
                                                      : static_cast<unsigned>(random.below(4)));
  a.word({0xBE}, to_window ? here : there).word({0xBF}, to_window ? there : here).word({0xB9}, bytes / size);
  a({down ? 0xFDu : 0xFCu});  // STD or CLD
  if (size == 4) a({0x66});
  a({0xF3, size == 1 ? 0xA4u : 0xA5u});
}

Program copies(Random& random) {
  Assembler a(access_program_at);
  a({0xFA});
  out(a, wd_port, 0x40);  // RAM on
  start_chip(a, wd_chip, 0x49, 0x10, 0x40);
  for (int i = 0; i < 60; ++i) {
    maybe_send(a, random, wd_chip, 0, 8);
    if (random.below(4) == 0) out(a, wd_chip + 3, 0x10 + static_cast<unsigned>(random.below(0x30)));
    copy_block(a, random);
  }
  a.label("end").jump(0xEB, "end");
  return {a.code()};
}

// ---- running them ----

/// A card, the settings of its POS registers, its programs, and the number of accesses that could still be made as a
/// run when they end.
struct Subject {
  const char* card;
  std::vector<std::pair<unsigned, std::uint8_t>> pos;
  Program (*program)(Random& random);
  std::uint32_t (*left)(Machine& machine);
};

std::uint32_t left_at_port(Machine& machine) {
  return machine.io().find(data_register)->slave->port_run(0, 2, Direction::write).count;
}
std::uint32_t left_in_window(Machine& machine) {
  const auto* window = machine.memory().find(window_at);
  REQUIRE(window);
  return window->slave->port_run(0x3F00, 4, Direction::write).count;
}

const Subject port_transfers{"ne2", {{2, 0x01 | 1 << 1 | 2 << 5}}, string_io, left_at_port};
const Subject window_copies{"smc8013", {{3, 0x18}, {2, 0x11}}, copies, left_in_window};

struct End {
  std::string state;
  std::uint64_t clocks;
  std::uint32_t left;
};

End run(const std::string& model, const Subject& subject, const Program& program, bool one_by_one, bool cut) {
  Config config = load_machine(model);
  config.set("slot.1.card", subject.card, "--card");
  Lab lab(std::move(config));
  Machine& machine = lab.machine();
  std::vector<std::uint8_t> rom(0x8000, 0xFF);
  const std::uint8_t jump[] = {0xEA, 0x00, 0x10, 0x00, 0x00};  // JMP 0000:1000
  std::copy(std::begin(jump), std::end(jump), rom.begin() + 0x7FF0);
  machine.load_firmware(rom, "jump.rom");
  machine.memory().master_write(access_program_at, program.code, {});
  Random random(5);
  std::vector<std::uint8_t> data(0x10000);
  for (auto& b : data) b = static_cast<std::uint8_t>(random.next());
  machine.memory().master_write(0x20000, data, {});
  for (const auto& [reg, value] : subject.pos) ps2(machine).adapter_card(1)->pos_write(reg, value, {});
  Recorder other(lab.scheduler(), &lab.medium(), "other", 77);
  for (unsigned i = 0; i < 30; ++i) other.to_send.push_back(make_frame(60 + 40 * i));
  other.port.transmit(make_frame(400), {});
  if (one_by_one) machine.cpu().limit_block_length(1);
  if (cut) lab.scheduler().cut_horizons_at_random(11);
  lab.scheduler().run_until(duration);
  REQUIRE(machine.cpu().registers().eip == access_program_at + program.code.size() - 2);
  return {lab.state_hash(), machine.cpu().clocks(), subject.left(machine)};
}

/// `left`: the number of accesses that should remain for a run at a program's end.
void compare(const Subject& subject, std::uint64_t seed, std::uint32_t (*left)(const Program& program)) {
  Random random(seed);
  for (const char* model : {"model56sx", "model77", "model95"})
    for (int round = 0; round < 6; ++round) {
      const Program program = subject.program(random);
      INFO(model << ", program " << round);
      const End singly = run(model, subject, program, true, false),
                together = run(model, subject, program, false, false);
      CHECK(together.state == singly.state);
      CHECK(together.clocks == singly.clocks);
      CHECK(run(model, subject, program, false, true).state == singly.state);
      CHECK(together.left == left(program));
    }
}

}  // namespace

TEST_CASE("string I/O in runs ends in the same state as by single accesses") {
  // Of 200 words 10 have been transferred, and the last is transferred on its own. With the second seed the last datum
  // of a row of the 56 SX's memory is transferred on its own, and the next row is closed.
  for (const std::uint64_t seed : {20260u, 23760u})
    compare(port_transfers, seed, [](const Program& program) { return program.words ? 189u : 0u; });
}

TEST_CASE("copies to and from shared memory in runs end in the same state as by single accesses") {
  compare(window_copies, 20261, [](const Program&) { return 0x40u; });
}
