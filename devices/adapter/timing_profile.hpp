// SPDX-License-Identifier: GPL-2.0-or-later
// A timing profile: an adapter's timing values, kept as data next to its code (TOML, embedded in the binary).
//
//   [data_port.ready_delay]
//   value = 450
//   unit = "ns"
//   source = "..."
//   confidence = "inferred"       # see provenance.hpp; "user" after an override
//
// A table with `rule = "..."` instead of value and unit describes a rule that the model follows: it is shown with its
// source and cannot be set.
//
// A value's name is its table's path, "data_port.ready_delay"; `--set ne2.data_port.ready_delay=500ns` replaces it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/time/time.hpp"
#include "devices/adapter/provenance.hpp"

namespace planar {

/// One value of a timing profile, as `planar show CARD` shows it and `--set CARD.NAME=VALUE` overrides it.
struct TimingValue {
  std::string name;
  std::string value;  ///< with its unit: "450 ns"; the text of a rule
  std::string source;
  std::string confidence;               ///< provenance.hpp
  std::vector<PublishedUse> published;  ///< the published figures on which it depends, if any
  bool rule = false;                    ///< describes what the model does; not a number
  std::string same_as = {};             ///< owner and name of the value that this one repeats; empty: none
};

/// The path of a card's timing profile in the source tree.
std::string profile_path(std::string_view card);

struct ProfileValue {
  std::string name;
  std::int64_t value = 0;
  std::string unit;  ///< ps, ns, us, Hz, clocks, bytes, frames, tracks, flag or instructions
  std::string source;
  std::string confidence;
  std::vector<PublishedUse> published;
  std::string rule;     ///< in words; empty: a number
  std::string same_as;  ///< as in TimingValue
};

class TimingProfile {
 public:
  TimingProfile() = default;
  /// Parses TOML. `file` names the text in errors. Throws Error with file and line unless all tables have the form
  /// above.
  static TimingProfile parse(std::string_view text, std::string_view file);
  /// The profile embedded from `path` ("devices/ethernet/ne2/ne2.toml"). Throws Error if there is none.
  static TimingProfile embedded(std::string_view path);

  const std::vector<ProfileValue>& values() const { return values_; }
  /// The values as rows of the adapter registry.
  std::vector<TimingValue> rows() const;
  /// Replaces a value; the text is a number in the value's own unit, or has another time unit ("500ns", "0.5 us").
  /// Throws Error listing the values that exist.
  void set(std::string_view name, std::string_view text);

  /// A value in ps, ns or us. Throws Error if the profile lacks it or it is not a time.
  Time time(std::string_view name) const;
  /// A value in any other unit. Throws Error if it is below `least` or above `most`.
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most) const;

 private:
  const ProfileValue& get(std::string_view name) const;
  std::string file_;
  std::vector<ProfileValue> values_;
};

}  // namespace planar
