// SPDX-License-Identifier: GPL-2.0-or-later
// A function of a PCI device: its configuration space, with base address registers that decode, and its interrupt pin.
// A card declares itself in its constructor:
//
//   Rtl8139Card::Rtl8139Card(...) : Function(slot, {.vendor = 0x10EC, .device = 0x8139, ...}) {
//     add_bar({.kind = Bar::Kind::io, .size = 0x100, .slave = &registers_, .cycle = {32, CycleKind::io, wait}});
//     add_bar({.kind = Bar::Kind::memory, .size = 0x100, .slave = &registers_, ...});
//   }
//
// Command bits and base addresses are writable; while IO_SPACE or MEMORY_SPACE is set, a nonzero base address decodes.
// Sources: PCI Local Bus Specification 2.1, chapter 6.
//
// Not modelled: 64-bit base addresses, parity, SERR#, BIST.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bus/pci/config_space.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/io_space.hpp"
#include "core/state/description.hpp"
#include "core/time/time.hpp"

namespace planar::pci {

class Master;
class Slot;

/// The read-only part of a header.
struct Identity {
  std::uint16_t vendor = 0, device = 0;
  std::uint8_t revision = 0;
  std::uint32_t class_code = 0;  ///< class << 16 | subclass << 8 | interface: 020000h is an Ethernet controller
  std::uint16_t subsystem_vendor = 0, subsystem = 0;
  unsigned interrupt_pin = 1;             ///< 1 is INTA#, 0 none
  std::uint8_t min_gnt = 0, max_lat = 0;  ///< units of 250 ns
  bool multifunction = false;
  bool mhz_66 = false;  ///< it can run at 66 MHz
};

/// The power management capability (PCI Bus Power Management Interface 1.0, 3.2), the only one in the list.
struct PowerManagement {
  unsigned at = 0;                ///< offset in configuration space
  std::uint16_t pmc = 0;          ///< the function's abilities: version, D1 and D2, states with PME#
  std::uint16_t pmcsr = 0;        ///< control and status after RST#
  std::uint16_t writable = 0x03;  ///< writable bits of the PMCSR; they have no effect
  std::uint8_t data = 0;
};

/// A base address register and the slave that answers there.
struct Bar {
  enum class Kind : std::uint8_t { io, memory, prefetchable };
  Kind kind = Kind::io;
  std::uint32_t size = 0;  ///< a power of two: at least 4 ports, 16 bytes of memory
  Slave* slave = nullptr;
  CycleSpec cycle;
};

class Function {
 public:
  Function(Slot& slot, const Identity& identity);
  virtual ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  // ---- configuration cycles ----
  /// `bytes` is 1, 2 or 4 within one doubleword.
  virtual std::uint32_t config_read(unsigned reg, unsigned bytes, Time now);
  virtual std::uint32_t config_peek(unsigned reg, unsigned bytes) const { return config_.read(reg, bytes); }
  virtual void config_write(unsigned reg, unsigned bytes, std::uint32_t value, Time now);
  /// RST#: nothing decodes, and the pin is released.
  virtual void bus_reset(Time now);

  const ConfigSpace& config() const { return config_; }
  bool enabled(Command bit) const { return config_.read(COMMAND, 2) & bit; }
  /// Whether base address register `n` decodes at present; base() is its address.
  bool decodes(unsigned n) const;
  std::uint32_t base(unsigned n) const;
  /// Indexed by register; an entry without a slave does not exist.
  const std::vector<Bar>& bars() const { return bars_; }
  Slot& slot() const { return slot_; }
  /// Function number within the device, from 0.
  unsigned number() const;
  /// Whether its pin is asserted.
  bool interrupt_pin() const { return interrupt_; }

  /// Sets a bit of STATUS to record what the bus master side of the function has encountered.
  void set_status(Status bit) { config_.set(STATUS, 2, config_.read(STATUS, 2) | bit); }

  /// Header, base addresses and interrupt pin, for the card's description.
  void describe_header(Description& d) const;

 protected:
  /// Adds base address register `n`, 0 to 5, or the one after the last. Throws Error if it is taken or the size is
  /// impossible.
  void add_bar(unsigned n, const Bar& bar);
  void add_bar(const Bar& bar) { add_bar(static_cast<unsigned>(bars_.size()), bar); }
  void add(const PowerManagement& capability);
  /// Drives its interrupt pin.
  void set_interrupt(bool asserted, Time now);
  bool interrupt() const { return interrupt_; }
  /// A configuration write has changed a register.
  virtual void config_changed(unsigned /*reg*/, unsigned /*bytes*/, Time /*now*/) {}
  /// The configuration space, the decoded ranges, and the pin.
  void archive_function(Archive& a);

  ConfigSpace config_;

 private:
  bool exists(unsigned n) const { return n < bars_.size() && bars_[n].slave; }
  void decode();
  friend class Master;
  void attach(Master& master) { masters_.push_back(&master); }
  void detach(Master& master) { std::erase(masters_, &master); }

  Slot& slot_;
  const Identity identity_;
  std::vector<Master*> masters_;
  std::vector<Bar> bars_;
  std::vector<IoClaim> io_claims_;          // by register
  std::vector<MemoryClaim> memory_claims_;  // by register
  bool interrupt_ = false;
};

}  // namespace planar::pci
