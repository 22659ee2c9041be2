// SPDX-License-Identifier: GPL-2.0-or-later
// The shared-RAM Token Ring adapters: refused commands, failed insertion, removal, invalid mailbox contents, snapshots.

#include "tests/devices/tokenring/tropic_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// Issues an SRB command with some of its bytes; returns the return code.
std::uint8_t ask(TropicBench& b, std::uint8_t code, std::initializer_list<std::pair<unsigned, unsigned>> bytes = {}) {
  const std::uint32_t at = b.select(b.srb.at ? b.srb : b.first_srb);
  const unsigned length = b.card->chip().port().inserted() ? 28 : 60;  // the ARB follows it
  for (unsigned i = 0; i < length; ++i) b.wb(at + i, 0);
  for (const auto& [offset, value] : bytes) b.wb(at + offset, value);
  b.wb(at, code);
  b.aca_and(TropicBench::ISRP_o, ~0x20u);
  b.aca_or(TropicBench::ISRP_e, 0x40);
  b.command();
  const Time end = b.now() + 5_s;
  while (b.aca(TropicBench::ISRA_o) & 0x20 && b.now() < end) b.step(10_us);
  REQUIRE_FALSE(b.aca(TropicBench::ISRA_o) & 0x20);
  b.aca_and(TropicBench::ISRP_o, ~0x20u);
  return b.rb(at + 2);
}

std::string hash(TropicBench& b) {
  Archive a = Archive::saver();
  b.archive(a);
  return sha256_hex(a.stream());
}

}  // namespace

TEST_CASE("bring-up takes its time before the first SRB is available", "[tropic][reset]") {
  TropicBench b({.settings = {{"microprocessor.bring_up", "700000us"}}});
  REQUIRE(b.probe());
  b.reset();
  const Time released = b.now();
  REQUIRE(b.wait());
  CHECK(b.now() - released >= 699_ms);
  CHECK(b.now() - released < 701_ms);
  b.rig.out(TropicBench::ports + 1, 0);  // reset cancels everything
  CHECK_FALSE(b.interrupt());
  CHECK(b.aca(9) == 0);
  b.step(3_s);
  b.aca_or(8, 0x40);
  CHECK_FALSE(b.interrupt());  // held
}

TEST_CASE("OPEN is refused with an error code, and still returns the mailbox addresses", "[tropic][open]") {
  TropicBench b;
  REQUIRE(b.come_up());
  CHECK(ask(b, 3, {{26, 4}, {27, 1}}) == 0x33);                        // buffers of 1025 bytes
  CHECK(ask(b, 3, {{26, 0}, {27, 88}}) == 0x33);                       // too short
  CHECK(ask(b, 3, {{28, 0x46}, {29, 0x30}}) == 0x43);                  // a DHB beyond 17960
  CHECK(ask(b, 3, {{24, 1}, {26, 4}, {27, 8}}) == 0x30);               // 256 buffers of 1032
  CHECK(ask(b, 3, {{10, 0x80}, {15, 1}}) == 0x32);                     // a group address
  CHECK(b.rw(b.first_srb.at + 12) - b.rw(b.first_srb.at + 10) == 28);  // the ARB follows the SRB
  CHECK(ask(b, 3) == 0);                                               // zeros are defaults
  CHECK(ask(b, 3) == 3);
}

