// SPDX-License-Identifier: GPL-2.0-or-later
// Virtual-8086 mode (PRM chapter 15) and the I/O permission bitmap (PRM 8.3).
#include "vectors.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

constexpr std::uint32_t vm = 0x20000, flag_if = 0x200, flag_nt = 0x4000;
constexpr std::uint32_t iopl(unsigned level) { return level << 12; }

/// In V86 mode at 1000:0000, stack 4000:8000, data 2000; handlers in ring 0.
std::function<void(Board&)> v86(std::vector<unsigned> bytes, unsigned level, std::function<void(Board&)> change = {}) {
  return [=](Board& b) {
    b.flat({}, 3);
    std::uint32_t at = code_at;
    for (unsigned byte : bytes) b.put8(at++, static_cast<std::uint8_t>(byte));
    b.change([&](Registers& r) {
      static constexpr std::uint16_t selectors[6] = {0x2100, 0x1000, 0x4000, 0x2000, 0x2200, 0x2300};
      for (unsigned s = 0; s < 6; ++s) r.segment[s] = {selectors[s], selectors[s] * 16u, 0xFFFF, 0xF3, false};
      r.eip = 0;
      r.gpr[ESP] = 0x8000;
      r.eflags = 2 | vm | iopl(level);
    });
    if (change) change(b);
  };
}
/// #GP(0) with the frame of a V86 program, at its first instruction.
const std::vector<Is> trapped = {{cpl, 0},     {s0, 0},      {s1, 0},      {s2, 0x1000}, {s4, 0x8000},
                                 {s5, 0x4000}, {s6, 0x2100}, {s7, 0x2000}, {s8, 0x2200}, {s9, 0x2300},
                                 {ds, 0},      {es, 0},      {fs, 0},      {gs, 0}};
void gate3(Board& b) { b.gate(idt_at + 0x40 * 8, code0, handlers_at + 0x40, 0xEE); }

}  // namespace

TEST_CASE("IOPL-sensitive instructions trap below IOPL 3, others do not", "[cpu][vectors]") {
  for (const unsigned level : {0u, 1u, 2u})
    check({
        {"CLI", "PRM 15.3.2", v86({0xFA}, level), 1, 13, trapped},
        {"STI", "PRM 15.3.2", v86({0xFB}, level), 1, 13, trapped},
        {"PUSHF", "PRM 15.3.2", v86({0x9C}, level), 1, 13, trapped},
        {"PUSHFD", "PRM 15.3.2", v86({0x66, 0x9C}, level), 1, 13, trapped},
        {"POPF", "PRM 15.3.2", v86({0x9D}, level), 1, 13, trapped},
        {"INT n", "PRM 15.3.2", v86({0xCD, 0x40}, level, gate3), 1, 13, trapped},
        {"IRET", "PRM 15.3.2", v86({0xCF}, level), 1, 13, trapped},
        // clang-format off
        {"INT 3 is not", "PRM 15.3.2", v86({0xCC}, level, [](Board& b) { b.gate(idt_at + 3 * 8, code0, handlers_at + 3, 0xEE); }), 1, 3, {{s0, 1}}},
        {"INTO is not", "PRM 15.3.2", v86({0xCE}, level, [](Board& b) { b.gate(idt_at + 4 * 8, code0, handlers_at + 4, 0xEE); b.change([](Registers& r) { r.eflags |= 0x800; }); }), 1, 4, {{s0, 1}}},
        {"LOCK is not on these chips", "PRM 15.3.2 (8086 instructions)", v86({0xF0, 0xFE, 0x06, 0, 0}, level), 1, no_exception, {}},
    });
  check({
      {"CLI at IOPL 3", "PRM 15.3.2", v86({0xFA}, 3, [](Board& b) { b.change([](Registers& r) { r.eflags |= flag_if; }); }), 1, no_exception, {{flags, vm | iopl(3)}}},
      {"STI at IOPL 3", "PRM 15.3.2", v86({0xFB}, 3), 1, no_exception, {{flags, vm | iopl(3) | flag_if}}},
      {"PUSHF at IOPL 3 pushes 16 bits", "PRM PUSHF", v86({0x9C}, 3), 1, no_exception, {{ESP, 0x7FFE}, {w0, 0x3002}}},
      {"POPF at IOPL 3 changes IF, not IOPL nor VM", "PRM POPF", v86({0x9D}, 3, [](Board& b) { b.put16(stack_at + 0x8000, 0x0202); }), 1, no_exception, {{flags, vm | iopl(3) | flag_if}, {ESP, 0x8002}}},
      {"IRET at IOPL 3 stays in V86 mode", "PRM IRET", v86({0xCF}, 3, [](Board& b) { b.put16(stack_at + 0x8000, 0x123); b.put16(stack_at + 0x8002, 0x1800); b.put16(stack_at + 0x8004, 0x0202); }), 1, no_exception,
       {{eip, 0x123}, {cs, 0x1800}, {flags, vm | iopl(3) | flag_if}, {cpl, 3}}},
      {"INT n at IOPL 3 through a gate of DPL 3", "PRM 15.4", v86({0xCD, 0x40}, 3, gate3), 1, 0x40, {{cpl, 0}, {s0, 2}, {s1, 0x1000}, {s3, 0x8000}, {s4, 0x4000}, {ESP, ring0_stack_at - 36}}},
      {"INT n at IOPL 3 through a gate of DPL 0", "PRM INT: #GP(vector * 8 + 2)", v86({0xCD, 0x40}, 3), 1, 13, {{s0, 0x40 * 8 + 2}}},
      // clang-format on
  });
}

