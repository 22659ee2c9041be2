// SPDX-License-Identifier: GPL-2.0-or-later
// SONIC: registers, commands, interrupts, CAM, watchdog timer, and memory bus arbitration.
#include "devices/chips/sonic/sonic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/common/error.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

// Data sheet, "Register content after reset": EOBC for one frame per buffer, TCR with NCRS and PTX.
constexpr std::uint16_t eobc_after_reset = 0x02F8;
// The watchdog timer counts at half the transmit clock.
constexpr Time timer_tick = 200_ns;

}  // namespace

Sonic::Sonic(Scheduler& scheduler, const std::string& name, SonicHost& host, const SonicConfig& config,
             std::uint64_t seed)
    : scheduler_(scheduler),
      host_(host),
      config_(config),
      clock_time_{static_cast<std::int64_t>(1'000'000'000'000 / config.bus_clock_hz)},
      port_(scheduler, name + ".port", *this, seed),
      cam_loaded_(scheduler, name + ".cam_loaded", Priority::device, Callback::to<&Sonic::cam_loaded>(this)),
      timer_expired_(scheduler, name + ".timer", Priority::device, Callback::to<&Sonic::timer_expired>(this)),
      descriptor_read_(scheduler, name + ".descriptor_read", Priority::device,
                       Callback::to<&Sonic::descriptor_read>(this)),
      deferral_(scheduler, name + ".deferral", Priority::device, Callback::to<&Sonic::deferred_too_long>(this)),
      transmit_done_(scheduler, name + ".transmit_done", Priority::device, Callback::to<&Sonic::transmit_done>(this)),
      looped_(scheduler, name + ".looped", Priority::device, Callback::to<&Sonic::looped>(this)),
      receive_done_(scheduler, name + ".receive_done", Priority::device, Callback::to<&Sonic::receive_done>(this)),
      resource_read_(scheduler, name + ".resource_read", Priority::device, Callback::to<&Sonic::resource_read>(this)),
      receive_step_(scheduler, name + ".receive_step", Priority::device, Callback::to<&Sonic::receive_step>(this)) {
  port_.mac().retry_late_collisions = true;  // "rescheduled as in normal transmission" (TCR.OWC)
  reset(Time{});
}

// ---- reset ----

void Sonic::reset(Time now) {
  enter_reset(now);
  run_timer(false, now);
  regs_[CR] = RST | STP | RXDIS;
  regs_[DCR] &= static_cast<std::uint16_t>(~(EXBUS | LBR));
  regs_[RCR] &= static_cast<std::uint16_t>(~(RNT | BRD | LB));
  regs_[TCR] = static_cast<std::uint16_t>((regs_[TCR] & ~BCM) | NCRS | PTX);
  regs_[IMR] = regs_[ISR] = regs_[DCR2] = regs_[RSC] = regs_[CE] = 0;
  regs_[EOBC] = eobc_after_reset;
  regs_[SR] = config_.revision;
  update_interrupt(now);
}

// A software reset leaves registers and the timer unchanged, except for commands in progress.
void Sonic::enter_reset(Time now) {
  regs_[CR] = static_cast<std::uint16_t>((regs_[CR] & (ST | STP)) | RST | RXDIS);
  for (Event* event : {&cam_loaded_, &descriptor_read_, &deferral_, &transmit_done_, &looped_, &receive_done_,
                       &resource_read_, &receive_step_})
    event->cancel();
  listening_ = matched_ = storing_ = overrun_ = exhausted_ = resource_owed_ = false;
  fragments_.clear();
  loop_frame_.clear();
  if (port_.cut(now)) orphan_ = true;
}

// ---- registers ----

std::uint16_t Sonic::read(unsigned reg, Time now) {
  sync_receive(now);
  return peek(reg);
}

std::uint16_t Sonic::peek(unsigned reg) const {
  reg &= 63;
  switch (reg) {
    case RCR: return static_cast<std::uint16_t>(regs_[RCR] | (port_.carrier() ? CRS : 0));
    case CAP0:
    case CAP1:
    case CAP2:  // the CAM ports respond only in reset
      return regs_[CR] & RST ? cam_[regs_[CEP] & 15][CAP0 - reg] : 0;
    case WT0: return static_cast<std::uint16_t>(timer(scheduler_.now()));
    case WT1: return static_cast<std::uint16_t>(timer(scheduler_.now()) >> 16);
    default: return regs_[reg];
  }
}

