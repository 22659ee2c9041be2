// SPDX-License-Identifier: GPL-2.0-or-later
// Differences between 386SX, 486SX, Pentium and P6; invalid encodings; debug registers, traps and their inhibition;
// double faults. Sources: PRM chapter 12 and 9.8; 486 programmer's reference, sections 4.1, 10.1.3 and the instruction
// pages; Pentium volume 3, chapters 4, 10, 14 and appendix on differences.
#include "vectors.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

using Change = std::function<void(Board&)>;
constexpr Model i386 = Model::i386sx, i486 = Model::i486sx, p5 = Model::pentium, p6 = Model::p6;

Change flat(std::vector<unsigned> bytes, unsigned ring = 0, Change change = {}) {
  return [=](Board& b) {
    b.flat({}, ring);
    std::uint32_t at = code_at;
    for (unsigned byte : bytes) b.put8(at++, static_cast<std::uint8_t>(byte));
    b.change([](Registers& r) {
      r.gpr[EBX] = r.gpr[ESI] = data_at;
      r.gpr[EDI] = data_at + 0x100;
    });
    if (change) change(b);
  };
}
Change with(std::function<void(Registers&)> f) {
  return [f](Board& b) { b.change(f); };
}

}  // namespace

TEST_CASE("Instructions by model: #UD before their introduction and after their removal", "[cpu][vectors]") {
  struct Row {
    const char* what;
    std::vector<unsigned> bytes;
    bool on386, on486, on_pentium, on_p6;
    int vector = no_exception;  ///< on models that have it
  };
  const Row rows[] = {
      {"BSWAP EAX", {0x0F, 0xC8}, false, true, true, true},
      {"XADD [EBX],EAX", {0x0F, 0xC1, 0x03}, false, true, true, true},
      {"CMPXCHG [EBX],EAX", {0x0F, 0xB1, 0x03}, false, true, true, true},
      {"CMPXCHG of the first 486s", {0x0F, 0xA7, 0x03}, false, false, false, false},
      {"INVD", {0x0F, 0x08}, false, true, true, true},
      {"WBINVD", {0x0F, 0x09}, false, true, true, true},
      {"INVLPG [EBX]", {0x0F, 0x01, 0x3B}, false, true, true, true},
      {"CPUID", {0x0F, 0xA2}, false, false, true, true},
      {"RDTSC", {0x0F, 0x31}, false, false, true, true},
      {"RDMSR", {0x0F, 0x32}, false, false, true, true},
      {"WRMSR", {0x0F, 0x30}, false, false, true, true},
      {"CMPXCHG8B [EBX]", {0x0F, 0xC7, 0x0B}, false, false, true, true},
      {"MOV EAX,CR4", {0x0F, 0x20, 0xE0}, false, false, true, true},
      {"MOV EAX,TR6", {0x0F, 0x24, 0xF0}, true, true, false, false},
      {"MOV EAX,TR3", {0x0F, 0x24, 0xD8}, false, true, false, false},
      {"MOV TR7,EAX", {0x0F, 0x26, 0xF8}, true, true, false, false},
      {"RDPMC (P6)", {0x0F, 0x33}, false, false, false, true},
      {"CMOVO (P6)", {0x0F, 0x40, 0xC0}, false, false, false, true},
      {"SYSENTER without a segment (P6)", {0x0F, 0x34}, false, false, false, true, 13},
      {"SYSEXIT without a segment (P6)", {0x0F, 0x35}, false, false, false, true, 13},
      {"FCMOVB ST(0),ST(1) (P6)", {0xDA, 0xC1}, true, true, false, true},
      {"FCOMI ST(0),ST(1) (P6)", {0xDB, 0xF1}, true, true, false, true},
      {"PREFETCHNTA [EBX], a hint on the P6", {0x0F, 0x18, 0x03}, false, false, false, true},
      {"NOP [EBX]", {0x0F, 0x1F, 0x03}, false, false, false, true},
      {"PSHUFW, of SSE", {0x0F, 0x70, 0xC0, 0}, false, false, false, false},
      {"MOVAPS, of SSE", {0x0F, 0x28, 0xC0}, false, false, false, false},
      {"PSLLW MM0,[EBX],1, which has no memory form", {0x0F, 0x71, 0x33, 1}, false, false, false, false},
      {"UD2", {0x0F, 0x0B}, false, false, false, false},
      {"MMX, not on a P54C", {0x0F, 0x6F, 0xC0}, false, false, false, true},
      {"RSM outside of system management mode", {0x0F, 0xAA}, false, false, false, false},
      {"MOV EAX,CR1", {0x0F, 0x20, 0xC8}, false, false, false, false},
      {"MOV EAX,CR5", {0x0F, 0x20, 0xE8}, false, false, false, false},
      {"BSF", {0x0F, 0xBC, 0xC0}, true, true, true, true},
      {"SHLD", {0x0F, 0xA4, 0xC0, 4}, true, true, true, true},
  };
  for (const Row& row : rows)
    for (const Model model : {i386, i486, p5, p6}) {
      INFO(row.what << " on model " << static_cast<unsigned>(model));
      const bool exists = model == i386   ? row.on386
                          : model == i486 ? row.on486
                          : model == p5   ? row.on_pentium
                                          : row.on_p6;
      Board b(model);
      flat(row.bytes, 0, with([](Registers& r) { r.gpr[ECX] = 0; }))(b);
      b.step();
      CHECK(b.vector() == (exists ? row.vector : 6));
      if (!exists) CHECK(b.stack(0) == code_at);
    }
}

