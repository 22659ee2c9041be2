// SPDX-License-Identifier: GPL-2.0-or-later
// Generated programs: a dozen forms in the order of the coverage cells, each with preparation so that it passes its
// first check often enough.
#pragma once

#include <vector>

#include "tests/lockstep/harness/arena.hpp"
#include "tests/lockstep/harness/forms.hpp"

namespace planar::lockstep {

/// A cell of the coverage table: the unit of counting and of generation.
struct Cell {
  std::uint16_t form;
  bool size32;  ///< operand size of the instruction, prefix applied
  bool memory;
  bool operator==(const Cell&) const = default;
};

/// The cells of a mode and model.
std::vector<Cell> cells(Model model);

struct Instruction {
  std::uint32_t offset;  ///< of the first byte, from the program's start
  std::uint8_t length;
  bool rep;
  std::uint8_t immediate;  ///< the last byte: a shift count
  std::uint8_t modrm;
  Cell cell;
};

struct Program {
  Mode mode;
  std::uint32_t offset;  ///< EIP of the first instruction
  std::vector<std::uint8_t> bytes;
  std::vector<Instruction> instructions;
};

class Generator {
 public:
  Generator(Model model, Mode mode, std::uint64_t seed);
  Model model() const { return model_; }
  Mode mode() const { return mode_; }
  /// `eip`: the address of the program.
  Program make(std::uint32_t eip);
  /// Programs of these cells only from now on. At least one.
  void restrict_to(std::vector<Cell> cells);

 private:
  void emit(const Cell& cell);
  void begin(unsigned form, bool size32, bool memory);
  void end();
  void prefixes(bool size32);
  void byte(std::uint32_t v) { program_.bytes.push_back(static_cast<std::uint8_t>(v)); }
  void value(std::uint32_t v, unsigned bytes);
  void immediate(unsigned bytes);
  void modrm(unsigned reg, bool memory, int rm = -1);
  void prepare(const Form& form, const Cell& cell);
  void operands(const Form& form, const Cell& cell);
  void set_register(unsigned reg, std::uint32_t v);
  void push(std::uint32_t v, bool size32);
  void store(std::uint32_t at, std::uint32_t v, bool size32);
  void store_pointer(std::uint32_t offset, std::uint16_t selector, bool size32);
  void write_model_register(std::uint32_t number, std::uint32_t v);
  void define_flags();
  std::uint16_t selector();
  std::uint16_t code_selector();
  /// EIP of the next byte, plus `ahead`.
  std::uint32_t here(std::uint32_t ahead = 0) const {
    return program_.offset + static_cast<std::uint32_t>(program_.bytes.size()) + ahead;
  }

  Model model_;
  Mode mode_;
  Random random_;
  std::vector<Cell> cells_;
  std::size_t at_ = 0;
  Program program_;
  bool wide_;
  bool address32_ = false;
  int fixed_memory_ = -1;  ///< displacement of a prepared operand
  int fixed_register_ = -1;
};

}  // namespace planar::lockstep
