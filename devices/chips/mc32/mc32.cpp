// SPDX-License-Identifier: GPL-2.0-or-later
// Ports, the boot handshake, commands and the exec mailbox.
#include "devices/chips/mc32/mc32.hpp"

#include <algorithm>
#include <array>

#include "core/common/error.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

// The firmware's default lists (Linux: "typically 37"), and the contents of RAM before the frame buffers.
constexpr unsigned default_count = 37, most_descriptors = 100;
constexpr std::uint16_t firmware_revision = 16;
constexpr std::uint16_t receive_length = 1532;
constexpr std::size_t most_responses = 64;  // beyond that the firmware waits for the host
constexpr unsigned most_multicast = 10;

}  // namespace

Mc32::Mc32(Scheduler& scheduler, const std::string& name, BusMasterHost& host, const Mc32Timing& timing,
           const net::MacAddress& mac, std::uint64_t seed)
    : host_(host),
      timing_(timing),
      burnt_in_(mac),
      ram_(ram_bytes),
      address_(mac),
      port_(scheduler, name, *this, seed),
      step_(scheduler, name + ".firmware", Priority::device, Callback::to<&Mc32::step>(this)),
      refill_(scheduler, name + ".response", Priority::device, Callback::to<&Mc32::refill>(this)),
      notice_(scheduler, name + ".list", Priority::device, Callback::to<&Mc32::dispatch>(this)),
      chain_(scheduler, name + ".chain", Priority::device, Callback::to<&Mc32::send_next>(this)) {}

// ---- ports ----

std::uint8_t Mc32::peek(unsigned port) const {
  switch (port) {
    case COMMAND: return latch_full_ ? responses_.front() : 0xFF;
    case STATUS:
      return static_cast<std::uint8_t>((latch_full_ ? CWR : 0) | (command_full_ || busy_owed_ || !booted_ ? 0 : CRR));
    case CONTROL: return control_;
    default: return 0xFF;
  }
}

std::uint8_t Mc32::read(unsigned port, Time now) {
  const std::uint8_t value = peek(port);
  if (port == STATUS) busy_owed_ = false;
  if (port == COMMAND && latch_full_) {
    responses_.pop_front();
    latch_full_ = false;
    update_interrupt(now);
    if (!responses_.empty()) refill_.at(now + timing_.response);
    dispatch(now);
  }
  return value;
}

void Mc32::write(unsigned port, std::uint8_t value, Time now) {
  if (port == CONTROL) {
    const bool was_reset = control_ & RESET;
    control_ = value;
    if ((value & RESET) && !was_reset) reset(now);
    control_ = value;
    if (was_reset && !(value & RESET)) release(now);
    update_interrupt(now);
  } else if (port == COMMAND && booted_) {
    command_ = value;
    command_full_ = busy_owed_ = true;
    dispatch(now);
  }
}

void Mc32::ram_write(std::uint32_t offset, std::uint8_t value, Time now) {
  ram_[offset % ram_bytes] = value;
  // The firmware keeps polling its lists: that is how it notices that an end-of-list bit was cleared.
  if (booted_ && offset >= lists && !notice_.pending()) notice_.at(now + timing_.notice);
}

void Mc32::update_interrupt(Time now) { host_.interrupt(interrupt_pin(), now); }

// A response goes into the port's latch; the next one follows when the firmware has seen that it was read.
void Mc32::push(std::uint8_t byte, Time now) {
  responses_.push_back(byte);
  if (!latch_full_ && !refill_.pending()) refill_.at(now + timing_.response);
}

void Mc32::respond(std::uint8_t response, Time now) {
  if (indications_) push(response, now);
}

void Mc32::refill(Time now) {
  if (responses_.empty()) return;
  latch_full_ = true;
  update_interrupt(now);
}

// ---- reset and boot ----

void Mc32::reset(Time now) {
  for (planar::Event* e : {&step_, &refill_, &notice_, &chain_}) e->cancel();
  if (work_ == Work::receive_transfer || work_ == Work::fetch_transfer) host_.cancel_transfer(now);
  port_.abandon(now);
  work_ = Work::none;
  control_ = 0;
  command_full_ = busy_owed_ = latch_full_ = booted_ = indications_ = workaround_ = exec_pending_ = false;
  tx_running_ = rx_running_ = rx_ended_ = on_wire_ = false;
  responses_.clear();
  outgoing_.clear();
  sent_.clear();
  arrived_.clear();
  gathered_.clear();
  multicast_.clear();
  filter_ = 0;
  address_ = burnt_in_;
  update_interrupt(now);
}