TEST_CASE("Undefined encodings raise #UD, more than fifteen bytes raise #GP(0)", "[cpu][vectors]") {
  // clang-format off
  const std::vector<std::vector<unsigned>> undefined = {
      {0x8D, 0xC0},        {0xC4, 0xC0},        {0xC5, 0xC0},       {0x62, 0xC0},       {0x0F, 0xB2, 0xC0}, {0x0F, 0xB4, 0xC0},
      {0x8E, 0xC8},        {0x8E, 0xF0},        {0x8E, 0xF8},       {0x8C, 0xF0},       {0xFF, 0xF8},       {0xFF, 0xD8},
      {0xFF, 0xE8},        {0xFE, 0xD0},        {0xFE, 0x3B},       {0x8F, 0xC8},       {0xC6, 0xC8, 0},    {0xC7, 0xC8, 0, 0, 0, 0},
      {0x0F, 0x00, 0xF0},  {0x0F, 0x00, 0xF8},  {0x0F, 0x01, 0xC0}, {0x0F, 0x01, 0xD0}, {0x0F, 0x01, 0xE8}, {0x0F, 0x01, 0xF8},
      {0x0F, 0xBA, 0xC0, 0}, {0x0F, 0xBA, 0x1B, 0}, {0x0F, 0xC7, 0xC8}, {0x0F, 0xC7, 0x03},
      // LOCK before anything but a read-modify-write of memory
      {0xF0, 0x90},        {0xF0, 0x89, 0x03},  {0xF0, 0x01, 0xC0}, {0xF0, 0x03, 0x03}, {0xF0, 0x39, 0x03}, {0xF0, 0x83, 0x3B, 0},
      {0xF0, 0xA4},        {0xF0, 0xF7, 0x03, 0, 0, 0, 0}, {0xF0, 0xFF, 0x33}, {0xF0, 0xD1, 0x03}, {0xF0, 0x8B, 0x03},
      {0xF0, 0x0F, 0xA3, 0x03}, {0xF0, 0x0F, 0xC7, 0xC8}};
  // clang-format on
  Board b(GENERATE(p5, p6));
  for (const auto& bytes : undefined) {
    INFO("first bytes " << bytes[0] << " " << bytes[1]);
    flat(bytes)(b);
    b.step();
    CHECK(b.vector() == 6);
    CHECK(b.stack(0) == code_at);
  }
  const std::vector<std::vector<unsigned>> locked = {
      {0xF0, 0x01, 0x03},       {0xF0, 0x83, 0x03, 1},    {0xF0, 0x87, 0x03},          {0xF0, 0xF7, 0x13},
      {0xF0, 0xFF, 0x03},       {0xF0, 0x0F, 0xAB, 0x03}, {0xF0, 0x0F, 0xBA, 0x2B, 1}, {0xF0, 0x0F, 0xC1, 0x03},
      {0xF0, 0x0F, 0xB1, 0x03}, {0xF0, 0x0F, 0xC7, 0x0B}};
  for (const auto& bytes : locked) {
    INFO("second byte " << bytes[1]);
    flat(bytes)(b);
    b.step();
    CHECK(b.vector() == no_exception);
  }
  std::vector<unsigned> longest(14, 0x66);
  longest.push_back(0x90);
  flat(longest)(b);
  CHECK(b.step().vector() == no_exception);
  CHECK(look(b, eip) == code_at + 15);
  longest.insert(longest.begin(), 0x3E);
  flat(longest)(b);
  CHECK(b.step().vector() == 13);  // PRM 9.8.13: redundant prefixes
  CHECK(b.stack(1) == code_at);
}

