// SPDX-License-Identifier: GPL-2.0-or-later
// A function with its own stack that can be suspended and resumed. The processors of a lab take turns this way, each
// suspended inside an instruction (scheduler.hpp). No host threads are involved: exactly one fiber runs, and virtual
// time alone decides which is next.
//
// x86-64 and AArch64 switch in a dozen instructions; other hosts use ucontext, which makes a system call per switch.
#pragma once

#include <functional>
#include <memory>

namespace planar {

class Fiber {
 public:
  /// Nothing runs before the first resume(). Throws std::bad_alloc if there is no memory for the stack (512 KB, with a
  /// guard page).
  explicit Fiber(std::function<void()> body);
  /// A suspended body ends at that point: its stack is unwound.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it suspends itself or ends; rethrows its exception. Must not be called from inside a fiber.
  void resume();
  /// From inside the body: returns to the caller of resume(), until the next resume().
  void suspend();
  /// The body has returned or thrown.
  bool ended() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace planar