/// The bits that a normal write changes.
std::uint16_t Sonic::access_mask(unsigned reg) const {
  switch (reg) {
    case DCR: return regs_[CR] & RST ? 0xBFFF : 0;
    case DCR2: return regs_[CR] & RST ? 0xFB57 : 0;
    case RCR: return 0xFE00;
    case TCR: return 0xF000;
    case IMR: return 0x7FFF;
    // clang-format off
    case RSA: case REA: case RRP: case RWP: return width() == 4 ? 0xFFFC : 0xFFFE;
    case CDP: return 0xFFFE;
    case CDC: return 0x001F;
    case CEP: return 0x000F;
    case CAP0: case CAP1: case CAP2: case SR: case MDT: return 0;
    // clang-format on
    default: return reg > MDT ? 0 : 0xFFFF;
  }
}

void Sonic::write(unsigned reg, std::uint16_t value, Time now, std::uint16_t lanes) {
  reg &= 63;
  sync_receive(now);
  const auto driven = static_cast<std::uint16_t>(value & lanes);
  switch (reg) {
    case CR: command(driven, now); return;
    case ISR: acknowledge(driven, now); return;
    case WT0: set_timer((timer(now) & ~std::uint32_t{lanes}) | driven, now); return;
    case WT1: set_timer((timer(now) & ~(std::uint32_t{lanes} << 16)) | std::uint32_t{driven} << 16, now); return;
    case CRCT:
    case FAET:
    case MPT:  // the written value is latched inverted
      regs_[reg] = static_cast<std::uint16_t>((regs_[reg] & ~lanes) | (~value & lanes));
      return;
    default: break;
  }
  const auto mask = static_cast<std::uint16_t>(access_mask(reg) & lanes);
  regs_[reg] = static_cast<std::uint16_t>((regs_[reg] & ~mask) | (value & mask));
  if (reg == IMR) update_interrupt(now);
}

// ---- commands ----

// Writing 1 starts a command, 0 has no effect; but RST is cleared by writing 0, and until then nothing starts.
void Sonic::command(std::uint16_t value, Time now) {
  std::uint16_t& cr = regs_[CR];
  if (cr & RST) {
    if (!(value & RST)) cr &= static_cast<std::uint16_t>(~RST);
    return;
  }
  if (value & RST) {
    enter_reset(now);
    return;
  }
  if (value & STP)
    run_timer(false, now);
  else if (value & ST)
    run_timer(true, now);
  if (value & RXDIS)
    cr = static_cast<std::uint16_t>((cr & ~RXEN) | RXDIS);
  else if (value & RXEN)
    cr = static_cast<std::uint16_t>((cr & ~RXDIS) | RXEN);
  const Time start = now + clocks(config_.command_clocks);
  if (value & RRRA) {
    cr |= RRRA;
    resource_read_.at(claim_bus(4, start));
  }
  if (value & LCAM) {
    cr |= LCAM;
    cam_loaded_.at(claim_bus(4u * regs_[CDC] + 1, start));
  }
  if (value & HTX)
    cr |= HTX;
  else if (value & TXP && !(cr & TXP)) {
    cr = static_cast<std::uint16_t>((cr & ~HTX) | TXP);
    begin_transmit(start);
  }
}

// Clearing RBE indicates that resources are available again: the chip reads the next one.
void Sonic::acknowledge(std::uint16_t bits, Time now) {
  const std::uint16_t cleared = regs_[ISR] & bits;
  regs_[ISR] &= static_cast<std::uint16_t>(~cleared);
  update_interrupt(now);
  if (!(cleared & RBE) || regs_[CR] & RST || resource_read_.pending()) return;
  if (storing_ || receive_done_.pending())
    resource_owed_ = true;
  else
    resource_read_.at(claim_bus(4, now + clocks(config_.command_clocks)));
}

void Sonic::cam_loaded(Time now) {
  const unsigned w = width();
  for (; regs_[CDC]; --regs_[CDC]) {
    const std::uint16_t entry = load(field_at(URRA, regs_[CDP], 0));
    for (unsigned i = 0; i < 3; ++i) cam_[entry & 15][i] = load(field_at(URRA, regs_[CDP], 1 + i));
    regs_[CEP] = entry & 15;
    regs_[CDP] = static_cast<std::uint16_t>(regs_[CDP] + 4 * w);
  }
  regs_[CE] = load(at(URRA, regs_[CDP]));
  regs_[CR] &= static_cast<std::uint16_t>(~LCAM);
  raise(LCD, now);
}

// ---- interrupts and tallies ----

void Sonic::raise(std::uint16_t isr_bits, Time now) {
  regs_[ISR] |= isr_bits;
  update_interrupt(now);
}