TEST_CASE("Flags and control bits by model", "[cpu][vectors]") {
  struct Row {
    Model model;
    std::uint32_t flags;    ///< those of AC and ID that POPFD can set
    std::uint32_t control;  ///< CR0 after writing all ones except PG and PE
  };
  const Row rows[] = {
      {i386, 0, 0x7FFEFFFF}, {i486, 0x40000, 0x6005003F}, {p5, 0x240000, 0x6005003F}, {p6, 0x240000, 0x6005003F}};
  for (const Row& row : rows) {
    INFO("model " << static_cast<unsigned>(row.model));
    Board b(row.model);
    flat({0x9D, 0x9C, 0x58})(b);  // POPFD; PUSHFD; POP EAX
    b.put32(stack_at, 0x00240002);
    b.step(3);
    CHECK((look(b, EAX) & 0x240000) == row.flags);
    flat({0x0F, 0x22, 0xC0, 0x0F, 0x20, 0xC0}, 0,
         with([](Registers& r) { r.gpr[EAX] = 0x7FFFFFFF; }))(b);  // MOV CR0,EAX; MOV EAX,CR0
    b.step(2);
    CHECK(look(b, EAX) == row.control);
  }
  // docs/hardware/processors.md#cr0-and-the-machine-status-word: undefined bits, and ET, read as ones on a 386
  Board b(i386);
  const auto nothing = with([](Registers& r) { r.cr0 &= 1; });
  flat({0x0F, 0x20, 0xC0}, 0, nothing)(b);
  b.step(1);
  CHECK(look(b, EAX) == 0x7FFEFFF1);
  flat({0x66, 0x0F, 0x01, 0xE0}, 0, with([](Registers& r) { r.gpr[EAX] = 0x12345678; }))(b);  // SMSW AX
  b.step(1);
  CHECK(look(b, EAX) == 0x1234FFF1);
  CHECK(look(b, cr0) == 0x7FFEFFF1);
  // Writing zeros leaves them ones and changes nothing else: ET of an SX cannot be changed.
  flat({0x0F, 0x22, 0xC0, 0x0F, 0x20, 0xC3}, 0, with([](Registers& r) { r.gpr[EAX] = 1; }))(b);  // MOV CR0,EAX; EBX,CR0
  b.step(2);
  CHECK(look(b, EBX) == 0x7FFEFFF1);
  check({
      // clang-format off
      {"PG without PE", "PRM MOV CRn: #GP(0)", flat({0x0F, 0x22, 0xC0}, 0, with([](Registers& r) { r.gpr[EAX] = 0x80000010; })), 1, 13, {{s0, 0}, {cr0, 0x11}}},
      {"NW without CD", "486 MOV CRn: #GP(0)", flat({0x0F, 0x22, 0xC0}, 0, with([](Registers& r) { r.gpr[EAX] = 0x20000011; })), 1, 13, {{cr0, 0x11}}},
      {"LMSW sets PE but does not clear it", "PRM LMSW", flat({0x0F, 0x01, 0xF0}, 0, with([](Registers& r) { r.gpr[EAX] = 0; })), 1, no_exception, {{cr0, 0x11}}},
      {"LMSW sets TS, EM and MP", "PRM LMSW", flat({0x0F, 0x01, 0xF0}, 0, with([](Registers& r) { r.gpr[EAX] = 0xFFFE; })), 1, no_exception, {{cr0, 0x1F}}},
      {"CLTS", "PRM CLTS", flat({0x0F, 0x06}, 0, with([](Registers& r) { r.cr0 |= 8; })), 1, no_exception, {{cr0, 0x11}}},
      {"a reserved bit of CR4", "P5 volume 3, 10.1.3: #GP(0)", flat({0x0F, 0x22, 0xE0}, 0, with([](Registers& r) { r.gpr[EAX] = 0x100; })), 1, 13, {}, p5},
      {"an unknown MSR", "P5 RDMSR: #GP(0)", flat({0x0F, 0x32}, 0, with([](Registers& r) { r.gpr[ECX] = 0x12345; })), 1, 13, {}, p5},
      {"RDMSR in ring 3", "P5 RDMSR: #GP(0)", flat({0x0F, 0x32}, 3), 1, 13, {}, p5},
      {"RDTSC in ring 3", "P5 RDTSC", flat({0x0F, 0x31}, 3), 1, no_exception, {}, p5},
      {"RDTSC in ring 3 with CR4.TSD", "P5 RDTSC: #GP(0)", flat({0x0F, 0x31}, 3, with([](Registers& r) { r.cr4 = 4; })), 1, 13, {}, p5},
      {"DR4 is DR6", "P5 volume 3, 17.2.2", flat({0x0F, 0x21, 0xE0}, 0, with([](Registers& r) { r.dr[6] = 0xFFFF0FF5; })), 1, no_exception, {{EAX, 0xFFFF0FF5}}, p5},
      {"DR4 with CR4.DE", "P5 volume 3, 17.2.2: #UD", flat({0x0F, 0x21, 0xE0}, 0, with([](Registers& r) { r.cr4 = 8; })), 1, 6, {}, p5},
      {"alignment of a word in ring 3", "486 9.9.17: #AC(0)", flat({0x66, 0x8B, 0x43, 0x01}, 3, with([](Registers& r) { r.cr0 |= 0x40000; r.eflags |= 0x40000; })), 1, 17, {{s0, 0}, {s1, code_at}}},
      {"alignment of a dword, even address", "486 9.9.17", flat({0x8B, 0x43, 0x02}, 3, with([](Registers& r) { r.cr0 |= 0x40000; r.eflags |= 0x40000; })), 1, 17, {}},
      {"a byte is always aligned", "486 9.9.17", flat({0x8A, 0x43, 0x01}, 3, with([](Registers& r) { r.cr0 |= 0x40000; r.eflags |= 0x40000; })), 1, no_exception, {}},
      {"without CR0.AM", "486 9.9.17", flat({0x8B, 0x43, 0x01}, 3, with([](Registers& r) { r.eflags |= 0x40000; })), 1, no_exception, {}},
      {"without EFLAGS.AC", "486 9.9.17", flat({0x8B, 0x43, 0x01}, 3, with([](Registers& r) { r.cr0 |= 0x40000; })), 1, no_exception, {}},
      {"in ring 0", "486 9.9.17", flat({0x8B, 0x43, 0x01}, 0, with([](Registers& r) { r.cr0 |= 0x40000; r.eflags |= 0x40000; })), 1, no_exception, {}},
      // clang-format on
  });
  for (const auto& [model, signature] : {std::pair{i386, 0x2308u}, {i486, 0x0423u}, {p5, 0x0525u}, {p6, 0x0672u}}) {
    Board b(model);  // PRM 10.1, 486 10.1, P5 volume 3 table 3-1
    b.cpu.reset(b.cpu.time());
    CHECK(look(b, EDX) == signature);
    CHECK(look(b, eip) == 0xFFF0);
    CHECK(b.cpu.registers().segment[CS].base == 0xFFFF0000u);
    CHECK((look(b, cr0) & 0x80000001u) == 0);
    CHECK(b.cpu.registers().idtr.limit == 0x3FF);
  }
}

