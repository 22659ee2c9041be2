// SPDX-License-Identifier: GPL-2.0-or-later
// 8254x: registers, resets, interrupts, statistics, snapshots.
#include "devices/chips/i8254x/i8254x.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {

using namespace i8254x;

namespace {
constexpr std::uint64_t longest_counter = UINT32_MAX;  // counters stop there
constexpr Time longest_delay = 1_s;                    // maximum for any event in a sound snapshot
// EEPROM words, and those of their bits that go to CTRL (driver: e1000_fxhw.h).
constexpr unsigned init_control_1 = 0x0A;
constexpr std::uint32_t control_of(std::uint16_t word) {
  return (word & 0x0010u) << 3 | (word & 0x01E0u) << 17 | (word & 0x0200u ? CTRL_LRST : 0u) |
         (word & 0x0400u ? CTRL_FD : 0u);
}
constexpr std::uint32_t writable_in_table(std::uint32_t place) {
  return place >= RA && place < VFTA && place & 4 ? RAH_WRITABLE : ~0u;
}
constexpr bool in_tables(std::uint32_t place) { return place >= tables && place < tables_end; }
constexpr bool in_statistics(std::uint32_t place) { return place >= statistics && place < statistics_end; }
}  // namespace

I8254x::I8254x(Scheduler& scheduler, const std::string& name, I8254xHost& host, const I8254xConfig& config,
               const std::array<std::uint16_t, At93c46::words>& eeprom, std::uint64_t seed)
    : scheduler_(scheduler),
      host_(host),
      config_(config),
      reset_control_(control_of(eeprom[init_control_1])),
      reset_address_{eeprom[0] | std::uint32_t{eeprom[1]} << 16, eeprom[2] | RAH_AV},
      port_(scheduler, name + ".port", *this, seed),
      eeprom_(eeprom),
      engines_(host),
      receive_fetch_(scheduler, engines_, name, "receive fetch", Callback::to<&I8254x::receive_fetched>(this)),
      receive_write_back_(scheduler, engines_, name, "receive write-back",
                          Callback::to<&I8254x::receive_written>(this)),
      receive_data_(scheduler, engines_, name, "receive data", Callback::to<&I8254x::receive_moved>(this)),
      transmit_write_back_(scheduler, engines_, name, "transmit write-back",
                           Callback::to<&I8254x::transmit_written>(this)),
      transmit_fetch_(scheduler, engines_, name, "transmit fetch", Callback::to<&I8254x::transmit_fetched>(this)),
      transmit_data_(scheduler, engines_, name, "transmit data", Callback::to<&I8254x::transmit_read>(this)),
      reset_over_(scheduler, name + ".reset", Priority::device, Callback::to<&I8254x::reset_over>(this)),
      mdi_done_(scheduler, name + ".mdi", Priority::device, Callback::to<&I8254x::mdi_done>(this)),
      negotiated_(scheduler, name + ".negotiated", Priority::device, Callback::to<&I8254x::negotiated>(this)),
      pause_over_(scheduler, name + ".pause", Priority::device, Callback::to<&I8254x::try_send>(this)),
      receive_step_(scheduler, name + ".receive_step", Priority::device, Callback::to<&I8254x::receive_work>(this)),
      receive_delay_(scheduler, name + ".rdtr", Priority::device, Callback::to<&I8254x::receive_delay_over>(this)),
      transmit_step_(scheduler, name + ".transmit_step", Priority::device, Callback::to<&I8254x::transmit_work>(this)),
      transmit_delay_(scheduler, name + ".tidv", Priority::device, Callback::to<&I8254x::transmit_delay_over>(this)),
      looped_(scheduler, name + ".looped", Priority::device, Callback::to<&I8254x::looped>(this)) {
  load_defaults();
  count_receive_fill();
  port_.restore_pcs(own_pcs());
}

// ---- resets ----

void I8254x::load_defaults() {
  for (unsigned n = 0; n < row_count; ++n)
    if (rows[n].offset != EECD) values_[n] = rows[n].reset;
  reg(CTRL) = reset_control_;
  tables_ = {};
  std::copy(reset_address_.begin(), reset_address_.end(), tables_.begin() + (RA - tables) / 4);
  statistics_ = {};
}

// Resets everything except the EEPROM's pins.
void I8254x::reset(Time now) {
  cut_receiver(now);
  cut_transmitter(now);
  for (Event* e : {&mdi_done_, &negotiated_, &reset_over_}) e->cancel();
  load_defaults();
  xoff_sent_ = xoff_again_ = false;
  link_ = false;
  port_.set_pcs(own_pcs(), now);
  link_work(now);
  update_interrupt(now);
}

