// SPDX-License-Identifier: GPL-2.0-or-later
// Where a value comes from: how far it can be trusted, and which published figures were consulted in choosing it.
//
//   source = "..."
//   confidence = "calibrated"     # datasheet, measured, inferred, calibrated or informed-by-published
//   published = [{ machine = "model56sx", card = "ne2", sizes = [8192, 16384] }]
//   same_as = "ne2 chip.bus_clock"   # optional: repeats another value, given by owner and name, and must stay equal
//
// "calibrated" was fitted to the figures that `published` lists; "informed-by-published" was chosen knowing them but
// not fitted. Both need `published`; the other marks must not have it. An entry is a row of the published network
// tables, under planar's names (without `sizes`: all its packet sizes; `load = true`: the processor load as well), or
// `figure = "..."` in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

/// Published figures that were used in choosing a value.
struct PublishedUse {
  std::string machine, card;         ///< a row of the network tables; empty if `figure` is given
  std::vector<std::uint32_t> sizes;  ///< in bytes; empty: the whole row
  bool load = false;
  std::string figure;

  /// "model56sx ne2 8K 16K"
  std::string text() const;
};

/// The texts of several uses, separated by commas.
std::string published_text(const std::vector<PublishedUse>& uses);

struct Provenance {
  std::string value;  ///< its name
  std::string source;
  std::string confidence;
  std::vector<PublishedUse> published;
  std::string same_as{};  ///< owner and name of the value that this one repeats; empty: none
};

/// Reads the [[provenance]] tables of a TOML text: value, source, confidence, published. `file` names the text in
/// errors. Throws Error with file and line for anything else in them.
std::vector<Provenance> read_provenance(std::string_view text, std::string_view file);

}  // namespace planar
