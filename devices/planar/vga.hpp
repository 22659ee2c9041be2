// SPDX-License-Identifier: GPL-2.0-or-later
// IBM VGA of the planar: registers and memory complete, text modes shown.
//
//   3B4h/3B5h or 3D4h/3D5h CRTC   3BAh or 3DAh status 1 (read), feature (write)   3C0h/3C1h attribute   3C2h misc, status 0
//   3C3h subsystem enable   3C4h/3C5h sequencer   3C6h-3C9h DAC   3CAh/3CCh feature, misc (read)   3CEh/3CFh graphics
//   A0000h-BFFFFh window on 256 KB (four planes of 64 KB)
//
// Facts: IBM PS/2 video subsystem technical reference as the field knows it; planar-devices.md section 7 (wake: POS 102h
// bit 0, then 3C3h bit 0; no 46E8h); bios.md: registers of extensions read as absent (index beyond the last register
// reads 0; 3C4h index 6 and above, 3CEh index 9 and above, CRTC index 25h and above).
// Timing: dot clock 25.175 or 28.322 MHz from misc bits 3-2, frame position computed from time. CPU access to video
// memory is an asynchronous cycle (wait inferred, see video_cycle).
// Known limits: graphics modes are stored, not rendered (a later issue); the text screen is given as characters and
// attributes; the vertical retrace interrupt is an event only while enabled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/address_space.hpp"
#include "core/archive.hpp"
#include "core/scheduler.hpp"
#include "core/slave.hpp"
#include "core/trace.hpp"
#include "devices/planar/port_group.hpp"
#include "devices/planar/signal.hpp"

namespace planar {

/// What the text screen shows.
struct TextScreen {
  unsigned columns = 0;
  unsigned rows = 0;
  std::vector<std::uint8_t> characters;  ///< columns * rows codes of code page 437
  std::vector<std::uint8_t> attributes;
  bool cursor_visible = false;
  unsigned cursor_column = 0;
  unsigned cursor_row = 0;
};

/// Ports; offsets count from 3B0h.
class Vga final : public Slave {
 public:
  Vga(Scheduler& scheduler, Trace& trace);

  /// Decodes 3B4h-3B5h, 3BAh, 3C0h-3CFh, 3D4h-3D5h, 3DAh in `space` and A0000h-BFFFFh in `memory`.
  void claim(IoSpace& space, AddressSpace& memory);

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;

  /// CPU access to the memory window; `offset` counts from A0000h. Bytes outside the selected window read FFh.
  std::uint8_t read_memory(std::uint32_t offset);
  std::uint8_t peek_memory(std::uint32_t offset) const;
  void write_memory(std::uint32_t offset, std::uint8_t value);

  /// Vertical retrace interrupt (IRQ 9).
  Output irq9;

  /// POS 2 bit 0 in video setup (bus::VideoPos): asleep, it answers nothing but 3C3h.
  void set_awake(bool awake) { pos_awake_ = awake; }

  /// True while a text mode is programmed and the screen is on.
  bool text_mode() const;
  /// What is on the screen now (empty in graphics modes).
  TextScreen text_screen() const;
  /// The same as UTF-8 lines without trailing blanks.
  std::vector<std::string> text_lines() const;

  void reset(Time now);
  void archive(Archive& a);

 private:
  class Memory final : public Slave {
   public:
    explicit Memory(Vga& vga) : vga_(vga) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;

   private:
    Vga& vga_;
  };
  struct Raster {
    Time frame_start;       // of the frame in progress
    std::int64_t character; // position in the frame, in character clocks
    std::int64_t line_length, lines;
    std::int64_t line, column;
  };

  bool colour() const { return misc_ & 1; }
  bool awake() const { return pos_awake_ && enabled_; }
  std::uint8_t read_port(std::uint16_t port, Time now);
  std::uint8_t peek_port(std::uint16_t port, Time now) const;
  void write_port(std::uint16_t port, std::uint8_t value, Time now);
  std::uint8_t crtc(unsigned index) const;
  void write_crtc(std::uint8_t value, Time now);
  std::uint8_t status1(Time now) const;
  std::uint8_t status0(Time now) const;
  ClockDomain character_clock() const;
  std::int64_t line_length() const;
  std::int64_t frame_lines() const;
  std::int64_t frame_position(Time now) const;
  std::int64_t retrace_line() const;
  void schedule_retrace(Time now);
  void retrace(Time now);
  /// Byte within the planes for a window offset; -1 when the window is elsewhere.
  std::int32_t window(std::uint32_t offset) const;
  std::uint8_t read_planes(std::uint32_t address, bool latch);
  void write_planes(std::uint32_t address, std::uint8_t value, std::uint8_t mask);

  Scheduler& scheduler_;
  Trace& trace_;
  bool pos_awake_ = false;
  bool enabled_ = false;                       // 3C3h bit 0
  std::uint8_t misc_ = 0;
  std::uint8_t feature_ = 0;
  std::uint8_t sequencer_index_ = 0, graphics_index_ = 0, crtc_index_ = 0, attribute_index_ = 0;
  bool attribute_data_ = false;                // 3C0h flip-flop
  std::array<std::uint8_t, 5> sequencer_{};
  std::array<std::uint8_t, 9> graphics_{};
  std::array<std::uint8_t, 25> crtc_{};
  std::array<std::uint8_t, 21> attribute_{};
  std::uint8_t dac_mask_ = 0xFF, dac_read_ = 0, dac_write_ = 0, dac_component_ = 0;
  bool dac_reading_ = false;
  std::array<std::uint8_t, 768> palette_{};
  std::array<std::uint8_t, 4> latches_{};
  std::array<std::vector<std::uint8_t>, 4> planes_;
  bool retrace_pending_ = false;
  Time seen_{};
  Memory memory_{*this};
  Event retrace_;
  PortGroup ports_;
  MemoryClaim window_claim_;
};

}  // namespace planar
