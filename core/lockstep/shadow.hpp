// SPDX-License-Identifier: GPL-2.0-or-later
// Runs Unicorn alongside a machine's processor: `planar run --lockstep`.
//
// The interpreter leads. After each of its instructions, Unicorn executes the same one on a copy of the machine's RAM,
// with the values that the interpreter received from outside (ports, device memory) replayed. Registers, defined flags,
// stores, port and device writes, and exception vectors with error code and CR2 are compared. Interrupts, the delivery
// of exceptions, resets and bus-master writes are copied. What is not compared is listed in exclusions.hpp and counted.
//
// The first divergence ends the comparison; its report contains both states. Observation changes nothing in the
// machine.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cpu/cpu.hpp"
#include "core/cpu/observer.hpp"
#include "core/lockstep/exclusions.hpp"
#include "core/lockstep/unicorn_cpu.hpp"
#include "core/memory/address_space.hpp"

namespace planar::lockstep {

class Shadow final : public cpu::Observer, private ExternalBus {
 public:
  /// Observes `processor` from its present state on. Both arguments must outlive this object.
  Shadow(cpu::Cpu& processor, AddressSpace& space);
  ~Shadow() override;

  /// Called at the first divergence, between two instructions.
  void on_divergence(std::function<void()> f) { on_divergence_ = std::move(f); }
  /// The report with both states and the differences; nothing as long as the two agree.
  const std::optional<std::string>& divergence() const { return divergence_; }
  /// A one-line summary of what was compared and what was not.
  std::string summary() const;

  /// Test hook: flips one bit of Unicorn's EAX after the instruction with this number.
  void plant(std::uint64_t instruction) { planted_ = instruction; }

 private:
  struct Transfer {
    std::uint32_t address;  ///< or port
    unsigned bytes;
    std::uint32_t value;
    bool used = false;
  };
  struct Delivery {
    std::uint8_t vector;
    bool software, has_error;
    std::uint16_t error;
  };
  struct Copy {
    AddressSpace::Area area;
    std::vector<std::uint8_t> bytes;
  };
  struct Mapped {
    std::uint32_t base, size;
  };

  // ---- Observer
  void before_step() override;
  void after_step(bool executed, const cpu::Op* op) override;
  void delivering(std::uint8_t vector, cpu::InterruptSource source, bool has_error, std::uint16_t error) override;
  void stored(std::uint32_t address, std::uint32_t bytes) override;
  void port_read(std::uint16_t port, unsigned bytes, std::uint32_t value) override;
  void port_written(std::uint16_t port, unsigned bytes, std::uint32_t value) override;
  void device_read(std::uint32_t address, unsigned bytes, std::uint32_t value, bool fetch) override;
  void device_written(std::uint32_t address, unsigned bytes, std::uint32_t value) override;
  void others_wrote(std::uint32_t address, std::uint32_t bytes) override;
  void mapping_changed() override { remap_ = true; }

  // ---- ExternalBus
  std::uint32_t port_read(std::uint16_t port, unsigned bytes) override;
  void port_write(std::uint16_t port, unsigned bytes, std::uint32_t value) override;
  std::uint32_t memory_read(std::uint32_t address, unsigned bytes) override;
  void memory_write(std::uint32_t address, unsigned bytes, std::uint32_t value) override;

  // ---- memory
  void copy_memory();
  std::uint8_t* copy_of(std::uint32_t address);
  const Copy* area_of(std::uint32_t address) const;
  void take_over(std::uint32_t address, std::uint32_t bytes);
  bool map_on_demand(std::uint32_t address);
  void note_code(const cpu::Registers& r);

  // ---- comparison
  void compare(const cpu::Op* op, const cpu::Registers& now);
  StepResult step();
  void adopt(const cpu::Registers& now);
  void adopt_uncompared(const cpu::Registers& now, Exclusion why);
  void compare_exception(const cpu::Op* op, const cpu::Registers& now, const StepResult& result);
  const char* compare_core(const cpu::Op& op, const cpu::Registers& now, UnicornCpu::Core& theirs) const;
  const char* compare_system(const cpu::Registers& now, const cpu::Registers& theirs) const;
  const char* compare_fpu(const cpu::Op& op);
  const char* compare_mmx();
  const char* compare_stores(const cpu::Op& op);
  const char* compare_bus();
  void diverge(const std::string& what, const cpu::Registers& now);

  cpu::Cpu& processor_;
  AddressSpace& space_;
  const std::uint32_t address_mask_;
  UnicornCpu unicorn_;
  std::vector<Copy> copies_;
  std::vector<Mapped> extra_;     ///< devices and aliases mapped on demand
  std::vector<bool> code_pages_;  ///< physical pages that Unicorn has executed from
  std::uint32_t code_linear_ = 1, code_cr3_ = 1;
  bool remap_ = true, device_code_ = false, a20_ = true;

  cpu::Registers before_;
  std::vector<Delivery> deliveries_;
  std::vector<Store> stores_;
  std::vector<Transfer> port_reads_, port_writes_, device_reads_, device_writes_;  ///< of the interpreter
  std::vector<Transfer> their_port_writes_, their_device_writes_;

  std::uint64_t compared_ = 0, exceptions_ = 0, interrupts_ = 0;
  std::array<std::uint64_t, static_cast<unsigned>(Exclusion::count)> excluded_{};
  std::uint64_t planted_ = 0;
  std::optional<std::string> divergence_;
  std::function<void()> on_divergence_;
};

}  // namespace planar::lockstep
