// SPDX-License-Identifier: GPL-2.0-or-later
// A processor's track: its state (user, kernel, interrupt, real mode, halted) and, within that, every stall for a bus
// cycle. An interrupt lasts from its acknowledge cycle to the IRET that returns to the interrupted instruction or, if
// its handler switches to another program, to the return to user mode.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bus/common/bus_observer.hpp"
#include "core/cpu/cpu.hpp"
#include "core/cpu/observer.hpp"
#include "frontend/timeline/trace_event_file.hpp"

namespace planar {

class CpuTrack final : public cpu::Observer {
 public:
  CpuTrack(TraceEventFile& file, unsigned process, cpu::Cpu& cpu);
  ~CpuTrack() override;
  CpuTrack(const CpuTrack&) = delete;

  /// Follows the processor from `now` on. May be called during one of its accesses.
  void open(Time now);
  void close(Time now);

  /// Called by the bus observer.
  void accessed(const bus::BusCycle& access);
  void waited(Time from, Time to) { wait_ = {from, to}; }

  // cpu::Observer
  void before_step() override;
  void after_step(bool executed, const cpu::Op* op) override;

 private:
  struct Handler {
    std::uint32_t returns_to;  ///< linear address of the interrupted instruction
    std::uint8_t vector;
  };
  struct Wait {
    Time from{}, to{};
  };
  std::string state();
  void change(std::string state, Time at);

  TraceEventFile& file_;
  TraceEventFile::Track track_;
  cpu::Cpu& cpu_;
  bool open_ = false;
  std::string state_;
  Time since_{};
  std::uint32_t front_ = 0;  // linear address of the next instruction
  std::vector<Handler> handlers_;
  std::optional<Wait> wait_;  // during the current access
};

}  // namespace planar
