// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/ne2/ne2.hpp"

#include <array>

namespace planar::ethernet {
namespace {

constexpr std::array<std::uint16_t, 8> io_bases{0, 0x1000, 0x2020, 0x8020, 0xA0A0, 0xB0B0, 0xC0C0, 0xC3D0};
constexpr std::array<unsigned, 4> irq_lines{3, 4, 5, 9};
constexpr std::uint16_t prom_packed = 0x0400;  // below this address every byte appears twice
constexpr std::uint8_t prom_filler = 0x57;     // 'W': the NE2000's mark of a 16-bit card
constexpr OemId oem_ids[] = {{0x7154, "Novell"}, {0x6354, "Arco AE/2"}, {0x70DE, "Compex ENET16-MC/P"}};

constexpr auto limitations = limits_and(
    remote_dma_limits, "The boot ROM socket is empty; POS 2 bit 4 and the ROM addresses of the choices have no effect.",
    "The layout of the address PROM is inferred: it satisfies both Linux (bytes at 0000h) and NetBSD (words at 0400h).",
    "Ports +11h to +1Fh alias the data port and +21h to +2Fh the reset port; the real decode is not known.");

}  // namespace

const McaEntry Ne2::entry{.name = "ne2",
                          .title = "Novell NE/2",
                          .adapter_id = oem_ids[0].id,
                          .medium = MediumKind::ethernet_10,
                          .data_path = "PIO (remote DMA)",
                          .bus_width = 16,
                          .make = make_network_card<Ne2>,
                          .limits = limitations};

Ne2::Ne2(const McaContext& context)
    : RemoteDmaCard(context, entry, station_options(context, entry.name, oem_ids, {0x00, 0x00, 0xD8})) {}

std::uint16_t Ne2::io_base(std::uint8_t pos2) const { return io_bases[pos2 >> 1 & 7]; }

unsigned Ne2::irq_line() const { return irq_lines[pos_[2] >> 5 & 3]; }

std::uint8_t Ne2::prom(std::uint16_t address) const {
  const unsigned n = (address & prom_packed ? address : address >> 1) & 0x0F;
  return n < mac().size() ? mac()[n] : prom_filler;
}

void Ne2::claim_card_ports(std::uint16_t base) {
  claim_data_port(base + 0x10, base + 0x1F);
  claim_reset_port(base + 0x20, base + 0x2F, {8, bus::CycleKind::synchronous_extended, {}});
}

}  // namespace planar::ethernet
