// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/row.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sstream>

#include "core/common/error.hpp"
#include "core/cpu/decode/decoder.hpp"

namespace planar::lockstep {

namespace {

constexpr std::array<const char*, 8> register_names{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};

/// Identifies the form of the bytes.
std::optional<Cell> identify(std::span<const std::uint8_t> code, Model model, Mode mode) {
  cpu::Op op;
  if (!cpu::decode(code, {model, is_wide(mode), mode != Mode::real, mode == Mode::v86}, op)) return std::nullopt;
  const auto& table = forms();
  for (unsigned i = 0; i < table.size(); ++i) {
    const Form& f = table[i];
    if (f.opcode != op.opcode || (f.group >= 0 && f.group != op.reg)) continue;
    if (op.has_memory ? !f.memory_form() : !f.register_form()) continue;
    return Cell{static_cast<std::uint16_t>(i), op.operand32, op.has_memory};
  }
  return std::nullopt;
}

std::string format(const Mismatch& m, const Runner& runner) {
  const Registers plain = runner.arena.plain(m.mode);
  std::string text =
      fmt::format("{} {} |", model_names[static_cast<unsigned>(m.model)], mode_names[static_cast<unsigned>(m.mode)]);
  for (const auto b : m.code) text += fmt::format(" {:02X}", b);
  text += " |";
  for (unsigned i = 0; i < 8; ++i)
    if (m.before.gpr[i] != plain.gpr[i]) text += fmt::format(" {}={:X}", register_names[i], m.before.gpr[i]);
  if (m.before.eip != plain.eip) text += fmt::format(" eip={:X}", m.before.eip);
  if (m.before.eflags != plain.eflags) text += fmt::format(" fl={:X}", m.before.eflags);
  if (m.before.cr4 != plain.cr4) text += fmt::format(" cr4={:X}", m.before.cr4);
  if (m.before.cr0 != plain.cr0) text += fmt::format(" cr0={:X}", m.before.cr0);
  if (m.what.starts_with("x87")) {
    text += fmt::format(" cw={:X} sw={:X} tw={:X}", m.fpu_before.control, m.fpu_before.status, m.fpu_before.tags);
    for (unsigned i = 0; i < 8; ++i)
      text += fmt::format(" f{}={:X}.{:X}", i, m.fpu_before.registers[i].exponent, m.fpu_before.registers[i].mantissa);
  }
  text += " |";
  const std::uint32_t code = Arena::linear(m.before);
  for (std::uint32_t a = tables_end; a < memory_bytes;) {
    if (m.memory[a] == 0 || (a >= code && a < code + m.code.size())) {
      ++a;
      continue;
    }
    text += fmt::format(" {:X}=", a);
    for (; a < memory_bytes && m.memory[a] != 0; ++a) text += fmt::format("{:02X}", m.memory[a]);
  }
  return text;
}

}  // namespace

std::string shrink(const Mismatch& mismatch) {
  if (mismatch.memory.empty()) return "none: " + mismatch.what;
  Coverage coverage;
  Runner runner(mismatch.model, coverage);
  runner.arena.clear();
  Mismatch m = mismatch;
  const auto still = [&](Mismatch& candidate) {
    auto found = runner.replay(candidate);
    if (found) m = std::move(candidate);
    return found.has_value();
  };
  const auto blank = runner.arena.ours;
  Mismatch first = m;
  std::copy_n(blank.begin(), tables_end, first.memory.begin());
  if (!still(first)) return "none: it depends on changed tables";
  // Memory: zeroed in progressively smaller pieces.
  for (std::uint32_t size = 0x100000; size > 0; size /= 2)
    for (std::uint32_t a = tables_end; a < memory_bytes; a += size) {
      const auto begin = m.memory.begin() + a, end = m.memory.begin() + std::min<std::size_t>(a + size, memory_bytes);
      if (size < 0x1000 && std::all_of(begin, end, [](std::uint8_t b) { return b == 0; })) continue;
      if (std::all_of(begin, end, [](std::uint8_t b) { return b == 0; })) continue;
      Mismatch next = m;
      std::fill(next.memory.begin() + a, next.memory.begin() + std::min<std::size_t>(a + size, memory_bytes),
                std::uint8_t{0});
      still(next);
    }
  const Registers plain = runner.arena.plain(m.mode);
  const auto try_change = [&](auto&& change) {
    Mismatch next = m;
    change(next);
    still(next);
  };
  for (unsigned i = 0; i < 8; ++i) try_change([&](Mismatch& x) { x.before.gpr[i] = plain.gpr[i]; });
  try_change([&](Mismatch& x) { x.before.eflags = plain.eflags; });
  for (unsigned bit = 0; bit < 16; ++bit)
    if (m.before.eflags >> bit & 1) try_change([&](Mismatch& x) { x.before.eflags &= ~(1u << bit) | 2; });
  try_change([&](Mismatch& x) { x.before.cr0 = plain.cr0; });
  try_change([&](Mismatch& x) { x.before.cr4 = plain.cr4; });
  try_change([&](Mismatch& x) { x.before.eip = plain.eip; });
  return format(m, runner);
}

std::optional<Mismatch> run_row(const std::string& row) {
  const auto refuse = [&](const std::string& why) { return Error(fmt::format("lockstep row \"{}\": {}", row, why)); };
  Mismatch m;
  std::array<std::string, 4> part;
  std::istringstream whole(row);
  for (auto& p : part) std::getline(whole, p, '|');
  std::istringstream head(part[0]);
  std::string model, mode;
  head >> model >> mode;
  const auto model_at = std::find(model_names.begin(), model_names.end(), model);
  const auto mode_at = std::find(mode_names.begin(), mode_names.end(), mode);
  if (model_at == model_names.end() || mode_at == mode_names.end()) throw refuse("begins with a model and a mode");
  m.model = static_cast<Model>(model_at - model_names.begin());
  m.mode = static_cast<Mode>(mode_at - mode_names.begin());
  std::istringstream code(part[1]);
  for (std::string b; code >> b;) m.code.push_back(static_cast<std::uint8_t>(std::stoul(b, nullptr, 16)));
  Coverage coverage;
  Runner runner(m.model, coverage);
  runner.arena.clear();
  m.before = runner.arena.plain(m.mode);
  m.fpu_before.initialise();
  std::istringstream registers(part[2]);
  for (std::string item; registers >> item;) {
    const auto equals = item.find('=');
    if (equals == std::string::npos) throw refuse("registers are written name=hex");
    const std::string name = item.substr(0, equals), value = item.substr(equals + 1);
    const auto v = static_cast<std::uint32_t>(std::stoull(value, nullptr, 16));
    const auto at = std::find(register_names.begin(), register_names.end(), name);
    // clang-format off
    if (at != register_names.end()) m.before.gpr[static_cast<std::size_t>(at - register_names.begin())] = v;
    else if (name == "fl") m.before.eflags = v;
    else if (name == "cr0") m.before.cr0 = v;
    else if (name == "cr4") m.before.cr4 = v;
    else if (name == "eip") m.before.eip = v;
    else if (name == "cw") m.fpu_before.control = static_cast<std::uint16_t>(v);
    else if (name == "sw") m.fpu_before.status = static_cast<std::uint16_t>(v);
    else if (name == "tw") m.fpu_before.tags = static_cast<std::uint16_t>(v);
    else if (name.size() == 2 && name[0] == 'f' && value.find('.') != std::string::npos)
      m.fpu_before.registers[(name[1] - '0') & 7u] = {std::stoull(value.substr(value.find('.') + 1), nullptr, 16),
                                                   static_cast<std::uint16_t>(std::stoul(value, nullptr, 16))};
    else throw refuse("unknown register " + name);
    // clang-format on
  }
  m.memory = runner.arena.ours;
  std::istringstream memory(part[3]);
  for (std::string item; memory >> item;) {
    const auto equals = item.find('=');
    if (equals == std::string::npos) throw refuse("memory is written address=bytes");
    std::size_t a = std::stoul(item, nullptr, 16);
    for (std::size_t i = equals + 1; i + 1 < item.size() && a < memory_bytes; i += 2, ++a)
      m.memory[a] = static_cast<std::uint8_t>(std::stoul(item.substr(i, 2), nullptr, 16));
  }
  const auto cell = identify(m.code, m.model, m.mode);
  if (!cell) throw refuse("not an instruction of the forms table");
  m.instruction = {0, static_cast<std::uint8_t>(m.code.size()), false, m.code.back(), 0, *cell};
  m.instruction.rep =
      std::any_of(m.code.begin(), m.code.end() - 1, [](std::uint8_t b) { return b == 0xF2 || b == 0xF3; }) &&
      (forms()[cell->form].kind == Kind::string || forms()[cell->form].kind == Kind::string_io);
  return runner.replay(m);
}

}  // namespace planar::lockstep
