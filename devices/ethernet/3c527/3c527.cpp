// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/3c527/3c527.hpp"

#include "devices/adapter/station_options.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint8_t pos5_check = 0x80;  // reads 1: no channel check
constexpr std::uint8_t rom_address = 12;   // of the station address in the identity ROM
constexpr std::array<std::uint16_t, 8> io_bases{0x7280, 0x7290, 0x7680, 0x7690, 0x7A80, 0x7A90, 0x7E80, 0x7E90};
constexpr std::uint16_t decoded_ports = 0x10;

constexpr std::string_view limitations[] = {
    "The firmware is described, not run: what it answers is what drivers see, how long it takes is inferred.",
    "Of the window's 16, 32 or 48 KB the card's 16 KB of RAM repeat; its frame buffers are not visible in it.",
    "The fields of arbitration level and fairness (POS 4) are planar's own choice; the manual could not be had.",
    "Transfers are basic cycles; whether the card streams is unknown, and so are its cache-line and parity bits.",
    "Identity ROM: only the station address is known. The RAM page port (+8) is unused by all drivers and reads FFh.",
    "Exec commands 3, 5, 7, 9 to 12, network management and statistics overflow are not known; no boot ROM.",
};

constexpr SisterId sister_ids[] = {{ThreeC527::threecom_id, "3Com"}, {0x8EF5, "IBM High Performance LAN Adapter"}};

Mc32Timing firmware_timing(const TimingProfile& p) {
  return {p.time("firmware.self_test"),
          p.time("firmware.response"),
          p.time("firmware.command"),
          p.time("firmware.exec"),
          p.time("firmware.transmit"),
          p.time("firmware.sent"),
          p.time("firmware.receive"),
          p.time("firmware.notice"),
          p.time("chip.chain"),
          static_cast<unsigned>(p.integer("ram.transmit_buffers", 1, 8)),
          static_cast<unsigned>(p.integer("ram.receive_buffers", 1, 8))};
}

std::unique_ptr<NetworkAdapter> make_3c527(const AdapterContext& context) {
  const StationOptions o = station_options(context, "3c527", sister_ids, {0x02, 0x60, 0x8C});
  auto card = std::make_unique<ThreeC527>(context.slot, o.adapter_id, o.mac, o.profile, o.seed);
  if (context.medium) card->chip().port().attach(*context.medium);
  return card;
}

std::vector<TimingValue> timing_rows() { return TimingProfile::embedded(profile_path("3c527")).rows(); }

std::string device_name(const bus::Slot& slot) { return slot.device_name("3c527"); }

}  // namespace

const AdapterEntry ThreeC527::entry{"3c527",      "3Com 3C527 EtherLink/MC 32",
                                    threecom_id,  MediumKind::ethernet_10,
                                    "bus master", 32,
                                    make_3c527,   timing_rows,
                                    limitations};

ThreeC527::ThreeC527(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac,
                     const TimingProfile& profile, std::uint64_t seed)
    : slot_(slot),
      adapter_id_(adapter_id),
      mac_(mac),
      port_cycle_{8, bus::CycleKind::synchronous_extended, {}},
      window_cycle_{16, bus::CycleKind::asynchronous, profile.time("window.ready_delay")},
      chip_(slot.scheduler(), device_name(slot), *this, firmware_timing(profile), mac, seed),
      master_(slot, device_name(slot), *this, static_cast<std::uint32_t>(profile.integer("master.burst", 4, 128))) {}

// ---- POS ----

std::uint8_t ThreeC527::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(adapter_id_);
    case 1: return static_cast<std::uint8_t>(adapter_id_ >> 8);
    case 3: {
      const unsigned n = pos_[4] - rom_address;
      return pos_[5] == 0 && n < mac_.size() ? mac_[n] : 0xFF;
    }
    case 5: return pos_[3] | pos5_check;
    default: return pos_[reg - 2];
  }
}

void ThreeC527::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg < 2 || pos_[reg - 2] == value) return;
  pos_[reg - 2] = value;
  if (reg != 6 && reg != 7) decode(now);
}

void ThreeC527::decode(Time now) {
  master_.configure(arbitration_level(), pos_[2] & 0x40);
  slot_.release_irqs(now);
  if (enabled() && interrupt_) slot_.set_irq(irq_line(), true, now);
  claim();
}

void ThreeC527::claim() {
  io_claim_.release();
  window_claim_.release();
  if (!enabled()) return;
  const std::uint16_t base = io_bases[pos_[0] >> 1 & 7];
  io_claim_ = slot_.claim_io(base, base + decoded_ports - 1, ports_, port_cycle_);
  const unsigned size = pos_[3] >> 4 & 3;
  if ((pos_[2] & 1) && size != 3)
    window_claim_ =
        slot_.claim_memory(0xC0000 + (pos_[0] >> 4 & 7) * 0x4000u, (size + 1) * 0x4000, window_, window_cycle_);
}

void ThreeC527::channel_reset(Time now) {
  pos_ = {};
  interrupt_ = false;
  chip_.write(Mc32::CONTROL, Mc32::RESET, now);
  decode(now);
  chip_.write(Mc32::CONTROL, 0, now);
}

void ThreeC527::interrupt(bool asserted, Time now) {
  interrupt_ = asserted;
  if (enabled()) slot_.set_irq(irq_line(), asserted, now);
}

// ---- the window ----

std::uint32_t ThreeC527::Window::peek(std::uint32_t offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{card.chip_.ram_peek(offset + i)} << (8 * i);
  return value;
}

void ThreeC527::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  for (unsigned i = 0; i < bytes; ++i)
    card.chip_.ram_write(offset + i, static_cast<std::uint8_t>(value >> (8 * i)), now);
}

// ---- bus master ----

void ThreeC527::start_transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) {
  master_.start(address, bytes, direction, now);
}

void ThreeC527::cancel_transfer(Time now) { master_.cancel(now); }

NetCounters ThreeC527::counters() const {
  const Mc32::Counters& c = chip_.counters();
  return ethernet_counters(c);
}

void ThreeC527::archive(Archive& a) {
  a.section("3c527", 1);
  a(adapter_id_, mac_, pos_, interrupt_);
  chip_.archive(a);
  master_.archive(a);
  if (a.loading()) {
    master_.configure(arbitration_level(), pos_[2] & 0x40);
    claim();  // the interrupt lines restore their own levels
  }
}

}  // namespace planar::ethernet
