// SPDX-License-Identifier: GPL-2.0-or-later
// What is on its way round the ring: the token, and frames from their start until their sender has stripped them.
#include <algorithm>

#include "devices/medium/ring/ring.hpp"

namespace planar::net {

// ---- who sends next ----

void Ring::release_token(std::uint32_t from, Time at, Time now) {
  token_ = {true, from, at};
  find_start(now);
}

// The token's first bit passes `to` again and again; the first time after `after`, which itself is too late.
Time Ring::token_arrival(std::uint32_t to, Time after) const {
  const Time first = token_.released + delay(token_.from, to);
  if (first > after) return first;
  const Time round = latency();
  return first + round * ((after - first) / round + 1);
}

Time Ring::next_start(const RingPort& p) const {
  if (!p.waits() || !p.on_ring_) return Time::never();
  if (full_duplex()) return std::max(p.queued_, p.free_);
  return token_.present ? token_arrival(p.index(), p.queued_) : Time::never();
}

void Ring::find_start(Time now) {
  Time first = Time::never();
  for (std::uint32_t i = 0; i < ports().size(); ++i)
    if (ports()[i]) first = std::min(first, next_start(*port(i)));
  if (config_.stepwise && token_.present && !full_duplex())
    first = token_.released + delay(token_.from, next_station(token_.from));
  start_.at(first == Time::never() ? first : std::max(first, now));
}

void Ring::start_due(Time now) {
  if (config_.stepwise && token_.present && !full_duplex()) {
    token_ = {true, next_station(token_.from), now};
    RingPort& here = *port(token_.from);
    if (here.waits() && here.queued_ < now) start(here, now);
  } else {
    for (std::uint32_t i = 0; i < ports().size(); ++i)
      if (ports()[i] && next_start(*port(i)) <= now) start(*port(i), now);
  }
  find_start(now);
}

void Ring::start(RingPort& p, Time now) {
  RingFlight f;
  f.id = next_flight_++;
  f.source = p.index();
  f.start = now;
  f.immediate = full_duplex();
  f.bytes.assign(static_cast<std::size_t>(p.total_) + fcs_bytes, 0);
  f.stops.push_back({Stop::Kind::leaves, p.index(), now});
  const std::uint32_t receiver = next_station(p.index());
  if (receiver != p.index()) f.stops.push_back({Stop::Kind::header, receiver, now + delay(p.index(), receiver)});
  if (!f.immediate) {
    token_.present = false;
    const Time back = now + latency();
    if (!p.releases_early()) f.stops.push_back({Stop::Kind::returned, p.index(), back});
    f.stops.push_back({Stop::Kind::stripped, p.index(), back});
  }
  const std::vector<std::uint8_t> first = std::move(p.frame_);
  const std::uint64_t id = f.id;
  flights_.push_back(std::move(f));
  supply(id, first);
  tell_begins(p, now);
  p.starts(id, now);
}

void Ring::supply(std::uint64_t id, std::span<const std::uint8_t> more) {
  RingFlight* f = flight(id);
  if (!f || f->aborted || f->known == f->bytes.size()) return;
  std::vector<std::uint8_t>& bytes = f->bytes;
  const std::size_t body = bytes.size() - fcs_bytes, n = std::min(more.size(), body - f->known);
  std::copy_n(more.begin(), n, bytes.begin() + static_cast<std::ptrdiff_t>(f->known));
  f->known += n;
  // The ring controller's own bits, whatever the host wrote there.
  if (f->known) bytes[0] = ring_ac::frame;
  if (f->known == body) {
    set_ring_fcs(bytes);
    f->known = bytes.size();
  }
  // What the token holding time does not allow is cut off as if it were not there.
  std::erase_if(f->stops, [](const Stop& s) { return s.kind == Stop::Kind::dry; });
  if (f->known < bytes.size() || f->known > longest()) f->stops.push_back({Stop::Kind::dry, f->source, f->start});
  find_stop();
}

// ---- frames on their way ----

RingFlight* Ring::flight(std::uint64_t id) {
  const auto found = std::find_if(flights_.begin(), flights_.end(), [&](const RingFlight& f) { return f.id == id; });
  return found == flights_.end() ? nullptr : &*found;
}

Time Ring::due(const RingFlight& flight, const Stop& stop) const {
  const auto byte = [&](std::size_t n) { return stop.first_bit + byte_time() * static_cast<std::int64_t>(n); };
  const std::size_t length = flight.bytes.size();
  switch (stop.kind) {
    case Stop::Kind::dry: return byte(ring_start_bytes + std::min(flight.known, longest()));
    case Stop::Kind::header:
    case Stop::Kind::begins:
    case Stop::Kind::returned: return byte(ring_start_bytes + ring_header_bytes);
    case Stop::Kind::ends: return byte(ring_start_bytes + length + 1);
    case Stop::Kind::leaves:
    case Stop::Kind::stripped: return byte(ring_start_bytes + length + ring_end_bytes);
    case Stop::Kind::lost: return byte(ring_start_bytes + length + ring_end_bytes) + ring_timer::return_to_repeat;
  }
  return Time::never();
}

void Ring::find_stop() {
  Time first = Time::never();
  for (const RingFlight& f : flights_)
    for (const Stop& stop : f.stops) first = std::min(first, due(f, stop));
  wire_.at(first);
}

void Ring::wire_due(Time now) {
  while (take_stop(now)) std::erase_if(flights_, [](const RingFlight& f) { return f.stops.empty(); });
  find_stop();
}

bool Ring::take_stop(Time now) {
  RingFlight* of = nullptr;
  std::size_t which = 0;
  Time first = Time::never();
  for (RingFlight& f : flights_)
    for (std::size_t n = 0; n < f.stops.size(); ++n)
      if (const Time when = due(f, f.stops[n]); when <= now && when < first) {
        first = when;
        of = &f;
        which = n;
      }
  if (!of) return false;
  const Stop stop = of->stops[which];
  of->stops.erase(of->stops.begin() + static_cast<std::ptrdiff_t>(which));
  happen(of->id, stop, now);
  return true;
}

// Stations may insert, leave and transmit meanwhile: behind every call the flight is looked up again.
void Ring::happen(std::uint64_t id, const Stop& stop, Time now) {
  RingFlight& f = *flight(id);
  switch (stop.kind) {
    case Stop::Kind::dry: run_dry(f); break;
    case Stop::Kind::header: find_receivers(f, now); break;
    case Stop::Kind::begins:
      for (Stop& s : f.stops)
        if (s.kind == Stop::Kind::ends && s.port == stop.port) s.begun = true;
      if (on_ring(stop.port) && stop.wanted) port(stop.port)->begins(reception(f, stop), now);
      break;
    case Stop::Kind::ends:
      if (on_ring(stop.port)) arrive(f, stop, now);
      break;
    case Stop::Kind::leaves: leaves(f, stop, now); break;
    case Stop::Kind::returned:
      f.returned = true;
      if (f.left && !f.broken) release_token(f.source, now + gap(), now);
      break;
    case Stop::Kind::stripped: finish(f, Result::stripped, now); break;
    case Stop::Kind::lost: finish(f, Result::lost, now); break;
  }
}

void Ring::find_receivers(RingFlight& f, Time now) {
  if (f.broken || f.source == nobody || f.bytes.size() < ring_header_bytes) return;
  const std::span<const std::uint8_t> header(f.bytes.data(), ring_header_bytes);
  Time first_bit = f.start;
  for (std::uint32_t from = f.source, at = next_station(from); at != f.source; from = at, at = next_station(from)) {
    first_bit += delay(from, at);
    const RingPort::Match match = port(at)->match(header, now);
    if (!match.recognised && !match.wanted) continue;
    Stop stop{Stop::Kind::begins, at,    first_bit,           match.recognised,
              match.wanted,       false, match.by_functional, match.by_group};
    f.stops.push_back(stop);
    stop.kind = Stop::Kind::ends;
    f.stops.push_back(stop);
  }
}

void Ring::arrive(RingFlight& f, const Stop& stop, Time now) {
  RingReception r = reception(f, stop);
  r.good = !f.aborted && !f.broken;
  r.status = f.status;
  if (stop.recognised) f.status |= ring_fs::recognised;
  const std::uint64_t id = f.id;
  const bool copied = port(stop.port)->ends(r, stop.wanted, now);
  if (RingFlight* same = flight(id); same && copied && r.good && stop.recognised) same->status |= ring_fs::copied;
}

// The bytes that should leave are not there: abort sequence (SD, ED).
void Ring::run_dry(RingFlight& f) {
  f.aborted = true;
  f.bytes.resize(std::min(f.known, longest()));
  f.known = f.bytes.size();
}

void Ring::leaves(RingFlight& f, const Stop& stop, Time now) {
  f.left = true;
  const bool good = !f.aborted && !f.broken;
  if (good) {
    ++counters_.frames;
    counters_.bytes += f.bytes.size();
  } else {
    ++counters_.damaged;
  }
  const bool header_awaited =
      std::any_of(f.stops.begin(), f.stops.end(), [](const Stop& s) { return s.kind == Stop::Kind::returned; });
  const std::uint64_t id = f.id;
  const std::uint32_t source = f.source;
  const bool frees_token = !f.immediate && !f.broken && !header_awaited;
  const std::vector<std::uint8_t> bytes = f.bytes;
  tell_end({*this, f.start, now, bytes, good ? Damage::none : Damage::other,
            ports()[stop.port] ? std::string_view(ports()[stop.port]->name()) : std::string_view()});
  if (frees_token) release_token(source, now + gap(), now);
  if (RingFlight* same = flight(id); same && same->immediate) finish(*same, Result::stripped, now);
}

void Ring::finish(const RingFlight& f, Result result, Time now) {
  if (!on_ring(f.source)) return;
  RingPort& sender = *port(f.source);
  if (f.immediate) sender.free_ = now + gap();
  const std::uint8_t status = f.immediate ? ring_fs::recognised | ring_fs::copied : f.status;
  sender.finished(f.aborted ? Result::underrun : result, status, now);
}

RingReception Ring::reception(const RingFlight& f, const Stop& stop) const {
  RingReception r;
  r.first_bit = stop.first_bit;
  r.byte_time = byte_time();
  r.frame = f.bytes;
  r.length = f.bytes.size();
  r.by_functional = stop.by_functional;
  r.by_group = stop.by_group;
  return r;
}

std::optional<RingReception> Ring::receiving(std::uint32_t at) const {
  for (const RingFlight& f : flights_)
    for (const Stop& stop : f.stops)
      if (stop.kind == Stop::Kind::ends && stop.port == at && stop.begun && stop.wanted) return reception(f, stop);
  return std::nullopt;
}

}  // namespace planar::net
