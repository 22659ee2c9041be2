// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/solver/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace planar::adf {
namespace {

constexpr std::uint32_t end_of_24_bits = 0x00FF'FFFF;

bool has_interrupt(const Choice& choice) {
  return std::any_of(choice.resources.begin(), choice.resources.end(),
                     [](const Resource& r) { return r.kind == ResourceKind::interrupt; });
}

}  // namespace

bool ResourcePin::met_by(const Choice& choice) const {
  return std::any_of(choice.resources.begin(), choice.resources.end(), [&](const Resource& r) {
    return r.kind == kind && r.first == first && (!last || r.last == *last);
  });
}

Search::Search(const std::vector<PreparedSlot>& slots, const std::vector<PlanarClaim>& planar)
    : slots_(slots), planar_(planar) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const Adapter& adapter = slots_[s].request->adapter;
    variables_.push_back({s, Variable::fixed_item, {&adapter.fixed}});
    for (std::size_t i = 0; i < adapter.items.size(); ++i) {
      Variable variable{s, i, {}, slots_[s].item_pinned[i]};
      for (std::size_t c = 0; c < adapter.items[i].choices.size(); ++c)
        if (slots_[s].allowed[i][c]) variable.choices.push_back(&adapter.items[i].choices[c]);
      variable.has_interrupts = std::any_of(variable.choices.begin(), variable.choices.end(),
                                            [](const Choice* choice) { return has_interrupt(*choice); });
      variables_.push_back(std::move(variable));
    }
  }
}

Search::Result Search::run(unsigned sharing, std::uint64_t limit) {
  allowed_sharing_ = sharing;
  limit_ = limit;
  tried_ = 0;
  shared_ = 0;
  cut_off_ = false;
  furthest_ = 0;
  chosen_.clear();
  held_.clear();
  obstacles_.clear();
  Variables blame;
  if (descend(0, blame)) return Result::found;
  return cut_off_ ? Result::cut_off : Result::impossible;
}

/// Assigns `variable` and all later ones. On failure, `blame` holds the earlier variables that caused it.
bool Search::descend(std::size_t variable, Variables& blame) {
  if (variable == variables_.size()) return true;
  const std::size_t held_before = held_.size();
  const unsigned shared_before = shared_;
  std::vector<Obstacle> obstacles;
  bool went_deeper = false;
  for (const Choice* choice : in_order(variable)) {
    if (++tried_ > limit_) {
      cut_off_ = true;
      return false;
    }
    if (auto rejection = rejects(variable, *choice)) {
      blame |= rejection->blame;
      if (!went_deeper) obstacles.push_back(std::move(rejection->obstacle));
      continue;
    }
    went_deeper = true;
    shared_ += new_sharing(variable, *choice);
    for (const Resource& resource : choice->resources) held_.push_back({resource, variable});
    chosen_.push_back(choice);
    Variables deeper;
    if (descend(variable + 1, deeper)) return true;
    if (cut_off_) return false;
    chosen_.pop_back();
    held_.resize(held_before);
    shared_ = shared_before;
    if (!deeper.test(variable)) {  // another choice here cannot help: backjump
      blame = deeper;
      return false;
    }
    deeper.reset(variable);
    blame |= deeper;
  }
  if (!went_deeper && (obstacles_.empty() || variable > furthest_)) {
    furthest_ = variable;
    obstacles_ = std::move(obstacles);
  }
  return false;
}

std::optional<Search::Rejection> Search::rejects(std::size_t variable, const Choice& choice) const {
  for (std::size_t earlier = variable; earlier-- > 0;) {
    if (variables_[earlier].slot != variables_[variable].slot) break;
    if (!chosen_[earlier]->pos.contradicts(choice.pos)) continue;
    Rejection rejection;
    rejection.blame.set(earlier);
    const Claim other = claim_of(earlier, *chosen_[earlier], {});
    rejection.obstacle = plain_obstacle(
        variable, choice,
        other.item.empty()
            ? std::string("needs the opposite value of a POS bit from the fixed resources")
            : fmt::format("needs the opposite value of a POS bit from the choice \"{}\" of the item \"{}\"",
                          other.choice, other.item));
    return rejection;
  }
  for (const Resource& resource : choice.resources)
    if (auto rejection = rejects_claim(variable, choice, resource)) return rejection;
  if (auto rejection = rejects_pins(variable, choice)) return rejection;
  return rejects_sharing(variable, choice);
}

