// SPDX-License-Identifier: GPL-2.0-or-later
// Follows one processor for the debugger: compares every instruction, access and interrupt with the breakpoints. It is
// attached only while a breakpoint needs it, because a followed processor is emulated several times slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cpu/observer.hpp"
#include "frontend/debug/breakpoint.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

class Watcher final : public cpu::Observer {
 public:
  struct Calls {
    /// A breakpoint is hit, at the current boundary or by the current instruction.
    std::function<void(const Breakpoint&, std::uint32_t address, bool written, std::string text)> hit;
    /// Every few thousand instructions.
    std::function<void()> poll;
    /// The boundary given to arrive_at() is reached.
    std::function<void()> arrived;
  };
  /// `breakpoints` and `machine` must outlive it; `number` is the machine's number in its lab.
  Watcher(Machine& machine, std::size_t number, const std::vector<Breakpoint>& breakpoints, Calls calls);
  ~Watcher() override;
  Watcher(const Watcher&) = delete;

  void attach(bool on);
  Position position() const { return {machine_.cpu().clocks(), machine_.cpu().instructions()}; }
  /// The boundary before the current instruction, or the current boundary.
  const Position& before_instruction() const { return before_instruction_; }
  /// The boundaries passed before that of arrive_at(), latest last, at most as many as it requested. A processor
  /// sleeping in HLT has one boundary after the HLT; the next follows what ends the sleep, as when stepping forwards.
  const std::deque<Position>& passed() const { return passed_; }
  /// Ignores breakpoints on the instruction at the current boundary once: the user knows that the run is here, and
  /// continues it. Otherwise ignores none.
  void leave(bool known = true) { leave_ = known ? std::optional(position()) : std::nullopt; }
  /// Reports the first boundary at or after `position` (nothing: none) and keeps the latest `count` boundaries before
  /// it.
  void arrive_at(std::optional<Position> position, std::size_t count = 0);

  /// The last step executed an instruction; otherwise it delivered an interrupt or trap, or only time passed.
  bool executed() const { return executed_; }

  // cpu::Observer
  void before_step() override;
  void after_step(bool executed, const cpu::Op*) override { executed_ = executed; }
  void delivering(std::uint8_t vector, cpu::InterruptSource source, bool has_error, std::uint16_t error) override;
  void stored(std::uint32_t address, std::uint32_t bytes) override { memory(address, bytes, true, "written"); }
  void loaded(std::uint32_t address, std::uint32_t bytes) override { memory(address, bytes, false, "read"); }
  void port_read(std::uint16_t port, unsigned bytes, std::uint32_t value) override { io(port, bytes, value, false); }
  void port_written(std::uint16_t port, unsigned bytes, std::uint32_t value) override { io(port, bytes, value, true); }
  void device_read(std::uint32_t address, unsigned bytes, std::uint32_t value, bool fetch) override;
  void device_written(std::uint32_t address, unsigned bytes, std::uint32_t value) override;
  void others_wrote(std::uint32_t address, std::uint32_t bytes) override;
  void others_read(std::uint32_t address, std::uint32_t bytes) override;

 private:
  /// Whether the breakpoint is of this kind and applies to this machine.
  bool is(const Breakpoint& b, BreakKind kind) const { return b.kind == kind && (!b.machine || *b.machine == number_); }
  void pass_boundary();
  void memory(std::uint32_t physical, std::uint32_t bytes, bool write, const std::string& how);
  void io(std::uint16_t port, unsigned bytes, std::uint32_t value, bool write);
  void pos_written(const Breakpoint& b, std::uint16_t port, std::uint32_t value);
  void configured(unsigned bus, unsigned device, unsigned function, unsigned reg, unsigned bytes, std::uint32_t value);
  /// The processor has accessed `subject` at `offset` within the range it decodes.
  void decoded(const TraceSubject* subject, std::uint32_t offset, unsigned bytes, std::uint32_t value, bool write);

  Machine& machine_;
  std::size_t number_;
  const std::vector<Breakpoint>& breakpoints_;
  Calls calls_;
  bool attached_ = false;
  bool executed_ = false;
  unsigned until_poll_ = 0;
  Position before_instruction_;
  std::optional<Position> leave_, target_;
  std::deque<Position> passed_;
  std::size_t to_keep_ = 0;
  bool asleep_ = false;  // at the previous boundary, or when arrive_at() was called
};

}  // namespace planar
