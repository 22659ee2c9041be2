// SPDX-License-Identifier: GPL-2.0-or-later
// Task switches of every kind: PRM chapter 7 (7.5 steps and table 7-1, 7.6 nesting, 7.7 busy bit), 9.8 for the error
// codes.
#include "vectors.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

// The running task has the TSS at tss_at; `next` is entered, `third` handles its exceptions.
constexpr std::uint16_t next_task = spare, third_task = 0x48, task_gate = 0x50, ldt_selector = 0x58,
                        scratch_task = 0x60, next16 = 0x68;
constexpr std::uint32_t next_at = 0x7000, third_at = 0x7200, next16_at = 0x7400, next_eip = code_at + 0x200,
                        third_eip = code_at + 0x300, next_stack = 0x30000, third_stack = 0x34000;
constexpr unsigned nt = 0x4000;

void tss32(Board& b, std::uint16_t selector, std::uint32_t at, std::uint32_t start, std::uint32_t stack) {
  b.descriptor(gdt_at + selector, at, 0x67, 0x89, 0);
  std::fill_n(&b.ram[at], 0x68, 0);
  b.put32(at + 4, ring0_stack_at);
  b.put16(at + 8, data0);
  b.put32(at + 0x20, start);
  b.put32(at + 0x24, 2);
  b.put32(at + 0x28, 0xAAAAAAAA);
  b.put32(at + 0x38, stack);
  for (unsigned s = 0; s < 6; ++s) b.put16(at + 0x48 + 4 * s, s == CS ? code0 : data0);
  b.put16(at + 0x66, 0x68);
}
void tss16(Board& b) {
  b.descriptor(gdt_at + next16, next16_at, 0x2B, 0x81, 0);
  std::fill_n(&b.ram[next16_at], 0x2C, 0);
  b.put16(next16_at + 0x0E, 0x200);
  b.put16(next16_at + 0x10, 2);
  b.put16(next16_at + 0x12, 0xBBBB);
  b.put16(next16_at + 0x1A, 0x8000);
  for (unsigned s = 0; s < 4; ++s) b.put16(next16_at + 0x22 + 2 * s, s == CS ? code16 : data16);
}

/// Three tasks, a task gate to the next, exceptions 10 to 13 through task gates to the third.
std::function<void(Board&)> tasks(std::initializer_list<unsigned> bytes, std::function<void(Board&)> change = {},
                                  unsigned ring = 0) {
  return [=](Board& b) {
    tss32(b, next_task, next_at, next_eip, next_stack);
    tss32(b, third_task, third_at, third_eip, third_stack);
    tss16(b);
    b.gate(gdt_at + task_gate, next_task, 0, 0xE5);
    b.gate(idt_at + 0x40 * 8, next_task, 0, 0xE5);
    for (unsigned v = 10; v <= 13; ++v) b.gate(idt_at + v * 8, third_task, 0, 0x85);
    b.put(code_at + 0x200, {0xCF, 0xF4});  // IRET; HLT (both sizes)
    b.flat(bytes, ring);
    b.change([](Registers& r) { r.gpr[EBX] = 0xB0B0B0B0; });
    if (change) change(b);
  };
}

std::uint8_t access_of(const Board& b, std::uint16_t selector) { return b.ram[gdt_at + selector + 5]; }
constexpr std::initializer_list<unsigned> jmp_next = {0xEA, 0, 0, 0, 0, next_task, 0},
                                          jmp_gate = {0xEA, 0, 0, 0, 0, task_gate, 0},
                                          call_next = {0x9A, 0, 0, 0, 0, next_task, 0},
                                          call_gate = {0x9A, 0, 0, 0, 0, task_gate, 0}, int_gate = {0xCD, 0x40},
                                          jmp_16 = {0xEA, 0, 0, 0, 0, next16, 0},
                                          call_16 = {0x9A, 0, 0, 0, 0, next16, 0};

/// State in the third task: the error code, the previous task (back link), and the EIP saved in that task.
std::vector<Is> caught(std::uint32_t error) { return {{tr, third_task}, {eip, third_eip}, {s0, error}}; }

}  // namespace

