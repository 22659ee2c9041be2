// SPDX-License-Identifier: GPL-2.0-or-later
// Interaction of consecutive instructions: prefetch on the 386SX, interlocks on the 486, pairs and prediction on the
// Pentium.
#include <functional>

#include "tests/catch.hpp"
#include "tests/core/cpu/timing/timing_support.hpp"

using namespace planar::cpu;
using namespace planar::cpu::timing_test;

namespace {

/// Clocks of `body` at a fixed address, with warm caches and after a previous execution.
std::uint64_t warm(const TimingConfig& config, const std::function<void(Runner&)>& body) {
  Runner r(without_refresh(config));
  const std::uint32_t start = r.eip;
  const auto round = [&] {
    for (int i = 0; i < 4; ++i) r.issue(plain(0xFC, 1));  // CLD: closes pairs, separates from the previous iteration
    r.lap();
    body(r);
    const auto clocks = r.lap();
    r.jump(plain(0xEB, 2), start);
    return clocks;
  };
  for (int i = 0; i < 3; ++i) round();
  return round();
}

std::uint64_t p5(const std::function<void(Runner&)>& body) { return warm(pentium_config(), body); }
std::uint64_t i486(const std::function<void(Runner&)>& body) { return warm(i486_config(), body); }

/// Clocks of one iteration of a loop of `pairs` independent pairs, the last of which is DEC and a taken JNS.
double delay_loop(const TimingConfig& config, unsigned pairs) {
  Runner r(config);
  const std::uint32_t top = r.eip;
  const auto round = [&] {
    for (unsigned i = 1; i < pairs; ++i) {
      r.issue(low(0x40, esi));
      r.issue(low(0x40, edi));
    }
    r.issue(low(0x48, ecx));
    r.jump(plain(0x79, 2), top);
  };
  for (int i = 0; i < 100; ++i) round();
  r.lap();
  for (int i = 0; i < 10000; ++i) round();
  return static_cast<double>(r.lap()) / 10000;
}

double bogomips(const TimingConfig& config, double hz) { return hz / delay_loop(config, 1) / 500000; }

}  // namespace

TEST_CASE("Linux's delay loop gives the class's BogoMIPS", "[cpu][timing]") {
  CHECK(bogomips(sx_config(), 20e6) == Approx(2.8).epsilon(0.05));
  CHECK(bogomips(i486_config(), 100e6 / 3) == Approx(16.6).epsilon(0.05));
  CHECK(bogomips(pentium_config(), 90e6) == Approx(36).epsilon(0.05));
}

TEST_CASE("Pentium: a single-issue loop is mispredicted on every pass, even when re-entered", "[cpu][timing]") {
  Runner r(without_refresh(pentium_config()));
  const std::uint32_t top = r.eip;
  for (int call = 0; call < 5; ++call) {
    r.issue(plain(0xFC, 1));
    r.eip = top;
    r.lap();
    for (int i = 0; i < 100; ++i) {
      r.issue(low(0x48, ecx));
      r.jump(plain(0x79, 2), top);
    }
    if (call > 0) CHECK(r.lap() >= 99 * 5);
    r.issue(low(0x48, ecx));
    r.fall_through(plain(0x79, 2));
  }
}

TEST_CASE("Longer loops are predicted", "[cpu][timing]") {
  for (unsigned pairs : {2u, 3u, 4u, 6u}) {
    CAPTURE(pairs);
    CHECK(delay_loop(without_refresh(pentium_config()), pairs) == pairs);
    CHECK(delay_loop(without_refresh(i486_config()), pairs) == 2 * pairs + 2);
  }
}

