// SPDX-License-Identifier: GPL-2.0-or-later
#include <random>

#include "machines/config/config.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"
#include "tests/machines/ps2.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {
std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "(no error)";
}
}  // namespace

TEST_CASE("quantities have a unit and are exact") {
  CHECK(parse_time("15.12 us") == Time{15'120'000});
  CHECK(parse_time("200ns") == Time{200'000});
  CHECK_FALSE(parse_time("200"));
  CHECK_FALSE(parse_time("ns"));
  CHECK_FALSE(parse_time("99999999999 s"));
  CHECK(parse_frequency("100/3 MHz")->clock().at(1) == Time{30'000});
  CHECK(parse_frequency("90 MHz")->hz() == 90e6);
  CHECK(parse_frequency("14.31818 MHz")->hz() == 14'318'180);
  CHECK_FALSE(parse_frequency("0 MHz"));
  CHECK_FALSE(parse_frequency("10/0 MHz"));
  CHECK(parse_size("16 MB") == 16u << 20);
  CHECK(parse_size("0.5 KB") == 512u);
  CHECK_FALSE(parse_size("0.3 bytes"));
  CHECK(parse_size("99999999999999999 MB") == UINT64_MAX);  // left to the key's own range
  CHECK_FALSE(parse_time("99999999999999999 ps"));
  CHECK(parse_number("1000h") == 0x1000u);
  CHECK(parse_number("0xFF") == 255u);
  CHECK_FALSE(parse_number("12x"));
  CHECK_FALSE(parse_number(""));
}

TEST_CASE("a later layer takes precedence, and the resolved file describes the same machine") {
  Config c = load_machine("model95");
  c.set("memory.size", "16 MB", "--memory 16 MB");
  c.set("slot.2.card", "ne2", "--card 2=ne2");
  const MachineConfig first = read_machine(c);
  REQUIRE(first.memory_bytes == 16u << 20);
  REQUIRE(first.cards.size() == 1);
  REQUIRE(first.cards[0].slot == 2);

  Config again;
  again.add_text(c.resolved(), "lab.toml");
  const MachineConfig second = read_machine(again);
  REQUIRE(second.memory_bytes == first.memory_bytes);
  REQUIRE(second.clock.num == first.clock.num);
  REQUIRE(again.resolved() == c.resolved());
  REQUIRE_THAT(c.explained(), Contains("memory.size = \"16 MB\"  # --memory 16 MB"));
}

TEST_CASE("the resolved file of a machine without a card accepts a card of any medium") {
  for (const auto& [machine, card] :
       {std::pair{"model95", "ne2"}, std::pair{"model95", "autolanstreamer"}, std::pair{"pc-p166", "rtl8139"},
        std::pair{"pc-p166", "eepro100"}, std::pair{"pc-p3-800", "pro1000-82543"}}) {
    CAPTURE(machine, card);
    Config c = load_machine(machine);
    read_machine(c);
    Config written, direct = load_machine(machine);
    written.add_text(c.resolved(), "lab.toml");
    for (Config* config : {&written, &direct}) config->set("slot.1.card", card, "--card");
    const MachineConfig from_file = read_machine(written), built_in = read_machine(direct);
    REQUIRE(from_file.media.size() == built_in.media.size());
    CHECK(from_file.media[0].kind == built_in.media[0].kind);
    CHECK(from_file.media[0].full_duplex == built_in.media[0].full_duplex);
    CHECK(from_file.media[0].path == built_in.media[0].path);
  }
}

TEST_CASE("the three machines have the expected properties") {
  for (const auto& [name, hz, slots, model] :
       {std::tuple{"model56sx", 20e6, 3u, cpu::Model::i386sx}, std::tuple{"model77", 100e6 / 3, 5u, cpu::Model::i486sx},
        std::tuple{"model95", 90e6, 8u, cpu::Model::pentium}, std::tuple{"model9595", 90e6, 8u, cpu::Model::pentium},
        std::tuple{"att3325", 250e6 / 3, 4u, cpu::Model::pentium}}) {
    Config c = load_machine(name);
    const auto m = read_machine(c);
    CHECK(m.name == name);
    CHECK(m.clock.hz() == Approx(hz));
    CHECK(m.slot_widths.size() == slots);
    CHECK(m.timing.model == model);
  }
}

TEST_CASE("a machine based on another inherits unset values, and so does a variant of a table") {
  const auto read = [](const std::string& name) {
    Config c = load_machine(name);
    return read_machine(c);
  };
  const auto base = read("model95"), server = read("model9595"), thaler = read("thaler"), lira = read("lira");
  CHECK(server.name == "model9595");
  CHECK(server.memory_bytes == 64u << 20);
  CHECK(server.timing.l2.bytes == base.timing.l2.bytes);
  CHECK(server.slot_widths == base.slot_widths);
  CHECK(read("dime").memory_bytes == server.memory_bytes);
  CHECK(thaler.name == "thaler");
  CHECK(thaler.memory_bytes == 256u << 20);
  CHECK(thaler.timing.dram.read_hit == base.timing.dram.read_hit);
  CHECK(lira.timing.l1.bytes == 16384);
  CHECK_FALSE(lira.timing.l1.write_burst);
  CHECK(base.timing.l1.write_burst);
  CHECK(lira.signature == 0x1532);
  CHECK_FALSE(ps2(lira).channel.memory_streams);
  for (const MachineFile& file : machine_files()) CHECK(file.name != "thaler");
  CHECK(machine_base(*find_machine_file("thaler")) == "model9595");
  CHECK(machine_base(*find_machine_file("model77")).empty());
  // A user's file can be based on either kind, and the resolved file on itself.
  Config user;
  user.add_text("machine = \"thaler\"\n[memory]\nsize = \"128 MB\"\n", "lab.toml");
  Config config = load_machine(std::move(user), "lab.toml");
  CHECK(read_machine(config).memory_bytes == 128u << 20);
  Config again;
  again.add_text(config.resolved(), "again.toml");
  Config same = load_machine(std::move(again), "again.toml");
  CHECK(read_machine(same).memory_bytes == 128u << 20);
  CHECK(same.resolved() == config.resolved());
}

TEST_CASE("an item of the adapter's description is an option of the card") {
  Config c = load_machine("model95");
  c.add_text("[slot.1]\ncard = \"madge-mc\"\nburst-mode = \"cycle-steal\"\n", "lab.toml");
  const auto cards = read_machine(c).cards;
  REQUIRE(cards.size() == 1);
  REQUIRE(cards[0].pins.size() == 1);
  CHECK(cards[0].pins[0].key == "burst-mode");
  CHECK(cards[0].pins[0].value == "cycle-steal");
  CHECK(cards[0].pins[0].where == "lab.toml:3:14: slot.1.burst-mode");
}

TEST_CASE("an invalid setting is rejected with file, line and remedy") {
  const auto with = [](const std::string& text) {
    return message([&] {
      Config c = load_machine("model95");
      c.add_text(text, "lab.toml");
      read_machine(c);
    });
  };
  CHECK_THAT(with("machine = \"model95\"\nmemroy.size = \"16 MB\"\n"),
             Contains("lab.toml:2") && Contains("memory.size"));
  CHECK_THAT(with("memory.size = \"16\"\n"), Contains("lab.toml:1") && Contains("unit"));
  CHECK_THAT(with("memory.size = 16\n"), Contains("lab.toml:1") && Contains("unit"));
  CHECK_THAT(with("memory.size = \"3000 MB\"\n"), Contains("256 MB"));
  CHECK_THAT(with("[cpu]\nclock = true\n"), Contains("lab.toml:2") && Contains("text"));
  CHECK_THAT(with("[cpu]\nmodel = \"8086\"\n"), Contains("386sx, 486sx, pentium"));
  CHECK_THAT(with("[slot.9]\ncard = \"ne2\"\n"), Contains("slots 1 to 8"));
  CHECK_THAT(with("[slot.1]\ncard = \"ne2\"\nirc = 3\n"), Contains("slot.1.irc") && Contains("irq"));
  CHECK_THAT(with("[cpu\n"), Contains("lab.toml:1"));
  CHECK_THAT(with("a = [1, \"\n"), Contains("lab.toml:1"));
  CHECK_THAT(message([] { load_machine("model96"); }), Contains("model95"));
  CHECK_THAT(message([] { load_machine("nowhere.toml"); }), Contains("nowhere.toml"));
}

TEST_CASE("keys and values of other processors and boards are rejected, with file, line and remedy") {
  const auto with = [](const std::string& machine, const std::string& text) {
    return message([&] {
      Config c = load_machine(machine);
      c.add_text(text, "lab.toml");
      read_machine(c);
    });
  };
  for (const char* machine : {"pc-p2-400", "pc-p3-600", "pc-p3-800"}) {
    CHECK_THAT(with(machine, "[cpu]\nwrite_buffers = 4\n"),
               Contains("lab.toml:2:17: cpu.write_buffers") && Contains("take the line out"));
    CHECK_THAT(with(machine, "[memory.dram]\nburst_step = 1\n"),
               Contains("lab.toml:2:14: memory.dram.burst_step") && Contains("memory.dram.line_clocks"));
    CHECK_THAT(with(machine, "[l2]\nburst_step = 1\n"), Contains("lab.toml:2:14") && Contains("l2.burst_step"));
    CHECK_THAT(with(machine, "[memory.dram]\nwidth = 4\n"), Contains("lab.toml:2:9: memory.dram.width"));
    CHECK(with(machine, "") == "(no error)");
  }
  CHECK_THAT(with("model95", "[cpu]\nmodel = \"p6\"\n"),
             Contains("lab.toml:2:9: cpu.model: a P6 has no cpu.write_buffers") && Contains("pc-p3-600"));
  CHECK(with("pc-p166", "[cpu]\nwrite_buffers = 4\n[memory.dram]\nburst_step = 1\n") == "(no error)");
  CHECK_THAT(with("pc-p166", "[memory]\npath = \"dual\"\n"), Contains("lab.toml:2:8: memory.path: a PCI host bridge"));
  CHECK_THAT(with("model95", "[memory]\npath = \"line\"\n"), Contains("lab.toml:2:8: memory.path: is single or dual"));
}

TEST_CASE("a table header that begins with an operator is an error and does not crash") {
  Config c;
  CHECK_THROWS_AS(c.add_text("[=memory]\n", "lab.toml"), Error);
  CHECK_THROWS_AS(c.add_text("[\n", "lab.toml"), Error);
}

TEST_CASE("damaged machine files only cause errors") {
  std::mt19937 random(1995);  // fixed seed: the same cases in every run
  const std::string good(machine_files().front().text);
  int refused = 0;
  for (int n = 0; n < 400; ++n) {
    std::string text = good;
    for (int k = 0; k < 3; ++k) {
      const auto at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, random() % 20); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 20)); break;
      }
    }
    try {
      Config c;
      c.add_text(text, "mutant.toml");
      read_machine(c);
    } catch (const Error&) { ++refused; }
  }
  REQUIRE(refused > 50);
}