TEST_CASE("Busy bits, back link and NT by the way a task is entered", "[cpu][vectors]") {
  struct Row {  // PRM table 7-2
    const char* what;
    std::initializer_list<unsigned> bytes;
    bool nests;
    std::uint32_t resume;
  };
  const Row rows[] = {{"JMP to a TSS", jmp_next, false, 7},
                      {"JMP to a task gate", jmp_gate, false, 7},
                      {"CALL to a TSS", call_next, true, 7},
                      {"CALL to a task gate", call_gate, true, 7},
                      {"INT to a task gate", int_gate, true, 2}};
  for (const Row& row : rows) {
    INFO(row.what);
    Board b;
    tasks(row.bytes)(b);
    b.put16(next_at, 0x1234);
    b.step();
    CHECK(look(b, tr) == next_task);
    CHECK(look(b, eip) == next_eip);
    CHECK(look(b, EAX) == 0xAAAAAAAAu);
    CHECK(look(b, ESP) == next_stack);  // INT pushes no error code
    CHECK((look(b, cr0) & 8) != 0);
    CHECK(((look(b, flags) & nt) != 0) == row.nests);
    CHECK(b.get16(next_at) == (row.nests ? std::uint16_t{tss_selector} : 0x1234));
    CHECK(access_of(b, tss_selector) == (row.nests ? 0x8B : 0x89));
    CHECK(access_of(b, next_task) == 0x8B);
    CHECK(b.get32(tss_at + 0x20) == code_at + row.resume);
    CHECK(b.get32(tss_at + 0x34) == 0xB0B0B0B0u);
    CHECK(b.get32(tss_at + 0x38) == stack_at);
    CHECK(b.get16(tss_at + 0x4C) == code0);
    if (!row.nests) continue;
    b.step();  // IRET
    CHECK(look(b, tr) == tss_selector);
    CHECK(look(b, eip) == code_at + row.resume);
    CHECK(look(b, EBX) == 0xB0B0B0B0u);
    CHECK((look(b, flags) & nt) == 0);
    CHECK(access_of(b, tss_selector) == 0x8B);
    CHECK(access_of(b, next_task) == 0x89);
    CHECK((b.get32(next_at + 0x24) & nt) == 0);      // cleared in the image that is saved
    CHECK(b.get32(next_at + 0x20) == next_eip + 1);  // after its IRET
  }
}

TEST_CASE("286 task states: words only, four segment registers", "[cpu][vectors]") {
  Board b;
  tasks(call_16)(b);
  b.put(code_at + 0x200, {0xCF});
  b.step();
  CHECK(look(b, tr) == next16);
  CHECK(look(b, eip) == 0x200);
  CHECK(look(b, cs) == code16);
  CHECK((look(b, EAX) & 0xFFFF) == 0xBBBBu);
  CHECK((look(b, ESP) & 0xFFFF) == 0x8000u);
  CHECK(look(b, fs) == 0);
  CHECK(look(b, gs) == 0);
  CHECK((look(b, flags) & nt) != 0);
  CHECK(b.get16(next16_at) == tss_selector);
  CHECK(access_of(b, next16) == 0x83);
  CHECK(b.get32(tss_at + 0x20) == code_at + 7);  // the 386 task was saved completely
  b.step();
  CHECK(look(b, tr) == tss_selector);
  CHECK(look(b, eip) == code_at + 7);
  CHECK(look(b, EBX) == 0xB0B0B0B0u);
  CHECK(b.get16(next16_at + 0x0E) == 0x201);
  CHECK(b.get16(next16_at + 0x12) == 0xBBBB);
  CHECK(b.get16(next16_at + 0x24) == code16);
  CHECK(access_of(b, next16) == 0x81);
  // from a 286 task to a 386 one
  tasks(jmp_16)(b);
  b.put(code_at + 0x200, {0xEA, 0, 0, next_task, 0});
  b.step(2);
  CHECK(look(b, tr) == next_task);
  CHECK(look(b, eip) == next_eip);
  CHECK(b.get16(next16_at + 0x0E) == 0x205);
  CHECK(access_of(b, next16) == 0x81);
}

