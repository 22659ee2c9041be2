// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/nvram/slot_page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace planar::adf {
namespace {

std::string pos_bytes(const SlotResult& result) {
  std::string text;
  for (unsigned n = 0; n < result.num_bytes; ++n) text += fmt::format("{}{:02X}", n == 0 ? "" : " ", result.pos[n]);
  return text;
}

/// The claims on one line; levels with other users are marked.
std::string claims(const SlotPage& page, const SlotResult& result) {
  const auto shared = [&](const Resource& resource) {
    if (resource.kind != ResourceKind::interrupt) return false;
    for (const PlanarClaim& claim : page.planar)
      if (claim.resource == resource) return true;
    for (const SlotPage::Row& row : page.rows) {
      if (row.empty || row.slot == result.slot) continue;
      for (const Claim& claim : row.result.claims)
        if (claim.resource == resource) return true;
    }
    return false;
  };
  std::string text;
  for (const Claim& claim : result.claims)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", to_string(claim.resource),
                        shared(claim.resource) ? " (shared)" : "");
  return text.empty() ? "none" : text;
}

}  // namespace

SlotPage slot_page(const Solution& solution, const std::vector<SlotShape>& shapes,
                   const std::vector<PlanarClaim>& planar) {
  SlotPage page;
  page.planar = planar;
  page.shared_interrupts = solution.shared_interrupts;
  page.fewest_shared = solution.fewest_shared;
  for (const SlotShape& shape : shapes) page.rows.push_back({shape.slot, shape.width, true, {}});
  for (const SlotResult& result : solution.slots) {
    auto row =
        std::find_if(page.rows.begin(), page.rows.end(), [&](const SlotPage::Row& r) { return r.slot == result.slot; });
    if (row == page.rows.end()) row = page.rows.insert(page.rows.end(), {result.slot, result.width, true, {}});
    row->empty = false;
    row->result = result;
  }
  std::stable_sort(page.rows.begin(), page.rows.end(),
                   [](const SlotPage::Row& a, const SlotPage::Row& b) { return a.slot < b.slot; });
  return page;
}

std::string to_text(const SlotPage& page, bool with_planar) {
  std::string out;
  for (const SlotPage::Row& row : page.rows) {
    out += fmt::format("Slot {}  {}-bit  ", row.slot, static_cast<unsigned>(row.width));
    if (row.empty) {
      out += "empty\n";
      continue;
    }
    const SlotResult& result = row.result;
    out += fmt::format("{}  (ID {})\n", result.name, hex(result.id, 4));
    const std::string registers = result.num_bytes > 1 ? fmt::format("POS 2-{}", result.num_bytes + 1) : "POS 2";
    out += fmt::format("    {:<12}{}\n", registers, pos_bytes(result));
    out += fmt::format("    {:<12}{}\n", "claims", claims(page, result));
    std::size_t widest = 0;
    for (const ChosenItem& item : result.items) widest = std::max(widest, item.item.size());
    for (const ChosenItem& item : result.items)
      out += fmt::format("    {:<{}}  {}{}\n", item.item, std::max<std::size_t>(widest, 10), item.choice,
                         item.pinned ? "  (pinned)" : "");
  }
  if (with_planar && !page.planar.empty()) {
    std::size_t widest = 0;
    for (const PlanarClaim& claim : page.planar) widest = std::max(widest, claim.owner.size());
    out += "Planar\n";
    for (std::size_t n = 0; n < page.planar.size();) {
      const std::string& owner = page.planar[n].owner;
      std::string list;
      for (; n < page.planar.size() && page.planar[n].owner == owner; ++n)
        list += (list.empty() ? "" : ", ") + to_string(page.planar[n].resource);
      out += fmt::format("    {:<{}}  {}\n", owner, widest, list);
    }
  }
  if (page.shared_interrupts > 0)
    out += fmt::format(
        "Levels marked (shared) have more than one user, which the Micro Channel permits; {}.\n",
        page.fewest_shared ? "no configuration shares fewer levels" : "the search for less sharing was cut off");
  return out;
}

}  // namespace planar::adf
