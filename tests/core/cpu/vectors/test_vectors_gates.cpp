// SPDX-License-Identifier: GPL-2.0-or-later
// Privilege: call gates, conforming code, returns outwards, stacks of inner rings (PRM 6.3.3 to 6.3.5, CALL, RET, INT,
// IRET).
#include "vectors.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

// Ring 1, for faults whose handler (ring 0) needs a separate stack.
constexpr std::uint16_t gate_at = spare, code1 = 0x48, data1 = 0x50, conforming = 0x58, scratch = 0x60;
constexpr std::uint32_t target = code_at + 0x100, ring1_stack_at = 0x44000;

using Change = std::function<void(Board&)>;

Change gates(std::vector<unsigned> bytes, unsigned ring, Change change = {}) {
  return [=](Board& b) {
    b.descriptor(gdt_at + code1, 0, 0xFFFFF, 0xBB, 0xC);
    b.descriptor(gdt_at + data1, 0, 0xFFFFF, 0xB3, 0xC);
    b.descriptor(gdt_at + conforming, 0, 0xFFFFF, 0x9F, 0xC);
    b.put32(tss_at + 0x0C, ring1_stack_at);
    b.put16(tss_at + 0x10, data1 | 1);
    b.gate(gdt_at + gate_at, code1, target, 0xEC);
    b.flat({}, ring);
    std::uint32_t at = code_at;
    for (unsigned byte : bytes) b.put8(at++, static_cast<std::uint8_t>(byte));
    for (std::uint32_t i = 0; i < 32; ++i) b.put32(stack_at + 4 * i, 0x50000 + i);
    if (change) change(b);
  };
}
const std::vector<unsigned> call = {0x9A, 0, 0, 0, 0, gate_at | 3, 0}, jmp = {0xEA, 0, 0, 0, 0, gate_at | 3, 0};
std::vector<unsigned> far(unsigned opcode, unsigned selector) {
  return {opcode, 0, 1, 1, 0, selector & 0xFF, selector >> 8};
}

Change gate_to(std::uint16_t selector, std::uint32_t offset, unsigned access, unsigned params = 0) {
  return [=](Board& b) { b.gate(gdt_at + gate_at, selector, offset, access, params); };
}
Change described(std::uint32_t limit, unsigned access, unsigned flags, Change more) {
  return [=](Board& b) {
    b.descriptor(gdt_at + scratch, 0, limit, access, flags);
    more(b);
  };
}
Change stack1(std::uint16_t selector, std::uint32_t pointer = ring1_stack_at) {
  return [=](Board& b) {
    b.put16(tss_at + 0x10, selector);
    b.put32(tss_at + 0x0C, pointer);
  };
}

}  // namespace

