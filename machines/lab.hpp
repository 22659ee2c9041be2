// SPDX-License-Identifier: GPL-2.0-or-later
// A lab: one machine or several, the medium their adapters are plugged into and the station at the other end, in one
// virtual time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "devices/stations/host/host_station.hpp"
#include "devices/stations/peer/peer.hpp"
#include "machines/lab_config.hpp"
#include "machines/linux_boot.hpp"
#include "machines/machine.hpp"

namespace planar {

class Lab {
 public:
  /// Builds everything that `config` describes. Throws Error for impossible configurations.
  explicit Lab(Config config) : Lab(LabConfig(std::move(config))) {}
  explicit Lab(LabConfig config);
  ~Lab();
  Lab(const Lab&) = delete;

  Scheduler& scheduler() { return scheduler_; }
  /// What happens in machine `n` and, with the first one, on the wire.
  Trace& trace(std::size_t n = 0) { return places_[n]->trace; }
  std::size_t machines() const { return places_.size(); }
  Machine& machine(std::size_t n = 0) { return *places_[n]->machine; }
  /// Its name in a lab with several; empty in others.
  const std::string& name(std::size_t n) const { return places_[n]->config.label; }
  /// What the machines' adapters and the stations are plugged into.
  std::vector<net::Medium*> media() { return {segment_.get()}; }
  net::EthernetSegment& segment() { return *segment_; }
  /// The same configuration runs the same way again: no host in the loop.
  bool repeatable() const { return !host_; }
  /// The resolved configuration: a file that builds this lab again.
  std::string configuration() const { return config_.resolved(); }

  /// Sums over the adapters of machine `n`.
  NetCounters frames(std::size_t n = 0);
  /// Every machine in a few lines for the start of a run: processor, memory, slots with what they claim; net, seed.
  std::string summary();

  /// Puts a diskette image into drive A, in place of the configuration's; its changes are forgotten.
  void insert_diskette(std::vector<std::uint8_t> image, const std::string& name, std::size_t n = 0);
  /// Changes the diskette in drive A while the lab runs. Throws Error for a file that cannot be read.
  void change_diskette(const storage::DiskSpec& disk, std::size_t n = 0);
  const std::vector<std::uint8_t>& diskette_image(std::size_t n = 0) const { return places_[n]->diskette_image; }
  const std::string& diskette_name(std::size_t n = 0) const { return places_[n]->diskette_name; }

  /// Puts a Linux kernel into the machine's memory, to be started instead of a diskette. Before the lab runs.
  void load_kernel(const LinuxBoot& boot, std::size_t n = 0);
  /// No processor will ever do anything again, unless by NMI or reset.
  bool halted_for_good() const;

  /// What went wrong with the files behind the drives, a line each; empty if nothing did.
  std::vector<std::string> drive_failures() const;
  /// Throws Error when a snapshot could not be restored: a disk that is written through is not what it was, and
  /// firmware of the user's own is not in it.
  void check_snapshot() const;

  /// Architectural and timing state of everything; the same function saves and loads.
  void archive(Archive& a);
  /// SHA-256 of that state.
  std::string state_hash();

 private:
  /// A machine and what came with it.
  struct Place {
    MachineConfig config;
    Trace trace;
    std::unique_ptr<Machine> machine;
    std::vector<std::uint8_t> diskette_image;
    std::string diskette_name;
    std::string kernel_summary;
    /// In drives, with the drive's name.
    std::vector<std::pair<std::string, const storage::DiskImage*>> disks() const;
    std::string summary() const;
  };

  void attach_host(const MachineConfig& config);

  LabConfig config_;
  Scheduler scheduler_;
  std::unique_ptr<net::EthernetSegment> segment_;
  std::unique_ptr<net::Peer> peer_;
  std::vector<std::unique_ptr<Place>> places_;
  std::unique_ptr<net::HostStation> host_;
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
