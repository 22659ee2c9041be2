// SPDX-License-Identifier: GPL-2.0-or-later
// A lab: one or more machines, the media that their adapters are plugged into, and the stations on those media
// (reference stations, the link to the host, bridges), all in the same virtual time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/medium.hpp"
#include "devices/stations/station.hpp"
#include "machines/config/lab_config.hpp"
#include "machines/machine/linux_boot.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

/// Creates the medium that `config` describes.
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
  /// Traces machine `n`; that of the first machine also traces the media.
  Trace& trace(std::size_t n = 0) { return nodes_[n]->trace; }
  std::size_t machines() const { return nodes_.size(); }
  Machine& machine(std::size_t n = 0) { return *nodes_[n]->machine; }
  const Machine& machine(std::size_t n = 0) const { return *nodes_[n]->machine; }
  /// Its name in a lab with several machines; otherwise empty.
  const std::string& name(std::size_t n) const { return nodes_[n]->config.label; }
  /// Ordered by name; at least one.
  const std::vector<net::Medium*>& media() const { return media_; }
  net::Medium& medium(std::size_t n = 0) { return *media_[n]; }
  /// Whether the port is an adapter of machine `n`: "slot1.ne2", among several machines "server.slot1.ne2".
  bool is_adapter_of(std::size_t n, std::string_view port) const;
  /// The media that adapters of machine `n` are plugged into, each once.
  std::vector<net::Medium*> media_of(std::size_t n) const;
  const std::vector<std::unique_ptr<net::Station>>& stations() const { return stations_; }
  /// Whether the same configuration always runs identically: the host is not involved.
  bool repeatable() const;
  /// The resolved configuration: a file that reproduces this lab.
  std::string configuration() const { return config_.resolved(); }

  /// Totals over the adapters of machine `n`.
  NetCounters frames(std::size_t n = 0);
  /// A few lines per machine for the start of a run: processor, memory, slots with their claims; then net and seed.
  std::string summary();

  /// Inserts a diskette image into drive A in place of the configured one; changes to it are discarded.
  void insert_diskette(std::vector<std::uint8_t> image, const std::string& name, std::size_t n = 0);
  /// Changes the diskette in drive `drive` (0: A, 1: B) while the lab runs. Throws Error if the file cannot be read or
  /// there is no such drive.
  void change_diskette(unsigned drive, const storage::DiskSpec& disk, std::size_t n = 0);
  /// Removes it while the lab runs; data written to it is in its overlay, if it has one. Throws Error if there is no
  /// such drive.
  void eject_diskette(unsigned drive, std::size_t n = 0);
  /// Changes the CD in the drive with SCSI address or IDE number `id`. Throws Error if the file cannot be read, there
  /// is no such drive, or the guest has locked its tray.
  void change_cdrom(unsigned id, const std::string& file, std::size_t n = 0);
  /// Ejects the CD: by the drive's button, which is refused (Error) if the guest has locked the tray, or by force, as
  /// with a paper clip.
  void eject_cdrom(unsigned id, bool by_force, std::size_t n = 0);
  /// The number (see change_cdrom()) of the first CD-ROM drive of machine `n`.
  std::optional<unsigned> cdrom(std::size_t n = 0) const;
  const std::vector<std::uint8_t>& diskette_image(std::size_t n = 0) const { return nodes_[n]->diskette_image; }
  const std::string& diskette_name(std::size_t n = 0) const { return nodes_[n]->diskette_name; }

  /// Places a Linux kernel in the machine's memory, to be started instead of a diskette. Called before the lab runs.
  void load_kernel(const LinuxBoot& boot, std::size_t n = 0);
  /// No processor will run again except after an NMI or reset.
  bool halted_for_good() const;

  /// Makes the guests' writes durable, and lists the errors on the drives' files so far, one per line; empty if there
  /// were none.
  std::vector<std::string> drive_failures() const;
  /// Throws Error if a snapshot could not be restored: a disk that is written through has since changed, and a user's
  /// own firmware is not in the snapshot.
  void check_snapshot() const;
  /// Throws Error if archive() could not load an earlier state into this lab because guest writes are in a file. The
  /// message names the option with which the lab could be started to allow it.
  void check_rewind() const;

  /// Architectural and timing state of everything; one function both saves and loads.
  void archive(Archive& a);
  /// SHA-256 of that state.
  std::string state_hash();

 private:
  /// A machine of the lab and its related data.
  struct Node {
    MachineConfig config;
    Trace trace;
    std::unique_ptr<Machine> machine;
    std::vector<std::uint8_t> diskette_image;
    std::string diskette_name;
    std::string kernel_summary;
    /// The drives' names and contents: null for an empty one.
    std::vector<std::pair<std::string, const storage::DiskImage*>> drives() const;
    /// The drives that are not empty.
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
  /// The adapter of CD-ROM drive `id`. Throws Error if there is no such drive, or if its tray is locked unless
  /// `by_force`.
  StorageAdapter& cdrom_cable(unsigned id, bool by_force, std::size_t n) const;
  void name_cd(unsigned id, const std::string& file, std::size_t n);

  LabConfig config_;
  Scheduler scheduler_;
  std::vector<std::unique_ptr<net::Medium>> owned_media_;
  std::vector<net::Medium*> media_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<net::Station>> stations_;
};

/// A snapshot file: what is needed to rebuild the lab, its state, and the frontend's own data.
struct Snapshot {
  struct Diskette {
    std::string name;
    std::vector<std::uint8_t> image;
    void archive(Archive& a) { a(name, image); }
  };
  std::string file;  ///< from which it was read
  std::string configuration;
  std::vector<Diskette> diskettes;     ///< in the machines' A drives, unless a file contains them
  std::vector<std::uint8_t> frontend;  ///< not part of the state hash
  std::vector<std::uint8_t> state;
  void archive(Archive& a);
};

/// Writes (compressed, checksummed) or reads a snapshot. Throws Error naming the file and the remedy.
void write_snapshot(const std::filesystem::path& file, Snapshot& snapshot);
Snapshot read_snapshot(const std::filesystem::path& file);

}  // namespace planar
