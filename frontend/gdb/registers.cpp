// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/gdb/registers.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/cpu/fpu/fpu.hpp"
#include "core/cpu/x86/architecture.hpp"

namespace planar::gdb {

namespace {

using cpu::Cpu;
using cpu::Registers;

/// A register of up to 32 bits.
struct Row {
  const char* name;
  unsigned bits;
  const char* type;
  std::uint32_t (*get)(const Registers&);
  void (*set)(Registers&, std::uint32_t);  // null: read-only
};

constexpr unsigned ES = 0, CS = 1, SS = 2, DS = 3, FS = 4, GS = 5;

template <unsigned N>
std::uint32_t general(const Registers& r) {
  return r.gpr[N];
}
template <unsigned N>
void set_general(Registers& r, std::uint32_t v) {
  r.gpr[N] = v;
}
template <unsigned N>
std::uint32_t selector(const Registers& r) {
  return r.segment[N].selector;
}
bool by_selector(const Registers& r) { return !(r.cr0 & cpu::cr0_pe) || (r.eflags & cpu::flag_vm); }
template <unsigned N>
void set_selector(Registers& r, std::uint32_t v) {
  if (!by_selector(r)) return;
  r.segment[N].selector = static_cast<std::uint16_t>(v);
  r.segment[N].base = (v & 0xFFFF) << 4;
}
template <unsigned N>
std::uint32_t base(const Registers& r) {
  return r.segment[N].base;
}
template <unsigned N>
std::uint32_t debug(const Registers& r) {
  return r.dr[N];
}
template <unsigned N>
void set_debug(Registers& r, std::uint32_t v) {
  r.dr[N] = v;
}

// clang-format off
const Row core_rows[] = {
    {"eax", 32, "int32", general<0>, set_general<0>}, {"ecx", 32, "int32", general<1>, set_general<1>},
    {"edx", 32, "int32", general<2>, set_general<2>}, {"ebx", 32, "int32", general<3>, set_general<3>},
    {"esp", 32, "data_ptr", general<4>, set_general<4>}, {"ebp", 32, "data_ptr", general<5>, set_general<5>},
    {"esi", 32, "int32", general<6>, set_general<6>}, {"edi", 32, "int32", general<7>, set_general<7>},
    {"eip", 32, "code_ptr", [](const Registers& r) { return r.segment[CS].base + r.eip; },
     [](Registers& r, std::uint32_t v) { r.eip = v - r.segment[CS].base; }},
    {"eflags", 32, "i386_eflags", [](const Registers& r) { return r.eflags; },
     [](Registers& r, std::uint32_t v) { r.eflags = v; }},
    {"cs", 32, "int32", selector<CS>, set_selector<CS>}, {"ss", 32, "int32", selector<SS>, set_selector<SS>},
    {"ds", 32, "int32", selector<DS>, set_selector<DS>}, {"es", 32, "int32", selector<ES>, set_selector<ES>},
    {"fs", 32, "int32", selector<FS>, set_selector<FS>}, {"gs", 32, "int32", selector<GS>, set_selector<GS>},
};
const Row system_rows[] = {
    {"ip", 32, "uint32", [](const Registers& r) { return r.eip; }, [](Registers& r, std::uint32_t v) { r.eip = v; }},
    {"stack", 32, "data_ptr",
     [](const Registers& r) { return r.segment[SS].base + (r.segment[SS].big ? r.gpr[4] : r.gpr[4] & 0xFFFF); }, nullptr},
    {"cr0", 32, "uint32", [](const Registers& r) { return r.cr0; }, nullptr},
    {"cr2", 32, "data_ptr", [](const Registers& r) { return r.cr2; }, nullptr},
    {"cr3", 32, "uint32", [](const Registers& r) { return r.cr3; }, nullptr},
    {"cr4", 32, "uint32", [](const Registers& r) { return r.cr4; }, nullptr},
    {"dr0", 32, "data_ptr", debug<0>, set_debug<0>}, {"dr1", 32, "data_ptr", debug<1>, set_debug<1>},
    {"dr2", 32, "data_ptr", debug<2>, set_debug<2>}, {"dr3", 32, "data_ptr", debug<3>, set_debug<3>},
    {"dr6", 32, "uint32", debug<6>, set_debug<6>}, {"dr7", 32, "uint32", debug<7>, set_debug<7>},
    {"cs_base", 32, "uint32", base<CS>, nullptr}, {"ss_base", 32, "uint32", base<SS>, nullptr},
    {"ds_base", 32, "uint32", base<DS>, nullptr}, {"es_base", 32, "uint32", base<ES>, nullptr},
    {"fs_base", 32, "uint32", base<FS>, nullptr}, {"gs_base", 32, "uint32", base<GS>, nullptr},
    {"gdtr_base", 32, "data_ptr", [](const Registers& r) { return r.gdtr.base; }, nullptr},
    {"gdtr_limit", 32, "uint32", [](const Registers& r) { return std::uint32_t{r.gdtr.limit}; }, nullptr},
    {"idtr_base", 32, "data_ptr", [](const Registers& r) { return r.idtr.base; }, nullptr},
    {"idtr_limit", 32, "uint32", [](const Registers& r) { return std::uint32_t{r.idtr.limit}; }, nullptr},
    {"ldtr", 32, "uint32", [](const Registers& r) { return std::uint32_t{r.ldtr.selector}; }, nullptr},
    {"tr", 32, "uint32", [](const Registers& r) { return std::uint32_t{r.tr.selector}; }, nullptr},
    {"cpl", 32, "uint32", [](const Registers& r) { return std::uint32_t{r.cpl}; }, nullptr},
};
// clang-format on

constexpr const char* float_control_names[] = {"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"};
constexpr std::size_t stack_registers = 8, float_controls = std::size(float_control_names);
constexpr std::size_t first_stack = std::size(core_rows), first_control = first_stack + stack_registers,
                      first_system = first_control + float_controls, all = first_system + std::size(system_rows);
constexpr std::size_t float_bytes = 10;

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t n = 0; n < bytes; ++n) out += static_cast<char>(n < 8 ? value >> (8 * n) & 0xFF : 0);
  return out;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t n = 0; n < bytes.size() && n < 8; ++n)
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[n])} << (8 * n);
  return value;
}

