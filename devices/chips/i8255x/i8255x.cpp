// SPDX-License-Identifier: GPL-2.0-or-later
// 8255x: control and status registers, interrupts, PORT, management of the PHY, statistics.
#include "devices/chips/i8255x/i8255x.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

// EEPROM register.
constexpr std::uint8_t EESK = 0x01, EECS = 0x02, EEDI = 0x04, EEDO = 0x08;
// PORT functions, in the low four bits; the rest is an address.
constexpr std::uint32_t port_software_reset = 0, port_self_test = 1, port_selective_reset = 2, port_dump = 3;
// MDI register.
constexpr std::uint32_t mdi_interrupt = 1u << 29, mdi_ready = 1u << 28;
constexpr unsigned mdi_write = 1, mdi_read = 2;
// Last word of a statistics dump.
constexpr std::uint32_t dump_done = 0xA005, dump_reset_done = 0xA007;
// After the sixteen: in the extended dump of an 82558 three of flow control; in that of an 82559 with TCO counters also
// a word for each direction, whatever the 82558's bit says (Linux 6.1's e100.c sets both and waits for the word at 80).
constexpr unsigned flow_control_statistics = 3, tco_statistics = flow_control_statistics + 1;
// RUC and CUC.
enum RuCommand : unsigned { ru_nop, ru_start_, ru_resume_, ru_redirect, ru_abort_, ru_load_hds, ru_load_base, ru_rbd };
enum CuCommand : unsigned { cu_nop, cu_start_, cu_resume_, cu_load_counters = 4, cu_dump, cu_load_base, cu_dump_reset };

std::uint8_t byte_of(std::uint32_t value, std::uint32_t n) { return static_cast<std::uint8_t>(value >> (8 * n)); }
void set_byte(std::uint32_t& value, std::uint32_t n, std::uint8_t to) {
  value = (value & ~(0xFFu << (8 * n))) | std::uint32_t{to} << (8 * n);
}
void put_word(std::span<std::uint8_t> to, std::size_t offset, std::uint32_t value) { store_little(&to[offset], value); }

}  // namespace

I8255x::I8255x(Scheduler& scheduler, const std::string& name, BurstHost& host, const I8255xTiming& timing,
               const std::array<std::uint16_t, At93c46::words>& eeprom, std::uint64_t seed)
    : host_(host),
      timing_(timing),
      port_(scheduler, name + ".port", *this, seed),
      phy_(scheduler, name + ".phy", port_, timing.phy, *this),
      eeprom_(eeprom),
      engines_(host),
      ru_dma_(engines_, "receive DMA", Callback::to<&I8255x::ru_done>(this)),
      transmit_dma_(engines_, "transmit DMA", Callback::to<&I8255x::filled>(this)),
      cu_dma_(engines_, "command unit DMA", Callback::to<&I8255x::cu_done>(this)),
      scb_dma_(engines_, "SCB DMA", Callback::to<&I8255x::scb_done>(this)),
      accept_(scheduler, name + ".accept", Priority::device, Callback::to<&I8255x::accept>(this)),
      reset_over_(scheduler, name + ".reset", Priority::device, Callback::to<&I8255x::reset_over>(this)),
      self_tested_(scheduler, name + ".self_test", Priority::device, Callback::to<&I8255x::self_tested>(this)),
      mdi_done_(scheduler, name + ".mdi", Priority::device, Callback::to<&I8255x::mdi_done>(this)),
      cna_(scheduler, name + ".cna", Priority::device, Callback::to<&I8255x::raise_cna>(this)),
      run_dry_(scheduler, name + ".run_dry", Priority::device, Callback::to<&I8255x::run_dry>(this)),
      drained_(scheduler, name + ".drained", Priority::device, Callback::to<&I8255x::fill>(this)),
      looped_(scheduler, name + ".looped", Priority::device, Callback::to<&I8255x::looped>(this)),
      receive_step_(scheduler, name + ".receive_step", Priority::device, Callback::to<&I8255x::receive_step>(this)) {
  mdi_ = mdi_ready;
}

