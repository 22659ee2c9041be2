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
    for (const bus::SlotView& slot : look.machine.board().slots()) {
      widgets::heading(fmt::format("slot {} ({} bits): {}", slot.number, slot.width, slot.card ? slot.title : "empty"));
      if (!slot.card) continue;
      widgets::text(slot.registers);
      ImGui::SameLine();
      widgets::coloured(slot.enabled ? widgets::good : widgets::bad, slot.enabled ? "enabled" : "disabled");
      for (const bus::CardResource& resource : slot.resources) widgets::text("  " + resource.text);
    }
    const std::string_view name = look.machine.board().slot_device();
    if (name.empty()) return;
    widgets::heading("POS");
    const Description pos = look.machine.describe(name);
    widgets::fields(pos);
    if (const Description* planar = widgets::part(pos, "planar functions")) widgets::device(*planar);
  }
};

}  // namespace

std::unique_ptr<Pane> make_slots_pane() { return std::make_unique<SlotsPane>(); }

}  // namespace planar