TEST_CASE("Breakpoints by kind and length", "[cpu][vectors]") {
  struct Row {
    std::uint32_t at;     ///< DR0
    unsigned kind, size;  ///< R/W and LEN fields
    std::uint32_t offset;
    char access;  ///< r w, byte at data_at + offset; d: dword read; x: no access
    bool hit;
  };
  constexpr Row rows[] = {
      // PRM 12.2.1 and figure 12-1
      {0, 1, 0, 0, 'w', true},  {0, 1, 0, 0, 'r', false}, {0, 3, 0, 0, 'r', true},  {0, 3, 0, 0, 'w', true},
      {0, 3, 0, 1, 'r', false}, {1, 3, 0, 0, 'd', true},  {4, 3, 0, 0, 'd', false}, {0, 3, 1, 1, 'r', true},
      {0, 3, 1, 2, 'r', false}, {1, 3, 1, 0, 'r', true},  {0, 3, 3, 3, 'r', true},  {0, 3, 3, 4, 'r', false},
      {2, 3, 3, 0, 'r', true},  {3, 1, 0, 0, 'd', false}, {3, 3, 0, 0, 'd', true},
  };
  for (const Row& row : rows) {
    INFO("DR0 +" << row.at << " R/W " << row.kind << " LEN " << row.size << " access " << row.access << " at +"
                 << row.offset);
    Board b;
    const std::vector<unsigned> code = row.access == 'w'   ? std::vector<unsigned>{0x88, 0x43, row.offset, 0x90}
                                       : row.access == 'r' ? std::vector<unsigned>{0x8A, 0x43, row.offset, 0x90}
                                                           : std::vector<unsigned>{0x8B, 0x43, row.offset, 0x90};
    flat(code, 0, with([&](Registers& r) {
           r.dr[0] = data_at + row.at;
           r.dr[7] = 0x401 | row.kind << 16 | row.size << 18;
         }))(b);
    b.step(2);
    CHECK((b.vector() == 1) == row.hit);
    if (row.hit) {
      CHECK(b.stack(0) == code_at + 3);  // a trap: after the access
      CHECK((look(b, dr6) & 15) == 1);
    }
  }
}

