// SPDX-License-Identifier: GPL-2.0-or-later
// The south bridge of a PC with its interrupt routes and its IDE function, by configuration mechanism 1 or 2. The input
// is a sequence of operations: configuration cycles to the bridge, to a card and to no device, the ports of mechanism 2
// with any key, ELCR and interrupt controllers, INTA# to INTD# of the card, task files and data ports of both channels
// in every width, packets, bus master IDE with regions anywhere, pauses, RST#.
// A disk is the first channel's master, a CD-ROM drive the second one's. At the beginning everything is set up as by
// firmware; the operations may change all of it.
//
// A finding: a crash or sanitizer report, an access that does not end, a line that is inactive though one of its pins
// is pulled, a line that is active though none is, and those of device_run.hpp.
#include <array>
#include <optional>
#include <vector>

#include "bus/host/host_bridge.hpp"
#include "bus/pci/config_ports.hpp"
#include "bus/pci/segment.hpp"
#include "devices/board/at/system/i8259.hpp"
#include "devices/board/piix3/elcr.hpp"
#include "devices/board/piix3/piix3_ide.hpp"
#include "devices/board/piix3/piix3_isa.hpp"
#include "tests/fuzz/device_run.hpp"

namespace {

using namespace planar;
using fuzz::Input;
using pci::ConfigMechanism;
using storage::DiskImage;
using storage::DriveKind;

constexpr Time limit = 2_s;  // a seek across the medium takes tens of milliseconds
constexpr unsigned bridge = 7, card_device = 9, nobody = 20;
constexpr std::uint16_t masters = 0xF000;
constexpr std::uint32_t table = 0x1000;

// Low four bits of an operation's first byte; bit 4 the channel, bits 6:5 the width: 1, 2, 4, 4.
// clang-format off
enum Operation : unsigned { config_out, config_in, mechanism, controllers, pin, task_out, task_in, data, command, packet,
                            regions, master_out, dma, pause, reset, look };
// clang-format on

/// A card with only interrupt pins, and a base address that configuration cycles can move.
struct Card final : pci::Function {
  struct Registers final : Slave {
    std::uint32_t read(std::uint32_t, unsigned, Time) override { return 0; }
    void write(std::uint32_t, unsigned, std::uint32_t, Time) override {}
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0; }
  };
  explicit Card(pci::Slot& slot) : Function(slot, {.vendor = 0x1011, .device = 9, .class_code = 0x020000}) {
    add_bar({pci::Bar::Kind::io, 0x80, &registers, {32, pci::CycleKind::io, 60_ns}});
  }
  void archive(Archive& a) { archive_function(a); }
  Registers registers;
};

class Board final : public fuzz::DeviceRun<Board> {
 public:
  explicit Board(ConfigMechanism m) : mechanism_(m), ports_(segment_, bus_.io(), m) {
    bus_.attach(segment_);
    memory_.map_ram(0, ram_);
    lines_.connect(pic_);
    bus_.connect(pic_);
    pic_.claim_ports(bus_.io());
    elcr_.claim_ports(bus_.io());
    ide_.irq14.connect(irq14_);
    ide_.irq15.connect(irq15_);
    ide_.attach(0, DriveKind::disk, DiskImage(std::vector<std::uint8_t>(512 * 4096, 0x5A), "disk"));
    ide_.attach(2, DriveKind::cdrom,
                DiskImage(std::vector<std::uint8_t>(2048 * 64, 0xA5), "cd", storage::WriteMode::read_only));
    for (const std::uint16_t base : {0x20, 0xA0}) {
      const std::uint8_t words[] = {0x11, 0x20, static_cast<std::uint8_t>(base == 0x20 ? 4 : 2), 1};
      for (unsigned n = 0; n < 4; ++n) out(static_cast<std::uint16_t>(base + (n > 0)), 1, words[n]);
    }
    firmware();
    prepared();
  }

  void archive(Archive& a) {
    isa_.archive(a);
    ide_.archive(a);
    card_.archive(a);
    ports_.archive(a);
    bus_.archive(a);
    lines_.archive(a);
    pic_.archive(a);
    elcr_.archive(a);
    a(ram_, pins_);
  }

