// SPDX-License-Identifier: GPL-2.0-or-later
// 21140 family: registers, reset, interrupts, timer, burst commands.
#include "devices/chips/tulip/tulip.hpp"

#include <iterator>

#include "core/common/error.hpp"

namespace planar::ethernet {
namespace {

constexpr unsigned csr_spacing = 8;
constexpr std::uint32_t line_bytes = 32;  // of a cache, if CSR0 does not specify it
// Bits that always read 1, as seen in the PNIC-II's registers in public logs of its driver.
constexpr std::uint32_t ones_of_csr5 = 0xE4000000, ones_of_csr6 = 0xE0000000, ones_of_csr7 = 0xE7FE0000;
// CSR6 except the bits that mirror the setup frame.
constexpr std::uint32_t mode_bits = ~(ones_of_csr6 | Tulip::HP | Tulip::HO | Tulip::IF);
constexpr std::uint32_t longest_sent = 1u << 15;  // FIFO and a descriptor's two buffers; limit in a sound snapshot
constexpr std::uint32_t timer_count = 0xFFFF, timer_repeats = 0x10000;

constexpr std::uint32_t lanes_of(std::uint32_t offset, unsigned bytes) {
  return (bytes >= 4 ? ~0u : (1u << (8 * bytes)) - 1) << (8 * (offset & 3));
}

}  // namespace

Tulip::Tulip(Scheduler& scheduler, const std::string& name, BurstHost& host, const TulipConfig& config,
             const std::array<std::uint16_t, At93c46::words>& srom, std::uint64_t seed)
    : scheduler_(scheduler),
      host_(host),
      config_(config),
      srom_(srom),
      dma_(host),
      port_(scheduler, name, *this, seed),
      nway_(scheduler, name + ".nway", port_, config.nway, *this),
      receive_dma_(dma_, "receive DMA", Callback::to<&Tulip::receive_moved>(this)),
      transmit_dma_(dma_, "transmit DMA", Callback::to<&Tulip::transmit_moved>(this)),
      room_(scheduler, name + ".room", Priority::device, Callback::to<&Tulip::transmit_run>(this)),
      underflow_(scheduler, name + ".underflow", Priority::device, Callback::to<&Tulip::underflow>(this)),
      internal_(scheduler, name + ".internal", Priority::device, Callback::to<&Tulip::internal_end>(this)),
      poll_(scheduler, name + ".poll", Priority::device, Callback::to<&Tulip::poll_due>(this)),
      receive_watch_(scheduler, name + ".receive", Priority::device, Callback::to<&Tulip::receive_watch>(this)),
      timer_(scheduler, name + ".timer", Priority::device, Callback::to<&Tulip::timer_due>(this)),
      reset_done_(scheduler, name + ".reset", Priority::device, Callback::to<&Tulip::reset_done>(this)) {}

// ---- registers ----

std::string_view Tulip::register_name(std::uint32_t offset) {
  constexpr std::string_view names[] = {"CSR0", "CSR1", "CSR2",  "CSR3",  "CSR4",  "CSR5",  "CSR6",  "CSR7",
                                        "CSR8", "CSR9", "CSR10", "CSR11", "CSR12", "CSR13", "CSR14", "CSR15"};
  const std::uint32_t csr = offset / csr_spacing;
  return csr < std::size(names) && offset % csr_spacing < 4 ? names[csr] : std::string_view{};
}

std::uint32_t Tulip::value(unsigned csr) const {
  switch (csr) {
    case 0: return csr0_ | (reset_done_.pending() ? SWR : 0u);
    case 1:
    case 2: return ~0u;
    case 3: return csr3_;
    case 4: return csr4_;
    case 5:
      return ones_of_csr5 | csr5_ | (csr5_ & csr7_ & normal_causes ? NIS : 0u) |
             (csr5_ & csr7_ & abnormal_causes ? AIS : 0u) | receive_state() << 17 | transmit_state() << 20;
    case 6: {
      const auto kind = filter_.kind();
      return ones_of_csr6 | csr6_ | (kind == TulipFilter::Kind::hash_and_perfect ? HP : 0u) |
             (kind == TulipFilter::Kind::hash_only ? HP | HO : 0u) | (kind == TulipFilter::Kind::inverse ? IF : 0u);
    }
    case 7: return ones_of_csr7 | csr7_;
    case 8: return missed_ | fifo_lost_ << 17;
    case 9:
      // No PHY is connected to the management pins: their data line is pulled up.
      return (csr9_ & ~std::uint32_t{SROM_DO}) | MDI | (csr9_ & SROM_SELECT && srom_.data_out() ? SROM_DO : 0u);
    case 10: return csr10_;
    case 11: {
      const Time tick = timer_tick(), left = timer_.pending() ? timer_.when() - scheduler_.now() : Time{};
      return (csr11_ & timer_repeats) | (static_cast<std::uint32_t>((left + tick - 1_ps) / tick) & timer_count);
    }
    default: return csr < 16 ? nway_.read(csr) : 0;
  }
}

std::uint32_t Tulip::peek(std::uint32_t offset, unsigned bytes) const {
  const std::uint32_t all = offset % csr_spacing < 4 ? value(offset / csr_spacing) : 0;
  return (all & lanes_of(offset, bytes)) >> (8 * (offset & 3));
}

std::uint32_t Tulip::read(std::uint32_t offset, unsigned bytes, Time) {
  const std::uint32_t got = peek(offset, bytes);
  if (offset / csr_spacing == 8 && offset % csr_spacing < 4) missed_ = fifo_lost_ = 0;
  return got;
}

void Tulip::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (offset % csr_spacing < 4)
    write_csr(offset / csr_spacing, value << (8 * (offset & 3)), lanes_of(offset, bytes), now);
}