// ---- registers ----

bool I8254x::has(std::uint32_t place) const {
  if (place == ~0u || place % 4) return false;
  if (in_tables(place)) return true;
  if (in_statistics(place)) return true;
  const unsigned row = row_of(place);
  return row < row_count && (config_.is_82543 || !rows[row].only_82543);
}

std::uint32_t I8254x::value(std::uint32_t place) const {
  if (!has(place)) return 0;
  if (in_tables(place)) return tables_[(place - tables) / 4];
  if (in_statistics(place)) {
    const std::uint32_t n = (place - statistics) / 4;
    if (wide(place)) return static_cast<std::uint32_t>(statistics_[n]);
    if (n && wide(place - 4)) return static_cast<std::uint32_t>(statistics_[n - 1] >> 32);
    return static_cast<std::uint32_t>(std::min(statistics_[n], longest_counter));
  }
  switch (place) {
    case CTRL: return control();
    case STATUS: return status();
    case EECD: return (reg(EECD) & ~EEDO) | (eeprom_.data_out() ? EEDO : 0u);
    case RXCW: return receive_word();
    case IMC:
    case ICS: return 0;
    case PBA: return reg(PBA) | transmit_buffer() / 1024 << 16;
    default: return reg(place);
  }
}

std::uint32_t I8254x::peek(std::uint32_t offset, unsigned bytes) const {
  const std::uint32_t word = value(place(offset & ~3u, !config_.is_82543)) >> (8 * (offset & 3));
  return bytes >= 4 ? word : word & ((1u << (8 * bytes)) - 1);
}

std::uint32_t I8254x::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t result = peek(offset, bytes), at = place(offset & ~3u, !config_.is_82543);
  if (at == ICR) {
    reg(ICR) = 0;
    update_interrupt(now);
  }
  if (in_statistics(at)) {  // 64-bit counters are cleared with their high half
    const std::uint32_t n = (at - statistics) / 4;
    if (n && wide(at - 4))
      statistics_[n - 1] = 0;
    else if (!wide(at))
      statistics_[n] = 0;
  }
  return result;
}

void I8254x::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  const std::uint32_t at = place(offset & ~3u, !config_.is_82543);
  if (!has(at) || in_statistics(at)) return;
  if (bytes < 4) {
    const unsigned shift = 8 * (offset & 3);
    const std::uint32_t lanes = ((1u << (8 * bytes)) - 1) << shift;
    const std::uint32_t others = at == ICR ? 0 : this->value(at) & ~lanes;  // there a 1 acknowledges
    value = others | (value << shift & lanes);
  }
  write_word(at, value, now);
}

// The rings of the 82542 begin at pages (Linux 6.1 e1000_ethtool.c: its register test).
std::uint32_t I8254x::writable_bits(std::uint32_t at) const {
  constexpr std::uint32_t page = 0xFFFFF000;
  return rows[row_of(at)].writable & (!config_.is_82543 && (at == RDBAL || at == TDBAL) ? page : ~0u);
}

void I8254x::write_word(std::uint32_t at, std::uint32_t value, Time now) {
  if (in_tables(at)) {
    tables_[(at - tables) / 4] = value & writable_in_table(at);
    return;
  }
  if (reset_over_.pending()) return;
  const std::uint32_t before = reg(at), writable = writable_bits(at);
  reg(at) = (before & ~writable) | (value & writable);
  switch (at) {
    case CTRL:
      if (value & CTRL_RST) {
        reset(now);
        reg(CTRL) |= CTRL_RST;
        reset_over_.at(now + config_.reset);
        return;
      }
      return pcs_written(now);
    case TXCW: return pcs_written(now);
    case EECD: return eeprom_.pins(value & EECS, value & EESK, value & EEDI);
    case MDIC:
      reg(MDIC) &= ~MDI_READY;
      mdi_done_.at(now + config_.management);
      return;
    case ICR:  // writing 1 clears too
      reg(ICR) &= ~value;
      return update_interrupt(now);
    case ICS: return raise(value & causes, now);
    case IMS: reg(IMS) |= value & causes; return update_interrupt(now);
    case IMC: reg(IMS) &= ~value; return update_interrupt(now);
    case RCTL:
      if (value & RCTL_RST) return cut_receiver(now);
      return receive_work(now);
    case RDTR:
      if (value & RDTR_FPD) receive_delay_over(now);
      return;
    case RDH:
    case RDBAL:
    case RDBAH:
    case RDLEN: restart_receive_ring(now); return receive_work(now);
    case RDT: return receive_work(now);
    case PBA: reg(PBA) = std::clamp(reg(PBA), 1u, config_.packet_buffer / 1024 - 1); return;
    case TCTL:
      if (value & TCTL_SWXOFF) pause_wanted_ = Pause::xoff;
      reg(TCTL) &= ~TCTL_SWXOFF;
      if (value & TCTL_RST) return cut_transmitter(now);
      try_send(now);
      return transmit_work(now);
    case TDH:
    case TDBAL:
    case TDBAH:
    case TDLEN: restart_transmit_ring(now); return transmit_work(now);
    case TDT: return transmit_work(now);
    default: return;
  }
}