TEST_CASE("commands before OPEN, unknown ones, and those for wrong stations return their codes", "[tropic][srb]") {
  TropicBench b;
  REQUIRE(b.come_up());
  for (const unsigned code : {1u, 2u, 4u, 6u, 7u, 8u, 0x0Au, 0x0Du, 0x11u, 0x14u, 0x15u, 0x16u})
    CHECK(ask(b, static_cast<std::uint8_t>(code)) == 0x04);
  CHECK(ask(b, 0x00) == 0);
  for (const unsigned code : {5u, 9u, 0x0Bu, 0x0Cu, 0x12u, 0x13u, 0x19u, 0x1Fu, 0x21u, 0x7Fu, 0x80u, 0xFFu})
    CHECK(ask(b, static_cast<std::uint8_t>(code)) == 0x01);
  REQUIRE(b.open());
  CHECK(ask(b, 0x0A, {{4, 1}}) == 0x40);
  CHECK(ask(b, 0x0D) == 0x40);
  CHECK(ask(b, 0x0D, {{4, 2}}) == 0x40);
  CHECK(ask(b, 0x15, {{16, 0xAA}}) == 0x43);  // already open
  CHECK(ask(b, 0x15, {{16, 0xF1}}) == 0x43);
  CHECK(ask(b, 0x15, {{16, 0xF0}, {18, 1}}) == 0x46);  // the only station is in use
  CHECK(ask(b, 0x15, {{16, 0xF0}}) == 0);
  CHECK(ask(b, 0x15, {{16, 0xE0}}) == 0x46);
  CHECK(ask(b, 0x16, {{4, 2}}) == 0);
  CHECK(ask(b, 0x16, {{4, 2}}) == 0x40);
  CHECK(ask(b, 0x16) == 0x40);
  CHECK(ask(b, 0x14) == 0);
  CHECK(ask(b, 0x0D, {{4, 1}}) == 0x40);
  CHECK(ask(b, 0x01, {{4, 0x10}}) == 0);
}

TEST_CASE("more transmissions than the adapter can queue are refused", "[tropic][srb]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  unsigned accepted = 0;
  std::uint8_t code = 0;
  while ((code = ask(b, 0x0D, {{4, 1}})) == 0xFF) REQUIRE(++accepted < 100);
  CHECK(code == 0x25);
  CHECK(accepted == 32);
  CHECK(ask(b, 4) == 0);  // CLOSE drops them
  b.aca_and(TropicBench::ISRP_o, 0);
  b.aca_or(TropicBench::ISRA_o, 2);
  REQUIRE(b.open());
  b.ask_to_send(b.from_us(100));
  b.settle();
  CHECK(b.results.size() == 1);
}

TEST_CASE("a failed insertion reports phase and reason", "[tropic][open]") {
  const auto error = [](TropicBench& b) {
    REQUIRE(b.come_up());
    b.ask_to_open();
    REQUIRE(b.wait(20_s));
    b.serve();
    CHECK_FALSE(b.opened);
    CHECK(b.return_code == 7);
    return b.open_error;
  };
  SECTION("wrong speed") {
    TropicBench b({.sixteen = false});
    CHECK(error(b) == 0x24);
  }
  SECTION("no cable") {
    TropicBench b;
    b.card->port().set_plugged(false, b.now());
    CHECK(error(b) == 0x11);
    b.card->port().set_plugged(true, b.now());
    CHECK(b.open());
  }
  SECTION("no ring") {
    TropicBench b({.ring = {.quick_insertion = true}, .plugged = false});
    CHECK(error(b) == 0x11);
  }
  SECTION("another station has the address") {
    TropicBench b;
    RingRecorder twin(b.rig.scheduler, b.ring, 2);
    twin.parameters.node = b.address;
    twin.port.insert_at_rest(twin.parameters, b.now());
    CHECK(error(b) == 0x38);
  }
}

TEST_CASE("speed detection finds the ring's speed", "[tropic][open]") {
  TropicBench b({.sixteen = false});
  b.card->pos_write(5, 0xC0, b.now());
  REQUIRE(b.come_up());
  CHECK(b.open());
}

