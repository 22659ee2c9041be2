// SPDX-License-Identifier: GPL-2.0-or-later
// The model of an adapter description file (ADF): the adapter's ID, the POS bytes it uses, its fixed resources, and the
// items whose choices a configuration selects from. Plain data.
//
// Terms as in the files: an *item* is one field of the configuration screen, a *choice* is one of its values; a choice
// sets POS bits and claims *resources*. POS byte n is `pos[n]`, which is POS register n + 2 at port 102h + n.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planar::adf {

/// POS data bytes that the configuration NVRAM can hold (POS 2 to POS 7, roms/README.md section 2).
inline constexpr unsigned max_pos_bytes = 6;

/// A position in a file; lines and columns count from 1. Line 0 means "not from a file".
struct Location {
  int line = 0;
  int column = 0;
};

enum class ResourceKind : std::uint8_t { io, interrupt, arbitration, memory };

/// One claim: an inclusive range of I/O ports or physical addresses, or one level (first == last). Interrupt level 2 of
/// a file is the line that the system sees as level 9, and is stored as 9.
struct Resource {
  ResourceKind kind = ResourceKind::io;
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  bool overlaps(const Resource& other) const {
    return kind == other.kind && first <= other.last && other.first <= last;
  }
  bool operator==(const Resource&) const = default;
};

/// "I/O 1000h-102Fh", "IRQ 3", "arbitration level 5", "memory C8000h-CBFFFh".
std::string to_string(const Resource& resource);

/// The bits that a setting fixes in one POS byte: `mask` has a 1 for every bit that the file gives as 0 or 1.
struct PosBits {
  std::uint8_t mask = 0;
  std::uint8_t value = 0;
  bool operator==(const PosBits&) const = default;
};

/// The POS bits that FixedResources or one choice fixes.
struct PosSetting {
  std::array<PosBits, max_pos_bytes> bytes{};

  bool empty() const;
  /// True if one setting fixes a bit to 0 and the other fixes it to 1.
  bool contradicts(const PosSetting& other) const;
  bool operator==(const PosSetting&) const = default;
};

/// The eight characters of a mask without the closing b: "XXXX000X".
std::string to_string(const PosBits& bits);

struct Choice {
  std::string name;
  PosSetting pos;
  std::vector<Resource> resources;
  Location where;
};

struct Item {
  std::string prompt;
  std::vector<Choice> choices;  // in order of preference, at least one
  std::string help;             // blanks and line ends collapsed
  Location where;
};

/// `SysMem`: the adapter carries system memory, which IBM's program configures by running an adapter description
/// program. planar reads the statement but runs no such program. The numbers are kept as written: the public part of
/// the grammar does not state their unit.
struct SystemMemory {
  std::uint32_t granularity = 0;  // smallest block that can be switched off
  std::optional<std::uint32_t> address_size;
};

/// A header option that is parsed and displayed but has no effect (InitProg, lock enable, address width, programmed
/// I/O): keyword and operands as written.
struct HeaderOption {
  std::string keyword;
  std::vector<std::string> operands;
  Location where;
};

/// Something irregular that was skipped: worth reporting, not worth rejecting the file.
struct Warning {
  Location where;
  std::string text;
};

struct Adapter {
  std::uint16_t id = 0;
  std::string name;
  unsigned num_bytes = 0;  // 1 to max_pos_bytes
  Choice fixed;            // FixedResources; its name is empty
  std::optional<SystemMemory> system_memory;
  std::vector<HeaderOption> options;
  std::vector<Item> items;
  std::vector<Warning> warnings;
  std::string source;  // file name as the user gave it, or "built-in @7154.ADF"
};

/// "1000h"; at least `digits` hexadecimal digits.
std::string hex(std::uint32_t value, int digits = 1);

}  // namespace planar::adf
