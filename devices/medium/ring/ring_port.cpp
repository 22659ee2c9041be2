// SPDX-License-Identifier: GPL-2.0-or-later
// A station's sending and hearing.
#include "devices/medium/ring/ring_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/common/error.hpp"
#include "devices/medium/ring/ring.hpp"

namespace planar::net {
namespace {

constexpr std::uint32_t functional_bits = 0x7FFFFFFF;

void count(std::uint8_t& counter) {
  if (counter < 255) ++counter;
}

}  // namespace

RingPort::RingPort(Scheduler& scheduler, std::string name, RingStation& station, std::uint64_t seed)
    : Port(std::move(name)),
      scheduler_(scheduler),
      station_(station),
      random_(seed),
      phase_(scheduler, this->name() + ".phase", Priority::wire, Callback::to<&RingPort::phase_ends>(this)) {}

RingPort::~RingPort() { detach(); }  // its station is half gone: nothing below calls it

void RingPort::attach(Medium& medium) {
  if (!dynamic_cast<Ring*>(&medium))
    throw Error(fmt::format("{} is a Token Ring station and does not fit on {} ({}); attach it to a ring", name(),
                            medium.name(), medium.title()));
  detach();
  join(medium);
  plugged_ = true;
}

void RingPort::detach() {
  if (!medium()) return;
  phase_.cancel();
  sending_ = Sending::nothing;
  ring()->leave(*this, scheduler_.now());
  state_ = State::removed;
  leave();
}

bool RingPort::inserted() const { return state_ == State::inserted; }
bool RingPort::full_duplex() const { return inserted() && ring()->full_duplex(); }
std::uint64_t RingPort::bits_per_second() const { return parameters_.bits_per_second; }
bool RingPort::active_monitor() const { return on_ring_ && ring()->monitor_ == index(); }
const MacAddress& RingPort::node() const { return parameters_.node; }
void RingPort::set_functional(std::uint32_t mask) { parameters_.functional = mask & functional_bits; }
void RingPort::set_group(std::uint32_t group) { parameters_.group = group & functional_bits; }
void RingPort::pass_mac(bool adapter, bool attention, bool beacon) {
  pass_adapter_ = adapter;
  pass_attention_ = attention;
  pass_beacon_ = beacon;
}
const RingErrors& RingPort::errors() const { return errors_; }
RingErrors RingPort::take_errors() { return std::exchange(errors_, {}); }
Time RingPort::byte_time() const { return Time{8'000'000'000'000 / static_cast<std::int64_t>(bits_per_second())}; }

std::optional<MacAddress> RingPort::upstream_neighbour() const { return upstream_; }

// ---- sending ----

void RingPort::transmit(std::span<const std::uint8_t> first, std::size_t total, Time now) {
  if (busy() || !inserted()) return;
  frame_.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(first.size(), total)));
  total_ = total;
  queued_ = now;
  sending_ = Sending::waits;
  ring()->request(now);
}

void RingPort::supply(std::span<const std::uint8_t> more, Time) {
  if (sending_ == Sending::waits)
    frame_.insert(frame_.end(), more.begin(),
                  more.begin() + static_cast<std::ptrdiff_t>(std::min(more.size(), total_ - frame_.size())));
  else if (sending_ == Sending::on_ring)
    ring()->supply(flight_, more);
}

bool RingPort::busy() const { return sending_ != Sending::nothing; }
Time RingPort::transmit_start() const { return start_; }

bool RingPort::releases_early() const {
  return parameters_.early_token_release && ring()->config().bits_per_second == 16'000'000;
}

void RingPort::starts(std::uint64_t flight, Time now) {
  sending_ = Sending::on_ring;
  flight_ = flight;
  start_ = now;
  station_.transmit_begins(now);
}

void RingPort::finished(RingTransmitOutcome::Result result, std::uint8_t status, Time now) {
  if (result == RingTransmitOutcome::Result::lost) count(errors_.lost_frame);
  if (result == RingTransmitOutcome::Result::underrun) count(errors_.abort_delimiter);
  sending_ = Sending::nothing;
  station_.transmit_ends({result, status, start_}, now);
}

// ---- hearing ----

RingPort::Match RingPort::match(std::span<const std::uint8_t> frame, Time now) const {
  Match m;
  const auto destination = frame.subspan(2, 6);
  const auto is = [&](const MacAddress& a) { return std::equal(a.begin(), a.end(), destination.begin()); };
  const std::uint32_t low = static_cast<std::uint32_t>(big_endian(destination.subspan(2)));
  const bool of_ring = destination[0] == 0xC0 && destination[1] == 0;
  m.by_functional = of_ring && !(low >> 31) && (low & parameters_.functional);
  m.by_group = of_ring && low >> 31 && parameters_.group && (low & functional_bits) == parameters_.group;
  m.recognised = is(parameters_.node) || is(broadcast_mac) || is(ring_broadcast) || m.by_functional || m.by_group;
  if (is_mac_frame(frame)) return m;
  m.wanted = m.recognised || hear_all_;
  if (!inserted()) m.wanted = false;
  if (hear_all_ && !m.recognised) m.recognised = station_.accepts(destination, now);
  return m;
}

std::optional<RingReception> RingPort::receiving() const {
  return medium() ? ring()->receiving(index()) : std::nullopt;
}

void RingPort::begins(const RingReception& reception, Time now) { station_.frame_begins(reception, now); }

bool RingPort::ends(const RingReception& reception, bool wanted, Time now) {
  if (!wanted) return false;
  if (station_.frame_ends(reception, now)) return true;
  if (reception.good) count(errors_.congestion);
  return false;
}

void RingPort::describe(Description& d) const {
  static constexpr std::string_view states[] = {"removed", "lobe test", "joining", "inserted"};
  d.text("station", std::string(states[static_cast<unsigned>(state_)]));
  d.text("node", format_mac(parameters_.node));
  d.flag("active monitor", active_monitor()).flag("busy", busy());
  d.reg("functional", parameters_.functional, 32).reg("group", parameters_.group, 32);
}

void RingPort::archive(Archive& a) {
  a.section("ring port", 1);
  RingInsertion& p = parameters_;
  a(plugged_, state_, on_ring_, hear_all_, pass_adapter_, pass_attention_, pass_beacon_);
  a(p.node, p.functional, p.group, p.bits_per_second, p.autosense, p.early_token_release, p.contender, p.full_duplex,
    p.product, p.microcode);
  a(errors_, upstream_, sending_, frame_, total_, queued_, free_, start_, flight_, random_);
  phase_.archive(a);
}

}  // namespace planar::net
