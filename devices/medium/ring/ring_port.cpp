// SPDX-License-Identifier: GPL-2.0-or-later
// Sending and receiving by a station.
#include "devices/medium/ring/ring_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/common/error.hpp"
#include "devices/medium/ring/ring.hpp"

namespace planar::net {
namespace {

constexpr std::uint32_t functional_bits = 0x7FFFFFFF;
constexpr std::uint64_t most_sent = 0x10000;  ///< the longest frame, in bytes, that any chip passes to a port

}  // namespace

RingPort::RingPort(Scheduler& scheduler, std::string name, RingStation& station, std::uint64_t seed)
    : Port(std::move(name)),
      scheduler_(scheduler),
      station_(station),
      random_(seed),
      protocol_(scheduler, this->name(), *this),
      phase_(scheduler, this->name() + ".phase", Priority::wire, Callback::to<&RingPort::phase_ends>(this)) {}

RingPort::~RingPort() { detach(); }  // its station is partly destroyed: nothing below calls it

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
  mac_waiting_.clear();
  ring()->leave(*this, scheduler_.now());
  state_ = State::removed;
  leave();
}

bool RingPort::inserted() const { return state_ == State::inserted || state_ == State::self_test; }
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

std::optional<MacAddress> RingPort::upstream_neighbour() const { return protocol_.upstream_neighbour(); }

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

void RingPort::abort(Time now) {
  if (sending_ == Sending::on_ring) return ring()->abort(flight_, now);
  if (sending_ == Sending::waits) host_finished(RingTransmitOutcome::Result::underrun, 0, now);
}

std::size_t RingPort::settled() const { return medium() ? ring()->settled(index()) : 0; }

bool RingPort::busy() const { return sending_ != Sending::nothing; }
Time RingPort::transmit_start() const { return start_; }

bool RingPort::releases_early() const {
  return parameters_.early_token_release && ring()->config().bits_per_second == 16'000'000;
}

void RingPort::transmit_mac(std::vector<std::uint8_t> frame, std::uint8_t priority, Time now) {
  if (!on_ring_ || ring()->full_duplex()) return;
  mac_waiting_.push_back({std::move(frame), now, priority});
  ring()->request(now);
}

void RingPort::starts(std::uint64_t flight, bool mac, Time now) {
  flight_ = flight;
  if (mac) return;
  sending_ = Sending::on_ring;
  start_ = now;
  station_.transmit_begins(now);
}

void RingPort::finished(RingFlight::Purpose purpose, std::span<const std::uint8_t> frame,
                        RingTransmitOutcome::Result result, std::uint8_t status, Time now) {
  if (purpose == RingFlight::Purpose::recovery) return protocol_.recovery_sent(frame, result, now);
  flight_ = 0;
  idle_ = now;
  if (result == RingTransmitOutcome::Result::lost) protocol_.count(&RingErrors::lost_frame, now);
  if (purpose == RingFlight::Purpose::mac)
    protocol_.sent(frame, result, status, now);
  else
    host_finished(result, status, now);
  if (medium()) ring()->request(now);  // a frame of the other kind may be waiting
}

void RingPort::host_finished(RingTransmitOutcome::Result result, std::uint8_t status, Time now) {
  if (result == RingTransmitOutcome::Result::underrun) protocol_.count(&RingErrors::abort_delimiter, now);
  sending_ = Sending::nothing;
  station_.transmit_ends({result, status, start_}, now);
}

// ---- receiving ----

RingPort::Match RingPort::match(std::span<const std::uint8_t> frame, Time now) const {
  Match m;
  const auto destination = frame.subspan(2, 6);
  const auto is = [&](const MacAddress& a) { return std::equal(a.begin(), a.end(), destination.begin()); };
  const std::uint32_t low = static_cast<std::uint32_t>(big_endian(destination.subspan(2)));
  const bool of_ring = destination[0] == 0xC0 && destination[1] == 0;
  m.by_functional = of_ring && !(low >> 31) && (low & parameters_.functional);
  m.by_group = of_ring && low >> 31 && parameters_.group && (low & functional_bits) == parameters_.group;
  m.recognised = is(parameters_.node) || is(broadcast_mac) || is(ring_broadcast) || m.by_functional || m.by_group;
  if (is_mac_frame(frame)) {
    const std::uint8_t control = frame[1] & 0x0F;
    m.wanted = m.recognised && inserted() &&
               (control == ring_mac_control::beacon  ? pass_beacon_ || pass_attention_
                : control > ring_mac_control::beacon ? pass_attention_
                                                     : pass_adapter_);
    return m;
  }
  m.wanted = inserted() && (m.recognised || hear_all_);
  m.forwards = m.wanted && !m.recognised && station_.accepts(destination, now);
  if (!inserted()) m.recognised = false;
  return m;
}

std::optional<RingReception> RingPort::receiving() const {
  return medium() ? ring()->receiving(index()) : std::nullopt;
}

void RingPort::begins(const RingReception& reception, Time now) { station_.frame_begins(reception, now); }

bool RingPort::ends(const RingReception& r, bool wanted, Time now) {
  const bool individual = r.frame.size() >= ring_header_bytes && !(r.frame[2] & ring_group);
  if (r.good && is_mac_frame(r.frame)) {
    const std::vector<std::uint8_t> frame(r.frame.begin(), r.frame.end() - static_cast<std::ptrdiff_t>(fcs_bytes));
    if (wanted) station_.frame_ends(r, now);
    if (on_ring_) protocol_.heard(frame, r.status, now);
    return true;
  }
  if (!wanted) return false;
  if (r.good && individual && !hear_all_ && r.status & ring_fs::recognised)
    protocol_.count(&RingErrors::frame_copied, now);
  if (station_.frame_ends(r, now)) return true;
  if (r.good && !hear_all_) protocol_.count(&RingErrors::congestion, now);
  return false;
}

void RingPort::describe(Description& d) const {
  static constexpr std::string_view states[] = {"removed", "lobe test", "joining", "inserted", "self-test"};
  d.text("station", std::string(states[static_cast<unsigned>(state_)]));
  d.text("node", format_mac(parameters_.node));
  d.flag("active monitor", active_monitor()).flag("busy", busy());
  d.activity("transmitter", busy() ? "has a frame" : "idle");
  d.reg("functional", parameters_.functional, 32).reg("group", parameters_.group, 32);
}

void RingPort::archive(Archive& a) {
  a.section("ring port", 1);
  RingInsertion& p = parameters_;
  a(plugged_, state_, on_ring_, hear_all_, pass_adapter_, pass_attention_, pass_beacon_);
  a(p.node, p.functional, p.group, p.bits_per_second, p.autosense, p.early_token_release, p.contender, p.full_duplex,
    p.product, p.microcode);
  a(errors_, sending_, frame_, total_, queued_, free_, start_, flight_, idle_, mac_waiting_, random_);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged ring station; take a new one", ExitCode::missing_file);
  protocol_.archive(a);
  phase_.archive(a);
}

// Without a ring, a station gets no further than the lobe test.
bool RingPort::sound() const {
  const std::uint64_t rate = parameters_.bits_per_second;
  return state_ <= State::self_test && sending_ <= Sending::on_ring && (rate == 4'000'000 || rate == 16'000'000) &&
         total_ <= most_sent && (sending_ != Sending::waits || frame_.size() <= total_) &&
         (medium() || (state_ <= State::lobe_test && !on_ring_ && !busy()));
}

}  // namespace planar::net
