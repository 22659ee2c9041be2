// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: OPEN and CLOSE, the ring's reports about the station, and removal.
#include <algorithm>

#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {

// The SRB of OPEN.
constexpr std::uint32_t options_field = 8, node_field = 10, group_field = 16, functional_field = 20,
                        receive_count_field = 24, receive_length_field = 26, dhb_length_field = 28,
                        dhb_count_field = 30, saps_field = 32, stations_field = 33, product_field = 42;
// Its response.
constexpr std::uint32_t error_field = 6, asb_field = 8, srb_field = 10, arb_field = 12, ssb_field = 14;
// Defaults for 0 in the SRB, and the limits of buffers (docs/hardware/tropic.md#open).
constexpr std::uint16_t default_receive_count = 8, default_receive_length = 112, least_receive_length = 96,
                        most_receive_length = 2048, default_dhb_length = 600, least_dhb_length = 96;
constexpr unsigned default_dhbs = 1, most_dhbs = 2;
constexpr std::uint32_t functional_bits = 0x7FFFFFFF;

std::uint16_t largest_dhb(const TropicIdentification& id, bool sixteen) {
  if (sixteen) {
    switch (id.dhb_16) {
      case 0xE: return 4096;
      case 0xD: return 8192;
      case 0xC: return 16384;
      case 0xB: return 17960;
      default: return 2048;
    }
  }
  return id.dhb_4 == 0xE ? 4096 : id.dhb_4 == 0xD ? 4464 : 2048;
}

/// The bits of a status that the host has not masked.
std::uint16_t reported(std::uint16_t bits, std::uint16_t options) {
  using namespace net::ring_status;
  if (options & option::no_hard_error) bits &= static_cast<std::uint16_t>(~(hard_error | transmitting_beacon));
  if (options & option::no_soft_error) bits &= static_cast<std::uint16_t>(~soft_error);
  return bits;
}

}  // namespace

/// The return code of an OPEN that is refused at once; fills in defaults.
std::uint8_t Tropic::check_open(OpenParameters& p) const {
  const auto or_default = [](auto& value, auto if_zero) {
    if (!value) value = if_zero;
  };
  or_default(p.receive_buffers, default_receive_count);
  or_default(p.receive_length, default_receive_length);
  or_default(p.dhb_length, default_dhb_length);
  or_default(p.dhbs, default_dhbs);
  p.dhbs = std::min(p.dhbs, most_dhbs);
  if (get8(place::srb + node_field) & net::ring_group) return Code::invalid_node_address;
  if (p.receive_length % 8 || p.receive_length < least_receive_length || p.receive_length > most_receive_length)
    return Code::invalid_receive_length;
  if (p.dhb_length % 8 || p.dhb_length < least_dhb_length ||
      p.dhb_length > largest_dhb(config_.identification, sixteen()))
    return Code::invalid_transmit_length;
  return Code::good;
}

std::optional<std::uint8_t> Tropic::open(Time now) {
  const auto refuse = [&](std::uint8_t code) {
    open_error_ = static_cast<std::uint16_t>(code << 8);
    opened(now);
    return std::nullopt;
  };
  if (state_ != State::closed) return Code::already_open;
  OpenParameters p{get16(place::srb + options_field),        get16(place::srb + receive_count_field),
                   get16(place::srb + receive_length_field), get16(place::srb + dhb_length_field),
                   get8(place::srb + dhb_count_field),       get8(place::srb + saps_field),
                   get8(place::srb + stations_field)};
  if (const std::uint8_t code = check_open(p)) return refuse(code);
  if (!lay_out(p)) return refuse(dhbs_.size() < p.dhbs ? Code::invalid_transmit_length : Code::few_receive_buffers);

  options_ = p.options;
  receive_length_ = p.receive_length;
  dhb_length_ = p.dhb_length;
  max_stations_ = p.stations;
  saps_.assign(p.saps, {});
  for (unsigned i = 0; i < node_.size(); ++i) node_[i] = get8(place::srb + node_field + i);
  if (node_ == net::MacAddress{}) node_ = burned_in_;
  group_ = get32(place::srb + group_field) & functional_bits;
  functional_ = get32(place::srb + functional_field) & functional_bits;

  state_ = State::opening;
  open_error_ = 0;
  if (options_ & option::wrap) {
    insertion_over_ = true;
    return std::nullopt;
  }
  net::RingInsertion insertion{
      .node = node_,
      .functional = functional_,
      .group = group_,
      .bits_per_second = sixteen() ? 16'000'000u : 4'000'000u,
      .autosense = straps_.autosense,
      .early_token_release = sixteen() && straps_.early_release && !(options_ & option::normal_token_release),
      .contender = (options_ & option::contend_or_beacon) != 0,
      .full_duplex = false,
      .product = {},
      .microcode = config_.microcode};
  for (unsigned i = 0; i < insertion.product.size(); ++i) insertion.product[i] = get8(place::srb + product_field + i);
  port_.pass_mac(options_ & option::pass_adapter_mac, options_ & option::pass_attention_mac, false);
  port_.insert(insertion, now);
  return std::nullopt;
}

void Tropic::insertion_ends(const net::InsertionOutcome& outcome, Time now) {
  if (state_ != State::opening) return;
  insertion_over_ = true;
  on_ring_ = outcome.ok();
  open_error_ = 0;
  if (!outcome.ok())
    open_error_ = static_cast<std::uint16_t>(Code::unrecoverable << 8 | static_cast<unsigned>(outcome.phase) << 4 |
                                             static_cast<unsigned>(outcome.error));
  wake(now);
}

// The response gives the mailbox addresses even if OPEN failed.
void Tropic::opened(Time now) {
  insertion_over_ = false;
  const auto code = static_cast<std::uint8_t>(open_error_ >> 8);
  put16(place::srb + error_field, open_error_ & 0xFF);
  put16(place::srb + asb_field, place::asb);
  put16(place::srb + srb_field, place::srb);
  put16(place::srb + arb_field, place::arb);
  put16(place::srb + ssb_field, place::ssb);
  if (code) {
    state_ = State::closed;
    drop_work();
  } else {
    state_ = State::open;
    put8(place::asb + 2, Code::accepted);
    write_addresses();
  }
  respond(code, now);
}

// WRBR keeps its value: the first SRB stays where it was. A request or result that the host has not released is kept.
void Tropic::close(Time now) {
  wrap_end_.cancel();
  drop_work();
  requests_.clear();
  state_ = State::closed;
  on_ring_ = false;
  port_.remove(now);
}

/// Drops everything that depends on an open adapter.
void Tropic::drop_work() {
  ring_user_ = RingUser::none;
  on_wire_ = false;
  asked_.clear();
  offered_.clear();
  filled_.clear();
  results_.clear();
  dhbs_.clear();
  pool_.clear();
  handed_.clear();
  saps_.clear();
  fast_ready_.clear();
  fast_done_.clear();
  fast_asked_ = false;
  wrap_frame_.clear();
  insertion_over_ = false;
  receive_buffers_ = receive_length_ = dhb_length_ = 0;
}

// The microcode closes the adapter when the ring has removed it; the host reopens it.
void Tropic::ring_status_changed(std::uint16_t bits, Time now) {
  using namespace net::ring_status;
  if (state_ != State::open) return;
  const std::uint16_t told = reported(bits, options_);
  if (!port_.inserted() || bits & (lobe_wire_fault | auto_removal | remove_received)) close(now);
  if (told) requests_.push_back({.command = Command::ring_status_change, .address_or_status = told});
  wake(now);
}

}  // namespace planar::tokenring
