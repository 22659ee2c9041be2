// SPDX-License-Identifier: GPL-2.0-or-later
// One PCI network card, on a full-duplex segment with one other station. The input is a sequence
// of operations: configuration, port and memory accesses of every width, bytes in host memory where rings and
// descriptors are, pauses, frames and fragments from the network, unplugging and plugging in the cable, RST#. The card
// begins with I/O at 6000h, memory at FEB00000h and mastering enabled; the operations may change all of that. Rings and
// buffers may be in the card's own registers. The processor's caches are snooped.
//
// A finding: a crash or sanitizer report, an access that does not end, a peek that changes something, and a run that
// ends differently if a snapshot is loaded in the middle of it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "bus/host/host_bridge.hpp"
#include "bus/pci/config_ports.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/fuzz/device_run.hpp"

namespace {

using namespace planar;
using fuzz::Input;

const PciEntry* chosen = nullptr;

constexpr unsigned device = 9;
constexpr std::uint32_t io_base = 0x6000, memory_base = 0xFEB00000;
constexpr net::MacAddress own{0x00, 0x10, 0x5A, 0x12, 0x34, 0x56};

// clang-format off
// Low four bits of an operation's first byte; bits 6:5 its width: 1, 2, 4, 4; bit 7: its value is an address in the
// card's registers.
enum Operation : unsigned { port_out, port_in, store, load, ram_store, ram_block, config_out, config_in, pause, long_pause,
                            frame, cable, peeks, reset, ring, kick };
// clang-format on

class Lab final : public fuzz::DeviceRun<Lab>, private net::EthernetStation {
 public:
  Lab() {
    bus.attach(segment_bus);
    ports.emplace(segment_bus, bus.io(), pci::ConfigMechanism::one);
    memory.map_ram(0, ram);
    other.attach(segment);
    segment_bus.set_host(
        {[](BurstCommand, std::uint32_t address, std::uint32_t length) {
           fuzz::expect(length > 0, "a transaction without bytes");
           return pci::Segment::Host::Dirty{address >> 5 & 1, address >> 6 & 1, address >> 7 & 1};
         },
         [](Time from, Time to, Time, Time, Time) { fuzz::expect(from <= to, "memory shared in the past"); }});
    made = chosen->make({slot, &segment, net::format_mac(own), {}, 1});
    if (const auto& bar = made.function->bars().front(); bar.size >= 0x10000) wide = 0x6000;
    begin();
    prepared();
  }

  void archive(Archive& a) {
    made.card->archive(a);
    bus.archive(a);
    ports->archive(a);
    segment.archive(a);
    other.archive(a);
    a(ram);
  }

