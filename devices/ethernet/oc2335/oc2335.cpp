// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/oc2335/oc2335.hpp"

#include <array>

#include "devices/adapter/station_options.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<unsigned, 4> irq_lines{5, 9, 10, 11};

constexpr std::string_view limitations[] = {
    "HYPOTHETICAL INTERFACE: no programming information is public. ID, POS, ports and registers are planar's own; "
    "software "
    "for the real card cannot work with it, and its figures show what such a slave can do, not what the product did.",
    "100 Mbit/s only: no 10 Mbit/s, no negotiation, no management of the transceiver.",
    "The sizes of both FIFOs, the port's width and its cycle are inferred; no early start of a frame.",
    "No boot ROM; POS 3 to 7 read FFh.",
};

Dp83800Config chip_config(const TimingProfile& p) {
  const auto bytes = [&](std::string_view name) { return static_cast<std::uint32_t>(p.integer(name, 2048, 65535)); };
  return {bytes("chip.transmit_fifo"), bytes("chip.receive_fifo"), p.time("chip.transmit_start"), p.time("chip.reset")};
}

constexpr SisterId ids[] = {{Oc2335::declared_id, "Olicom, planar's choice"}};

std::unique_ptr<NetworkAdapter> make_oc2335(const AdapterContext& context) {
  const StationOptions o = station_options(context, "oc2335", ids, {0x00, 0x00, 0x24});
  auto card = std::make_unique<Oc2335>(context.slot, o.mac, o.profile, o.seed);
  if (context.medium) card->chip().port().attach(*context.medium);
  return card;
}

std::vector<TimingValue> timing_rows() { return TimingProfile::embedded(profile_path("oc2335")).rows(); }

}  // namespace

const AdapterEntry Oc2335::entry{
    "oc2335",    "Olicom OC-2335", declared_id, MediumKind::ethernet_100, "PIO (FIFO)", 16, make_oc2335, timing_rows,
    limitations, nullptr,          true};

Oc2335::Oc2335(bus::Slot& slot, const net::MacAddress& mac, const TimingProfile& profile, std::uint64_t seed)
    : slot_(slot),
      cycle_{16, bus::CycleKind::asynchronous, profile.time("port.ready_delay")},
      chip_(slot.scheduler(), slot.device_name("oc2335"), *this, chip_config(profile), mac, seed) {}

// ---- POS ----

std::uint8_t Oc2335::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(declared_id & 0xFF);
    case 1: return static_cast<std::uint8_t>(declared_id >> 8);
    case 2: return pos2_;
    default: return 0xFF;
  }
}

void Oc2335::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg != 2) return;
  pos2_ = value;
  slot_.release_irqs(now);
  claim();
  interrupt(chip_.interrupt(), now);
}

unsigned Oc2335::irq_line() const { return irq_lines[pos2_ >> 1 & 3]; }

void Oc2335::claim() {
  claim_.release();
  const auto base = static_cast<std::uint16_t>((pos2_ & 0xF0) << 8);
  if (enabled() && base) claim_ = slot_.claim_io(base, base + Dp83800::window_bytes - 1, registers_, cycle_);
}

void Oc2335::channel_reset(Time now) {
  pos2_ = 0;
  slot_.release_irqs(now);
  chip_.reset(now);
  claim();
}

void Oc2335::interrupt(bool asserted, Time now) {
  if (enabled()) slot_.set_irq(irq_line(), asserted, now);
}

// ---- registers ----

std::uint32_t Oc2335::Registers::peek(std::uint32_t offset, unsigned bytes) const {
  const std::uint16_t word = chip.peek(offset & ~1u);
  return bytes == 1 ? word >> (offset & 1 ? 8 : 0) & 0xFF : word;
}

std::uint32_t Oc2335::Registers::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes);
  chip.read(offset & ~1u, now);
  return value;
}

void Oc2335::Registers::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (bytes == 2) chip.write(offset, static_cast<std::uint16_t>(value), now);
}

NetCounters Oc2335::counters() const {
  const Dp83800::Counters& c = chip_.counters();
  return ethernet_counters(c);
}

void Oc2335::archive(Archive& a) {
  a.section("oc2335", 1);
  a(pos2_);
  chip_.archive(a);
  if (a.loading()) claim();  // the interrupt lines restore their own levels
}

}  // namespace planar::ethernet
