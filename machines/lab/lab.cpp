// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/lab/lab.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "devices/medium/ring/ring.hpp"
#include "devices/stations/bridge/bridge.hpp"
#include "devices/stations/bridge/source_route_bridge.hpp"
#include "devices/stations/host/host_station.hpp"
#include "devices/stations/peer/peer.hpp"

namespace planar {

namespace {

constexpr const char* diskette_drives[] = {"drive A", "drive B"};

constexpr const char* locked_tray =
    "the guest has locked the tray of the CD-ROM drive, as it does while the CD is mounted; unmount it there, or eject "
    "the CD by force";

std::string disk_summary(const storage::DiskImage& disk) {
  switch (disk.mode()) {
    case storage::WriteMode::overlay:
      return fmt::format(
          "{}, changes in {} ({})", disk.name(), disk.overlay_name(),
          disk.changed_sectors() ? fmt::format("{} sectors so far", disk.changed_sectors()) : "none yet");
    case storage::WriteMode::write_through: return fmt::format("{}, changes written into it", disk.name());
    case storage::WriteMode::memory: return fmt::format("{}, changes discarded at the end", disk.name());
    case storage::WriteMode::read_only: return fmt::format("{}, read-only", disk.name());
  }
  return {};
}

/// Whether both write to the same file.
bool changes_same_file(const storage::DiskImage& old, const storage::DiskSpec& next) {
  const auto written = storage::files_of(next).written;
  std::error_code none;
  return std::any_of(written.begin(), written.end(), [&](const std::string& file) {
    return std::filesystem::equivalent(file, old.overlay_name(), none) ||
           std::filesystem::equivalent(file, old.name(), none);
  });
}

}  // namespace

std::unique_ptr<net::Medium> make_medium(Scheduler& scheduler, const MediumConfig& config) {
  if (config.kind == MediumKind::token_ring) return std::make_unique<net::Ring>(scheduler, config.ring, config.name);
  return std::make_unique<net::EthernetSegment>(net::EthernetConfig{.bits_per_second = ethernet_rate(config.kind),
                                                                    .full_duplex = config.full_duplex,
                                                                    .propagation = config.cable_delay,
                                                                    .path = config.path,
                                                                    .metres = config.cable_metres,
                                                                    .oscillators = config.path != net::PathKind::cable},
                                                config.name);
}

Lab::Lab(LabConfig config, const MediumFactory& make) : config_(std::move(config)) {
  for (MachineConfig& machine : config_.read()) {
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->config = std::move(machine);
  }
  const MachineConfig& first = nodes_.front()->config;
  make_media(first, make);
  // A single machine without a net is not plugged in at all.
  const bool connected = first.net != "none" || config_.named() || media_.size() > 1 || !first.stations.empty();
  for (auto& node : nodes_) {
    const Scheduler::Naming naming(scheduler_, node->config.name_prefix());
    node->machine = std::make_unique<Machine>(scheduler_, node->trace, node->config,
                                              connected ? std::span(media_) : std::span<net::Medium*>{});
  }
  add_peers(first);
  for (auto& node : nodes_)
    for (unsigned drive = 0; drive < node->config.floppies.size(); ++drive)
      if (const auto& floppy = node->config.floppies[drive])
        node->machine->diskette().insert(drive, FloppyImage::open(*floppy), scheduler_.now());
  if (first.host_net) add_host(first);
  add_bridges(first);
}

void Lab::make_media(const MachineConfig& config, const MediumFactory& make) {
  Time lookahead = Time::never();
  for (const MediumConfig& medium : config.media) {
    owned_media_.push_back(make(scheduler_, medium));
    media_.push_back(owned_media_.back().get());
    media_.back()->set_trace(&trace());
    lookahead = std::min(lookahead, media_.back()->lookahead());
  }
  scheduler_.set_lookahead(lookahead);
}

net::Medium& Lab::medium_named(const std::string& name) const {
  return **std::find_if(media_.begin(), media_.end(), [&](const net::Medium* m) { return m->name() == name; });
}

bool Lab::is_adapter_of(std::size_t n, std::string_view port) const {
  const std::string slots = nodes_[n]->config.name_prefix() + "slot";
  if (!port.starts_with(slots) || port.size() == slots.size()) return false;
  const char digit = port[slots.size()];  // a station may be called "slots"
  return digit >= '0' && digit <= '9';
}

std::vector<net::Medium*> Lab::media_of(std::size_t n) const {
  const auto of_machine = [&](const net::Port* port) { return port && is_adapter_of(n, port->name()); };
  std::vector<net::Medium*> used;
  for (net::Medium* medium : media_)
    if (std::any_of(medium->ports().begin(), medium->ports().end(), of_machine)) used.push_back(medium);
  return used;
}

// Each has its own address and seed: the seed of a [station.NAME] has the station's number in the upper half.
void Lab::add_peers(const MachineConfig& config) {
  const auto add = [&](const std::vector<std::string>& names, std::uint64_t seed, net::PeerConfig peer) {
    std::vector<net::Medium*> media;
    for (const std::string& name : names) media.push_back(&medium_named(name));
    peer.mtu = config.peer_mtu;
    peer.turnaround = config.peer_turnaround;
    peer.tick_phase = config.peer_tick_phase;
    peer.receive_buffer = config.peer_receive_buffer;
    peer.acknowledge = config.peer_acknowledge;
    peer.services.netio_duration = config.peer_duration;
    stations_.push_back(std::make_unique<net::Peer>(scheduler_, trace(), media, seed, std::move(peer)));
  };
  if (config.net == "peer")
    add(config.net_bond.empty() ? std::vector{config.net_medium} : config.net_bond, config.seed, {});
  std::uint64_t number = 0;
  for (const StationConfig& station : config.stations) {
    net::PeerConfig peer;
    peer.name = station.name;
    peer.address = station.address;
    ++number;
    peer.mac[5] = static_cast<std::uint8_t>(peer.mac[5] + number);
    add({station.medium}, config.seed ^ number << 32, std::move(peer));
  }
}

// The idle time is that of the machine that idles most.
void Lab::add_host(const MachineConfig& config) {
  const auto idle = [this] {
    Time most{};
    for (const auto& node : nodes_)
      most = std::max(most, node->config.clock.clock().at(node->machine->cpu().halted_clocks()));
    return most;
  };
  stations_.push_back(std::make_unique<net::HostStation>(
      scheduler_, trace(), medium_named(config.net_medium), config.seed, net::open_host_link(*config.host_net),
      config.host_time, net::HostStation::Hooks{net::HostStation::steady_clock, idle}));
}

void Lab::add_bridges(const MachineConfig& config) {
  // Distinct from the seeds of adapters (machine * 10h + slot) and of the other stations (FEh, FFh).
  std::uint64_t seed = config.seed * 0x100 + 0x80;
  for (const BridgeConfig& bridge : config.bridges) {
    add_bridge(config, bridge, seed);
    seed += bridge.media.size();
  }
}

void Lab::add_bridge(const MachineConfig& config, const BridgeConfig& bridge, std::uint64_t seed) {
  if (bridge.kind == BridgeConfig::Kind::source_route) {
    std::vector<net::SourceRouteBridge::Place> rings;
    for (const std::string& name : bridge.media)
      for (const MediumConfig& medium : config.media)
        if (medium.name == name) rings.push_back({&dynamic_cast<net::Ring&>(medium_named(name)), medium.ring_number});
    stations_.push_back(std::make_unique<net::SourceRouteBridge>(scheduler_, bridge.name, std::move(rings),
                                                                 bridge.number, seed, bridge.figures.delay));
    return;
  }
  std::vector<net::Medium*> sides;
  for (const std::string& name : bridge.media) sides.push_back(&medium_named(name));
  stations_.push_back(std::make_unique<net::Bridge>(scheduler_, trace(), bridge.name, sides, seed, bridge.figures));
}

bool Lab::repeatable() const {
  return std::all_of(stations_.begin(), stations_.end(), [](const auto& station) { return station->repeatable(); });
}

Lab::~Lab() = default;

void Lab::insert_diskette(std::vector<std::uint8_t> image, const std::string& name, std::size_t n) {
  Node& node = *nodes_[n];
  node.machine->diskette().insert(0, FloppyImage(image, name), scheduler_.now());
  node.diskette_image = std::move(image);
  node.diskette_name = name;
}

void Lab::check_diskette_drive(unsigned drive, std::size_t n) const {
  if (!nodes_[n]->machine->diskette().drive(drive).installed)
    throw Error("this machine has no diskette drive B; start it with --floppy-b FILE, or --floppy-b empty");
}

void Lab::change_diskette(unsigned drive, const storage::DiskSpec& disk, std::size_t n) {
  check_diskette_drive(drive, n);
  Node& node = *nodes_[n];
  I82077& drives = node.machine->diskette();
  // If the same diskette is inserted again, its file is not in use by another drive.
  if (const auto& old = drives.drive(drive).image; old && changes_same_file(old->disk(), disk)) drives.eject(drive);
  drives.insert(drive, FloppyImage::open(disk), scheduler_.now());
  Config& config = config_.machine(n);
  const auto set = [&](const std::string& path, const std::string& value) {
    config.set_text(path, value, "insert diskette");
    config.text(path);  // include it in the resolved file, and so in a snapshot
  };
  if (drive == 0) {
    node.diskette_image.clear();
    node.diskette_name.clear();
    if (config.has("image")) set("image", "");
  }
  const auto path = floppy_path(drive);
  set(path + ".file", disk.file);
  set(path + ".mode", std::string(to_string(disk.mode)));
  set(path + ".overlay", disk.overlay);
  set(path + ".format", std::string(to_string(disk.format)));
}

void Lab::eject_diskette(unsigned drive, std::size_t n) {
  check_diskette_drive(drive, n);
  Node& node = *nodes_[n];
  node.machine->diskette().eject(drive);
  Config& config = config_.machine(n);
  const auto path = floppy_path(drive);
  config.discard({path});
  if (drive == 0) {
    node.diskette_image.clear();
    node.diskette_name.clear();
    config.discard({"image"});
  } else {
    config.set_text(path + ".file", "", "eject diskette");  // the drive remains
    config.text(path + ".file");
  }
}

StorageAdapter& Lab::cdrom_cable(unsigned id, bool by_force, std::size_t n) const {
  StorageAdapter* const storage = nodes_[n]->machine->storage();
  const storage::Drive* const drive = storage ? storage->drive(id) : nullptr;
  if (!drive || drive->kind() != storage::DriveKind::cdrom)
    throw Error(fmt::format("there is no CD-ROM drive {}; start the machine with --cdrom FILE, or --cdrom empty", id));
  if (drive->locked() && !drive->tray_open() && !by_force) throw Error(locked_tray);
  return *storage;
}

void Lab::name_cd(unsigned id, const std::string& file, std::size_t n) {
  Config& config = config_.machine(n);
  const auto path = fmt::format("cdrom.{}.file", id);
  config.set_text(path, file, file.empty() ? "eject CD" : "change CD");
  config.text(path);  // include it in the resolved file, and so in a snapshot
}

void Lab::change_cdrom(unsigned id, const std::string& file, std::size_t n) {
  StorageAdapter& storage = cdrom_cable(id, false, n);
  storage.change_medium(id, storage::DiskImage::open({file, storage::WriteMode::read_only, {}}, storage::cdrom_kind));
  name_cd(id, file, n);
}

void Lab::eject_cdrom(unsigned id, bool by_force, std::size_t n) {
  cdrom_cable(id, by_force, n).change_medium(id, {});
  name_cd(id, "", n);
}

std::optional<unsigned> Lab::cdrom(std::size_t n) const {
  const StorageAdapter* storage = nodes_[n]->machine->storage();
  for (unsigned id = 0; storage && id < 7; ++id)
    if (const auto* drive = storage->drive(id); drive && drive->kind() == storage::DriveKind::cdrom) return id;
  return {};
}

void Lab::load_kernel(const LinuxBoot& boot, std::size_t n) {
  nodes_[n]->machine->board().load_kernel(boot);
  nodes_[n]->kernel_summary = boot.summary;
}

bool Lab::halted_for_good() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->machine->halted_for_good(); });
}

