// SPDX-License-Identifier: GPL-2.0-or-later
// RTL8139: registers, configuration, timer, interrupts.
#include "devices/chips/rtl8139/rtl8139.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t chip_version = 0x70000000;  // of TCR: revision A
constexpr std::uint32_t all_lanes = 0xFFFFFFFF;
constexpr std::uint16_t causes = 0xE07F;
constexpr std::uint32_t timer_wrap_bits = 32;

// Words read by drivers of the period; the others are 0 (the contents of an unprogrammed card are unknown).
constexpr unsigned address_word = 7;
std::array<std::uint16_t, At93c46::words> eeprom_contents(const net::MacAddress& mac) {
  std::array<std::uint16_t, At93c46::words> words{0x8129, 0x10EC, 0x8139, 0x10EC, 0x8139, 0x4020};
  for (unsigned n = 0; n < 3; ++n) words[address_word + n] = load_little<std::uint16_t>(&mac[2 * n]);
  return words;
}

constexpr std::uint32_t merge(std::uint32_t old, std::uint32_t value, std::uint32_t lanes) {
  return (old & ~lanes) | (value & lanes);
}

}  // namespace

Rtl8139::Rtl8139(Scheduler& scheduler, const std::string& name, BurstHost& host, const Rtl8139Config& config,
                 const net::MacAddress& mac, std::uint64_t seed)
    : scheduler_(scheduler),
      host_(host),
      config_(config),
      eeprom_(eeprom_contents(mac)),
      port_(scheduler, name, *this, seed),
      phy_(scheduler, name + ".phy", port_, config.phy, *this),
      dma_(host),
      receive_dma_(dma_, "receive DMA", Callback::to<&Rtl8139::moved>(this)),
      transmit_dma_(dma_, "transmit DMA", Callback::to<&Rtl8139::fetched>(this)),
      reset_done_(scheduler, name + ".reset_done", Priority::device, Callback::to<&Rtl8139::reset_done>(this)),
      timer_due_(scheduler, name + ".timer", Priority::timer, Callback::to<&Rtl8139::timer_due>(this)),
      transmit_due_(scheduler, name + ".transmit", Priority::device, Callback::to<&Rtl8139::transmit_due>(this)),
      starved_(scheduler, name + ".starved", Priority::device, Callback::to<&Rtl8139::starved>(this)),
      inside_ends_(scheduler, name + ".inside_ends", Priority::device, Callback::to<&Rtl8139::inside_ends>(this)),
      receive_due_(scheduler, name + ".receive", Priority::device, Callback::to<&Rtl8139::receive_due>(this)) {
  const auto words = eeprom_contents(mac);
  for (unsigned n = 0; n < eeprom_address_.size(); ++n) eeprom_address_[n] = words[address_word + n];
  // Realtek's 8029 sheet says this of its late collisions; assumed for this chip too [inferred].
  port_.mac().retry_late_collisions = true;
  autoload();
  clear(scheduler.now());
}

// ---- the register window ----

std::string_view Rtl8139::register_name(std::uint32_t offset) {
  struct Name {
    std::uint8_t first, last;
    std::string_view name;
  };
  static constexpr Name names[] = {
      {0x00, 0x05, "IDR"},     {0x08, 0x0F, "MAR"},      {0x10, 0x13, "TSD0"},      {0x14, 0x17, "TSD1"},
      {0x18, 0x1B, "TSD2"},    {0x1C, 0x1F, "TSD3"},     {0x20, 0x23, "TSAD0"},     {0x24, 0x27, "TSAD1"},
      {0x28, 0x2B, "TSAD2"},   {0x2C, 0x2F, "TSAD3"},    {0x30, 0x33, "RBSTART"},   {0x34, 0x35, "ERBCR"},
      {0x36, 0x36, "ERSR"},    {0x37, 0x37, "CR"},       {0x38, 0x39, "CAPR"},      {0x3A, 0x3B, "CBR"},
      {0x3C, 0x3D, "IMR"},     {0x3E, 0x3F, "ISR"},      {0x40, 0x43, "TCR"},       {0x44, 0x47, "RCR"},
      {0x48, 0x4B, "TCTR"},    {0x4C, 0x4F, "MPC"},      {0x50, 0x50, "9346CR"},    {0x51, 0x51, "CONFIG0"},
      {0x52, 0x52, "CONFIG1"}, {0x54, 0x57, "TimerInt"}, {0x58, 0x58, "MSR"},       {0x5B, 0x5B, "HLTCLK"},
      {0x5C, 0x5D, "MULINT"},  {0x5E, 0x5E, "RERID"},    {0x60, 0x61, "TSAD"},      {0x62, 0x63, "BMCR"},
      {0x64, 0x65, "BMSR"},    {0x66, 0x67, "ANAR"},     {0x68, 0x69, "ANLPAR"},    {0x6A, 0x6B, "ANER"},
      {0x70, 0x71, "NWAYTR"},  {0x74, 0x75, "CSCR"},     {0x78, 0x7B, "PHY1_PARM"}, {0x7C, 0x7F, "TW_PARM"},
  };
  for (const Name& n : names)
    if (offset >= n.first && offset <= n.last) return n.name;
  return {};
}

