// SPDX-License-Identifier: GPL-2.0-or-later
// Automatic configuration: selects one choice for every item of every adapter so that no resources conflict.
//
// Rules (docs/hardware/pos-and-adf.md#configuration-rules). I/O ports, memory and arbitration levels have a single
// owner. Interrupt levels are shareable between adapters, since the Micro Channel's are level-sensitive, but not with
// those parts of the planar that are marked as not shareable. Sharing is counted in pairs of users of one level, so
// that unavoidable sharing is spread evenly. Slots are processed in ascending order and items in the order of their
// file; an item takes the choice that shares least, and among equals the one that its file lists first. The result is
// the first configuration in this order among those with the fewest shared pairs. It depends on nothing else: the same
// machine is always configured the same way.
//
// The search uses conflict-directed backjumping: it returns to the decision that caused a conflict, so that items
// unrelated to it cost nothing. The number of choices it tries is limited, and it reports when it stops at the limit.
// Not modelled: IBM's adapter description programs (ADP), which some memory and SCSI adapters use to find their
// addresses; the planar's own items; the slot's width, apart from its address lines (a 16-bit slot has 24 and decodes
// no address from 1000000h).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adf/model.hpp"

namespace planar::adf {

inline constexpr unsigned max_slots = 8;  // port 96h selects one of eight

/// A setting that the user fixes for one adapter.
/// - `key` is `io`, `mem`, `irq` (also `int`) or `arb` (also `dma`): some claim of the adapter of that kind must begin
///   at `value`, or be exactly `value` if that is a range ("1000h-102Fh"). I/O and memory values are hexadecimal with
///   or without 0x or h; levels are decimal.
/// - any other `key` is the prompt of an item and `value` the name of one of its choices; letter case, blanks and
///   punctuation are ignored ("boot-rom" is "Boot ROM").
/// The value `auto` fixes nothing. `where` is the position of the setting for messages ("lab.toml:12").
struct Pin {
  std::string key;
  std::string value;
  std::string where;
};

/// The item that a Pin's key names, or null.
const Item* find_item(const Adapter& adapter, std::string_view key);

enum class SlotWidth : std::uint8_t { bits16 = 16, bits32 = 32 };

struct SlotRequest {
  unsigned slot = 1;  // 1 to 8, each at most once
  SlotWidth width = SlotWidth::bits16;
  Adapter adapter;
  std::vector<Pin> pins;
  /// Values of the POS bits that the description leaves open. A Micro Channel adapter's unused bits read as 1.
  std::array<std::uint8_t, max_pos_bytes> open_bits{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
};

/// A resource used by the machine itself.
struct PlanarClaim {
  std::string owner;  // "serial port 1"
  Resource resource;
  bool shareable = false;  // interrupts only: adapters may share the level
};

struct Problem {
  std::vector<SlotRequest> slots;
  std::vector<PlanarClaim> planar;
};

/// A claim with its owner, described for messages.
struct Claim {
  unsigned slot = 0;   // 0 = the planar
  std::string owner;   // adapter name or planar part
  std::string item;    // empty for fixed resources and the planar
  std::string choice;  // the same
  Resource resource;
  bool pinned = false;
};

/// "slot 2 (Novell NE/2), item "I/O Address", choice "1000h - 102Fh": I/O 1000h-102Fh".
std::string to_string(const Claim& claim);

/// A choice that could not be taken, and why: the claim it needs and the one that holds the resource, or another
/// reason.
struct Obstacle {
  Claim wanted;
  std::optional<Claim> holder;
  std::string reason;  // one sentence without a full stop
};

struct ChosenItem {
  std::string item;
  std::string choice;
  bool pinned = false;
};

struct SlotResult {
  unsigned slot = 0;
  SlotWidth width = SlotWidth::bits16;
  std::uint16_t id = 0;
  std::string name;
  unsigned num_bytes = 0;
  std::array<std::uint8_t, max_pos_bytes> pos{};  // starts with POS 2, whose bit 0 (enable) is set; 0 from num_bytes on
  std::vector<ChosenItem> items;
  std::vector<Claim> claims;  // fixed resources first, then in the order of the items
};

struct Solution {
  std::vector<SlotResult> slots;   // ordered by slot number
  unsigned shared_interrupts = 0;  // pairs of users (adapters, planar parts) that share a level
  bool fewest_shared = true;       // false: the search for less sharing was cut off
  std::uint64_t tried = 0;         // choices tried
};

/// Why there is no configuration.
struct Refusal {
  std::vector<Obstacle> obstacles;   // at the item without a possible choice, in the order of its choices; the message
                                     // starts with the first
  std::vector<std::string> changes;  // each is sufficient on its own to make a configuration possible
  bool cut_off = false;              // the search hit its limit, so this is not a proof
  std::string text;                  // the whole explanation
};

struct Outcome {
  std::optional<Solution> solution;
  Refusal refusal;  // meaningful without a solution
  explicit operator bool() const { return solution.has_value(); }
};

struct SolveLimits {
  std::uint64_t tried = 2'000'000;          // to find any configuration
  std::uint64_t tried_spreading = 300'000;  // for each attempt with fewer shared interrupts
  std::uint64_t tried_changes = 500'000;    // for each change that may help
};

/// Configures the machine. Throws Error if the request itself is invalid: a slot number outside 1 to 8 or used twice, a
/// pin that names no item, choice or claim of its adapter.
Outcome solve(const Problem& problem, const SolveLimits& limits = {});

/// As solve(), but throws Error (bad configuration) if there is no configuration; the message begins with `file`.
Solution solve_or_refuse(const Problem& problem, const std::string& file, const SolveLimits& limits = {});

}  // namespace planar::adf
