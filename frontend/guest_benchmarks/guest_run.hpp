// SPDX-License-Identifier: GPL-2.0-or-later
// The command line options common to all benchmarks of the guest.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/bond/bond.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/matrix/benchmark.hpp"
#include "frontend/options/network_adapters.hpp"
#include "frontend/options/options.hpp"
#include "frontend/result_store/cache_options.hpp"
#include "frontend/session/session.hpp"
#include "frontend/systems/operating_system.hpp"
#include "machines/config/config.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

/// Which machine runs which of the guest's programs.
struct GuestTasks {
  std::string client;                    ///< the program of the machine under test
  std::string server;                    ///< of the other machine, with --against
  SettingsSector settings;               ///< of both machines
  std::string system;                    ///< operating system that the guest imitates (--os)
  std::optional<std::string> against{};  ///< MACHINE[:CARD]
  bool several = false;                  ///< several of the machine's adapters are used
  bool of_station = false;               ///< only the reference station can be the other end
};

struct GuestRunOptions {
  CLI::App* verb = nullptr;
  MachineOptions machine;
  OutputOptions output;
  StateOptions state;
  unsigned runs = 1;
  unsigned port = 0;
  std::optional<unsigned> use;
  std::optional<unsigned> placement;  ///< of the guests' kernels
  BondOptions bond;
  std::string system{default_system};
  std::optional<std::string> against;
  CacheOptions cache{.off = true};  ///< a verb that uses it adds its options

  /// Adds the options before (`begin`) and after (`end`) the benchmark's own. `client` and `server` are the names of
  /// the programs, `usual_port` is the port that the station `peer` serves. Without a `server` the station is the only
  /// other end: there is neither --port nor --against.
  void begin(CLI::App& app);
  void end(CLI::App& app, std::string_view client, std::string_view server, unsigned usual_port);

  /// The network adapter that the guest uses unless it uses several; nothing if the machine has none there.
  std::optional<Plugged> used_adapter(const Config& config) const;
  /// If --runs requests several runs, makes each in a process of its own and returns their exit code. Nothing: the
  /// caller makes the single run. Throws Error.
  std::optional<int> several(const Benchmark& benchmark) const;
  /// Opens the session from power-on, with `adjust` applied to the client's machine, or from the snapshot that
  /// --restore names. Throws Error.
  std::unique_ptr<Session> open(GuestTasks tasks, const std::function<void(Config&)>& adjust = {}) const;

 private:
  std::unique_ptr<Session> open_bond(GuestTasks tasks, const std::function<void(Config&)>& adjust) const;
};

}  // namespace planar