std::string_view I8254x::register_name(std::uint32_t offset, Direction) const {
  const std::uint32_t at = place(offset & ~3u, !config_.is_82543);
  if (at >= VFTA && at < tables_end) return "VFTA";
  if (at >= RA && at < VFTA) return at & 4 ? "RAH" : "RAL";
  if (at >= MTA && at < RA) return "MTA";
  if (in_statistics(at)) return "statistics";
  return has(at) ? rows[row_of(at)].name : std::string_view();
}

// No PHY responds: MDIO stays high.
void I8254x::mdi_done(Time now) {
  if (reg(MDIC) & MDI_READ) reg(MDIC) |= 0xFFFF;
  reg(MDIC) |= MDI_READY;
  if (reg(MDIC) & MDI_INT) raise(MDAC, now);
}

// ---- interrupts ----

void I8254x::raise(std::uint32_t what, Time now) {
  reg(ICR) |= what;
  update_interrupt(now);
}

void I8254x::update_interrupt(Time now) {
  const bool wanted = reg(ICR) & reg(IMS);
  if (wanted == interrupt_) return;
  interrupt_ = wanted;
  host_.interrupt(wanted, now);
}

void I8254x::bus_error(Time now) {
  if (!config_.is_82543) raise(PCIE, now);
}

// ---- common to both directions ----

/// The six counters of frames by size begin at `first`: 64, 65 to 127, 128 to 255, ... bytes with FCS.
void I8254x::count_size(std::uint32_t first, std::size_t bytes) {
  std::uint32_t n = 0;
  for (const std::size_t limit :
       {std::size_t{64}, std::size_t{127}, std::size_t{255}, std::size_t{511}, std::size_t{1023}})
    if (bytes > limit) ++n;
  ++tally(first + 4 * n);
}

DescriptorRing::Thresholds I8254x::thresholds(std::uint32_t control) const {
  if (!config_.is_82543) return {};
  const std::uint32_t unit = control & XDCTL_GRAN ? 1 : per_line();
  return {(control & 63) * unit, (control >> 8 & 63) * unit, (control >> 16 & 63) * unit};
}

std::uint32_t I8254x::transmit_buffer() const { return config_.packet_buffer - receive_buffer(); }

/// Writes back the first of `list`, with `bursts` all that follow it in memory; of a single descriptor only the second
/// half. Returns the number written.
std::uint32_t I8254x::write_back(Dma64& dma, std::uint64_t ring, const std::deque<Descriptor>& list, bool bursts,
                                 Time now) {
  std::uint32_t count = 1;
  while (bursts && count < list.size() && list[count].index == list[count - 1].index + 1) ++count;
  const std::uint64_t at = ring + std::uint64_t{list.front().index} * Descriptor::bytes;
  if (count == 1) {
    dma.write(at + 8, std::span(list.front().raw).subspan(8), abort_time(), now);
    return 1;
  }
  std::vector<std::uint8_t> data;
  for (std::uint32_t n = 0; n < count; ++n) data.insert(data.end(), list[n].raw.begin(), list[n].raw.end());
  dma.write(at, data, abort_time(), now);
  return count;
}

/// Space that a frame takes in the packet buffer: whole quadwords.
std::uint32_t I8254x::place_of(std::size_t bytes) const {
  return static_cast<std::uint32_t>((bytes + 7) & ~std::size_t{7}) + config_.frame_header;
}

// ---- for description and snapshots ----

