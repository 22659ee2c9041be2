// SPDX-License-Identifier: GPL-2.0-or-later
// A lab: a machine, the medium its adapter is plugged into and the station at the other end, in one virtual time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/scheduler.hpp"
#include "core/trace.hpp"
#include "devices/net/ethernet_segment.hpp"
#include "devices/net/host/host_station.hpp"
#include "devices/net/peer.hpp"
#include "machines/linux_boot.hpp"
#include "machines/machine.hpp"

namespace planar {

class Lab {
 public:
  /// Builds everything that `config` describes. Throws Error for impossible configurations.
  explicit Lab(Config config);
  ~Lab();
  Lab(const Lab&) = delete;

  Scheduler& scheduler() { return scheduler_; }
  Trace& trace() { return trace_; }
  Machine& machine() { return *machine_; }
  net::EthernetSegment& segment() { return *segment_; }
  net::Peer* peer() { return peer_.get(); }
  const net::HostStation* host() const { return host_.get(); }
  /// The same configuration runs the same way again: no host in the loop.
  bool repeatable() const { return !host_; }
  /// The resolved configuration: a file that builds this lab again.
  std::string configuration() const { return config_.resolved(); }
  const Config& layers() const { return config_; }

  /// Sums over the machine's adapters.
  NetCounters frames();
  /// The machine in a few lines for the start of a run: processor, memory, slots with what they claim, net, seed.
  std::string summary();

  /// Puts a diskette image into drive A, in place of the configuration's; its changes are forgotten.
  void insert_diskette(std::vector<std::uint8_t> image, const std::string& name);
  /// Changes the diskette in drive A while the lab runs. Throws Error for a file that cannot be read.
  void change_diskette(const storage::DiskSpec& disk);
  const std::vector<std::uint8_t>& diskette_image() const { return diskette_image_; }
  const std::string& diskette_name() const { return diskette_name_; }

  /// Puts a Linux kernel into the machine's memory, to be started instead of a diskette. Before the lab runs.
  void load_kernel(const LinuxBoot& boot);

  /// What went wrong with the files behind the drives, a line each; empty if nothing did.
  std::vector<std::string> drive_failures() const;
  /// Throws Error when a snapshot could not be restored: a disk that is written through is not what it was.
  void check_snapshot() const;

  /// Architectural and timing state of everything; the same function saves and loads.
  void archive(Archive& a);
  /// SHA-256 of that state.
  std::string state_hash();

 private:
  void attach_host();

  Config config_;
  MachineConfig machine_config_;
  Trace trace_;
  Scheduler scheduler_;
  std::unique_ptr<net::EthernetSegment> segment_;
  std::unique_ptr<net::Peer> peer_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<net::HostStation> host_;
  std::vector<std::uint8_t> diskette_image_;
  std::string diskette_name_;
  std::string kernel_summary_;
  std::vector<std::pair<std::string, const storage::DiskImage*>> disks() const;  ///< in drives, with the drive's name
};

/// A snapshot file: what is needed to build the lab again, its state, and what the frontend wants to remember.
struct Snapshot {
  std::string configuration;
  std::string diskette_name;
  std::vector<std::uint8_t> diskette_image;
  std::vector<std::uint8_t> frontend;  ///< not part of the state hash
  std::vector<std::uint8_t> state;
  void archive(Archive& a);
};

/// Writes (compressed, checksummed) or reads a snapshot. Throws Error naming the file and the remedy.
void write_snapshot(const std::filesystem::path& file, Snapshot& snapshot);
Snapshot read_snapshot(const std::filesystem::path& file);

}  // namespace planar
