// SPDX-License-Identifier: GPL-2.0-or-later
// Real-time clock and CMOS: an MC146818-compatible part with 64 bytes at ports 70h (index) and
// 71h (data).
//
//   00h-09h seconds, alarm, minutes, alarm, hours, alarm, weekday, day, month, year
//   0Ah-0Dh registers A to D
//   0Eh-3Fh CMOS (PS/2 use: docs/hardware/pos-and-adf.md#cmos-and-nvram; CRC over 10h-31h at 32h, 33h; century at 37h,
//   on an AT at 32h)
//
// Facts: Motorola MC146818 data sheet (update cycle 1984 us at 32.768 kHz, UIP 244 us before it, first update 500 ms
// after the divider is released, periodic rates); docs/hardware/planar-devices.md#clock (IRQ 8 is a level, cleared by
// reading register C); port 70h bit 7 masks NMI, 1 at power-on. Time is computed when it is read; events exist only
// while an interrupt is enabled and not yet requested.
// Known limits: daylight saving (register B bit 0) and the square-wave output are stored without effect; the second
// bank of late planars is absent, index bit 6 is ignored; only the 32.768 kHz divider setting runs the clock, the
// others stop it; the calendar counts only years 0 to 99, the century byte is plain CMOS maintained by firmware.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

/// A calendar date and time; `year` with century.
struct DateTime {
  unsigned year = 1995, month = 1, day = 1, hour = 0, minute = 0, second = 0;

  /// "1995-01-01 00:00:00" (or with a T between). Throws Error saying what is wrong.
  static DateTime parse(std::string_view text);
  /// 1 = Sunday to 7 = Saturday, the clock chip's numbering.
  unsigned weekday() const;
};

/// Offsets: 0 = index (70h), 1 = data (71h).
class RtcCmos final : public Slave {
 public:
  static constexpr std::uint8_t ps2_century = 0x37, at_century = 0x32;
  /// `century`: the byte in which the firmware keeps it.
  RtcCmos(Scheduler& scheduler, Trace& trace, std::uint8_t century = ps2_century);

  /// Decodes 70h-71h.
  void claim_ports(IoSpace& space);

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  Output irq8;
  Output nmi_mask;  ///< port 70h bit 7; true = masked

  // For the machine builder.
  /// Sets the clock at `now`: BCD, 24 hours, with the century, dividers running.
  void set_date_time(const DateTime& date, Time now);
  /// Sets a byte from 0Eh to 3Fh.
  void set_cmos(unsigned index, std::uint8_t value);
  std::uint8_t cmos(unsigned index) const { return clock_.ram[index & 63]; }
  /// Writes the CRC of 10h-31h into 32h (high) and 33h (low), as the reference diskette of a PS/2 does.
  void seal();
  bool crc_valid() const;
  /// Register D bit 7 (valid RAM and time); false is a dead battery: POST reports 161.
  void set_battery_good(bool good) { battery_good_ = good; }

  /// System reset: interrupt enables and flags are cleared, time and memory are kept (battery). NMI is masked.
  void reset(Time now);
  /// Clock, registers A to D and CMOS at `now`.
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  /// Registers and dividers: everything that changes with time. A copy can be advanced to a given time for inspection.
  struct Clock {
    static constexpr ClockDomain crystal{32'768};
    std::array<std::uint8_t, 64> ram{};
    std::uint8_t flags = 0;      // register C bits 6 to 4
    Time phase{};                // an instant at which the one-second divider wrapped (an update ended)
    std::int64_t updates = 0;    // updates since phase that the registers already show
    std::int64_t periodics = 0;  // periodic ticks since phase that register C already shows

    /// Advances registers and flags to `now`.
    void settle(Time now);
    bool dividers_run() const;
    std::int64_t periodic_ticks() const;
    std::int64_t updates_at(Time now) const { return (now - phase) / 1_s; }
    std::int64_t periodics_at(Time now) const;
    bool update_in_progress(Time now) const;
    std::uint8_t register_c() const;
    void put(unsigned index, unsigned value);
    void put_hour(unsigned hour);

   private:
    void second_passes();
    bool alarm_matches() const;
    unsigned get(unsigned index) const;
    unsigned get_hour() const;
  };
  std::uint8_t value_at(const Clock& clock, unsigned index, Time now) const;
  void write_register(unsigned index, std::uint8_t value, Time now);
  void update_irq(Time now);
  void schedule(Time now);
  void tick(Time now);

  Trace& trace_;
  Clock clock_;
  std::uint8_t index_ = 0;
  const std::uint8_t century_;
  bool battery_good_ = true;
  Event interrupt_;
  PortGroup ports_{"rtc"};
};

}  // namespace planar
