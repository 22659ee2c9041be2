// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/sknet/sknet.hpp"

#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t ram_size = 0x4000;
constexpr std::uint32_t prom_end = 0x3FCC, latch_at = 0x3FF0, control_at = 0x3FF2, command_at = 0x3FF3;
constexpr std::uint8_t control_rap = 0x01, control_read = 0x02, control_run = 0x08;
constexpr std::uint8_t status_idle = 0x10, status_busy = 0x20;
constexpr std::uint8_t control_bits = control_rap | control_read | control_run;
constexpr std::uint8_t command_go = 0x80;

constexpr std::string_view limitations[] = {
    "The boot EPROM socket is empty; POS 2 bit 1 and the EPROM address have no effect.",
    "With POS 4 bits 1:0 other than 0 the MC2+ decodes no window; the real one decodes it above 15 MB, at an unknown "
    "address.",
    "The MC2+ serves interrupts 3, 5, 10, 11 as the older boards do; newer ones have 3, 5, 9, 10.",
    "Selecting the medium has no effect: whatever is plugged in is used.",
    "The polarity of status bit 4 (0 = interrupt pending) is as in Linux; NetBSD found the bit unreliable.",
    "Odd offsets of the station address and the bytes between it and the latch read FFh; what is there is not known.",
    "The transceiver is taken to deliver the collision heartbeat; chip: see the simplifications of the Am7990.",
};

constexpr OemId oem_ids[] = {{SkNet::mc2_plus_id, "SKnet MC2+"}, {SkNet::junior_id, "SKnet Junior MC2"}};

}  // namespace

const McaEntry SkNet::entry{.name = "sknet",
                            .title = "SKnet MC2+",
                            .adapter_id = mc2_plus_id,
                            .medium = MediumKind::ethernet_10,
                            .data_path = "shared RAM",
                            .bus_width = 16,
                            .make = make_network_card<SkNet>,
                            .limits = limitations};

SkNet::SkNet(const McaContext& context)
    : SkNet(context, station_options(context, entry.name, oem_ids, {0x00, 0x00, 0x5A})) {}

SkNet::SkNet(const McaContext& context, const StationOptions& o)
    : McaNetworkCard(context.slot, entry, o.adapter_id, {whole_byte, {0x0F, 0x30}, whole_byte}),
      LanceRam(slot_.scheduler(), slot_.device_name(entry.name), ram_size, o.profile, o.seed),
      mac_(o.mac),
      transfer_time_(o.profile.time("register.transfer")),
      transfer_done_(slot_.scheduler(), slot_.device_name("sknet.transfer_done"), Priority::device,
                     Callback::to<&SkNet::transfer_done>(this)) {}

// ---- POS ----

// The Junior has only POS 2.
std::uint8_t SkNet::pos_peek(unsigned reg) const { return junior() && reg > 2 ? 0xFF : McaCard::pos_peek(reg); }

// The MC2+ driver enables the card itself: while looking for it, it clears POS 4 bits 1:0 and sets POS 2 bit 0.
void SkNet::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (!junior() || reg <= 2) McaCard::pos_write(reg, value, now);
}

unsigned SkNet::irq_line() const {
  constexpr unsigned lines[] = {3, 5, 10, 11};
  return junior() ? (pos_[2] & 0x10 ? 11 : 10) : lines[pos_[4] >> 2 & 3];
}

void SkNet::apply_pos() {
  claim_.release();
  if (!enabled() || (!junior() && pos_[4] & 3)) return;
  const unsigned n = junior() ? pos_[2] >> 1 & 7 : pos_[3] & 7;
  claim_ = slot_.claim_memory(0xC0000 + n * ram_size, ram_size, window_, window_cycle());
}

void SkNet::reset_board(Time now) {
  control_ = 0;
  transfer_done_.cancel();
  chip_.reset(now);
}

// ---- the window ----

std::uint32_t SkNet::Window::peek(std::uint32_t offset, unsigned bytes, Time now) const {
  if (offset < registers) return SharedRam::peek(offset, bytes, now);
  return join_little(bytes, [&](unsigned i) { return card.register_byte(offset + i); });
}

std::uint32_t SkNet::Window::read(std::uint32_t offset, unsigned bytes, Time now) {
  return offset < registers ? SharedRam::read(offset, bytes, now) : peek(offset, bytes, now);
}

void SkNet::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (offset < registers) {
    SharedRam::write(offset, bytes, value, now);
    return;
  }
  for (unsigned i = 0; i < bytes; ++i)
    card.write_register_byte(offset + i, static_cast<std::uint8_t>(value >> 8 * i), now);
}

std::uint8_t SkNet::register_byte(std::uint32_t offset) const {
  if (offset < prom_end) return offset & 1 ? 0xFF : mac_[(offset - registers) / 2];
  switch (offset) {
    case latch_at: return static_cast<std::uint8_t>(latch_);
    case latch_at + 1: return static_cast<std::uint8_t>(latch_ >> 8);
    case control_at:
      return static_cast<std::uint8_t>(control_ | (irq_.cause() ? 0 : status_idle) |
                                       (transfer_done_.pending() ? status_busy : 0));
    default: return 0xFF;
  }
}

void SkNet::write_register_byte(std::uint32_t offset, std::uint8_t value, Time now) {
  switch (offset) {
    case latch_at: latch_ = static_cast<std::uint16_t>((latch_ & 0xFF00) | value); break;
    case latch_at + 1: latch_ = static_cast<std::uint16_t>((latch_ & 0x00FF) | value << 8); break;
    case control_at:
      control_ = value & control_bits;
      if (!(control_ & control_run)) {
        transfer_done_.cancel();
        chip_.reset(now);
      }
      break;
    case command_at:
      // The LANCE responds as a slave only while it is not master of its bus.
      if (value & command_go && control_ & control_run && !transfer_done_.pending())
        transfer_done_.at(chip_.local_bus_free(now) + transfer_time_);
      break;
    default: break;
  }
}

void SkNet::transfer_done(Time now) {
  if (control_ & control_read)
    latch_ = control_ & control_rap ? chip_.read_rap() : chip_.read_rdp();
  else if (control_ & control_rap)
    chip_.write_rap(latch_);
  else
    chip_.write_rdp(latch_, now);
}

void SkNet::describe_board(Description& d) const {
  d.reg("station address", big_endian(mac_), 48).reg("control", register_byte(control_at), 8).reg("latch", latch_, 16);
  d.flag("register transfer", transfer_done_.pending());
  chip_.describe(d.part("Am7990"));
}

void SkNet::archive(Archive& a) {
  a.section("sknet", 1);
  a(adapter_id_, mac_, pos_, control_, latch_, irq_);
  archive_ram(a);
  chip_.archive(a);
  transfer_done_.archive(a);
  if (a.loading()) restored(irq_.cause());
}

}  // namespace planar::ethernet
