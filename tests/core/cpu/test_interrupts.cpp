// SPDX-License-Identifier: GPL-2.0-or-later
// Instruction-exact interrupts, interrupt shadows, HLT, REP, debug traps; and that host-side structures do not affect
// timing.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

TEST_CASE("INTR is taken at the next boundary when IF is set", "[cpu][interrupt]") {
  Board b;
  b.flat({0x90, 0x90, 0xFB, 0x90, 0x90, 0x90});
  b.cpu.set_intr(true);
  b.step(2);
  CHECK(b.pins.acknowledged == 0);
  b.step(2);  // STI and the instruction in its shadow
  CHECK(b.pins.acknowledged == 0);
  b.step();
  CHECK(b.pins.acknowledged == 1);
  CHECK(b.vector() == 0x20);
  CHECK(b.stack(0) == code_at + 4);
  CHECK((b.flags() & 0x200) == 0);
}

TEST_CASE("MOV SS inhibits interrupts for one instruction", "[cpu][interrupt]") {
  Board b;
  b.flat({0x8E, 0xD0, 0x90, 0x90});
  b.change([](Registers& r) {
    r.gpr[EAX] = data0;
    r.eflags |= 0x200;
  });
  b.step();
  b.cpu.set_intr(true);
  b.step();
  CHECK(b.pins.acknowledged == 0);
  b.step();
  CHECK(b.stack(0) == code_at + 3);
}

TEST_CASE("NMI is taken once and masked until IRET", "[cpu][interrupt]") {
  Board b;
  b.put(handlers_at + 2, {0x90, 0xCF});
  b.flat({0x90, 0x90, 0x90});
  b.cpu.nmi();
  b.step();
  CHECK(b.cpu.registers().eip == handlers_at + 2);
  b.cpu.nmi();
  b.step();
  CHECK(b.cpu.registers().eip == handlers_at + 3);
  b.step();  // IRET
  CHECK(b.cpu.registers().eip == code_at);
  b.step();
  CHECK(b.cpu.registers().eip == handlers_at + 2);
}

TEST_CASE("An NMI pending during the handler is taken right after IRET, before the next instruction",
          "[cpu][interrupt]") {
  Board b(GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6));
  b.put(handlers_at + 2,
        {0x43, 0x83, 0xFB, 0x02, 0x74, 0x01, 0xCF, 0xF4});  // INC EBX; CMP EBX, 2; JE halt; IRET; halt: HLT
  b.flat({0x41, 0xEB, 0xFD});                               // again: INC ECX; JMP again
  b.change([](Registers& r) { r.gpr[EBX] = 0; });
  b.cpu.run(100_us);
  b.cpu.nmi();
  b.step();
  b.cpu.nmi();
  const std::uint32_t rounds = b.cpu.registers().gpr[ECX];
  REQUIRE(rounds > 50);
  b.cpu.run(200_us);
  CHECK(b.cpu.halted());
  CHECK(b.cpu.registers().gpr[ECX] == rounds);
}

namespace {

/// Raises INTR at a given time, again every `period` if one is given.
struct Alarm {
  cpu::Cpu& processor;
  Time period;
  Event event;
  Alarm(Board& b, Time at, Time every = {})
      : processor(b.cpu),
        period(every),
        event(b.scheduler, "alarm", Priority::device, Callback::to<&Alarm::ring>(this)) {
    event.at(at);
  }
  void ring(Time now) {
    processor.set_intr(true);
    if (period > Time{}) event.at(now + period);
  }
};

}  // namespace

TEST_CASE("HLT sleeps until an event wakes the processor", "[cpu][interrupt]") {
  Board b;
  b.put(handlers_at + 0x20, {0x40, 0xF4});
  b.flat({0xFB, 0xF4, 0x43, 0xFA, 0xF4});
  Alarm alarm(b, 50_us);
  b.scheduler.run_until(100_us);
  CHECK(b.reg(EAX) == 1);
  CHECK(b.pins.acknowledged == 1);
  CHECK(b.cpu.halted_clocks() * 10 > b.cpu.clocks() * 9);
  CHECK(b.cpu.time() >= 100_us);
  CHECK(b.cpu.time() < 101_us);
}

