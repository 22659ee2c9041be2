// SPDX-License-Identifier: GPL-2.0-or-later
// What all Micro Channel cards here have in common: identity, POS registers and interrupt pin.
//
// A card defines what its POS bits mean in irq_line() and apply_pos(). These are called on POS writes that change
// something and on channel reset; before POST has enabled the card, it drives no line and claims nothing.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include "bus/mca/slot.hpp"
#include "devices/adapter/mca/irq_pin.hpp"
#include "devices/adapter/mca/mca_entry.hpp"
#include "devices/adapter/mca/pos_registers.hpp"

namespace planar {

class McaCard : public bus::Adapter {
 public:
  // bus::Adapter
  std::string_view name() const override { return entry_.name; }
  std::uint16_t adapter_id() const override { return adapter_id_; }
  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  std::uint8_t pos_peek(unsigned reg) const override;
  void channel_reset(Time now) override;
  void describe(Description& d) const override;

 protected:
  McaCard(bus::Slot& slot, const McaEntry& entry, std::uint16_t adapter_id,
          std::initializer_list<PosRegisters::Register> pos)
      : slot_(slot), entry_(entry), adapter_id_(adapter_id), pos_(pos), irq_(slot) {}

  /// The interrupt line that POS selects; 0: none.
  virtual unsigned irq_line() const = 0;
  /// Claims exactly what POS selects (nothing if the card is not enabled), and updates whatever else depends on POS.
  virtual void apply_pos() = 0;
  /// CHRESET: resets everything except POS.
  virtual void reset_board(Time now) = 0;
  /// The board's registers, and one part per chip.
  virtual void describe_board(Description& d) const = 0;
  /// POS register `reg` has changed.
  virtual void pos_changed(unsigned /*reg*/, Time now) { decode(now); }

  bool enabled() const { return pos_.card_enabled(); }
  /// Selects the interrupt line and claims according to the present POS values.
  void decode(Time now);
  void select_irq(Time now) { irq_.select(enabled() ? irq_line() : 0, now); }
  /// After a snapshot is loaded; the interrupt pin's `cause` and `gate` follow from the card's state.
  void restored(bool cause, bool gate = true);

  bus::Slot& slot_;
  const McaEntry& entry_;
  std::uint16_t adapter_id_;
  PosRegisters pos_;
  IrqPin irq_;
};

/// A Micro Channel card that is a network adapter.
class McaNetworkCard : public McaCard, public NetworkAdapter {
 public:
  std::string_view name() const override { return McaCard::name(); }
  void describe(Description& d) const override { McaCard::describe(d); }

 protected:
  using McaCard::McaCard;
};

/// For the registry rows of network cards: builds `Card`(context, arguments...) and connects it to the medium.
template <class Card, class... Arguments>
McaParts make_network_card(const McaContext& context, Arguments&&... arguments) {
  auto card = std::make_unique<Card>(context, std::forward<Arguments>(arguments)...);
  if (context.medium) card->port().attach(*context.medium);
  NetworkAdapter* network = card.get();
  return {std::move(card), network, nullptr};
}

}  // namespace planar