void Mc32::release(Time now) { begin(Work::self_test, timing_.self_test, now); }

// The self-test's result, 0, then the offset of the exec mailbox in the window.
void Mc32::boot_done(Time now) {
  std::fill(ram_.begin(), ram_.end(), 0);
  booted_ = true;
  configure(default_count, default_count);
  report_configuration();
  push(0, now);
  for (unsigned i = 0; i < 4; ++i) push(static_cast<std::uint8_t>(exec_mailbox >> 8 * i), now);
}

// ---- the firmware's main loop ----

void Mc32::begin(Work work, Time duration, Time now) {
  work_ = work;
  step_.at(now + duration);
}

void Mc32::dispatch(Time now) {
  if (work_ != Work::none || !booted_) return;
  // clang-format off
  if (command_full_) begin(Work::command, timing_.command, now);
  else if (exec_pending_) begin(Work::exec, timing_.exec, now);
  else if (responses_.size() >= most_responses) return;
  else if (!sent_.empty()) begin(Work::sent, timing_.sent, now);
  else if (can_receive()) begin(Work::receive, timing_.receive, now);
  else if (can_fetch()) begin(Work::fetch, timing_.transmit, now);
  // clang-format on
}

void Mc32::step(Time now) {
  const Work work = work_;
  work_ = Work::none;
  switch (work) {
    case Work::self_test: boot_done(now); break;
    case Work::command: execute_command(now); break;
    case Work::exec: execute_mailbox(now); break;
    case Work::sent: report_sent(now); break;
    case Work::receive: store_frame(now); break;
    case Work::fetch:
      gathered_.clear();
      tx_fragments_ = 0;
      fetch_fragment(now);
      break;
    default: break;
  }
  dispatch(now);
}

void Mc32::transfer_done(Time now) {
  const Work work = work_;
  work_ = Work::none;
  if (work == Work::receive_transfer)
    frame_stored(now);
  else if (work == Work::fetch_transfer)
    fetched(now);
  dispatch(now);
}

void Mc32::execute_command(Time now) {
  command_full_ = false;
  command_transmit(command_ & 7, now);
  command_receive(command_ >> 3 & 7, now);
  if (command_ & 0x40) exec_pending_ = true;
}

// ---- exec mailbox ----

void Mc32::execute_mailbox(Time now) {
  exec_pending_ = false;
  const std::uint16_t code = get16(exec_mailbox);
  put16(exec_mailbox, static_cast<std::uint16_t>(execute(code) ? code & ~exec_error : code | exec_error));
  respond(0x40, now);
}

// Whether the command exists and its data is valid.
bool Mc32::execute(unsigned code) {
  const std::uint32_t data = exec_mailbox + 2;
  switch (code) {
    case 0x00: filter_ = get16(data); return true;
    case 0x01:
      for (unsigned i = 0; i < address_.size(); ++i) address_[i] = ram_peek(data + i);
      return true;
    case 0x02: {
      const unsigned listed = ram_peek(data);
      multicast_.clear();
      for (unsigned n = 0; n < std::min(listed, most_multicast); ++n) {
        net::MacAddress group;
        for (unsigned i = 0; i < group.size(); ++i) group[i] = ram_peek(data + 2 + 6 * n + i);
        multicast_.push_back(group);
      }
      return listed <= most_multicast;
    }
    case 0x04: indications_ = get16(data) & 1; return true;
    case 0x06: report_configuration(); return true;
    case 0x08: return configure(get16(data), get16(data + 2));
    case 0x0D: workaround_ = get16(data) == 0; return true;
    default: return false;
  }
}