std::optional<Search::Rejection> Search::rejects_claim(std::size_t variable, const Choice& choice,
                                                       const Resource& resource) const {
  const SlotRequest& request = *slots_[variables_[variable].slot].request;
  if (resource.kind == ResourceKind::memory && request.width == SlotWidth::bits16 && resource.last > end_of_24_bits) {
    Rejection rejection;
    rejection.obstacle = plain_obstacle(
        variable, choice, fmt::format("needs {}, which a 16-bit slot cannot address", to_string(resource)));
    rejection.obstacle.wanted = claim_of(variable, choice, resource);
    return rejection;
  }
  for (const PlanarClaim& planar : planar_) {
    if (planar.shareable || !planar.resource.overlaps(resource)) continue;
    return Rejection{{}, {claim_of(variable, choice, resource), planar_claim(planar), "is in use"}};
  }
  if (resource.kind == ResourceKind::interrupt) return std::nullopt;
  for (const Held& held : held_) {
    if (!held.resource.overlaps(resource)) continue;
    Rejection rejection;
    rejection.blame.set(held.variable);
    rejection.obstacle = {claim_of(variable, choice, resource),
                          claim_of(held.variable, *chosen_[held.variable], held.resource), "is in use"};
    return rejection;
  }
  return std::nullopt;
}

/// A resource pin can be satisfied by any item of its slot, so it fails only when no remaining item could satisfy it.
std::optional<Search::Rejection> Search::rejects_pins(std::size_t variable, const Choice& choice) const {
  const PreparedSlot& slot = slots_[variables_[variable].slot];
  for (const ResourcePin& pin : slot.resource_pins) {
    bool possible = pin.met_by(choice);
    Rejection rejection;
    for (std::size_t earlier = variable; earlier-- > 0 && !possible;) {
      if (variables_[earlier].slot != variables_[variable].slot) break;
      rejection.blame.set(earlier);
      possible = pin.met_by(*chosen_[earlier]);
    }
    for (std::size_t later = variable + 1; later < variables_.size() && !possible; ++later) {
      if (variables_[later].slot != variables_[variable].slot) break;
      possible = std::any_of(variables_[later].choices.begin(), variables_[later].choices.end(),
                             [&](const Choice* c) { return pin.met_by(*c); });
    }
    if (possible) continue;
    rejection.obstacle = plain_obstacle(variable, choice, fmt::format("does not satisfy {}", pin.text));
    return rejection;
  }
  return std::nullopt;
}

std::optional<Search::Rejection> Search::rejects_sharing(std::size_t variable, const Choice& choice) const {
  if (allowed_sharing_ == any_sharing) return std::nullopt;
  const unsigned more = new_sharing(variable, choice);
  if (more == 0 || shared_ + more <= allowed_sharing_) return std::nullopt;
  Rejection rejection;
  for (std::size_t earlier = 0; earlier < variable; ++earlier)
    if (has_interrupt(*chosen_[earlier])) rejection.blame.set(earlier);
  rejection.obstacle = plain_obstacle(variable, choice, "would share an interrupt level");
  return rejection;
}

/// The choices of a variable, sorted by the sharing they add, then by the order in the file.
std::vector<const Choice*> Search::in_order(std::size_t variable) const {
  std::vector<const Choice*> choices = variables_[variable].choices;
  if (variables_[variable].has_interrupts)
    std::stable_sort(choices.begin(), choices.end(), [&](const Choice* a, const Choice* b) {
      return new_sharing(variable, *a) < new_sharing(variable, *b);
    });
  return choices;
}

/// The number of sharing pairs that a choice adds: for each of its levels, the users other than its own adapter.
unsigned Search::new_sharing(std::size_t variable, const Choice& choice) const {
  unsigned pairs = 0;
  for (const Resource& resource : choice.resources) {
    if (resource.kind != ResourceKind::interrupt) continue;
    std::bitset<max_slots> users;
    for (const Held& held : held_)
      if (held.resource == resource) users.set(variables_[held.variable].slot);
    if (users.test(variables_[variable].slot)) continue;  // already counted for an earlier claim
    pairs += static_cast<unsigned>(users.count());
    for (const PlanarClaim& planar : planar_) pairs += planar.resource == resource;
  }
  return pairs;
}

Claim Search::claim_of(std::size_t variable, const Choice& choice, const Resource& resource) const {
  const Variable& v = variables_[variable];
  const SlotRequest& request = *slots_[v.slot].request;
  Claim claim{request.slot, request.adapter.name, {}, {}, resource, v.pinned};
  if (v.item != Variable::fixed_item) {
    claim.item = request.adapter.items[v.item].prompt;
    claim.choice = choice.name;
    for (const ResourcePin& pin : slots_[v.slot].resource_pins)
      claim.pinned |= pin.kind == resource.kind && pin.first == resource.first;
  }
  return claim;
}

Claim Search::planar_claim(const PlanarClaim& claim) const { return {0, claim.owner, {}, {}, claim.resource, false}; }

Obstacle Search::plain_obstacle(std::size_t variable, const Choice& choice, std::string reason) const {
  const Resource first = choice.resources.empty() ? Resource{} : choice.resources.front();
  return {claim_of(variable, choice, first), std::nullopt, std::move(reason)};
}

}  // namespace planar::adf
