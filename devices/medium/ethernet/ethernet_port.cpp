// SPDX-License-Identifier: GPL-2.0-or-later
// The MAC of a station: deferral, collisions, backoff, and what it hears.
#include <algorithm>

#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::net {

EthernetPort::EthernetPort(Scheduler& scheduler, std::string name, EthernetStation& station, std::uint64_t seed)
    : scheduler_(scheduler),
      name_(std::move(name)),
      station_(station),
      random_(seed),
      attempt_(scheduler, name_ + ".attempt", Priority::wire, Callback::to<&EthernetPort::attempt>(this)),
      leaves_end_(scheduler, name_ + ".leaves_end", Priority::wire, Callback::to<&EthernetPort::leaves_end>(this)),
      arrives_(scheduler, name_ + ".arrives", Priority::wire, Callback::to<&EthernetPort::arrives>(this)),
      gone_(scheduler, name_ + ".gone", Priority::wire, Callback::to<&EthernetPort::gone>(this)) {
  idle_since_ = Time{} - gap();
}

EthernetPort::~EthernetPort() { detach(); }  // its station is half gone: nothing below calls it

void EthernetPort::attach(EthernetSegment& segment) {
  detach();
  segment_ = &segment;
  index_ = segment.add(*this);
  plugged_ = true;
  idle_since_ = scheduler_.now() - gap();
}

void EthernetPort::detach() {
  if (!segment_) return;
  arrives_.cancel();
  gone_.cancel();
  if (audible_) gone(scheduler_.now());
  heard_ = false;
  lost_carrier_ = true;
  signals_ = 0;
  source_ = nobody;
  segment_->remove(*this);
  segment_ = nullptr;
  index_ = nobody;
}