void I8254x::describe(Description& d, Time now) const {
  for (unsigned n = 0; n < row_count; ++n)
    if (has(rows[n].offset)) d.reg(std::string(rows[n].name), value(rows[n].offset), 32);
  d.flag("interrupt", interrupt_).flag("link", link_);
  d.activity("receiver", !(reg(RCTL) & RCTL_EN) ? "off" : received_.empty() ? "listens" : "moves frames");
  d.activity("transmitter", port_activity(port_));
  d.level("packet buffer, received", receive_fill()).level("packet buffer, to send", transmit_fill());
  d.number("frames received", received_.size()).number("frames to send", frames_.size());
  d.number("receive descriptors cached", receive_ring_.cached());
  d.number("receive descriptors to write back", used_.size());
  d.number("transmit descriptors cached", transmit_ring_.cached());
  d.number("transmit descriptors to write back", reports_.size());
  const auto left = [now](const Event& e) { return e.pending() ? (e.when() - now).ps / 1000 : 0; };
  d.number("RDTR left, ns", left(receive_delay_)).number("TIDV left, ns", left(transmit_delay_));
  d.number("pause left, ns", left(pause_over_)).number("negotiation left, ns", left(negotiated_));
  engines_.describe(d.part("DMA"));
  eeprom_.describe(d.part("EEPROM"));
}

void I8254x::archive(Archive& a) {
  a.section("i8254x", 2);
  a(values_, tables_, statistics_, interrupt_, counters_.sent, counters_.received, counters_.overruns);
  a(link_, pause_wanted_, xoff_sent_, xoff_again_);
  a(receive_ring_, received_, used_, writing_back_, flush_used_, rxt0_due_);
  a(transmit_ring_, context_, popts_, frame_, report_, frames_, reports_, reporting_, flush_reports_, sending_, inside_,
    sending_pause_, orphan_);
  a(eeprom_);
  port_.archive(a);
  engines_.archive(a);
  for (Dma64* dma : {&receive_fetch_, &receive_write_back_, &receive_data_, &transmit_write_back_, &transmit_fetch_,
                     &transmit_data_})
    dma->archive(a);
  for (Event* e : {&reset_over_, &mdi_done_, &negotiated_, &pause_over_, &receive_step_, &receive_delay_,
                   &transmit_step_, &transmit_delay_, &looped_})
    e->archive(a);
  if (!a.loading()) return;
  count_receive_fill();
  port_.restore_pcs(own_pcs());
  if (!sound()) throw Error("snapshot holds a damaged 8254x; take a new one", ExitCode::missing_file);
}

bool I8254x::sound() const {
  const auto frames_fit = [&](const auto& frames, std::size_t most) {
    return std::all_of(frames.begin(), frames.end(), [&](const auto& f) { return f.data.size() <= most; });
  };
  bool ok = pause_wanted_ <= Pause::xon && reg(PBA) > 0 && receive_buffer() < config_.packet_buffer;
  ok = ok && frames_fit(received_, config_.packet_buffer) && frames_fit(frames_, config_.packet_buffer);
  ok = ok && frame_.size() <= config_.packet_buffer && receive_fill() <= config_.packet_buffer;
  ok = ok && transmit_fill() <= config_.packet_buffer;
  ok = ok && receive_ring_.cached() <= config_.receive_descriptors;
  ok = ok && transmit_ring_.cached() <= config_.transmit_descriptors;
  ok = ok && writing_back_ <= used_.size() && reporting_ <= reports_.size();
  ok = ok && (writing_back_ != 0) == receive_write_back_.busy() && (reporting_ != 0) == transmit_write_back_.busy();
  // A burst must have its source or destination.
  ok = ok &&
       (!receive_data_.busy() || (!received_.empty() && !receive_ring_.empty() && receive_data_.bytes() &&
                                  receive_data_.bytes() <= received_.front().data.size() - received_.front().moved));
  for (const Dma64* dma : {&receive_fetch_, &receive_write_back_, &receive_data_, &transmit_write_back_,
                           &transmit_fetch_, &transmit_data_})
    ok = ok && dma->sound();
  for (const Received& r : received_) ok = ok && !r.data.empty() && r.moved < r.data.size();
  for (const Sending& s : frames_) ok = ok && !s.data.empty();
  ok = ok && (!transmit_data_.busy() || !transmit_ring_.empty());
  ok = ok && (!sending_ || !frames_.empty()) && (!inside_ || sending_) && inside_ == looped_.pending();
  ok = ok && !(sending_ && sending_pause_);
  for (const Event* e : {&reset_over_, &mdi_done_, &negotiated_, &pause_over_, &receive_step_, &receive_delay_,
                         &transmit_step_, &transmit_delay_, &looped_})
    ok = ok && (!e->pending() || e->when() <= scheduler_.now() + longest_delay);
  return ok;
}

}  // namespace planar::ethernet