TEST_CASE("Debug exceptions, and what suppresses them", "[cpu][vectors]") {
  const auto tf = [](Registers& r) { r.eflags |= 0x100; };
  check({
      // clang-format off
      {"general detect", "PRM 12.2.3: DR6.BD, before the access", flat({0x0F, 0x21, 0xF8}, 0, with([](Registers& r) { r.dr[7] = 0x2400; })), 1, 1, {{s0, code_at}, {dr6, 0x2000}, {dr7, 0x400}}},
      {"instruction breakpoint pushes RF", "PRM 12.3.1.1", flat({0x90, 0x90}, 0, with([](Registers& r) { r.dr[3] = code_at + 1; r.dr[7] = 0x480; })), 2, 1, {{s0, code_at + 1}, {dr6, 8}}},
      {"breakpoint within an instruction does not count", "PRM 12.2.5", flat({0xB8, 1, 2, 3, 4}, 0, with([](Registers& r) { r.dr[0] = code_at + 1; r.dr[7] = 0x402; })), 1, no_exception, {{eip, code_at + 5}}},
      {"IRETD with RF steps over it", "PRM 12.3.1.1", flat({0xCF, 0x90, 0x90}, 0, [](Board& b) { b.put32(stack_at, code_at + 1); b.put32(stack_at + 4, code0); b.put32(stack_at + 8, 0x10002); b.change([](Registers& r) { r.dr[0] = code_at + 1; r.dr[7] = 0x402; }); }), 2, no_exception, {{eip, code_at + 2}}},
      {"single step does not trap after MOV SS, but after the next instruction", "PRM MOV and 9.2.4", flat({0x8E, 0xD0, 0x90, 0x90}, 0, [&](Board& b) { b.change([&](Registers& r) { r.gpr[EAX] = data0; tf(r); }); }), 3, 1, {{s0, code_at + 3}}},
      {"nor after POP SS", "PRM POP", flat({0x17, 0x90, 0x90}, 0, [&](Board& b) { b.put32(stack_at, data0); b.change(tf); }), 3, 1, {{s0, code_at + 2}}},
      {"LSS inhibits nothing", "PRM LSS", flat({0x0F, 0xB2, 0x23, 0x90}, 0, [&](Board& b) { b.put32(data_at, stack_at); b.put16(data_at + 4, data0); b.change(tf); }), 2, 1, {{s0, code_at + 3}}},
      {"NMI waits after MOV SS", "PRM 9.2.4", flat({0x8E, 0xD0, 0x90, 0x90}, 0, [](Board& b) { b.change([](Registers& r) { r.gpr[EAX] = data0; }); b.step(); b.cpu.nmi(); }), 2, 2, {{s0, code_at + 3}}},
      {"STI inhibits interrupts for one instruction", "PRM STI", flat({0xFB, 0xFA, 0x90}, 0, [](Board& b) { b.cpu.set_intr(true); }), 3, no_exception, {{eip, code_at + 3}}},
      {"INT clears TF for its handler", "PRM 12.3.1.4", flat({0xCD, 0x40}, 0, with(tf)), 1, 0x40, {{flags, 0}, {s2, 0x102}}},
      {"ICEBP traps", "opcode F1", flat({0xF1}), 1, 1, {{s0, code_at + 1}}},
      {"INT 3 traps", "PRM 9.8.3", flat({0xCC}), 1, 3, {{s0, code_at + 1}}},
      {"INTO traps with OF", "PRM 9.8.4", flat({0xCE}, 0, with([](Registers& r) { r.eflags |= 0x800; })), 1, 4, {{s0, code_at + 1}}},
      {"INTO passes without", "PRM 9.8.4", flat({0xCE}), 1, no_exception, {{eip, code_at + 1}}},
      {"BOUND faults below", "PRM 9.8.5", flat({0x62, 0x03}, 0, [](Board& b) { b.put32(data_at, 5); b.put32(data_at + 4, 9); b.change([](Registers& r) { r.gpr[EAX] = 4; }); }), 1, 5, {{s0, code_at}}},
      {"BOUND takes the upper bound in", "PRM BOUND", flat({0x62, 0x03}, 0, [](Board& b) { b.put32(data_at, 5); b.put32(data_at + 4, 9); b.change([](Registers& r) { r.gpr[EAX] = 9; }); }), 1, no_exception, {}},
      {"DIV by zero faults", "PRM 9.8.0", flat({0xF7, 0xF1}), 1, 0, {{s0, code_at}}},
      {"an escape with CR0.EM", "PRM 9.8.7", flat({0xD9, 0xC0}, 0, with([](Registers& r) { r.cr0 |= 4; })), 1, 7, {{s0, code_at}}},
      // clang-format on
      {"WAIT with MP and TS", "PRM 9.8.7", flat({0x9B}, 0, with([](Registers& r) { r.cr0 |= 10; })), 1, 7, {}},
      {"WAIT with TS alone", "PRM WAIT", flat({0x9B}, 0, with([](Registers& r) { r.cr0 |= 8; })), 1, no_exception, {}},
  });
}