TEST_CASE("Pentium: simple instructions pair", "[cpu][timing]") {
  // clang-format off
  CHECK(p5([](Runner& r) { r.issue(rr(0x89, eax, ecx)); r.issue(rr(0x89, edx, ebx)); }) == 1);
  CHECK(p5([](Runner& r) { r.issue(low(0x50, eax)); r.issue(low(0x50, ecx)); }) == 1);  // PUSH PUSH: ESP is exempt
  CHECK(p5([](Runner& r) { r.issue(rr(0x39, eax, ecx)); r.fall_through(jcc()); }) == 1);  // CMP Jcc: flags are exempt
  // Not paired: read or write after write, two non-simple ones, shifts and ADC in V, prefixes in V, displacement +
  // immediate.
  CHECK(p5([](Runner& r) { r.issue(rr(0x89, eax, ecx)); r.issue(rr(0x89, edx, eax)); }) == 2);
  CHECK(p5([](Runner& r) { r.issue(rr(0x89, eax, ecx)); r.issue(low(0xB8, eax, 5)); }) == 2);
  CHECK(p5([](Runner& r) { r.issue(plain(0xFC, 1)); r.issue(rr(0x89, eax, ecx)); }) == 3);
  CHECK(p5([](Runner& r) { r.issue(rr(0x01, eax, ecx)); r.issue(rr(0x11, edx, ebx)); }) == 2);
  CHECK(p5([](Runner& r) { r.issue(rr(0x11, edx, ebx)); r.issue(rr(0x01, eax, ecx)); }) == 1);
  CHECK(p5([](Runner& r) { r.issue(low(0x40, eax)); r.issue(with_immediate(rr(0xC1, ecx, 4), 1)); }) == 2);
  CHECK(p5([](Runner& r) { r.issue(with_immediate(rr(0xC1, ecx, 4), 1)); r.issue(low(0x40, eax)); }) == 1);
  CHECK(p5([](Runner& r) { r.issue(low(0x40, eax)); r.issue(with_prefixes(rr(0x01, ecx, edx), 1)); }) == 3);
  CHECK(p5([](Runner& r) { r.issue(with_prefixes(rr(0x01, ecx, edx), 1)); r.issue(low(0x40, eax)); }) == 2);
  CHECK(p5([](Runner& r) { r.issue(low(0x40, eax)); r.issue(with_immediate(rm(0xC7, 0, ebx, 1), 4)); }) == 2);
  CHECK(p5([](Runner& r) {  // AL and AH count as one register
    r.issue(rr(0x88, 0, 1));
    r.issue(rr(0x88, 4, 3));
  }) == 2);
  // clang-format on
}

TEST_CASE("Pentium: a pair takes as long as its longer half; two read-modify-writes interleave", "[cpu][timing]") {
  const auto load = [](Runner& r, std::uint8_t to) { r.load(rm(0x8B, to, ebx), 0x200000); };
  const auto add_load = [](Runner& r, std::uint8_t to) { r.load(rm(0x03, to, ebx), 0x200000); };
  const auto add_store = [](Runner& r, std::uint8_t from, std::uint32_t at) { r.modify(rm(0x01, from, ebx), at); };
  // clang-format off
  CHECK(p5([&](Runner& r) { load(r, eax); load(r, ecx); }) == 1);
  CHECK(p5([&](Runner& r) { load(r, eax); add_load(r, ecx); }) == 2);
  CHECK(p5([&](Runner& r) { add_load(r, eax); add_load(r, ecx); }) == 2);
  CHECK(p5([&](Runner& r) { add_load(r, eax); add_store(r, ecx, 0x200000); }) == 4);
  CHECK(p5([&](Runner& r) { add_store(r, eax, 0x200000); add_store(r, ecx, 0x200004); }) == 5);
  // clang-format on
}

TEST_CASE("Pentium: an address register written in the previous clock stalls", "[cpu][timing]") {
  const auto use = [](Runner& r) { r.load(rm(0x8B, ecx, eax), 0x200000); };
  CHECK(p5([&](Runner& r) { use(r); }) == 1);
  // clang-format off
  CHECK(p5([&](Runner& r) { r.issue(low(0xB8, eax, 5)); use(r); }) == 3);                            // next clock
  CHECK(p5([&](Runner& r) { r.issue(low(0xB8, eax, 5)); r.issue(low(0x40, edx)); use(r); }) == 3);   // pair, then stall
  CHECK(p5([&](Runner& r) { r.issue(low(0xB8, eax, 5)); r.issue(plain(0xFC, 1)); use(r); }) == 4);   // one clock in
                                                                                                     // between
  CHECK(p5([&](Runner& r) { r.issue(with_immediate(rr(0x83, esp, 0), 1)); r.load(low(0x58, eax), 0x200000); }) == 3);
  CHECK(p5([&](Runner& r) {  // implied changes of ESP do not stall
    r.store(low(0x50, eax), 0x200000);
    r.issue(plain(0xFC, 1));
    r.load(rm(0x8B, ecx, esp, 1), 0x200000);
  }) == 4);
  // clang-format on
}