TEST_CASE("Operations that V86 mode forbids at any IOPL", "[cpu][vectors]") {
  check({
      {"HLT", "PRM HLT: #GP(0)", v86({0xF4}, 3), 1, 13, trapped},
      {"CLTS", "PRM CLTS", v86({0x0F, 0x06}, 3), 1, 13, trapped},
      {"LGDT", "PRM LGDT", v86({0x0F, 0x01, 0x16, 0, 0}, 3), 1, 13, trapped},
      {"LIDT", "PRM LIDT", v86({0x0F, 0x01, 0x1E, 0, 0}, 3), 1, 13, trapped},
      {"LMSW", "PRM LMSW", v86({0x0F, 0x01, 0xF0}, 3), 1, 13, trapped},
      {"MOV CR0", "PRM MOV", v86({0x0F, 0x22, 0xC0}, 3), 1, 13, trapped},
      {"MOV from CR3", "PRM MOV", v86({0x0F, 0x20, 0xD8}, 3), 1, 13, trapped},
      {"MOV DR7", "PRM MOV", v86({0x0F, 0x23, 0xF8}, 3), 1, 13, trapped},
      {"INVLPG", "486 INVLPG", v86({0x0F, 0x01, 0x3E, 0, 0}, 3), 1, 13, trapped},
      {"WBINVD", "486 WBINVD", v86({0x0F, 0x09}, 3), 1, 13, trapped},
      {"SLDT", "PRM SLDT: #UD", v86({0x0F, 0x00, 0xC0}, 3), 1, 6, {{s0, 0}, {s1, 0x1000}}},
      {"STR", "PRM STR", v86({0x0F, 0x00, 0xC8}, 3), 1, 6, {}},
      {"LLDT", "PRM LLDT", v86({0x0F, 0x00, 0xD0}, 3), 1, 6, {}},
      {"LTR", "PRM LTR", v86({0x0F, 0x00, 0xD8}, 3), 1, 6, {}},
      {"VERR", "PRM VERR", v86({0x0F, 0x00, 0xE0}, 3), 1, 6, {}},
      {"LAR", "PRM LAR", v86({0x0F, 0x02, 0xC0}, 3), 1, 6, {}},
      {"LSL", "PRM LSL", v86({0x0F, 0x03, 0xC0}, 3), 1, 6, {}},
      {"ARPL", "PRM ARPL", v86({0x63, 0xC0}, 3), 1, 6, {}},
      {"SMSW is allowed", "PRM SMSW", v86({0x0F, 0x01, 0xE0}, 0), 1, no_exception, {{EAX, 0x11}}},
      {"SGDT is allowed", "PRM SGDT", v86({0x0F, 0x01, 0x06, 0, 0}, 0), 1, no_exception, {}},
      {"an offset beyond 64 KB", "PRM 15.2: #GP(0)", v86({0x67, 0x8A, 0x05, 0, 0, 1, 0}, 3), 1, 13, trapped},
      {"a word at FFFFh", "PRM 14.7", v86({0xA1, 0xFF, 0xFF}, 3), 1, 13, trapped},
      {"a word at SS:FFFFh",
       "PRM 14.7",
       v86({0x58}, 3, [](Board& b) { b.change([](Registers& r) { r.gpr[ESP] = 0xFFFF; }); }),
       1,
       12,
       {{s0, 0}, {s4, 0xFFFF}}},
  });
}

