// SPDX-License-Identifier: GPL-2.0-or-later
// Runs generated programs on planar's interpreter and Unicorn and compares after every instruction.
//
// Unicorn executes an instruction, then planar does, then both are compared: general registers, EIP, flags and stores;
// segments, tables and control registers if the form may change them, and otherwise that planar left them unchanged;
// the x87; for an exception vector, error code, CR2 and the frame that planar pushed. Stray writes by planar are found
// by comparing all memory after each program (and at every instruction while a mismatch is traced).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tests/lockstep/harness/coverage.hpp"
#include "tests/lockstep/harness/masks.hpp"

namespace planar::lockstep {

struct Mismatch {
  std::string what;
  Model model;
  Mode mode;
  Instruction instruction;
  std::vector<std::uint8_t> code;
  Registers before, ours, theirs;
  cpu::Fpu fpu_before, fpu_ours, fpu_theirs;
  int our_vector = -1, their_vector = -1;
  std::vector<std::uint8_t> memory;  ///< before the instruction
  std::string describe() const;
};

class Runner {
 public:
  Runner(Model model, Coverage& coverage);

  /// Executes a program from `states` different states. The first mismatch ends it.
  std::optional<Mismatch> run(const Program& program, Random& random, unsigned states);
  /// One instruction (one iteration of a REP) from the state in `m` (before, fpu_before, memory), all memory compared.
  std::optional<Mismatch> replay(const Mismatch& m);
  /// Called with planar's registers after each instruction, before the comparison: planted faults act here.
  std::function<void(const Instruction&, const Registers& before, Registers& after)> meddle;

  Arena arena;
  std::uint64_t instructions = 0, exceptions = 0;

 private:
  enum class Next : std::uint8_t { go_on, restart, stop };
  Registers step_planar(const Instruction& instruction);
  bool boundary(std::uint32_t address);
  void begin(int index);
  Next finish();
  Next finish_exception(const StepResult& result);
  Next compare_done();
  Next mismatch(const char* what);
  Next exclude(Mask mask);
  void resynchronise();
  bool same_core(const Registers& ours, const UnicornCpu::Core& theirs, std::uint32_t undefined, const char*& what);
  const char* system_difference(const Registers& ours, const Registers& theirs);
  const char* compare_fpu(const Form& form);
  const char* compare_mmx(const Form& form);
  const char* compare_image(const Form& form);
  std::optional<std::uint32_t> operand_address(const Instruction& instruction) const;
  const char* check_frame(const Registers& before, const Registers& after, const StepResult& result,
                          std::uint16_t& error);
  std::optional<Mismatch> run_once(const Program& program, Random& random, unsigned states);
  bool same_as_second(const Mismatch& m) const;
  bool refused_cr0(const Instruction& instruction) const;
  bool sets_other_cr4_bits(const Instruction& instruction) const;
  bool through_cs(const Instruction& instruction) const;
  bool stores_equal();
  void take_back_marks();
  bool wraps(const Instruction& instruction) const;
  bool stack_usable(const Registers& handler) const;
  void sync_stack(const Registers& handler);
  int index_at(std::uint32_t linear) const;
  void load(const Program& program);
  void place(unsigned halts);
  bool intact() const;
  void go();

  Coverage& coverage_;
  const Program* program_ = nullptr;
  std::vector<std::int16_t> index_;  ///< by offset from the program's start
  std::uint32_t start_linear_ = 0;
  int current_ = -1;
  Registers before_;
  cpu::Fpu fpu_before_;
  bool rep_passed_ = false;  ///< planar has left the REP whose count Unicorn tests again
  unsigned iterations_ = 0, boundaries_ = 0;
  Next next_ = Next::go_on;
  bool code_stored_ = false, tables_stored_ = false, thorough_ = false, trace_memory_ = false,
       next_fetch_faulted_ = false, fpu_fault_ = false;
  std::unique_ptr<Runner> second_;           ///< confirms a mismatch from the state before it
  std::vector<std::uint8_t> memory_before_;  ///< before the program
  std::string error_text_;
  std::optional<Mismatch> found_;
};

}  // namespace planar::lockstep