void Tulip::write_csr(unsigned csr, std::uint32_t written, std::uint32_t lanes, Time now) {
  written &= lanes;
  const auto merged = [&](std::uint32_t old) { return (old & ~lanes) | written; };
  switch (csr) {
    case 0:
      if (written & SWR) {
        const std::uint32_t port_select = csr6_ & PS;  // not changed by the reset
        clear(now);
        csr6_ |= port_select;
        select_port(now);
        reset_done_.at(now + config_.reset);
        break;
      }
      csr0_ = merged(csr0_) & ~std::uint32_t{SWR};
      break;
    case 1:
      transmit_suspended_ = false;
      transmit_demand_ = true;
      transmit_run(now);
      break;
    case 2:
      if (receive_running_ && receive_suspended_ && !receive_dma_.busy() && !bus_failed_)
        fetch_receive(ReceiveWork::fetch, receive_next_, now);
      break;
    case 3:
      if (!receive_running_) receive_next_ = csr3_ = merged(csr3_) & ~3u;
      break;
    case 4:
      if (!transmit_running_) transmit_next_ = csr4_ = merged(csr4_) & ~3u;
      break;
    case 5:
      csr5_ &= ~(written & causes);
      if (!(csr5_ & FBE)) csr5_ &= ~std::uint32_t{MASTER_ABORT};
      update_interrupt(now);
      break;
    case 6: write_mode(merged(csr6_), now); break;
    case 7:
      csr7_ = merged(csr7_) & ~ones_of_csr7;
      update_interrupt(now);
      break;
    case 9:
      csr9_ = merged(csr9_);
      srom_.pins(csr9_ & SROM_SELECT && csr9_ & SROM_CS, csr9_ & SROM_SK, csr9_ & SROM_DI);
      break;
    case 10: csr10_ = merged(csr10_); break;
    case 11:
      csr11_ = merged(csr11_);
      start_timer(now);
      break;
    case 12: nway_.write(csr, written, now); break;
    case 13:
    case 14:
    case 15: nway_.write(csr, merged(nway_.read(csr)), now); break;
    default: break;  // CSR8 is read only
  }
}

void Tulip::write_mode(std::uint32_t value, Time now) {
  const std::uint32_t started = value & ~csr6_;
  csr6_ = value & mode_bits;
  select_port(now);
  if (started & ST) {
    transmit_running_ = true;
    transmit_suspended_ = false;
  }
  if (started & SR) {
    if (!receive_running_) receive_suspended_ = false;
    receive_running_ = true;
  }
  transmit_run(now);
  receive_run(now);
}

