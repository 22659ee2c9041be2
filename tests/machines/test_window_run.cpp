// SPDX-License-Identifier: GPL-2.0-or-later
// REP MOVS to and from shared memory as runs compared with single accesses: a real-mode program copies bytes, words and
// doublewords between RAM and an SMC 8013's window while the card sends and receives. Both must end in the same
// complete state at the same clock.
#include "core/common/random.hpp"
#include "core/memory/slave.hpp"
#include "machines/lab.hpp"
#include "machines/machine_files.hpp"
#include "tests/devices/medium/wire.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr std::uint32_t copy_program_at = 0x1000, window_at = 0xD0000;
constexpr unsigned board_port = 0x1800, chip_port = board_port + 0x10;
constexpr Time copying_time = 60_ms;

void write_port(Assembler& a, unsigned port, unsigned value) {
  a.word({0xBA}, port)({0xB0, value & 0xFF, 0xEE});  // MOV DX; MOV AL; OUT
}
void chip(Assembler& a, unsigned reg, unsigned value) { write_port(a, chip_port + reg, value); }

void copy(Assembler& a, Random& random) {
  const bool to_window = random.below(3) != 0, down = random.below(10) == 0;
  const unsigned window = 0xD000, ram = 0x2000, bytes = 4u << random.below(9);
  a.word({0xB8}, to_window ? ram : window)({0x8E, 0xD8}).word({0xB8}, to_window ? window : ram)({0x8E, 0xC0});
  const unsigned size = 1u << random.below(3);
  // In the window anywhere, rarely across its operands; in RAM anywhere, doublewords mostly two bytes off.
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

std::vector<std::uint8_t> copies(Random& random) {
  Assembler a(copy_program_at);
  a({0xFA});
  write_port(a, board_port, 0x40);  // RAM on
  chip(a, 0, 0x21);
  chip(a, 0xE, 0x49);
  chip(a, 0xC, 0x04);
  chip(a, 0xD, 0x00);
  chip(a, 1, 0x10);
  chip(a, 3, 0x10);
  chip(a, 2, 0x40);
  chip(a, 0, 0x61);
  chip(a, 7, 0x11);
  chip(a, 0, 0x22);
  for (int i = 0; i < 60; ++i) {
    if (random.below(3) == 0) {  // a frame is sent while the next copy runs, and may overlap it
      const unsigned length = 60 + static_cast<unsigned>(random.below(1400));
      chip(a, 4, static_cast<unsigned>(random.below(8)));
      chip(a, 5, length);
      chip(a, 6, length >> 8);
      chip(a, 0, 0x26);
    }
    if (random.below(4) == 0) chip(a, 3, 0x10 + static_cast<unsigned>(random.below(0x30)));
    copy(a, random);
  }
  a.label("end").jump(0xEB, "end");
  return a.code();
}

struct Copied {
  std::string state;
  std::uint64_t clocks;
  std::uint32_t ready;  // doublewords that could be copied as a run
};

Copied run_copies(const std::string& model, const std::vector<std::uint8_t>& code, bool one_by_one, bool cut) {
  Config config = load_machine(model);
  config.set("slot.1.card", "smc8013", "--card smc8013");
  Lab lab(std::move(config));
  Machine& machine = lab.machine();
  std::vector<std::uint8_t> rom(0x8000, 0xFF);
  const std::uint8_t jump[] = {0xEA, 0x00, 0x10, 0x00, 0x00};  // JMP 0000:1000
  std::copy(std::begin(jump), std::end(jump), rom.begin() + 0x7FF0);
  machine.load_firmware(rom, "jump.rom");
  machine.memory().master_write(copy_program_at, code, {});
  Random random(6);
  std::vector<std::uint8_t> data(0x10000);
  for (auto& b : data) b = static_cast<std::uint8_t>(random.next());
  machine.memory().master_write(0x20000, data, {});
  machine.card(1)->pos_write(3, 0x18, {});
  machine.card(1)->pos_write(2, 0x11, {});
  Recorder other(lab.scheduler(), &lab.medium(), "other", 77);
  for (unsigned i = 0; i < 30; ++i) other.to_send.push_back(make_frame(60 + 40 * i));
  other.port.transmit(make_frame(400), {});
  if (one_by_one) machine.cpu().limit_block_length(1);
  if (cut) lab.scheduler().cut_horizons_at_random(12);
  lab.scheduler().run_until(copying_time);
  REQUIRE(machine.cpu().registers().eip == copy_program_at + code.size() - 2);
  const auto* window = machine.memory().find(window_at);
  REQUIRE(window);
  return {lab.state_hash(), machine.cpu().clocks(), window->slave->port_run(0x3F00, 4, Direction::write).count};
}

}  // namespace

TEST_CASE("copies to and from shared memory as runs end in the same state as by single accesses") {
  Random random(20261);
  for (const char* model : {"model56sx", "model77", "model95"})
    for (int round = 0; round < 6; ++round) {
      const auto code = copies(random);
      INFO(model << ", program " << round);
      const Copied singly = run_copies(model, code, true, false), together = run_copies(model, code, false, false);
      CHECK(together.state == singly.state);
      CHECK(together.clocks == singly.clocks);
      CHECK(run_copies(model, code, false, true).state == singly.state);
      CHECK(together.ready == 0x40);
    }
}
