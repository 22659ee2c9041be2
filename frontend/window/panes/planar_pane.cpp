// SPDX-License-Identifier: GPL-2.0-or-later
// The planar's own devices: interrupt and DMA controllers, timers, arbitration, and everything else with a description.
#include <array>
#include <string>

#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

class PlanarPane final : public Pane {
 public:
  std::string_view name() const override { return "planar"; }
  const char* title() const override { return "Planar"; }
  const char* help() const override { return "PIC, PIT, DMA, arbitration and the other devices"; }

  void draw(const Inspection& look) override {
    struct Tab {
      const char* title;
      const char* device;
    };
    static constexpr std::array<Tab, 4> tabs{{{"PIC", "pic"}, {"IRQ", "irq"}, {"PIT", "pit"}, {"DMA", "dma"}}};
    if (!ImGui::BeginTabBar("devices")) return;
    for (const Tab& tab : tabs)
      if (ImGui::BeginTabItem(tab.title)) {
        show(look.machine, tab.device);
        ImGui::EndTabItem();
      }
    if (ImGui::BeginTabItem("Arbitration")) {
      show(look.machine, look.machine.board().pci() ? "pci" : "channel");
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Others")) {
      others(look.machine);
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }

 private:
  static void show(const Machine& machine, const std::string& device) {
    if (ImGui::BeginChild("device")) widgets::device(machine.describe(device));
    ImGui::EndChild();
  }

  void others(const Machine& machine) {
    const auto devices = machine.devices();
    if (chosen_.empty()) chosen_ = "memory";
    if (ImGui::BeginCombo("##device", chosen_.c_str())) {
      for (const auto& device : devices)
        if (ImGui::Selectable(device.c_str(), device == chosen_)) chosen_ = device;
      ImGui::EndCombo();
    }
    for (const auto& device : devices)
      if (device == chosen_) show(machine, chosen_);
  }

  std::string chosen_;
};

}  // namespace

std::unique_ptr<Pane> make_planar_pane() { return std::make_unique<PlanarPane>(); }

}  // namespace planar