TEST_CASE("A call gate inwards copies its parameters and changes the stack", "[cpu][vectors]") {
  check({
      // clang-format off
      {"no parameter", "PRM 6.3.4", gates(call, 3), 1, no_exception,
       {{cpl, 1}, {cs, code1 | 1}, {ss, data1 | 1}, {eip, target}, {ESP, ring1_stack_at - 16}, {s0, code_at + 7}, {s1, code3}, {s2, stack_at}, {s3, data3}}},
      {"three dwords", "PRM 6.3.4.1", gates(call, 3, gate_to(code1, target, 0xEC, 3)), 1, no_exception,
       {{ESP, ring1_stack_at - 28}, {s1, code3}, {s2, 0x50000}, {s3, 0x50001}, {s4, 0x50002}, {s5, stack_at}}},
      {"31 dwords", "PRM 6.3.4.1", gates(call, 3, gate_to(code1, target, 0xEC, 31)), 1, no_exception,
       {{ESP, ring1_stack_at - 140}, {s2, 0x50000}, {s9, 0x50007}}},
      {"a count above 31 is cut to five bits", "PRM 6.3.4 (dword count)", gates(call, 3, gate_to(code1, target, 0xEC, 33)), 1, no_exception, {{ESP, ring1_stack_at - 20}, {s2, 0x50000}}},
      {"a 286 gate copies words and takes 16 bits of the offset", "PRM 16.3", gates(call, 3, [](Board& b) { b.gate(gdt_at + gate_at, code1, 0x7F0100, 0xE4, 2); }), 1, no_exception,
       {{eip, 0x100}, {ESP, ring1_stack_at - 12}, {w0, (code_at + 7) & 0xFFFF}, {w1, code3}, {w2, 0}, {w3, 5}, {w4, stack_at & 0xFFFF}, {w5, data3}}},
      {"the offset in the instruction does not count", "PRM 6.3.4", gates({0x9A, 9, 9, 9, 9, gate_at | 3, 0}, 3), 1, no_exception, {{eip, target}}},
      {"to the same ring: no new stack, no parameters", "PRM 6.3.4", gates({0x9A, 0, 0, 0, 0, gate_at, 0}, 0, gate_to(code0, target, 0x8C, 5)), 1, no_exception,
       {{cpl, 0}, {eip, target}, {ESP, stack_at - 8}, {s0, code_at + 7}, {s1, code0}}},
      {"to conforming code of ring 0: CPL stays", "PRM 6.3.4", gates(call, 3, gate_to(conforming, target, 0xEC, 4)), 1, no_exception,
       {{cpl, 3}, {cs, conforming | 3}, {eip, target}, {ESP, stack_at - 8}, {s1, code3}}},
      {"JMP to conforming code", "PRM JMP", gates(jmp, 3, gate_to(conforming, target, 0xEC)), 1, no_exception, {{cpl, 3}, {cs, conforming | 3}, {ESP, stack_at}}},
      {"JMP to a more privileged ring", "PRM JMP: #GP(CS)", gates(jmp, 3), 1, 13, {{s0, code1}}},
      {"JMP through a gate in the same ring", "PRM JMP", gates({0xEA, 0, 0, 0, 0, gate_at, 0}, 0, gate_to(code0, target, 0x8C)), 1, no_exception, {{eip, target}, {ESP, stack_at}}},
      // clang-format on
  });
}

TEST_CASE("Accesses that a gate rejects, with the selector in the error code", "[cpu][vectors]") {
  check({
      // clang-format off
      {"gate DPL below CPL", "PRM 6.3.4: #GP(gate)", gates(call, 3, gate_to(code1, target, 0xCC)), 1, 13, {{s0, gate_at}}},
      {"gate DPL below RPL", "PRM 6.3.4: #GP(gate)", gates({0x9A, 0, 0, 0, 0, gate_at | 3, 0}, 0, gate_to(code0, target, 0xCC)), 1, 13, {{s0, gate_at}}},
      {"gate not present", "PRM CALL: #NP(gate)", gates(call, 3, gate_to(code1, target, 0x6C)), 1, 11, {{s0, gate_at}}},
      {"null selector in it", "PRM CALL: #GP(0)", gates(call, 3, gate_to(0, target, 0xEC)), 1, 13, {{s0, 0}}},
      {"selector beyond the GDT", "PRM CALL: #GP(CS)", gates(call, 3, gate_to(0x801, target, 0xEC)), 1, 13, {{s0, 0x800}}},
      {"target is data", "PRM CALL: #GP(CS)", gates(call, 3, gate_to(data1, target, 0xEC)), 1, 13, {{s0, data1}}},
      {"target is a gate", "PRM CALL: #GP(CS)", gates(call, 3, gate_to(gate_at, target, 0xEC)), 1, 13, {{s0, gate_at}}},
      {"target less privileged than CPL", "PRM CALL: #GP(CS)", gates({0x9A, 0, 0, 0, 0, gate_at, 0}, 0), 1, 13, {{s0, code1}}},
      {"target not present", "PRM CALL: #NP(CS)", gates(call, 3, described(0xFFFFF, 0x3B, 0xC, gate_to(scratch, target, 0xEC))), 1, 11, {{s0, scratch}}},
      {"offset beyond the target's limit", "PRM CALL: #GP(0)", gates(call, 3, described(0xFFF, 0xBB, 0x4, gate_to(scratch, target, 0xEC))), 1, 13, {{s0, 0}, {s1, code_at}}},
      // clang-format on
  });
}