TEST_CASE("Faults before the switch belong to the old task", "[cpu][vectors]") {
  const auto with = [](std::initializer_list<unsigned> bytes, std::function<void(Board&)> change, unsigned ring = 0) {
    auto start = tasks(bytes, std::move(change), ring);
    return [start](Board& b) {
      start(b);
      for (unsigned v = 10; v <= 13; ++v) b.gate(idt_at + v * 8, code0, handlers_at + v, 0x8E);
    };
  };
  const auto descriptor = [](std::uint16_t s, std::uint32_t at, std::uint32_t limit, unsigned access) {
    return [=](Board& b) { b.descriptor(gdt_at + s, at, limit, access, 0); };
  };
  const std::vector<Is> old_task = {{tr, tss_selector}, {s1, code_at}};
  const auto old_with = [&](std::uint32_t error) {
    auto list = old_task;
    list.push_back({s0, error});
    return list;
  };
  check({
      // clang-format off
      {"a TSS shorter than 104 bytes", "PRM 7.5 and 9.8.10: #TS(TSS)", with(jmp_next, descriptor(next_task, next_at, 0x66, 0x89)), 1, 10, old_with(next_task)},
      {"a 286 TSS shorter than 44 bytes", "PRM 9.8.10", with(jmp_16, descriptor(next16, next16_at, 0x2A, 0x81)), 1, 10, old_with(next16)},
      {"a TSS that is not present", "PRM 9.8.11: #NP(TSS)", with(call_next, descriptor(next_task, next_at, 0x67, 0x09)), 1, 11, old_with(next_task)},
      {"a busy TSS by JMP", "PRM 7.5: #GP(TSS)", with(jmp_next, descriptor(next_task, next_at, 0x67, 0x8B)), 1, 13, old_with(next_task)},
      {"a busy TSS by CALL", "PRM 7.5", with(call_next, descriptor(next_task, next_at, 0x67, 0x8B)), 1, 13, old_with(next_task)},
      {"a busy TSS through a task gate", "PRM CALL: #GP(TSS)", with(call_gate, descriptor(next_task, next_at, 0x67, 0x8B)), 1, 13, old_with(next_task)},
      {"the own TSS", "PRM 7.6: tasks are not re-entrant", with({0x9A, 0, 0, 0, 0, tss_selector, 0}, {}), 1, 13, old_with(tss_selector)},
      {"a TSS of DPL 0 from ring 3", "PRM JMP: DPL >= max(CPL, RPL)", with(jmp_next, {}, 3), 1, 13, old_with(next_task)},
      {"a TSS of DPL 3 with RPL 3 from ring 0", "PRM JMP", with({0xEA, 0, 0, 0, 0, next_task | 3, 0}, descriptor(next_task, next_at, 0x67, 0xE9)), 1, no_exception, {{tr, next_task | 3}}},
      {"a TSS of DPL 0 with RPL 3", "PRM JMP", with({0xEA, 0, 0, 0, 0, next_task | 3, 0}, {}), 1, 13, old_with(next_task)},
      {"a task gate of DPL 0 from ring 3", "PRM CALL", with(call_gate, [](Board& b) { b.gate(gdt_at + task_gate, next_task, 0, 0x85); }, 3), 1, 13, old_with(task_gate)},
      {"a task gate of DPL 3 to a TSS of DPL 0 from ring 3", "PRM 7.4: the gate's DPL alone counts", with(call_gate, {}, 3), 1, no_exception, {{tr, next_task}}},
      {"a task gate that is not present", "PRM CALL: #NP(gate)", with(call_gate, [](Board& b) { b.gate(gdt_at + task_gate, next_task, 0, 0x65); }), 1, 11, old_with(task_gate)},
      {"a task gate to the LDT", "PRM CALL: TSS must be global, #GP(TSS)", with(call_gate, [](Board& b) { b.gate(gdt_at + task_gate, next_task | 4, 0, 0xE5); }), 1, 13, old_with(next_task | 4)},
      {"a task gate to code", "PRM CALL: #GP(TSS)", with(call_gate, [](Board& b) { b.gate(gdt_at + task_gate, code0, 0, 0xE5); }), 1, 13, old_with(code0)},
      {"a task gate beyond the GDT", "PRM CALL", with(call_gate, [](Board& b) { b.gate(gdt_at + task_gate, 0x800, 0, 0xE5); }), 1, 13, old_with(0x800)},
      {"INT to a task gate of DPL 0 from ring 3", "PRM INT: #GP(vector * 8 + 2)", with(int_gate, [](Board& b) { b.gate(idt_at + 0x40 * 8, next_task, 0, 0x85); }, 3), 1, 13, old_with(0x40 * 8 + 2)},
      {"INT to a busy TSS", "PRM INT: #GP(TSS)", with(int_gate, descriptor(next_task, next_at, 0x67, 0x8B)), 1, 13, old_with(next_task)},
      {"IRET with NT and a link to a TSS that is not busy", "PRM IRET: #TS(link)", with({0xCF}, [](Board& b) { b.put16(tss_at, next_task); b.change([](Registers& r) { r.eflags |= nt; }); }), 1, 10, old_with(next_task)},
      {"IRET with NT and a link to code", "PRM IRET: #TS(link)", with({0xCF}, [](Board& b) { b.put16(tss_at, code0); b.change([](Registers& r) { r.eflags |= nt; }); }), 1, 10, old_with(code0)},
      {"IRET with NT and a link to the LDT", "PRM IRET: #TS(link)", with({0xCF}, [](Board& b) { b.put16(tss_at, next_task | 4); b.change([](Registers& r) { r.eflags |= nt; }); }), 1, 10, old_with(next_task | 4)},
      // clang-format on
  });
}

