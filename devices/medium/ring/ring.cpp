// SPDX-License-Identifier: GPL-2.0-or-later
// The ring as a medium, and the stations on it.
#include "devices/medium/ring/ring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/medium/ring/ring_link_layer.hpp"

namespace planar::net {
namespace {

constexpr FrameFormat format_of(std::size_t longest_on_ring) {
  return {.link = LinkType::token_ring,
          .header_bytes = ring_header_bytes,
          .check_bytes = fcs_bytes,
          .shortest = ring_header_bytes + fcs_bytes,
          .longest = longest_on_ring - ring_start_bytes - ring_end_bytes,
          .destination = ring_destination};
}
constexpr FrameFormat format_4 = format_of(ring_longest_4), format_16 = format_of(ring_longest_16);

}  // namespace

Destination ring_destination(std::span<const std::uint8_t> frame) {
  if (frame.size() < ring_header_bytes) return Destination::unknown;
  const auto is = [&](const MacAddress& address) {
    return std::equal(address.begin(), address.end(), frame.begin() + 2);
  };
  if (is(broadcast_mac) || is(ring_broadcast)) return Destination::broadcast;
  return frame[2] & ring_group ? Destination::group : Destination::station;
}

Ring::Ring(Scheduler& scheduler, RingConfig config, std::string name)
    : Medium(std::move(name)),
      config_(config),
      bit_time_{config.bits_per_second ? static_cast<std::int64_t>(1'000'000'000'000 / config.bits_per_second) : 0},
      start_(scheduler, this->name() + ".start", Priority::wire, Callback::to<&Ring::start_due>(this)),
      wire_(scheduler, this->name() + ".wire", Priority::wire, Callback::to<&Ring::wire_due>(this)),
      recover_(scheduler, this->name() + ".recover", Priority::wire, Callback::to<&Ring::recover>(this)) {
  if (config.bits_per_second != 4'000'000 && config.bits_per_second != 16'000'000)
    throw Error(fmt::format("a ring of {} bit/s is not modelled; use 4000000 or 16000000", config.bits_per_second));
  if (config.full_duplex && config.bits_per_second != 16'000'000)
    throw Error("full duplex (transmit immediate) is modelled at 16 Mbit/s; use half duplex at 4");
  if (config.lobe_metres < 1 || config.lobe_metres > 500)
    throw Error(fmt::format("a lobe cable of {} m is out of range; use 1 to 500 m", config.lobe_metres));
}

Ring::~Ring() = default;

std::string Ring::title() const {
  return fmt::format("Token Ring, {} Mbit/s, {} duplex", config_.bits_per_second / 1'000'000,
                     config_.full_duplex ? "full" : "half");
}

const FrameFormat& Ring::format() const { return config_.bits_per_second == 4'000'000 ? format_4 : format_16; }

Time Ring::gap() const {
  return byte_time() * (config_.bits_per_second == 4'000'000 ? ring_gap_bytes_4 : ring_gap_bytes_16);
}

std::unique_ptr<LinkLayer> Ring::connect(Scheduler& scheduler, std::string name, LinkUser& user, std::uint64_t seed) {
  return std::make_unique<RingLinkLayer>(scheduler, std::move(name), *this, user, seed);
}

std::vector<NamedCount> Ring::counts() const {
  return {{"frames", counters_.frames},
          {"bytes", counters_.bytes},
          {"damaged", counters_.damaged},
          {"purges", counters_.purges}};
}

// ---- the stations on it ----

bool Ring::on_ring(std::uint32_t index) const {
  return index < ports().size() && ports()[index] && port(index)->on_ring_;
}

std::size_t Ring::stations() const {
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < ports().size(); ++i) n += on_ring(i);
  return n;
}

std::uint32_t Ring::next_station(std::uint32_t from) const {
  const auto n = static_cast<std::uint32_t>(ports().size());
  for (std::uint32_t step = 1; step <= n; ++step)
    if (on_ring((from + step) % n)) return (from + step) % n;
  return nobody;
}

Time Ring::hop() const {
  return ring_cable_delay * 2 * static_cast<std::int64_t>(config_.lobe_metres) +
         Time{bit_time_.ps * ring_station_half_bits / 2};
}

Time Ring::latency() const {
  return hop() * static_cast<std::int64_t>(stations()) + bit_time_ * (on_ring(monitor_) ? ring_monitor_bits : 0);
}

// From a station to itself is once round the ring.
Time Ring::delay(std::uint32_t from, std::uint32_t to) const {
  Time sum{};
  std::uint32_t at = from;
  for (std::size_t steps = ports().size(); steps > 0; --steps) {
    at = next_station(at);
    if (at == nobody) break;
    sum += hop();
    if (at == monitor_) sum += bit_time_ * ring_monitor_bits;
    if (at == to) break;
  }
  return sum;
}