std::uint32_t Rtl8139::doubleword(unsigned at) const {
  const Time now = scheduler_.now();
  const auto phy = [&](MiiPhy::Register reg) { return std::uint32_t{phy_.peek(reg, now)}; };
  switch (at) {
    case IDR0: return idr_[0];
    case IDR4: return idr_[1] & 0xFFFF;
    case MAR0: return mar_[0];
    case MAR4: return mar_[1];
    case RBSTART: return rbstart_;
    case ERBCR:
      return static_cast<std::uint32_t>(cr_ | (sending_ ? TE : 0) | (empty() ? BUFE : 0) |
                                        (reset_done_.pending() ? RST : 0))
             << 24;
    case CAPR: return capr_ | (cbr_ & 0xFFFF) << 16;
    case IMR: return imr_ | std::uint32_t{isr_} << 16;
    case TCR: return tcr_ | chip_version;
    case RCR: return rcr_;
    case TCTR: return timer(now);
    case MPC: return mpc_;
    case CR9346: {
      const bool data_out = (eecmd_ & EEM) == PROGRAM && eeprom_.data_out();
      return eecmd_ | (data_out ? unsigned{EEDO} : 0u) | std::uint32_t{config1_ | unsigned{IOMAP | MEMMAP}} << 16;
    }
    case TIMERINT: return timer_int_;
    case MSR: return (phy_.link() ? 0u : unsigned{LINKB}) | (phy_.mbit() == 10 ? unsigned{SPEED_10} : 0u);
    case MULINT: return mulint_ | std::uint32_t{revision} << 16;
    case TSAD: {
      std::uint32_t all = 0;
      for (unsigned n = 0; n < slots; ++n) {
        const std::uint32_t t = tsd_[n];
        all |= (t & OWN ? 0x0001u : 0) << n | (t & TABT ? 0x0010u : 0) << n | (t & TUN ? 0x0100u : 0) << n |
               (t & TOK ? 0x1000u : 0) << n;
      }
      return all | phy(MiiPhy::BMCR) << 16;
    }
    case BMSR: return phy(MiiPhy::BMSR) | phy(MiiPhy::ANAR) << 16;
    case ANLPAR: return phy(MiiPhy::ANLPAR) | phy(MiiPhy::ANER) << 16;
    case NWAYTR: return nwaytr_;
    case CSCR: return cscr_ | (phy_.link() ? unsigned{LINK_OK} : 0u) | (link_change_ ? unsigned{LINK_CHANGE} : 0u);
    case PHY1_PARM: return phy1_parm_;
    case TW_PARM: return tw_parm_;
    default: break;
  }
  if (at >= TSD0 && at < TSAD0) return tsd_[(at - TSD0) / 4];
  if (at >= TSAD0 && at < RBSTART) return tsad_[(at - TSAD0) / 4];
  return 0;
}

std::uint32_t Rtl8139::peek(std::uint32_t offset, unsigned bytes) const {
  const std::uint32_t value = doubleword(offset & 0xFC) >> (8 * (offset & 3));
  return bytes >= 4 ? value : value & ((1u << (8 * bytes)) - 1);
}

