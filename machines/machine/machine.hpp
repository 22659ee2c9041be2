// SPDX-License-Identifier: GPL-2.0-or-later
// One machine: a processor, memory and a board. Which board it is the machine file says; nobody here asks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cpu/cpu.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/machine/board.hpp"

namespace planar {

class Machine {
 public:
  /// Builds the machine, configures its slots and switches it on. `media` is what network adapters are plugged into, by
  /// CardConfig::medium; those that are not in it leave them unplugged. Throws Error for impossible configurations.
  Machine(Scheduler& scheduler, Trace& trace, const MachineConfig& config, std::span<net::Medium* const> media);
  ~Machine();
  Machine(const Machine&) = delete;

  const MachineConfig& config() const { return config_; }
  cpu::Cpu& cpu() { return cpu_; }
  const cpu::Cpu& cpu() const { return cpu_; }
  AddressSpace& memory() { return space_; }
  const AddressSpace& memory() const { return space_; }
  Board& board() { return *board_; }
  const Board& board() const { return *board_; }

  // The board's, for short.
  IoSpace& io() { return board_->io(); }
  bus::InterruptLines& interrupts() { return board_->interrupts(); }
  bus::Card* card(unsigned number) { return board_->card(number); }
  const bus::Card* card(unsigned number) const { return board_->card(number); }
  NetworkAdapter* adapter(unsigned number) { return board_->adapter(number); }
  const NetworkAdapter* adapter(unsigned number) const { return board_->adapter(number); }
  StorageAdapter* storage() { return board_->storage(); }
  const StorageAdapter* storage() const { return board_->storage(); }
  Ns16550& serial() { return board_->serial(); }
  I82077& diskette() { return board_->diskette(); }
  const I82077& diskette() const { return board_->diskette(); }
  I8042& keyboard_controller() { return board_->keyboard_controller(); }
  const Vga& video() const { return board_->video(); }
  void load_firmware(std::span<const std::uint8_t> image, const std::string& name) {
    board_->load_firmware(image, name);
  }
  std::uint32_t memory_end() const { return board_->memory_end(); }

  /// The processor stands in HLT with interrupts off: nothing but NMI or reset will wake it.
  bool halted_for_good() const;

  /// The time up to which describe() shows the devices: as far as the processor has come, but before any event that is
  /// due and has not fired.
  Time now() const;
  /// Its devices by name: "cpu", "pic", "pit", "dma"..., "slot1.ne2".
  std::vector<std::string> devices() const;
  /// The registers and state of the device of that name, or of all. Peeks only: nothing changes, no time passes. Throws
  /// Error, naming the nearest, if there is no such device.
  Description describe(std::string_view device) const;
  std::vector<Description> describe() const;

  /// As by the power switch: the board with everything in its slots is reset, then the processor. Memory, clock and
  /// NVRAM keep their contents.
  void reset(Time now);

  void archive(Archive& a);

 private:
  std::vector<DescribedDevice> described() const;

  Scheduler& scheduler_;
  MachineConfig config_;
  AddressSpace space_;
  std::unique_ptr<Board> board_;
  cpu::Cpu cpu_;
};

}  // namespace planar
