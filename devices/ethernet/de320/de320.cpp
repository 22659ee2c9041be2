// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/de320/de320.hpp"

#include <array>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<unsigned, 8> irq_lines{3, 4, 5, 9, 10, 11, 14, 15};
constexpr OemId oem_ids[] = {{0x56EA, "D-Link"}};
enum : std::uint8_t { eeprom_do = 0x01, eeprom_di = 0x02, eeprom_sk = 0x04, eeprom_cs = 0x08, delay_clock = 0x80 };

constexpr auto limitations = limits_and(
    remote_dma_limits,
    "The place of the reset port (+1Fh) is inferred from the ISA NE2000; the period's driver never reaches it.",
    "POS registers above 2, connector selection and boot ROM are not known; writing the EEPROM takes no time.");

std::array<std::uint16_t, At93c46::words> eeprom_contents(const net::MacAddress& mac) {
  std::array<std::uint16_t, At93c46::words> words;
  words.fill(0xFFFF);
  for (unsigned n = 0; n < 3; ++n) words[n] = load_little<std::uint16_t>(&mac[2 * n]);
  return words;
}

}  // namespace

const McaEntry De320::entry{.name = "de320",
                            .title = "D-Link DE-320CT",
                            .adapter_id = oem_ids[0].id,
                            .medium = MediumKind::ethernet_10,
                            .data_path = "PIO (remote DMA)",
                            .bus_width = 16,
                            .make = make_network_card<De320>,
                            .limits = limitations};

De320::De320(const McaContext& context)
    : De320(context, station_options(context, entry.name, oem_ids, {0x00, 0x80, 0xC8})) {}

De320::De320(const McaContext& context, const StationOptions& options)
    : RemoteDmaCard(context, entry, options),
      half_period_(options.profile.time("eeprom.delay_clock_half_period")),
      eeprom_(eeprom_contents(options.mac)) {
  if (half_period_ <= Time{}) throw Error("de320.eeprom.delay_clock_half_period: a clock needs a period above 0");
}

std::uint16_t De320::io_base(std::uint8_t pos2) const { return static_cast<std::uint16_t>(0x300 + (pos2 & 0x60)); }

unsigned De320::irq_line() const { return irq_lines[pos_[2] >> 2 & 7]; }

void De320::claim_card_ports(std::uint16_t base) {
  claim_data_port(base + 0x10, base + 0x1D);
  claim_own_ports(base + 0x1E, base + 0x1E, port_, register_cycle());
  claim_reset_port(base + 0x1F, base + 0x1F, register_cycle());
}

std::uint8_t De320::eeprom_port(Time now) const {
  return static_cast<std::uint8_t>(eeprom_pins_ | (eeprom_.data_out() ? eeprom_do : 0) |
                                   ((now / half_period_) & 1 ? delay_clock : 0));
}

void De320::EepromPort::write(std::uint32_t, unsigned, std::uint32_t value, Time) {
  card.eeprom_pins_ = value & (eeprom_di | eeprom_sk | eeprom_cs);
  card.eeprom_.pins(value & eeprom_cs, value & eeprom_sk, value & eeprom_di);
}

void De320::describe_card(Description& d) const {
  d.reg("EEPROM pins", eeprom_pins_, 8);
  eeprom_.describe(d.part("93C46"));
}

void De320::archive_card(Archive& a) {
  eeprom_.archive(a);
  a(eeprom_pins_);
}

}  // namespace planar::ethernet