void Tulip::select_port(Time now) {
  using Port = TulipNway::Port;
  nway_.select(csr6_ & PS ? Port::fast : csr6_ & SCR ? Port::nway : Port::ten, csr6_ & FD, now);
}

void Tulip::reset(Time now) {
  clear(now);
  filter_.clear();
  csr9_ = csr10_ = 0;
  srom_.pins(false, false, false);
  reset_done_.cancel();
}

void Tulip::clear(Time now) {
  dma_.cancel(now);
  flush_transmit(now);
  csr0_ = csr3_ = csr4_ = csr5_ = csr6_ = csr7_ = csr11_ = 0;
  missed_ = fifo_lost_ = 0;
  bus_failed_ = false;
  receive_running_ = receive_suspended_ = listening_ = accepted_ = false;
  receive_work_ = ReceiveWork::none;
  receive_next_ = receive_offset_ = 0;
  receive_descriptor_ = receive_ahead_ = {};
  frame_first_ = true;
  received_.clear();
  receive_watch_.cancel();
  timer_.cancel();
  nway_.reset(now);
  update_interrupt(now);
}

// ---- interrupts ----

void Tulip::raise(std::uint32_t raised, Time now) {
  csr5_ |= raised;
  update_interrupt(now);
}

void Tulip::update_interrupt(Time now) {
  const bool level = (csr7_ & NIS && csr5_ & csr7_ & normal_causes) || (csr7_ & AIS && csr5_ & csr7_ & abnormal_causes);
  if (level == asserted_) return;
  asserted_ = level;
  host_.interrupt(level, now);
}

// No target responded: the chip stays off the bus until it is reset.
void Tulip::bus_error(Time now) {
  bus_failed_ = true;
  raise(FBE | MASTER_ABORT, now);
}

void Tulip::link_event(LinkEvent event, Time now) {
  raise(event == LinkEvent::passed ? LNP : event == LinkEvent::failed ? LNF : LC, now);
}

// Tick of CSR11. [recalled] 21143 hardware reference: 2048 bit times of 10 Mbit/s, 8192 of 100.
Time Tulip::timer_tick() const { return csr6_ & PS ? 81'920_ns : 204'800_ns; }

void Tulip::start_timer(Time now) {
  const std::uint32_t count = csr11_ & timer_count;
  if (count == 0)
    timer_.cancel();
  else
    timer_.at(now + timer_tick() * std::int64_t{count});
}

void Tulip::timer_due(Time now) {
  if (csr11_ & timer_repeats) start_timer(now);
  raise(GTE, now);
}

// ---- bursts and descriptors ----

/// In bytes; 0: none.
std::uint32_t Tulip::alignment() const {
  const std::uint32_t code = (csr0_ & CAL) >> 14;
  return code ? 16u << code : 0;
}

std::uint32_t Tulip::burst_limit() const {
  const std::uint32_t doublewords = (csr0_ & PBL) >> 8;
  return doublewords ? 4 * doublewords : DmaEngine::longest;
}

BurstCommand Tulip::read_command(std::uint32_t bytes) const {
  const std::uint32_t line = alignment() ? alignment() : line_bytes;
  if (csr0_ & RME && bytes > line) return BurstCommand::read_multiple;
  return csr0_ & RLE && bytes > 4 ? BurstCommand::read_line : BurstCommand::read;
}

BurstCommand Tulip::write_command(std::uint32_t address, std::uint32_t bytes) const {
  const std::uint32_t line = alignment() ? alignment() : line_bytes;
  return csr0_ & WIE && address % line == 0 && bytes % line == 0 ? BurstCommand::write_invalidate : BurstCommand::write;
}

std::uint32_t Tulip::next_address(const Descriptor& d, std::uint32_t base) const {
  if (d.control & T_END) return base;
  if (d.control & T_CHAINED) return d.buffer2 & ~3u;
  return d.address + 16 + (csr0_ & DSL);  // DSL counts doublewords from bit 2: in place it is in bytes
}

Tulip::Descriptor Tulip::fetched(const DmaEngine& engine) {
  return {engine.address(), engine.word(0),  engine.word(4),
          engine.word(8),   engine.word(12), (engine.word(0) & OWN) != 0};
}

