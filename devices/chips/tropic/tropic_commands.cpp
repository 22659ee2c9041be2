// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: commands in the SRB. The return code is stored in its third byte, and the host is interrupted; an accepted
// transmission (FFh) interrupts only if the host has requested this.
#include <algorithm>

#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {

constexpr std::uint32_t code_field = 2, station_field = 4, options_field = 4, address_field = 6, log_field = 6;
constexpr std::uint32_t sap_value_field = 16, sap_stations_field = 18;
constexpr std::uint32_t functional_bits = 0x7FFFFFFF;

}  // namespace

void Tropic::command(Time now) {
  put8(place::srb + code_field, Code::in_progress);
  if (const auto code = execute(get8(place::srb), now)) respond(*code, now);
}

void Tropic::respond(std::uint8_t code, Time now) {
  put8(place::srb + code_field, code);
  std::uint8_t& bells = aca_[aca::ISRA_o];
  const bool told = bells & isra_o::srb_free_request;
  bells &= static_cast<std::uint8_t>(~(isra_o::command_in_srb | isra_o::srb_free_request));
  if (code != Code::accepted || told) raise(isrp_o::srb_response, now);
}

/// The return code; empty if the response comes later.
std::optional<std::uint8_t> Tropic::execute(std::uint8_t code, Time now) {
  switch (code) {
    case Command::interrupt: return Code::good;
    case Command::open_adapter: return open(now);
    case Command::configure_fast_path: return configure_fast_path();
    case Command::modify_open_parameters:
    case Command::restore_open_parameters:
    case Command::close_adapter:
    case Command::set_group_address:
    case Command::set_functional_address:
    case Command::read_log:
    case Command::transmit_direct:
    case Command::transmit_ui:
    case Command::transmit_xid_command:
    case Command::transmit_xid_final:
    case Command::transmit_xid_not_final:
    case Command::transmit_test_command:
    case Command::dlc_reset:
    case Command::open_sap:
    case Command::close_sap: return state_ == State::open ? execute_open(code, now) : Code::not_open;
    default: return Code::invalid_command;
  }
}

/// Commands that require an open adapter.
std::optional<std::uint8_t> Tropic::execute_open(std::uint8_t code, Time now) {
  switch (code) {
    case Command::modify_open_parameters:
    case Command::restore_open_parameters: pass_mac(get16(place::srb + options_field)); return Code::good;
    case Command::close_adapter: close(now); return Code::good;
    case Command::set_group_address:
      group_ = get32(place::srb + address_field) & functional_bits;
      port_.set_group(group_);
      write_addresses();
      return Code::good;
    case Command::set_functional_address:
      functional_ = get32(place::srb + address_field) & functional_bits;
      port_.set_functional(functional_);
      write_addresses();
      return Code::good;
    case Command::read_log: write_log(); return Code::good;
    case Command::dlc_reset:
    case Command::close_sap: {
      const std::uint16_t station = get16(place::srb + station_field);
      if (code == Command::close_sap && !station) return Code::invalid_station;
      return close_saps(station);
    }
    case Command::open_sap: return open_a_sap();
    default: return request_transmission(code, now);
  }
}

// Wrap and the ring's options are fixed by OPEN; the reporting options can be changed.
void Tropic::pass_mac(std::uint16_t options) {
  constexpr std::uint16_t changeable = option::no_hard_error | option::no_soft_error | option::pass_adapter_mac |
                                       option::pass_attention_mac | option::contend_or_beacon;
  options_ = static_cast<std::uint16_t>((options_ & ~changeable) | (options & changeable));
  port_.pass_mac(options_ & option::pass_adapter_mac, options_ & option::pass_attention_mac, false);
}

// ---- SAPs: station n is the n-th SAP, in the high byte ----

std::uint8_t Tropic::open_a_sap() {
  const std::uint8_t value = get8(place::srb + sap_value_field), wanted = get8(place::srb + sap_stations_field);
  const auto is_open = [&](const Sap& s) { return s.value == value; };
  if (!value || value & 1 || std::any_of(saps_.begin(), saps_.end(), is_open)) return Code::invalid_sap;
  unsigned stations = wanted;
  for (const Sap& s : saps_) stations += s.stations;
  const auto unused = std::find_if(saps_.begin(), saps_.end(), [](const Sap& s) { return !s.value; });
  if (unused == saps_.end() || stations > max_stations_) return Code::no_resources;
  *unused = {value, wanted};
  put16(place::srb + station_field, static_cast<std::uint16_t>((unused - saps_.begin() + 1) << 8));
  return Code::good;
}

/// Closes the SAP of a station, or all of them if it is 0.
std::uint8_t Tropic::close_saps(std::uint16_t station) {
  if (station && !sap_of(station)) return Code::invalid_station;
  for (std::size_t n = 0; n < saps_.size(); ++n)
    if (!station || station >> 8 == n + 1) saps_[n] = {};
  return Code::good;
}

const Tropic::Sap* Tropic::sap_of(std::uint16_t station) const {
  const std::size_t n = station >> 8;
  return station & 0xFF || !n || n > saps_.size() || !saps_[n - 1].value ? nullptr : &saps_[n - 1];
}

// ---- error log: fourteen counters, cleared by reading ----

void Tropic::write_log() {
  const net::RingErrors e = port_.take_errors();
  const std::uint8_t log[14] = {e.line,       e.internal,     e.burst,     e.ac,   e.abort_delimiter, 0, e.lost_frame,
                                e.congestion, e.frame_copied, e.frequency, e.token};
  put_bytes(place::srb + log_field, log);
  write_addresses();
}

}  // namespace planar::tokenring
