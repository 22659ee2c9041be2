// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/coverage.hpp"

#include <fmt/format.h>

namespace planar::lockstep {

namespace {

/// Encodings that the forms table omits.
struct Left {
  const char* what;
  const char* why;
};
constexpr Left left_out[] = {
    {"undefined opcodes but 0F 0B, 0F FF",
     "later processors, and Unicorn with them, execute many of them; #UD is tested in tests/core/cpu"},
    {"8F /1-7, C6 /1-7, C7 /1-7, FE /2-7, FF /7, 0F 00 /6-7, 0F BA /0-3, 8C /6-7, 8E /6-7",
     "undefined members of groups"},
    {"F6 /1, F7 /1", "TEST under another number on the chips, #UD in Unicorn"},
    {"0F 24, 0F 26", "test registers of 386 and 486, which Unicorn has not"},
    {"0F 31, 0F 33", "RDTSC, RDPMC: each has values of its own"},
    {"0F 30, 0F 32 of other registers than SYSENTER's",
     "values of the chip; Unicorn knows no #GP(0) for those that a chip lacks"},
    {"66h before MMX", "Unicorn executes SSE2 then"},
    {"0F 21 /4-7, 0F 23 /4-7", "MOV to the status and control debug registers: fixed bits differ"},
    {"what INVLPG, MOV CR3 and CR4.PGE leave in a TLB", "Unicorn's has other entries than the chip's"},
    {"undocumented aliases of the x87", "tests/core/cpu/fpu/test_fpu_vectors.cpp"},
    {"task gates and switches, debug traps, alignment checks, I/O permission, limits to the byte",
     "Unicorn cannot check them: vectors in tests/core/cpu"},
};

}  // namespace

Coverage::Coverage() : counts_(forms().size() * 4 * mode_count), excluded_(counts_.size()) {}

std::vector<Coverage::Gap> Coverage::gaps(std::uint64_t least) const {
  std::vector<Gap> list;
  for (const Cell& cell : cells(Model::p6))
    for (unsigned m = 0; m < mode_count; ++m) {
      const auto at = index(static_cast<Mode>(m), cell);
      const std::uint64_t executed = counts_[at], compared = executed - excluded_[at].times;
      if (compared >= least) continue;
      const bool masked = executed >= least;
      list.push_back({static_cast<Mode>(m), cell, executed, compared,
                      masked ? mask_reasons[static_cast<unsigned>(excluded_[at].why)].name : nullptr});
    }
  return list;
}

std::string Coverage::report(std::uint64_t least) const {
  std::string out = "# Lockstep coverage\n\nInstructions executed, by operand size (16 | 32) in each mode.\n\n| form |";
  for (const char* name : mode_names) out += fmt::format(" {} 16 | {} 32 |", name, name);
  out += "\n|---|";
  for (unsigned m = 0; m < mode_count; ++m) out += "--:|--:|";
  out += "\n";
  for (unsigned f = 0; f < forms().size(); ++f) {
    const Form& form = forms()[f];
    for (bool memory : {false, true}) {
      if (memory ? !form.memory_form() : !form.register_form()) continue;
      std::string name = form_name(form);
      if (form.modrm() && form.operands[0] == 'M') name += memory ? " m" : " r";
      out += fmt::format("| {} |", name);
      for (unsigned m = 0; m < mode_count; ++m)
        for (bool size32 : {false, true})
          out += fmt::format(" {} |", of(static_cast<Mode>(m), {static_cast<std::uint16_t>(f), size32, memory}));
      out += "\n";
    }
  }
  const auto list = gaps(least);
  out += fmt::format("\n## Cells executed or compared less than {} times\n\n", least);
  if (list.empty()) out += "None.\n";
  for (const Gap& g : list)
    out += fmt::format("- {} {}-bit {} {}: executed {}, compared {} ({})\n", form_name(forms()[g.cell.form]),
                       g.cell.size32 ? 32 : 16, g.cell.memory ? "memory" : "register",
                       mode_names[static_cast<unsigned>(g.mode)], g.executed, g.compared,
                       g.reason ? g.reason : "unexplained");
  out += "\n## Not generated\n\n| what | why |\n|---|---|\n";
  for (const Left& l : left_out) out += fmt::format("| {} | {} |\n", l.what, l.why);
  out += "\n## Masked\n\n| what | times | why |\n|---|--:|---|\n";
  for (unsigned i = 0; i < masked_.size(); ++i)
    out += fmt::format("| {} | {} | {} |\n", mask_reasons[i].name, masked_[i], mask_reasons[i].reason);
  return out;
}

}  // namespace planar::lockstep
