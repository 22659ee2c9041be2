// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/common/pro1000.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <span>

#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::string_view common_limits[] = {
    "Frames enter and leave the packet buffer whole: no early receive or transmit thresholds.",
    "The receiver's DMA has priority whatever CTRL.PRIOR says; memory write and invalidate is a memory write.",
    "The interframe gap is 96 bit times whatever TIPG says.",
    "Half duplex, copper PHYs, TCP segmentation, the flash memory and access to the packet buffer are not there.",
    "Auto-negotiation takes three link timers; next pages and remote faults are not exchanged.",
    "How far descriptors are fetched ahead, the steps between them and the times of registers are inferred.",
};
constexpr auto limits_82542 = limits_and(
    common_limits, "Revision 2.1 only, without the errata of 2.0; the second receive ring is kept and does nothing.");
constexpr auto limits_82543 =
    limits_and(common_limits, "Errata of the 82543GC (lock-ups with RDTR, corrupted small packets) are not there.");

constexpr std::uint16_t intel = 0x8086, id_82542 = 0x1000, id_82543 = 0x1001;
constexpr OemId ids[] = {{id_82542, "Intel"}};
constexpr OemId ids_82543[] = {{id_82543, "Intel"}};

bool has_82543(const PciEntry& entry) { return entry.adapter_id == id_82543; }

StationOptions options_of(const PciContext& context, const PciEntry& entry) {
  if (has_82543(entry)) return station_options(context, entry.name, ids_82543, {0x00, 0x03, 0x47});
  return station_options(context, entry.name, ids, {0x00, 0x90, 0x27});
}

pci::Identity identity(const PciEntry& entry) {
  const bool fast = has_82543(entry);
  return {.vendor = intel,
          .device = entry.adapter_id,
          .revision = static_cast<std::uint8_t>(fast ? 2 : 3),
          .class_code = 0x020000,
          .subsystem_vendor = intel,
          .subsystem = static_cast<std::uint16_t>(fast ? 0x1003 : 0x1000),
          .min_gnt = 0xFF,
          .mhz_66 = fast};
}

I8254xConfig chip_config(const TimingProfile& p, bool is_82543) {
  const auto number = [&](std::string_view name, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(p.integer(name, least, most));
  };
  I8254xConfig c;
  c.is_82543 = is_82543;
  c.packet_buffer = number("packet_buffer.size", 65536, 65536);
  c.frame_header = number("packet_buffer.header", 0, 256);
  c.receive_descriptors = number("receive.cache", 16, 1024) / Descriptor::bytes;
  c.transmit_descriptors = number("transmit.cache", 16, 1024) / Descriptor::bytes;
  c.receive_step = p.time("receive.step");
  c.transmit_step = p.time("transmit.step");
  c.reset = p.time("reset");
  if (is_82543) c.management = p.time("mdi.transfer");
  c.link_timer = p.time("pcs.link_timer");
  return c;
}

// The address, first byte low; control words with the PCS in reset, full duplex and both kinds of pause; IDs; the sum
// is BABAh.
std::array<std::uint16_t, At93c46::words> eeprom(const net::MacAddress& mac, const pci::Identity& identity) {
  std::array<std::uint16_t, At93c46::words> words{};
  for (std::size_t n = 0; n < 3; ++n) words[n] = load_little<std::uint16_t>(&mac[2 * n]);
  words[0x0A] = static_cast<std::uint16_t>(0x0600 | (identity.mhz_66 ? 0x0800 : 0));
  words[0x0B] = identity.subsystem;
  words[0x0C] = identity.subsystem_vendor;
  words[0x0D] = identity.device;
  words[0x0E] = identity.vendor;
  words[0x0F] = 0x3800;
  std::uint16_t sum = 0;
  for (const std::uint16_t word : words) sum = static_cast<std::uint16_t>(sum + word);
  words.back() = static_cast<std::uint16_t>(0xBABA - sum);
  return words;
}

PciParts make_82542(const PciContext& context) { return make_pci_card<Pro1000>(context, Pro1000::with_82542); }
PciParts make_82543(const PciContext& context) { return make_pci_card<Pro1000>(context, Pro1000::with_82543); }

constexpr PciEntry entry_of(std::string_view name, std::string_view title, std::uint16_t id,
                            PciParts (*make)(const PciContext&), std::span<const std::string_view> limits) {
  return {.name = name,
          .title = title,
          .adapter_id = id,
          .medium = MediumKind::ethernet_1000,
          .data_path = "bus master",
          .bus_width = 64,
          .make = make,
          .limits = limits,
          .full_duplex = true,
          .vendor = intel,
          .delays_interrupts = true};
}

}  // namespace

const PciEntry Pro1000::with_82542 =
    entry_of("pro1000-82542", "Intel PRO/1000 Gigabit Server Adapter (82542)", id_82542, make_82542, limits_82542);
const PciEntry Pro1000::with_82543 =
    entry_of("pro1000-82543", "Intel PRO/1000 F Server Adapter (82543GC)", id_82543, make_82543, limits_82543);

Pro1000::Pro1000(const PciContext& context, const PciEntry& entry)
    : Pro1000(context, entry, options_of(context, entry)) {}

Pro1000::Pro1000(const PciContext& context, const PciEntry& entry, const StationOptions& o)
    : PciNetworkCard(context, entry, identity(entry)),
      chip_name_(has_82543(entry) ? "82543" : "82542"),
      chip_(context.slot.scheduler(), context.slot.device_name(entry.name), bus_,
            chip_config(o.profile, has_82543(entry)), eeprom(o.mac, identity(entry)), o.seed) {
  add_bar({.kind = pci::Bar::Kind::memory,
           .size = I8254x::register_bytes,
           .slave = &registers_,
           .cycle = {32, pci::CycleKind::memory, o.profile.time("register.wait")}});
  connect(chip_.bursts());
}

// Firmware's value of CACHE_LINE_SIZE in doublewords; 32 bytes if that is not a valid line size.
std::uint32_t Pro1000::Bus::cache_line() const {
  const std::uint32_t bytes = 4 * card.config().read(pci::CACHE_LINE_SIZE, 1);
  return std::has_single_bit(bytes) && bytes >= 16 && bytes <= 256 ? bytes : 32;
}

NetCounters Pro1000::counters() const { return ethernet_counters(chip_.counters()); }

void Pro1000::describe_board(Description& d) const {
  chip_.describe(d.part(std::string(chip_name_)), slot().scheduler().now());
}

void Pro1000::archive(Archive& a) {
  a.section(name(), 1);
  archive_card(a);
  chip_.archive(a);
}

}  // namespace planar::ethernet