  void begin() {
    std::uint32_t io = io_base, memory = memory_base;
    for (unsigned n = 0; n < made.function->bars().size(); ++n) {
      const bool ports = made.function->bars()[n].kind == pci::Bar::Kind::io;
      config(pci::BAR0 + 4 * n, ports ? io : memory, 4);
      (ports ? io : memory) += ports ? 0x400 : 0x100000;
    }
    config(pci::LATENCY_TIMER, 32, 1);
    config(pci::COMMAND, 7, 2);
  }
  void config(unsigned reg, std::uint32_t value, unsigned bytes) {
    out(0xCF8, 4, 0x80000000u | device << 11 | (reg & 0xFC));
    out(static_cast<std::uint16_t>(0xCFC + (reg & 3)), bytes, value);
  }
  void in(std::uint16_t port, unsigned bytes) { ended(bus.io_read(port, bytes, now).end); }
  void out(std::uint16_t port, unsigned bytes, std::uint32_t value) { ended(bus.io_write(port, bytes, value, now)); }
  void operate(Input& input) {
    const unsigned first = input.u8(), bytes = std::min(4u, 1u << (first >> 5 & 3));
    const auto port = [&] { return static_cast<std::uint16_t>(io_base + input.u8()); };
    const auto value = [&] { return first & 0x80 ? memory_base - 0x200 + input.u16() % 0x600 : input.u32(); };
    const auto address = [&] { return memory_base + (wide ? input.u16() % wide & ~(bytes - 1) : input.u8()); };
    switch (first & 15) {
      // clang-format off
      case port_out: { const auto at = port(); out(at, bytes, value()); break; }
      case port_in: in(port(), bytes); break;
      case store: { const auto at = address(); ended(bus.memory_write(at, bytes, value(), now)); break; }
      case load: ended(bus.memory_read(address(), bytes, now).end); break;
      case config_out: { const unsigned reg = input.u8(); config(reg & ~(bytes - 1), input.u32(), bytes); break; }
      case config_in: config(0, 0, 1); in(0xCFC, bytes); break;
      // clang-format on
      case ram_store: {
        const std::uint32_t at = 4u * input.u16() % static_cast<std::uint32_t>(ram.size());
        const std::uint32_t word = value();
        for (unsigned n = 0; n < 4; ++n) ram[at + n] = static_cast<std::uint8_t>(word >> (8 * n));
        break;
      }
      case ram_block: {
        std::uint32_t at = 4u * input.u16();
        for (const std::uint8_t b : input.take(input.u8())) ram[at++ % ram.size()] = b;
        break;
      }
      case ring: {  // descriptors of four doublewords, each leading to the next
        const std::uint32_t at = 16u * input.u8(), place = input.u8();
        const std::uint32_t buffer = first & 0x80 ? memory_base - 0x200 + 16 * place : 0x8000u + 0x100u * place;
        const std::uint32_t status = input.u32(), length = input.u32();
        for (unsigned n = 0; n < 4; ++n) {
          const std::uint32_t words[] = {n < 3 ? at + 16 * (n + 1) : at, status, buffer + 0x600 * n, length};
          const std::uint32_t words2[] = {status, length, buffer + 0x600 * n, n < 3 ? at + 16 * (n + 1) : at};
          for (unsigned w = 0; w < 4; ++w)
            for (unsigned b = 0; b < 4; ++b)
              ram[(at + 16 * n + 4 * w + b) % ram.size()] =
                  static_cast<std::uint8_t>((first & 16 ? words2 : words)[w] >> (8 * b));
        }
        break;
      }
      case kick: {  // the same value to several ports
        const std::uint32_t same = value();
        const auto at = port();
        for (unsigned n = input.u8() & 7; n; --n) out(static_cast<std::uint16_t>(at + bytes * n), bytes, same);
        break;
      }
      case pause: step(100_ns * std::int64_t{input.u16()}); break;
      case long_pause: step(100_us * std::int64_t{input.u8()}); break;
      case frame: send(input); break;
      case cable: other.set_plugged(!other.plugged(), now); break;
      case peeks: peek_around(); break;
      case reset:
        made.function->bus_reset(now);
        begin();
        break;
    }
  }
  void peek_around() {
    changes_nothing([&] {
      for (unsigned n = 0; n < 256; ++n) bus.io().peek(static_cast<std::uint16_t>(io_base + n), scheduler.now());
      for (unsigned n = 0; n < std::max(wide, 256u); n += wide ? 4 : 1) memory.peek(memory_base + n, scheduler.now());
      Description d;
      made.card->describe(d);
    });
  }
  void send(Input& input) {
    const std::size_t length = input.u16() & 0x0FFF;
    const unsigned kind = input.u8(), fill = input.u8();
    if (other.busy()) return;
    std::vector<std::uint8_t> f(length, static_cast<std::uint8_t>(fill));
    net::MacAddress to = kind & 1 ? own : net::broadcast_mac;
    if (kind & 2) to[0] ^= 1;
    std::copy_n(to.begin(), std::min(length, to.size()), f.begin());
    if (length > 23) f[12] = 0x08, f[13] = 0, f[14] = 0x45, f[23] = static_cast<std::uint8_t>(kind & 8 ? 6 : 17);
    net::append_fcs(f);
    if (kind & 4) f.back() ^= 1;
    other.transmit(f, now);
  }
  void frame_ends(const net::Reception&, Time) override {}
  void transmit_ends(const net::TransmitOutcome&, Time) override {}

  AddressSpace memory;
  Trace trace;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x10000);
  bus::HostBridge bus{scheduler, memory, {}, trace};
  pci::Segment segment_bus{scheduler, {}, memory, trace};
  std::optional<pci::ConfigPorts> ports;
  net::EthernetSegment segment{
      {.bits_per_second = ethernet_rate(chosen->medium), .full_duplex = true, .propagation = 50_ns}};
  net::EthernetPort other{scheduler, "other", *this, 77};
  pci::Slot slot{device, 1, {scheduler, bus.io(), memory, segment_bus, trace, [](unsigned, unsigned, bool, Time) {}}};
  PciParts made;
  unsigned wide = 0;  // size of the registers of a card that has them in one large base address; 0: 256 bytes
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--card=";
  for (int i = 1; i < *argc; ++i)
    if (const std::string_view argument = (*argv)[i]; argument.starts_with(option))
      chosen = find_pci(argument.substr(option.size()));
  if (!chosen) {
    std::fprintf(stderr, "fuzz: say which card, for example --card=rtl8139\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Lab lab;
  Input input({data, size});
  const unsigned middle = input.u8();
  lab.run(input, middle, 100_ms);
  return 0;
}
