// SPDX-License-Identifier: GPL-2.0-or-later
// The connector: what an adapter offers to the machine (Adapter) and what the machine offers to an adapter (Slot).
//
// An adapter is constructed with its Slot and the media it needs; it claims nothing until its POS registers enable it:
//
//   io_.release();
//   if (pos2_ & 1) io_ = slot_.claim_io(base(), base() + 0x2F, *this, cycle);
//
// Releasing a claim (by assigning an empty one or destroying it) ends the decoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bus/common/card.hpp"
#include "bus/common/interrupts.hpp"
#include "bus/mca/arbitration.hpp"
#include "bus/mca/channel_check.hpp"
#include "bus/mca/cycles.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/io_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::bus {

class DmaController;

/// What answers ports 100h to 107h while its setup line is active: an adapter or a planar function.
class SetupTarget {
 public:
  virtual ~SetupTarget() = default;
  /// Reads POS register `reg` (0 to 7) with the side effects of a real read (few adapters have any).
  virtual std::uint8_t pos_read(unsigned reg, Time /*now*/) { return pos_peek(reg); }
  /// Writes POS register `reg`; writes to 0 and 1, which are read-only, are passed on too (a card ignores them).
  virtual void pos_write(unsigned reg, std::uint8_t value, Time now) = 0;
  virtual std::uint8_t pos_peek(unsigned reg) const = 0;
};

/// An adapter in a slot. Registers that a card does not implement read FFh. POS 5 bit 7 reads 1 unless the card asserts
/// -CHCK.
class Adapter : public SetupTarget, public Card {
 public:
  /// The value it returns in POS 0 (low byte) and POS 1 (high byte). 0000h means "not ready", FFFFh an empty slot.
  virtual std::uint16_t adapter_id() const = 0;
  /// CHRESET: disables the card (POS 2 bit 0 = 0), which releases its claims, its interrupt and its requests.
  virtual void channel_reset(Time now) = 0;
};

/// The parts of the machine to which slots connect. All outlive the slots.
struct SlotWiring {
  Scheduler& scheduler;
  IoSpace& io;
  AddressSpace& memory;
  Channel& channel;
  DmaController& dma;
  InterruptLines& interrupts;
  ChannelCheck& channel_check;
  Trace& trace;
  /// The latch of port 91h (PosController::feedback()).
  bool* feedback;
  /// Prefix of device names; "NAME." in a lab with several machines.
  std::string prefix{};
};

class Slot {
 public:
  /// `number` 0 to 7 (slot 1 to 8 in manuals), `width` 16 or 32 bits.
  Slot(unsigned number, unsigned width, const SlotWiring& wiring)
      : number_(number), width_(width), wiring_(wiring), subject_{fmt::format("slot{}", number + 1)} {}
  Slot(const Slot&) = delete;

  /// Counted from 0, as port 96h does; people count from 1.
  unsigned number() const { return number_; }
  /// The name of its card in traces and captures: "slot1.ne2".
  std::string device_name(std::string_view card) const {
    return fmt::format("{}slot{}.{}", wiring_.prefix, number_ + 1, card);
  }
  unsigned width() const { return width_; }
  /// Sets the name in trace lines, "slot1.ne2" without the machine's name, and the category of the card's registers.
  void set_occupant(std::string_view card, TraceCategory registers) {
    subject_ = {fmt::format("slot{}.{}", number_ + 1, card), registers};
  }
  const TraceSubject& subject() const { return subject_; }

  /// Decodes I/O ports first..last. The width of `cycle` is limited to the slot's. A card that holds CD CHRDY depending
  /// on its state overrides Slave::ready(), whatever the kind of cycle.
  IoClaim claim_io(std::uint16_t first, std::uint16_t last, Slave& slave, CycleSpec cycle) const;
  /// Decodes memory. A 16-bit slot has 24 address lines and MADE 24: a range that ends beyond 16 MB is never selected,
  /// and the claim stays empty.
  MemoryClaim claim_memory(std::uint32_t base, std::uint32_t size, Slave& slave, CycleSpec cycle) const;

  /// Asserts or releases -IRQ `line`: 3 to 7, 9 to 12, 14, 15; 2 is the connector's name for 9. Other lines have no
  /// contact. Level-sensitive: keep it asserted until the cause is cleared. There is one level per slot and line; a
  /// card with several causes ORs them.
  void set_irq(unsigned line, bool asserted, Time now) const;
  /// Releases every interrupt line (reset, change of POS).
  void release_irqs(Time now) const { wiring_.interrupts.release_all(number_, now); }
  bool irq(unsigned line) const { return (wiring_.interrupts.sources(line) >> number_ & 1) != 0; }

  /// -CHCK. The card must also return 0 in POS 5 bit 7.
  void set_channel_check(bool asserted, Time now) const { wiring_.channel_check.set(number_, asserted, now); }

  /// For arbitration: construct a BusMaster with it.
  Channel& channel() const { return wiring_.channel; }
  /// For DMA service: construct a DmaLine with it.
  DmaController& dma() const { return wiring_.dma; }
  /// System memory for bus masters (data only; the channel determines the duration of a transfer).
  AddressSpace& memory() const { return wiring_.memory; }
  Scheduler& scheduler() const { return wiring_.scheduler; }
  Trace& trace() const { return wiring_.trace; }

 private:
  CycleSpec limited(CycleSpec cycle) const;
  unsigned number_;
  unsigned width_;
  SlotWiring wiring_;
  TraceSubject subject_;
};

}  // namespace planar::bus