// ---- resets ----

void I8255x::reset(Time now) {
  software_reset(now);
  reset_over_.cancel();
  mdi_done_.cancel();
  mdi_ = mdi_ready;
  eeprom_pins_ = 0;
  eeprom_.pins(false, false, false);
  phy_.reset(now);
}

void I8255x::stop_units(Time now) {
  engines_.cancel(now);
  for (Event* e : {&accept_, &self_tested_, &cna_}) e->cancel();
  cut_transmitter(now);
  command_ = 0;
  scb_job_ = ScbJob::none;
  cu_job_ = CuJob::none;
  ru_job_ = RuJob::none;
  cu_state_ = Cu::idle;
  ru_state_ = Ru::idle;
  resume_ = rfd_read_ = false;
  rbd_ = {};
  fifo_.clear();
  listening_ = arriving_ = overrun_ = false;
  receive_step_.cancel();
}

// Resets everything except the PHY and the EEPROM's pins.
void I8255x::software_reset(Time now) {
  stop_units(now);
  stat_ack_ = mask_ = 0;
  pointer_ = port_value_ = cu_base_ = ru_base_ = counters_address_ = 0;
  kept_ = {};
  config_ = {};
  address_ = {};
  hash_ = 0;
  statistics_ = {};
  update_interrupt(now);
}

void I8255x::write_port(Time now) {
  if (resetting()) return;
  switch (port_value_ & 15) {
    case port_software_reset:
      software_reset(now);
      reset_over_.at(now + timing_.reset);
      return;
    case port_selective_reset:
      stop_units(now);
      reset_over_.at(now + timing_.reset);
      return;
    case port_self_test:
      stop_units(now);
      self_tested_.at(now + timing_.self_test);
      return;
    case port_dump:
      if (scb_dma_.busy()) return;
      scb_job_ = ScbJob::dump;
      scb_dma_.write(BurstCommand::write, port_value_ & ~15u, dump_area(), now);
      return;
    default: return;
  }
}

void I8255x::self_tested(Time now) {
  std::array<std::uint8_t, 8> result{};
  put_word(result, 0, rom_signature);  // followed by the result, in which no bit set means passed
  scb_job_ = ScbJob::self_test;
  scb_dma_.write(BurstCommand::write, port_value_ & ~15u, result, now);
}

std::array<std::uint8_t, 596> I8255x::dump_area() const {
  std::array<std::uint8_t, 596> area{};
  auto next = std::copy(config_.bytes.begin(), config_.bytes.end(), area.begin());
  next = std::copy(address_.begin(), address_.end(), next);
  put_word(area, static_cast<std::size_t>(next - area.begin()), static_cast<std::uint32_t>(hash_));
  put_word(area, static_cast<std::size_t>(next - area.begin()) + 4, static_cast<std::uint32_t>(hash_ >> 32));
  return area;
}

void I8255x::scb_done(Time now) {
  const ScbJob job = std::exchange(scb_job_, ScbJob::none);
  if (job != ScbJob::self_test) return;
  software_reset(now);
  reset_over_.at(now + timing_.reset);
}

// ---- registers: bytes, in ascending order ----

std::uint8_t I8255x::byte(std::uint32_t offset) const {
  if (offset >= SCB_POINTER && offset < SCB_POINTER + 4) return byte_of(pointer_, offset - SCB_POINTER);
  if (offset >= PORT && offset < PORT + 4) return byte_of(port_value_, offset - PORT);
  if (offset >= MDI && offset < MDI + 4) return byte_of(mdi_, offset - MDI);
  switch (offset) {
    case SCB_STATUS:
      return static_cast<std::uint8_t>(static_cast<unsigned>(cu_state_) << 6 | static_cast<unsigned>(ru_state_) << 2);
    case SCB_STAT_ACK: return stat_ack_;
    case SCB_COMMAND: return command_;
    case SCB_MASK: return mask_;
    case EEPROM: return static_cast<std::uint8_t>(eeprom_pins_ | (eeprom_.data_out() ? EEDO : 0));
    case STATUS:
      return static_cast<std::uint8_t>((phy_.link() ? 1 : 0) | (phy_.mbit() == 100 ? 2 : 0) |
                                       (phy_.full_duplex() ? 4 : 0));
    default: break;
  }
  return offset >= EARLY_RX && offset < EARLY_RX + kept_.size() ? kept_[offset - EARLY_RX] : 0;
}

