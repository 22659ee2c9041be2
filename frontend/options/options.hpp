// SPDX-License-Identifier: GPL-2.0-or-later
// Options shared by several verbs, and their translation into configuration layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/storage/image/disk_image.hpp"
#include "frontend/options/trace_options.hpp"
#include "machines/config/lab_config.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace planar {

/// Given in place of an image for a drive that is present but empty.
inline constexpr std::string_view empty_drive = "empty";

/// The parsed `--card [SLOT=]NAME[:option=value,...]`.
struct CardOption {
  std::optional<int> slot;
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

/// Throws Error for malformed text.
CardOption parse_card_option(const std::string& text);

/// Parses `--floppy FILE[,mode=M][,overlay=F][,format=raw]`; `option` is named in errors. Throws Error.
storage::DiskSpec parse_floppy_option(const std::string& option, const std::string& text);
/// Parses `--image IMG[,format=raw]`, whose file is never written. Throws Error.
storage::DiskSpec parse_image_option(const std::string& option, const std::string& text);

/// What is wrong with a seed (a CLI11 validator); empty if it is valid.
std::string seed_problem(const std::string& text);
/// Throws Error if `verb` was given an option other than `option` and those `allowed`: "--chosen and --json: " followed
/// by `why`, which says what `option` does.
void refuse_beside(const CLI::App& verb, const std::string& option, std::initializer_list<std::string_view> allowed,
                   const std::string& why);
/// Adds --json to a verb; `what` begins its help ("Write JSON").
void add_json_option(CLI::App& app, std::optional<std::string>& target, const std::string& what);
/// Adds --runs to a verb; `what` is its help.
void add_runs_option(CLI::App& app, unsigned& runs, const std::string& what);

/// Adds --placement to a verb; `what` (what is placed) begins its help.
void add_placement_option(CLI::App& app, std::optional<unsigned>& placement, const std::string& what);

/// The images in the drives: FILE[,mode=M][,overlay=FILE][,format=raw][,id=N].
struct DriveOptions {
  std::optional<std::string> floppy, floppy_b;
  std::optional<std::string> drive_type;  ///< type of the diskette drives
  std::vector<std::string> disks;
  std::vector<std::string> cdroms;
  std::optional<std::string> boot;  ///< boot order of a PC's firmware
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
  std::optional<std::string> rate;  ///< bit rate of the single medium that all stations share
  std::optional<std::string> duplex;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> memory;
  bool force = false;
  DriveOptions drives;

  /// Adds the options to a verb. `positional` makes MACHINE a positional argument instead of `--machine`.
  void add_to(CLI::App& app, bool positional);
  /// The configuration layers: built-in machine, user's file, command line. With `usual_card`, a machine that has no
  /// card gets the usual card of its board.
  Config config(bool usual_card = false) const;
  /// The same for verbs that also accept a lab of several machines. Its machines are described only in its file: the
  /// options for the network and the seed apply to it, all others are rejected.
  LabConfig lab() const;
  /// Sets `key` of lab()'s machine as the option --`key` would. Throws Error for a lab of several machines.
  void give(LabConfig& lab, const char* key, const std::string& value) const;
  /// True if the user named the machine rather than leaving it at its default.
  bool machine_given() const;
  /// To be called when the positional MACHINE turned out to be something else.
  void forget_machine() { machine_option_ = nullptr; }
  /// Applies the options, except the machine itself, on top of `config`.
  void apply_over(Config& config) const { apply(config, false); }
  /// The same for a lab of several machines: the options for the network and the seed.
  void apply_over(LabConfig& lab) const;
  /// A given option that applies to a single machine ("--card"); empty if there is none.
  std::string of_one_machine() const;

 private:
  const CLI::Option* machine_option_ = nullptr;
  void apply(Config& config, bool usual_card) const;
};

/// Options about the output of a run.
struct OutputOptions {
  std::optional<std::string> json;     ///< file or "-"
  std::optional<std::string> serial;   ///< "stdio" or "file:F"
  std::vector<std::string> screen;     ///< "text", "png:FILE"
  std::optional<std::string> capture;  ///< pcapng file
  TraceOptions trace;
  std::optional<std::string> timeline;                                     ///< trace event file
  std::optional<std::string> timeline_from, timeline_for, timeline_frame;  ///< which part of the run
  std::string result = "planar-result";  ///< folder for screens grabbed by steps and for evidence after a failed step
  bool quiet = false;
  bool window = false;                ///< offered by `planar run` only
  std::string panes;                  ///< panes of the window: "cpu,wire=bottom"
  std::optional<double> scale;        ///< scale of the window's text and panes; none: that of the display
  std::optional<std::string> record;  ///< file to which the user's actions at the window are recorded as steps
  std::string window_settings;        ///< the file that keeps the window's size and layout; empty: none
  const CLI::App* verb = nullptr;     ///< the verb whose options name the run's files; null: there is no command line
  void add_to(CLI::App& app);
};

/// Options about snapshots and the determinism checks.
struct StateOptions {
  std::vector<std::string> snapshot;  ///< TIME FILE
  std::optional<std::string> restore;
  std::vector<std::string> insert;  ///< diskette images that the snapshot's steps may insert
  std::optional<std::string> gdb;   ///< [wait:][HOST:]PORT
  std::optional<unsigned> block_length;
  std::optional<std::uint64_t> flush_blocks;
  std::optional<std::uint64_t> cut_horizons;
  std::optional<std::uint32_t> memo_room;
  bool verify_memo = false;
  bool lockstep = false;
  std::uint64_t lockstep_plant = 0;  ///< for tests: corrupt Unicorn's result after this instruction
  void add_to(CLI::App& app);
  /// Adds --restore and the options that go with it; add_to() includes this.
  void add_restore_to(CLI::App& app);
};

}  // namespace planar