std::uint32_t Rtl8139::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes);
  const auto touches = [&](std::uint32_t at) { return offset <= at && at < offset + bytes; };
  if (touches(0x64)) phy_.read(MiiPhy::BMSR, now);
  if (touches(0x6A)) phy_.read(MiiPhy::ANER, now);
  if (touches(0x75)) link_change_ = false;  // [inferred] the driver reads it once per change
  return value;
}

void Rtl8139::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  const unsigned shift = 8 * (offset & 3);
  const std::uint32_t lanes = (bytes >= 4 ? all_lanes : (1u << (8 * bytes)) - 1) << shift;
  write_lanes(offset & 0xFC, value << shift, lanes, now);
}

void Rtl8139::write_lanes(unsigned at, std::uint32_t value, std::uint32_t lanes, Time now) {
  const auto low = static_cast<std::uint16_t>(value), high = static_cast<std::uint16_t>(value >> 16);
  const bool whole = lanes == all_lanes;
  if (reset_done_.pending()) return;
  switch (at) {
    case IDR0:
    case IDR4:
      if (whole && unlocked()) idr_[(at - IDR0) / 4] = value;  // if_rl.c: the sheet does not document this
      return;
    case MAR0:
    case MAR4:
      if (whole) mar_[(at - MAR0) / 4] = value;
      return;
    case RBSTART: rbstart_ = merge(rbstart_, value, lanes); return;
    case ERBCR:
      if (lanes >> 24) command(static_cast<std::uint8_t>(value >> 24), now);
      return;
    case CAPR:
      if (lanes & 0xFFFF) write_capr(static_cast<std::uint16_t>(merge(capr_, low, lanes & 0xFFFF)), now);
      return;
    case IMR:
      imr_ = static_cast<std::uint16_t>(merge(imr_, low, lanes & 0xFFFF)) & causes;
      isr_ &= static_cast<std::uint16_t>(~(high & lanes >> 16));
      if (high & lanes >> 16 & RXOVW) dismiss_overflow(now);
      update_interrupt(now);
      return;
    case TCR: write_tcr(value, lanes, now); return;
    case RCR:  // all bits [inferred]; rtl8139.hpp has the sources
      if (cr_ & RE) write_rcr(merge(rcr_, value, lanes), now);
      return;
    case TCTR:
      timer_start_ = now;
      set_timer(now);
      return;
    case MPC: mpc_ = 0; return;
    case CR9346: write_config(value, lanes, now); return;
    case TIMERINT:
      timer_int_ = merge(timer_int_, value, lanes);
      set_timer(now);
      return;
    case MSR:  // [inferred] HLTCLK takes effect only in power down: rtl8139.c never writes R, and works after its reset
      if (lanes >> 24 && (high >> 8 == 'R' || high >> 8 == 'H')) clock_halted_ = high >> 8 == 'H' && asleep();
      return;
    case MULINT: mulint_ = static_cast<std::uint16_t>(merge(mulint_, low, lanes & 0xFFFF)) & 0x0FFF; return;
    case TSAD: {
      constexpr std::uint32_t locked_bits = 0x3100u << 16;  // speed, negotiation and duplex (Realtek's data sheet)
      write_phy(MiiPhy::BMCR, value, unlocked() ? lanes : lanes & ~locked_bits, now);
      return;
    }
    case BMSR: write_phy(MiiPhy::ANAR, value, lanes, now); return;
    case NWAYTR: nwaytr_ = merge(nwaytr_, value, lanes & 0xFFFF); return;
    case CSCR: cscr_ = static_cast<std::uint16_t>(merge(cscr_, low, lanes & 0xFFFF)) & ~(LINK_OK | LINK_CHANGE); return;
    case PHY1_PARM: phy1_parm_ = merge(phy1_parm_, value, lanes); return;
    case TW_PARM: tw_parm_ = merge(tw_parm_, value, lanes); return;
    default: break;
  }
  if (at >= TSD0 && at < TSAD0) {
    if (whole) write_tsd((at - TSD0) / 4, value, now);
  } else if (at >= TSAD0 && at < RBSTART) {
    std::uint32_t& address = tsad_[(at - TSAD0) / 4];
    address = merge(address, value, lanes);
  }
}