TEST_CASE("Faults in the new task's segments occur in the new task", "[cpu][vectors]") {
  // PRM table 7-1 and 9.8.10: the third task sees the error code, its back link names the new task.
  const auto segment = [](unsigned s, std::uint16_t selector) {
    return tasks(jmp_next, [=](Board& b) { b.put16(next_at + 0x48 + 4 * s, selector); });
  };
  const auto described = [](unsigned s, unsigned access, unsigned rpl = 0) {
    return tasks(jmp_next, [=](Board& b) {
      b.descriptor(gdt_at + scratch_task, 0, 0xFFFFF, access, 0xC);
      b.put16(next_at + 0x48 + 4 * s, static_cast<std::uint16_t>(scratch_task | rpl));
    });
  };
  const auto local = [](std::uint16_t selector, unsigned access) {
    return tasks(jmp_next, [=](Board& b) {
      b.descriptor(gdt_at + ldt_selector, ldt_at, 0xFF, access, 0);
      b.put16(next_at + 0x60, selector);
    });
  };
  const std::vector<Vector> rows = {
      {"LDT is no LDT", "#TS(LDT)", local(data0, 0x82), 1, no_exception, caught(data0)},
      {"LDT not present", "#TS(LDT)", local(ldt_selector, 0x02), 1, no_exception, caught(ldt_selector)},
      {"LDT beyond the GDT", "#TS(LDT)", local(0x800, 0x82), 1, no_exception, caught(0x800)},
      {"LDT in an LDT", "#TS(LDT)", local(ldt_selector | 4, 0x82), 1, no_exception, caught(ldt_selector | 4)},
      {"CS null", "#TS(0)", segment(CS, 0), 1, no_exception, caught(0)},
      {"CS is data", "#TS(CS)", segment(CS, data0), 1, no_exception, caught(data0)},
      {"CS beyond the GDT", "#TS(CS)", segment(CS, 0x800), 1, no_exception, caught(0x800)},
      {"CS: DPL is not its RPL", "#TS(CS)", segment(CS, code0 | 3), 1, no_exception, caught(code0)},
      {"CS not present", "#NP(CS)", described(CS, 0x1B), 1, no_exception, caught(scratch_task)},
      {"SS null", "#TS(0)", segment(SS, 0), 1, no_exception, caught(0)},
      {"SS is code", "#TS(SS)", segment(SS, code0), 1, no_exception, caught(code0)},
      {"SS read-only", "#TS(SS)", described(SS, 0x91), 1, no_exception, caught(scratch_task)},
      {"SS: DPL is not CPL", "#TS(SS)", segment(SS, data3), 1, no_exception, caught(data3 & 0xFFFC)},
      {"SS not present", "#SS(SS)", described(SS, 0x13), 1, no_exception, caught(scratch_task)},
      {"DS not present", "#NP(DS)", described(DS, 0x13), 1, no_exception, caught(scratch_task)},
      {"DS execute-only", "#TS(DS)", described(DS, 0x99), 1, no_exception, caught(scratch_task)},
      {"ES is a TSS", "#TS(ES)", segment(ES, third_task), 1, no_exception, caught(third_task)},
      {"FS beyond the GDT", "#TS(FS)", segment(FS, 0x7F8 + 8), 1, no_exception, caught(0x800)},
      {"GS: RPL above its DPL", "#TS(GS)", segment(GS, data0 | 3), 1, no_exception, caught(data0)},
  };
  check(rows);
  for (const Vector& row : rows) {
    INFO(row.what);
    Board b;
    row.start(b);
    b.step();
    CHECK(b.get16(third_at) == next_task);
    CHECK(b.get32(next_at + 0x20) == next_eip);  // none of its instructions has been executed
    CHECK(access_of(b, tss_selector) == 0x89);   // the old task is no longer busy
    CHECK(access_of(b, next_task) == 0x8B);
  }
}

