// SPDX-License-Identifier: GPL-2.0-or-later
// The P6 (Pentium II and III).
#pragma once

#include "core/cpu/timing/common/processor_timing.hpp"

namespace planar::cpu {

class TimingP6 final : public ProcessorTiming {
 public:
  explicit TimingP6(const TimingConfig& config) : ProcessorTiming(config) {}

  void set_static_clocks(Op& op) const override;
  void begin(const Op&, std::uint32_t) override { clock_ += 1; }
  void end() {}
  void read(std::uint32_t, unsigned) override {}
  void write(std::uint32_t, unsigned) override {}
  void branch(const Op&, bool, std::uint32_t) override {}
  std::uint64_t cycle_start(bool) override {
    pins_.begin(clock_);
    return clock_;
  }
  void wait_until(std::uint64_t clock) override {
    jump_to(clock);
    pins_.end(clock_);
  }
  void steal(std::uint64_t, unsigned) override {}
  void master_wrote(std::uint32_t, std::uint32_t) override {}
  void flush_caches(bool) override {}
  void interrupt_flush() override {}
  void archive(Archive& a) override { archive_clock(a); }
  void describe(Description&) const override {}
};

}  // namespace planar::cpu
