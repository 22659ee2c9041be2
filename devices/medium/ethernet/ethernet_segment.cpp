// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ethernet/ethernet_segment.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/medium/ethernet/ethernet_link_layer.hpp"

namespace planar::net {

Destination ethernet_destination(std::span<const std::uint8_t> frame) {
  if (frame.size() < broadcast_mac.size()) return Destination::unknown;
  if (std::equal(broadcast_mac.begin(), broadcast_mac.end(), frame.begin())) return Destination::broadcast;
  return frame[0] & 1 ? Destination::group : Destination::station;
}

void Reception::copy(std::size_t from, std::span<std::uint8_t> to) const {
  const std::size_t sound = std::min(frame.size(), damaged_from);
  const std::size_t as_sent = std::min(to.size(), sound - std::min(sound, from));
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(std::min(from, sound)), as_sent, to.begin());
  for (std::size_t k = as_sent; k < to.size(); ++k) to[k] = byte(from + k);
}

void Reception::append(std::vector<std::uint8_t>& data, std::size_t end) const {
  const std::size_t from = data.size();
  if (end <= from) return;
  data.resize(end);
  copy(from, std::span(data).subspan(from));
}

MacAddress Reception::destination() const {
  MacAddress to;
  copy(0, to);
  return to;
}

EthernetSegment::EthernetSegment(EthernetConfig config, std::string name)
    : Medium(std::move(name)),
      config_(config),
      bit_time_{config.bits_per_second ? static_cast<std::int64_t>(1'000'000'000'000 / config.bits_per_second) : 0},
      delays_(path_delays(config.path, config.propagation, config.metres)) {
  if (config.bits_per_second != 10'000'000 && config.bits_per_second != 100'000'000 &&
      config.bits_per_second != 1'000'000'000)
    throw Error(fmt::format("an Ethernet segment of {} bit/s is not modelled; use 10000000, 100000000 or 1000000000",
                            config.bits_per_second));
  if (config.bits_per_second == 1'000'000'000 && !config.full_duplex)
    throw Error("an Ethernet segment of 1000 Mbit/s is modelled in full duplex only; make it full duplex");
  if (config.propagation <= Time{} || config.propagation >= bit_time_ * gap_bits)
    throw Error(
        fmt::format("propagation delay of {} ps is out of range; use more than 0 and less than the "
                    "interframe gap of {} ps",
                    config.propagation.ps, (bit_time_ * gap_bits).ps));
}

std::string EthernetSegment::title() const {
  return fmt::format("{} Mbit/s, {} duplex", config_.bits_per_second / 1'000'000,
                     config_.full_duplex ? "full" : "half");
}

std::unique_ptr<LinkLayer> EthernetSegment::connect(Scheduler& scheduler, std::string name, LinkUser& user,
                                                    std::uint64_t seed) {
  return std::make_unique<EthernetLinkLayer>(scheduler, std::move(name), *this, user, seed);
}

std::vector<NamedCount> EthernetSegment::counts() const {
  return {{"frames", counters_.frames},
          {"bytes", counters_.bytes},
          {"collisions", counters_.collisions},
          {"damaged", counters_.damaged}};
}

void EthernetSegment::left(const WireRecord& record) {
  switch (record.damage) {
    case Damage::none:
      ++counters_.frames;
      counters_.bytes += record.bytes.size();
      break;
    case Damage::collision: ++counters_.collisions; break;
    case Damage::other: ++counters_.damaged; break;
  }
  tell_end(record);
}

void EthernetSegment::archive(Archive& a) {
  a.section("ethernet segment", 1);
  a(counters_.frames, counters_.bytes, counters_.collisions, counters_.damaged);
}

}  // namespace planar::net
