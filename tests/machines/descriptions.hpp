// SPDX-License-Identifier: GPL-2.0-or-later
// Rules for the description of a card, and how a test finds a field in it.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/state/description.hpp"
#include "tests/catch.hpp"

namespace planar::test {

/// The field `name` in the part `part`, at any depth; "" is the card itself.
inline const Field* find_field(const Description& d, std::string_view part, std::string_view name) {
  if (d.name() == part)
    if (const Field* f = d.find_field(name)) return f;
  for (const Description& p : d.parts())
    if (const Field* f = find_field(p, part, name)) return f;
  return nullptr;
}

inline void check_fields(const Description& d) {
  INFO(d.name());
  CHECK((!d.fields().empty() || !d.parts().empty()));
  std::set<std::string> names;
  for (const Field& f : d.fields()) {
    INFO(f.name);
    CHECK(!f.name.empty());
    CHECK(names.insert(f.name).second);
    if (f.kind == Field::Kind::reg) {
      REQUIRE((f.bits >= 1 && f.bits <= 64));
      CHECK((f.bits == 64 || f.value >> f.bits == 0));
    }
    if (f.kind == Field::Kind::text) CHECK(!f.text.empty());
  }
  for (const Description& p : d.parts()) {
    CHECK(!p.name().empty());
    CHECK(names.insert(p.name()).second);
    check_fields(p);
  }
}

}  // namespace planar::test