// ---- ----

void Tulip::describe(Description& d) const {
  for (unsigned csr = 0; csr < 12; ++csr)
    if (csr != 1 && csr != 2) d.reg("CSR" + std::to_string(csr), value(csr), 32);
  d.flag("INT", asserted_).flag("bus failed", bus_failed_);
  filter_.describe(d);
  nway_.describe(d.part("transceivers"));
  srom_.describe(d.part("SROM"));
  constexpr const char* transmit_states[] = {
      "stopped", "fetches a descriptor", "waits for the end", "reads", "", "setup", "suspended", "closes a descriptor"};
  constexpr const char* receive_states[] = {"stopped",   "fetches a descriptor", "",        "waits",
                                            "suspended", "closes a descriptor",  "flushes", "writes"};
  Description& transmit = d.part("transmit");
  transmit.activity("process", transmit_states[transmit_state()]);
  transmit.activity("port", internal_.pending()    ? "sends inside"
                            : port_.transmitting() ? "sends"
                            : port_.busy()         ? "waits for the wire"
                                                   : "idle");
  transmit.level("bytes in FIFO", transmit_level(scheduler_.now())).number("frames", sending_.size());
  transmit.reg("next descriptor", transmit_next_, 32).number("underflows", counters_.underflows);
  Description& receive = d.part("receive");
  receive.activity("process", receive_states[receive_state()]);
  receive.level("bytes in FIFO", receive_level(scheduler_.now())).number("frames", received_.size());
  receive.reg("next descriptor", receive_next_, 32);
  dma_.describe(d);
}

void Tulip::archive(Archive& a) {
  a.section("tulip", 3);
  a(csr0_, csr3_, csr4_, csr5_, csr6_, csr7_, csr9_, csr10_, csr11_, missed_, fifo_lost_, asserted_, bus_failed_);
  a(filter_, srom_, dma_, nway_);
  a(transmit_running_, transmit_suspended_, transmit_polled_, transmit_demand_, transmit_work_, transmit_next_,
    transmit_descriptor_, transmit_offset_, frame_open_, setup_, sending_, closing_, orphan_);
  a(receive_running_, receive_suspended_, receive_work_, receive_next_, receive_descriptor_, receive_ahead_,
    receive_offset_, frame_first_, received_, listening_, accepted_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.transmit_errors,
    counters_.receive_errors, counters_.underflows, counters_.late_bus);
  port_.archive(a);
  for (Event* e : {&room_, &underflow_, &internal_, &poll_, &receive_watch_, &timer_, &reset_done_}) e->archive(a);
  if (a.saving()) return;
  bool sound = transmit_work_ <= TransmitWork::close_setup && receive_work_ <= ReceiveWork::close &&
               (transmit_work_ != TransmitWork::none) == transmit_dma_.busy() &&
               (receive_work_ != ReceiveWork::none) == receive_dma_.busy() && sending_.size() <= 2 &&
               (!frame_open_ || !sending_.empty()) && setup_.size() <= TulipFilter::setup_bytes &&
               (transmit_work_ != TransmitWork::close || !closing_.empty()) &&
               (transmit_work_ != TransmitWork::data || !sending_.empty()) &&
               (!internal_.pending() || !sending_.empty()) &&
               (!accepted_ || (listening_ && !received_.empty() && !received_.back().ended));
  for (const Sending& s : sending_)
    sound = sound && s.data.size() <= longest_sent && (!s.known || s.data.size() <= s.length) &&
            s.length <= longest_sent && (s.known || (frame_open_ && &s == &sending_.back()));
  for (const Received& r : received_)
    sound = sound && r.moved <= (r.ended ? r.data.size() : longest_received) && r.data.size() <= longest_received &&
            (r.ended || (accepted_ && &r == &received_.back()));
  const bool needs_frame = receive_work_ == ReceiveWork::data || receive_work_ == ReceiveWork::close ||
                           receive_work_ == ReceiveWork::fetch_next || receive_work_ == ReceiveWork::close_middle;
  if (!sound || (needs_frame && received_.empty()))
    throw Error("snapshot holds a damaged Ethernet controller; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
