// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for the VGA: its registers, its memory in every write mode, and the picture and text that it shows. A run
// begins in text mode 3.
//
// A finding: a crash or sanitizer report, a picture whose size is not as stated, an access or inspection that changes
// something it must not, and those of device_run.hpp.
#include "devices/board/at/video/vga.hpp"
#include "bus/host/host_bridge.hpp"
#include "bus/mca/arbitration.hpp"
#include "tests/fuzz/device_run.hpp"

namespace {

using namespace planar;
using fuzz::expect;
using fuzz::Input;

constexpr Time limit = 2_s;
constexpr unsigned looks_limit = 4;  // drawing takes milliseconds of host time

struct Silent final : bus::NmiSink {
  void set_nmi(bus::NmiSource, bool, Time) override {}
};

// clang-format off
enum Operation : unsigned { out8, out16, in8, sequencer, crtc, graphics, attribute, palette, store, load, fill, pause,
                            long_pause, look, awake };
constexpr std::array<std::uint8_t, 25> text_crtc{0x5F, 0x4F, 0x50, 0x82, 0x55, 0x81, 0xBF, 0x1F, 0x00, 0x4F, 0x0D, 0x0E,
                                                 0x00, 0x00, 0x00, 0x00, 0x9C, 0x0E, 0x8F, 0x28, 0x1F, 0x96, 0xB9, 0xA3,
                                                 0xFF};
constexpr std::array<std::uint8_t, 5> text_sequencer{0x03, 0x00, 0x03, 0x00, 0x02};
constexpr std::array<std::uint8_t, 9> text_graphics{0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x0E, 0x00, 0xFF};
// clang-format on

class Bench final : public fuzz::DeviceRun<Bench> {
 public:
  Bench() {
    bus_.attach(channel_);
    channel_.connect(silent_);
    vga_.claim(bus_.io(), memory_);
    vga_.reset(now);
    vga_.set_awake(true);
    out(0x3C3, 1, 1);
    out(0x3C2, 1, 0x67);
    for (std::uint8_t i = 0; i < text_sequencer.size(); ++i) indexed(0x3C4, i, text_sequencer[i]);
    for (std::uint8_t i = 0; i < text_crtc.size(); ++i) indexed(0x3D4, i, text_crtc[i]);
    for (std::uint8_t i = 0; i < text_graphics.size(); ++i) indexed(0x3CE, i, text_graphics[i]);
    bus_.io_read(0x3DA, 1, now);
    for (std::uint8_t i = 0; i < 16; ++i) out(0x3C0, 1, i), out(0x3C0, 1, i);
    out(0x3C0, 1, 0x20);
    prepared();
  }

  void archive(Archive& a) {
    bus_.archive(a);
    vga_.archive(a);
    a(looks_);
  }

  void operate(Input& input) {
    const unsigned first = input.u8(), high = first >> 4;
    switch (first & 15) {
      case out8: {
        const unsigned port = 0x3B0 + (input.u8() & 0x3F);
        out(port, 1, input.u8());
        break;
      }
      case out16: {
        const unsigned port = 0x3B0 + (input.u8() & 0x3F);
        out(port, 2, input.u16());
        break;
      }
      case in8: in(0x3B0 + (input.u8() & 0x3F)); break;
      case sequencer: indexed(0x3C4, static_cast<std::uint8_t>(high & 7), input.u8()); break;
      case crtc: {
        const std::uint8_t index = input.u8();
        indexed(high & 1 ? 0x3B4 : 0x3D4, index, input.u8());
        break;
      }
      case graphics: indexed(0x3CE, static_cast<std::uint8_t>(high), input.u8()); break;
      case attribute:
        in(0x3DA);
        out(0x3C0, 1, (high & 1 ? 0x20 : 0) | (input.u8() & 0x1F));
        out(0x3C0, 1, input.u8());
        break;
      case palette:
        out(0x3C8, 1, input.u8());
        for (const std::uint8_t b : input.take(high)) out(0x3C9, 1, b);
        break;
      case store: {
        const std::uint32_t at = address(input);
        ended(bus_.memory_write(at, width(high), input.u32(), now));
        break;
      }
      case load: ended(bus_.memory_read(address(input), width(high), now).end); break;
      case fill: {
        std::uint32_t at = address(input) + (high & 1);
        const unsigned value = input.u8();
        for (unsigned n = input.u8(); n; --n, at += 1 + high) ended(bus_.memory_write(at, 1, value + n, now));
        break;
      }
      case pause: step(1_us * input.u8()); break;
      case long_pause: step(1_ms * input.u8()); break;
      case look:
        if (looks_ < looks_limit) show();
        break;
      case awake: vga_.set_awake(high & 1); break;
      default: break;
    }
  }

 private:
  static unsigned width(unsigned high) { return std::min(4u, 1u << (high & 3)); }
  static std::uint32_t address(Input& input) { return 0xA0000 + 2u * input.u16(); }

  void show() {
    ++looks_;
    changes_nothing([&] {
      const Picture picture = vga_.picture(now);
      expect(picture.rgb.size() == std::size_t{3} * picture.width * picture.height, "a picture of another size");
      // at most 256 characters of 9 dots, each twice as wide
      expect(picture.width <= 4608 && picture.height <= 4096, "a picture larger than the registers can say");
      const TextScreen text = vga_.text_screen();
      expect(text.characters.size() == std::size_t{text.columns} * text.rows &&
                 text.attributes.size() == text.characters.size(),
             "a text of another size");
      expect(!text.cursor_visible || (text.cursor_column < text.columns && text.cursor_row < text.rows),
             "a cursor beside the text");
      vga_.text_lines();
      expect(vga_.frame_period() > Time{}, "a frame without time");
      Description d;
      vga_.describe(d, now);
      for (std::uint16_t port = 0x3B0; port < 0x3E0; ++port) bus_.io().peek(port, scheduler.now());
      for (std::uint32_t at = 0xA0000; at < 0xC0000; at += 0x101) memory_.peek(at, scheduler.now());
    });
  }
  void indexed(unsigned port, std::uint8_t index, std::uint8_t value) {
    out(port, 1, index);
    out(port + 1, 1, value);
  }
  void in(unsigned port) { ended(bus_.io_read(static_cast<std::uint16_t>(port), 1, now).end); }
  void out(unsigned port, unsigned bytes, std::uint32_t value) {
    ended(bus_.io_write(static_cast<std::uint16_t>(port), bytes, value, now));
  }

  unsigned looks_ = 0;
  Silent silent_;
  AddressSpace memory_;
  Trace trace_;
  bus::HostBridge bus_{scheduler, memory_, {}, trace_};
  bus::Channel channel_{scheduler, {}, bus_.io(), trace_};
  Vga vga_{scheduler};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench bench;
  Input input(std::span(data, size));
  const unsigned middle = input.u8();
  bench.run(input, middle, limit);
  return 0;
}
