// SPDX-License-Identifier: GPL-2.0-or-later
// `planar adf FILE` shows an adapter description; `planar adf solve MACHINE.toml` shows the slot page.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "adf/nvram/slot_page.hpp"
#include "adf/reader/print.hpp"
#include "adf/reader/reader.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/output.hpp"
#include "machines/boards/ps2/ps2_board.hpp"
#include "machines/lab/lab.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

nlohmann::ordered_json claims_json(const std::vector<adf::Resource>& resources) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& r : resources) list.push_back(adf::to_string(r));
  return list;
}

nlohmann::ordered_json adapter_json(const adf::Adapter& a) {
  nlohmann::ordered_json j;
  j["adapter_id"] = fmt::format("{:04x}", a.id);
  j["name"] = a.name;
  j["num_bytes"] = a.num_bytes;
  j["fixed"] = {{"pos", adf::to_string(a.fixed.pos)}, {"claims", claims_json(a.fixed.resources)}};
  j["items"] = nlohmann::ordered_json::array();
  for (const auto& item : a.items) {
    auto choices = nlohmann::ordered_json::array();
    for (const auto& c : item.choices)
      choices.push_back({{"name", c.name}, {"pos", adf::to_string(c.pos)}, {"claims", claims_json(c.resources)}});
    j["items"].push_back({{"prompt", item.prompt}, {"choices", choices}, {"help", item.help}});
  }
  j["warnings"] = nlohmann::ordered_json::array();
  for (const auto& w : a.warnings) j["warnings"].push_back(adf::to_string(w, a.source));
  return j;
}

nlohmann::ordered_json page_json(const adf::SlotPage& page) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : page.rows) {
    nlohmann::ordered_json j = {{"slot", row.slot}, {"width", static_cast<unsigned>(row.width)}};
    if (!row.empty) {
      j["adapter_id"] = fmt::format("{:04x}", row.result.id);
      j["name"] = row.result.name;
      auto pos = nlohmann::ordered_json::array();
      for (unsigned n = 0; n < row.result.num_bytes; ++n) pos.push_back(row.result.pos[n]);
      j["pos"] = pos;
      auto claims = nlohmann::ordered_json::array();
      for (const auto& c : row.result.claims) claims.push_back(adf::to_string(c.resource));
      j["claims"] = claims;
    }
    rows.push_back(j);
  }
  return {{"schema", "planar.slots/1"}, {"slots", rows}, {"shared_interrupts", page.shared_interrupts}};
}

}  // namespace

Verb add_adf(CLI::App& app) {
  struct Options {
    std::string file;
    std::optional<std::string> json;
    MachineOptions machine;
    bool solve = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("adf", "Read an adapter description file, or solve a machine's slots");
  auto* file = verb->add_option("file", o->file, "Adapter description file (@XXXX.ADF)")->type_name("FILE");
  add_json_option(*verb, o->json, "Write JSON");
  CLI::App* solve = verb->add_subcommand("solve", "Assign resources to every slot and print the slot page");
  o->machine.add_to(*solve, true);
  add_json_option(*solve, o->json, "Write JSON");
  verb->require_subcommand(0, 1);
  return [o, solve, file] {
    if (solve->parsed()) {
      if (file->count() != 0)
        throw Error(
            fmt::format("adf {0} solve: takes no file, because each card has its own; write planar adf solve "
                        "[MACHINE], or planar adf {0}",
                        o->file));
      Lab lab(o->machine.config());
      const auto* board = dynamic_cast<const Ps2Board*>(&lab.machine().board());
      if (!board)
        throw Error(
            fmt::format("adf solve: the slots of {} are not configured by adapter description files; choose a "
                        "machine with Micro Channel",
                        lab.machine().config().name));
      const auto& page = board->slot_page();
      if (o->json)
        write_json(*o->json, page_json(page));
      else
        fmt::print("{}", adf::to_text(page));
      return 0;
    }
    if (file->count() == 0) throw Error("adf: no file given; write planar adf FILE or planar adf solve MACHINE");
    if (const PciEntry* const card = find_pci(o->file))
      throw Error(
          fmt::format("adf: {} is a PCI card and has no adapter description: firmware gives it what its base "
                      "address registers ask for; see planar show {}",
                      card->title, card->name));
    const auto adapter = adf::load_adf(o->file);
    if (o->json)
      write_json(*o->json, adapter_json(adapter));
    else
      fmt::print("{}", adf::to_text(adapter));
    return 0;
  };
}

}  // namespace planar
