// SPDX-License-Identifier: GPL-2.0-or-later
// Am7990: registers, initialisation, interrupts, the local bus.
#include "devices/chips/am7990/am7990.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint16_t causes =
    Am7990::BABL | Am7990::CERR | Am7990::MISS | Am7990::MERR | Am7990::RINT | Am7990::TINT | Am7990::IDON;
constexpr std::uint16_t errors = Am7990::BABL | Am7990::CERR | Am7990::MISS | Am7990::MERR;
constexpr std::uint16_t interrupting = causes & ~Am7990::CERR;
constexpr unsigned block_words = 12;
/// How long the chip waits for READY before it reports a memory error (datasheet, CSR0.MERR).
constexpr Time ready_limit = 25'600_ns;

}  // namespace

Am7990::Am7990(Scheduler& scheduler, const std::string& name, Am7990Host& host, Am7990Timing timing, std::uint64_t seed)
    : host_(host),
      timing_(timing),
      port_(scheduler, name + ".port", *this, seed),
      initialised_(scheduler, name + ".initialised", Priority::device, Callback::to<&Am7990::initialised>(this)),
      look_(scheduler, name + ".look", Priority::device, Callback::to<&Am7990::look>(this)),
      descriptor_read_(scheduler, name + ".descriptor_read", Priority::device, Callback::to<&Am7990::load_frame>(this)),
      silo_loaded_(scheduler, name + ".silo_loaded", Priority::device, Callback::to<&Am7990::silo_loaded>(this)),
      buffer_sent_(scheduler, name + ".buffer_sent", Priority::device, Callback::to<&Am7990::buffer_sent>(this)),
      babbled_(scheduler, name + ".babbled", Priority::device, Callback::to<&Am7990::babbled>(this)),
      status_written_(scheduler, name + ".status_written", Priority::device,
                      Callback::to<&Am7990::status_written>(this)),
      loop_end_(scheduler, name + ".loop_end", Priority::device, Callback::to<&Am7990::loop_ended>(this)),
      receive_step_(scheduler, name + ".receive_step", Priority::device, Callback::to<&Am7990::receive_step>(this)),
      receive_done_(scheduler, name + ".receive_done", Priority::device, Callback::to<&Am7990::receive_done>(this)) {
  port_.mac().gap_first_bits = 60;  // 6.0 us of 9.6 (Am79C90 data sheet, docs/hardware/am7990.md#timing)
}

void Am7990::reset(Time now) {
  rap_ = 0;
  stop(now);
}

// ---- registers ----

std::uint16_t Am7990::csr(unsigned number) const {
  switch (number & 3) {
    case 0: return static_cast<std::uint16_t>(csr0_ | (csr0_ & errors ? ERR : 0) | (csr0_ & interrupting ? INTR : 0));
    case 1: return csr1_;
    case 2: return csr2_;
    default: return csr3_;
  }
}

void Am7990::write_rdp(std::uint16_t value, Time now) {
  if (rap_ == 0) {
    write_csr0(value, now);
    return;
  }
  if (!on(STOP)) return;
  if (rap_ == 1)
    csr1_ = value & 0xFFFE;
  else if (rap_ == 2)
    csr2_ = value & 0x00FF;
  else
    csr3_ = value & (BSWP | ACON | BCON);
}

// Writing 1 to INIT or STRT has no effect if the bit is already set: drivers write back what they have read. Such a
// write also clears every cause that was set by then.
void Am7990::write_csr0(std::uint16_t value, Time now) {
  if (value & STOP) {
    stop(now);
    return;
  }
  csr0_ = static_cast<std::uint16_t>((csr0_ & ~(value & causes) & ~INEA) | (value & INEA));
  if (value & INIT && on(STOP)) {
    csr0_ = static_cast<std::uint16_t>((csr0_ & ~STOP) | INIT);
    hold_bus(now + words(block_words));
    initialised_.at(now + words(block_words));
  }
  if (value & STRT && !on(STRT)) {
    csr0_ = static_cast<std::uint16_t>((csr0_ & ~STOP) | STRT);
    if (!initialised_.pending()) start(now);  // if INIT is set by the same write, it starts after initialisation
  }
  if (value & TDMD && on(TXON)) {
    csr0_ |= TDMD;
    look_for_work(now);
  }
  update_interrupt(now);
}

