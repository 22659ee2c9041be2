// SPDX-License-Identifier: GPL-2.0-or-later
// A device number on a PCI segment, either a connector or a device on the board: what it offers to the functions of its
// device. A function is constructed with its slot, answers configuration cycles from then on, and claims here what it
// decodes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bus/pci/segment.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/io_space.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::pci {

class Function;

/// The parts of the machine to which slots connect. All outlive the slots.
struct SlotWiring {
  Scheduler& scheduler;
  IoSpace& io;
  AddressSpace& memory;
  Segment& segment;
  Trace& trace;
  /// Routing of the interrupt pins: pin 1 (INTA#) to 4 of device `device`, level-sensitive.
  std::function<void(unsigned device, unsigned pin, bool asserted, Time now)> interrupt;
  /// Prefix of device names; "NAME." in a lab with several machines.
  std::string prefix{};
};

class Slot {
 public:
  static constexpr unsigned functions = 8;

  /// `device` 0 to 31; `number`: from 1 for a connector, as people count; 0 for a device on the board. `width`: data
  /// bits of the connector, 32 or 64.
  Slot(unsigned device, unsigned number, const SlotWiring& wiring, unsigned width = 64);
  ~Slot();
  Slot(const Slot&) = delete;

  unsigned device() const { return device_; }
  unsigned number() const { return number_; }
  unsigned width() const { return width_; }
  /// The name of its card in traces and captures: "slot1.rtl8139".
  std::string device_name(std::string_view card) const {
    return number_ ? fmt::format("{}slot{}.{}", wiring_.prefix, number_, card)
                   : fmt::format("{}{}", wiring_.prefix, card);
  }
  /// Sets the name in trace lines, without the machine's name, and the category of the card's registers.
  void set_occupant(std::string_view card, TraceCategory registers) {
    subject_ = {number_ ? fmt::format("slot{}.{}", number_, card) : std::string(card), registers};
  }
  const TraceSubject& subject() const { return subject_; }

  /// Function `n` of the device, or null.
  Function* function(unsigned n) const { return n < functions ? functions_[n] : nullptr; }
  /// Assigns the next function number; throws Error when all eight are taken.
  void add(Function& function);
  void remove(Function& function);

  IoClaim claim_io(std::uint16_t first, std::uint16_t last, Slave& slave, CycleSpec cycle) const;
  MemoryClaim claim_memory(std::uint32_t base, std::uint32_t size, Slave& slave, CycleSpec cycle) const;
  void set_interrupt(unsigned pin, bool asserted, Time now) const;

  Segment& segment() const { return wiring_.segment; }
  /// System memory for masters (data only; the segment determines the duration of a transfer).
  AddressSpace& memory() const { return wiring_.memory; }
  Scheduler& scheduler() const { return wiring_.scheduler; }
  Trace& trace() const { return wiring_.trace; }

 private:
  unsigned device_, number_, width_;
  SlotWiring wiring_;
  TraceSubject subject_;
  std::array<Function*, functions> functions_{};
};

}  // namespace planar::pci
