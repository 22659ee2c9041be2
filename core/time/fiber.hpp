// SPDX-License-Identifier: GPL-2.0-or-later
// A function on a stack of its own, which can be left in the middle and continued later: how several processors of a
// lab, each inside an instruction, take turns (scheduler.hpp). No host thread is involved: exactly one runs, and who is
// next is decided by virtual time alone.
//
// x86-64 and AArch64 switch in a dozen instructions; any other host uses ucontext, which asks its kernel each time.
#pragma once

#include <functional>
#include <memory>

namespace planar {

class Fiber {
 public:
  /// Nothing runs before the first resume(). Throws std::bad_alloc without memory for the stack (512 KB, guarded).
  explicit Fiber(std::function<void()> body);
  /// A body that is suspended ends there: its stack is unwound.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Continues the body until it suspends itself or ends; rethrows what it threw. Not from inside a fiber.
  void resume();
  /// From inside the body: back to who resumed it, until the next resume().
  void suspend();
  /// The body has returned or thrown.
  bool ended() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace planar
