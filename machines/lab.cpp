// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/lab.hpp"

#include <fmt/format.h>

#include <algorithm>

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

Lab::Lab(LabConfig config) : config_(std::move(config)) {
  for (MachineConfig& machine : config_.read()) {
    places_.push_back(std::make_unique<Place>());
    places_.back()->config = std::move(machine);
  }
  const MachineConfig& first = places_.front()->config;
  segment_ = std::make_unique<net::EthernetSegment>(
      net::EthernetConfig{.bits_per_second = first.bits_per_second, .full_duplex = first.full_duplex});
  segment_->set_trace(&trace());
  scheduler_.set_lookahead(segment_->lookahead());
  const bool connected = first.net != "none" || config_.named();
  for (auto& place : places_)
    place->machine =
        std::make_unique<Machine>(scheduler_, place->trace, place->config, connected ? segment_.get() : nullptr);
  if (first.net == "peer")
    peer_ = std::make_unique<net::Peer>(scheduler_, trace(), *segment_, first.seed,
                                        net::PeerConfig{.services = {.netio_duration = first.peer_duration}});
  for (auto& place : places_)
    if (place->config.floppy)
      place->machine->diskette().insert(0, FloppyImage::open(*place->config.floppy), scheduler_.now());
  if (first.host_net) attach_host(first);
}

// The guests idle as long as the one that idles most.
void Lab::attach_host(const MachineConfig& config) {
  const auto idle = [this] {
    Time most{};
    for (const auto& place : places_)
      most = std::max(most, place->config.clock.clock().at(place->machine->cpu().halted_clocks()));
    return most;
  };
  host_ = std::make_unique<net::HostStation>(scheduler_, trace(), *segment_, config.seed,
                                             net::open_host_link(*config.host_net), config.host_time,
                                             net::HostStation::Hooks{net::HostStation::steady_clock, idle});
}

Lab::~Lab() = default;

void Lab::insert_diskette(std::vector<std::uint8_t> image, const std::string& name, std::size_t n) {
  Place& place = *places_[n];
  place.machine->diskette().insert(0, FloppyImage(image, name), scheduler_.now());
  place.diskette_image = std::move(image);
  place.diskette_name = name;
}

void Lab::change_diskette(const storage::DiskSpec& disk, std::size_t n) {
  Place& place = *places_[n];
  place.machine->diskette().insert(0, FloppyImage::open(disk), scheduler_.now());
  place.diskette_image.clear();
  place.diskette_name.clear();
  Config& config = config_.machine(n);
  const auto set = [&](const char* path, const std::string& value) {
    config.set_text(path, value, "insert diskette");
    config.text(path);  // part of the resolved file, and so of a snapshot
  };
  if (config.has("image")) set("image", "");
  set("floppy.a.file", disk.file);
  set("floppy.a.mode", std::string(to_string(disk.mode)));
  set("floppy.a.overlay", disk.overlay);
}

void Lab::load_kernel(const LinuxBoot& boot, std::size_t n) {
  places_[n]->machine->load_kernel(boot);
  places_[n]->kernel_summary = boot.summary;
}

bool Lab::halted_for_good() const {
  return std::all_of(places_.begin(), places_.end(),
                     [](const auto& place) { return place->machine->halted_for_good(); });
}

std::string Lab::Place::summary() const {
  std::string out;
  for (const auto& row : machine->slot_page().rows) {
    if (row.empty) continue;
    out += fmt::format("  slot {}: {} ({:04X})", row.slot, row.result.name, row.result.id);
    for (const auto& claim : row.result.claims) out += fmt::format(", {}", adf::to_string(claim.resource));
    out += "\n";
  }
  for (const auto& [drive, disk] : disks()) out += fmt::format("  {}: {}\n", drive, disk_summary(*disk));
  if (!kernel_summary.empty()) out += fmt::format("  {}\n", kernel_summary);
  return out;
}

std::string Lab::summary() {
  const auto& first = places_.front()->config;
  const std::string net =
      fmt::format("net {}{}; seed {}", first.net,
                  !first.host_net                                 ? ""
                  : first.host_time == net::HostTime::as_hardware ? " (host in the loop, paced to real time)"
                                                                  : " (host in the loop, unthrottled)",
                  first.seed);
  std::string out;
  for (const auto& place : places_) {
    const auto& m = place->config;
    out += fmt::format("{}{}\n  memory {} MB, {} path{}\n", m.label.empty() ? "" : m.label + ": ", m.title,
                       m.memory_bytes >> 20, m.dual_path ? "dual" : "single", m.label.empty() ? "; " + net : "");
    out += place->summary();
  }
  if (config_.named()) out += fmt::format("on one wire of {}; {}\n", segment_->title(), net);
  return out;
}

NetCounters Lab::frames(std::size_t n) {
  NetCounters sum;
  for (unsigned slot = 1; slot <= 8; ++slot) {
    if (const NetworkAdapter* adapter = machine(n).adapter(slot)) sum += adapter->counters();
  }
  return sum;
}

std::vector<std::pair<std::string, const storage::DiskImage*>> Lab::Place::disks() const {
  std::vector<std::pair<std::string, const storage::DiskImage*>> list;
  if (const auto& diskette = machine->diskette().drive(0).image) list.emplace_back("drive A", &diskette->disk());
  if (const StorageAdapter* storage = machine->storage())
    for (unsigned id = 0; id < 7; ++id)
      if (const auto* drive = storage->drive(id))
        list.emplace_back(fmt::format("{} {}", drive->kind() == storage::DriveKind::disk ? "disk" : "CD-ROM", id),
                          &drive->image());
  return list;
}

std::vector<std::string> Lab::drive_failures() const {
  std::vector<std::string> lines;
  for (const auto& place : places_)
    for (const auto& [drive, disk] : place->disks())
      if (!disk->failure().empty())
        lines.push_back(fmt::format("{}{}{}: {}", place->config.label, place->config.label.empty() ? "" : ", ", drive,
                                    disk->failure()));
  return lines;
}

void Lab::check_snapshot() const {
  for (const auto& place : places_) {
    if (const auto& bios = place->config.start.bios; !bios.empty())
      throw Error(fmt::format("{}: a snapshot holds no firmware of yours (bios); run without one of the two", bios));
    for (const auto& [drive, disk] : place->disks())
      if (disk->mode() == storage::WriteMode::write_through)
        throw Error(
            fmt::format("{}: a snapshot needs the disk as it was, but mode=write-through changes it; use mode=overlay",
                        disk->name()));
  }
}

void Lab::archive(Archive& a) {
  a.section("lab", 1);
  scheduler_.archive(a);
  segment_->archive(a);
  if (peer_) peer_->archive(a);
  if (host_) host_->archive(a);
  for (auto& place : places_) place->machine->archive(a);
}

std::string Lab::state_hash() {
  Archive a = Archive::saver();
  archive(a);
  return sha256_hex(a.stream());
}

}  // namespace planar