TEST_CASE("V86 segments are paragraphs, and interrupts leave V86 mode", "[cpu][vectors]") {
  check({
      // clang-format off
      {"MOV DS accepts any selector", "PRM 15.2", v86({0x8E, 0xD8, 0xA0, 0x00, 0x00}, 0, [](Board& b) { b.change([](Registers& r) { r.gpr[EAX] = 0x2345; }); b.put8(0x23450, 0x77); }), 2, no_exception, {{ds, 0x2345}, {EAX, 0x2377}}},
      {"a far jump accepts any selector", "PRM 15.2", v86({0xEA, 0x10, 0x00, 0x45, 0x23}, 0), 1, no_exception, {{cs, 0x2345}, {eip, 0x10}, {flags, vm}}},
      {"an address beyond 1 MB", "PRM 15.2: to 10FFEFh", v86({0xA0, 0xF0, 0xFF}, 0, [](Board& b) { b.change([](Registers& r) { r.segment[DS] = {0xFFFF, 0xFFFF0, 0xFFFF, 0xF3, false}; }); b.put8(0x10FFE0, 0x66); }), 1, no_exception, {{EAX, 0x66}}},
      {"an external interrupt", "PRM 15.4.1", v86({0x90}, 0, [](Board& b) { b.change([](Registers& r) { r.eflags |= flag_if; }); b.cpu.set_intr(true); }), 1, 0x20,
       {{s0, 0}, {s1, 0x1000}, {s2, 2 | vm | flag_if}, {s3, 0x8000}, {s4, 0x4000}, {s5, 0x2100}, {s6, 0x2000}, {s7, 0x2200}, {s8, 0x2300}, {flags, 0}, {ds, 0}, {ESP, ring0_stack_at - 36}}},
      {"a trap gate leaves IF", "PRM 9.6.1.2", v86({0x90}, 0, [](Board& b) { b.gate(idt_at + 0x20 * 8, code0, handlers_at + 0x20, 0x8F); b.change([](Registers& r) { r.eflags |= flag_if; }); b.cpu.set_intr(true); }), 1, 0x20, {{flags, flag_if}}},
      {"a gate to ring 1", "PRM INT: the handler must be ring 0, #GP(CS)", v86({0x90}, 0, [](Board& b) { b.descriptor(gdt_at + spare, 0, 0xFFFFF, 0xBB, 0xC); b.gate(idt_at + 0x20 * 8, spare | 1, handlers_at, 0x8E); b.change([](Registers& r) { r.eflags |= flag_if; }); b.cpu.set_intr(true); }), 1, 13, {{s0, spare | 1}}},
      {"a gate to conforming code", "PRM INT: #GP(CS)", v86({0x90}, 0, [](Board& b) { b.descriptor(gdt_at + spare, 0, 0xFFFFF, 0x9F, 0xC); b.gate(idt_at + 0x20 * 8, spare, handlers_at, 0x8E); b.change([](Registers& r) { r.eflags |= flag_if; }); b.cpu.set_intr(true); }), 1, 13, {{s0, spare | 1}}},
      // clang-format on
  });
  // IRETD into V86 mode is possible from ring 0 only: in other rings VM is not loaded (PRM IRET).
  Board b;
  b.flat({0xCF}, 3);
  b.put32(stack_at, code_at + 0x40);
  b.put32(stack_at + 4, code3);
  b.put32(stack_at + 8, 2 | vm);
  b.step();
  CHECK(look(b, eip) == code_at + 0x40);
  CHECK(look(b, flags) == 0);
  // POPFD never changes VM.
  b.flat({0x9D});
  b.put32(stack_at, 2 | vm);
  CHECK(look(b.step(), flags) == 0);
}