TEST_CASE("The inner stack is checked before anything is pushed", "[cpu][vectors]") {
  check({
      {"null", "PRM CALL: #TS", gates(call, 3, stack1(0)), 1, 10, {{s0, 0}, {s1, code_at}, {s4, stack_at}}},
      {"RPL is not the new CPL", "PRM CALL: #TS(SS)", gates(call, 3, stack1(data1 | 2)), 1, 10, {{s0, data1}}},
      {"DPL is not the new CPL", "PRM CALL: #TS(SS)", gates(call, 3, stack1(data0 | 1)), 1, 10, {{s0, data0}}},
      {"beyond the GDT", "PRM CALL: #TS(SS)", gates(call, 3, stack1(0x801)), 1, 10, {{s0, 0x800}}},
      {"code", "PRM CALL: #TS(SS)", gates(call, 3, stack1(code1 | 1)), 1, 10, {{s0, code1}}},
      // clang-format off
      {"read-only", "PRM CALL: #TS(SS)", gates(call, 3, described(0xFFFFF, 0xB1, 0xC, stack1(scratch | 1))), 1, 10, {{s0, scratch}}},
      {"not present", "PRM CALL: #SS(SS)", gates(call, 3, described(0xFFFFF, 0x33, 0xC, stack1(scratch | 1))), 1, 12, {{s0, scratch}}},
      {"no room", "PRM CALL: #SS", gates(call, 3, described(0xFFF, 0xB3, 0x4, stack1(scratch | 1, 8))), 1, 12, {{s1, code_at}, {s4, stack_at}}},
      {"just enough room", "PRM CALL", gates(call, 3, described(0xFFF, 0xB3, 0x4, stack1(scratch | 1, 16))), 1, no_exception, {{cpl, 1}, {ESP, 0}}},
      {"parameters beyond the outer stack", "PRM CALL: #SS(0)",
       gates(call, 3, [](Board& b) { b.gate(gdt_at + gate_at, code1, target, 0xEC, 4); b.descriptor(gdt_at + scratch, 0, stack_at + 11, 0xF3, 4);
         b.change([&](Registers& r) { r.segment[SS] = b.segment(scratch | 3); }); }), 1, 12, {{s0, 0}, {s1, code_at}}},
      {"a TSS too short to hold it", "PRM CALL: #TS(TSS)",
       gates(call, 3, [](Board& b) { b.change([](Registers& r) { r.tr.limit = 0x10; }); b.descriptor(gdt_at + 0x70, 0, 0, 0, 0); }), 1, 10, {{s0, tss_selector}}},
      // clang-format on
  });
}

