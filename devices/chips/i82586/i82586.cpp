// SPDX-License-Identifier: GPL-2.0-or-later
// 82586: reset and start-up, channel attention, SCB, interrupts, memory arbitration.
#include "devices/chips/i82586/i82586.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/common/error.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t scp_address = 0xFFFFF4;
constexpr unsigned start_up_words = 8;   // SYSBUS, ISCP address (2), ISCP (3); BUSY and SCB status written
constexpr unsigned attention_words = 3;  // SCB command read; command and status written
// CONFIGURE's bytes after a reset (82596 data sheet, 82586 mode): 12 bytes, FIFO limit 8, addresses of 6 bytes,
// preamble of 8, gap 96, slot 512, 15 retries, frames of 64 bytes or more.
constexpr std::array<std::uint8_t, 12> defaults{12, 8, 0x00, 0x26, 0x00, 96, 0x00, 0xF2, 0x00, 0x00, 64, 0x00};

}  // namespace

I82586::I82586(Scheduler& scheduler, const std::string& name, ChipHost& host, std::span<std::uint8_t> memory,
               I82586Timing timing, std::uint64_t seed)
    : host_(host),
      memory_(memory),
      mask_(static_cast<std::uint32_t>(memory.size() - 1)),
      timing_(timing),
      port_(scheduler, name + ".port", *this, seed),
      attention_(scheduler, name + ".attention", Priority::device, Callback::to<&I82586::attention>(this)),
      command_step_(scheduler, name + ".command", Priority::device, Callback::to<&I82586::command_step>(this)),
      loop_end_(scheduler, name + ".loop_end", Priority::device, Callback::to<&I82586::loop_done>(this)),
      cut_(scheduler, name + ".fifo_dry", Priority::device, Callback::to<&I82586::cut>(this)),
      receive_done_(scheduler, name + ".receive_done", Priority::device, Callback::to<&I82586::receive_done>(this)) {
  default_configuration();
}

void I82586::default_configuration() {
  config_ = defaults;
  address_ = net::broadcast_mac;  // no station's, until IA-SETUP
  hash_ = {};
  port_.mac().attempts = 16;
}

void I82586::hold_reset(bool held, Time now) {
  if (held == held_) return;
  held_ = held;
  if (held) reset(now);
}

// Everything stops at once; memory keeps its contents. A frame on the wire is cut off.
void I82586::reset(Time now) {
  for (Event* e : {&attention_, &command_step_, &loop_end_, &cut_, &receive_done_}) e->cancel();
  initialised_ = attention_again_ = false;
  events_ = 0;
  cu_ = Cu::idle;
  ru_ = Ru::idle;
  phase_ = Phase::none;
  parked_ = suspend_requested_ = start_again_ = ru_suspend_requested_ = heartbeat_ = false;
  listening_ = decided_ = storing_ = buffer_open_ = false;
  ru_free_ = now;
  default_configuration();
  if (port_.cut(now)) orphan_ = true;
  update_scb(now);
}

// ---- channel attention ----

// The pin is a latch: one further attention before the chip responds is remembered; several count as one.
void I82586::channel_attention(Time now) {
  if (held_) return;
  if (attention_.pending()) {
    attention_again_ = true;
    return;
  }
  attention_.at(now + clocks(timing_.attention_clocks) + words(initialised_ ? attention_words : start_up_words));
}

// "When the 82586 accepts a command it clears the command word": the whole word, whatever its contents.
void I82586::attention(Time now) {
  sync(now);
  if (attention_again_) {
    attention_again_ = false;
    attention_.at(now + clocks(timing_.attention_clocks) + words(attention_words));
  }
  if (!initialised_) {
    initialise(now);
    return;
  }
  const std::uint16_t command = get16(at(scb_, 2));
  if (command & 0x80) {
    reset(now);
    return;
  }
  events_ &= static_cast<std::uint16_t>(~(command & (CX | FR | CNA | RNR)));
  put16(at(scb_, 2), 0);
  command_unit_control(command >> 8 & 7, now);
  receive_unit_control(command >> 4 & 7, now);
  update_scb(now);
}

void I82586::initialise(Time now) {
  const std::uint32_t iscp = get24(scp_address + 8);
  scb_ = get16(iscp + 2);
  base_ = get24(iscp + 4);
  put8(iscp, 0);
  initialised_ = true;
  raise(CX | CNA, now);
}

void I82586::raise(std::uint16_t events, Time now) {
  events_ |= events;
  update_scb(now);
}

// The pin is active while an event waits for acknowledgement.
void I82586::update_scb(Time now) {
  if (initialised_)
    put16(at(scb_),
          static_cast<std::uint16_t>(events_ | static_cast<unsigned>(cu_) << 8 | static_cast<unsigned>(ru_) << 4));
  const bool level = events_ != 0;
  if (level == pin_) return;
  pin_ = level;
  host_.interrupt(level, now);
}