std::uint32_t float_control(const cpu::Fpu& f, std::size_t n) {
  const std::uint32_t values[] = {
      f.control,          f.status,         f.tag_word(), f.instruction_selector, f.instruction_offset,
      f.operand_selector, f.operand_offset, f.opcode};
  return values[n];
}

void set_float_control(cpu::Fpu& f, std::size_t n, std::uint32_t v) {
  const auto word = static_cast<std::uint16_t>(v);
  switch (n) {
    case 0: f.control = word; break;
    case 1: f.status = word; break;
    case 2: {
      f.tags = 0;  // only empty or in use; the rest follows from the contents
      for (unsigned r = 0; r < 8; ++r)
        if ((word >> (2 * r) & 3) == 3) f.tags = static_cast<std::uint16_t>(f.tags | 3u << (2 * r));
      break;
    }
    case 3: f.instruction_selector = word; break;
    case 4: f.instruction_offset = v; break;
    case 5: f.operand_selector = word; break;
    case 6: f.operand_offset = v; break;
    default: f.opcode = word & 0x7FF; break;
  }
  f.summarise();
}

const Row* row(std::size_t number) {
  if (number < first_stack) return &core_rows[number];
  if (number >= first_system && number < all) return &system_rows[number - first_system];
  return nullptr;
}

std::string describe_rows(std::span<const Row> rows, std::size_t first) {
  std::string out;
  for (const Row& r : rows)
    out += fmt::format("<reg name=\"{}\" bitsize=\"{}\" type=\"{}\" regnum=\"{}\"/>", r.name, r.bits, r.type, first++);
  return out;
}

// The flags that i386_eflags names.
std::string flags_type() {
  struct Bit {
    const char* name;
    unsigned bit;
  };
  constexpr Bit bits[] = {{"CF", 0},  {"", 1},    {"PF", 2},  {"AF", 4},  {"ZF", 6},  {"SF", 7},  {"TF", 8}, {"IF", 9},
                          {"DF", 10}, {"OF", 11}, {"NT", 14}, {"RF", 16}, {"VM", 17}, {"AC", 18}, {"ID", 21}};
  std::string out = "<flags id=\"i386_eflags\" size=\"4\">";
  for (const Bit& b : bits) out += fmt::format("<field name=\"{0}\" start=\"{1}\" end=\"{1}\"/>", b.name, b.bit);
  return out + "</flags>";
}

}  // namespace

std::size_t register_count() { return all; }

std::string target_description() {
  std::string out =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
      "<architecture>i386</architecture><feature name=\"org.gnu.gdb.i386.core\">" +
      flags_type() + describe_rows(core_rows, 0);
  for (std::size_t n = 0; n < stack_registers; ++n)
    out += fmt::format("<reg name=\"st{}\" bitsize=\"80\" type=\"i387_ext\" regnum=\"{}\"/>", n, first_stack + n);
  for (std::size_t n = 0; n < float_controls; ++n)
    out += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"int\" group=\"float\" regnum=\"{}\"/>",
                       float_control_names[n], first_control + n);
  return out + "</feature><feature name=\"org.planar.i386.system\">" + describe_rows(system_rows, first_system) +
         "</feature></target>";
}

std::string read_register(const Cpu& cpu, std::size_t number) {
  if (const Row* r = row(number)) return little_endian(r->get(cpu.registers()), 4);
  if (number >= all) return {};
  const cpu::Fpu& fpu = cpu.fpu();
  if (number >= first_control) return little_endian(float_control(fpu, number - first_control), 4);
  const cpu::Float80& v = fpu.registers[(fpu.top() + (number - first_stack)) & 7];
  return little_endian(v.mantissa, 8) + little_endian(v.exponent, 2);
}

bool write_register(Cpu& cpu, std::size_t number, std::string_view value) {
  if (const Row* r = row(number)) {
    if (!r->set || value.size() != 4) return false;
    const auto wanted = static_cast<std::uint32_t>(from_little_endian(value));
    Registers registers = cpu.registers();
    if (r->get(registers) == wanted) return true;
    r->set(registers, wanted);
    if (r->get(registers) != wanted) return false;
    cpu.set_registers(registers);
    return true;
  }
  if (number >= all || value.size() != (number < first_control ? float_bytes : 4)) return false;
  cpu::Fpu fpu = cpu.fpu();
  if (number >= first_control) {
    set_float_control(fpu, number - first_control, static_cast<std::uint32_t>(from_little_endian(value)));
  } else {
    cpu::Float80& v = fpu.registers[(fpu.top() + (number - first_stack)) & 7];
    v.mantissa = from_little_endian(value.substr(0, 8));
    v.exponent = static_cast<std::uint16_t>(from_little_endian(value.substr(8)));
  }
  cpu.set_fpu(fpu);
  return true;
}

}  // namespace planar::gdb