bool Ring::full_duplex() const {
  if (!config_.full_duplex) return false;
  for (std::uint32_t i = 0; i < ports().size(); ++i)
    if (on_ring(i) && !port(i)->parameters_.full_duplex) return false;
  return stations() <= 2;
}

void Ring::enter(RingPort& p, bool at_rest, bool joins, Time now) {
  p.on_ring_ = true;
  p.protocol_.enter(joins, now);
  if (!at_rest) {
    interrupt(now);
    return;
  }
  if (!on_ring(monitor_)) {
    monitor_ = p.index();
    p.protocol_.begin_as_monitor(now);
  }
  release_token(monitor_, now, 0, now);
}

void Ring::leave(RingPort& p, Time now) {
  if (!p.on_ring_) return;
  for (RingFlight& flight : flights_)
    if (flight.source == p.index()) flight.source = nobody;
  p.on_ring_ = false;
  p.flight_ = 0;
  p.protocol_.leave();
  if (monitor_ == p.index()) {
    monitor_ = nobody;
    recover_.cancel();
  }
  interrupt(now);
}

// A relay switches, or the trunk breaks: whatever is on the ring is lost. The timers that detect this count from the
// last good token; another interruption in the meantime does not extend them.
void Ring::interrupt(Time now) {
  lose_token(now);
  for (RingFlight& flight : flights_) {
    flight.broken = true;
    for (Stop& stop : flight.stops)
      if (stop.kind == Stop::Kind::stripped) stop.kind = Stop::Kind::lost;
  }
  find_stop();
  if (stations() == 0 || full_duplex())
    recover_.cancel();
  else
    recover_.at(
        std::min(recover_.when(), now + (on_ring(monitor_) ? ring_timer::valid_transmission : ring_timer::no_token)));
}

void Ring::recover(Time now) {
  if (full_duplex()) return;
  if (broken_ != nobody && stations() > 0) {
    const auto last = static_cast<std::uint32_t>((broken_ + ports().size() - 1) % ports().size());
    port(next_station(last))->protocol_.claim(true, now);
  }
  if (on_ring(monitor_)) {
    port(monitor_)->protocol_.count(&RingErrors::token, now);
    port(monitor_)->protocol_.purge(now);
    return;
  }
  for (std::uint32_t i = 0; i < ports().size(); ++i)
    if (on_ring(i)) port(i)->protocol_.no_token(now);
}

void Ring::purged(Time now) {
  ++counters_.purges;
  recover_.cancel();
  release_token(monitor_, now, 0, now);
}

void Ring::set_broken(const Port& before, bool broken, Time now) {
  const auto place = std::find(ports().begin(), ports().end(), &before);
  broken_ = broken && place != ports().end() ? static_cast<std::uint32_t>(place - ports().begin()) : nobody;
  interrupt(now);
}

bool Ring::broken_between(std::uint32_t from, std::uint32_t to) const {
  if (broken_ == nobody) return false;
  const auto n = static_cast<std::uint32_t>(ports().size());
  for (std::uint32_t at = (from + 1) % n;; at = (at + 1) % n) {
    if (at == broken_) return true;
    if (at == to) return false;
  }
}

void Ring::archive(Archive& a) {
  a.section("ring", 1);
  counters_.archive(a);
  a(monitor_, broken_, token_, raises_, flights_, next_flight_);
  archive_start(a);
  wire_.archive(a);
  recover_.archive(a);
  if (a.saving()) return;
  const auto there = [&](std::uint32_t station) { return station < ports().size(); };
  const auto hears = [](const Stop& s) { return s.kind == Stop::Kind::begins || s.kind == Stop::Kind::ends; };
  bool sound = (!token_.present || there(token_.from)) && (broken_ == nobody || there(broken_));
  for (const RingFlight& f : flights_) {
    sound = sound && (f.source == nobody ? f.broken : there(f.source)) && f.known <= f.bytes.size() &&
            (f.aborted || f.bytes.size() >= fcs_bytes) && f.purpose <= RingFlight::Purpose::recovery;
    for (const Stop& stop : f.stops)
      sound = sound && stop.kind <= Stop::Kind::lost && (stop.kind != Stop::Kind::leaves || there(stop.port)) &&
              (!hears(stop) || f.bytes.size() >= ring_header_bytes);
  }
  if (!sound) throw Error("snapshot holds a damaged ring; take a new one", ExitCode::missing_file);
}

}  // namespace planar::net