void Sonic::update_interrupt(Time now) {
  const bool level = regs_[ISR] & regs_[IMR];
  if (level == interrupt_) return;
  interrupt_ = level;
  host_.interrupt(level, now);
}

void Sonic::tally(Reg counter, IsrBit rollover, Time now) {
  if (++regs_[counter] == 0) raise(rollover, now);
}

// ---- watchdog timer: 32 bits, down, TC when it rolls over ----

std::uint32_t Sonic::timer(Time now) const {
  if (!(regs_[CR] & ST)) return timer_value_;
  return timer_value_ - static_cast<std::uint32_t>((now - timer_since_) / timer_tick);
}

void Sonic::set_timer(std::uint32_t value, Time now) {
  timer_value_ = value;
  timer_since_ = now;
  if (regs_[CR] & ST) timer_expired_.at(now + timer_tick * (std::int64_t{value} + 1));
}

void Sonic::run_timer(bool on, Time now) {
  const std::uint32_t value = timer(now);
  regs_[CR] = static_cast<std::uint16_t>((regs_[CR] & ~(ST | STP)) | (on ? ST : STP));
  set_timer(value, now);
  if (!on) timer_expired_.cancel();
}

void Sonic::timer_expired(Time now) {
  set_timer(UINT32_MAX, now);
  raise(TC, now);
}

// ---- memory bus ----

Time Sonic::cycle() const {
  const unsigned base = regs_[DCR] & SBUS ? 2 : config_.cycle_clocks;
  return clocks(base + (regs_[DCR] & WC) / 0x40);
}

// Descriptor transfers follow one another; each tenure of the bus begins with an arbitration.
Time Sonic::claim_bus(unsigned accesses, Time now) {
  const Time start = std::max(now, job_end_) + clocks(config_.arbitration_clocks);
  if (now >= job_end_) job_start_ = start;
  job_end_ = start + cycle() * accesses;
  return job_end_;
}

// In addition to these tenures, a burst occurs each time a FIFO passes its threshold: the receive FIFO is emptied; the
// transmit FIFO is filled (empty/fill mode) or gets one threshold's worth (block mode). The bus becomes available to
// others only when the chip has released it, so they wait for the end of the burst.
Time Sonic::local_bus_free(Time t) const {
  const auto after_burst = [&](Time first, unsigned period_bytes) {
    if (t < first) return t;
    const Time into{(t - first).ps % (port_.byte_time() * period_bytes).ps}, taken = burst(period_bytes);
    return into < taken ? t + (taken - into) : t;
  };
  Time free = t >= job_start_ && t < job_end_ ? job_end_ : t;
  if (storing_) {
    if (const auto r = port_.receiving()) free = std::max(free, after_burst(r->arrival(0), receive_threshold()));
  }
  if (port_.transmitting() && !orphan_) {
    const Time first = port_.transmit_start() + port_.bit_time() * net::preamble_bits;
    free = std::max(free, after_burst(first, transmit_burst()));
  }
  return free;
}

Undisturbed Sonic::undisturbed(Time now) const {
  Undisturbed left(now);
  left.taken(job_start_, job_end_);
  if (storing_) {
    if (const auto r = port_.receiving()) {
      const unsigned bytes = receive_threshold();
      left.taken_every(port_.byte_time() * bytes, r->arrival(0), burst(bytes));
      if (!overrun_ && !receive_done_.pending()) left.taken_from(r->arrival(stored_ - stored_ % bytes + bytes - 1));
    }
  }
  if (port_.transmitting() && !orphan_)
    left.taken_every(port_.byte_time() * transmit_burst(),
                     port_.transmit_start() + port_.bit_time() * net::preamble_bits, burst(transmit_burst()));
  return left;
}

std::uint32_t Sonic::not_on_wire(std::uint32_t address) const {
  std::uint32_t least = UINT32_MAX;
  if (!port_.busy() || orphan_) return least;
  for (const auto& [base, offset, bytes] : fragments_) {
    if (((address - base) & config_.address_mask) < bytes) return 0;
    least = std::min(least, (base - address) & config_.address_mask);
  }
  return least;
}

void Sonic::bus_denied(Time from, Time now) {
  const auto longer_than = [&](unsigned bytes) { return now - from > port_.byte_time() * bytes; };
  if (storing_ && !receive_done_.pending() && longer_than(fifo_bytes - receive_threshold())) {
    sync_receive(from);
    overrun_ = storing_;
  }
  if (port_.transmitting() && !orphan_ && longer_than(transmit_threshold())) port_.underrun(now);
}