// Its registers are the upper halves of their doublewords.
void Rtl8139::write_phy(MiiPhy::Register reg, std::uint32_t value, std::uint32_t lanes, Time now) {
  if (lanes >> 16 == 0) return;
  phy_.write(reg, static_cast<std::uint16_t>(merge(phy_.peek(reg, now), value >> 16, lanes >> 16)), now);
}

// ---- command, configuration ----

void Rtl8139::command(std::uint8_t value, Time now) {
  if (value & RST) {
    clear(now);
    reset_done_.at(now + config_.reset);
    return;
  }
  const auto changed = static_cast<std::uint8_t>(cr_ ^ value);
  cr_ = value & (TE | RE);
  if (changed & RE) {
    if (cr_ & RE)
      start_receiver();
    else
      stop_receiver(now);
  }
  if (changed & TE && !(cr_ & TE)) disable_transmitter(now);
  start_next(now);
}

void Rtl8139::write_config(std::uint32_t value, std::uint32_t lanes, Time now) {
  if (lanes & 0xFF) {
    eecmd_ = value & (EEM | EECS | EESK | EEDI);
    if ((eecmd_ & EEM) == PROGRAM)
      eeprom_.pins(eecmd_ & EECS, eecmd_ & EESK, eecmd_ & EEDI);
    else
      eeprom_.pins(false, false, false);
    if ((eecmd_ & EEM) == AUTOLOAD) {  // and back to normal by itself
      autoload();
      eecmd_ = NORMAL;
    }
  }
  if (lanes >> 16 & 0xFF && unlocked()) {
    const bool slept = asleep();
    config1_ = static_cast<std::uint8_t>(value >> 16) & static_cast<std::uint8_t>(~(IOMAP | MEMMAP));
    if (slept && !asleep()) {
      clock_halted_ = false;
      start_next(now);
      move(now);
    }
  }
}

void Rtl8139::autoload() { idr_ = {eeprom_address_[0] | std::uint32_t{eeprom_address_[1]} << 16, eeprom_address_[2]}; }

void Rtl8139::reset(Time now) {
  reset_done_.cancel();
  autoload();
  mar_ = {};
  eecmd_ = config1_ = 0;
  clock_halted_ = false;
  timer_int_ = 0;
  cscr_ = 0;
  nwaytr_ = phy1_parm_ = tw_parm_ = 0;
  phy_.reset(now);
  clear(now);
}

// CR.RST: addresses, configuration and the PHY are kept.
void Rtl8139::clear(Time now) {
  dma_.cancel(now);
  stop_transmitter(now);
  stop_receiver(now);
  tsd_.fill(OWN);
  tsad_ = {};
  rbstart_ = tcr_ = rcr_ = mpc_ = 0;
  capr_ = 0xFFF0;
  cbr_ = 0;
  imr_ = isr_ = mulint_ = 0;
  cr_ = 0;
  link_change_ = false;
  port_.mac().attempts = 16;
  timer_start_ = now;
  set_timer(now);
  update_interrupt(now);
}

// ---- timer, interrupts, link ----

std::uint32_t Rtl8139::timer(Time now) const {
  return static_cast<std::uint32_t>((now - timer_start_) / config_.timer_clock);
}

void Rtl8139::set_timer(Time now) {
  if (timer_int_ == 0) {
    timer_due_.cancel();
    return;
  }
  Time due = timer_start_ + config_.timer_clock * std::int64_t{timer_int_};
  const Time round = config_.timer_clock * (std::int64_t{1} << timer_wrap_bits);
  if (due <= now) due += round * ((now - due) / round + 1);
  timer_due_.at(due);
}

void Rtl8139::timer_due(Time now) {
  raise(TIMEOUT, now);
  set_timer(now);
}

void Rtl8139::raise(unsigned raised, Time now) {
  isr_ |= static_cast<std::uint16_t>(raised);
  update_interrupt(now);
}

void Rtl8139::update_interrupt(Time now) {
  if (interrupt() == asserted_) return;
  asserted_ = interrupt();
  host_.interrupt(asserted_, now);
}

