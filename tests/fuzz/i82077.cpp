// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for the diskette controller with a drive, on the DMA controller: commands of every length and content,
// transfers by DMA and by the processor, port accesses at any time, diskettes being inserted and removed.
//
// A finding: a crash or sanitizer report, an access that does not end, and those of device_run.hpp.
#include "bus/host/host_bridge.hpp"
#include "bus/mca/arbitration.hpp"
#include "devices/board/ps2/diskette_dma.hpp"
#include "tests/fuzz/device_run.hpp"

namespace {

using namespace planar;
using fuzz::Input;

constexpr Time limit = 3_s;  // a revolution takes 200 ms

struct Silent final : bus::NmiSink {
  void set_nmi(bus::NmiSource, bool, Time) override {}
};

// clang-format off
enum Operation : unsigned { out8, in8, command, results, transfer, program_dma, by_processor, pause, long_pause, seek,
                            swap, rate, look };
// clang-format on

class Bench final : public fuzz::DeviceRun<Bench> {
 public:
  explicit Bench(std::uint32_t bytes, bool write_protected) : bytes_(bytes), write_protected_(write_protected) {
    bus_.attach(channel_);
    channel_.connect(silent_);
    memory_.map_ram(0, ram_);
    controller_.claim_ports(bus_.io());
    controller_.install(0, 1000);
    controller_.reset(now);
    controller_.insert(0, diskette(), now);
    out(0x3F2, 0x00);
    step(20_us);
    out(0x3F2, 0x1C);
    step(1_ms);
    for (unsigned n = 0; n < 4; ++n) send({0x08}), take_results();
    send({0x03, 0xDF, 0x02});
    step(500_ms);
    send({0x07, 0x00});
    step(300_ms);
    send({0x08});
    take_results();
    prepared();
  }

  void archive(Archive& a) {
    bus_.archive(a);
    dma_.archive(a);
    a(present_);
    if (a.loading()) {
      // The same diskette must be in the drive; it is identified by its digest.
      if (present_ && !controller_.drive(0).image) controller_.insert(0, diskette(), now);
      if (!present_) controller_.eject(0);
    }
    controller_.archive(a);
    a(ram_);
  }

  void operate(Input& input) {
    static constexpr std::uint16_t ports[] = {0x3F0, 0x3F1, 0x3F2, 0x3F3, 0x3F4, 0x3F5, 0x3F6, 0x3F7};
    const unsigned first = input.u8(), high = first >> 4;
    switch (first & 15) {
      case out8: out(ports[high & 7], input.u8()); break;
      case in8: in(ports[high & 7]); break;
      case command: send(input.take(high)); break;
      case results: take_results(); break;
      case transfer: {  // opcode; cylinder, head, sector, size, last sector
        const unsigned opcode = input.u8(), head = high & 1;
        const auto chs = input.take(4);
        std::array<std::uint8_t, 9> bytes{static_cast<std::uint8_t>(opcode),
                                          static_cast<std::uint8_t>(head << 2),
                                          0,
                                          static_cast<std::uint8_t>(head),
                                          1,
                                          2,
                                          18,
                                          0x1B,
                                          0xFF};
        constexpr std::array<unsigned, 4> places{2, 4, 5, 6};
        for (std::size_t n = 0; n < chs.size(); ++n) bytes[places[n]] = chs[n];
        send(bytes);
        break;
      }
      case program_dma: {
        out(0x0A, 0x06);
        out(0x0C, 0);
        out(0x0B, high & 8 ? input.u8() : high & 1 ? 0x4A : 0x46);
        out(0x81, 0);
        out(0x04, input.u8());
        out(0x04, input.u8());
        out(0x05, input.u8());
        out(0x05, input.u8());
        out(0x0A, 0x02);
        break;
      }
      case by_processor:
        for (unsigned n = input.u8(); n; --n) {
          if (high & 1)
            out(0x3F5, static_cast<std::uint8_t>(n));
          else
            in(0x3F5);
          if (high & 2) step(16_us);
        }
        break;
      case pause: step(10_us * input.u8()); break;
      case long_pause: step(1_ms * input.u8()); break;
      case seek: {
        const std::uint8_t bytes[] = {0x0F, static_cast<std::uint8_t>(high & 7), input.u8()};
        send(bytes);
        break;
      }
      case swap:
        present_ = !present_;
        if (present_)
          controller_.insert(0, diskette(), now);
        else
          controller_.eject(0);
        break;
      case rate: out(0x3F7, static_cast<std::uint8_t>(high)); break;
      case look:
        changes_nothing([&] {
          for (const std::uint16_t port : ports) bus_.io().peek(port, scheduler.now());
          Description d;
          controller_.describe(d, now);
        });
        break;
      default: break;
    }
  }

 private:
  FloppyImage diskette() const { return {std::vector<std::uint8_t>(bytes_, 0x5A), "diskette", write_protected_}; }
  std::uint8_t in(std::uint16_t port) {
    const auto cycle = bus_.io_read(port, 1, now);
    ended(cycle.end);
    return static_cast<std::uint8_t>(cycle.value);
  }
  void out(std::uint16_t port, std::uint8_t value) { ended(bus_.io_write(port, 1, value, now)); }
  /// As in a driver: each byte is sent when the controller requests it, or after a time-out.
  void send(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) {
      for (unsigned tries = 0; tries < 8 && (in(0x3F4) & 0xC0) != 0x80; ++tries) step(5_us);
      out(0x3F5, byte);
    }
  }
  void send(std::initializer_list<std::uint8_t> bytes) { send(std::span(bytes.begin(), bytes.size())); }
  void take_results() {
    for (unsigned n = 0; n < 16 && (in(0x3F4) & 0xD0) == 0xD0; ++n) in(0x3F5);
  }

  const std::uint32_t bytes_;
  const bool write_protected_;
  bool present_ = true;
  Silent silent_;
  AddressSpace memory_;
  Trace trace_;
  std::vector<std::uint8_t> ram_ = std::vector<std::uint8_t>(0x10000);
  bus::HostBridge bus_{scheduler, memory_, {}, trace_};
  bus::Channel channel_{scheduler, {}, bus_.io(), trace_};
  bus::DmaController dma_{channel_, bus_.io(), memory_, trace_};
  I82077 controller_{scheduler, trace_};
  DisketteDma wires_{controller_, dma_};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench usual(1'474'560, false), small(368'640, true);
  Input input(std::span(data, size));
  const unsigned first = input.u8();
  (first & 1 ? small : usual).run(input, first >> 1, limit);
  return 0;
}
