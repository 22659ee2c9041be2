// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/planted.hpp"

namespace planar::lockstep {

namespace {

constexpr std::uint32_t cf = 1, pf = 4, af = 16, zf = 64, sf = 128, of = 0x800;

std::uint16_t opcode(const Instruction& i) { return forms()[i.cell.form].opcode; }
int group(const Instruction& i) { return forms()[i.cell.form].group; }
bool faulted(const Registers& after) { return Arena::vector_at(after) >= 0; }
bool register_form(const Instruction& i) { return !i.cell.memory; }

}  // namespace

// Each acts only if the instruction completed, unless it concerns the exception.
const std::array<PlantedFault, 20> planted_faults{{
    {"ADC of bytes forgets AF",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0x10 && !faulted(r)) r.eflags &= ~af;
     }},
    {"SBB sets CF from the wrong borrow",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) == 0x1B && (b.eflags & cf) && !faulted(r)) r.eflags ^= cf;
     }},
    {"INC of a word changes CF",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) >= 0x40 && opcode(i) < 0x48 && (r.eflags & zf)) r.eflags |= cf;
     }},
    {"DEC loses OF",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) >= 0x48 && opcode(i) < 0x50) r.eflags &= ~of;
     }},
    {"parity from sixteen bits",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0x23 && !faulted(r) && (r.eflags & sf)) r.eflags ^= pf;
     }},
    {"logic leaves CF as it was",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) == 0x0B && !faulted(r)) r.eflags |= b.eflags & cf;
     }},
    {"MOVSX of a byte extends with zeros",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) != 0x0FBE || faulted(r)) return;
       for (auto& g : r.gpr)
         if ((g & 0xFFFFFF00u) == 0xFFFFFF00u) g &= 0xFFu;
     }},
    {"CWDE extends with zeros",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0x98 && i.cell.size32) r.gpr[EAX] &= 0xFFFF;
     }},
    {"a 16-bit MOV clears the upper half",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0xB9 && !i.cell.size32) r.gpr[ECX] &= 0xFFFF;
     }},
    {"SHL by one takes CF from bit 0",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) == 0xD1 && group(i) == 4 && register_form(i))
         r.eflags = (r.eflags & ~cf) | (b.gpr[i.immediate & 7] & 1);
     }},
    {"SAR is SHR",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) == 0xD1 && group(i) == 7 && register_form(i) && i.cell.size32)
         r.gpr[i.immediate & 7] = b.gpr[i.immediate & 7] >> 1;
     }},
    {"RCL forgets the carry in",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0xD1 && group(i) == 2 && register_form(i) && i.cell.size32) r.gpr[i.immediate & 7] &= ~1u;
     }},
    {"MUL sets CF only for a full upper half",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0xF7 && group(i) == 4 && i.cell.size32 && !faulted(r) && r.gpr[EDX] < 0x10000)
         r.eflags &= ~(cf | of);
     }},
    {"LOOP counts in CX with a 32-bit address size",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) == 0xE2 && (b.gpr[ECX] & 0xFFFF) == 0) r.gpr[ECX] |= 0xFFFF0000u, r.gpr[ECX] ^= 0x10000u;
     }},
    {"PUSH ESP pushes and counts two",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0x54 && !faulted(r)) r.gpr[ESP] -= 2;
     }},
    {"string instructions ignore DF",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) == 0xAC && (b.eflags & 0x400) && !faulted(r)) r.gpr[ESI] = b.gpr[ESI] + 1;
     }},
    {"a page fault leaves CR2",
     [](const Instruction&, const Registers& b, Registers& r) {
       if (Arena::vector_at(r) == 14) r.cr2 = b.cr2;
     }},
    {"#GP where #UD is due",
     [](const Instruction& i, const Registers&, Registers& r) {
       if (opcode(i) == 0x0F0B && Arena::vector_at(r) == 6) r.eip += 7;
     }},
    {"LAR takes the selector's limit as rights",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) != 0x0F02 || !(r.eflags & zf) || faulted(r)) return;
       for (unsigned g = 0; g < 8; ++g)
         if (r.gpr[g] != b.gpr[g]) r.gpr[g] ^= 0x100;
     }},
    {"a loaded data segment keeps the old limit",
     [](const Instruction& i, const Registers& b, Registers& r) {
       if (opcode(i) == 0x8E && group(i) == 3 && !faulted(r)) r.segment[DS].limit = b.segment[DS].limit ^ 0x1000;
     }},
}};

}  // namespace planar::lockstep
