// SPDX-License-Identifier: GPL-2.0-or-later
// The slots: their cards with their present configuration and address ranges. On the Micro Channel these come from POS;
// on PCI, from the header of every function's configuration space, which is shown with the activity of its bus master.
#include <fmt/format.h>

#include "bus/pci/config_text.hpp"
#include "bus/pci/function.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"
#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

class SlotsPane final : public Pane {
 public:
  std::string_view name() const override { return "slots"; }
  const char* title() const override { return "Slots"; }
  const char* help() const override { return "adapters with claimed ranges; POS, or PCI's functions"; }

  void draw(const Inspection& look) override {
    for (const bus::SlotView& slot : look.machine.board().slots()) {
      widgets::heading(fmt::format("slot {} ({} bits): {}", slot.number, slot.width, slot.card ? slot.title : "empty"));
      if (!slot.card) continue;
      widgets::text(slot.registers);
      ImGui::SameLine();
      widgets::coloured(slot.enabled ? widgets::good : widgets::bad, slot.enabled ? "enabled" : "disabled");
      for (const bus::CardResource& resource : slot.resources) widgets::text("  " + resource.text);
    }
    for (const pci::Segment* const segment : pci::segments_of(look.machine.board().buses())) functions(*segment);
    if (const std::string_view name = look.machine.board().slot_device(); !name.empty()) {
      widgets::heading("POS");
      const Description pos = look.machine.describe(name);
      widgets::fields(pos);
      if (const Description* planar = pos.find_part("planar functions")) widgets::device(*planar);
    }
  }

 private:
  static void functions(const pci::Segment& bus) {
    Description masters{std::string(bus.name())};
    bus.describe(masters);
    widgets::heading(fmt::format("PCI functions, bus {}", bus.bus_number()));
    for (const pci::Function* f : bus.functions()) {
      const std::string title = pci::function_title(*f);
      const auto open = f->slot().number() ? ImGuiTreeNodeFlags_DefaultOpen : ImGuiTreeNodeFlags_None;
      if (!ImGui::CollapsingHeader(title.c_str(), open)) continue;
      Description header(title);
      f->describe_header(header);
      widgets::fields(header);
      for (unsigned n = 0; n < f->bars().size(); ++n)
        if (f->bars()[n].slave) widgets::text(fmt::format("  BAR{}: {}", n, pci::bar_text(*f, n)));
      if (const auto pin = pci::interrupt_text(*f); !pin.empty())
        widgets::coloured(f->interrupt_pin() ? widgets::accent : widgets::quiet, "  " + pin);
      for (const Description& master : masters.parts())
        if (f->slot().number() != 0 && master.name().ends_with(f->slot().subject().device))
          if (const Field* activity = master.find_field("bus"))
            widgets::coloured(activity->text == "idle" ? widgets::quiet : widgets::good,
                              fmt::format("  bus master: {}", activity->text));
    }
  }
};

}  // namespace

std::unique_ptr<Pane> make_slots_pane() { return std::make_unique<SlotsPane>(); }

}  // namespace planar
