// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for the IBM SCSI subsystem with a disk and a CD-ROM drive: subsystem control blocks of every content,
// with scatter lists, of any length and at any address, immediate commands, long control blocks with SCSI commands,
// port accesses, POS, resets. Both drives are assigned at the start.
//
// A finding: a crash or sanitizer report, an access that does not end, and those of device_run.hpp.
#include "bus/host/host_bridge.hpp"
#include "bus/mca/dma.hpp"
#include "bus/mca/slot.hpp"
#include "devices/storage/scsi/ibm_scsi.hpp"
#include "tests/fuzz/device_run.hpp"

namespace {

using namespace planar;
using fuzz::Input;
using storage::DiskImage;

constexpr std::uint16_t base = 0x3540;
constexpr Time limit = 2_s;  // a seek across the medium takes tens of milliseconds

struct Silent final : bus::InterruptSink, bus::NmiSink {
  void set_irq(unsigned, bool, Time) override {}
  void set_nmi(bus::NmiSource, bool, Time) override {}
};

// clang-format off
enum Operation : unsigned { out8, out16, out32, in8, in32, memory, block, list, issue, end_of_interrupt, pause,
                            long_pause, pos, reset, look };
// clang-format on

class Bench final : public fuzz::DeviceRun<Bench> {
 public:
  explicit Bench(const McaEntry& entry) : made_(entry.make({slot_, nullptr, {}, {}, 1}).card) {
    interrupts_.connect(silent_);
    channel_check_.connect(silent_);
    bus_.attach(channel_);
    channel_.connect(silent_);
    memory_.map_ram(0, ram_);
    auto& card = static_cast<storage::IbmScsi&>(*made_);
    card.attach(6, storage::DriveKind::disk, DiskImage(std::vector<std::uint8_t>(512 * 4096, 0x5A), "disk"));
    card.attach(3, storage::DriveKind::cdrom,
                DiskImage(std::vector<std::uint8_t>(2048 * 64, 0xA5), "cd", storage::WriteMode::read_only));
    card.pos_write(3, 0xFC, now);
    card.pos_write(2, 0xF1, now);
    out(5, 1, 0x03);
    for (const std::uint32_t assign : {0x0460040Eu, 0x0431040Eu}) {  // logical 0 is target 6, logical 1 target 3
      out(0, 4, (assign & 0xFFFF0000u) | 0x040E);
      out(4, 1, 0x1F);
      step(20_ms);
      out(4, 1, 0xEF);
      step(1_ms);
    }
    prepared();
  }

  void archive(Archive& a) {
    bus_.archive(a);
    dma_.archive(a);
    interrupts_.archive(a);
    channel_check_.archive(a);
    made_->archive(a);
    a(ram_);
  }

  void operate(Input& input) {
    const unsigned first = input.u8(), high = first >> 4;
    switch (first & 15) {
      case out8: out(high & 7, 1, input.u8()); break;
      case out16: out(high & 7, 2, input.u16()); break;
      case out32: out(high & 7, 4, input.u32()); break;
      case in8: in(high & 7, 1); break;
      case in32: in(high & 7, 4); break;
      case memory: {
        std::uint32_t at = input.u16();
        for (const std::uint8_t b : input.take(input.u8())) ram_[at++ % ram_.size()] = b;
        break;
      }
      case block: control_block(input, high); break;
      case list: {
        const std::uint32_t at = 0x2000 + 8 * high;
        put(at, 4, input.u32());
        put(at + 4, 4, input.u32());
        break;
      }
      case issue: {
        out(0, 4, high & 8 ? input.u32() : 0x1000);
        const unsigned how = input.u8();
        out(4, 1, how & 0x80 ? how : (how & 0x40 ? 0x40 : 0x30) | (how & 15));
        break;
      }
      case end_of_interrupt: out(4, 1, 0xE0 | high); break;
      case pause: step(10_us * input.u8()); break;
      case long_pause: step(1_ms * input.u8()); break;
      case pos: {
        const unsigned reg = input.u8() & 7;
        made_->pos_write(reg, input.u8(), now);
        break;
      }
      case reset: made_->channel_reset(now); break;
      case look:
        changes_nothing([&] {
          for (unsigned n = 0; n < 8; ++n) bus_.io().peek(static_cast<std::uint16_t>(base + n), scheduler.now());
          Description d;
          made_->describe(d);
        });
        break;
      default: break;
    }
  }

 private:
  /// A control block at 1000h: command, enable bits, block number, buffer, bytes, count and SCSI command from the
  /// input.
  void control_block(Input& input, unsigned how) {
    static constexpr std::uint16_t commands[] = {0x1C81, 0x1C82, 0x1C83, 0x1C84, 0x1C8B, 0x1C87, 0x1C88, 0x1C89,
                                                 0x1C8A, 0x1C96, 0x1C98, 0x241F, 0x1C90, 0x1C99, 0x0000};
    const unsigned command = input.u8();
    put(0x1000, 2, command < std::size(commands) ? commands[command] : input.u16());
    put(0x1002, 2, input.u16());
    put(0x1004, 4, input.u32());
    put(0x1008, 4, how & 1 ? input.u32() : how & 2 ? 0x2000 : 0x4000);
    put(0x100C, 4, how & 4 ? input.u32() : input.u16());
    put(0x1010, 4, how & 8 ? input.u32() : 0x1100);
    put(0x1014, 4, 0);
    std::uint32_t at = 0x1018;
    for (const std::uint8_t b : input.take(12)) put(at++, 1, b);
  }
  void put(std::uint32_t at, unsigned bytes, std::uint32_t value) {
    for (unsigned n = 0; n < bytes; ++n) ram_[(at + n) % ram_.size()] = static_cast<std::uint8_t>(value >> 8 * n);
  }
  void in(unsigned offset, unsigned bytes) {
    ended(bus_.io_read(static_cast<std::uint16_t>(base + offset), bytes, now).end);
  }
  void out(unsigned offset, unsigned bytes, std::uint32_t value) {
    ended(bus_.io_write(static_cast<std::uint16_t>(base + offset), bytes, value, now));
  }

  Silent silent_;
  AddressSpace memory_;
  Trace trace_;
  std::vector<std::uint8_t> ram_ = std::vector<std::uint8_t>(0x10000);
  bus::HostBridge bus_{scheduler, memory_, {}, trace_};
  bus::Channel channel_{scheduler, {}, bus_.io(), trace_};
  bus::DmaController dma_{channel_, bus_.io(), memory_, trace_};
  bus::InterruptLines interrupts_;
  bus::ChannelCheck channel_check_;
  bool selected_ = false;
  bus::Slot slot_{
      0, 32, {scheduler, bus_.io(), memory_, channel_, dma_, interrupts_, channel_check_, trace_, &selected_}};
  std::unique_ptr<bus::Adapter> made_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench plain(storage::IbmScsi::plain), cached(storage::IbmScsi::cached);
  Input input(std::span(data, size));
  const unsigned first = input.u8();
  (first & 1 ? cached : plain).run(input, first >> 1, limit);
  return 0;
}
