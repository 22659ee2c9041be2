// SPDX-License-Identifier: GPL-2.0-or-later
// The common part of the cards' benches: a card in a slot and a station at the other end of its cable. No processor;
// each access begins when the previous one has ended.
#pragma once

#include <memory>

#include "machines/registry/adapter_registry.hpp"
#include "tests/bus/rig.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct CardBench {
  /// `address` is the station address that a user gives the card, `width` that of the slot.
  CardBench(const McaEntry& entry, const char* address, Settings settings, bool plugged = true, unsigned width = 16,
            EthernetConfig medium = {})
      : segment(medium),
        slot(0, width, rig.wiring()),
        made(entry.make({slot, plugged ? &segment : nullptr, address, std::move(settings), 1})),
        card(made.card.get()),
        other(rig.scheduler, &segment, "other", 77) {
    segment.add_observer(log);
  }
  /// The other station sends; time passes until the card has done its bookkeeping.
  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, rig.now);
    while (other.outcomes.size() == before) rig.step(10_us);
    rig.step(20_us);
  }
  void archive(Archive& a) {
    rig.archive(a);
    segment.archive(a);
    card->archive(a);
    other.port.archive(a);
  }

  Rig rig;
  EthernetSegment segment;
  Log log;
  bus::Slot slot;
  McaParts made;
  bus::Adapter* card;
  Recorder other;
};

}  // namespace planar::test
