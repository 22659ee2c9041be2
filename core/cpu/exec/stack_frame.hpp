// SPDX-License-Identifier: GPL-2.0-or-later
// Pushes onto a stack that is not the current one yet: gates, interrupts, task switches. Nothing is committed until the
// caller loads SS:ESP from here.
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

class StackFrame {
 public:
  /// `error`: error code of #SS if the stack has no room (0 for the current stack).
  StackFrame(Engine& c, const Segment& ss, std::uint32_t sp, bool user, std::uint16_t error)
      : c_(c), ss_(ss), sp_(ss.big ? sp : sp & 0xFFFF), user_(user), error_(error) {}

  void push(std::uint32_t v, bool wide) {
    const unsigned bytes = wide ? 4 : 2;
    sp_ -= bytes;
    if (!ss_.big) sp_ &= 0xFFFF;
    if (std::int64_t{sp_ - ss_.low} + (bytes - 1) > ss_.write_span) raise(vec_ss, error_);
    c_.write_slow(ss_.base + sp_, bytes, wide ? v : v & 0xFFFF, user_);
  }
  /// CS and EIP.
  void push_return(bool wide) {
    push(c_.seg[CS].selector, wide);
    push(c_.eip, wide);
  }
  std::uint32_t pop(bool wide) {
    const unsigned bytes = wide ? 4 : 2;
    if (std::int64_t{sp_ - ss_.low} + (bytes - 1) > ss_.read_span) raise(vec_ss, error_);
    const std::uint32_t v = c_.read_slow(ss_.base + sp_, bytes, user_);
    skip(bytes);
    return v;
  }
  void skip(std::uint32_t bytes) {
    sp_ += bytes;
    if (!ss_.big) sp_ &= 0xFFFF;
  }
  std::uint32_t pointer() const { return sp_; }
  /// ESP after the transfer: on a 16-bit stack, the upper half of `old` is kept.
  std::uint32_t merged(std::uint32_t old) const { return ss_.big ? sp_ : (old & 0xFFFF0000u) | sp_; }

 private:
  Engine& c_;
  Segment ss_;
  std::uint32_t sp_;
  bool user_;
  std::uint16_t error_;
};

}  // namespace planar::cpu