TEST_CASE("EIP, trap bit, breakpoints and page tables of the new task", "[cpu][vectors]") {
  check({
      {"EIP beyond the new CS limit", "PRM JMP: #GP(0) in the new task",
       // clang-format off
       tasks(jmp_next, [](Board& b) { b.descriptor(gdt_at + scratch_task, 0, 0xFFF, 0x9B, 4); b.put16(next_at + 0x4C, scratch_task); }), 1, no_exception, caught(0)},
      {"T bit: #DB before the first instruction", "PRM 12.3.1.5: DR6.BT", tasks(jmp_next, [](Board& b) { b.put16(next_at + 0x64, 1); }), 2, 1,
       {{tr, next_task}, {s0, next_eip}, {dr6, 0x8000}}},
      {"null DS to GS are allowed", "PRM table 7-1", tasks(jmp_next, [](Board& b) { for (unsigned s : {0u, 3u, 4u, 5u}) b.put16(next_at + 0x48 + 4 * s, 0); }), 1, no_exception,
       {{tr, next_task}, {ds, 0}, {es, 0}, {fs, 0}, {gs, 0}, {eip, next_eip}}},
      {"local breakpoints end with the task, global ones stay", "PRM 12.2.2", tasks(jmp_next, [](Board& b) { b.change([](Registers& r) { r.dr[7] = 0x40F; }); }), 1, no_exception,
       {{tr, next_task}, {dr7, 0x40A}}},
      {"a task of virtual-8086 mode", "PRM 15.3.1: VM in the TSS's EFLAGS",
       tasks(jmp_next, [](Board& b) { b.put32(next_at + 0x24, 0x20002); b.put16(next_at + 0x4C, 0x1000); b.put16(next_at + 0x54, 0x2222); b.put16(next_at + 0x50, 0x4000); b.put32(next_at + 0x20, 0x200); }), 1, no_exception,
       {{tr, next_task}, {cpl, 3}, {flags, 0x20000}, {cs, 0x1000}, {ds, 0x2222}, {eip, 0x200}}},
      {"NT in the image of a task that is jumped to stays", "PRM table 7-2", tasks(jmp_next, [](Board& b) { b.put32(next_at + 0x24, 2 | nt); }), 1, no_exception, {{flags, nt}}},
      {"an external interrupt through a task gate", "PRM 9.6.2",
       tasks({0x90, 0x90}, [](Board& b) { b.pins.vector = 0x40; b.change([](Registers& r) { r.eflags |= 0x200; }); b.cpu.set_intr(true); }), 1, no_exception,
       {{tr, next_task}, {flags, nt}, {ESP, next_stack}}},
      {"an exception in ring 3 through a task gate to ring 0 needs no inner stack", "PRM 9.6.2",
       tasks({0xF4}, [](Board& b) { b.put16(tss_at + 8, 0); }, 3), 1, no_exception, {{tr, third_task}, {cpl, 0}, {s0, 0}}},
      // clang-format on
  });
  Board b;
  b.paged({});
  tss32(b, next_task, next_at, next_eip, next_stack);
  b.put32(next_at + 0x1C, 0xA000);
  b.put32(0xA000, 0xB007);
  for (std::uint32_t i = 0; i < 512; ++i) b.put32(0xB000 + i * 4, i << 12 | 7);
  b.put32(0xB000 + 0x60 * 4, 0x70007);  // 60000h is mapped elsewhere in the new task
  b.put32(0x70000, 0x600D600D);
  b.put(code_at, {0xEA, 0, 0, 0, 0, next_task, 0});
  b.put(code_at + 0x200, {0xA1, 0, 0, 6, 0});
  b.step(2);
  CHECK(look(b, cr3) == 0xA000);
  CHECK(look(b, EAX) == 0x600D600Du);
}