  void operate(Input& input) {
    const unsigned first = input.u8(), channel = first >> 4 & 1, bytes = std::min(4u, 1u << (first >> 5 & 3));
    const auto base = static_cast<std::uint16_t>(channel ? 0x170 : 0x1F0);
    const auto master = static_cast<std::uint16_t>(masters + 8 * channel);
    switch (first & 15) {
      case config_out: {
        const unsigned target = input.u8(), reg = input.u8() & ~(bytes - 1);
        config(target, reg, bytes, input.u32());
        break;
      }
      case config_in: {
        const unsigned target = input.u8();
        select(target, input.u8());
        in(data_port(target, input.u8()), bytes);
        break;
      }
      case mechanism: {  // CF8h to CFBh, and a window of mechanism 2
        const auto at = static_cast<std::uint16_t>(0xCF8 + (input.u8() & 3 & ~(bytes - 1)));
        out(at, bytes, input.u32());
        const auto window = static_cast<std::uint16_t>(0xC000 | (input.u16() & 0xFFF & ~(bytes - 1)));
        if (first & 0x80)
          out(window, bytes, input.u32());
        else
          in(window, bytes);
        break;
      }
      case controllers: {
        static constexpr std::uint16_t at[] = {0x4D0, 0x4D1, 0x20, 0x21, 0xA0, 0xA1};
        const std::uint16_t port = at[input.u8() % std::size(at)];
        out(port, 1, input.u8());
        if (first & 0x80) ended(bus_.acknowledge_interrupt(now).end);
        break;
      }
      case pin: {
        const unsigned which = input.u8(), device = which >> 4 & 31, number = 1 + (which & 3);
        pins_[number - 1] ^= 1u << device;
        router_.set_pin(device, number, pins_[number - 1] >> device & 1, now);
        break;
      }
      case task_out: {
        const auto port = static_cast<std::uint16_t>(base + 1 + input.u8() % 7);
        out(port, 1, input.u8());
        break;
      }
      case task_in: {
        const unsigned reg = input.u8() % 9;
        in(static_cast<std::uint16_t>(reg == 8 ? base + 0x206 : base + reg), reg ? 1 : bytes);
        break;
      }
      case data:  // up to 255 accesses
        for (unsigned n = input.u8(); n; --n) first & 0x80 ? out(base, bytes, 0x01020304 * n) : in(base, bytes);
        break;
      case command:  // the task file, then the command
        for (unsigned n = 2; n < 7; ++n) out(static_cast<std::uint16_t>(base + n), 1, input.u8());
        out(static_cast<std::uint16_t>(base + 7), 1, input.u8());
        break;
      case packet:
        out(static_cast<std::uint16_t>(base + 1), 1, first >> 5 & 1);  // by DMA
        out(static_cast<std::uint16_t>(base + 4), 2, input.u16());     // including the byte count's high half
        out(static_cast<std::uint16_t>(base + 7), 1, 0xA0);
        step(1_ms);
        for (unsigned n = 0; n < 6; ++n) out(base, 2, input.u16());
        break;
      case regions:  // of bus master IDE; bit 7: also beyond RAM
        for (unsigned n = 0; n < 1 + (first >> 5 & 3); ++n) {
          put(table + 8 * n, first & 0x80 ? 0xF000 + 0x10 * input.u16() : 0x2000 + input.u16() % 0x8000u);
          put(table + 8 * n + 4, input.u32());
        }
        break;
      case master_out: {
        const auto port = static_cast<std::uint16_t>(master + (input.u8() & 7 & ~(bytes - 1)));
        out(port, bytes, input.u32());
        break;
      }
      case dma:  // table, direction, status, command, start
        out(static_cast<std::uint16_t>(master + 4), 4, first & 0x80 ? input.u32() : table);
        out(master, 1, first & 0x20 ? 8 : 0);
        out(static_cast<std::uint16_t>(master + 2), 1, 0x66);
        out(static_cast<std::uint16_t>(base + 2), 1, input.u8());
        out(static_cast<std::uint16_t>(base + 3), 1, input.u8());
        out(static_cast<std::uint16_t>(base + 6), 1, 0xE0);
        out(static_cast<std::uint16_t>(base + 7), 1, first & 0x20 ? 0xC8 : 0xCA);
        out(master, 1, first & 0x20 ? 9 : 1);
        break;
      case pause: step((first & 0x80 ? 100_us : 1_us) * std::int64_t{input.u8()}); break;
      case reset:
        segment_.reset(now);
        firmware();
        break;
      case look:
        changes_nothing([&] {
          for (const unsigned from : {0x170u, 0x1F0u, 0x370u, 0x3F0u, 0x4D0u, 0xCF8u, 0xC700u, 0xF000u})
            for (unsigned n = 0; n < 16; ++n) bus_.io().peek(static_cast<std::uint16_t>(from + n), scheduler.now());
          Description d;
          isa_.describe(d);
          ide_.describe(d);
          router_.describe(d);
          ports_.describe(d);
        });
        break;
    }
    check_routes();
  }