TEST_CASE("Two exceptions: sequential, double fault, shutdown", "[cpu][vectors]") {
  // PRM 9.8.8 and table 9-4. A page fault during the delivery of #GP is delivered instead: the IDT's page with entry 13
  // is not present, that with entry 14 is.
  const auto split_idt = [](Board& b) {
    b.paged({0xF4}, 3);
    constexpr std::uint32_t base = 0x61000 - 14 * 8;
    for (unsigned v = 0; v < 32; ++v) b.gate(base + v * 8, code0, handlers_at + v, 0x8E);
    b.change([](Registers& r) { r.idtr = {base, 0x7FF}; });
    b.pte(0x60000, 0);
  };
  const auto gate_absent = [](std::initializer_list<unsigned> vectors, std::vector<unsigned> code) {
    return flat(std::move(code), 3, [vectors = std::vector<unsigned>(vectors)](Board& b) {
      for (unsigned v : vectors) b.gate(idt_at + v * 8, code0, handlers_at + v, 0x0E);
    });
  };
  check({
      {"#GP, then #PF: the page fault", "PRM 9.8.8", split_idt, 1, 14, {{cr2, 0x61000 - 8}, {s0, 0}, {s1, code_at}}},
      {"#UD, then #NP: the second", "PRM table 9-4", gate_absent({6}, {0x0F, 0x0B}), 1, 11, {{s0, 6 * 8 + 3}}},
      {"#DE, then #NP: a double fault",
       "PRM table 9-4",
       gate_absent({0}, {0xF7, 0xF1}),
       1,
       8,
       {{s0, 0}, {s1, code_at}}},
      {"#GP, then #NP: a double fault", "PRM table 9-4", gate_absent({13}, {0xF4}), 1, 8, {{s0, 0}, {s1, code_at}}},
      {"INT n, then #NP: the second", "PRM table 9-4 (benign)", gate_absent({3}, {0xCC}), 1, 13, {{s0, 3 * 8 + 2}}},
      {"#DB, then #NP: the second",
       "PRM table 9-4",
       [](Board& b) {
         b.flat({0x90, 0x90});
         b.gate(idt_at + 8, code0, handlers_at, 0x0E);
         b.change([](Registers& r) { r.eflags |= 0x100; });
         b.step();
       },
       1,
       11,
       {{s0, 8 + 3}}},
  });
  Board b;  // #PF, then #PF: a double fault
  b.paged({0xA1, 0, 0x20, 6, 0}, 3);
  constexpr std::uint32_t idt = 0x61000 - 9 * 8;  // entry 8 is present, entry 14 is not
  for (unsigned v = 0; v < 32; ++v) b.gate(idt + v * 8, code0, handlers_at + v, 0x8E);
  b.change([](Registers& r) { r.idtr = {idt, 0x7FF}; });
  b.pte(0x61000, 0);
  b.pte(0x62000, 0);
  CHECK(b.step().vector() == 8);
  CHECK(b.stack(0) == 0);
  gate_absent({8, 13}, {0xF4})(b);  // and a third one: shutdown
  b.step();
  CHECK(b.cpu.in_shutdown());
  CHECK(b.pins.shutdowns == 1);
  b.cpu.set_intr(true);
  b.step(3);
  CHECK(b.cpu.in_shutdown());  // INTR does not wake it (PRM 9.8.8)
}