void Am7990::stop(Time now) {
  csr0_ = STOP;
  csr3_ = 0;
  for (Event* e : {&initialised_, &look_, &descriptor_read_, &silo_loaded_, &buffer_sent_, &babbled_, &status_written_,
                   &loop_end_, &receive_step_, &receive_done_})
    e->cancel();
  loading_ = listening_ = storing_ = matched_ = receive_end_pending_ = false;
  chain_.clear();
  if (port_.cut(now)) orphan_ = true;
  update_interrupt(now);
}

void Am7990::initialised(Time now) {
  const std::uint32_t block = (std::uint32_t{csr2_} << 16 | csr1_) & 0xFFFFFE;
  if (!reachable(block, 2 * block_words, now)) return;
  mode_ = word(block);
  for (unsigned i = 0; i < 6; ++i) padr_[i] = static_cast<std::uint8_t>(word(block + 2 + (i & ~1u)) >> 8 * (i & 1));
  for (unsigned i = 0; i < 8; ++i) ladrf_[i] = static_cast<std::uint8_t>(word(block + 8 + (i & ~1u)) >> 8 * (i & 1));
  const auto ring = [&](std::uint32_t at) {
    const std::uint16_t high = word(at + 2);
    return Ring{(std::uint32_t{high} & 0xFF) << 16 | (word(at) & 0xFFF8u), 1u << (high >> 13), 0};
  };
  receive_ring_ = ring(block + 0x10);
  transmit_ring_ = ring(block + 0x14);
  port_.mac().attempts = mode_ & DRTY ? 1 : 16;
  raise(IDON, now);
  if (on(STRT)) start(now);
}

void Am7990::start(Time now) {
  csr0_ |= static_cast<std::uint16_t>((mode_ & DRX ? 0 : RXON) | (mode_ & DTX ? 0 : TXON));
  if (on(TXON)) look_.at(now);
}

// ---- interrupts ----

void Am7990::raise(std::uint16_t bits, Time now) {
  csr0_ |= bits;
  update_interrupt(now);
}

void Am7990::update_interrupt(Time now) {
  const bool level = on(INEA) && csr0_ & interrupting;
  if (level == interrupt_) return;
  interrupt_ = level;
  host_.interrupt(level, now);
}

// ---- the local bus ----

/// False if part of the range does not respond; MERR is then raised and both directions are disabled.
bool Am7990::reachable(std::uint32_t address, std::uint32_t bytes, Time now) {
  for (std::uint32_t i = 0; i < bytes; i += 2) {
    if (host_.local_ready((address + i) & 0xFFFFFF)) continue;
    hold_bus(now + ready_limit);
    csr0_ &= static_cast<std::uint16_t>(~(RXON | TXON | TDMD));
    look_.cancel();
    raise(MERR, now);
    return false;
  }
  return true;
}

std::uint16_t Am7990::word(std::uint32_t address) const {
  return static_cast<std::uint16_t>(host_.local_read(address & 0xFFFFFF) | host_.local_read((address + 1) & 0xFFFFFF)
                                                                               << 8);
}

void Am7990::store_word(std::uint32_t address, std::uint16_t value) {
  host_.local_write(address & 0xFFFFFF, static_cast<std::uint8_t>(value));
  host_.local_write((address + 1) & 0xFFFFFF, static_cast<std::uint8_t>(value >> 8));
}

// While bytes leave or arrive the chip requests the bus whenever sixteen bytes of the SILO are empty (or full) and
// keeps it for the whole burst; before a frame leaves it fills the SILO in one go (bus_held_until_).
Time Am7990::local_bus_free(Time t) const {
  t = std::max(t, bus_held_until_);
  if (descriptor_read_.pending() && t < last_look_ + words(descriptor_words)) {  // single words: the host comes next
    const Time into{(t - last_look_).ps % words(1).ps};
    return into > Time{} ? t + (words(1) - into) : t;
  }
  const Time byte = port_.byte_time();
  Time first, last;  // first and last byte at the wire side of the SILO
  if (port_.transmitting() && !orphan_) {
    first = port_.transmit_start() + byte * 8;
    last = first + byte * (static_cast<std::int64_t>(frame_.size()) - static_cast<std::int64_t>(silo_bytes));
  } else if (storing_ && !receive_end_pending_) {
    const auto r = port_.receiving();
    if (!r) return t;
    first = r->arrival(0);
    last = Time{Time::never().ps / 2};
  } else {
    return t;
  }
  const Time period = byte * (2 * timing_.burst_words);
  if (t < first + period || t > last + period) return t;
  const Time into{(t - first).ps % period.ps};
  return into < burst_time() ? t + (burst_time() - into) : t;
}