TEST_CASE("REP MOVS is interrupted between iterations and finishes afterwards", "[cpu][interrupt][string]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  b.put(handlers_at + 0x20, {0x89, 0xCD, 0xCF});  // MOV EBP,ECX; IRET
  b.flat({0xFB, 0xF3, 0xA4, 0xFA, 0xF4});
  b.change([](Registers& r) {
    r.gpr[ESI] = 0x20000;
    r.gpr[EDI] = 0x30000;
    r.gpr[ECX] = 0x4000;
  });
  for (unsigned i = 0; i < 0x4000; ++i) b.put8(0x20000 + i, static_cast<std::uint8_t>(i * 7));
  Alarm alarm(b, 40_us);
  b.scheduler.run_until(50_ms);
  CHECK(b.cpu.halted());
  CHECK(b.pins.acknowledged == 1);
  CHECK(b.reg(EBP) > 0);
  CHECK(b.reg(EBP) < 0x4000);
  CHECK(b.reg(ECX) == 0);
  CHECK(std::equal(&b.ram[0x20000], &b.ram[0x24000], &b.ram[0x30000]));
}

// The handler's REP, cut by the end of a slice, used to be continued as the one across the pages.
TEST_CASE("An interrupted REP across two pages leaves no state for a REP in the handler", "[cpu][interrupt][string]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  b.flat({});
  constexpr std::uint32_t across = code_at + 0xFFF, handler = 0x6000;
  b.put(across, {0xF3, 0xA4, 0xF4});                                 // REP MOVSB; HLT
  b.put(handler, {0xB9, 0x08, 0x00, 0x00, 0x00, 0xF3, 0xAB, 0xF4});  // MOV ECX, 8; REP STOSD; HLT
  b.gate(idt_at + 0x20 * 8, code0, handler, 0x8E);
  b.change([](Registers& r) {
    r.eip = across;
    r.gpr[EAX] = 0x12345678;
    r.gpr[ECX] = 100;
    r.gpr[ESI] = data_at;
    r.gpr[EDI] = data_at + 0x1000;
    r.eflags |= 0x200;
  });
  b.step(3);
  const std::uint32_t left = b.reg(ECX), to = b.reg(EDI);
  REQUIRE(b.cpu.registers().eip == across);
  REQUIRE((left > 0 && left < 100));
  b.cpu.set_intr(true);
  b.run();
  CHECK(b.pins.acknowledged == 1);
  CHECK(b.cpu.registers().eip == handler + 8);
  CHECK(b.reg(ECX) == 0);
  CHECK(b.reg(EDI) == to + 32);
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(b.get32(to + 4 * i) == 0x12345678);
}

