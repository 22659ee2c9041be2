// SPDX-License-Identifier: GPL-2.0-or-later
// A lab: one machine or several, the media their adapters are plugged into, and the stations on those (at the other
// end, towards the host, bridges between two), in one virtual time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/medium.hpp"
#include "devices/stations/station.hpp"
#include "machines/config/lab_config.hpp"
#include "machines/machine/linux_boot.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

/// Makes the medium that `config` describes.
using MediumFactory = std::function<std::unique_ptr<net::Medium>(Scheduler& scheduler, const MediumConfig& config)>;
std::unique_ptr<net::Medium> make_medium(Scheduler& scheduler, const MediumConfig& config);

class Lab {
 public:
  /// Builds everything that `config` describes. Throws Error for impossible configurations.
  explicit Lab(Config config) : Lab(LabConfig(std::move(config))) {}
  explicit Lab(LabConfig config, const MediumFactory& make = make_medium);
  ~Lab();
  Lab(const Lab&) = delete;

  Scheduler& scheduler() { return scheduler_; }
  /// What happens in machine `n` and, with the first one, on the media.
  Trace& trace(std::size_t n = 0) { return nodes_[n]->trace; }
  std::size_t machines() const { return nodes_.size(); }
  Machine& machine(std::size_t n = 0) { return *nodes_[n]->machine; }
  const Machine& machine(std::size_t n = 0) const { return *nodes_[n]->machine; }
  /// Its name in a lab with several; empty in others.
  const std::string& name(std::size_t n) const { return nodes_[n]->config.label; }
  /// By name; at least one.
  const std::vector<net::Medium*>& media() const { return media_; }
  net::Medium& medium(std::size_t n = 0) { return *media_[n]; }
  /// Those that adapters of machine `n` are plugged into, each once.
  std::vector<net::Medium*> media_of(std::size_t n) const;
  const std::vector<std::unique_ptr<net::Station>>& stations() const { return stations_; }
  /// The same configuration runs the same way again: no host in the loop.
  bool repeatable() const;
  /// The resolved configuration: a file that builds this lab again.
  std::string configuration() const { return config_.resolved(); }

  /// Sums over the adapters of machine `n`.
  NetCounters frames(std::size_t n = 0);
  /// Every machine in a few lines for the start of a run: processor, memory, slots with what they claim; net, seed.
  std::string summary();

  /// Puts a diskette image into drive A, in place of the configuration's; its changes are discarded.
  void insert_diskette(std::vector<std::uint8_t> image, const std::string& name, std::size_t n = 0);
  /// Changes the diskette in drive `drive` (0: A, 1: B) while the lab runs. Throws Error for a file that cannot be
  /// read, and without such a drive.
  void change_diskette(unsigned drive, const storage::DiskSpec& disk, std::size_t n = 0);
  /// Takes it out while the lab runs; what was written to it is in its overlay, if it has one. Throws Error without
  /// such a drive.
  void eject_diskette(unsigned drive, std::size_t n = 0);
  /// Changes the CD in the drive with SCSI address or IDE number `id`. Throws Error for a file that cannot be read,
  /// without such a drive, and when the guest has locked its tray.
  void change_cdrom(unsigned id, const std::string& file, std::size_t n = 0);
  /// Takes the CD out: by the drive's button, which is refused (Error) when the guest has locked the tray, or by force,
  /// as with a paper clip.
  void eject_cdrom(unsigned id, bool by_force, std::size_t n = 0);
  /// The number (change_cdrom()) of the first CD-ROM drive of machine `n`.
  std::optional<unsigned> cdrom(std::size_t n = 0) const;
  const std::vector<std::uint8_t>& diskette_image(std::size_t n = 0) const { return nodes_[n]->diskette_image; }
  const std::string& diskette_name(std::size_t n = 0) const { return nodes_[n]->diskette_name; }

  /// Puts a Linux kernel into the machine's memory, to be started instead of a diskette. Before the lab runs.
  void load_kernel(const LinuxBoot& boot, std::size_t n = 0);
  /// No processor will ever do anything again, unless by NMI or reset.
  bool halted_for_good() const;

  /// Makes what the guests wrote durable, and says what went wrong with the drives' files so far, one line each; empty
  /// if nothing did.
  std::vector<std::string> drive_failures() const;
  /// Throws Error when a snapshot could not be restored: a disk that is written through is not what it was, and
  /// firmware of the user's own is not in it.
  void check_snapshot() const;
  /// Throws Error when archive() could not load an earlier state into this lab: what a guest wrote is in a file. Its
  /// message says with which option the lab can be started so that it could.
  void check_rewind() const;

  /// Architectural and timing state of everything; the same function saves and loads.
  void archive(Archive& a);
  /// SHA-256 of that state.
  std::string state_hash();

 private:
  /// A machine of the lab and what came with it.
  struct Node {
    MachineConfig config;
    Trace trace;
    std::unique_ptr<Machine> machine;
    std::vector<std::uint8_t> diskette_image;
    std::string diskette_name;
    std::string kernel_summary;
    /// The drives' names, and what is in them: null for an empty one.
    std::vector<std::pair<std::string, const storage::DiskImage*>> drives() const;
    /// Those that are not empty.
    std::vector<std::pair<std::string, const storage::DiskImage*>> disks() const;
    std::string summary() const;
  };

  void make_media(const MachineConfig& config, const MediumFactory& make);
  void add_peers(const MachineConfig& config);
  void add_host(const MachineConfig& config);
  void add_bridges(const MachineConfig& config);
  void add_bridge(const MachineConfig& config, const BridgeConfig& bridge, std::uint64_t seed);
  net::Medium& medium_named(const std::string& name) const;
  void check_diskette_drive(unsigned drive, std::size_t n) const;
  /// Where CD-ROM drive `id` is. Throws Error without such a drive, and when its tray is locked, unless `by_force`.
  StorageAdapter& cdrom_cable(unsigned id, bool by_force, std::size_t n) const;
  void name_cd(unsigned id, const std::string& file, std::size_t n);

  LabConfig config_;
  Scheduler scheduler_;
  std::vector<std::unique_ptr<net::Medium>> owned_media_;
  std::vector<net::Medium*> media_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<net::Station>> stations_;
};

/// A snapshot file: what is needed to build the lab again, its state, and what the frontend wants to remember.
struct Snapshot {
  struct Diskette {
    std::string name;
    std::vector<std::uint8_t> image;
    void archive(Archive& a) { a(name, image); }
  };
  std::string configuration;
  std::vector<Diskette> diskettes;     ///< in the drives A of the machines, as far as no file holds them
  std::vector<std::uint8_t> frontend;  ///< not part of the state hash
  std::vector<std::uint8_t> state;
  void archive(Archive& a);
};

/// Writes (compressed, checksummed) or reads a snapshot. Throws Error naming the file and the remedy.
void write_snapshot(const std::filesystem::path& file, Snapshot& snapshot);
Snapshot read_snapshot(const std::filesystem::path& file);

}  // namespace planar