/// Field `n` of a structure at `base`; within it addresses wrap at 64 KB, the upper register never changes.
std::uint32_t Sonic::field_at(Reg upper, std::uint16_t base, unsigned n) const {
  return at(upper, static_cast<std::uint16_t>((base & ~EOL) + n * width()));
}

std::uint16_t Sonic::load(std::uint32_t address) const {
  const std::uint8_t low = host_.memory_read(address & config_.address_mask);
  return static_cast<std::uint16_t>(low | host_.memory_read((address + 1) & config_.address_mask) << 8);
}

// In 32-bit mode the upper half repeats the lower (observed by the author of ibmlana.c, in a comment).
void Sonic::store(std::uint32_t address, std::uint16_t value, Time now) {
  for (unsigned i = 0; i < width(); ++i)
    store_byte(address + i, static_cast<std::uint8_t>(i & 1 ? value >> 8 : value), now);
}

void Sonic::store_byte(std::uint32_t address, std::uint8_t value, Time now) {
  address &= config_.address_mask;
  host_.memory_write(address, value);
  memory_written(address, value, now);
}

void Sonic::memory_written(std::uint32_t address, std::uint8_t value, Time now) {
  if (!port_.busy() || orphan_) return;
  for (const auto& [base, offset, bytes] : fragments_) {
    const std::uint32_t into = (address - base) & config_.address_mask;
    if (into < bytes) port_.patch(offset + into, value, !(regs_[TCR] & CRCI) && !mismatch_, now);
  }
}

namespace {
constexpr std::array<std::string_view, 48> register_names{
    // clang-format off
      "CR", "DCR", "RCR", "TCR", "IMR", "ISR", "UTDA", "CTDA", "TPS", "TFC", "TSA0", "TSA1", "TFS", "URDA", "CRDA", "CRBA0",
      "CRBA1", "RBWC0", "RBWC1", "EOBC", "URRA", "RSA", "REA", "RRP", "RWP", "TRBA0", "TRBA1", "TBWC0", "TBWC1", "ADDR0",
      "ADDR1", "LLFA", "TTDA", "CEP", "CAP2", "CAP1", "CAP0", "CE", "CDP", "CDC", "SR", "WT0", "WT1", "RSC", "CRCT", "FAET",
      "MPT", "MDT"
    // clang-format on
};
}  // namespace

std::string_view Sonic::register_name(unsigned reg) {
  return reg < register_names.size() ? register_names[reg]
         : reg == DCR2               ? std::string_view("DCR2")
                                     : std::string_view();
}

void Sonic::describe(Description& d) const {
  for (unsigned reg = 0; reg < register_names.size(); ++reg) d.reg(register_names[reg], peek(reg), 16);
  d.reg("DCR2", peek(DCR2), 16).flag("INT", interrupt_);
  Description& cam = d.part("CAM");
  for (unsigned n = 0; n < cam_.size(); ++n)
    cam.text(fmt::format("entry {}", n), fmt::format("{:04X} {:04X} {:04X}", cam_[n][0], cam_[n][1], cam_[n][2]));
  Description& receive = d.part("receiver");
  receive.activity("arriving frame", storing_ ? "stored" : listening_ ? "not for this station so far" : "none");
  receive.level("bytes stored", stored_).flag("FIFO overrun", overrun_).flag("resources used up", exhausted_);
  Description& transmit = d.part("transmitter");
  transmit.flag("frame with the MAC", port_.busy()).number("collisions", port_.collisions());
  transmit.activity("state", descriptor_read_.pending() ? "reads the descriptor"
                             : transmit_done_.pending() ? "writes the status"
                                                        : port_activity(port_));
  transmit.number("fragments", fragments_.size()).reg("status", status_, 16);
}

void Sonic::archive(Archive& a) {
  a.section("sonic", 1);
  a(regs_, cam_, interrupt_, timer_value_, timer_since_, job_start_, job_end_);
  a(orphan_, carrier_seen_, mismatch_, status_, fragments_, loop_frame_);
  a(listening_, matched_, storing_, overrun_, exhausted_, resource_owed_, stored_, frame_status_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.missed,
    counters_.receive_errors, counters_.transmit_errors);
  port_.archive(a);
  for (Event* event : {&cam_loaded_, &timer_expired_, &descriptor_read_, &deferral_, &transmit_done_, &looped_,
                       &receive_done_, &resource_read_, &receive_step_})
    event->archive(a);
  if (a.loading() && job_end_ > scheduler_.now() + 1_s)
    throw Error("snapshot holds a damaged SONIC; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