TEST_CASE("a pulled cable is reported in steps, and the adapter opens again afterwards", "[tropic][ring]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  b.ask_to_send(b.from_us(1400));
  REQUIRE(b.wait());
  b.card->port().set_plugged(false, b.now());
  b.settle();
  CHECK((b.ring_status & 0x8000) != 0);
  CHECK((b.ring_status & 0x0800) == 0);
  b.settle(8_s);
  CHECK((b.ring_status & 0x0800) != 0);
  CHECK(ask(b, 8) == 0x04);  // closed
  b.card->port().set_plugged(true, b.now());
  REQUIRE(b.open());
  b.results.clear();
  b.to_send.clear();
  b.ask_to_send(b.from_us(1400));
  b.settle();
  REQUIRE(b.results.size() == 1);
  CHECK(b.results[0].code == 0);
}

TEST_CASE("a cable can be pulled in the middle of frames, at any time of an exchange", "[tropic][ring]") {
  for (int n = 0; n < 40; ++n) {
    TropicBench b;
    REQUIRE(b.come_up());
    REQUIRE(b.open());
    b.other.port.transmit(b.for_us(2000), b.now());
    b.ask_to_send(b.from_us(1400));
    const Time pulled = b.now() + 80_us * n;
    bool out = false;
    while (b.now() < pulled + 8_s) {
      if (!out && b.now() >= pulled) {
        b.card->port().set_plugged(false, b.now());
        out = true;
      }
      if (b.interrupt()) b.serve();
      b.step(out && b.now() > pulled + 20_ms ? 10_ms : 20_us);
    }
    CHECK((b.ring_status & 0x8800) == 0x8800);
    b.card->port().set_plugged(true, b.now());
    REQUIRE(b.open());
  }
}

TEST_CASE("invalid answers return a code and can be corrected", "[tropic][asb]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  const auto answer = [&](std::initializer_list<std::pair<unsigned, unsigned>> bytes) {
    const std::uint32_t at = b.select(b.asb);
    for (const auto& [offset, value] : bytes) b.wb(at + offset, value);
    b.aca_or(TropicBench::ISRA_o, 0x10);
    while (b.aca(TropicBench::ISRA_o) & 0x10) b.step(10_us);
    const std::uint8_t code = b.rb(at + 2);
    CHECK(((b.aca(TropicBench::ISRP_o) & 0x10) != 0) == (code != 0xFF));
    b.aca_and(TropicBench::ISRP_o, ~0x10u);
    return code;
  };
  CHECK(answer({{0, 0x81}, {2, 0}, {6, 0x12}, {7, 0x34}}) == 0x26);
  CHECK(answer({{0, 0x99}, {2, 0}}) == 0x01);
  CHECK(answer({{0, 0x0D}, {1, 5}, {2, 0}}) == 0x26);
  const std::uint32_t srb = b.select(b.srb);
  b.wb(srb, 0x0D);
  b.ww(srb + 4, 0x0100);
  b.command();
  REQUIRE(b.wait());
  CHECK(answer({{0, 0x0A}, {1, 0}, {2, 0}}) == 0x01);
  CHECK(answer({{0, 0x0D}, {1, 0}, {2, 0}, {4, 2}}) == 0x40);
  CHECK(answer({{4, 1}, {5, 0}, {2, 0}, {6, 0}, {7, 0}, {8, 14}}) == 0x28);  // no data
  CHECK(answer({{2, 0}, {6, 0x46}, {7, 0x28}}) == 0x28);                     // more than the DHB holds
  CHECK(answer({{2, 0}, {6, 0}, {7, 100}, {8, 98}}) == 0x28);                // no room for the LLC header
  CHECK(answer({{2, 0}, {6, 0}, {7, 100}, {8, 14}, {9, 0xAA}}) == 0xFF);
  b.aca_and(TropicBench::ISRP_o, ~0x08u);
  b.aca_or(TropicBench::ISRA_o, 2);
  b.settle();
  REQUIRE(b.results.size() == 1);
  CHECK(b.results[0].code == 0x22);  // 100 zeros are not addressed to any station
}

