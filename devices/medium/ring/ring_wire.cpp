// SPDX-License-Identifier: GPL-2.0-or-later
// Frames on the ring, from their start until their sender has stripped them.
#include <algorithm>

#include "devices/medium/ring/ring.hpp"

namespace planar::net {

// Its header goes to the next station; the whole frame goes round the ring, unless the ring is broken.
RingFlight Ring::new_flight(const RingPort& p, std::size_t body, RingFlight::Purpose purpose, Time now) {
  RingFlight f;
  f.id = next_flight_++;
  f.source = p.index();
  f.start = now;
  f.purpose = purpose;
  f.immediate = full_duplex();
  f.bytes.assign(body + fcs_bytes, 0);
  f.stops.push_back({Stop::Kind::leaves, p.index(), now});
  const std::uint32_t receiver = next_station(p.index());
  if (receiver != p.index() && !broken_between(p.index(), receiver))
    f.stops.push_back({Stop::Kind::header, receiver, now + delay(p.index(), receiver)});
  if (!f.immediate)
    f.stops.push_back({broken_ == nobody ? Stop::Kind::stripped : Stop::Kind::lost, p.index(), now + latency()});
  return f;
}

void Ring::start(RingPort& p, Time now) {
  const bool mac = !p.mac_waiting_.empty();
  std::vector<std::uint8_t> first = mac ? std::move(p.mac_waiting_.front().frame) : std::move(p.frame_);
  if (mac) p.mac_waiting_.pop_front();
  RingFlight f = new_flight(p, mac ? first.size() : static_cast<std::size_t>(p.total_),
                            mac ? RingFlight::Purpose::mac : RingFlight::Purpose::host, now);
  if (!f.immediate) {
    f.priority = token_.priority;
    token_.present = false;
    if (!p.releases_early()) f.stops.push_back({Stop::Kind::returned, p.index(), now + latency()});
  }
  const std::uint64_t id = f.id;
  flights_.push_back(std::move(f));
  supply(id, first);
  tell_begins(p, now);
  p.starts(id, mac, now);
}

void Ring::transmit_now(RingPort& p, std::vector<std::uint8_t> frame, Time now) {
  RingFlight f = new_flight(p, frame.size(), RingFlight::Purpose::recovery, now);
  const std::uint64_t id = f.id;
  flights_.push_back(std::move(f));
  supply(id, frame);
  tell_begins(p, now);
}

void Ring::supply(std::uint64_t id, std::span<const std::uint8_t> more) {
  RingFlight* f = flight(id);
  if (!f || f->aborted || f->known == f->bytes.size()) return;
  std::vector<std::uint8_t>& bytes = f->bytes;
  const std::size_t body = bytes.size() - fcs_bytes, n = std::min(more.size(), body - f->known);
  std::copy_n(more.begin(), n, bytes.begin() + static_cast<std::ptrdiff_t>(f->known));
  f->known += n;
  // These bits belong to the ring controller, whatever the host wrote.
  if (f->known) bytes[0] = static_cast<std::uint8_t>(ring_ac::frame | f->priority << 5);
  if (f->known == body) {
    set_ring_fcs(bytes);
    f->known = bytes.size();
  }
  // Bytes beyond the token holding time are cut off as if they were missing.
  std::erase_if(f->stops, [](const Stop& s) { return s.kind == Stop::Kind::dry; });
  if (f->known < bytes.size() || f->known > longest()) f->stops.push_back({Stop::Kind::dry, f->source, f->start});
  find_stop();
}

// ---- frames on the ring ----

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

// Stations may insert, leave and transmit meanwhile, so the flight is looked up again after every call.
void Ring::happen(std::uint64_t id, const Stop& stop, Time now) {
  RingFlight& f = *flight(id);
  switch (stop.kind) {
    case Stop::Kind::dry: end_early(f, std::min(f.known, longest())); break;
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
      if (f.left && !f.broken) pass_token(f, now);
      break;
    case Stop::Kind::stripped: finish(f, Result::stripped, now); break;
    case Stop::Kind::lost: finish(f, Result::lost, now); break;
  }
}

void Ring::find_receivers(RingFlight& f, Time now) {
  if (f.broken || !on_ring(f.source) || f.bytes.size() < ring_header_bytes) return;
  const std::span<const std::uint8_t> header(f.bytes.data(), ring_header_bytes);
  Time first_bit = f.start;
  for (std::uint32_t from = f.source, at = next_station(from); at != f.source && !broken_between(from, at);
       from = at, at = next_station(from)) {
    first_bit += delay(from, at);
    const RingPort::Match match = port(at)->match(header, now);
    if (!match.recognised && !match.wanted) continue;
    Stop stop;
    stop.kind = Stop::Kind::begins;
    stop.port = at;
    stop.first_bit = first_bit;
    stop.recognised = match.recognised;
    stop.forwards = match.forwards;
    stop.wanted = match.wanted;
    stop.by_functional = match.by_functional;
    stop.by_group = match.by_group;
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
  RingFlight* same = flight(id);
  if (!same || !copied || !r.good) return;
  if (stop.forwards) same->status |= ring_fs::recognised;
  if (stop.forwards || stop.recognised) same->status |= ring_fs::copied;
}

// An abort sequence (SD, ED) replaces the rest.
void Ring::end_early(RingFlight& f, std::size_t length) {
  f.aborted = true;
  f.bytes.resize(length);
  f.known = length;
  std::erase_if(f.stops, [](const Stop& s) { return s.kind == Stop::Kind::dry; });
}

// The byte being sent becomes the last one.
void Ring::abort(std::uint64_t id, Time now) {
  RingFlight* f = flight(id);
  if (!f || f->left || f->aborted) return;
  const auto sent = static_cast<std::size_t>((now - f->start) / byte_time()) + 1;
  end_early(*f, std::min(f->bytes.size(), sent > ring_start_bytes ? sent - ring_start_bytes : 0));
  find_stop();
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
  const bool frees_token =
      f.purpose != RingFlight::Purpose::recovery && !f.immediate && !f.broken && !header_awaited && broken_ == nobody;
  const std::vector<std::uint8_t> bytes = f.bytes;
  tell_end({*this, f.start, now, bytes, good ? Damage::none : Damage::other,
            ports()[stop.port] ? std::string_view(ports()[stop.port]->name()) : std::string_view()});
  if (frees_token) pass_token(*flight(id), now);
  if (RingFlight* same = flight(id); same && same->immediate) finish(*same, Result::stripped, now);
}

void Ring::finish(const RingFlight& f, Result result, Time now) {
  if (!on_ring(f.source)) return;
  RingPort& sender = *port(f.source);
  if (f.immediate) sender.free_ = now + gap();
  const std::uint8_t status = f.immediate ? ring_fs::recognised | ring_fs::copied : f.status;
  if (f.aborted) result = Result::underrun;
  const std::vector<std::uint8_t> frame(f.bytes.begin(),
                                        f.bytes.end() - (f.aborted ? 0 : static_cast<std::ptrdiff_t>(fcs_bytes)));
  sender.finished(f.purpose, frame, result, status, now);
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

const RingFlight* Ring::arriving(std::uint32_t at, Stop& end) const {
  for (const RingFlight& f : flights_)
    for (const Stop& stop : f.stops)
      if (stop.kind == Stop::Kind::ends && stop.port == at && stop.begun && stop.wanted) {
        end = stop;
        return &f;
      }
  return nullptr;
}

std::optional<RingReception> Ring::receiving(std::uint32_t at) const {
  Stop end;
  const RingFlight* f = arriving(at, end);
  return f ? std::optional(reception(*f, end)) : std::nullopt;
}

std::size_t Ring::settled(std::uint32_t at) const {
  Stop end;
  const RingFlight* f = arriving(at, end);
  return f ? f->known : 0;
}

}  // namespace planar::net
