// SPDX-License-Identifier: GPL-2.0-or-later
// TMS380: the system interface's registers, download, commands and interrupts.
#include "devices/chips/tms380/tms380.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"

namespace planar::tokenring {

Tms380::Tms380(Scheduler& scheduler, const std::string& name, Tms380Host& host, const Tms380Config& config,
               const net::MacAddress& burnt_in, std::uint64_t seed)
    : host_(host),
      config_(config),
      burnt_in_(burnt_in),
      ram_(config.ram_bytes),
      port_(scheduler, name, *this, seed),
      processor_(scheduler, name + ".processor", Priority::device, Callback::to<&Tms380::continue_task>(this)),
      bring_up_(scheduler, name + ".bring_up", Priority::device, Callback::to<&Tms380::bring_up_ended>(this)) {
  reset({});
}

// ---- local RAM: no decoding beyond its end ----

std::uint16_t Tms380::local(std::uint32_t at) const {
  if (at + 1 >= ram_.size()) return 0;
  return static_cast<std::uint16_t>(ram_[at] << 8 | ram_[at + 1]);
}

void Tms380::put_local(std::uint32_t at, std::uint16_t value) {
  if (at + 1 >= ram_.size()) return;
  ram_[at] = static_cast<std::uint8_t>(value >> 8);
  ram_[at + 1] = static_cast<std::uint8_t>(value);
}

// ---- registers ----

std::uint16_t Tms380::peek_word(unsigned offset) const {
  switch (offset) {
    case SIFDAT:
    case SIFINC: return local(local_address());
    case SIFADR:
    case SIFADD: return adr_;
    case SIFSTS: return static_cast<std::uint16_t>(pending_ | sts_);
    case SIFACL: return acl_;
    case SIFADX: return adx_;
    case DMALEN: return dmalen_;
    default: return 0;
  }
}

std::uint16_t Tms380::peek(unsigned offset, unsigned bytes) const {
  const std::uint16_t word = peek_word(offset & ~1u);
  return bytes == 1 ? word >> (offset & 1 ? 8 : 0) & 0xFF : word;
}

// SIFINC and its high byte (SIFINH) advance to the next word.
std::uint16_t Tms380::read(unsigned offset, unsigned bytes, Time) {
  const std::uint16_t value = peek(offset, bytes);
  if ((offset & ~1u) == SIFINC && (bytes == 2 || offset & 1)) adr_ = static_cast<std::uint16_t>(adr_ + 2);
  return value;
}

void Tms380::write(unsigned offset, unsigned bytes, std::uint16_t value, Time now) {
  const unsigned reg = offset & ~1u;
  if (acl_ & ARESET && reg != SIFACL) return;  // only SIFACL responds
  std::uint16_t word = value;
  if (bytes == 1) {
    const std::uint16_t other = reg == SIFCMD ? std::uint16_t{SYSTEM_INTERRUPT} : peek_word(reg);
    word = static_cast<std::uint16_t>(offset & 1 ? (other & 0x00FF) | value << 8 : (other & 0xFF00) | (value & 0xFF));
  }
  switch (reg) {
    case SIFDAT: put_local(local_address(), word); break;
    case SIFINC:
      put_local(local_address(), word);
      if (bytes == 2 || offset & 1) adr_ = static_cast<std::uint16_t>(adr_ + 2);
      break;
    case SIFADR:
    case SIFADD: adr_ = word; break;
    case SIFCMD: command(word, now); break;
    case SIFACL: write_acl(word, now); break;
    case SIFADX: adx_ = word; break;
    default: break;
  }
}

// CPHALT and BOOT can be set only while ARESET is set; SINTEN only while it is not.
void Tms380::write_acl(std::uint16_t value, Time now) {
  const std::uint16_t before = acl_;
  acl_ = value;
  if (!(before & ARESET)) {
    const auto kept = static_cast<std::uint16_t>(CPHALT | BOOT);
    acl_ = static_cast<std::uint16_t>((value & ~kept) | (before & BOOT) | (before & value & CPHALT));
  }
  if (value & ARESET) acl_ &= static_cast<std::uint16_t>(~SINTEN);
  if (acl_ & ARESET) {
    stop(now);
    adr_ = adx_ = dmalen_ = 0;
  } else if (!(acl_ & CPHALT) && before & (ARESET | CPHALT)) {
    start(now);
  }
  update_interrupt(now);
}

// A command's bits stay until the processor has taken them; further bits are added to them. A reset is done by hardware
// and takes effect at once.
void Tms380::command(std::uint16_t value, Time now) {
  if (!(value & SYSTEM_INTERRUPT)) {
    sts_ &= static_cast<std::uint8_t>(~SYSTEM_INTERRUPT);
    update_interrupt(now);
  }
  if (value & ADAPTER_RESET) {
    stop(now);
    if (!(acl_ & CPHALT)) start(now);
    return;
  }
  if (value & INTERRUPT_ADAPTER) pending_ |= static_cast<std::uint16_t>(value & 0xFF00);
  wake(now);
}

void Tms380::set_status(std::uint8_t value, Time now) {
  sts_ = value;
  update_interrupt(now);
}

void Tms380::update_interrupt(Time now) {
  if (interrupt_pin() == asserted_) return;
  asserted_ = !asserted_;
  host_.interrupt(asserted_, now);
}

// ---- description, snapshots ----

void Tms380::describe(Description& d) const {
  static constexpr std::array states{"halted",  "bring-up diagnostics", "bring-up failed", "ready to initialize",
                                     "running", "adapter check"};
  static constexpr std::array works{"idle",          "doorbell",       "initialization", "command",
                                    "transmit list", "frame's status", "receive list",   "posting a status"};
  d.reg("SIFACL", acl_, 16).reg("SIFADX", adx_, 16).reg("SIFADR", adr_, 16);
  d.reg("SIFCMD pending", pending_, 16).reg("SIFSTS", sts_, 8).reg("DMALEN", dmalen_, 16);
  d.flag("interrupt", interrupt_pin()).text("state", states[static_cast<unsigned>(state_)]);
  d.activity("processor", works[static_cast<unsigned>(task_)]).flag("transfer under way", dma_busy_);
  d.reg("SCB", scb_, 32).reg("SSB", ssb_, 32).flag("SSB free", ssb_free_).number("statuses to post", posts_.size());
  d.flag("open", open_).reg("open options", parameters_.options, 16);
  d.number("frame buffers", parameters_.buffers).number("buffer size", parameters_.buffer_bytes);
  Description& transmit = d.part("transmitter");
  transmit.flag("TRANSMIT active", transmitting_).flag("waits for TRANSMIT.VALID", transmit_waits_);
  transmit.reg("list", transmit_list_, 32).level("frames in local RAM", outgoing_.size());
  transmit.number("buffers used", transmit_buffers()).number("bytes fetched of the next frame", building_.data.size());
  Description& receive = d.part("receiver");
  receive.flag("RECEIVE active", receiving_).flag("waits for RECEIVE.VALID", receive_waits_);
  receive.flag("suspended", receive_suspended_).reg("list", receive_list_, 32);
  receive.level("frames in local RAM", incoming_.size()).number("buffers used", receive_buffers());
  receive.number("bytes stored of the first", moved_);
  port_.describe(d.part("ring port"));
}

void Tms380::archive(Archive& a) {
  a.section("tms380", 1);
  a(ring_speed_, ram_, acl_, adr_, adx_, dmalen_, pending_, sts_, asserted_, state_);
  a(task_, served_, step_, dma_address_, dma_direction_, dma_busy_, retries_, dma_errors_, parity_errors_, transfer_);
  a(scb_, ssb_, receive_burst_, transmit_burst_, bus_retries_, parity_retries_);
  a(execute_, scb_request_, ssb_free_, request_, open_block_, posts_, opening_, open_, parameters_, opened_options_,
    group_, functional_);
  a(transmitting_, transmit_waits_, transmit_blocked_, halting_, transmit_list_, transmit_next_, transmit_cstat_,
    frame_size_, building_, fragments_, fragment_, outgoing_);
  a(receiving_, receive_waits_, receive_suspended_, relink_, frame_begun_, receive_list_, receive_next_, moved_,
    receive_cstat_, pass_crc_, receive_fragments_, receive_fragment_, incoming_);
  a(counters_.sent, counters_.received, counters_.overruns);
  port_.archive(a);
  for (Event* e : {&processor_, &bring_up_}) e->archive(a);
  if (a.loading() && !sound()) throw Error("snapshot holds a damaged TMS380; take a new one", ExitCode::missing_file);
}

// Conditions that the steps rely on.
bool Tms380::sound() const {
  if (ram_.size() != config_.ram_bytes || state_ > State::checked || parameters_.buffer_bytes < 1024) return false;
  if (!parameters_.receive_list || !parameters_.transmit_list) return false;
  if (static_cast<unsigned>(task_) >= tasks || static_cast<unsigned>(served_) >= tasks) return false;
  if (fragment_ > fragments_.size() || receive_fragment_ > receive_fragments_.size()) return false;
  if (moved_ > (incoming_.empty() ? 0 : incoming_.front().data.size())) return false;
  if (building_.lists.size() != building_.cstats.size()) return false;
  for (const Outgoing& frame : outgoing_)
    if (frame.lists.empty() || frame.lists.size() != frame.cstats.size()) return false;
  for (const Incoming& frame : incoming_)
    if (frame.data.size() < net::ring_header_bytes + net::fcs_bytes) return false;
  switch (task_) {
    case Task::post: return !posts_.empty();
    case Task::command: return command_sound();
    case Task::fetch: return fetch_sound();
    case Task::sent: return !outgoing_.empty() && step_ <= outgoing_.front().lists.size();
    case Task::receive: return receive_sound();
    default: return true;
  }
}

}  // namespace planar::tokenring