Time EthernetPort::bit_time() const { return segment_ ? segment_->bit_time() : Time{100'000}; }
bool EthernetPort::full_duplex() const { return segment_ && segment_->config().full_duplex; }

void EthernetPort::set_plugged(bool plugged, Time now) {
  if (!segment_ || plugged == plugged_) return;
  plugged_ = plugged;
  if (!plugged) {
    if (state_ == State::on_wire) {
      lost_carrier_ = true;
      if (heard_ && gone_.pending()) gone_.at(std::min(gone_.when(), now + segment_->config().propagation));
    }
    signals_ = 0;
    if (source_ != nobody) end_reception(now);
    idle_since_ = now;
  } else {
    // What is on the cable already is carrier here, but no frame: its start was missed.
    for (const EthernetPort* other : segment_->ports_)
      if (other && other != this && other->audible_) ++signals_;
  }
  schedule_attempt(now);
  station_.link_changed(plugged, now);
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
  if (heard_ && gone_.pending()) gone_.at(std::min(gone_.when(), now + segment_->config().propagation));
}

// The next attempt is at the later of `ready_` and the end of the gap, unless carrier is there: then its end decides.
void EthernetPort::schedule_attempt(Time now) {
  if (state_ != State::waiting) return;
  if (!full_duplex() && signals_ > 0) {
    attempt_.cancel();
    return;
  }
  attempt_.at(std::max({ready_, idle_since_ + gap(), now}));
}

void EthernetPort::attempt(Time now) {
  if (source_ != nobody && !full_duplex()) end_reception(now);  // carrier came in the last third of the gap
  if (fresh_) {
    wire_.swap(waiting_);
    fresh_ = false;
    deferred_ = now > ready_;
  }
  state_ = State::on_wire;
  start_ = now;
  collided_ = late_ = underrun_ = false;
  heard_ = plugged();
  lost_carrier_ = !heard_;
  const Time end = now + byte_time() * static_cast<std::int64_t>(8 + wire_.size());
  leaves_end_.at(end);
  if (heard_) {
    arrives_.at(now + segment_->config().propagation);
    gone_.at(end + segment_->config().propagation);
    segment_->begins(*this, now);
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
  if (heard_ && gone_.pending()) gone_.at(std::min(gone_.when(), end + segment_->config().propagation));
}

bool EthernetPort::wire_good() const { return !collided_ && !underrun_ && fcs_good(wire_); }

void EthernetPort::leaves_end(Time now) {
  if (signals_ == 0 || full_duplex()) idle_since_ = now;
  if (heard_ && segment_) {
    const auto sent = static_cast<std::size_t>(std::max<std::int64_t>(0, (now - start_) / byte_time() - 8));
    // clang-format off
    segment_->left(*this, {start_, now, std::span(wire_).first(std::min(sent, wire_.size())),
                           wire_good() && !lost_carrier_, collided_, {}});
  }
  if (!collided_) {
    finish(underrun_ ? TransmitResult::underrun : lost_carrier_ ? TransmitResult::carrier_lost : TransmitResult::ok,
           // clang-format on
           now);
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

// ---- the signal on its way to the others ----

void EthernetPort::arrives(Time now) {
  audible_ = true;
  for (EthernetPort* other : segment_->ports_)
    if (other && other != this && other->plugged_) other->carrier_on(index_, now);
}

void EthernetPort::gone(Time now) {
  audible_ = false;
  for (EthernetPort* other : segment_->ports_)
    if (other && other != this && other->plugged_) other->carrier_off(index_, now);
}

// ---- hearing ----

void EthernetPort::carrier_on(std::uint32_t source, Time now) {
  ++signals_;
  if (full_duplex()) {
    // A link has two ends; a third station's overlapping frame has nowhere to go and is lost.
    if (source_ != nobody) return;
  } else {
    if (state_ == State::on_wire) {
      collide(now);
      return;
    }
    if (state_ == State::waiting && attempt_.pending()) {
      const bool gap_running = attempt_.when() == idle_since_ + gap();
      if (!gap_running || now < idle_since_ + bit_time() * (gap_bits * 2 / 3)) attempt_.cancel();
    }
    if (source_ != nobody) {
      damaged_from_ = std::min<std::uint64_t>(damaged_from_, describe(source_).arrived(now));
      return;
    }
    if (signals_ > 1) return;  // no preamble can be made out of two signals
  }
  source_ = source;
  reception_start_ = now;
  damaged_from_ = UINT64_MAX;
  station_.frame_begins(describe(source), now);
}

void EthernetPort::carrier_off(std::uint32_t source, Time now) {
  if (signals_ > 0) --signals_;
  if (full_duplex()) {
    if (source == source_) end_reception(now);
    return;
  }
  if (signals_ > 0) return;
  if (state_ != State::on_wire) idle_since_ = now;
  if (source_ != nobody) end_reception(now);
  schedule_attempt(now);
}

Reception EthernetPort::describe(std::uint32_t source) const {
  Reception r;
  r.first_bit = reception_start_;
  r.byte_time = byte_time();
  if (const EthernetPort* sender = segment_->ports_[source]) r.frame = sender->wire_;
  r.length = r.frame.size();
  if (damaged_from_ != UINT64_MAX) {
    r.damaged_from = static_cast<std::size_t>(damaged_from_);
    r.length = SIZE_MAX;  // nobody knows when the noise will end
  }
  return r;
}

std::optional<Reception> EthernetPort::receiving() const {
  if (source_ == nobody) return std::nullopt;
  return describe(source_);
}

void EthernetPort::end_reception(Time now) {
  Reception r = describe(source_);
  const EthernetPort* sender = segment_->ports_[source_];
  const std::int64_t bits = (now - reception_start_) / bit_time() - preamble_bits;
  r.length = bits <= 0 ? 0 : static_cast<std::size_t>(bits / 8);
  r.dribble = bits > 0 && bits % 8 != 0;
  r.fcs_ok = sender && r.damaged_from == SIZE_MAX && r.length == r.frame.size() && sender->wire_good();
  source_ = nobody;
  station_.frame_ends(r, now);
}

void EthernetPort::archive(Archive& a) {
  a.section("ethernet port", 1);
  a(mac_.attempts, mac_.retry_late_collisions, mac_.low_priority_backoff);
  a(plugged_, state_, waiting_, wire_, fresh_, ready_, start_, heard_, collided_, late_, any_late_, deferred_,
    lost_carrier_, underrun_, abandoned_, collisions_);
  a(audible_, signals_, idle_since_, source_, reception_start_, damaged_from_, random_);
  attempt_.archive(a);
  leaves_end_.archive(a);
  arrives_.archive(a);
  gone_.archive(a);
  // A damaged snapshot must not index beyond the stations that are here.
  if (a.loading() && source_ != nobody && (!segment_ || source_ >= segment_->ports_.size())) source_ = nobody;
}

}  // namespace planar::net
