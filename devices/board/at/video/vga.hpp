// SPDX-License-Identifier: GPL-2.0-or-later
// IBM VGA of the planar: registers, memory, and screen contents.
//
//   3B4h/3B5h or 3D4h/3D5h CRTC          3BAh or 3DAh status 1 (read), feature (write)
//   3C0h/3C1h attribute                  3C2h misc (write), status 0 (read)
//   3C3h subsystem enable                3C4h/3C5h sequencer
//   3C6h-3C9h DAC                        3CAh feature, 3CCh misc (read)
//   3CEh/3CFh graphics
//   A0000h-BFFFFh window on 256 KB (four planes of 64 KB)
//
// Facts: IBM PS/2 video subsystem technical reference, as generally known; docs/hardware/planar-devices.md#video (wake:
// POS 102h bit 0, then 3C3h bit 0; no 46E8h); docs/hardware/bios.md#video-services: extension registers of later chips
// are absent: here they read 0, and writes to them are ignored.
// Timing: dot clock 25.175 or 28.322 MHz (misc bits 3-2); the position in the frame is computed from time; only the
// vertical retrace interrupt is an event, while enabled. CPU cycles to video memory: video_cycle.
// Known limits: those of the picture (vga_picture.hpp); the text screen is returned as characters and attributes
// without line compare and panning; the frame phase restarts whenever the timing registers change.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bus/common/board_cycle.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"
#include "devices/board/at/video/vga_picture.hpp"

namespace planar {

/// Contents of the text screen.
struct TextScreen {
  unsigned columns = 0;
  unsigned rows = 0;
  std::vector<std::uint8_t> characters;  ///< columns * rows codes of code page 437
  std::vector<std::uint8_t> attributes;
  bool cursor_visible = false;
  unsigned cursor_column = 0;
  unsigned cursor_row = 0;
};

/// CPU cycles to video memory: 8-bit port, not ready while the CRTC fetches (inferred: 700 ns on average on a PS/2).
inline constexpr CycleSpec video_cycle{8, bus::BoardCycle::device, 400_ns};

/// Ports; offsets count from 3B0h.
class Vga final : public Slave {
 public:
  explicit Vga(Scheduler& scheduler);
  /// Trace for register writes and mode changes; may be null.
  void set_trace(Trace* trace) { trace_ = trace; }

  /// Decodes 3B4h-3B5h, 3BAh, 3C0h-3CFh, 3D4h-3D5h, 3DAh in `space` and A0000h-BFFFFh in `memory`.
  void claim(IoSpace& space, AddressSpace& memory, CycleSpec cycle = video_cycle);

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  /// CPU access to the memory window; `offset` counts from A0000h. Bytes outside the selected window read FFh.
  std::uint8_t read_memory(std::uint32_t offset);
  std::uint8_t peek_memory(std::uint32_t offset) const;
  void write_memory(std::uint32_t offset, std::uint8_t value);

  /// Vertical retrace interrupt (IRQ 9).
  Output irq9;

  /// POS 2 bit 0 in video setup (VideoPos): while asleep, it responds only to 3C3h.
  void set_awake(bool awake) { pos_awake_ = awake; }

  /// True while a text mode is programmed and the screen is on.
  bool text_mode() const;
  /// The present text screen (empty in graphics modes).
  TextScreen text_screen() const;
  /// The same as UTF-8 lines without trailing blanks.
  std::vector<std::string> text_lines() const;
  /// The picture on a monitor at `now`, in any mode. Has no side effects.
  Picture picture(Time now) const;
  /// Duration of a frame as programmed: 14.3 ms in text modes, 16.7 ms with 480 lines.
  Time frame_period() const;

  void reset(Time now);
  /// Mode, position in the frame at `now`, and the indexed registers by index.
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  class Memory final : public Slave {
   public:
    explicit Memory(Vga& vga) : vga_(vga) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

   private:
    Vga& vga_;
  };
  bool colour() const { return misc_ & 1; }
  bool awake() const { return pos_awake_ && enabled_; }
  bool decoded(std::uint32_t offset) const;
  std::uint8_t read_port(std::uint32_t offset, Time now);
  std::uint8_t peek_port(std::uint32_t offset, Time now) const;
  void write_port(std::uint32_t offset, std::uint8_t value, Time now);
  void trace_write(std::uint32_t offset, std::uint8_t value, Time now) const;
  std::string mode() const;
  void write_attribute(std::uint8_t value);
  void write_crtc(std::uint8_t value, Time now);
  std::uint8_t status1(Time now) const;
  ClockDomain character_clock() const;
  std::int64_t line_length() const { return crtc_[0] + 5; }
  /// Scan lines per count of the vertical counter.
  std::int64_t lines_per_count() const;
  std::int64_t frame_lines() const;
  /// Length of a frame, in character clocks.
  std::int64_t frame_length() const { return line_length() * frame_lines(); }
  std::int64_t displayed_lines() const;
  std::int64_t retrace_line() const;
  void schedule_retrace(Time now);
  void retrace(Time now);
  /// Offset within the selected window, -1 if outside.
  std::int32_t window(std::uint32_t offset) const;
  struct Cell {
    std::uint32_t address;  ///< within a plane
    std::uint8_t planes;    ///< planes that a write reaches and a chained read comes from
  };
  Cell decode(std::uint32_t address, bool reading) const;
  std::uint8_t plane_value(std::uint32_t address, const Cell& cell, const std::array<std::uint8_t, 4>& data) const;
  std::uint8_t combine(std::uint8_t value, std::uint8_t latch, std::uint8_t mask) const;

  Trace* trace_ = nullptr;
  bool pos_awake_ = false;
  bool enabled_ = false;  // 3C3h bit 0
  std::uint8_t misc_ = 0;
  std::uint8_t feature_ = 0;
  std::uint8_t sequencer_index_ = 0, graphics_index_ = 0, crtc_index_ = 0, attribute_index_ = 0;
  bool attribute_data_ = false;  // 3C0h flip-flop
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
  Memory memory_{*this};
  Event retrace_;
  TraceSubject subject_{"vga"};
  PortGroup ports_{"vga"};
  MemoryClaim window_claim_;
};

}  // namespace planar