TEST_CASE("A shortened time slice does not change the clocks of a REP", "[cpu][string][determinism]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  const auto clocks = [&](Time slice) {
    Board b(model);
    b.flat({0xF3, 0xA5, 0xF3, 0xAB, 0xF3, 0xA6, 0xF4});
    b.change([](Registers& r) {
      r.gpr[ESI] = 0x20000;
      r.gpr[EDI] = 0x30001;
      r.gpr[ECX] = 500;
    });
    for (Time t = slice; !b.cpu.halted(); t += slice) b.cpu.run(t);
    return b.cpu.clocks() - b.cpu.halted_clocks();
  };
  const auto whole = clocks(10_ms);
  CHECK(clocks(1_us) == whole);
  CHECK(clocks(Time{130'000}) == whole);
}

TEST_CASE("Single step traps after each instruction", "[cpu][debug]") {
  Board b;
  b.flat({0x90, 0x90});
  b.change([](Registers& r) { r.eflags |= 0x100; });
  b.step(2);
  CHECK(b.vector() == 1);
  CHECK(b.stack(0) == code_at + 1);
  CHECK((b.cpu.registers().dr[6] & 0x4000) != 0);
  CHECK((b.stack(2) & 0x100) != 0);
  CHECK((b.flags() & 0x100) == 0);
}

TEST_CASE("An instruction breakpoint faults before the instruction; RF suppresses it", "[cpu][debug]") {
  Board b;
  b.flat({0x90, 0x90, 0x90});
  b.change([](Registers& r) {
    r.dr[0] = code_at + 1;
    r.dr[7] = 0x402;
  });
  b.step(2);
  CHECK(b.vector() == 1);
  CHECK(b.stack(0) == code_at + 1);
  CHECK((b.cpu.registers().dr[6] & 15) == 1);
  b.flat({0x90, 0x90, 0x90});
  b.change([](Registers& r) {
    r.dr[0] = code_at;
    r.dr[7] = 0x402;
    r.eflags |= 0x10000;
  });
  b.step();
  CHECK(b.cpu.registers().eip == code_at + 1);
  CHECK((b.flags() & 0x10000) == 0);
}

TEST_CASE("An instruction breakpoint faults once before a repeated string", "[cpu][debug]") {
  Board b;
  b.put(handlers_at + 1,
        {0x43, 0x81, 0x4C, 0x24, 0x08, 0x00, 0x00, 0x01, 0x00, 0xCF});  // INC EBX; OR [ESP+8], RF; IRET
  b.flat({0xF3, 0xAA, 0xF4});                                           // REP STOSB; HLT
  b.change([](Registers& r) {
    r.dr[0] = code_at;
    r.dr[7] = 0x402;
    r.gpr[EBX] = 0;
    r.gpr[ECX] = 5;
    r.gpr[EDI] = data_at;
  });
  b.step(20);
  CHECK(b.cpu.registers().eip == code_at + 3);
  CHECK(b.reg(ECX) == 0);
  CHECK(b.reg(EBX) == 1);
}

TEST_CASE("An interrupt pushes RF between iterations of a repeated string", "[cpu][debug]") {
  Board b;
  b.flat({0xF3, 0xAA, 0xF4});
  b.change([](Registers& r) {
    r.dr[0] = data_at;  // never executed; while it is enabled, each iteration is a step
    r.dr[7] = 0x402;
    r.gpr[ECX] = 5;
    r.gpr[EDI] = data_at;
    r.eflags |= 0x200;
  });
  b.step();
  REQUIRE(b.reg(ECX) == 4);
  b.cpu.set_intr(true);
  b.step();
  CHECK(b.vector() == 0x20);
  CHECK(b.stack(0) == code_at);
  CHECK((b.stack(2) & 0x10000) != 0);
}

TEST_CASE("RF restored by IRET survives an interrupt before the next instruction", "[cpu][debug]") {
  Board b;
  b.flat({0xCF, 0x90, 0x90});
  b.put32(stack_at, code_at + 1);
  b.put32(stack_at + 4, code0);
  b.put32(stack_at + 8, 0x10202);
  b.cpu.set_intr(true);
  b.step(2);
  CHECK(b.vector() == 0x20);
  CHECK(b.stack(0) == code_at + 1);
  CHECK(b.stack(2) == 0x10202);
}

TEST_CASE("A read that page-faults does not report its data breakpoint", "[cpu][debug]") {
  Board b;
  b.paged({0xA1, 0x00, 0x00, 0x02, 0x00, 0x90});  // MOV EAX,[20000h]
  b.pte(0x20000, 0);
  b.change([](Registers& r) {
    r.dr[0] = 0x20000;
    r.dr[7] = 0x000F0402;  // reads and writes, 4 bytes
  });
  b.step(2);
  CHECK(b.vector() == 14);
  CHECK((b.cpu.registers().dr[6] & 15) == 0);
}

TEST_CASE("A data breakpoint traps after the store", "[cpu][debug]") {
  Board b;
  b.flat({0xA2, 0x03, 0x00, 0x02, 0x00, 0xA0, 0x03, 0x00, 0x02, 0x00, 0x90});
  b.change([](Registers& r) {
    r.dr[1] = 0x20000;
    r.dr[7] = 0x00D00408;
  });  // write, 4 bytes
  b.step(2);
  CHECK(b.vector() == 1);
  CHECK(b.stack(0) == code_at + 5);
  CHECK((b.cpu.registers().dr[6] & 15) == 2);
}

TEST_CASE("An I/O breakpoint traps after an access to its ports while CR4.DE is set", "[cpu][debug]") {
  Board b(GENERATE(Model::pentium, Model::p6));
  const auto hits = [&](std::initializer_list<unsigned> code, std::uint32_t cr4 = 8) {
    b.flat(code);
    b.change([&](Registers& r) {
      r.cr4 = cr4;
      r.dr[2] = 0x60;
      r.dr[6] = 0;
      r.dr[7] = 0x0E000410;  // I/O, 4 ports
    });
    b.step(2);
    CHECK((b.cpu.registers().dr[6] & 15) == (b.vector() == 1 ? 4u : 0u));
    if (b.vector() == 1) CHECK(b.stack(0) == code_at + code.size() - 1);
    return b.vector() == 1;
  };
  CHECK(hits({0xE4, 0x63, 0x90}));                          // IN AL,63h
  CHECK(hits({0xE6, 0x60, 0x90}));                          // OUT 60h,AL
  CHECK(hits({0x66, 0xE7, 0x5F, 0x90}));                    // OUT 5Fh,AX
  CHECK_FALSE(hits({0xE4, 0x64, 0x90}));                    // IN AL,64h
  CHECK_FALSE(hits({0xE6, 0x5F, 0x90}));                    // OUT 5Fh,AL
  CHECK_FALSE(hits({0xE4, 0x60, 0x90}, 0));                 // IN AL,60h
  CHECK_FALSE(hits({0xA0, 0x60, 0x00, 0x00, 0x00, 0x90}));  // MOV AL,[60h]
}

TEST_CASE("An I/O breakpoint traps after each iteration of a repeated string", "[cpu][debug]") {
  const unsigned opcode = GENERATE(0x6C, 0x6E);  // INSB, OUTSB
  Board b(Model::pentium);
  b.put(handlers_at + 1, {0x43, 0xCF});  // INC EBX; IRET
  b.flat({0xF3, opcode, 0xF4});
  b.change([](Registers& r) {
    r.cr4 = 8;
    r.dr[0] = 0x60;
    r.dr[7] = 0x00020402;  // I/O, 1 port
    r.gpr[EBX] = 0;
    r.gpr[ECX] = 40;
    r.gpr[EDX] = 0x60;
    r.gpr[ESI] = r.gpr[EDI] = data_at;
  });
  b.run();
  CHECK(b.cpu.registers().eip == code_at + 3);
  CHECK(b.reg(ECX) == 0);
  CHECK(b.reg(EBX) == 40);
}

TEST_CASE("A reset raised within an instruction waits for its end", "[cpu]") {
  Board b;
  b.flat({0xE6, 0x64, 0x90});
  struct Resetter {
    Board& board;
    Event event;
    explicit Resetter(Board& bo)
        : board(bo), event(bo.scheduler, "reset", Priority::device, Callback::to<&Resetter::fire>(this)) {}
    void fire(Time now) { board.cpu.reset(now); }
  } resetter(b);
  b.pins.scheduler = &b.scheduler;
  resetter.event.at(300_ns);
  b.cpu.step();
  CHECK(b.pins.written.size() == 1);
  b.cpu.step();
  CHECK(b.cpu.registers().eip == 0xFFF0);
  CHECK(b.cpu.registers().segment[CS].selector == 0xF000);
}

namespace {

/// A program with interrupts every 37 us, string moves, self-modification, paging, port accesses and HLT.
void busy_program(Board& b) {
  b.paged({0xFB,                                // STI
           0xBE, 0x00, 0x00, 0x02, 0x00,        // MOV ESI,20000h
           0xBF, 0x03, 0x00, 0x06, 0x00,        // MOV EDI,60003h
           0xB9, 0xC8, 0x00, 0x00, 0x00,        // MOV ECX,200
           0xF3, 0xA5,                          // REP MOVSD
           0xFE, 0x05, 0x19, 0x00, 0x01, 0x00,  // INC byte [10019h]: the immediate of the next instruction
           0xB0, 0x00,                          // MOV AL,imm
           0x01, 0x86, 0x00, 0xF0, 0xFF, 0xFF,  // ADD [ESI-1000h],EAX
           0xE6, 0x80,                          // OUT 80h,AL
           0xA8, 0x07,                          // TEST AL,7
           0x75, 0xDA,                          // JNZ to MOV ESI
           0xF4,                                // HLT
           0xEB, 0xD7});                        // JMP to MOV ESI
  b.put(handlers_at + 0x20, {0x43, 0xCF});      // INC EBX; IRET
  b.pins.scheduler = &b.scheduler;
}

enum class Disturbance { none, short_blocks, flushes, cuts, snapshot };

std::string outcome(Model model, Disturbance d) {
  auto b = std::make_unique<Board>(model);
  busy_program(*b);
  if (d == Disturbance::short_blocks) b->cpu.limit_block_length(1);
  if (d == Disturbance::flushes) b->cpu.flush_blocks_at_random(99);
  if (d == Disturbance::cuts) b->scheduler.cut_horizons_at_random(4711);
  auto alarm = std::make_unique<Alarm>(*b, 37_us, 37_us);
  if (d == Disturbance::snapshot) {
    b->scheduler.run_until(3'333_us);
    Archive saved = Archive::saver();
    b->cpu.archive(saved);
    b->scheduler.archive(saved);
    alarm->event.archive(saved);
    auto other = std::make_unique<Board>(model);
    busy_program(*other);
    std::copy(b->ram.begin(), b->ram.end(), other->ram.begin());
    auto other_alarm = std::make_unique<Alarm>(*other, 1_us, 37_us);
    Archive loaded = Archive::loader(saved.stream());
    other->cpu.archive(loaded);
    other->scheduler.archive(loaded);
    other_alarm->event.archive(loaded);
    loaded.expect_end();
    other->scheduler.run_until(10_ms);
    return other->hash();
  }
  b->scheduler.run_until(10_ms);
  return b->hash();
}

}  // namespace

TEST_CASE("Host blocks, flushes, horizon cuts and snapshots do not affect the result", "[cpu][determinism]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  const std::string expected = outcome(model, Disturbance::none);
  CHECK(outcome(model, Disturbance::none) == expected);
  CHECK(outcome(model, Disturbance::short_blocks) == expected);
  CHECK(outcome(model, Disturbance::flushes) == expected);
  CHECK(outcome(model, Disturbance::cuts) == expected);
  CHECK(outcome(model, Disturbance::snapshot) == expected);
}
