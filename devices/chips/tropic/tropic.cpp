// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: reset and bring-up, interrupts, description, snapshots.
#include "devices/chips/tropic/tropic.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {
// The bring-up test's result in the first SRB, and the addresses of the microcode's tables.
constexpr std::uint16_t bring_up_code = 6, permanent_address_field = 8, level_field = 10, addresses_field = 12,
                        parameters_field = 14, mac_field = 16, utilisation_field = 18;
}  // namespace

Tropic::Tropic(Scheduler& scheduler, const std::string& name, TropicHost& host, const net::MacAddress& burned_in,
               const TropicConfig& config, std::uint64_t seed)
    : host_(host),
      burned_in_(burned_in),
      config_(config),
      ram_(config.ram_bytes),
      port_(scheduler, name + ".port", *this, seed),
      bring_up_(scheduler, name + ".bring_up", Priority::device, Callback::to<&Tropic::brought_up>(this)),
      step_(scheduler, name + ".step", Priority::device, Callback::to<&Tropic::step>(this)),
      wrap_end_(scheduler, name + ".wrap_end", Priority::device, Callback::to<&Tropic::wrapped>(this)) {}

// ---- reset ----

void Tropic::restart(Time now) {
  hold(now);
  release(now);
}

void Tropic::hold(Time now) {
  for (Event* e : {&bring_up_, &step_, &wrap_end_}) e->cancel();
  state_ = State::held;
  drop_work();
  port_.remove(now);
  on_ring_ = paging_ = false;
  task_ = Task::none;
  requests_.clear();
  results_.clear();
  arb_free_ = ssb_free_ = true;
  fast_area_ = fast_bytes_ = fast_size_ = 0;
  functional_ = group_ = 0;
  open_error_ = 0;
  insertion_over_ = false;
  aca_ = {};
  aca_[aca::ISRP_e] = isrp_e::all_on_irq;
  update_pins(now);
}

void Tropic::release(Time now) {
  if (state_ != State::held) return;
  state_ = State::testing;
  bring_up_.at(now + config_.timing.bring_up);
}

// The RAM test leaves zeros; then the microcode writes the data that the first SRB points to.
void Tropic::brought_up(Time now) {
  std::fill(ram_.begin(), ram_.end(), std::uint8_t{0});
  node_ = burned_in_;
  speed_16_ = straps_.sixteen;
  state_ = State::closed;
  aca_[aca::ISRA_o] = 0;
  aca_[aca::SRPR_e] = 0;  // C0h was the request for paging; now the first SRB's page is selected
  put_bytes(place::permanent_address, burned_in_);
  put_bytes(place::level, config_.microcode);
  write_addresses();
  put8(place::srb, Command::initialised);
  put8(place::srb + 1, static_cast<std::uint8_t>((sixteen() ? init_status::sixteen : 0) |
                                                 (config_.fast_path ? init_status::fast_path : 0)));
  put16(place::srb + bring_up_code, 0);
  put16(place::srb + permanent_address_field, place::permanent_address);
  put16(place::srb + level_field, place::level);
  put16(place::srb + addresses_field, place::current_addresses);
  put16(place::srb + parameters_field, place::parameters);
  put16(place::srb + mac_field, place::mac_buffer);
  put16(place::srb + utilisation_field, place::utilisation);
  aca_[aca::WRBR_e] = place::srb >> 8;
  aca_[aca::WRBR_o] = place::srb & 0xFF;
  raise(isrp_o::srb_response, now);
}

// ---- interrupts ----

void Tropic::raise(std::uint8_t causes, Time now) {
  aca_[aca::ISRP_o] |= causes;
  update_pins(now);
}

// Mailbox causes always interrupt; error causes interrupt or check the channel. Both are levels.
void Tropic::update_pins(Time now) {
  const std::uint8_t control = aca_[aca::ISRP_e];
  const bool errors = control & isrp_e::causes, on_irq = control & isrp_e::all_on_irq;
  const bool pin = control & isrp_e::enable && (aca_[aca::ISRP_o] || (errors && on_irq));
  const bool check = errors && !on_irq;
  if (pin != pin_) {
    pin_ = pin;
    host_.interrupt(pin, now);
  }
  if (check != check_pin_) {
    check_pin_ = check;
    host_.channel_check(check, now);
  }
}

// The microcode has met a fatal condition: it leaves the ring, reports the reason, and waits for a reset.
void Tropic::adapter_check(std::uint16_t reason, std::uint16_t detail, Time now) {
  step_.cancel();
  wrap_end_.cancel();
  task_ = Task::none;
  drop_work();
  state_ = State::checked;
  on_ring_ = false;
  port_.remove(now);
  for (unsigned i = 0; i < 8; i += 2) put16(place::reason + i, 0);
  put16(place::reason, reason);
  put16(place::reason + 2, detail);
  aca_[aca::WWCR_e] = place::reason >> 8;
  aca_[aca::WWCR_o] = place::reason & 0xFF;
  raise(isrp_o::adapter_check, now);
}

