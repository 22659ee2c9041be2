// SPDX-License-Identifier: GPL-2.0-or-later
// What a lab is built from: the configuration of one machine, or of the several [[machine]] tables of a lab file.
//
//   [net]                       # what else is on the network: peer, slirp, ...; default: nothing
//   [medium.NAME], [bridge.NAME]  # several media and the bridges between them (network_config.hpp)
//   [run]                       # seed
//   [scenario]                  # a user's steps on the first machine
//
//   [[machine]]
//   name = "client"             # letters, digits, - and _
//   model = "model56sx"         # a built-in machine or a machine file
//   image = "boot.img"          # the values of `planar run`'s options of the same names: image, bios, kernel, initrd,
//                               # append, serial
//   [machine.slot.1]            # and any other table of a machine file
//   card = "ne2"
//
//   [[machine]]
//   ...
#pragma once

#include <string>
#include <vector>

#include "machines/config/config.hpp"
#include "machines/config/machine_config.hpp"

namespace planar {

class LabConfig {
 public:
  static constexpr std::size_t most_machines = 8;

  /// One machine, as its file describes it.
  explicit LabConfig(Config machine);
  /// The machines of a lab file that has been read into `file`; a model may name another file unless `built_in_only`.
  /// Throws Error naming file, line and remedy.
  static LabConfig of_lab_file(Config file, bool built_in_only = false);
  /// A lab of separately configured machines, under the given names. Only these machines are on the network; its other
  /// settings are those of the first machine.
  static LabConfig join(std::vector<std::pair<std::string, Config>> machines);

  /// Several machines (or one in a lab file): they have names.
  bool named() const { return named_; }
  std::size_t size() const { return machines_.size(); }
  Config& machine(std::size_t n) { return machines_[n]; }
  /// Sets a value of the lab's own tables (net, peer, run, scenario), on top.
  void set(const std::string& path, const std::string& value, const std::string& origin);
  void set_texts(const std::string& path, const std::vector<std::string>& values, const std::string& origin);

  /// Reads and checks everything. Throws Error naming file, line and key.
  std::vector<MachineConfig> read();
  /// After read(): a file that reproduces this lab; the origin of each of its values.
  std::string resolved() const;
  std::string explained() const;

 private:
  LabConfig() = default;
  std::vector<Config> machines_;
  std::vector<std::string> names_;
  bool named_ = false;
};

/// The layers for `name`: a built-in machine, a machine file (machine_files.hpp), or a lab file.
LabConfig load_lab(const std::string& name);
/// The same for the text of a resolved file, which refers to no other machine file.
LabConfig parse_lab(const std::string& text, const std::string& name);

}  // namespace planar