TEST_CASE("The I/O permission bitmap at its edges", "[cpu][vectors]") {
  struct Row {
    const char* what;
    unsigned mode;   ///< 0, 3: ring; 8: V86
    unsigned level;  ///< IOPL
    std::uint32_t limit, map;
    std::uint16_t port;
    char size;
    bool allowed;
  };
  // The bits of ports 60h to 67h are 1111 1100b, of 68h to 6Fh 1111 1110b; those of FFF0h to FFFFh are all clear.
  const Row rows[] = {
      {"ring 0 needs no permission", 0, 0, 0x2067, 0x68, 0x70, 'b', true},
      {"CPL <= IOPL needs no permission", 3, 3, 0x2067, 0x68, 0x70, 'b', true},
      {"V86 mode always checks the map", 8, 3, 0x2067, 0x68, 0x70, 'b', false},
      {"V86 mode, allowed at IOPL 0", 8, 0, 0x2067, 0x68, 0x60, 'b', true},
      {"a clear bit", 3, 0, 0x2067, 0x68, 0x60, 'b', true},
      {"the bit above it", 3, 0, 0x2067, 0x68, 0x61, 'b', true},
      {"a set bit", 3, 0, 0x2067, 0x68, 0x62, 'b', false},
      {"both bits of a word", 3, 0, 0x2067, 0x68, 0x60, 'w', true},
      {"one of two bits", 3, 0, 0x2067, 0x68, 0x61, 'w', false},
      {"one of four bits", 3, 0, 0x2067, 0x68, 0x60, 'd', false},
      {"a word across two bytes of the map, the second clear", 3, 0, 0x2067, 0x68, 0x67, 'w', false},
      {"the byte after", 3, 0, 0x2067, 0x68, 0x68, 'b', true},
      {"four bits across two bytes", 3, 0, 0x2068, 0x68, 0xFFF6, 'd', true},
      {"the last port with the byte of ones after the map", 3, 0, 0x2068, 0x68, 0xFFFF, 'b', true},
      {"a word at the last port reaches the byte of ones", 3, 0, 0x2068, 0x68, 0xFFFF, 'w', false},
      {"the last port without that byte", 3, 0, 0x2067, 0x68, 0xFFFF, 'b', false},
      {"the last eight ports need it", 3, 0, 0x2067, 0x68, 0xFFF8, 'b', false},
      {"the eight before do not", 3, 0, 0x2067, 0x68, 0xFFF7, 'b', true},
      {"a map that ends before the port", 3, 0, 0x68 + 0xB, 0x68, 0x60, 'b', false},
      {"a map that ends after it", 3, 0, 0x68 + 0xD, 0x68, 0x60, 'b', true},
      {"a map beyond the limit", 3, 0, 0x67, 0x68, 0x60, 'b', false},
      {"a map far beyond the limit", 3, 0, 0x2067, 0xFFFF, 0x60, 'b', false},
      {"V86 mode, a map beyond the limit", 8, 3, 0x67, 0x68, 0x60, 'b', false},
      {"V86 mode, one of two bits", 8, 3, 0x2067, 0x68, 0x61, 'w', false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const unsigned wide = row.mode == 8 ? 'd' : 'w';  // the size that needs a prefix
    std::vector<std::vector<unsigned>> forms;
    if (row.size == 'b')
      forms = {{0xEC}, {0xEE}, {0x6C}, {0x6E}};
    else
      forms = {{0xED}, {0xEF}, {0x6D}, {0x6F}};
    for (auto form : forms) {
      if (row.size != 'b' && static_cast<unsigned>(row.size) == wide) form.insert(form.begin(), 0x66);
      INFO("opcode " << form.back());
      Board b;
      v86(form, row.level)(b);
      b.put8(tss_at + 0x68 + 0x60 / 8, 0xFC);
      b.put8(tss_at + 0x68 + 0x68 / 8, 0xFE);
      b.put16(tss_at + 0x68 + 0xFFF0 / 8, 0);
      b.put8(tss_at + 0x68 + 0x2000, 0xFF);
      b.put16(tss_at + 0x66, static_cast<std::uint16_t>(row.map));
      if (row.mode != 8) {
        b.flat({}, row.mode);
        b.change([&](Registers& r) { r.eflags = 2 | iopl(row.level); });
      }
      b.change([&](Registers& r) {
        r.tr.limit = row.limit;
        r.gpr[EDX] = row.port;
        r.gpr[ESI] = r.gpr[EDI] = row.mode == 8 ? 0 : data_at;
      });
      b.step();
      CHECK(b.vector() == (row.allowed ? no_exception : 13));
      if (!row.allowed) {
        CHECK(b.stack(0) == 0);
        CHECK(b.pins.written.empty());
      }
    }
  }
  Board b;  // a 286 task state has no map (PRM 8.3.2)
  b.flat({0xE4, 0x60}, 3);
  b.put8(tss_at + 0x68 + 0x60 / 8, 0);
  b.put16(tss_at + 2, 0x9000);  // its inner stack
  b.put16(tss_at + 4, data0);
  b.change([](Registers& r) { r.tr.access = 0x83; });
  CHECK(b.step().vector() == 13);
}
