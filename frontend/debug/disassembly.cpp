// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/debug/disassembly.hpp"

#include <Zydis/Zydis.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace planar {

namespace {

constexpr std::size_t longest = ZYDIS_MAX_INSTRUCTION_LENGTH;

struct Bytes {
  std::array<std::uint8_t, longest> data{};
  std::size_t count = 0;
};

Bytes fetch(const cpu::Cpu& cpu, std::uint32_t linear) {
  Bytes b;
  while (b.count < longest) {
    const auto value = cpu.peek_linear(linear + static_cast<std::uint32_t>(b.count));
    if (!value) break;
    b.data[b.count++] = *value;
  }
  return b;
}

ZydisMachineMode mode_of(const cpu::Cpu& cpu) {
  return cpu.registers().segment[1].big ? ZYDIS_MACHINE_MODE_LEGACY_32 : ZYDIS_MACHINE_MODE_LEGACY_16;
}

}  // namespace

std::string disassemble(const cpu::Cpu& cpu, std::uint32_t linear, unsigned count) {
  const ZydisMachineMode mode = mode_of(cpu);
  std::string out;
  for (unsigned n = 0; n < count; ++n) {
    const Bytes bytes = fetch(cpu, linear);
    if (n != 0) out += '\n';
    if (bytes.count == 0) return out + fmt::format("{:08X}  not present", linear);
    ZydisDisassembledInstruction i;
    const bool known = ZYAN_SUCCESS(ZydisDisassembleIntel(mode, linear, bytes.data.data(), bytes.count, &i));
    const std::size_t length = known ? i.info.length : 1;
    std::string hex;
    for (std::size_t k = 0; k < length; ++k) hex += fmt::format("{:02X}", bytes.data[k]);
    out += fmt::format("{:08X}  {:<16}  {}", linear, hex, known ? i.text : fmt::format("db {:02X}h", bytes.data[0]));
    linear += static_cast<std::uint32_t>(length);
  }
  return out;
}

InstructionKind instruction_kind(const cpu::Cpu& cpu, std::uint32_t linear) {
  const Bytes bytes = fetch(cpu, linear);
  ZydisDecoder decoder;
  ZydisDecodedInstruction i;
  const ZydisMachineMode mode = mode_of(cpu);
  ZydisDecoderInit(&decoder, mode, mode == ZYDIS_MACHINE_MODE_LEGACY_32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_16);
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, bytes.data.data(), bytes.count, &i)))
    return InstructionKind::other;
  const bool repeated = i.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
  switch (i.mnemonic) {
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_INSB:
    case ZYDIS_MNEMONIC_INSW:
    case ZYDIS_MNEMONIC_INSD:
    case ZYDIS_MNEMONIC_OUTSB:
    case ZYDIS_MNEMONIC_OUTSW:
    case ZYDIS_MNEMONIC_OUTSD: return repeated ? InstructionKind::copy : InstructionKind::port;
    case ZYDIS_MNEMONIC_IN:
    case ZYDIS_MNEMONIC_OUT: return InstructionKind::port;
    case ZYDIS_MNEMONIC_HLT: return InstructionKind::halt;
    default: return InstructionKind::other;
  }
}

}  // namespace planar
