// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/etherstreamer/etherstreamer.hpp"

#include <array>

#include "devices/adapter/station_options.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<unsigned, 4> irq_lines{5, 9, 10, 11};

constexpr std::string_view limitations[] = {
    "HYPOTHETICAL INTERFACE: no programming information is public. ID and POS are planar's own, the registers those of "
    "a "
    "Token-Ring relative for PCI as Linux uses them; software for the real card cannot work with it, and its figures "
    "are "
    "not compared with anything printed.",
    "FIFO sizes, threshold, burst and all times are inferred; byte order of the descriptors is unknown (taken as "
    "little-endian).",
    "One transmit channel of two; no ARB/ASB, parity and adapter checks, timer, microcode update, boot ROM.",
    "Full duplex is the segment's (net.duplex), never negotiated. The Dual EtherStreamer is not modelled.",
};

constexpr SisterId ids[] = {{EtherStreamer::declared_id, "IBM, planar's choice"}};

StreamerConfig chip_config(const TimingProfile& p) {
  const auto bytes = [&](std::string_view name, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(p.integer(name, least, most));
  };
  return {bytes("chip.transmit_fifo", 192, 8192), bytes("chip.receive_fifo", 192, 8192), bytes("master.burst", 16, 128),
          bytes("chip.threshold", 1, 1514),       p.time("firmware.self_test"),          p.time("firmware.request")};
}

std::unique_ptr<NetworkAdapter> make_etherstreamer(const AdapterContext& context) {
  const StationOptions o = station_options(context, "etherstreamer", ids, {0x08, 0x00, 0x5A});
  auto card = std::make_unique<EtherStreamer>(context.slot, o.mac, o.profile, o.seed);
  if (context.medium) card->chip().port().attach(*context.medium);
  return card;
}

std::vector<TimingValue> timing_rows() { return TimingProfile::embedded(profile_path("etherstreamer")).rows(); }

std::string device_name(const bus::Slot& slot) { return slot.device_name("etherstreamer"); }

}  // namespace

const AdapterEntry EtherStreamer::entry{"etherstreamer",
                                        "IBM EtherStreamer MC 32",
                                        declared_id,
                                        MediumKind::ethernet_10,
                                        "bus master",
                                        32,
                                        make_etherstreamer,
                                        timing_rows,
                                        limitations,
                                        nullptr,
                                        true};

EtherStreamer::EtherStreamer(bus::Slot& slot, const net::MacAddress& mac, const TimingProfile& profile,
                             std::uint64_t seed)
    : slot_(slot),
      cycle_{32, bus::CycleKind::asynchronous, profile.time("register.ready_delay")},
      chip_(slot.scheduler(), device_name(slot), *this, chip_config(profile), mac, seed),
      master_(slot, device_name(slot), *this, static_cast<std::uint32_t>(profile.integer("master.burst", 16, 128))) {}

// ---- POS ----

std::uint8_t EtherStreamer::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(declared_id & 0xFF);
    case 1: return static_cast<std::uint8_t>(declared_id >> 8);
    case 2: return pos2_;
    case 3: return pos3_;
    default: return 0xFF;
  }
}

void EtherStreamer::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg == 3) {
    pos3_ = value;
    configure_master();
  }
  if (reg != 2) return;
  pos2_ = value;
  slot_.release_irqs(now);
  claim();
  interrupt(chip_.interrupt_pin(), now);
}

unsigned EtherStreamer::irq_line() const { return irq_lines[pos2_ >> 1 & 3]; }

void EtherStreamer::claim() {
  claim_.release();
  const auto base = static_cast<std::uint16_t>((pos2_ & 0xF0) << 8);
  if (enabled() && base) claim_ = slot_.claim_io(base, base + Streamer::window_bytes - 1, registers_, cycle_);
}

void EtherStreamer::channel_reset(Time now) {
  pos2_ = pos3_ = 0;
  slot_.release_irqs(now);
  chip_.reset(now);
  configure_master();
  claim();
}

void EtherStreamer::interrupt(bool asserted, Time now) {
  if (enabled()) slot_.set_irq(irq_line(), asserted, now);
}

// ---- registers ----

std::uint32_t EtherStreamer::Registers::peek(std::uint32_t offset, unsigned bytes) const {
  const std::uint16_t word = chip.peek(offset & ~1u);
  if (bytes == 1) return word >> (offset & 1 ? 8 : 0) & 0xFF;
  return bytes == 2 ? word : word | std::uint32_t{chip.peek(offset + 2)} << 16;
}

std::uint32_t EtherStreamer::Registers::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes);
  chip.read(offset & ~1u, now);
  if (bytes == 4) chip.read(offset + 2, now);
  return value;
}

void EtherStreamer::Registers::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (bytes == 1) return;
  chip.write(offset, static_cast<std::uint16_t>(value), now);
  if (bytes == 4) chip.write(offset + 2, static_cast<std::uint16_t>(value >> 16), now);
}

NetCounters EtherStreamer::counters() const {
  const Streamer::Counters& c = chip_.counters();
  return ethernet_counters(c);
}

void EtherStreamer::archive(Archive& a) {
  a.section("etherstreamer", 1);
  a(pos2_, pos3_);
  chip_.archive(a);
  master_.archive(a);
  if (a.loading()) {
    configure_master();
    claim();  // the interrupt lines restore their own levels
  }
}

}  // namespace planar::ethernet
