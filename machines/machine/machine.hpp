// SPDX-License-Identifier: GPL-2.0-or-later
// One machine: a processor, memory and a board. The machine file selects the board; this code does not depend on which.
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
  /// Builds the machine, configures its slots and switches it on. `media`: what network adapters can be plugged into,
  /// by CardConfig::medium; an adapter whose medium is not in it remains unplugged. Throws Error for impossible
  /// configurations.
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

  // Shortcuts to the board's functions.
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

  /// The processor is in HLT with interrupts disabled: only an NMI or a reset will wake it.
  bool halted_for_good() const;

  /// The time for which describe() shows the devices: as far as the processor has advanced, but before any event that
  /// is due and has not fired.
  Time now() const;
  /// The byte that a read of a port, or of physical memory, would return at now(), without side effects; FFh where
  /// nothing is decoded.
  std::uint8_t peek_port(std::uint16_t port) const { return board_->io().peek(port, now()); }
  std::uint8_t peek_memory(std::uint32_t address) const { return space_.peek(address, now()); }
  /// Its devices by name: "cpu", "pic", "pit", "dma"..., "slot1.ne2".
  std::vector<std::string> devices() const;
  /// The registers and state of the named device, or of all. Only peeks: nothing changes and no time passes. Throws
  /// Error, naming the nearest match, if there is no such device.
  Description describe(std::string_view device) const;
  std::vector<Description> describe() const;

  /// Power-on reset: the board with everything in its slots, then the processor. Memory, clock and NVRAM keep their
  /// contents.
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