TEST_CASE("Pentium: code executes once before it pairs", "[cpu][timing]") {
  Runner r(without_refresh(pentium_config()));
  const std::uint32_t start = r.eip;
  const auto round = [&] {
    unsigned pairs = 0;
    for (int i = 0; i < 6; ++i) {
      r.issue(rr(0x89, eax, ecx));
      r.lap();
      r.issue(rr(0x89, edx, ebx));
      pairs += r.lap() == 0;
    }
    r.jump(plain(0xEB, 2), start);
    return pairs;
  };
  CHECK(round() == 0);
  CHECK(round() == 6);
  r.timing.master_wrote(start, 4);  // the line is evicted, and its pairing information with it
  CHECK(round() == 0);
}

TEST_CASE("Pentium: mispredictions cost 3 clocks in U, 4 in V", "[cpu][timing]") {
  Runner r(without_refresh(pentium_config()));
  const std::uint32_t start = r.eip;
  const auto round = [&](bool in_v, bool taken) {
    for (int i = 0; i < 3; ++i) r.issue(plain(0xFC, 1));
    r.lap();
    if (in_v) r.issue(low(0x40, eax));
    if (taken)
      r.jump(jcc(), start + 16);
    else
      r.fall_through(jcc());
    const auto clocks = r.lap();
    r.eip = start + 16;
    r.issue(plain(0xFC, 1));
    r.jump(plain(0xEB, 2), start);
    return clocks;
  };
  for (int i = 0; i < 3; ++i) round(true, false);
  CHECK(round(true, false) == 1);  // never taken: no entry, predicted correctly
  CHECK(round(true, true) == 5);   // first taken
  CHECK(round(true, true) == 1);
  CHECK(round(true, false) == 5);  // strongly taken before
  CHECK(round(true, true) == 1);   // still weakly taken
  for (int i = 0; i < 4; ++i) round(true, false);
  CHECK(round(true, true) == 5);
  CHECK(round(true, true) == 1);  // strongly not taken goes straight to strongly taken
  Runner u(without_refresh(pentium_config()));
  for (int i = 0; i < 3; ++i) u.issue(plain(0xFC, 1));
  u.lap();
  u.jump(jcc(), u.eip + 8);
  CHECK(u.lap() == 1 + 3);
}

TEST_CASE("Pentium: returns are predicted by their last target", "[cpu][timing]") {
  Runner r(without_refresh(pentium_config()));
  const std::uint32_t function = r.eip + 0x200;
  const auto call_from = [&](std::uint32_t place) {
    r.eip = place;
    r.issue(plain(0xFC, 1));
    r.jump(plain(0xE8, 5), function);
    r.issue(plain(0xFC, 1));
    r.issue(plain(0xFC, 1));
    const auto before = r.timing.counters().mispredictions;
    r.jump(plain(0xC3, 1), place + 6);
    const auto missed = r.timing.counters().mispredictions - before;
    r.issue(plain(0xFC, 1));
    r.issue(plain(0xFC, 1));
    return missed;
  };
  const std::uint32_t a = r.eip, b = r.eip + 0x100;
  call_from(a);
  CHECK(call_from(a) == 0);
  CHECK(call_from(b) == 1);
  CHECK(call_from(b) == 0);
  CHECK(call_from(a) == 1);
}

