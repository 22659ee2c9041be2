// SPDX-License-Identifier: GPL-2.0-or-later
// The slots: what is in them, its POS bytes as they are now, and the ranges that the solver gave it.
#include <fmt/format.h>

#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

class SlotsPane final : public Pane {
 public:
  std::string_view name() const override { return "slots"; }
  const char* title() const override { return "Slots"; }
  const char* help() const override { return "adapters with POS bytes and claimed ranges"; }

  void draw(const Inspection& look) override {
    for (const auto& row : look.machine.slot_page().rows) {
      const bus::Adapter* card = look.machine.card(row.slot);
      widgets::heading(fmt::format("slot {} ({} bits): {}", row.slot, row.width == adf::SlotWidth::bits32 ? 32 : 16,
                                   row.empty ? "empty" : row.result.name));
      if (row.empty || !card) continue;
      std::string pos = fmt::format("ID {:04X}  POS", card->adapter_id());
      for (unsigned reg = 2; reg < 6; ++reg) pos += fmt::format(" {:02X}", card->pos_peek(reg));
      const bool enabled = card->pos_peek(2) & 1;
      widgets::text(pos);
      ImGui::SameLine();
      widgets::coloured(enabled ? widgets::good : widgets::bad, enabled ? "enabled" : "disabled");
      for (const auto& claim : row.result.claims) widgets::text("  " + adf::to_string(claim.resource));
    }
    widgets::heading("POS");
    const Description pos = look.machine.describe("pos");
    widgets::fields(pos);
    if (const Description* planar = widgets::part(pos, "planar functions")) widgets::device(*planar);
  }
};

}  // namespace

std::unique_ptr<Pane> make_slots_pane() { return std::make_unique<SlotsPane>(); }

}  // namespace planar