std::uint32_t I8255x::peek(std::uint32_t offset, unsigned bytes) const {
  return join_little(bytes, [&](unsigned n) { return byte(offset + n); });
}

void I8255x::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  for (unsigned n = 0; n < bytes; ++n) write_byte(offset + n, byte_of(value, n), now);
}

void I8255x::write_byte(std::uint32_t offset, std::uint8_t value, Time now) {
  if (offset >= SCB_POINTER && offset < SCB_POINTER + 4) return set_byte(pointer_, offset - SCB_POINTER, value);
  if (offset >= PORT && offset < PORT + 4) {
    set_byte(port_value_, offset - PORT, value);
    if (offset == PORT + 3) write_port(now);
    return;
  }
  if (offset >= MDI && offset < MDI + 4) {
    if (mdi_done_.pending()) return;
    set_byte(mdi_, offset - MDI, value);
    if (offset == MDI + 3) {
      mdi_ &= ~mdi_ready;
      mdi_done_.at(now + timing_.management);
    }
    return;
  }
  switch (offset) {
    case SCB_STAT_ACK:
      stat_ack_ &= static_cast<std::uint8_t>(~value);
      update_interrupt(now);
      return;
    case SCB_COMMAND:
      if (resetting() || value == 0) return;
      command_ = value;
      accept_.at(now + timing_.accept);
      return;
    case SCB_MASK:
      mask_ = value & static_cast<std::uint8_t>(~SI);
      if (value & SI && !(value & M)) stat_ack_ |= SWI;
      update_interrupt(now);
      return;
    case EEPROM:
      eeprom_pins_ = value & (EECS | EESK | EEDI);
      return eeprom_.pins(value & EECS, value & EESK, value & EEDI);
    case PMDR:
      kept_[PMDR - EARLY_RX] &= static_cast<std::uint8_t>(~value);  // events; none occurs
      return;
    case STATUS: return;
    default: break;
  }
  if (offset >= EARLY_RX && offset < EARLY_RX + kept_.size()) kept_[offset - EARLY_RX] = value;
}

std::string_view I8255x::register_name(std::uint32_t offset) {
  constexpr std::string_view names[] = {"SCB status",  "SCB STAT/ACK", "SCB command",  "SCB interrupt mask",
                                        "SCB pointer", "SCB pointer",  "SCB pointer",  "SCB pointer",
                                        "PORT",        "PORT",         "PORT",         "PORT",
                                        "flash",       "flash",        "EEPROM",       "EEPROM",
                                        "MDI",         "MDI",          "MDI",          "MDI",
                                        "RXBC",        "RXBC",         "RXBC",         "RXBC",
                                        "early RX",    "flow control", "flow control", "PMDR",
                                        "control",     "status"};
  return offset < std::size(names) ? names[offset] : std::string_view();
}

// ---- commands ----

// A statistics dump waits for the previous one; so does the command written with it.
void I8255x::accept(Time now) {
  const unsigned cuc = command_ >> 4 & 7u, ruc = command_ & 7u;
  if ((cuc == cu_dump || cuc == cu_dump_reset) && scb_dma_.busy()) {
    accept_.at(now + timing_.accept);
    return;
  }
  command_ = 0;
  switch (cuc) {
    case cu_start_: cu_start(now); break;
    case cu_resume_: cu_resume(now); break;
    case cu_load_counters: counters_address_ = pointer_; break;
    case cu_load_base: cu_base_ = pointer_; break;
    case cu_dump:
    case cu_dump_reset: dump_statistics(cuc == cu_dump_reset, now); break;
    default: break;
  }
  switch (ruc) {
    case ru_start_: ru_start(now); break;
    case ru_resume_: ru_resume(now); break;
    case ru_abort_: ru_abort(now); break;
    case ru_load_base: ru_base_ = pointer_; break;
    case ru_rbd: rbd_resume(now); break;
    default: break;
  }
}

