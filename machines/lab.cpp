// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/lab.hpp"

#include <fmt/format.h>

namespace planar {

Lab::Lab(Config config) : config_(std::move(config)), machine_config_(read_machine(config_)) {
  segment_ = std::make_unique<net::EthernetSegment>(
      net::EthernetConfig{.bits_per_second = machine_config_.bits_per_second, .full_duplex = machine_config_.full_duplex});
  segment_->set_trace(&trace_);
  scheduler_.set_lookahead(segment_->lookahead());
  const bool connected = machine_config_.net != "none";
  machine_ = std::make_unique<Machine>(scheduler_, trace_, machine_config_, connected ? segment_.get() : nullptr);
  if (machine_config_.net == "peer")
    peer_ = std::make_unique<net::Peer>(scheduler_, trace_, *segment_, machine_config_.seed);
}

Lab::~Lab() = default;

void Lab::insert_diskette(std::vector<std::uint8_t> image, const std::string& name) {
  machine_->diskette().insert(0, FloppyImage(image, name), scheduler_.now());
  diskette_image_ = std::move(image);
  diskette_name_ = name;
}

void Lab::load_kernel(const LinuxBoot& boot) {
  machine_->load_kernel(boot);
  kernel_summary_ = boot.summary;
}

std::string Lab::summary() {
  const auto& m = machine_config_;
  std::string out = fmt::format("{}\n  memory {} MB, {} path; net {}; seed {}\n", m.title, m.memory_bytes >> 20,
                                m.dual_path ? "dual" : "single", m.net, m.seed);
  for (const auto& row : machine_->slot_page().rows) {
    if (row.empty) continue;
    out += fmt::format("  slot {}: {} ({:04X})", row.slot, row.result.name, row.result.id);
    for (const auto& claim : row.result.claims) out += fmt::format(", {}", adf::to_string(claim.resource));
    out += "\n";
  }
  if (!diskette_name_.empty()) out += fmt::format("  drive A: {}\n", diskette_name_);
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

void Lab::archive(Archive& a) {
  a.section("lab", 1);
  scheduler_.archive(a);
  segment_->archive(a);
  if (peer_) peer_->archive(a);
  machine_->archive(a);
}

std::string Lab::state_hash() {
  Archive a = Archive::saver();
  archive(a);
  return sha256_hex(a.stream());
}

}  // namespace planar