 private:
  /// Bits 1:0 of `target` select the device, bit 2 the function.
  static unsigned device_of(unsigned target) {
    constexpr std::array<unsigned, 4> devices{bridge, bridge, card_device, nobody};
    return devices[target & 3];
  }
  void select(unsigned target, unsigned reg) {
    const unsigned function = target >> 2 & 1;
    if (mechanism_ == ConfigMechanism::one) {
      out(0xCF8, 4, 0x80000000u | device_of(target) << 11 | function << 8 | (reg & 0xFC));
    } else {
      out(0xCF8, 1, 0x80 | function << 1);
      out(0xCFA, 1, 0);
    }
  }
  std::uint16_t data_port(unsigned target, unsigned reg) const {
    return static_cast<std::uint16_t>(mechanism_ == ConfigMechanism::one ? 0xCFC + (reg & 3)
                                                                         : 0xC000 | device_of(target) << 8 | reg);
  }
  void config(unsigned target, unsigned reg, unsigned bytes, std::uint32_t value) {
    select(target, reg);
    out(data_port(target, reg), bytes, value);
  }
  void firmware() {
    constexpr unsigned isa = 0, ide = 4, other = 2;
    config(ide, 0x20, 4, masters);
    config(ide, 0x40, 4, 0x80008000);
    config(ide, pci::COMMAND, 2, pci::IO_SPACE | pci::BUS_MASTER);
    config(isa, 0x60, 4, 0x0B0A0905);
    config(other, pci::BAR0, 4, 0x6000);
    config(other, pci::COMMAND, 2, pci::IO_SPACE);
  }
  /// Checks that each line has the level of its sources.
  void check_routes() const {
    std::array<bool, bus::InterruptLines::lines> pulled{};
    pulled[14] = ide_.irq14.level(), pulled[15] = ide_.irq15.level();
    for (unsigned device = 0; device < 32; ++device)
      for (unsigned number = 1; number <= 4; ++number)
        if (const int line = router_.line_of(device, number); line >= 0 && pins_[number - 1] >> device & 1)
          pulled.at(static_cast<std::size_t>(line)) = true;
    for (unsigned n = 0; n < pulled.size(); ++n)
      fuzz::expect(pulled[n] == lines_.level(n), "an interrupt line that is not as its sources are");
  }
  void put(std::uint32_t at, std::uint32_t value) {
    for (unsigned n = 0; n < 4; ++n) ram_[(at + n) % ram_.size()] = static_cast<std::uint8_t>(value >> 8 * n);
  }
  void in(std::uint16_t port, unsigned bytes) { ended(bus_.io_read(port, bytes, now).end); }
  void out(std::uint16_t port, unsigned bytes, std::uint32_t value) { ended(bus_.io_write(port, bytes, value, now)); }
  pci::SlotWiring wiring() {
    return {scheduler,
            bus_.io(),
            memory_,
            segment_,
            trace_,
            [this](unsigned device, unsigned number, bool asserted, Time t) {
              router_.set_pin(device, number, asserted, t);
            }};
  }

  const ConfigMechanism mechanism_;
  AddressSpace memory_;
  Trace trace_;
  std::vector<std::uint8_t> ram_ = std::vector<std::uint8_t>(0x10000);
  std::array<std::uint32_t, 4> pins_{};  // by pin: the devices that pull it
  bus::HostBridge bus_{scheduler, memory_, {}, trace_};
  pci::Segment segment_{scheduler, {}, memory_, trace_};
  pci::ConfigPorts ports_;
  I8259Pair pic_{trace_, Trigger::elcr};
  bus::InterruptLines lines_;
  PirqRouter router_{lines_, PirqTable::rotation(9)};
  Elcr elcr_{pic_};
  pci::Slot place_{bridge, 0, wiring()}, slot_{card_device, 1, wiring()};
  Piix3Isa isa_{place_, router_};
  Piix3Ide ide_{place_, Piix3Ide::profile()};
  Card card_{slot_};
  const unsigned source14_ = lines_.add_source("IDE 1"), source15_ = lines_.add_source("IDE 2");
  SignalFunction irq14_{[this](bool level, Time t) { lines_.set(14, source14_, level, t); }};
  SignalFunction irq15_{[this](bool level, Time t) { lines_.set(15, source15_, level, t); }};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Board one(ConfigMechanism::one), two(ConfigMechanism::two);
  Input input({data, size});
  const unsigned first = input.u8();
  (first & 1 ? two : one).run(input, first >> 1, limit);
  return 0;
}