TEST_CASE("Direct far transfers by privilege", "[cpu][vectors]") {
  check({
      {"JMP to conforming code of ring 0 from ring 3",
       "PRM 6.3.3",
       gates(far(0xEA, conforming), 3),
       1,
       no_exception,
       {{cpl, 3}, {cs, conforming | 3}}},
      {"CALL to conforming code of ring 0 from ring 3",
       "PRM 6.3.3",
       gates(far(0x9A, conforming), 3),
       1,
       no_exception,
       {{cpl, 3}, {cs, conforming | 3}, {s1, code3}}},
      {"conforming code less privileged than CPL",
       "PRM JMP: #GP(CS)",
       gates(far(0xEA, scratch | 3), 0, described(0xFFFFF, 0xFF, 0xC, [](Board&) {})),
       1,
       13,
       {{s0, scratch}}},
      {"RPL above CPL", "PRM JMP: #GP(CS)", gates(far(0xEA, code0 | 3), 0), 1, 13, {{s0, code0}}},
      {"to ring 0 from ring 3", "PRM JMP: #GP(CS)", gates(far(0x9A, code0), 3), 1, 13, {{s0, code0}}},
      {"to ring 3 from ring 0", "PRM JMP: #GP(CS)", gates(far(0x9A, code3), 0), 1, 13, {{s0, code3 & 0xFFFC}}},
      {"null", "PRM JMP: #GP(0)", gates(far(0xEA, 3), 0), 1, 13, {{s0, 0}}},
      {"not present",
       "PRM JMP: #NP(CS)",
       gates(far(0xEA, scratch), 0, described(0xFFFFF, 0x1B, 0xC, [](Board&) {})),
       1,
       11,
       {{s0, scratch}}},
      {"offset beyond the limit",
       "PRM JMP: #GP(0)",
       gates(far(0xEA, scratch), 0, described(0xFFF, 0x9B, 0x4, [](Board&) {})),
       1,
       13,
       {{s0, 0}}},
      {"a TSS of the LDT", "PRM JMP: #GP", gates(far(0xEA, 0x0C), 0), 1, 13, {{s0, 0x0C}}},
  });
}

TEST_CASE("RETF and IRET outwards", "[cpu][vectors]") {
  const auto frame = [](std::initializer_list<std::uint32_t> dwords, Change more = {}) {
    return [dwords = std::vector<std::uint32_t>(dwords), more](Board& b) {
      std::uint32_t at = stack_at;
      for (std::uint32_t d : dwords) {
        b.put32(at, d);
        at += 4;
      }
      if (more) more(b);
    };
  };
  const auto data_in = [](std::uint16_t selector) {
    // clang-format off
    return [=](Board& b) { b.change([&](Registers& r) { for (unsigned s : {0u, 3u, 4u, 5u}) r.segment[s] = b.segment(selector); }); };
  };
  check({
      {"RETF to ring 3", "PRM RET", gates({0xCB}, 0, frame({target, code3, 0x30000, data3})), 1, no_exception,
       {{cpl, 3}, {eip, target}, {ESP, 0x30000}, {ss, data3}, {ds, 0}, {es, 0}}},
      {"RETF n releases parameters on both stacks", "PRM RET", gates({0xCA, 8, 0}, 0, frame({target, code3, 1, 2, 0x30000, data3})), 1, no_exception, {{cpl, 3}, {ESP, 0x30008}}},
      {"conforming code in DS stays, whatever its DPL", "PRM RET", gates({0xCB}, 0, frame({target, code3, 0x30000, data3}, data_in(conforming))), 1, no_exception, {{cpl, 3}, {ds, conforming}, {gs, conforming}}},
      {"data of ring 3 stay", "PRM RET", gates({0xCB}, 0, frame({target, code3, 0x30000, data3}, data_in(data3))), 1, no_exception, {{ds, data3}, {fs, data3}}},
      {"RETF inwards", "PRM RET: #GP(CS)", gates({0xCB}, 3, frame({target, code0})), 1, 13, {{s0, code0}}},
      {"RETF to null", "PRM RET: #GP(0)", gates({0xCB}, 0, frame({target, 0})), 1, 13, {{s0, 0}}},
      {"RETF to data", "PRM RET: #GP(CS)", gates({0xCB}, 0, frame({target, data0})), 1, 13, {{s0, data0}}},
      {"RETF: DPL is not RPL", "PRM RET: #GP(CS)", gates({0xCB}, 0, frame({target, code0 | 3, 0x30000, data3})), 1, 13, {{s0, code0}}},
      {"RETF outwards to a stack of the wrong ring", "PRM RET: #GP(SS)", gates({0xCB}, 0, frame({target, code3, 0x30000, data0})), 1, 13, {{s0, data0}}},
      {"RETF outwards to a null stack", "PRM RET: #GP(0)", gates({0xCB}, 0, frame({target, code3, 0x30000, 0})), 1, 13, {{s0, 0}}},
      {"RETF outwards to a stack that is not present", "PRM RET: #SS(SS)", gates({0xCB}, 0, described(0xFFFFF, 0x73, 0xC, frame({target, code3, 0x30000, scratch | 3}))), 1, 12, {{s0, scratch}}},
      {"RETF to code that is not present", "PRM RET: #NP(CS)", gates({0xCB}, 0, described(0xFFFFF, 0x1B, 0xC, frame({target, scratch}))), 1, 11, {{s0, scratch}}},
      {"RETF beyond the limit", "PRM RET: #GP(0)", gates({0xCB}, 0, described(0xFFF, 0x9B, 0x4, frame({target, scratch}))), 1, 13, {{s0, 0}}},
      {"IRETD to ring 3 with IOPL and IF", "PRM IRET", gates({0xCF}, 0, frame({target, code3, 0x3202, 0x30000, data3})), 1, no_exception, {{cpl, 3}, {flags, 0x3200}, {ESP, 0x30000}}},
      {"IRETD in ring 3 at IOPL 0 changes neither", "PRM IRET", gates({0xCF}, 3, frame({target, code3, 0x3202})), 1, no_exception, {{cpl, 3}, {flags, 0}}},
      {"IRETD in ring 3 at IOPL 3 changes IF", "PRM IRET", gates({0xCF}, 3, frame({target, code3, 0x0202}, [](Board& b) { b.change([](Registers& r) { r.eflags |= 0x3000; }); })), 1, no_exception, {{flags, 0x3200}}},
      {"IRET takes words", "PRM IRET", gates({0x66, 0xCF}, 0, [](Board& b) { b.put16(stack_at, 0x100); b.put16(stack_at + 2, code0); b.put16(stack_at + 4, 0x202); }), 1, no_exception, {{eip, 0x100}, {ESP, stack_at + 6}, {flags, 0x200}}},
      {"IRETD to an outer ring with a stack of the inner", "PRM IRET: #GP(SS)", gates({0xCF}, 0, frame({target, code3, 2, 0x30000, data0})), 1, 13, {{s0, data0}}},
      // clang-format on
      {"IRETD inwards", "PRM IRET: #GP(CS)", gates({0xCF}, 3, frame({target, code0, 2})), 1, 13, {{s0, code0}}},
  });
}

