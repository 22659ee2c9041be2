// SPDX-License-Identifier: GPL-2.0-or-later
// Explains why a machine cannot be configured, and which changes would help.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "adf/solver/search.hpp"

namespace planar::adf {
namespace {

using Result = Search::Result;

std::string owner(const Claim& claim) {
  if (claim.slot == 0) return fmt::format("the planar's {}", claim.owner);
  return fmt::format("slot {} ({})", claim.slot, claim.owner);
}

std::string place(const Claim& claim) {
  std::string text = owner(claim);
  if (claim.slot == 0) return text;
  if (claim.item.empty()) return text + ", fixed resources";
  text += fmt::format(", item \"{}\", choice \"{}\"", claim.item, claim.choice);
  return claim.pinned ? text + " (pinned)" : text;
}

std::string enumerate(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t n = 0; n < numbers.size(); ++n)
    text += fmt::format("{}{}", n == 0 ? "" : n + 1 == numbers.size() ? " or " : ", ", numbers[n]);
  return text;
}

class Explainer {
 public:
  Explainer(const Problem& problem, const std::vector<PreparedSlot>& slots, const SolveLimits& limits)
      : problem_(problem), slots_(slots), limits_(limits) {}

  Refusal run() {
    find_obstacles();
    find_changes();
    compose();
    return std::move(refusal_);
  }

 private:
  Result feasible(const std::vector<PreparedSlot>& slots, const std::vector<PlanarClaim>& planar) {
    Search search(slots, planar);
    return search.run(Search::any_sharing, limits_.tried_changes);
  }
  bool helps(const std::vector<PreparedSlot>& slots) { return feasible(slots, problem_.planar) == Result::found; }

  static std::vector<PreparedSlot> without(std::vector<PreparedSlot> slots, std::size_t index) {
    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(index));
    return slots;
  }

  /// Leaves out adapters that are not involved, so that the collision shown is the relevant one.
  void find_obstacles() {
    minimal_ = slots_;
    for (std::size_t n = 0; n < minimal_.size();) {
      std::vector<PreparedSlot> fewer = without(minimal_, n);
      if (feasible(fewer, problem_.planar) == Result::impossible)
        minimal_ = std::move(fewer);
      else
        ++n;
    }
    Search search(minimal_, problem_.planar);
    refusal_.cut_off = search.run(Search::any_sharing, limits_.tried) == Result::cut_off;
    refusal_.obstacles = search.obstacles();
    std::stable_partition(refusal_.obstacles.begin(), refusal_.obstacles.end(),
                          [](const Obstacle& o) { return o.holder.has_value(); });
  }

  void find_changes() {
    std::vector<unsigned> removable;
    for (std::size_t n = 0; n < slots_.size(); ++n)
      if (helps(without(slots_, n))) removable.push_back(slots_[n].request->slot);
    if (removable.size() == 1)
      refusal_.changes.push_back(fmt::format("remove the adapter in slot {}", removable[0]));
    else if (!removable.empty())
      refusal_.changes.push_back(fmt::format("remove one adapter: the one in slot {}", enumerate(removable)));

    for (std::size_t n = 0; n < slots_.size(); ++n) {
      for (std::size_t p = 0; p < slots_[n].request->pins.size(); ++p) try_without_pin(n, p);
      try_wider(n);
    }
    if (refusal_.changes.empty()) try_two_removals();
  }

  void try_without_pin(std::size_t slot, std::size_t pin) {
    SlotRequest request = *slots_[slot].request;
    const Pin dropped = request.pins[pin];
    request.pins.erase(request.pins.begin() + static_cast<std::ptrdiff_t>(pin));
    std::vector<PreparedSlot> changed = slots_;
    changed[slot] = prepare(request);
    if (helps(changed))
      refusal_.changes.push_back(
          fmt::format("change {} = {} of slot {} to auto", dropped.key, dropped.value, request.slot));
  }

  void try_wider(std::size_t slot) {
    const auto beyond_24_bits = [](const Obstacle& o) { return !o.holder && o.wanted.resource.last > 0x00FF'FFFF; };
    const bool matters = std::any_of(refusal_.obstacles.begin(), refusal_.obstacles.end(), beyond_24_bits);
    if (!matters || slots_[slot].request->width == SlotWidth::bits32) return;
    SlotRequest request = *slots_[slot].request;
    request.width = SlotWidth::bits32;
    std::vector<PreparedSlot> changed = slots_;
    changed[slot] = prepare(request);
    if (helps(changed))
      refusal_.changes.push_back(fmt::format("move the adapter of slot {} to a 32-bit slot", request.slot));
  }

  void try_two_removals() {
    for (std::size_t a = 0; a < slots_.size(); ++a)
      for (std::size_t b = a + 1; b < slots_.size(); ++b) {
        if (!helps(without(without(slots_, b), a))) continue;
        refusal_.changes.push_back(
            fmt::format("remove the adapters in slots {} and {}", slots_[a].request->slot, slots_[b].request->slot));
        return;
      }
  }

  void compose() {
    std::string& text = refusal_.text;
    text = refusal_.cut_off
               ? fmt::format("no configuration was found in {} tries, which does not prove that there is none",
                             limits_.tried)
               : "the adapters cannot be configured together";
    if (refusal_.obstacles.empty()) {
      text += "; remove an adapter";
      return;
    }
    const Obstacle& first = refusal_.obstacles.front();
    if (first.holder)
      text += fmt::format(": {} of {} collides with {} of {}", to_string(first.wanted.resource), place(first.wanted),
                          to_string(first.holder->resource), place(*first.holder));
    else
      text += fmt::format(": {} {}", place(first.wanted), first.reason);

    if (refusal_.obstacles.size() > 1) {
      text += fmt::format("\n  no choice of \"{}\" in slot {} is possible:", first.wanted.item, first.wanted.slot);
      for (const Obstacle& obstacle : refusal_.obstacles) {
        text += fmt::format("\n    {}: ", obstacle.wanted.choice);
        if (obstacle.holder)
          text += fmt::format("{} is used by {}", to_string(obstacle.holder->resource), owner(*obstacle.holder));
        else
          text += obstacle.reason;
      }
    }
    if (!refusal_.changes.empty()) text += "\n  any of these would help:";
    for (const std::string& change : refusal_.changes) text += "\n    " + change;
  }

  const Problem& problem_;
  const std::vector<PreparedSlot>& slots_;
  const SolveLimits& limits_;
  std::vector<PreparedSlot> minimal_;
  Refusal refusal_;
};

}  // namespace

std::string to_string(const Claim& claim) { return fmt::format("{}: {}", place(claim), to_string(claim.resource)); }

Refusal explain(const Problem& problem, const std::vector<PreparedSlot>& slots, const SolveLimits& limits) {
  return Explainer(problem, slots, limits).run();
}

}  // namespace planar::adf
