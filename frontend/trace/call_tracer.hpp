// SPDX-License-Identifier: GPL-2.0-or-later
// The trace category syscall: the system calls (INT 80h) of a guest's programs, and their results.
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
  /// The machine and the trace must outlive this object.
  CallTracer(Machine& machine, Trace& trace, CallTable table) : machine_(machine), trace_(trace), table_(table) {}

  /// Discards the calls that have not returned, because the run continues from another state.
  void forget() { open_.clear(); }

  // cpu::Observer
  void before_step() override;
  void delivering(std::uint8_t vector, cpu::InterruptSource source, bool has_error, std::uint16_t error) override;

 private:
  /// A call that has not returned. The calling program is identified by its page tables, its stack and the return
  /// address.
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
