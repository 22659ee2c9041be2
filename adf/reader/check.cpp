// SPDX-License-Identifier: GPL-2.0-or-later
// Consistency checks between the statements of an ADF: choices that contradict the fixed bits or use one name for two
// settings, items that exclude each other, bits that are reserved for the system, an ID that does not match the file
// name.
#include <fmt/format.h>

#include <algorithm>

#include "adf/reader/keywords.hpp"
#include "adf/reader/parser.hpp"
#include "adf/reader/reader.hpp"
#include "core/common/error.hpp"

namespace planar::adf {
namespace {

std::string base_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

class Checker {
 public:
  Checker(Adapter& adapter, std::string_view file) : adapter_(adapter), file_(file) {}

  void run() {
    check_file_name();
    check_system_bits(adapter_.fixed, "FixedResources");
    for (Item& item : adapter_.items) {
      check_names(item);
      check_distinct(item);
      for (const Choice& choice : item.choices) {
        check_system_bits(choice, fmt::format("choice \"{}\"", choice.name));
        if (choice.pos.contradicts(adapter_.fixed.pos))
          fail(choice.where, fmt::format("the choice \"{}\" of \"{}\" fixes a bit to the opposite of FixedResources; "
                                         "write X for that bit in one of them",
                                         choice.name, item.prompt));
      }
    }
    check_items_together();
  }

 private:
  void check_file_name() {
    const auto expected = id_in_file_name(base_name(file_));
    if (expected && *expected != adapter_.id)
      throw Error(
          fmt::format("{}: AdapterId is {}, but the file's name says {}; rename the file to @{:04X}.ADF, or "
                      "correct AdapterId",
                      file_, hex(adapter_.id, 4), hex(*expected, 4), adapter_.id));
  }

  /// POS 2 bit 0 (card enable) and POS 5 bit 7 (channel check) belong to the system; a file leaves them at X.
  void check_system_bits(const Choice& choice, std::string_view what) {
    if ((choice.pos.bytes[0].mask & 0x01) != 0)
      warn(choice.where,
           fmt::format("{} fixes bit 0 of pos[0], which enables the adapter and is set at power-on", what));
    if ((choice.pos.bytes[3].mask & 0x80) != 0)
      warn(choice.where, fmt::format("{} fixes bit 7 of pos[3], which is the channel check", what));
  }

  /// A repeated choice with the same settings is dropped; one with different settings is rejected.
  void check_names(Item& item) {
    for (std::size_t n = 0; n < item.choices.size(); ++n) {
      for (std::size_t m = n + 1; m < item.choices.size();) {
        const Choice& one = item.choices[n];
        const Choice& other = item.choices[m];
        if (lower(one.name) != lower(other.name)) {
          ++m;
          continue;
        }
        if (one.pos != other.pos || one.resources != other.resources)
          fail(other.where, fmt::format("the choice \"{}\" appears twice in \"{}\" with different settings (first in "
                                        "line {}); give one of them another name",
                                        other.name, item.prompt, one.where.line));
        warn(other.where,
             fmt::format("the choice \"{}\" appears twice in \"{}\"; the second is ignored", other.name, item.prompt));
        item.choices.erase(item.choices.begin() + static_cast<std::ptrdiff_t>(m));
      }
    }
  }

  /// Two choices that do not differ in a fixed bit are indistinguishable to the adapter.
  void check_distinct(const Item& item) {
    for (std::size_t n = 0; n < item.choices.size(); ++n)
      for (std::size_t m = n + 1; m < item.choices.size(); ++m)
        if (!item.choices[n].pos.contradicts(item.choices[m].pos)) {
          warn(item.choices[m].where,
               fmt::format("the masks of \"{}\" and \"{}\" in \"{}\" overlap: no POS bit distinguishes "
                           "them",
                           item.choices[n].name, item.choices[m].name, item.prompt));
          return;  // one warning per item is enough
        }
  }

  /// Items that fix the same bits: some real files do this intentionally, so it is rejected only if no pair of choices
  /// agrees.
  void check_items_together() {
    for (std::size_t a = 0; a < adapter_.items.size(); ++a)
      for (std::size_t b = a + 1; b < adapter_.items.size(); ++b) {
        const Item& one = adapter_.items[a];
        const Item& other = adapter_.items[b];
        if (!share_bits(one, other)) continue;
        const bool agree = std::any_of(one.choices.begin(), one.choices.end(), [&](const Choice& left) {
          return std::any_of(other.choices.begin(), other.choices.end(),
                             [&](const Choice& right) { return !left.pos.contradicts(right.pos); });
        });
        if (!agree)
          fail(other.where, fmt::format("the items \"{}\" (line {}) and \"{}\" fix the same POS bits and none of their "
                                        "choices agree; correct the masks of one of them",
                                        one.prompt, one.where.line, other.prompt));
        warn(other.where,
             fmt::format("the items \"{}\" and \"{}\" fix some of the same POS bits", one.prompt, other.prompt));
      }
  }

  static bool share_bits(const Item& one, const Item& other) {
    for (unsigned n = 0; n < max_pos_bytes; ++n) {
      unsigned left = 0;
      unsigned right = 0;
      for (const Choice& choice : one.choices) left |= choice.pos.bytes[n].mask;
      for (const Choice& choice : other.choices) right |= choice.pos.bytes[n].mask;
      if ((left & right) != 0) return true;
    }
    return false;
  }

  void warn(Location where, std::string text) {
    if (adapter_.warnings.size() < max_warnings) adapter_.warnings.push_back({where, std::move(text)});
  }
  [[noreturn]] void fail(Location where, std::string_view problem) const {
    throw Error(fmt::format("{}: {}", at(file_, where), problem));
  }

  Adapter& adapter_;
  std::string_view file_;
};

}  // namespace

std::optional<std::uint16_t> id_in_file_name(std::string_view name) {
  if (name.size() != 9 || name[0] != '@' || lower(name.substr(5)) != ".adf") return std::nullopt;
  unsigned id = 0;
  for (const char c : lower(name.substr(1, 4))) {
    if (c >= '0' && c <= '9')
      id = id * 16 + static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f')
      id = id * 16 + static_cast<unsigned>(c - 'a' + 10);
    else
      return std::nullopt;
  }
  return static_cast<std::uint16_t>(id);
}

void check(Adapter& adapter, std::string_view file) { Checker(adapter, file).run(); }

}  // namespace planar::adf
