// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/solver/solver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "adf/solver/search.hpp"
#include "core/common/error.hpp"

namespace planar::adf {
namespace {

std::vector<PreparedSlot> prepare_all(const Problem& problem) {
  std::vector<PreparedSlot> slots;
  for (const SlotRequest& request : problem.slots) {
    if (request.slot < 1 || request.slot > max_slots)
      throw Error(
          fmt::format("slot {} ({}): slots are numbered from 1 to {}", request.slot, request.adapter.name, max_slots));
    if (request.adapter.items.size() > 48)
      throw Error(fmt::format("slot {} ({}): more than 48 items", request.slot, request.adapter.name));
    slots.push_back(prepare(request));
  }
  std::stable_sort(slots.begin(), slots.end(),
                   [](const PreparedSlot& a, const PreparedSlot& b) { return a.request->slot < b.request->slot; });
  for (std::size_t n = 1; n < slots.size(); ++n)
    if (slots[n].request->slot == slots[n - 1].request->slot)
      throw Error(fmt::format("slot {} has two adapters ({} and {}); move one of them", slots[n].request->slot,
                              slots[n - 1].request->adapter.name, slots[n].request->adapter.name));
  return slots;
}

void set_bits(SlotResult& result, const PosSetting& setting) {
  for (unsigned n = 0; n < result.num_bytes; ++n) {
    const PosBits& bits = setting.bytes[n];
    result.pos[n] = static_cast<std::uint8_t>((result.pos[n] & ~bits.mask) | bits.value);
  }
}

Solution collect(const Search& search, const std::vector<PreparedSlot>& slots) {
  Solution solution;
  for (const PreparedSlot& slot : slots) {
    const SlotRequest& request = *slot.request;
    SlotResult result;
    result.slot = request.slot;
    result.width = request.width;
    result.id = request.adapter.id;
    result.name = request.adapter.name;
    result.num_bytes = std::min(request.adapter.num_bytes, max_pos_bytes);
    for (unsigned n = 0; n < result.num_bytes; ++n) result.pos[n] = request.open_bits[n];
    solution.slots.push_back(std::move(result));
  }
  for (std::size_t v = 0; v < search.variables().size(); ++v) {
    const Variable& variable = search.variables()[v];
    const Choice& choice = *search.chosen()[v];
    SlotResult& result = solution.slots[variable.slot];
    set_bits(result, choice.pos);
    bool pinned = variable.pinned;
    for (const Resource& resource : choice.resources) {
      result.claims.push_back(search.claim_of(v, choice, resource));
      pinned |= result.claims.back().pinned;
    }
    if (variable.item != Variable::fixed_item)
      result.items.push_back({slots[variable.slot].request->adapter.items[variable.item].prompt, choice.name, pinned});
  }
  for (SlotResult& result : solution.slots)
    if (result.num_bytes > 0) result.pos[0] |= 0x01;  // card enable, POS 2 bit 0
  solution.shared_interrupts = search.shared();
  return solution;
}

}  // namespace

Outcome solve(const Problem& problem, const SolveLimits& limits) {
  const std::vector<PreparedSlot> slots = prepare_all(problem);
  Search search(slots, problem.planar);
  Outcome outcome;
  const Search::Result any = search.run(Search::any_sharing, limits.tried);
  if (any != Search::Result::found) {
    outcome.refusal = explain(problem, slots, limits);
    return outcome;
  }
  outcome.solution = collect(search, slots);
  std::uint64_t tried = search.tried();
  bool cut_off = false;
  const unsigned shared_at_first = search.shared();
  for (unsigned sharing = 0; sharing < shared_at_first; ++sharing) {
    const Search::Result result = search.run(sharing, limits.tried_spreading);
    tried += search.tried();
    cut_off |= result == Search::Result::cut_off;
    if (result != Search::Result::found) continue;
    outcome.solution = collect(search, slots);
    break;
  }
  outcome.solution->tried = tried;
  outcome.solution->fewest_shared = !cut_off;
  return outcome;
}

Solution solve_or_refuse(const Problem& problem, const std::string& file, const SolveLimits& limits) {
  Outcome outcome = solve(problem, limits);
  if (!outcome) throw Error(fmt::format("{}: {}", file, outcome.refusal.text));
  return std::move(*outcome.solution);
}

}  // namespace planar::adf
