// SPDX-License-Identifier: GPL-2.0-or-later
// REP INS and REP OUTS as runs compared with single accesses: a real-mode program moves words, bytes and doublewords to
// and from an NE/2's data port while the card sends and receives. Both must end in the same complete state at the same
// clock.
#include "core/common/random.hpp"
#include "machines/lab.hpp"
#include "machines/machine_files.hpp"
#include "tests/devices/medium/wire.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr std::uint32_t port_program_at = 0x1000;
constexpr unsigned first_port = 0x1000, data_register = first_port + 0x10;
constexpr Time duration = 60_ms;

void out(Assembler& a, unsigned reg, unsigned value) {
  a.word({0xBA}, first_port + reg)({0xB0, value & 0xFF, 0xEE});
}  // MOV DX; MOV AL; OUT

void remote(Assembler& a, unsigned count, unsigned address, unsigned command) {
  out(a, 0xA, count);
  out(a, 0xB, count >> 8);
  out(a, 8, address);
  out(a, 9, address >> 8);
  out(a, 0, command);
}

// A transfer that need not match the chip's programming: another width, more or fewer accesses, either direction of
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

struct Program {
  std::vector<std::uint8_t> code;
  bool words;  // the chip's data path
};

Program program(Random& random) {
  Assembler a(port_program_at);
  a({0xFA, 0xB8, 0x00, 0x20, 0x8E, 0xD8, 0x8E, 0xC0});  // CLI; DS = ES = 2000h
  const bool words = random.below(5) != 0;
  out(a, 0, 0x21);
  out(a, 0xE, 0x48 | words);
  out(a, 0xC, 0x04);
  out(a, 0xD, 0x00);
  out(a, 1, 0x4C);
  out(a, 3, 0x4C);
  out(a, 2, 0x80);
  out(a, 0, 0x61);
  out(a, 7, 0x4D);
  out(a, 0, 0x22);
  for (int i = 0; i < 40; ++i) {
    if (random.below(3) == 0) {  // a frame is sent while the next transfer runs, and may overlap it
      const unsigned length = 60 + static_cast<unsigned>(random.below(1400));
      out(a, 4, 0x40 + static_cast<unsigned>(random.below(6)));
      out(a, 5, length);
      out(a, 6, length >> 8);
      out(a, 0, 0x26);
    }
    transfer(a, random, random.below(3) != 0);
  }
  out(a, 0, 0x22);
  remote(a, 400, 0x4000, 0x12);
  a({0xFC}).word({0xBE}, 0).word({0xB9}, 10).word({0xBA}, data_register)({0xF3, 0x6F});
  a.label("end").jump(0xEB, "end");
  return {a.code(), words};
}

struct End {
  std::string state;
  std::uint64_t clocks;
  std::uint32_t left;  // accesses that could still be made as a run
};

Config with_card(const std::string& model) {
  Config c = load_machine(model);
  c.set("slot.1.card", "ne2", "--card ne2");
  return c;
}

End run(const std::string& model, const std::vector<std::uint8_t>& code, bool one_by_one, bool cut) {
  Lab lab(with_card(model));
  Machine& machine = lab.machine();
  std::vector<std::uint8_t> rom(0x8000, 0xFF);
  const std::uint8_t jump[] = {0xEA, 0x00, 0x10, 0x00, 0x00};  // JMP 0000:1000
  std::copy(std::begin(jump), std::end(jump), rom.begin() + 0x7FF0);
  machine.load_firmware(rom, "jump.rom");
  std::vector<std::uint8_t> bytes = code;
  machine.memory().master_write(port_program_at, bytes, {});
  Random random(5);
  std::vector<std::uint8_t> data(0x10000);
  for (auto& b : data) b = static_cast<std::uint8_t>(random.next());
  machine.memory().master_write(0x20000, data, {});
  machine.card(1)->pos_write(2, 0x01 | 1 << 1 | 2 << 5, {});
  Recorder other(lab.scheduler(), &lab.medium(), "other", 77);
  for (unsigned i = 0; i < 30; ++i) other.to_send.push_back(make_frame(60 + 40 * i));
  other.port.transmit(make_frame(400), {});
  if (one_by_one) machine.cpu().limit_block_length(1);
  if (cut) lab.scheduler().cut_horizons_at_random(11);
  lab.scheduler().run_until(duration);
  REQUIRE(machine.cpu().registers().eip == port_program_at + code.size() - 2);
  const auto* port = machine.io().find(data_register);
  return {lab.state_hash(), machine.cpu().clocks(), port->slave->port_run(0, 2, Direction::write).count};
}

}  // namespace

TEST_CASE("string I/O as a run ends in the same state as string I/O by single accesses") {
  Random random(20260);
  for (const char* model : {"model56sx", "model77", "model95"})
    for (int round = 0; round < 6; ++round) {
      const auto [code, words] = program(random);
      INFO(model << ", program " << round);
      const End singly = run(model, code, true, false), together = run(model, code, false, false);
      CHECK(together.state == singly.state);
      CHECK(together.clocks == singly.clocks);
      CHECK(run(model, code, false, true).state == singly.state);
      CHECK(together.left == (words ? 189 : 0));  // of 200 words 10 are over, the last goes by itself
    }
}