TEST_CASE("an answer after the ring has closed the adapter is not an error", "[tropic][asb]") {
  unsigned dropped = 0;
  for (int n = 0; n < 24; ++n) {
    TropicBench b;
    REQUIRE(b.come_up());
    REQUIRE(b.open());
    b.card->port().set_plugged(false, b.now());
    const Time wire_fault = b.now() + 5_s;
    b.settle();
    b.causes = 0;
    b.step(wire_fault - 50_us * n - b.now());
    b.ask_to_send(b.from_us(100));
    b.settle(20_ms);
    CHECK((b.ring_status & 0x0800) != 0);
    CHECK((b.causes & 0x10) == 0);
    CHECK(b.rb(b.select(b.asb) + 2) == 0xFF);
    if (b.to_send.empty() && b.results.empty()) ++dropped;
  }
  CHECK(dropped > 0);
}

TEST_CASE("a host that requests it is told when a mailbox is free", "[tropic][srb]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  b.aca_or(TropicBench::ISRA_o, 0x08);
  CHECK((b.aca(TropicBench::ISRP_o) & 0x20) == 0x20);
  CHECK((b.aca(TropicBench::ISRA_o) & 0x08) == 0);
  b.aca_and(TropicBench::ISRP_o, ~0x20u);
  b.aca_or(TropicBench::ISRA_o, 0x04);
  CHECK((b.aca(TropicBench::ISRP_o) & 0x10) == 0x10);
  b.aca_and(TropicBench::ISRP_o, ~0x10u);
  const std::uint32_t srb = b.select(b.srb);
  b.wb(srb, 0x0D);
  b.ww(srb + 4, 0x0100);
  b.aca_or(TropicBench::ISRA_o, 0x28);
  CHECK((b.aca(TropicBench::ISRP_o) & 0x20) == 0);
  while (!(b.aca(TropicBench::ISRP_o) & 0x20)) b.step(10_us);
  CHECK(b.rb(srb + 2) == 0xFF);
}

TEST_CASE("a snapshot during reset, bring-up or insertion does not affect them", "[tropic][snapshot]") {
  for (const Time at : {10_ms, 60_ms, 500_ms, 1100_ms, 1300_ms, 2200_ms}) {
    const auto run = [&](TropicBench& b, Time until) {
      while (b.now() < until) b.step(std::min(until - b.now(), 1_ms));
    };
    const auto start = [](TropicBench& b) {
      REQUIRE(b.come_up());
      b.ask_to_open();
    };
    TropicBench::Setup slow;
    slow.ring.quick_insertion = false;
    TropicBench first(slow), second(slow);
    start(first);
    const Time begun = first.now();
    run(first, begun + at);
    Archive saved = Archive::saver();
    first.archive(saved);
    Archive loaded = Archive::loader(saved.stream());
    second.archive(loaded);
    loaded.expect_end();
    run(first, begun + 4_s);
    run(second, begun + 4_s);
    CHECK(hash(first) == hash(second));
    CHECK((first.aca(TropicBench::ISRP_o) & 0x20) == 0x20);
  }
}

TEST_CASE("describing the card has no side effects and names the register contents", "[tropic][describe]") {
  TropicBench b;
  REQUIRE(b.come_up());
  REQUIRE(b.open());
  b.ask_to_send(b.from_us(1000));
  b.step(300_us);
  const std::string before = hash(b);
  Description d("card");
  b.card->describe(d);
  CHECK(hash(b) == before);
  const Description& chip = d.parts().at(0);
  CHECK(chip.name() == "TROPIC");
  const auto field = [&](std::string_view name) {
    const Field* found = chip.find_field(name);
    REQUIRE(found);
    return found->value;
  };
  CHECK(field("ISRP") == (b.aca(8) * 256u | b.aca(9)));
  CHECK(field("ISRA") == (b.aca(10) * 256u | b.aca(11)));
  CHECK(field("WRBR") == b.rw(TropicBench::mmio + 0x1E02));
}
