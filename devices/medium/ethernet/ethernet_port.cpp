// SPDX-License-Identifier: GPL-2.0-or-later
// A station's MAC: deferral, collisions, backoff, and reception.
#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::net {

EthernetPort::EthernetPort(Scheduler& scheduler, std::string name, EthernetStation& station, std::uint64_t seed)
    : Port(std::move(name)),
      scheduler_(scheduler),
      station_(station),
      seed_(seed),
      random_(seed),
      attempt_(scheduler, this->name() + ".attempt", Priority::wire, Callback::to<&EthernetPort::attempt>(this)),
      leaves_end_(scheduler, this->name() + ".leaves_end", Priority::wire,
                  Callback::to<&EthernetPort::leaves_end>(this)),
      carrier_due_(scheduler, this->name() + ".arrives", Priority::wire,
                   Callback::to<&EthernetPort::signal_begins>(this)),
      carrier_off_(scheduler, this->name() + ".gone", Priority::wire, Callback::to<&EthernetPort::signal_ends>(this)) {
  idle_since_ = Time{} - gap();
}

EthernetPort::~EthernetPort() { detach(); }  // its station is partly destroyed: nothing below calls it

void EthernetPort::attach(Medium& medium) {
  if (!dynamic_cast<EthernetSegment*>(&medium))
    throw Error(fmt::format("{} is an Ethernet station and does not fit on {} ({}); attach it to an Ethernet segment",
                            name(), medium.name(), medium.title()));
  detach();
  join(medium);
  plugged_ = true;
  set_clock();
  idle_since_ = scheduler_.now() - gap();
}

// The crystal belongs to the station, so its error is the same on every segment.
void EthernetPort::set_clock() {
  bit_time_ = segment()->bit_time();
  phase_ = {};
  if (!segment()->config().oscillators) return;
  constexpr std::uint64_t crystal = 0x7C10'C4BE'4A7E'0001, ppm = 100;
  Random random(seed_ ^ crystal);
  const auto off = static_cast<std::int64_t>(random.below(2 * ppm + 1)) - static_cast<std::int64_t>(ppm);
  const std::int64_t nominal = bit_time_.ps;
  bit_time_.ps += (nominal * off + (off < 0 ? -500'000 : 500'000)) / 1'000'000;
  phase_.ps = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bit_time_.ps)));
}

Time EthernetPort::edge(Time t) const {
  if (!medium() || !segment()->config().oscillators) return t;
  const std::int64_t into = (t - phase_).ps % bit_time_.ps;
  return into == 0 ? t : t + Time{into < 0 ? -into : bit_time_.ps - into};
}

