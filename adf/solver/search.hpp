// SPDX-License-Identifier: GPL-2.0-or-later
// Internals of the solver: the machine's items as an ordered list of variables, and the search over them.
#pragma once

#include <bitset>
#include <limits>
#include <string>
#include <vector>

#include "adf/solver/solver.hpp"

namespace planar::adf {

/// The constraint of a resource pin: some claim of the adapter has this kind and these bounds.
struct ResourcePin {
  ResourceKind kind = ResourceKind::io;
  std::uint32_t first = 0;
  std::optional<std::uint32_t> last;  // if set, the claim is exactly first to last
  std::string text;                   // for messages: "io = 1000h"

  bool met_by(const Choice& choice) const;
};

/// A slot with its pins parsed.
struct PreparedSlot {
  const SlotRequest* request = nullptr;
  std::vector<std::vector<bool>> allowed;  // [item][choice], as permitted by item pins
  std::vector<bool> item_pinned;           // [item]
  std::vector<ResourcePin> resource_pins;
  std::vector<std::string> pin_texts;  // every pin that has an effect, for suggestions
};

/// Parses and checks the pins of one slot (pins.cpp). Throws Error.
PreparedSlot prepare(const SlotRequest& request);

/// An item of one slot, or its fixed resources (item == fixed_item).
struct Variable {
  static constexpr std::size_t fixed_item = std::numeric_limits<std::size_t>::max();
  std::size_t slot = 0;  // index into the prepared slots
  std::size_t item = fixed_item;
  std::vector<const Choice*> choices;
  bool pinned = false;
  bool has_interrupts = false;  // in any choice
};

class Search {
 public:
  static constexpr std::size_t max_variables = 512;  // 8 slots of 48 items and fixed resources
  static constexpr unsigned any_sharing = std::numeric_limits<unsigned>::max();
  using Variables = std::bitset<max_variables>;

  Search(const std::vector<PreparedSlot>& slots, const std::vector<PlanarClaim>& planar);

  enum class Result : std::uint8_t { found, impossible, cut_off };
  /// Searches for the first configuration with at most `sharing` shared pairs, trying at most `limit` choices.
  Result run(unsigned sharing, std::uint64_t limit);

  std::uint64_t tried() const { return tried_; }
  unsigned shared() const { return shared_; }
  const std::vector<Variable>& variables() const { return variables_; }
  /// After `found`: the choice of each variable.
  const std::vector<const Choice*>& chosen() const { return chosen_; }
  /// After `impossible`: the obstacles at the deepest item for which no choice was possible.
  const std::vector<Obstacle>& obstacles() const { return obstacles_; }

  Claim claim_of(std::size_t variable, const Choice& choice, const Resource& resource) const;

 private:
  struct Held {
    Resource resource;
    std::size_t variable;
  };
  struct Rejection {
    Variables blame;
    Obstacle obstacle;
  };

  bool descend(std::size_t variable, Variables& blame);
  std::optional<Rejection> rejects(std::size_t variable, const Choice& choice) const;
  std::optional<Rejection> rejects_claim(std::size_t variable, const Choice& choice, const Resource& resource) const;
  std::optional<Rejection> rejects_pins(std::size_t variable, const Choice& choice) const;
  std::optional<Rejection> rejects_sharing(std::size_t variable, const Choice& choice) const;
  std::vector<const Choice*> in_order(std::size_t variable) const;
  unsigned new_sharing(std::size_t variable, const Choice& choice) const;
  Claim planar_claim(const PlanarClaim& claim) const;
  Obstacle plain_obstacle(std::size_t variable, const Choice& choice, std::string reason) const;

  const std::vector<PreparedSlot>& slots_;
  const std::vector<PlanarClaim>& planar_;
  std::vector<Variable> variables_;
  std::vector<const Choice*> chosen_;
  std::vector<Held> held_;
  unsigned allowed_sharing_ = any_sharing;
  unsigned shared_ = 0;
  std::uint64_t tried_ = 0;
  std::uint64_t limit_ = 0;
  bool cut_off_ = false;
  std::size_t furthest_ = 0;
  std::vector<Obstacle> obstacles_;
};

/// Explains a failure to the user: the collision, other obstacles, and changes that would help (explain.cpp).
Refusal explain(const Problem& problem, const std::vector<PreparedSlot>& slots, const SolveLimits& limits);

}  // namespace planar::adf
