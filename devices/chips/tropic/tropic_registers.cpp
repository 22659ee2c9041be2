// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: ports, attachment control area, identification PROM.
#include <string_view>

#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {

enum Port : unsigned { setup = 0, reset_on = 1, reset_off = 2 };
// Twelve bytes of text, each as two nibbles.
constexpr std::string_view channel_id = "MARS63X4518 ";

constexpr std::uint8_t nibble_of(std::string_view text, unsigned n) {
  const auto c = static_cast<std::uint8_t>(text[n / 2]);
  return n & 1 ? c & 0xF : c >> 4;
}

}  // namespace

// ---- ports: addresses of the windows, and reset ----

std::uint8_t Tropic::port_peek(unsigned port) const {
  switch (port) {
    case setup: return static_cast<std::uint8_t>((straps_.rom_address & 0x7E) << 1 | straps_.interrupt);
    case reset_off: return static_cast<std::uint8_t>((straps_.ram_address & 0xFE) | straps_.rom_address >> 7);
    default: return 0xFF;
  }
}

void Tropic::port_write(unsigned port, Time now) {
  if (port == reset_on) hold(now);
  if (port == reset_off) release(now);
}

// ---- MMIO ----

std::uint8_t Tropic::mmio_peek(std::uint32_t offset) const {
  if (offset >= aip::base && offset < aip::end) {
    const TropicIdentification& id = config_.identification;
    const unsigned at = offset - aip::base;
    if (at & 1) return 0;
    if (at < aip::address + 24) return nibble_of({reinterpret_cast<const char*>(burned_in_.data()), 6}, at / 2);
    if (at >= aip::channel_id && at < aip::channel_id + 48) return nibble_of(channel_id, (at - aip::channel_id) / 2);
    switch (at) {
      case aip::type: return id.type;
      case aip::rates: return id.rates;
      case aip::early_release: return id.early_release;
      case aip::ram: return id.ram;
      case aip::paging: return id.paging;
      case aip::dhb_4: return id.dhb_4;
      case aip::dhb_16: return id.dhb_16;
      case aip::media_supported: return id.media_supported;
      case aip::media_selected: return id.media_selected;
      case aip::interrupts: return 0xF;
      default: return 0;
    }
  }
  if (offset < aca::base || offset >= aca::end) return 0xFF;
  switch (const unsigned reg = (offset - aca::base) % aca::registers) {
    case aca::RRR_e: return straps_.ram_address & 0xFE;
    case aca::RRR_o: return static_cast<std::uint8_t>(straps_.window << 2);
    case aca::ISRP_e: return static_cast<std::uint8_t>(aca_[reg] | (straps_.alternate ? isrp_e::alternate : 0));
    default: return aca_[reg];
  }
}

// Three kinds of write, so that host and adapter can each change their own bits of a register.
void Tropic::mmio_write(std::uint32_t offset, std::uint8_t value, Time now) {
  if (offset < aca::base || offset >= aca::end) return;
  const unsigned reg = (offset - aca::base) % aca::registers;
  switch ((offset - aca::base) / aca::registers) {
    case aca::write: return aca_write(reg, value, now);
    case aca::clear: return aca_write(reg, aca_[reg] & value, now);
    case aca::set: return aca_write(reg, aca_[reg] | value, now);
    default: return;
  }
}

void Tropic::aca_write(unsigned reg, std::uint8_t value, Time now) {
  if (state_ == State::held) return;
  switch (reg) {
    case aca::RRR_e:
    case aca::RRR_o:  // set by POS on the Micro Channel
    case aca::WRBR_e:
    case aca::WRBR_o:
    case aca::WWOR_e:  // the adapter's
    case aca::WWOR_o:
    case aca::WWCR_e:
    case aca::WWCR_o:
    case aca::ISRA_e:
    case aca::SRPR_o: return;
    case aca::ISRP_e: {  // causes can only be cleared
      constexpr std::uint8_t controls = isrp_e::all_on_irq | isrp_e::enable;
      aca_[reg] =
          static_cast<std::uint8_t>((value & controls) | (aca_[reg] & value & (isrp_e::causes | isrp_e::blocked)));
      return update_pins(now);
    }
    case aca::ISRP_o: aca_[reg] &= value; return update_pins(now);
    case aca::ISRA_o: aca_[reg] = value & 0x7F; return doorbells(now);
    case aca::SRPR_e:
      if (value == 0xC0 && pages() && (state_ == State::testing || state_ == State::closed)) paging_ = true;
      aca_[reg] = value & 0xC0;
      return;
    default:
      if (reg >= aca::TCR_e && reg <= aca::TVR_o) {
        aca_[reg] = value;
        return;
      }
      aca_[aca::ISRP_e] |= isrp_e::access;  // no such register
      update_pins(now);
  }
}

// Freeing a mailbox needs no work by the microprocessor except for what was waiting for it. A request for notification
// is answered at once if the mailbox is free, otherwise when it becomes free.
void Tropic::doorbells(Time now) {
  std::uint8_t& bells = aca_[aca::ISRA_o];
  if (bells & isra_o::arb_free) arb_free_ = true;
  if (bells & isra_o::ssb_free) ssb_free_ = true;
  if (bells & isra_o::transmit_request) fast_asked_ = true;
  bells &= static_cast<std::uint8_t>(~(isra_o::arb_free | isra_o::ssb_free | isra_o::transmit_request));
  std::uint8_t causes = 0;
  const bool working = state_ == State::closed || state_ == State::open;
  if (working && bells & isra_o::srb_free_request && !(bells & isra_o::command_in_srb)) {
    bells &= static_cast<std::uint8_t>(~isra_o::srb_free_request);
    causes |= isrp_o::srb_response;
  }
  if (working && bells & isra_o::asb_free_request && !(bells & isra_o::response_in_asb)) {
    bells &= static_cast<std::uint8_t>(~isra_o::asb_free_request);
    causes |= isrp_o::asb_free;
  }
  if (causes) raise(causes, now);
  wake(now);
}

}  // namespace planar::tokenring
