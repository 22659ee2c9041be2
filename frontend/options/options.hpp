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

/// What stands for an image in a drive that is there and has nothing in it.
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

/// What is wrong with a seed, as a check of CLI11; empty: nothing.
std::string seed_problem(const std::string& text);
/// Throws Error if `verb` was given another option beside `option` than those `allowed`: "--chosen and --json: " and
/// `why`, which says what `option` is about.
void refuse_beside(const CLI::App& verb, const std::string& option, std::initializer_list<std::string_view> allowed,
                   const std::string& why);
/// --json of a verb: `what` ("Write JSON") to a file or to standard output.
void add_json_option(CLI::App& app, std::optional<std::string>& target, const std::string& what);
/// --runs of a verb: `what` it repeats or makes of the runs.
void add_runs_option(CLI::App& app, unsigned& runs, const std::string& what);

/// --placement of a verb: `what` is where.
void add_placement_option(CLI::App& app, std::optional<unsigned>& placement, const std::string& what);

/// The images in the drives: FILE[,mode=M][,overlay=FILE][,format=raw][,id=N].
struct DriveOptions {
  std::optional<std::string> floppy, floppy_b;
  std::optional<std::string> drive_type;  ///< of the diskette drives
  std::vector<std::string> disks;
  std::vector<std::string> cdroms;
  std::optional<std::string> boot;  ///< order of a PC's firmware
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
  std::optional<std::string> rate;  ///< of one medium for all
  std::optional<std::string> duplex;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> memory;
  bool force = false;
  DriveOptions drives;

  /// Adds the options to a verb. `positional` makes MACHINE a positional argument instead of `--machine`.
  void add_to(CLI::App& app, bool positional);
  /// The configuration layers: built-in machine, user's file, command line. With `usual_card` a machine
  /// that has no card gets its board's usual one.
  Config config(bool usual_card = false) const;
  /// The same for verbs that also accept a lab of several machines. Its machines are described in its file alone: only
  /// the options about the network and the seed apply to it, the others are rejected.
  LabConfig lab() const;
  /// Sets `key` of lab()'s machine as the option --`key` says. Throws Error for a lab of several machines.
  void give(LabConfig& lab, const char* key, const std::string& value) const;
  /// The machine was named, rather than left at its default.
  bool machine_given() const;
  /// The positional MACHINE was something else.
  void forget_machine() { machine_option_ = nullptr; }
  /// Lays the options, without the machine itself, over `config`.
  void apply_over(Config& config) const { apply(config, false); }
  /// Over a lab of several machines: those about the network and the seed.
  void apply_over(LabConfig& lab) const;
  /// An option that is given and means one machine ("--card"); empty if there is none.
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
  std::string result = "planar-result";  ///< folder for screens grabbed by steps and for the evidence of a failed step
  bool quiet = false;
  bool window = false;                ///< offered by `planar run` only
  std::string panes;                  ///< of the window: "cpu,wire=bottom"
  std::optional<double> scale;        ///< of the window's text and panes; none: the display's
  std::optional<std::string> record;  ///< file of steps: what is done at the window
  std::string window_settings;        ///< the file that keeps the window's size and layout; empty: none
  const CLI::App* verb = nullptr;     ///< whose options name the run's files; none: there is no command line
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
  std::uint64_t lockstep_plant = 0;  ///< test: corrupt Unicorn's result after this instruction
  void add_to(CLI::App& app);
  /// --restore and what belongs to it; add_to() does this too.
  void add_restore_to(CLI::App& app);
};

}  // namespace planar
