// SPDX-License-Identifier: GPL-2.0-or-later
// The trace category cpu: each instruction with its clocks, and what the processor does between instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cpu/observer.hpp"
#include "core/state/trace.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

class InstructionTracer final : public cpu::Observer {
 public:
  /// Both must outlive this object.
  InstructionTracer(Machine& machine, Trace& trace) : machine_(machine), trace_(trace) {}

  /// Discards the instruction in progress, because the run continues from another state.
  void forget();

  // cpu::Observer
  void before_step() override;
  void after_step(bool executed, const cpu::Op* op) override;
  void delivering(std::uint8_t vector, cpu::InterruptSource source, bool has_error, std::uint16_t error) override;

 private:
  struct Delivery {
    std::uint8_t vector;
    cpu::InterruptSource source;
    bool has_error;
    std::uint16_t error;
  };
  Machine& machine_;
  Trace& trace_;
  void line(std::uint64_t clocks, const std::string& text);

  bool began_ = false;   // before_step() was called for this instruction
  bool wanted_ = false;  // its address passes the filter
  std::uint16_t selector_ = 0;
  std::uint32_t offset_ = 0, linear_ = 0;
  std::uint64_t clocks_ = 0;
  std::optional<std::uint64_t> waits_since_;  // clocks when the processor fell asleep
  std::string text_;
  std::vector<Delivery> deliveries_;  // by this instruction, or instead of it
};

}  // namespace planar