TEST_CASE("Gates of the interrupt table", "[cpu][vectors]") {
  const auto through = [](std::uint16_t selector, std::uint32_t offset, unsigned access, Change more = {}) {
    return [=](Board& b) {
      if (more) more(b);
      b.gate(idt_at + 0x40 * 8, selector, offset, access);
    };
  };
  const std::vector<unsigned> interrupt = {0xCD, 0x40};
  constexpr std::uint32_t idt_error = 0x40 * 8 + 2;
  check({
      // clang-format off
      {"386 interrupt gate clears IF", "PRM 9.6.1.2", gates(interrupt, 3, through(code0, handlers_at + 0x40, 0xEE, [](Board& b) { b.change([](Registers& r) { r.eflags |= 0x200; }); })), 1, 0x40, {{flags, 0}, {s2, 0x202}, {ESP, ring0_stack_at - 20}}},
      {"386 trap gate does not", "PRM 9.6.1.2", gates(interrupt, 3, through(code0, handlers_at + 0x40, 0xEF, [](Board& b) { b.change([](Registers& r) { r.eflags |= 0x200; }); })), 1, 0x40, {{flags, 0x200}}},
      {"286 interrupt gate pushes words", "PRM 16.3", gates(interrupt, 3, through(code0, handlers_at + 0x40, 0xE6)), 1, 0x40, {{ESP, ring0_stack_at - 10}, {w0, 2}, {w1, code3}, {w2, 2}, {w3, stack_at & 0xFFFF}, {w4, data3}}},
      {"both clear NT and TF", "PRM 9.6.1.2", gates(interrupt, 3, through(code0, handlers_at + 0x40, 0xEF, [](Board& b) { b.change([](Registers& r) { r.eflags |= 0x4000; }); })), 1, 0x40, {{flags, 0}, {s2, 0x4002}}},
      {"to conforming code: CPL stays", "PRM INT", gates(interrupt, 3, through(conforming, handlers_at + 0x40, 0xEE)), 1, 0x40, {{cpl, 3}, {ESP, stack_at - 12}}},
      {"to the same ring", "PRM INT", gates(interrupt, 0, through(code0, handlers_at + 0x40, 0x8E)), 1, 0x40, {{ESP, stack_at - 12}}},
      {"to ring 3 from ring 0", "PRM INT: #GP(CS)", gates(interrupt, 0, through(code3, handlers_at + 0x40, 0x8E)), 1, 13, {{s0, code3 & 0xFFFC}}},
      {"not present", "PRM INT: #NP(vector * 8 + 2)", gates(interrupt, 0, through(code0, handlers_at, 0x0E)), 1, 11, {{s0, idt_error}}},
      {"no gate at all", "PRM INT: #GP(vector * 8 + 2)", gates(interrupt, 0, through(code0, handlers_at, 0x9B)), 1, 13, {{s0, idt_error}}},
      {"a call gate in the IDT", "PRM INT: #GP(vector * 8 + 2)", gates(interrupt, 0, through(code0, handlers_at, 0x8C)), 1, 13, {{s0, idt_error}}},
      {"beyond the IDT", "PRM INT: #GP(vector * 8 + 2)", gates(interrupt, 0, [](Board& b) { b.change([](Registers& r) { r.idtr.limit = 0x40 * 8 + 6; }); }), 1, 13, {{s0, idt_error}}},
      {"the last byte of the IDT counts", "PRM INT", gates(interrupt, 0, [](Board& b) { b.change([](Registers& r) { r.idtr.limit = 0x40 * 8 + 7; }); }), 1, 0x40, {}},
      {"null selector in the gate", "PRM INT: #GP(0)", gates(interrupt, 0, through(0, handlers_at, 0x8E)), 1, 13, {{s0, 0}}},
      {"target not present", "PRM INT: #NP(CS)", gates(interrupt, 0, through(scratch, handlers_at, 0x8E, [](Board& b) { b.descriptor(gdt_at + scratch, 0, 0xFFFFF, 0x1B, 0xC); })), 1, 11, {{s0, scratch}}},
      {"offset beyond the target's limit", "PRM INT: #GP(0)", gates(interrupt, 0, through(scratch, handlers_at, 0x8E, [](Board& b) { b.descriptor(gdt_at + scratch, 0, 0xFFF, 0x9B, 4); })), 1, 13, {{s0, 0}}},
      {"an exception's gate that is missing: EXT is set", "PRM 9.7", gates({0x0F, 0x0B}, 3, [](Board& b) { b.gate(idt_at + 6 * 8, code0, handlers_at, 0x0E); }), 1, 11, {{s0, 6 * 8 + 3}}},
      {"an exception needs no DPL", "PRM 9.6.1.1", gates({0x0F, 0x0B}, 3), 1, 6, {{s0, code_at}}},
      {"INT 3 needs one", "PRM 9.6.1.1", gates({0xCC}, 3), 1, 13, {{s0, 3 * 8 + 2}}},
      {"inner stack missing", "PRM INT: #TS", gates(interrupt, 3, through(code1 | 1, handlers_at + 0x40, 0xEE, [](Board& b) { b.put16(tss_at + 0x10, data0 | 1); })), 1, 10, {{s0, data0}}},
      // clang-format on
  });
}