std::string Lab::Node::summary() const {
  std::string out;
  for (const bus::SlotView& slot : machine->board().slots()) {
    if (!slot.card) continue;
    out += fmt::format("  slot {}: {} ({:04X})", slot.number, slot.title, slot.id);
    for (const bus::CardResource& resource : slot.resources) out += fmt::format(", {}", resource.text);
    for (const CardConfig& card : config.cards)
      if (config.media.size() > 1 && card.slot == slot.number && !card.medium.empty())
        out += fmt::format(", on {}", card.medium);
    out += "\n";
  }
  for (const auto& [drive, disk] : disks()) out += fmt::format("  {}: {}\n", drive, disk_summary(*disk));
  for (const auto& [drive, disk] : drives())  // a machine has drives other than A only if the user configured them
    if (!disk && drive != diskette_drives[0]) out += fmt::format("  {}: empty\n", drive);
  if (!kernel_summary.empty()) out += fmt::format("  {}\n", kernel_summary);
  return out;
}

std::string Lab::summary() {
  const auto& first = nodes_.front()->config;
  const std::string net =
      fmt::format("net {}{}; seed {}", first.net,
                  !first.host_net                                 ? ""
                  : first.host_time == net::HostTime::as_hardware ? " (host in the loop, paced to real time)"
                                                                  : " (host in the loop, unthrottled)",
                  first.seed);
  const auto path_name = [](MemoryPath path) {
    return path == MemoryPath::single ? "single" : path == MemoryPath::dual ? "dual" : "line-shared";
  };
  std::string out;
  for (const auto& node : nodes_) {
    const auto& m = node->config;
    out += fmt::format("{}{}\n  memory {} MB, {} path{}\n", m.label.empty() ? "" : m.label + ": ", m.title,
                       m.memory_bytes >> 20, path_name(m.memory_path), m.label.empty() ? "; " + net : "");
    out += node->summary();
  }
  if (media_.size() > 1) {
    for (const net::Medium* medium : media_) out += fmt::format("{}: {}\n", medium->name(), medium->title());
    for (const BridgeConfig& bridge : first.bridges)
      out += fmt::format("{}: a {} between {}\n", bridge.name,
                         bridge.kind == BridgeConfig::Kind::switching      ? "switch"
                         : bridge.kind == BridgeConfig::Kind::source_route ? "source-routing bridge"
                                                                           : "bridge",
                         fmt::join(bridge.media, ", "));
    if (config_.named()) out += fmt::format("{}{}\n", net, first.net == "none" ? "" : " on " + first.net_medium);
    if (!first.net_bond.empty()) out += fmt::format("peer: a port on each of {}\n", fmt::join(first.net_bond, ", "));
  } else if (config_.named()) {
    out += fmt::format("on one wire of {}; {}\n", medium().title(), net);
  }
  for (const StationConfig& station : first.stations)
    out += fmt::format("{}: a reference station, {}{}\n", station.name, net::format_ipv4(station.address),
                       media_.size() > 1 ? ", on " + station.medium : "");
  return out;
}