Undisturbed Am7990::undisturbed(Time now) const {
  Undisturbed left(now);
  left.taken({}, bus_held_until_);
  if (descriptor_read_.pending()) left.taken(last_look_, last_look_ + words(descriptor_words));
  const Time byte = port_.byte_time(), period = byte * (2 * timing_.burst_words);
  if (port_.transmitting() && !orphan_) {
    const Time first = port_.transmit_start() + byte * 8;
    const Time last = first + byte * (static_cast<std::int64_t>(frame_.size()) - static_cast<std::int64_t>(silo_bytes));
    if (now <= last + period) left.taken_every(period, first + period, burst_time());
  } else if (storing_ && !receive_end_pending_) {
    if (const auto r = port_.receiving()) {
      left.taken_every(period, r->arrival(0) + period, burst_time());
      left.taken_from(r->arrival(stored_ - stored_ % (2 * timing_.burst_words) + 2 * timing_.burst_words - 1));
    }
  }
  return left;
}

void Am7990::sync(Time now) {
  if (!storing_ || receive_end_pending_) return;
  if (const auto r = port_.receiving()) {
    const std::size_t arrived = r->arrived(now);
    store_arrived(arrived - arrived % (2 * timing_.burst_words), *r, now);
  }
}

void Am7990::local_bus_denied(Time from, Time now) {
  const Time slack = port_.byte_time() * static_cast<std::int64_t>(silo_bytes - 2 * timing_.burst_words);
  if (now - from <= slack) return;
  if (storing_ && !receive_end_pending_) {
    sync(from);
    overflow_ = true;
  }
  if (port_.transmitting() && !orphan_) port_.underrun(now);
}

void Am7990::describe(Description& d) const {
  d.reg("RAP", rap_, 16)
      .reg("CSR0", csr(0), 16)
      .reg("CSR1", csr(1), 16)
      .reg("CSR2", csr(2), 16)
      .reg("CSR3", csr(3), 16);
  d.reg("MODE", mode_, 16).reg("PADR", big_endian(padr_), 48).reg("LADRF", big_endian(ladrf_), 64);
  d.flag("INTR", interrupt_);
  const auto ring = [&](std::string_view name, const Ring& r) -> Description& {
    Description& part = d.part(name);
    part.reg("base", r.base, 24).number("descriptors", r.length).number("current", r.index);
    return part;
  };
  Description& receive = ring("receive ring", receive_ring_);
  receive.activity("arriving frame", storing_ ? "stored" : listening_ ? "not for this station so far" : "none");
  receive.reg("buffer", buffer_, 24).number("buffer bytes left", buffer_left_).level("bytes stored", stored_);
  receive.flag("SILO overflow", overflow_);
  Description& transmit = ring("transmit ring", transmit_ring_);
  transmit.reg("TMD1", tmd1_, 16).flag("loading the SILO", loading_).number("frame bytes", frame_.size());
  transmit.activity("state", loading_                    ? "loads the SILO"
                             : status_written_.pending() ? "writes the status"
                                                         : port_activity(port_));
  transmit.number("collisions", port_.collisions()).number("buffers given back", chain_done_);
}

void Am7990::archive(Archive& a) {
  a.section("am7990", 2);
  a(rap_, csr0_, csr1_, csr2_, csr3_, mode_, padr_, ladrf_);
  for (Ring* ring : {&receive_ring_, &transmit_ring_}) {
    a(ring->base, ring->length, ring->index);
    ring->length = std::clamp<std::uint32_t>(ring->length, 1, 128);
  }
  a(interrupt_, bus_held_until_, last_look_, requested_, deferred_, tmd1_, loading_, orphan_, buffer_error_, frame_,
    chain_, chain_done_);
  a(listening_, storing_, matched_, first_buffer_, overflow_, lost_, receive_end_pending_, buffer_, buffer_left_,
    stored_, end_status_, end_count_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.missed,
    counters_.receive_errors, counters_.transmit_errors, counters_.yielded);
  port_.archive(a);
  for (Event* e : {&initialised_, &look_, &descriptor_read_, &silo_loaded_, &buffer_sent_, &babbled_, &status_written_,
                   &loop_end_, &receive_step_, &receive_done_})
    e->archive(a);
  if (a.loading() && (chain_done_ > chain_.size() || bus_held_until_ > port_.now() + 1_s))
    throw Error("snapshot holds a damaged LANCE; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
