// SPDX-License-Identifier: GPL-2.0-or-later
// What the verbs of the benchmarks share: the guest with a program to do, and its run to the end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/session/session.hpp"

namespace planar {

/// Key and value of the guest's settings sector (roms/README.md section 3).
using GuestSettings = std::vector<std::pair<std::string, std::string>>;

/// What the machine's file says of its guest: the version of its first enabled adapter's driver
/// (docs/driver-versions.md).
GuestSettings driver_settings(const Config& config);

/// Leaves the adapter in `slot` as the only network adapter that POST enables; the guest's drivers pass over the
/// others. Throws Error when none is there.
void use_adapter(Config& config, unsigned slot);

/// The built-in guest with these settings, for drive A.
Media guest_diskette(const GuestSettings& settings);

/// Who runs which of the guest's programs.
struct GuestTasks {
  std::string client;                    ///< the program of the machine under test
  std::string server;                    ///< of the other machine, with --against
  GuestSettings settings;                ///< of both
  std::string system;                    ///< that the guest stands for (--os)
  std::optional<std::string> against{};  ///< MACHINE[:CARD]
};

/// The machine of `config` as client; with `against` also a server, from `machine`'s options. Throws Error.
std::unique_ptr<Session> open_guests(const GuestTasks& tasks, Config config, const MachineOptions& machine,
                                     const OutputOptions& output, const StateOptions& state);

/// What an option of `verb` says of the guest's settings and operating system must be what the snapshot's guest runs
/// with; --against and --use are refused. Throws Error.
void check_guest_settings(const CLI::App& verb, const GuestTasks& wanted, const Snapshot& snapshot);

/// Throws Error unless `text` is a duration of 0.01 to 3600 seconds, the option's value.
Time parse_seconds(const std::string& text);
/// The numbers of a comma-separated list, each from 1 to `highest`; at most `most`. Throws Error naming `option`, what
/// they are and their unit.
std::vector<std::uint32_t> parse_list(std::string_view option, const std::string& list, std::size_t most,
                                      std::uint32_t highest, std::string_view what, std::string_view unit);
/// The sizes of a comma-separated list, each from 1 to 65536 bytes; at most `most`. Throws Error.
std::vector<std::uint32_t> parse_sizes(const std::string& list, std::size_t most);

/// Runs until every guest has come to its end or one of them to a bad one, or `enough` says that no more is wanted.
/// `name` is the benchmark's in errors; `progress` says how far it is. False if the user has interrupted it. Throws
/// Error when a guest failed or none is done within `limit`.
bool run_guests(Session& session, Time limit, std::string_view name, bool quiet,
                const std::function<std::string()>& progress, const std::function<bool()>& enough = {});

}  // namespace planar