NetCounters Lab::frames(std::size_t n) {
  NetCounters sum;
  for (unsigned slot = 1; slot <= nodes_[n]->config.slot_widths.size(); ++slot) {
    if (const NetworkAdapter* adapter = machine(n).adapter(slot)) sum += adapter->counters();
  }
  return sum;
}

std::vector<std::pair<std::string, const storage::DiskImage*>> Lab::Node::drives() const {
  std::vector<std::pair<std::string, const storage::DiskImage*>> list;
  for (unsigned n = 0; n < std::size(diskette_drives); ++n)
    if (const auto& drive = machine->diskette().drive(n); drive.installed)
      list.emplace_back(diskette_drives[n], drive.image ? &drive.image->disk() : nullptr);
  if (const StorageAdapter* storage = machine->storage())
    for (unsigned id = 0; id < 7; ++id)
      if (const auto* drive = storage->drive(id))
        list.emplace_back(fmt::format("{} {}", drive->kind() == storage::DriveKind::disk ? "disk" : "CD-ROM", id),
                          drive->loaded() ? &drive->image() : nullptr);
  return list;
}

std::vector<std::pair<std::string, const storage::DiskImage*>> Lab::Node::disks() const {
  auto list = drives();
  std::erase_if(list, [](const auto& drive) { return drive.second == nullptr; });
  return list;
}

