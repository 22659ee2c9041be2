// SPDX-License-Identifier: GPL-2.0-or-later
// A board: everything between the processor and the slots, and the slots themselves. A board wires its parts,
// configures its slots and describes its devices; the machine holds the processor, the memory and a board, and no other
// code depends on which board it is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bus/common/bus.hpp"
#include "bus/common/card.hpp"
#include "bus/common/interrupts.hpp"
#include "core/cpu/cpu.hpp"
#include "core/cpu/pins.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/io_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/adapter/network_adapter.hpp"
#include "devices/adapter/storage_adapter.hpp"
#include "devices/board/at/diskette/i82077.hpp"
#include "devices/board/at/input/i8042.hpp"
#include "devices/board/at/ports/ns16550.hpp"
#include "devices/board/at/video/vga.hpp"
#include "machines/config/machine_config.hpp"

namespace planar::pci {
class Segment;
}

namespace planar {

struct LinuxBoot;

/// What a board is built into. All of it outlives the board. `memory` is empty; the board maps RAM and ROM.
struct BoardSite {
  Scheduler& scheduler;
  Trace& trace;
  AddressSpace& memory;
  const MachineConfig& config;
};

/// A device of the machine, listed by describe().
struct DescribedDevice {
  std::string name;
  std::function<void(Description&)> describe;
};

class Board {
 public:
  virtual ~Board() = default;

  // ---- the processor's side ----
  virtual cpu::Pins& pins() = 0;
  /// Wires the processor, fills the slots and writes what a setup program would have written (NVRAM). Called once,
  /// after the processor has been constructed on pins(). `media`: what network adapters can be plugged into, by
  /// CardConfig::medium. Throws Error for impossible configurations.
  virtual void start(cpu::Cpu& cpu, std::span<net::Medium* const> media) = 0;
  /// Power-on reset, except for the processor. Memory, clock and NVRAM keep their contents.
  virtual void reset(Time now) = 0;
  virtual void archive(Archive& a) = 0;

  // ---- buses and slots ----
  virtual IoSpace& io() = 0;
  virtual bus::InterruptLines& interrupts() = 0;
  /// In the order in which the host bridge numbers them.
  virtual std::span<bus::Bus* const> buses() const = 0;
  /// Its PCI segment with bus number 0, or null.
  virtual pci::Segment* pci() { return nullptr; }
  const pci::Segment* pci() const { return const_cast<Board*>(this)->pci(); }
  /// All slots, in numerical order.
  virtual std::vector<bus::SlotView> slots() const = 0;
  /// The card in slot `number` (from 1), or null; the same as a network adapter, or null.
  virtual bus::Card* card(unsigned number) const = 0;
  virtual NetworkAdapter* adapter(unsigned number) const = 0;
  /// The adapter to which the configuration's drives are connected, or null.
  virtual StorageAdapter* storage() const = 0;

  // ---- what a person sees and uses ----
  virtual Ns16550& serial() = 0;
  virtual I82077& diskette() = 0;
  virtual I8042& keyboard_controller() = 0;
  virtual const Vga& video() const = 0;
  /// The text on the operator panel; empty without one.
  virtual std::string panel_text() const { return {}; }
  /// The latest POST checkpoint.
  virtual std::uint16_t checkpoint() const = 0;
  /// Its devices, in their state at `now`.
  virtual std::vector<DescribedDevice> devices(Time now) const = 0;
  /// The device among them that describes the configuration of the slots; empty if there is none.
  virtual std::string_view slot_device() const { return {}; }

  // ---- what is started ----
  /// Replaces the built-in firmware with another image, unmodified. Called before the machine runs; a snapshot does not
  /// contain it. Throws Error naming `name`.
  virtual void load_firmware(std::span<const std::uint8_t> image, const std::string& name) = 0;
  /// The end of the memory from 1 MB upwards: the first address after it.
  virtual std::uint32_t memory_end() const = 0;
  /// Places a kernel in memory and maps the ROM that starts it (roms/README.md section 4). Called before the machine
  /// runs; throws Error if the adapters leave no room for the ROM.
  virtual void load_kernel(const LinuxBoot& boot) = 0;
};

}  // namespace planar
