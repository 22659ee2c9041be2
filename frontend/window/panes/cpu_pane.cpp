// SPDX-License-Identifier: GPL-2.0-or-later
// Registers, flags, x87, and the instructions from EIP on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "core/cpu/fpu/fpu.hpp"
#include "frontend/debug/disassembly.hpp"
#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

using widgets::coloured;

class CpuPane final : public Pane {
 public:
  std::string_view name() const override { return "cpu"; }
  const char* title() const override { return "CPU"; }
  const char* help() const override { return "registers, x87, disassembly at EIP"; }

  void draw(const Inspection& look) override {
    const cpu::Cpu& cpu = look.machine.cpu();
    const auto r = cpu.registers();
    registers(r, cpu);
    if (ImGui::CollapsingHeader("segments")) segments(r);
    if (cpu.config().fpu && ImGui::CollapsingHeader("x87")) fpu(cpu.fpu());
    widgets::heading("instructions");
    instructions(cpu);
    before_ = r;
  }

 private:
  /// A register; highlighted if it differs from the previous picture.
  static void reg(const char* name, std::uint32_t value, std::uint32_t before) {
    coloured(widgets::quiet, name);
    ImGui::SameLine(0, widgets::px(4.0F));
    coloured(value == before ? ImGui::GetColorU32(ImGuiCol_Text) : widgets::accent, fmt::format("{:08X}", value));
  }

  void registers(const cpu::Registers& r, const cpu::Cpu& cpu) const {
    constexpr std::array<const char*, 8> names{"EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"};
    constexpr int pair = 14;  // characters per register, including its name and the gap to the next one
    const int columns = std::clamp(widgets::characters_that_fit() / pair, 1, 4);
    if (ImGui::BeginTable("registers", columns, ImGuiTableFlags_SizingFixedFit)) {
      for (const unsigned n : {0u, 3u, 1u, 2u, 6u, 7u, 5u, 4u}) {
        ImGui::TableNextColumn();
        reg(names[n], r.gpr[n], before_.gpr[n]);
      }
      ImGui::TableNextColumn();
      reg("EIP", r.eip, before_.eip);
      ImGui::TableNextColumn();
      reg("EFL", r.eflags, before_.eflags);
      ImGui::TableNextColumn();
      reg("CR0", r.cr0, before_.cr0);
      ImGui::TableNextColumn();
      reg("CR3", r.cr3, before_.cr3);
      ImGui::EndTable();
    }
    constexpr std::pair<const char*, unsigned> flags[] = {{"CF", 0}, {"PF", 2}, {"AF", 4},  {"ZF", 6},  {"SF", 7},
                                                          {"TF", 8}, {"IF", 9}, {"DF", 10}, {"OF", 11}, {"VM", 17}};
    for (const auto& [name, bit] : flags) {
      coloured(r.eflags >> bit & 1 ? widgets::good : widgets::line, name);
      widgets::next_in_line(5, bit == flags[std::size(flags) - 1].second ? "CPL 0 protected mode" : "VM");
    }
    widgets::text(fmt::format("CPL {} {}", r.cpl,
                              cpu.in_shutdown()    ? "shutdown"
                              : cpu.halted()       ? "halted"
                              : (r.cr0 & 1) == 0   ? "real mode"
                              : r.eflags >> 17 & 1 ? "virtual 8086"
                                                   : "protected mode"));
    widgets::text(fmt::format("{} instructions, {} clocks", cpu.instructions(), cpu.clocks()));
  }

  static void segments(const cpu::Registers& r) {
    constexpr std::array<const char*, 6> names{"ES", "CS", "SS", "DS", "FS", "GS"};
    const auto row = [](const char* name, const cpu::SegmentView& s) {
      widgets::text(fmt::format("{:<3} {:04X} base {:08X} limit {:08X} {:02X}{}", name, s.selector, s.base, s.limit,
                                s.access, s.big ? " 32" : ""));
    };
    for (unsigned n = 0; n < names.size(); ++n) row(names[n], r.segment[n]);
    row("LDT", r.ldtr);
    row("TR", r.tr);
    widgets::text(fmt::format("GDT {:08X}:{:04X}  IDT {:08X}:{:04X}  CR2 {:08X}", r.gdtr.base, r.gdtr.limit,
                              r.idtr.base, r.idtr.limit, r.cr2));
  }

  static void fpu(const cpu::Fpu& f) {
    widgets::text(fmt::format("control {:04X}  status {:04X}  tags {:04X}", f.control, f.status, f.tag_word()));
    for (unsigned i = 0; i < 8; ++i) {
      const auto& v = f.registers[(f.top() + i) & 7];
      if (f.empty(i))
        coloured(widgets::line, fmt::format("ST{} empty", i));
      else
        widgets::text(fmt::format("ST{} {:04X}:{:016X}", i, v.exponent, v.mantissa));
    }
  }

  static void instructions(const cpu::Cpu& cpu) {
    const auto lines = static_cast<unsigned>(
        std::max(4.0F, ImGui::GetContentRegionAvail().y / ImGui::GetTextLineHeightWithSpacing() - 1));
    std::istringstream in(disassemble(cpu, cpu.instruction_address(), std::min(lines, 64u)));
    std::string line;
    for (bool first = true; std::getline(in, line); first = false)
      coloured(first ? widgets::accent : ImGui::GetColorU32(ImGuiCol_Text), (first ? "> " : "  ") + line);
  }

  cpu::Registers before_;
};

}  // namespace

std::unique_ptr<Pane> make_cpu_pane() { return std::make_unique<CpuPane>(); }

}  // namespace planar
