// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptions of the devices' state: they agree with what the guest's ports would return, and making them changes
// nothing.
#include <fstream>
#include <iterator>
#include <set>

#include "core/common/error.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"
#include "tests/machines/ps2.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {

std::unique_ptr<Lab> sample_lab(const std::string& model) {
  Config c = load_machine(model);
  c.set("slot.2.card", "ne2", "--card 2=ne2");
  auto lab = std::make_unique<Lab>(std::move(c));
  std::ifstream in(std::string(PLANAR_SOURCE_DIR) + "/roms/images/sample-bios.img", std::ios::binary);
  REQUIRE(in);
  lab->insert_diskette({std::istreambuf_iterator<char>(in), {}}, "sample-bios.img");
  return lab;
}

/// The field at the end of a path of part names: "master", "IMR".
const Field& field(const Description& d, const std::vector<std::string>& path) {
  const Description* at = &d;
  for (std::size_t n = 0; n + 1 < path.size(); ++n) {
    at = at->find_part(path[n]);
    INFO("part " << path[n]);
    REQUIRE(at != nullptr);
  }
  const Field* found = at->find_field(path.back());
  INFO("field " << path.back());
  REQUIRE(found != nullptr);
  return *found;
}

std::uint64_t value(const Machine& machine, const std::string& device, const std::vector<std::string>& path) {
  return field(machine.describe(device), path).value;
}

/// The value that the guest would read at the time that descriptions show.
std::uint8_t in(Machine& machine, std::uint16_t port) {
  const auto* range = machine.io().find(port);
  REQUIRE(range != nullptr);
  return static_cast<std::uint8_t>(range->slave->read(port - range->first, 1, machine.now()));
}
void out(Machine& machine, std::uint16_t port, std::uint8_t value) {
  const auto* range = machine.io().find(port);
  REQUIRE(range != nullptr);
  range->slave->write(port - range->first, 1, value, machine.now());
}

void check_names(const Description& d) {
  INFO("device or part " << d.name());
  CHECK_FALSE((d.fields().empty() && d.parts().empty()));
  std::set<std::string> names;
  for (const auto& f : d.fields()) {
    INFO("field " << f.name);
    CHECK(names.insert(f.name).second);
    if (f.kind == Field::Kind::reg) {
      REQUIRE(f.bits >= 1);
      REQUIRE(f.bits <= 64);
      CHECK((f.bits == 64 || f.value >> f.bits == 0));
    }
  }
  for (const auto& part : d.parts()) check_names(part);
}

}  // namespace

