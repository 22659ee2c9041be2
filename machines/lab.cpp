// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/lab.hpp"

#include <fmt/format.h>

namespace planar {

namespace {

std::string disk_summary(const storage::DiskImage& disk) {
  switch (disk.mode()) {
    case storage::WriteMode::overlay:
      return fmt::format("{}, changes in {} ({})", disk.name(), disk.overlay_name(),
                         disk.overlay() ? fmt::format("{} sectors so far", disk.changed_sectors()) : "none yet");
    case storage::WriteMode::write_through: return fmt::format("{}, changes written into it", disk.name());
    case storage::WriteMode::memory: return fmt::format("{}, changes forgotten at the end", disk.name());
    case storage::WriteMode::read_only: return fmt::format("{}, read-only", disk.name());
  }
  return {};
}

}  // namespace

Lab::Lab(Config config) : config_(std::move(config)), machine_config_(read_machine(config_)) {
  segment_ = std::make_unique<net::EthernetSegment>(
      net::EthernetConfig{.bits_per_second = machine_config_.bits_per_second, .full_duplex = machine_config_.full_duplex});
  segment_->set_trace(&trace_);
  scheduler_.set_lookahead(segment_->lookahead());
  const bool connected = machine_config_.net != "none";
  machine_ = std::make_unique<Machine>(scheduler_, trace_, machine_config_, connected ? segment_.get() : nullptr);
  if (machine_config_.net == "peer")
    peer_ = std::make_unique<net::Peer>(scheduler_, trace_, *segment_, machine_config_.seed,
                                        net::PeerConfig{.netio_duration = machine_config_.peer_duration});
  if (machine_config_.floppy)
    machine_->diskette().insert(0, FloppyImage::open(*machine_config_.floppy), scheduler_.now());
  if (machine_config_.host_net) attach_host();
}

void Lab::attach_host() {
  const ClockDomain clock = machine_config_.clock.clock();
  host_ = std::make_unique<net::HostStation>(
      scheduler_, trace_, *segment_, machine_config_.seed, net::open_host_link(*machine_config_.host_net),
      machine_config_.host_time,
      net::HostStation::Hooks{net::HostStation::steady_clock,
                              [this, clock] { return clock.at(machine_->cpu().halted_clocks()); }});
}

Lab::~Lab() = default;

void Lab::insert_diskette(std::vector<std::uint8_t> image, const std::string& name) {
  machine_->diskette().insert(0, FloppyImage(image, name), scheduler_.now());
  diskette_image_ = std::move(image);
  diskette_name_ = name;
}

void Lab::change_diskette(const storage::DiskSpec& disk) {
  machine_->diskette().insert(0, FloppyImage::open(disk), scheduler_.now());
  diskette_image_.clear();
  diskette_name_.clear();
  const std::pair<const char*, std::string> values[] = {
      {"floppy.a.file", disk.file}, {"floppy.a.mode", std::string(to_string(disk.mode))}, {"floppy.a.overlay", disk.overlay}};
  for (const auto& [path, value] : values) {
    config_.set_text(path, value, "insert diskette");
    config_.text(path);  // part of the resolved file, and so of a snapshot
  }
}

void Lab::load_kernel(const LinuxBoot& boot) {
  machine_->load_kernel(boot);
  kernel_summary_ = boot.summary;
}

std::string Lab::summary() {
  const auto& m = machine_config_;
  std::string out = fmt::format("{}\n  memory {} MB, {} path; net {}{}; seed {}\n", m.title, m.memory_bytes >> 20,
                                m.dual_path ? "dual" : "single", m.net, !m.host_net ? ""
                                : m.host_time == net::HostTime::as_hardware ? " (host in the loop, paced to real time)"
                                : " (host in the loop, unthrottled)", m.seed);
  for (const auto& row : machine_->slot_page().rows) {
    if (row.empty) continue;
    out += fmt::format("  slot {}: {} ({:04X})", row.slot, row.result.name, row.result.id);
    for (const auto& claim : row.result.claims) out += fmt::format(", {}", adf::to_string(claim.resource));
    out += "\n";
  }
  for (const auto& [drive, disk] : disks()) out += fmt::format("  {}: {}\n", drive, disk_summary(*disk));
  if (!kernel_summary_.empty()) out += fmt::format("  {}\n", kernel_summary_);
  return out;
}

NetCounters Lab::frames() {
  NetCounters sum;
  for (unsigned slot = 1; slot <= 8; ++slot) {
    const NetworkAdapter* adapter = machine_->adapter(slot);
    if (!adapter) continue;
    const NetCounters c = adapter->counters();
    sum.sent += c.sent;
    sum.received += c.received;
    sum.collisions += c.collisions;
    sum.overruns += c.overruns;
  }
  return sum;
}

std::vector<std::pair<std::string, const storage::DiskImage*>> Lab::disks() const {
  std::vector<std::pair<std::string, const storage::DiskImage*>> list;
  if (const auto& diskette = machine_->diskette().drive(0).image) list.emplace_back("drive A", &diskette->disk());
  if (const StorageAdapter* storage = machine_->storage())
    for (unsigned id = 0; id < 7; ++id)
      if (const auto* drive = storage->drive(id))
        list.emplace_back(fmt::format("{} {}", drive->kind() == storage::DriveKind::disk ? "disk" : "CD-ROM", id),
                          &drive->image());
  return list;
}

std::vector<std::string> Lab::drive_failures() const {
  std::vector<std::string> lines;
  for (const auto& [drive, disk] : disks())
    if (!disk->failure().empty()) lines.push_back(fmt::format("{}: {}", drive, disk->failure()));
  return lines;
}

void Lab::check_snapshot() const {
  for (const auto& [drive, disk] : disks())
    if (disk->mode() == storage::WriteMode::write_through)
      throw Error(fmt::format("{}: a snapshot needs the disk as it was, but mode=write-through changes it; use mode=overlay",
                              disk->name()));
}

void Lab::archive(Archive& a) {
  a.section("lab", 1);
  scheduler_.archive(a);
  segment_->archive(a);
  if (peer_) peer_->archive(a);
  if (host_) host_->archive(a);
  machine_->archive(a);
}

std::string Lab::state_hash() {
  Archive a = Archive::saver();
  archive(a);
  return sha256_hex(a.stream());
}

}  // namespace planar
