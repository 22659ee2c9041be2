// SPDX-License-Identifier: GPL-2.0-or-later
// Slots and cards as seen by code that need not know which bus they are on: labs, timelines, debuggers, the window.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar::bus {

class Bus;

/// A card in a slot of any bus.
class Card {
 public:
  virtual ~Card() = default;
  /// The card name of the registry, for example "ne2".
  virtual std::string_view name() const = 0;
  /// Its configuration, registers and state. Has no side effects.
  virtual void describe(Description& d) const = 0;
  virtual void archive(Archive& a) = 0;
};

/// A resource assigned to a card: a range of ports or physical addresses, or a level (first == last).
struct CardResource {
  enum class Kind : std::uint8_t { io, memory, level };
  Kind kind = Kind::io;
  std::uint32_t first = 0, last = 0;
  std::string text;  ///< "I/O 1000h-102Fh", "IRQ 3"
};

/// A slot of a machine and its present contents.
struct SlotView {
  unsigned number = 1;  ///< from 1, counted over all buses of the machine
  unsigned width = 32;  ///< bits
  const Bus* bus = nullptr;
  const Card* card = nullptr;  ///< null: empty
  std::string title;           ///< of the card: "Novell NE/2"
  std::uint32_t id = 0;        ///< the ID that configuration reads
  std::string registers;       ///< its current configuration, as text
  bool enabled = false;
  std::vector<CardResource> resources;
};

}  // namespace planar::bus