std::vector<std::string> Lab::drive_failures() const {
  std::vector<std::string> lines;
  for (const auto& node : nodes_)
    for (const auto& [drive, disk] : node->disks())
      if (disk->flush(); !disk->failure().empty())
        lines.push_back(fmt::format("{}{}{}: {}", node->config.label, node->config.label.empty() ? "" : ", ", drive,
                                    disk->failure()));
  return lines;
}

void Lab::check_snapshot() const {
  for (const auto& node : nodes_) {
    if (const auto& bios = node->config.start.bios; !bios.empty())
      throw Error(fmt::format("{}: a snapshot holds no firmware of yours (bios); run without one of the two", bios));
    for (const auto& [drive, disk] : node->disks())
      if (disk->mode() == storage::WriteMode::write_through)
        throw Error(
            fmt::format("{}: a snapshot needs the disk as it was, but mode=write-through changes it; use mode=overlay",
                        disk->name()));
  }
}

void Lab::check_rewind() const {
  for (const auto& node : nodes_)
    for (const auto& [drive, disk] : node->disks())
      if (disk->mode() != storage::WriteMode::memory && disk->mode() != storage::WriteMode::read_only)
        throw Error(fmt::format("{}: what the machine writes to it goes into {}, and cannot be undone; start with {}",
                                disk->name(), disk->overlay_name().empty() ? "the image itself" : disk->overlay_name(),
                                drive == diskette_drives[0]   ? fmt::format("--floppy {},mode=memory", disk->name())
                                : drive == diskette_drives[1] ? fmt::format("--floppy-b {},mode=memory", disk->name())
                                                              : fmt::format("--disk {},mode=memory,id={}", disk->name(),
                                                                            drive.substr(drive.rfind(' ') + 1))));
}

void Lab::archive(Archive& a) {
  a.section("lab", 1);
  scheduler_.archive(a);
  for (net::Medium* medium : media_) medium->archive(a);
  for (auto& station : stations_) station->archive(a);
  for (auto& node : nodes_) node->machine->archive(a);
}

std::string Lab::state_hash() {
  Archive a = Archive::saver();
  archive(a);
  return sha256_hex(a.stream());
}

}  // namespace planar