// A counter exists only in memory: it is read, incremented, written back.
void I82586::count_error(unsigned field) {
  put16(at(scb_, field), static_cast<std::uint16_t>(get16(at(scb_, field)) + 1));
}

// ---- host access to the memory ----

void I82586::host_wrote(std::uint32_t offset, unsigned bytes, Time now) {
  if (!parked_) return;
  const std::uint32_t from_nop = (offset - at(cb_)) & mask_;  // also a word that begins before it
  if (from_nop < 6 || ((from_nop + bytes - 1) & mask_) < 6) unpark(now);
}

// The memory's arbiter serves one cycle at a time: the host waits for the cycle in progress, never for a burst.
Time I82586::bus_free(Time t) const {
  Time free = t;
  const Time word = word_time();
  if (parked_ && t >= loop_origin_) {
    const Time turn = nop_time();
    const Time phase{(t - loop_origin_).ps % turn.ps};
    const Time origin = t - phase;
    if (phase < word * 4)
      free = origin + word * (phase / word + 1);  // status, command, link; busy written
    else if (phase >= turn - word)
      free = origin + turn;  // completed written
  }
  const auto stream = [&](Time first_bit) {  // one word in two byte times, from the end of the preamble
    const Time two_bytes = port_.byte_time() * 2;
    const Time since = t - first_bit - port_.byte_time() * 8;
    if (since < Time{}) return;
    const Time phase{since.ps % two_bytes.ps};
    if (phase < word) free = std::max(free, t - phase + word);
  };
  if (port_.transmitting() && phase_ == Phase::wire) stream(port_.transmit_start());
  if (storing_)
    if (const auto r = port_.receiving()) stream(r->first_bit);
  return free;
}

void I82586::describe(Description& d) const {
  d.flag("RESET", held_)
      .flag("initialised", initialised_)
      .flag("INT", pin_)
      .flag("attention pending", attention_.pending());
  d.reg("SCB base", base_, 24).reg("SCB offset", scb_, 16).reg("events", events_, 16);
  d.reg("individual address", big_endian(address_), 48).reg("multicast filter", big_endian(hash_), 64);
  for (unsigned n = 0; n < config_.size(); ++n) d.reg(fmt::format("CONFIGURE byte {}", n), config_[n], 8);
  constexpr std::array cu_states{"idle", "suspended", "active"};
  Description& cu = d.part("command unit");
  cu.text("state", cu_states[static_cast<unsigned>(cu_)]).reg("command block", cb_, 16).reg("command", command_, 16);
  constexpr std::array phases{"idle",  "fetches a command", "executes", "gathers the frame",
                              "sends", "ends the command"};
  cu.activity("at work", parked_ ? "spins on a NOP" : phases[static_cast<unsigned>(phase_)]);
  cu.reg("link", link_, 16).flag("spins on a NOP", parked_).flag("suspend requested", suspend_requested_);
  cu.number("frame bytes", frame_.size())
      .number("collisions", port_.collisions())
      .reg("transmit status", last_tx_status_, 16);
  Description& ru = d.part("receive unit");
  ru.text("state", ru_ == Ru::idle        ? "idle"
                   : ru_ == Ru::suspended ? "suspended"
                   : ru_ == Ru::ready     ? "ready"
                                          : "no resources");
  ru.reg("frame descriptor", rfd_, 16).reg("buffer descriptor", rbd_, 16).reg("buffer", buffer_, 24);
  ru.number("buffer size", buffer_size_).number("bytes in the buffer", buffer_count_).level("bytes stored", stored_);
  ru.activity("arriving frame", storing_ ? "stored" : listening_ ? "not for this station so far" : "none");
  ru.reg("receive status", last_rx_status_, 16).flag("FIFO overrun", overrun_);
}

void I82586::archive(Archive& a) {
  a.section("i82586", 1);
  a(held_, initialised_, attention_again_, serial_loopback_, pin_, base_, scb_, events_);
  a(config_, address_, hash_, last_tx_status_, last_rx_status_);
  a(cu_, phase_, cb_, command_, link_, new_list_, start_again_, suspend_requested_, parked_, loop_origin_, heartbeat_,
    orphan_, frame_, cut_at_, tbd_);
  a(ru_, rfd_, rbd_, ru_suspend_requested_, listening_, decided_, storing_, group_, overrun_, starved_, first_rbd_,
    buffer_open_, buffer_, buffer_size_, buffer_count_, next_rbd_, last_buffer_, stored_, end_status_, dma_time_,
    ru_free_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.no_resources,
    counters_.receive_errors, counters_.transmit_errors);
  port_.archive(a);
  for (Event* e : {&attention_, &command_step_, &loop_end_, &cut_, &receive_done_}) e->archive(a);
  if (a.loading() && (cu_ > Cu::active || ru_ > Ru::ready || phase_ > Phase::finish))
    throw Error("snapshot holds a damaged 82586; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