void I8255x::dump_statistics(bool reset, Time now) {
  std::array<std::uint8_t, 4 * (statistics + tco_statistics + 1)> area{};
  for (std::size_t n = 0; n < statistics; ++n) put_word(area, 4 * n, statistics_[n]);
  const unsigned more = config_.tco_statistics()        ? tco_statistics
                        : config_.extended_statistics() ? flow_control_statistics
                                                        : 0u;
  const std::size_t end = std::size_t{4} * (statistics + more);
  put_word(area, end, reset ? dump_reset_done : dump_done);
  if (reset) statistics_ = {};
  scb_job_ = ScbJob::statistics;
  scb_dma_.write(BurstCommand::write, counters_address_, std::span(area).first(end + 4), now);
}

// ---- management of the PHY ----

void I8255x::mdi_done(Time now) {
  const unsigned op = mdi_ >> 26 & 3, phy = mdi_ >> 21 & 31, reg = mdi_ >> 16 & 31;
  if (op == mdi_read)
    mdi_ = (mdi_ & 0xFFFF0000) | (phy == phy_address ? phy_.read(reg, now) : 0xFFFFu);
  else if (op == mdi_write && phy == phy_address)
    phy_.write(reg, static_cast<std::uint16_t>(mdi_), now);
  mdi_ |= mdi_ready;
  if (mdi_ & mdi_interrupt) raise(MDI_DONE, now);
}

// Register 16 of the 82555: 1 100 Mbit/s, 0 full duplex.
std::uint16_t I8255x::vendor_peek(unsigned reg) const {
  constexpr unsigned status_and_control = 16;
  if (reg != status_and_control) return 0;
  return static_cast<std::uint16_t>((phy_.mbit() == 100 ? 2 : 0) | (phy_.full_duplex() ? 1 : 0));
}

// ---- interrupts ----

void I8255x::raise(std::uint8_t causes, Time now) {
  stat_ack_ |= causes;
  update_interrupt(now);
}

// CX, FR, CNA and RNR have mask bits in the same positions, ER and FCP two positions up; MDI and SWI have none.
void I8255x::update_interrupt(Time now) {
  const unsigned masked = (mask_ & (CX | FR | CNA | RNR)) | (mask_ >> 2 & (ER | FCP));
  const bool asserted = !(mask_ & M) && (stat_ack_ & ~masked);
  if (asserted == interrupt_) return;
  interrupt_ = asserted;
  host_.interrupt(asserted, now);
}

// ---- description, snapshots ----

void I8255x::describe(Description& d, Time now) const {
  d.reg("SCB status", peek(SCB_STATUS, 2), 16).reg("SCB command", command_, 8).reg("SCB interrupt mask", mask_, 8);
  d.reg("SCB pointer", pointer_, 32).reg("EEPROM", byte(EEPROM), 8).reg("MDI", mdi_, 32).flag("INTA#", interrupt_);
  d.reg("individual address", big_endian(address_), 48).reg("hash bits", hash_, 64);
  for (unsigned n = 0; n < config_.size; ++n) d.reg(fmt::format("configuration byte {}", n), config_.bytes[n], 8);
  constexpr const char* cu_states[] = {"idle", "suspended", "active"};
  Description& cu = d.part("command unit");
  cu.activity("state", cu_states[static_cast<unsigned>(cu_state_)]);
  cu.reg("base", cu_base_, 32).reg("block", cb_, 32).reg("link", cb_link_, 32).reg("command", cb_command_, 16);
  Description& transmit = d.part("transmit FIFO");
  transmit.activity("state", port_activity(port_)).level("bytes free", transmit_room(now));
  transmit.number("frames", frames_.size()).number("collisions", port_.collisions());
  Description& ru = d.part("receive unit");
  ru.activity("state", ru_state_ == Ru::ready       ? "ready"
                       : ru_state_ == Ru::idle      ? "idle"
                       : ru_state_ == Ru::suspended ? "suspended"
                                                    : "no resources");
  ru.reg("base", ru_base_, 32).reg("RFD", rfd_, 32).reg("link", rfd_link_, 32).number("size", rfd_size_);
  Description& receive = d.part("receive FIFO");
  receive.level("bytes free", receive_room()).number("frames", fifo_.size()).flag("overrun", overrun_);
  phy_.describe(d.part("82555"), now);
  eeprom_.describe(d.part("93C46"));
  engines_.describe(d);
}

