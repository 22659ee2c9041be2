// SPDX-License-Identifier: GPL-2.0-or-later
// One network adapter, card(), in a 16- or 32-bit slot on a network with one other station. The
// input is a sequence of operations: POS bytes, port and memory accesses of every width, pauses, frames and fragments
// from the network, the cable unplugged and plugged in. Each medium provides its own Network:
//
//   explicit Network(Scheduler&);  the medium and the other station
//   static Settings settings();  timing values with which a run gets far in little virtual time
//   net::Medium& medium();
//   void send(Input&, Time now);  the other station sends a frame or a fragment
//   void toggle_cable(net::Port& card, Time now);
//   void archive(Archive&);
//
// A finding: a crash or sanitizer report, an access that does not end, a peek that changes something, and a run that
// reads different values or ends differently if a snapshot is loaded in the middle of it, or if repeated accesses to a
// port are made as announced by the card (PortRun) instead of one by one.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bus/host/host_bridge.hpp"
#include "bus/mca/dma.hpp"
#include "bus/mca/slot.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/archived.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/port_run.hpp"

namespace planar::fuzz {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::uint32_t window = 0xC0000;  // adapter memory is in the 128 KB from here
inline constexpr Time run_limit = 300_ms, access_limit = 100_ms;
inline constexpr unsigned operation_limit = 4000, looks_limit = 8;
inline constexpr net::MacAddress own{0x08, 0x00, 0x5A, 0x12, 0x34, 0x56};

struct Silent final : bus::InterruptSink, bus::NmiSink {
  void set_irq(unsigned, bool, Time) override {}
  void set_nmi(bus::NmiSource, bool, Time) override {}
};

// clang-format off
// Low four bits of an operation's first byte; the others select the kind of access: bit 4 odd address, bits 6:5 width
// 1, 2, 4, 4; bit 7 host memory instead of the adapter's, where a bus master's lists are.
enum Operation : unsigned { out8, out16, in8, in16, store, load, pause, long_pause, frame, cable, pos, block_store,
                            block_in, block_out, peeks, reset };
// clang-format on

/// The adapter that this process drives.
const McaEntry& card();
/// One input on each medium.
int run_on_ethernet(std::span<const std::uint8_t> input);
int run_on_ring(std::span<const std::uint8_t> input);

/// The bus, the adapter and the network; built once, each run starts from the initial state.
template <class Network>
struct Lab {
  explicit Lab(unsigned slot_width)
      : bus(scheduler, memory, {}, trace),
        channel(scheduler, {}, bus.io(), trace),
        slot(0, slot_width, {scheduler, bus.io(), memory, channel, dma, interrupts, channel_check, trace, &selected}),
        made(fuzz::card().make({slot, &network.medium(), net::format_mac(own), Network::settings(), 1})),
        card(made.card.get()) {
    interrupts.connect(silent);
    channel_check.connect(silent);
    bus.attach(channel);
    channel.connect(silent);
    memory.map_ram(0, ram);
    pristine = saved();
  }

  void archive(Archive& a) {
    scheduler.archive(a);
    bus.archive(a);
    dma.archive(a);
    interrupts.archive(a);
    channel_check.archive(a);
    network.archive(a);
    card->archive(a);
    a(now, ram, seen);
  }
  std::vector<std::uint8_t> saved() { return test::saved_state(*this); }
  void restore(const std::vector<std::uint8_t>& stream) { test::restore_state(*this, stream); }

  void ended(Time end) {
    fuzz::expect(end >= now && end - now < access_limit, "an access that does not end");
    now = end;
  }
  void read(const cpu::Cycle& cycle) {
    saw(cycle.value);
    ended(cycle.end);
  }
  void saw(std::uint32_t value) { seen = (seen ^ value) * 0x100000001B3u; }
  void in(std::uint16_t port, unsigned bytes) { read(bus.io_read(port, bytes, now)); }
  void out(std::uint16_t port, unsigned bytes, std::uint32_t value) { ended(bus.io_write(port, bytes, value, now)); }
  void put(std::uint32_t address, unsigned bytes, std::uint32_t value) {
    if (address < ram.size()) {  // the processor's own access to it
      for (unsigned i = 0; i < bytes && address + i < ram.size(); ++i)
        ram[address + i] = static_cast<std::uint8_t>(value >> 8 * i);
      return step(200_ns);
    }
    ended(bus.memory_write(address, bytes, value, now));
  }
  void get(std::uint32_t address, unsigned bytes) { read(bus.memory_read(address, bytes, now)); }
  /// REP INS or OUTS of `data`.
  void repeat(std::uint16_t port, unsigned bytes, Direction direction, std::span<std::uint8_t> data) {
    repeated |= !data.empty();
    for (RepeatedAccess access(bus, port, bytes, direction, data); !access.over();)
      ended(runs ? access.many(now) : access.one(now));
    for (const std::uint8_t b : data) saw(b);
  }
  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }

  void operate(Input& input) {
    const unsigned first = input.u8(), bytes = std::min(4u, 1u << (first >> 5 & 3));
    const auto address = [&] {
      const std::uint32_t offset = 2u * input.u16() + (first >> 4 & 1);
      return first & 0x80 ? offset % static_cast<std::uint32_t>(ram.size()) : window + offset;
    };
    switch (first & 15) {
      // clang-format off
      case out8: { const auto port = input.u16(); out(port, 1, input.u8()); break; }
      case out16: { const auto port = input.u16(); out(port, 2, input.u16()); break; }
      case in8: in(input.u16(), 1); break;
      case in16: in(input.u16(), 2); break;
      case store: { const auto at = address(); put(at, bytes, bytes == 4 ? input.u32() : input.u16()); break; }
      // clang-format on
      case load: get(address(), bytes); break;
      case pause: step(100_ns * input.u16()); break;
      case long_pause: step(100_us * input.u8()); break;
      case frame: network.send(input, now); break;
      case cable: network.toggle_cable(made.network->port(), now); break;
      case pos: {
        const unsigned reg = input.u8() & 7;
        card->pos_write(reg, input.u8(), now);
        break;
      }
      case block_store: {
        std::uint32_t at = address();
        for (const std::uint8_t b : input.take(input.u8())) put(at++, 1, b);
        break;
      }
      case block_in: {
        const auto port = input.u16();
        std::vector<std::uint8_t> data(std::size_t{input.u8()} * bytes);
        repeat(port, bytes, Direction::read, data);
        break;
      }
      case block_out: {
        const auto port = input.u16();
        const unsigned count = input.u8(), value = input.u8();
        std::vector<std::uint8_t> data;
        for (unsigned n = count; n; --n)
          for (unsigned b = 0; b < bytes; ++b)
            data.push_back(static_cast<std::uint8_t>((value * 0x01010101u + n) >> 8 * b));
        repeat(port, bytes, Direction::write, data);
        break;
      }
      case peeks: {
        const auto port = input.u16();
        if (looked < looks_limit) peek_around(port);
        break;
      }
      case reset: card->channel_reset(now); break;
    }
  }

  /// Peeks, as a debugger does, must change nothing.
  void peek_around(std::uint16_t port) {
    ++looked;
    const auto before = saved();
    for (unsigned i = 0; i < 64; ++i) bus.io().peek(static_cast<std::uint16_t>((port & ~63u) + i), scheduler.now());
    for (unsigned i = 0; i < 64; ++i) memory.peek(window + 2u * port + i, scheduler.now());
    for (unsigned reg = 0; reg < 8; ++reg) card->pos_peek(reg);
    fuzz::expect(before == saved(), "a peek that changes something");
  }

  Silent silent;
  Scheduler scheduler;
  AddressSpace memory;
  Trace trace;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x4000);  // for bus masters
  bus::HostBridge bus;
  bus::Channel channel;
  bus::DmaController dma{channel, bus.io(), memory, trace};
  bus::InterruptLines interrupts;
  bus::ChannelCheck channel_check;
  bool selected = false;
  Network network{scheduler};
  bus::Slot slot;
  McaParts made;
  bus::Adapter* card;
  Time now{};
  std::uint64_t seen = 0;  // depends on all values read
  bool runs = false;       // whether repeated accesses may be made as runs
  bool repeated = false;   // whether there were any in this run
  unsigned looked = 0;     // number of peeks by peek_around() in this run
  std::vector<std::uint8_t> pristine;
};

// clang-format off
/// Runs the operations; if `middle` is given, it receives the state and the remaining input after that many operations.
struct Middle { unsigned after; std::optional<Input> rest; std::vector<std::uint8_t> state; };
// clang-format on
template <class Network>
void run(Lab<Network>& lab, Input input, unsigned done, Middle* middle) {
  lab.looked = 0;
  lab.repeated = false;
  for (; input.left() && done < operation_limit && lab.now < run_limit; ++done) {
    if (middle && done == middle->after) {
      middle->rest = input;
      middle->state = lab.saved();
    }
    lab.operate(input);
  }
  lab.step(5_ms);
}

template <class Network>
int run_input(std::span<const std::uint8_t> bytes) {
  static Lab<Network> narrow(16), wide(32);
  Input input(bytes);
  const unsigned first = input.u8();
  Lab<Network>& lab = first & 1 ? wide : narrow;
  lab.restore(lab.pristine);
  for (unsigned reg = 2; reg < 6; ++reg) lab.card->pos_write(reg, input.u8(), lab.now);
  Middle middle{first >> 1, {}, {}};
  run(lab, input, 0, &middle);
  if (!middle.rest) return 0;
  const auto whole = lab.saved();
  lab.restore(middle.state);
  run(lab, *middle.rest, middle.after, nullptr);
  fuzz::expect(whole == lab.saved(), "a run that a snapshot changes");
  if (!lab.repeated) return 0;
  lab.restore(middle.state);
  lab.runs = true;
  run(lab, *middle.rest, middle.after, nullptr);
  lab.runs = false;
  fuzz::expect(whole == lab.saved(), "accesses as a run that differ from single ones");
  return 0;
}

}  // namespace planar::fuzz