void EthernetPort::detach() {
  if (!medium()) return;
  carrier_due_.cancel();
  carrier_off_.cancel();
  if (carrier_on_) signal_ends(scheduler_.now());
  on_segment_ = false;
  lost_carrier_ = true;
  signals_ = 0;
  source_ = nobody;
  leave();
  bit_time_ = Time{100'000};
}

EthernetLink EthernetPort::link() const {
  if (!plugged()) return {};
  return {true, segment()->config().bits_per_second, segment()->config().full_duplex};
}

bool EthernetPort::full_duplex() const { return medium() && segment()->config().full_duplex; }

void EthernetPort::set_plugged(bool plugged, Time now) {
  if (!medium() || plugged == plugged_) return;
  plugged_ = plugged;
  if (!plugged) {
    if (state_ == State::on_wire) {
      lost_carrier_ = true;
      carrier_until(now);
    }
    signals_ = 0;
    if (source_ != nobody) end_reception(now, now);
    idle_since_ = now;
  } else {
    // A signal already on the cable counts as carrier here but not as a frame: its start was missed.
    for (std::size_t n = 0; n < segment()->ports().size(); ++n)
      if (const EthernetPort* other = segment()->port(n); other && other != this && other->carrier_on_) ++signals_;
  }
  schedule_attempt(now);
  station_.link_changed(plugged, now);
  segment()->each_listener(*this, [&](EthernetPort& other) { other.station_.partner_changed(now); });
}

void EthernetPort::set_pcs(const Pcs& pcs, Time now) {
  pcs_ = pcs;
  if (plugged()) segment()->each_listener(*this, [&](EthernetPort& other) { other.station_.partner_changed(now); });
}

std::optional<Pcs> EthernetPort::partner() const {
  std::optional<Pcs> found;
  if (plugged())
    segment()->each_listener(*this, [&](const EthernetPort& other) {
      if (!found) found = other.pcs_;
    });
  return found;
}

// ---- sending ----

void EthernetPort::transmit(std::span<const std::uint8_t> frame, Time now) {
  if (state_ != State::idle) return;
  waiting_.assign(frame.begin(), frame.end());
  fresh_ = true;
  ready_ = now;
  collisions_ = 0;
  any_late_ = deferred_ = abandoned_ = false;
  state_ = State::waiting;
  schedule_attempt(now);
}

void EthernetPort::patch(std::size_t offset, std::uint8_t value, bool refresh_fcs, Time now) {
  if (state_ == State::idle) return;
  std::vector<std::uint8_t>& frame = fresh_ ? waiting_ : wire_;
  if (offset >= frame.size()) return;
  const Time leaves = start_ + byte_time() * static_cast<std::int64_t>(8 + offset);
  if (state_ == State::on_wire && leaves <= now) return;
  frame[offset] = value;
  if (refresh_fcs && frame.size() >= fcs_bytes) {
    frame.resize(frame.size() - fcs_bytes);
    append_fcs(frame);
  }
}

bool EthernetPort::abandon(Time) {
  if (state_ == State::on_wire) {
    abandoned_ = true;
    return true;
  }
  state_ = State::idle;
  fresh_ = false;
  attempt_.cancel();
  return false;
}

void EthernetPort::underrun(Time now) {
  if (state_ != State::on_wire || collided_ || underrun_) return;
  underrun_ = true;
  leaves_end_.at(now);
  carrier_until(now);
}

bool EthernetPort::cut(Time now) {
  if (!abandon(now)) return false;
  underrun(now);
  return true;
}

// The signal ends sooner than planned, but its end must not precede its beginning.
void EthernetPort::carrier_until(Time last_bit) {
  if (!on_segment_ || !carrier_off_.pending()) return;
  Time gone = last_bit + segment()->delays().ends;
  if (carrier_due_.pending()) gone = std::max(gone, carrier_due_.when() + bit_time());
  carrier_off_.at(std::min(carrier_off_.when(), gone));
}

// The next attempt is at `ready_` or the end of the gap, whichever is later; under carrier, the end of carrier decides.
void EthernetPort::schedule_attempt(Time now) {
  if (state_ != State::waiting) return;
  if (!full_duplex() && signals_ > 0) {
    attempt_.cancel();
    return;
  }
  attempt_.at(edge(std::max({ready_, idle_since_ + gap(), now})));
}

void EthernetPort::attempt(Time now) {
  if (source_ != nobody && !full_duplex()) end_reception(now, now);  // carrier appeared in the last third of the gap
  if (fresh_) {
    wire_.swap(waiting_);
    fresh_ = false;
    deferred_ = now > edge(ready_) && !full_duplex();  // IEEE 802.3-2002, 4.2.8: only half duplex defers
  }
  state_ = State::on_wire;
  start_ = now;
  collided_ = late_ = underrun_ = false;
  on_segment_ = plugged();
  lost_carrier_ = !on_segment_;
  const Time end = now + byte_time() * static_cast<std::int64_t>(8 + wire_.size());
  leaves_end_.at(end);
  if (on_segment_) {
    carrier_due_.at(now + segment()->delays().begins);
    carrier_off_.at(end + segment()->delays().ends);
    segment()->tell_begins(*this, now);
  }
  station_.transmit_begins(now);
  if (!full_duplex() && signals_ > 0) collide(now);
}

void EthernetPort::collide(Time now) {
  if (collided_) return;
  collided_ = true;
  late_ = now - start_ > bit_time() * slot_bits;
  any_late_ |= late_;
  const Time end = std::max(now, start_ + bit_time() * preamble_bits) + bit_time() * jam_bits;
  leaves_end_.at(end);
  carrier_until(end);
}

bool EthernetPort::wire_good() const { return !collided_ && !underrun_ && fcs_good(wire_); }

void EthernetPort::leaves_end(Time now) {
  if (signals_ == 0 || full_duplex()) fell_silent(on_segment_ && medium() ? now + segment()->delays().own_ends : now);
  if (on_segment_ && medium()) {
    const auto sent = static_cast<std::size_t>(std::max<std::int64_t>(0, (now - start_) / byte_time() - 8));
    const Damage damage = collided_ ? Damage::collision : wire_good() && !lost_carrier_ ? Damage::none : Damage::other;
    segment()->left({*segment(), start_, now, std::span(wire_).first(std::min(sent, wire_.size())), damage, name()});
  }
  if (!collided_) {
    const TransmitResult result = underrun_       ? TransmitResult::underrun
                                  : lost_carrier_ ? TransmitResult::carrier_lost
                                                  : TransmitResult::ok;
    finish(result, now);
    return;
  }
  ++collisions_;
  if (abandoned_)
    finish(TransmitResult::abandoned, now);
  else if (late_ && !mac_.retry_late_collisions)
    finish(TransmitResult::late_collision, now);
  else if (collisions_ >= mac_.attempts)
    finish(TransmitResult::excessive_collisions, now);
  else
    back_off(now);
}

void EthernetPort::back_off(Time now) {
  unsigned exponent = collisions_;
  if (mac_.low_priority_backoff && collisions_ <= 3) exponent += 3;
  exponent = std::min(exponent, 10u);
  const auto slots = static_cast<std::int64_t>(random_.below(std::uint64_t{1} << exponent));
  ready_ = now + bit_time() * slot_bits * slots;
  state_ = State::waiting;
  schedule_attempt(now);
}

void EthernetPort::finish(TransmitResult result, Time now) {
  state_ = State::idle;
  station_.transmit_ends({result, collisions_, deferred_, any_late_, start_}, now);
}

// ---- propagation to the other stations ----

void EthernetPort::signal_begins(Time now) {
  carrier_on_ = true;
  segment()->each_listener(*this, [&](EthernetPort& other) { other.carrier_on(index(), now); });
}

void EthernetPort::signal_ends(Time now) {
  carrier_on_ = false;
  segment()->each_listener(*this, [&](EthernetPort& other) { other.carrier_off(index(), now); });
}

// ---- receiving ----

void EthernetPort::carrier_on(std::uint32_t source, Time now) {
  ++signals_;
  if (full_duplex()) {
    // A link has two ends; an overlapping frame from a third station is lost.
    if (source_ != nobody) return;
  } else {
    if (state_ == State::on_wire) {
      collide(now);
      return;
    }
    if (state_ == State::waiting && attempt_.pending()) {
      const bool gap_running = attempt_.when() == edge(idle_since_ + gap());
      if (!gap_running || now < idle_since_ + bit_time() * mac_.gap_first_bits) attempt_.cancel();
    }
    if (const auto r = receiving()) {
      damaged_from_ = std::min<std::uint64_t>(damaged_from_, r->arrived(now));
      return;
    }
    if (signals_ > 1) return;  // overlapping signals do not make a preamble
  }
  source_ = source;
  reception_start_ = now - (segment()->delays().begins - segment()->delays().data);
  damaged_from_ = UINT64_MAX;
  station_.frame_begins(*receiving(), now);
}

void EthernetPort::carrier_off(std::uint32_t source, Time now) {
  if (signals_ > 0) --signals_;
  const Time last = now - (segment()->delays().ends - segment()->delays().data);
  if (full_duplex()) {
    if (source == source_) end_reception(last, now);
    return;
  }
  if (signals_ > 0) return;
  if (state_ != State::on_wire) fell_silent(now);
  if (source_ != nobody) end_reception(last, now);
  schedule_attempt(now);
}

void EthernetPort::describe(std::uint32_t source, Reception& r) const {
  const EthernetPort* const sender = segment()->port(source);
  r.first_bit = reception_start_;
  r.byte_time = sender ? sender->byte_time() : byte_time();
  if (sender) r.frame = sender->wire_;
  r.length = r.frame.size();
  if (damaged_from_ != UINT64_MAX) {
    r.damaged_from = static_cast<std::size_t>(damaged_from_);
    r.length = SIZE_MAX;  // the end of the noise is unknown
  }
}

std::optional<Reception> EthernetPort::receiving() const {
  std::optional<Reception> r;
  if (source_ != nobody) describe(source_, r.emplace());
  return r;
}

Reception EthernetPort::looped(std::span<const std::uint8_t> frame, Time now) const {
  Reception r;
  r.byte_time = byte_time();
  r.first_bit = now - bit_time() * (preamble_bits + 8 * std::ssize(frame));
  r.frame = frame;
  r.length = frame.size();
  r.fcs_ok = fcs_good(frame);
  return r;
}

void EthernetPort::end_reception(Time until, Time now) {
  Reception r;
  describe(source_, r);
  const EthernetPort* sender = segment()->port(source_);
  const std::int64_t bits = (until - reception_start_) / (sender ? sender->bit_time() : bit_time()) - preamble_bits;
  r.length = bits <= 0 ? 0 : static_cast<std::size_t>(bits / 8);
  r.dribble = bits > 0 && bits % 8 != 0;
  r.fcs_ok = sender && r.damaged_from == SIZE_MAX && r.length == r.frame.size() && sender->wire_good();
  source_ = nobody;
  station_.frame_ends(r, now);
}

void EthernetPort::archive(Archive& a) {
  a.section("ethernet port", 1);
  a(mac_.attempts, mac_.retry_late_collisions, mac_.low_priority_backoff);
  a(plugged_, state_, waiting_, wire_, fresh_, ready_, start_, on_segment_, collided_, late_, any_late_, deferred_,
    lost_carrier_, underrun_, abandoned_, collisions_);
  a(carrier_on_, signals_, idle_since_, source_, reception_start_, damaged_from_, random_);
  attempt_.archive(a);
  leaves_end_.archive(a);
  carrier_due_.archive(a);
  carrier_off_.archive(a);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged Ethernet port; take a new one", ExitCode::missing_file);
}

bool EthernetPort::sound() const {
  constexpr Time longest_frame = 1_s;
  const bool on_medium = on_segment_ || carrier_on_ || carrier_due_.pending() || carrier_off_.pending();
  const bool hears = source_ == nobody || (medium() && source_ < segment()->ports().size() &&
                                           reception_start_ > scheduler_.now() - longest_frame);
  return state_ <= State::on_wire && leaves_end_.pending() == (state_ == State::on_wire) &&
         (!attempt_.pending() || state_ == State::waiting) && (medium() || !on_medium) && hears;
}

}  // namespace planar::net