// ---- description, snapshots ----

void Tropic::describe(Description& d) const {
  static constexpr const char* states[] = {"reset", "bring-up test", "closed", "opening", "open", "adapter check"};
  static constexpr const char* tasks[] = {
      "idle", "SRB", "ASB", "open response", "ARB", "SSB", "fast path request", "fast path result"};
  d.text("state", states[static_cast<unsigned>(state_)])
      .activity("microprocessor", tasks[static_cast<unsigned>(task_)]);
  d.reg("ISRP", aca_[aca::ISRP_e] << 8 | aca_[aca::ISRP_o], 16)
      .reg("ISRA", aca_[aca::ISRA_e] << 8 | aca_[aca::ISRA_o], 16);
  d.reg("RRR", mmio_peek(aca::base + aca::RRR_e) << 8 | mmio_peek(aca::base + aca::RRR_o), 16);
  d.reg("WRBR", aca_[aca::WRBR_e] << 8 | aca_[aca::WRBR_o], 16).reg("SRPR", aca_[aca::SRPR_e], 8);
  d.flag("interrupt", pin_).flag("paging", paging_).number("usable RAM", usable());
  d.reg("node address", big_endian(node_), 48)
      .reg("functional address", functional_, 32)
      .reg("group address", group_, 32);
  d.reg("open options", options_, 16).number("ring speed", sixteen() ? 16 : 4);
  Description& mail = d.part("mailboxes");
  mail.flag("ARB free", arb_free_).flag("SSB free", ssb_free_);
  mail.number("requests waiting", requests_.size()).number("results waiting", results_.size());
  mail.reg("SRB command", get8(place::srb), 8).reg("SRB return code", get8(place::srb + 2), 8);
  Description& transmit = d.part("transmit");
  transmit.number("DHB length", dhb_length_).number("DHBs free", dhbs_.size()).number("without a DHB", asked_.size());
  transmit.number("DHBs at the host", offered_.size()).level("frames for the ring", filled_.size());
  transmit.reg("TXCA", fast_area_, 16).number("fast path frames", fast_ready_.size());
  transmit.number("frames sent", counters_.sent);
  Description& receive = d.part("receive");
  receive.number("buffer length", receive_length_)
      .number("buffers", receive_buffers_)
      .number("buffers free", pool_.size());
  receive.level("frames at the host", handed_.size()).number("frames received", counters_.received);
  receive.number("frames lost", counters_.overruns);
  port_.describe(d.part("ring"));
}

void Tropic::archive(Archive& a) {
  a.section("tropic", 1);
  a(ram_, state_, speed_16_, paging_, pin_, check_pin_, aca_, task_, step_began_, arb_free_, ssb_free_);
  a(requests_, handed_, results_, node_, functional_, group_, options_, open_error_, insertion_over_, on_ring_);
  a(max_saps_, max_stations_, saps_, dhb_length_, next_correlator_, dhbs_, asked_, offered_, filled_, ring_user_,
    on_wire_);
  a(wrap_frame_, fast_area_, fast_bytes_, fast_size_, fast_asked_, fast_ready_, fast_done_);
  a(receive_length_, receive_buffers_, pool_, counters_.sent, counters_.received, counters_.overruns);
  if (a.loading() && ram_.size() != config_.ram_bytes)
    throw Error("snapshot holds a damaged Token Ring adapter memory; take a new one", ExitCode::missing_file);
  port_.archive(a);
  bring_up_.archive(a);
  step_.archive(a);
  wrap_end_.archive(a);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged Token Ring adapter; take a new one", ExitCode::missing_file);
}

// Conditions that the microprocessor relies on.
bool Tropic::sound() const {
  const bool opens = state_ == State::opening || state_ == State::open;
  if (state_ > State::checked || task_ > Task::fast_result || ring_user_ > RingUser::fast) return false;
  if (opens && receive_length_ <= buffer::data) return false;
  if ((insertion_over_ || task_ == Task::opened) && state_ != State::opening) return false;
  if (fast_area_ && !fast_path_fits(fast_bytes_, fast_size_)) return false;
  if (ring_user_ != RingUser::none && (ring_user_ == RingUser::dhb ? filled_.empty() : fast_ready_.empty()))
    return false;
  if (wrap_end_.pending() && (ring_user_ == RingUser::none || !opens || wrap_frame_.size() < net::ring_header_bytes))
    return false;
  const auto chained = [](const Request& r) { return r.command != Command::received_data || !r.buffers.empty(); };
  return std::all_of(requests_.begin(), requests_.end(), chained) &&
         std::none_of(handed_.begin(), handed_.end(), [](const auto& buffers) { return buffers.empty(); }) &&
         std::all_of(filled_.begin(), filled_.end(), [this](const Transmission& t) { return sendable(t); }) &&
         std::all_of(fast_ready_.begin(), fast_ready_.end(),
                     [](const FastFrame& f) { return f.bytes.size() >= net::ring_header_bytes; });
}

}  // namespace planar::tokenring