void I8255x::archive(Archive& a) {
  a.section("i8255x", 3);
  a(stat_ack_, command_, mask_, pointer_, port_value_, mdi_, kept_, eeprom_pins_, interrupt_, config_, address_, hash_,
    statistics_, counters_address_, scb_job_);
  a(cu_state_, cu_job_, cu_base_, cb_, cb_link_, cb_command_, cb_status_, resume_, block_);
  a(frames_, buffers_, tbd_, tbds_left_, sending_, inside_, orphan_);
  a(ru_state_, ru_job_, ru_base_, rfd_, rfd_link_, rfd_size_, rfd_command_, rfd_read_);
  a(rbd_, rbd_first_);
  a(fifo_, listening_, arriving_, overrun_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.late_bus);
  port_.archive(a);
  phy_.archive(a);
  eeprom_.archive(a);
  engines_.archive(a);
  for (Event* e :
       {&accept_, &reset_over_, &self_tested_, &mdi_done_, &cna_, &run_dry_, &drained_, &looped_, &receive_step_})
    e->archive(a);
  if (a.saving()) return;
  // An engine has a burst exactly when its unit waits for one; a burst for a frame requires that frame.
  bool sound = scb_dma_.busy() == (scb_job_ != ScbJob::none) && cu_dma_.busy() == (cu_job_ != CuJob::none) &&
               ru_dma_.busy() == (ru_job_ != RuJob::none) && cu_state_ <= Cu::active && scb_job_ <= ScbJob::dump &&
               cu_job_ <= CuJob::resume && ru_job_ <= RuJob::status && block_.size() <= DmaEngine::longest;
  sound = sound && (buffers_.empty() || (!frames_.empty() && !frames_.back().complete));
  sound =
      sound && (!transmit_dma_.busy() || (!buffers_.empty() && transmit_dma_.data().size() <= buffers_.front().bytes));
  std::uint64_t to_come = 0;
  for (const Buffer& b : buffers_) to_come += b.bytes;
  sound = sound && (!sending_ || !frames_.empty()) && (!inside_ || sending_) && (!looped_.pending() || inside_);
  sound = sound && (!arriving_ || (!fifo_.empty() && !fifo_.back().complete));
  sound = sound && (ru_job_ < RuJob::rbd || (!fifo_.empty() && rfd_read_)) && rbd_.moved <= rbd_.size;
  sound = sound && (ru_job_ != RuJob::data ||
                    ru_dma_.data().size() <= fifo_.front().data.size() - std::size_t{fifo_.front().moved});
  sound = sound && buffers_.size() <= 256 && tbds_left_ <= 255 && frames_.size() <= timing_.transmit_fifo;
  for (const Sending& s : frames_)
    sound = sound && s.length <= frame_limit && (!s.complete || s.measured) &&
            s.data.size() + (s.complete ? 0 : to_come) == s.length && (s.complete || &s == &frames_.back());
  for (const Received& r : fifo_) sound = sound && r.moved <= r.data.size() && (r.complete || &r == &fifo_.back());
  if (!sound || receive_room() > timing_.receive_fifo)
    throw Error("snapshot holds a damaged 8255x; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