// Lays out both rings, one after the other; both are empty. False if they do not fit.
bool Mc32::configure(unsigned tx_count, unsigned rx_count) {
  if (tx_count < 2 || rx_count < 2 || tx_count + rx_count > most_descriptors) return false;
  tx_count_ = static_cast<std::uint16_t>(tx_count);
  rx_count_ = static_cast<std::uint16_t>(rx_count);
  tx_list_ = lists;
  rx_list_ = static_cast<std::uint16_t>(lists + tx_count * descriptor_bytes);
  const auto lay_out = [this](std::uint16_t list, unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      const auto d = static_cast<std::uint16_t>(list + i * descriptor_bytes);
      put16(d, 0);
      put16(d + 2u, static_cast<std::uint16_t>(list + (i + 1) % n * descriptor_bytes));
      put16(d + 4u, receive_length);
      put32(d + 6u, 0);
    }
  };
  lay_out(tx_list_, tx_count);
  lay_out(rx_list_, rx_count);
  put8(tx_list_ + 1u, EOL);
  put8(rx_list_ + (rx_count - 1) * descriptor_bytes + 1, EOL);
  tx_last_ = tx_list_;
  rx_next_ = rx_list_;
  rx_ended_ = tx_running_ = rx_running_ = false;
  put16(tx_mailbox + 2, tx_list_);
  put16(rx_mailbox + 2, rx_list_);
  return true;
}

void Mc32::report_configuration() {
  const std::uint32_t data = exec_mailbox + 2;
  put32(data, 0);  // all offsets count from the window's start
  put16(data + 4, rx_mailbox);
  put16(data + 6, tx_mailbox);
  put16(data + 10, statistics);
  put16(data + 16, tx_list_);
  put16(data + 18, tx_count_);
  put16(data + 20, rx_list_);
  put16(data + 22, rx_count_);
  put16(data + 24, firmware_revision);
}

void Mc32::describe(Description& d) const {
  d.reg("response", peek(COMMAND), 8).reg("status", peek(STATUS), 8).reg("control", peek(CONTROL), 8);
  d.reg("command", command_, 8).flag("interrupt", interrupt_pin()).number("responses waiting", responses_.size());
  constexpr std::array works{"idle",    "self test",        "command",        "exec mailbox",     "frame sent",
                             "receive", "receive transfer", "fetch fragment", "fragment transfer"};
  Description& firmware = d.part("firmware");
  firmware.flag("booted", booted_).activity("at work on", works[static_cast<unsigned>(work_)]);
  firmware.flag("exec pending", exec_pending_)
      .flag("indications on", indications_)
      .flag("82586 workaround", workaround_);
  firmware.reg("filter", filter_, 16).reg("station address", big_endian(address_), 48);
  firmware.number("group addresses", multicast_.size());
  Description& transmit = d.part("transmit list");
  transmit.flag("running", tx_running_).reg("base", tx_list_, 16).number("descriptors", tx_count_);
  transmit.reg("last taken", tx_last_, 16).level("frames in card RAM", outgoing_.size()).flag("on the wire", on_wire_);
  transmit.number("frames to report", sent_.size()).activity("state", port_activity(port_));
  Description& receive = d.part("receive list");
  receive.flag("running", rx_running_).reg("base", rx_list_, 16).number("descriptors", rx_count_);
  receive.reg("next", rx_next_, 16).reg("last filled", rx_last_, 16).flag("at the end", list_ended());
  receive.level("frames in card RAM", arrived_.size());
}

void Mc32::archive(Archive& a) {
  a.section("mc32", 1);
  a(ram_, control_, command_, command_full_, busy_owed_, responses_, latch_full_, booted_, indications_, workaround_,
    exec_pending_, filter_, address_, multicast_, tx_list_, tx_count_, rx_list_, rx_count_, work_, transfer_,
    tx_running_, tx_last_, tx_fragment_, tx_fragments_, gathered_, outgoing_, sent_, on_wire_, rx_running_, rx_ended_,
    rx_next_, rx_last_, arrived_, counters_.sent, counters_.received, counters_.collisions, counters_.overruns);
  port_.archive(a);
  a(step_, refill_, notice_, chain_);
  if (a.loading() && (ram_.size() != ram_bytes || !sound()))
    throw Error("snapshot holds a damaged EtherLink/MC 32; take a new one", ExitCode::missing_file);
}

bool Mc32::sound() const {
  const std::size_t fetched = work_ == Work::fetch_transfer ? transfer_.size() : 0;
  return work_ <= Work::fetch_transfer && (!latch_full_ || !responses_.empty()) &&
         (work_ != Work::sent || !sent_.empty()) && (!on_wire_ || !outgoing_.empty()) &&
         tx_count_ + rx_count_ <= most_descriptors && gathered_.size() + fetched <= longest_frame;
}

}  // namespace planar::ethernet