TEST_CASE("486: address generation interlock, hidden prefixes, misaligned operands", "[cpu][timing]") {
  const auto use = [](Runner& r) { r.load(rm(0x8B, ecx, eax), 0x200000); };
  CHECK(i486([&](Runner& r) { use(r); }) == 1);
  // clang-format off
  CHECK(i486([&](Runner& r) { r.issue(low(0xB8, eax, 5)); use(r); }) == 3);
  CHECK(i486([&](Runner& r) { r.issue(low(0xB8, eax, 5)); r.issue(low(0x40, edx)); use(r); }) == 3);
  const Op prefixed = with_prefixes(rr(0x89, edx, ecx), 1);
  CHECK(i486([&](Runner& r) { r.issue(low(0x40, edx)); r.issue(prefixed); }) == 3);
  CHECK(i486([&](Runner& r) { r.issue(plain(0x98, 1)); r.issue(prefixed); }) == 4);  // hidden after CWDE (3)
  // clang-format on
  CHECK(i486([&](Runner& r) { r.load(rm(0x8B, ecx, eax), 0x200001); }) == 1 + 3);
  CHECK(i486([&](Runner& r) { r.load(rm(0x8B, ecx, eax), 0x200001, 2); }) == 1);
  CHECK(i486([&](Runner& r) { r.load(rm(0x8B, ecx, eax), 0x200003, 2); }) == 1 + 3);
}

TEST_CASE("386SX: code fetch limits straight-line code", "[cpu][timing]") {
  const auto straight = [](const Op& op) {
    Runner r(without_refresh(sx_config()));
    for (int i = 0; i < 50; ++i) r.issue(op);
    r.lap();
    for (int i = 0; i < 200; ++i) r.issue(op);
    return static_cast<double>(r.lap()) / 200;
  };
  CHECK(straight(low(0xB8, eax, 5)) == Approx(5).epsilon(0.02));  // 2.5 words of 2 clocks against 2 clocks of execution
  CHECK(straight(rr(0x89, eax, ecx)) == Approx(2).epsilon(0.02));  // one word: execution and fetch in step
  CHECK(straight(plain(0x90, 1)) == Approx(3).epsilon(0.02));      // execution bound
  CHECK(straight(with_prefixes(rr(0x89, eax, ecx), 2)) == Approx(4).epsilon(0.02));
}

TEST_CASE("386SX: operands on the 16-bit bus", "[cpu][timing]") {
  // A long instruction leaves the queue full, so that only the data cycles count; the data row is opened before.
  const auto after_full_queue = [](std::uint32_t address, unsigned bytes) {
    Runner r(without_refresh(sx_config()), 0x100800);  // code in a different bank from the data
    r.issue(rr(0xF7, ebx, 6));                         // DIV
    r.load(rm(0x8B, eax, ebx), 0x200100, 2);
    r.issue(rr(0xF7, ebx, 6));
    r.timing.read(0x200100, 2);
    r.lap();
    r.load(rm(0x8B, eax, ebx), address, bytes);
    return r.lap();
  };
  const auto word = after_full_queue(0x200000, 2);
  CHECK(after_full_queue(0x200000, 1) == word);
  CHECK(after_full_queue(0x200000, 4) == word + 2);  // two cycles
  CHECK(after_full_queue(0x200001, 2) == word + 2);
  CHECK(after_full_queue(0x200001, 4) == word + 4);  // three
  CHECK(after_full_queue(0x300000, 2) == word + 2);  // another row: two wait states
}

TEST_CASE("386SX: a posted write overlaps, the next access waits for it", "[cpu][timing]") {
  Runner r(without_refresh(sx_config()));
  r.issue(rr(0xF7, ebx, 6));
  r.lap();
  r.store(rm(0x89, eax, ebx), 0x200000);
  CHECK(r.lap() == 2);
  r.issue(low(0x40, eax));
  CHECK(r.lap() == 2);  // runs while the write is on the bus
  r.store(rm(0x89, eax, ebx), 0x200004);
  r.store(rm(0x89, eax, ebx), 0x200008);
  r.store(rm(0x89, eax, ebx), 0x20000C);
  CHECK(r.lap() > 3 * 2);
}
