// SPDX-License-Identifier: GPL-2.0-or-later
// The trace category syscall: what programs ask of a guest's system with INT 80h, and what they get.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cpu/observer.hpp"
#include "core/state/trace.hpp"
#include "frontend/trace/guest_calls.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

class CallTracer final : public cpu::Observer {
 public:
  /// Machine and trace outlive it.
  CallTracer(Machine& machine, Trace& trace, CallTable table) : machine_(machine), trace_(trace), table_(table) {}

  /// Discards the calls that have not returned: the run goes on somewhere else.
  void forget() { open_.clear(); }

  // cpu::Observer
  void before_step() override;
  void delivering(std::uint8_t vector, bool software, bool has_error, std::uint16_t error) override;

 private:
  /// A call that has not returned. The program that made it is known by its page tables, its stack and where it goes
  /// on.
  struct Call {
    std::uint32_t tables, stack, return_to;
    std::string name;
  };
  Machine& machine_;
  Trace& trace_;
  CallTable table_;
  std::vector<Call> open_;
};

}  // namespace planar
