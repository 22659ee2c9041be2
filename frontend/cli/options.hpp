// SPDX-License-Identifier: GPL-2.0-or-later
// The options that several verbs share, and how they become layers of one configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/storage/disk_image.hpp"
#include "machines/lab_config.hpp"

namespace planar {

/// What `--card [SLOT=]NAME[:option=value,...]` says.
struct CardOption {
  std::optional<int> slot;
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

/// Throws Error for anything that is not of that form.
CardOption parse_card_option(const std::string& text);

/// What `--floppy FILE[,mode=M][,overlay=F]` says; `option` names it in errors. Throws Error.
storage::DiskSpec parse_floppy_option(const std::string& option, const std::string& text);

/// What the drives hold: FILE[,mode=M][,overlay=FILE][,id=N].
struct DriveOptions {
  std::optional<std::string> floppy;
  std::vector<std::string> disks;
  std::vector<std::string> cdroms;
  void add_to(CLI::App& app);
  void apply(Config& config) const;
};

struct MachineOptions {
  std::string machine = "model95";  ///< a built-in machine or a file
  std::vector<std::string> cards;
  std::vector<std::string> values;  ///< --set NAME.VALUE=X
  std::optional<std::string> net;
  std::vector<std::string> forwards;  ///< --forward
  std::optional<std::string> net_time;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> memory;
  bool force = false;
  DriveOptions drives;

  /// Adds the options to a verb. `positional` makes MACHINE an argument, otherwise it is `--machine`.
  void add_to(CLI::App& app, bool positional);
  /// The layers: built-in machine, user's file, command line. `default_card` fills a machine without any card.
  Config config(const std::optional<std::string>& default_card = {}) const;
  /// The same for verbs that take a lab of several machines as well. Its machines are described in its file alone: of
  /// these options only those about the wire and the seed apply to it, the others are refused.
  LabConfig lab() const;

 private:
  void apply(Config& config, const std::optional<std::string>& default_card) const;
};

/// Options about what a run shows and keeps.
struct OutputOptions {
  std::optional<std::string> json;     ///< file or "-"
  std::optional<std::string> serial;   ///< "stdio" or "file:F"
  std::vector<std::string> screen;     ///< "text", "png:FILE"
  std::optional<std::string> capture;  ///< pcapng file
  std::optional<std::string> trace;
  std::optional<std::string> trace_file;
  std::string result = "planar-result";  ///< folder for what steps grab, and for what is left of a failed one
  bool quiet = false;
  bool window = false;  ///< `planar run` alone offers it
  void add_to(CLI::App& app);
};

/// Options about snapshots and the determinism checks.
struct StateOptions {
  std::vector<std::string> snapshot;  ///< TIME FILE
  std::optional<std::string> restore;
  std::optional<unsigned> block_length;
  std::optional<std::uint64_t> flush_blocks;
  std::optional<std::uint64_t> cut_horizons;
  bool lockstep = false;
  std::uint64_t lockstep_plant = 0;  ///< test: make Unicorn wrong behind this instruction
  void add_to(CLI::App& app);
};

}  // namespace planar
