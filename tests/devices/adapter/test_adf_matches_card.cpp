// SPDX-License-Identifier: GPL-2.0-or-later
// What a Micro Channel card decodes from its POS registers is what its adapter description says: every choice with
// ports or an interrupt, set in the card, gives exactly these.
#include <fmt/format.h>

#include "adf/reader/reader.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/bus/rig.hpp"
#include "tests/catch.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("every choice of a card's description gives the ports and the interrupt that it states", "[adf]") {
  for (const McaEntry& row : mca_registry()) {
    const adf::Adapter described = adf::find_adf(row.adapter_id);
    for (const adf::Item& chosen : described.items)
      for (const adf::Choice& choice : chosen.choices) {
        INFO(row.name << ": " << chosen.prompt << " = " << choice.name);
        Rig rig;
        bus::Slot slot{0, row.bus_width < 32 ? 16u : 32u, rig.wiring()};
        const McaParts made = row.make({slot, nullptr, {}, {}, 1});
        std::array<std::uint8_t, adf::max_pos_bytes> bytes{};
        const auto set = [&](const adf::Choice& c) {
          for (unsigned n = 0; n < bytes.size(); ++n)
            bytes[n] = static_cast<std::uint8_t>((bytes[n] & ~c.pos.bytes[n].mask) | c.pos.bytes[n].value);
        };
        set(described.fixed);
        for (const adf::Item& item : described.items) set(&item == &chosen ? choice : item.choices.front());
        for (unsigned n = described.num_bytes; n-- > 0;)
          made.card->pos_write(n + 2, static_cast<std::uint8_t>(bytes[n] | (n == 0)), rig.now);
        Description d;
        made.card->describe(d);
        for (const adf::Resource& r : choice.resources) {
          INFO(adf::to_string(r));
          if (r.kind == adf::ResourceKind::io) {
            // Madge's cards decode 16 of the 32 ports that they reserve (Linux 2.4.0 madgemc.h).
            const auto last = row.name.starts_with("madge") ? r.first + 15 : r.last;
            CHECK(rig.bus.io().find(static_cast<std::uint16_t>(r.first)) != nullptr);
            CHECK(rig.bus.io().find(static_cast<std::uint16_t>(last)) != nullptr);
            CHECK(rig.bus.io().find(static_cast<std::uint16_t>(r.last + 1)) == nullptr);
            CHECK(rig.bus.io().find(static_cast<std::uint16_t>(r.first - 1)) == nullptr);
          }
          if (r.kind == adf::ResourceKind::interrupt) CHECK(d.find_field("interrupt line")->value == r.first);
        }
      }
  }
}