void Rtl8139::phy_link_changed(bool, Time now) {
  link_change_ = true;
  raise(PUN, now);
}

// ---- ----

void Rtl8139::describe(Description& d) const {
  d.reg("CR", peek(0x37, 1), 8).reg("ISR", isr_, 16).reg("IMR", imr_, 16).reg("TCR", peek(TCR, 4), 32);
  d.reg("RCR", rcr_, 32).reg("9346CR", peek(0x50, 1), 8).reg("CONFIG1", peek(0x52, 1), 8).reg("MSR", peek(MSR, 1), 8);
  d.reg("CSCR", peek(CSCR, 2), 16).reg("TCTR", peek(TCTR, 4), 32).reg("TimerInt", timer_int_, 32);
  d.reg("MPC", mpc_, 24).reg("MULINT", mulint_, 16);
  d.reg("MAR0", mar_[0], 32).reg("MAR4", mar_[1], 32);
  d.flag("INT", asserted_).flag("clock halted", clock_halted_);
  Description& transmit = d.part("transmitter");
  transmit.activity("state", given_     ? port_activity(port_)
                             : sending_ ? "reads the frame"
                             : aborted_ ? "waits for CLRABT"
                                        : "idle");
  for (unsigned n = 0; n < slots; ++n)
    transmit.reg(fmt::format("TSD{}", n), tsd_[n], 32).reg(fmt::format("TSAD{}", n), tsad_[n], 32);
  transmit.number("slot", turn_).number("bytes read", fetched_).number("bytes", frame_.size());
  transmit.number("collisions", port_.collisions());
  Description& receive = d.part("receiver");
  receive.reg("RBSTART", rbstart_, 32).reg("CAPR", capr_, 16).reg("CBR", cbr_, 16);
  receive.level("ring bytes used", used()).level("FIFO bytes", fifo_used()).number("frames", fifo_.size());
  receive.flag("ring full", ring_full_).flag("FIFO overflow", overflowed_);
  dma_.describe(d);
  phy_.describe(d.part("PHY"), scheduler_.now());
  eeprom_.describe(d.part("EEPROM"));
}

void Rtl8139::archive(Archive& a) {
  a.section("rtl8139", 2);
  a(eeprom_, eeprom_address_, idr_, mar_, tsd_, tsad_, rbstart_, tcr_, rcr_, mpc_, timer_int_, capr_, imr_, isr_,
    mulint_, cscr_, cbr_, cr_, eecmd_, config1_, nwaytr_, phy1_parm_, tw_parm_, clock_halted_, link_change_, asserted_,
    timer_start_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.fifo, counters_.underruns,
    counters_.transmit_errors, counters_.receive_errors);
  a(turn_, sending_, given_, again_, aborted_, orphan_, frame_, fetched_, threshold_, fetch_from_);
  a(fifo_, arriving_, addressed_, header_, ring_full_, overflowed_);
  a(port_, phy_, dma_);
  for (Event* e : {&reset_done_, &timer_due_, &transmit_due_, &starved_, &inside_ends_, &receive_due_}) e->archive(a);
  if (a.saving()) return;
  const bool sound = cbr_ < ring_bytes() && cbr_ % 4 == 0 && turn_ < slots && fetched_ <= frame_.size() &&
                     frame_.size() <= SIZE && (sending_ || !(given_ || transmit_dma_.busy() || inside_ends_.pending()));
  bool fifo_sound = !arriving_ || (!fifo_.empty() && !fifo_.back().ended && !fifo_.back().dropped);
  for (const Received& f : fifo_)
    fifo_sound = fifo_sound && f.moved <= f.data.size() && f.data.size() <= longest_received;
  if (sound && fifo_sound && transmit_dma_.busy()) fifo_sound = fetched_ + transmit_dma_.data().size() <= frame_.size();
  if (sound && fifo_sound && receive_dma_.busy())
    fifo_sound = !fifo_.empty() && (header_ ? fifo_.front().ended : receive_dma_.data().size() <= fifo_.front().held());
  if (!sound || !fifo_sound || (header_ && !receive_dma_.busy()))
    throw Error("snapshot holds a damaged RTL8139; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
