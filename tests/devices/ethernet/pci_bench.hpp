// SPDX-License-Identifier: GPL-2.0-or-later
// A PCI network card in a slot and a station at the other end of its cable. The firmware has configured it: I/O at
// 6000h, memory at FEB00000h, master enabled, latency timer 32. No processor; each access begins when the previous one
// has ended.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/adapter/pci/pci_entry.hpp"
#include "tests/bus/pci_rig.hpp"
#include "tests/catch.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

struct PciBench {
  static constexpr unsigned device = 9;
  static constexpr std::uint16_t io_base = 0x6000;
  static constexpr std::uint32_t memory_base = 0xFEB00000;

  explicit PciBench(const PciEntry& entry, const char* address, bool plugged = true,
                    EthernetConfig medium = {.bits_per_second = 100'000'000, .full_duplex = true},
                    std::vector<std::pair<std::string, std::string>> settings = {}, pci::SegmentTiming timing = {})
      : rig(timing),
        wire(medium),
        slot(device, 1, rig.wiring()),
        made(entry.make({slot, plugged ? &wire : nullptr, address, std::move(settings), 1})),
        card(made.card.get()),
        other(rig.scheduler, &wire, "other", 77) {
    rig.segment.set_host({.snoop =
                              [](BurstCommand, std::uint32_t, std::uint32_t bytes) {
                                REQUIRE(bytes > 0);
                                return pci::Segment::Host::Dirty{};
                              },
                          .share = {}});
    std::uint32_t io = io_base, memory = memory_base;
    for (unsigned n = 0; n < made.function->bars().size(); ++n) {
      const pci::Bar& bar = made.function->bars()[n];
      std::uint32_t& next = bar.kind == pci::Bar::Kind::io ? io : memory;
      next = (next + bar.size - 1) & ~(bar.size - 1);
      rig.set_config(device, pci::BAR0 + 4 * n, next);
      next += std::max(bar.size, 0x1000u);
    }
    rig.set_config(device, pci::LATENCY_TIMER, 32, 1);
    rig.set_config(device, pci::CACHE_LINE_SIZE, 8, 1);
    rig.set_config(device, pci::COMMAND, pci::IO_SPACE | pci::MEMORY_SPACE | pci::BUS_MASTER, 2);
  }
  /// The other station sends; time passes until the card has done its bookkeeping.
  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, rig.now);
    while (other.outcomes.size() == before) rig.step(10_us);
    rig.step(50_us);
  }
  bool interrupt() const { return rig.interrupts[1]; }
  void archive(Archive& a) {
    rig.archive(a);
    wire.archive(a);
    card->archive(a);
    other.port.archive(a);
  }

  PciRig rig;
  EthernetSegment wire;
  pci::Slot slot;
  PciParts made;
  bus::Card* card;
  Recorder other;
};

/// For comparing whole frames, whose bytes tell nothing when printed.
inline bool same(const Bytes& a, const Bytes& b) { return a == b; }

/// True if `card` loads a snapshot that may be damaged; otherwise it has reported an error as for a damaged file.
inline bool loads(bus::Card& card, std::vector<std::uint8_t> stream) {
  Archive a = Archive::loader(std::move(stream));
  try {
    card.archive(a);
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::missing_file);
    return false;
  }
  return true;
}

}  // namespace planar::test
