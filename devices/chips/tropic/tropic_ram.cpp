// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: shared RAM. The host sees it through a window of 8 to 64 KB; a window of 16 KB (or 32 KB, if the adapter
// allows it) shows one page of the whole. Fitted RAM that cannot be seen is not used.
#include <algorithm>

#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {
constexpr std::uint32_t page_bytes = 0x4000;
constexpr std::uint8_t window_16 = 1, window_32 = 2;
constexpr std::uint8_t ram_less_512 = 0xB, pages_16 = 0xE, pages_32 = 0xD, pages_both = 0xC;
}  // namespace

/// Whether pages can be shown in the window.
bool Tropic::pages() const {
  const std::uint8_t code = config_.identification.paging;
  return (straps_.window == window_16 && (code == pages_16 || code == pages_both)) ||
         (straps_.window == window_32 && (code == pages_32 || code == pages_both));
}

std::uint32_t Tropic::ram_address(std::uint32_t offset) const {
  std::uint32_t address = offset % window_bytes();
  if (pages()) address |= static_cast<std::uint32_t>(aca_[aca::SRPR_e]) << 8 & ~(window_bytes() - 1);
  return address % static_cast<std::uint32_t>(ram_.size());
}

/// Bytes that the microcode uses.
std::uint32_t Tropic::usable() const {
  std::uint32_t bytes = config_.ram_bytes;
  if (config_.identification.ram == ram_less_512) bytes -= 512;
  return paging_ ? bytes : std::min(bytes, window_bytes());
}

// Mailboxes, SAPs and stations, fast path buffers, data holding buffers; receive buffers fill the rest. With paging no
// receive buffer crosses a page boundary. False if this is less than requested.
bool Tropic::lay_out(const OpenParameters& p) {
  std::uint32_t at = place::end + p.saps * sap_bytes + p.stations * station_bytes;
  at = (at + 7) & ~7u;
  if (fast_area_) at = std::max<std::uint32_t>(at, fast_area_ + fast_bytes_);
  dhbs_.clear();
  for (unsigned n = 0; n < p.dhbs; ++n, at += p.dhb_length)
    if (at + p.dhb_length <= usable()) dhbs_.push_back(static_cast<std::uint16_t>(at));
  pool_.clear();
  while (dhbs_.size() == p.dhbs) {
    if (paging_ && at / page_bytes != (at + p.receive_length - 1) / page_bytes) at = (at / page_bytes + 1) * page_bytes;
    if (at + p.receive_length > usable()) break;
    pool_.push_back(static_cast<std::uint16_t>(at));
    at += p.receive_length;
  }
  receive_buffers_ = static_cast<std::uint16_t>(pool_.size());
  return pool_.size() >= p.receive_buffers;
}

/// Node, group and functional address, and values from the ring poll, at the addresses given in the first SRB.
void Tropic::write_addresses() {
  put_bytes(place::current_addresses, node_);
  const auto words = [this](std::uint32_t at, std::uint32_t value) {
    put16(at, static_cast<std::uint16_t>(value >> 16));
    put16(at + 2, static_cast<std::uint16_t>(value));
  };
  words(place::current_addresses + 6, group_);
  words(place::current_addresses + 10, functional_);
  if (const auto upstream = port_.upstream_neighbour()) put_bytes(place::parameters + 4, *upstream);
}

// One cycle at a time: the host waits for the one in progress. The ring moves a word in every second byte time; the
// microprocessor takes one cycle per period while it works.
Time Tropic::ram_free(Time t) const {
  Time free = t;
  const auto repeated = [&](Time origin, Time period) {
    if (t < origin || period <= Time{}) return;
    const Time phase{(t - origin).ps % period.ps};
    if (phase < config_.timing.ram_cycle) free = std::max(free, t - phase + config_.timing.ram_cycle);
  };
  if (step_.pending()) repeated(step_began_, config_.timing.ram_period);
  if (on_wire_) repeated(port_.transmit_start(), port_.byte_time() * 2);
  if (state_ == State::open && on_ring_)
    if (const auto r = port_.receiving()) repeated(r->first_bit, r->byte_time * 2);
  return free;
}

}  // namespace planar::tokenring