TEST_CASE("describing every device during a run does not affect it") {
  for (const std::string model : {"model56sx", "model77", "model95"}) {
    INFO(model);
    const auto whole = sample_lab(model), asked = sample_lab(model);
    for (const Time t : {Time{}, 3_ms, 170_ms, 800_ms, 1'400_ms}) {
      asked->scheduler().run_until(t);
      const auto before = asked->state_hash();
      for (const auto& device : asked->machine().describe()) check_names(device);
      REQUIRE(asked->state_hash() == before);
    }
    whole->scheduler().run_until(1'500_ms);
    asked->scheduler().run_until(1'500_ms);
    CHECK(asked->state_hash() == whole->state_hash());
    CHECK(asked->machine().cpu().instructions() == whole->machine().cpu().instructions());
  }
}

TEST_CASE("device descriptions match the guest's ports") {
  for (const std::string model : {"model56sx", "model95"}) {
    INFO(model);
    const auto lab = sample_lab(model);
    Machine& m = lab->machine();
    lab->scheduler().run_until(1'234'567_us);
    // The firmware has programmed all of them.
    CHECK(value(m, "pic", {"master", "IMR"}) == m.peek_port(0x21));
    CHECK(value(m, "pic", {"slave", "IMR"}) == m.peek_port(0xA1));
    CHECK(value(m, "pic", {"master", "vector of input 0"}) == 0x08);
    CHECK(field(m.describe("pic"), {"master", "initialisation"}).text == "complete");
    CHECK(value(m, "system", {"port B (61h)"}) == in(m, 0x61));
    CHECK(value(m, "system", {"port A (92h)"}) == in(m, 0x92));
    CHECK(value(m, "diskette", {"MSR"}) == in(m, 0x3F4));
    CHECK(value(m, "diskette", {"SRA"}) == in(m, 0x3F0));
    CHECK(value(m, "com1", {"LCR"}) == in(m, 0x3FB));
    CHECK(value(m, "com1", {"LSR"}) == in(m, 0x3FD));
    CHECK(value(m, "keyboard", {"status"}) == in(m, 0x64));
    CHECK(value(m, "channel", {"arbitration register (90h)"}) == in(m, 0x90));
    CHECK(value(m, "vga", {"input status 1"}) == in(m, 0x3DA));
    CHECK(field(m.describe("vga"), {"mode"}).text == "text, 80 by 25 characters");
    CHECK(field(m.describe("channel"), {"owner"}).text == "processor");
    CHECK(value(m, "memory", {"from 100000h, KB"}) == (m.memory_end() - 0x100000) / 1024);
    CHECK(value(m, "cpu", {"EIP"}) == m.cpu().registers().eip);

    const auto count = value(m, "pit", {"counter 0", "count"});
    CHECK(value(m, "pit", {"counter 0", "mode"}) == 3);
    out(m, 0x43, 0x00);  // latch
    const unsigned low = in(m, 0x40);
    CHECK(count == (low | in(m, 0x40) << 8));

    const auto clock = m.describe("rtc");
    out(m, 0x70, 0x8C);
    CHECK(field(clock, {"register C"}).value == in(m, 0x71));
    out(m, 0x70, 0x80);
    CHECK_THAT(field(clock, {"time"}).text, Catch::Matchers::EndsWith(fmt::format(":{:02X}", in(m, 0x71))));

    const bus::Adapter* card = ps2(m).adapter_card(2);
    for (unsigned reg = 2; reg < 8; ++reg)
      CHECK(value(m, "pos", {"slot 2: ne2", fmt::format("POS {}", reg)}) == card->pos_peek(reg));
    CHECK(value(m, "pos", {"slot 2: ne2", "ID"}) == 0x7154);
    CHECK(value(m, "slot2.ne2", {"adapter ID"}) == 0x7154);
    CHECK(value(m, "pos", {"planar", "ID"}) == m.config().identity.planar_id);
    CHECK(field(m.describe("pos"), {"planar functions", "diskette"}).value == 1);
  }
}

TEST_CASE("the clock is described up to date, without a read") {
  Config c = load_machine("model56sx");
  Lab lab(std::move(c));
  lab.scheduler().run_until(900_ms);
  const auto early = field(lab.machine().describe("rtc"), {"time"}).text;
  lab.scheduler().run_until(3'900_ms);
  const auto late = field(lab.machine().describe("rtc"), {"time"}).text;
  CHECK(std::stoi(late.substr(6)) == std::stoi(early.substr(6)) + 3);
}

TEST_CASE("descriptions name the sources of an interrupt line and the waiting bus masters") {
  const auto lab = sample_lab("model95");
  Machine& m = lab->machine();
  lab->scheduler().run_until(50_ms);
  m.interrupts().set(5, 1, true, m.now());
  CHECK(field(m.describe("irq"), {"IRQ 5"}).text == "active: slot 2");
  CHECK(field(m.describe("irq"), {"IRQ 3"}).text == "inactive");
  CHECK((value(m, "pic", {"master", "IRR"}) & 1u << 5) != 0);
  m.interrupts().set(5, 1, false, m.now());
  CHECK(field(m.describe("irq"), {"IRQ 5"}).text == "inactive");

  // The diskette's DMA channel: while the boot sector is read, it and the processor take turns.
  bool seen = false;
  for (int n = 0; n < 200'000 && !seen; ++n) {
    lab->scheduler().run_until(lab->scheduler().now() + 10_us);
    const auto channel = m.describe("channel");
    for (const auto& master : channel.parts()) {
      const auto& state = field(master, {"state"}).text;
      if (state == "idle") continue;
      seen = true;
      CHECK(field(master, {"level"}).value == 2);
      const Time since{static_cast<std::int64_t>(field(master, {"since"}).value)};
      CHECK(since <= m.now());
      CHECK(m.now() - since < 100_us);
      CHECK(field(m.describe("dma"), {"channel 2", "masked"}).value == 0);
    }
  }
  CHECK(seen);
}

TEST_CASE("an unknown device is refused with the closest existing name") {
  Lab lab(load_machine("model95"));
  CHECK_THROWS_WITH(lab.machine().describe("pci"), Contains("pci") && Contains("did you mean 'pi"));
  const auto names = lab.machine().devices();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  CHECK(lab.machine().describe().size() == names.size());
}

TEST_CASE("a debugger's stores reach decoded code, take no time, and are refused for ROM and registers") {
  for (const std::string model : {"model56sx", "model77", "model95"}) {
    INFO(model);
    test::Assembler program(0x7C00);
    program.label("loop")({0x40}).jump(0xEB, "loop")({0xFA, 0xF4});  // INC AX; JMP; CLI; HLT
    Lab lab(load_machine(model));
    lab.insert_diskette(test::boot_diskette(program), "loop");
    Machine& m = lab.machine();
    lab.scheduler().run_until(3_s);
    REQUIRE_FALSE(m.cpu().halted());
    REQUIRE((m.cpu().registers().eip & 0xFFF0) == 0x7C00);
    const Time before = m.cpu().time();
    CHECK_FALSE(m.memory().poke(0xF0000, 0x90));  // ROM
    CHECK_FALSE(m.memory().poke(0xB8000, 0x90));  // the VGA
    CHECK(m.memory().poke(0x7C01, 0x90));         // two NOPs in place of the jump
    CHECK(m.memory().poke(0x7C02, 0x90));
    CHECK(m.peek_memory(0x7C01) == 0x90);
    CHECK(m.cpu().time() == before);
    lab.scheduler().run_until(3_s + 10_us);
    CHECK(m.halted_for_good());
  }
}
