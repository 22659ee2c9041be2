// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/clocks/rtc_cmos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/common/error.hpp"
#include "core/state/crc16.hpp"

namespace planar {

namespace {

enum Register : unsigned {
  seconds = 0,
  seconds_alarm,
  minutes,
  minutes_alarm,
  hours,
  hours_alarm,
  weekday,
  day,
  month,
  year,
  register_a,
  register_b,
  register_c_index,
  register_d
};
// Register B
constexpr std::uint8_t set_bit = 0x80, enables = 0x70, update_enable = 0x10, square_wave = 0x08, binary = 0x04,
                       hours_24 = 0x02;
// Register C
constexpr std::uint8_t periodic_flag = 0x40, alarm_flag = 0x20, update_flag = 0x10;

constexpr Time update_cycle = 1'984_us;  // MC146818 data sheet, 32.768 kHz time base
constexpr Time update_warning = 244_us;  // UIP rises this long before the update cycle
constexpr Time first_update = 500_ms;    // after the divider is released

unsigned days_in(unsigned month_number, unsigned year_number) {
  constexpr std::uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month_number < 1 || month_number > 12) return 31;
  return days[month_number - 1] + (month_number == 2 && year_number % 4 == 0 ? 1u : 0u);
}

}  // namespace

DateTime DateTime::parse(std::string_view text) {
  const auto fail = [&](std::string_view why) -> Error {
    return Error(fmt::format("date \"{}\": {}; write it as 1995-01-01 00:00:00", text, why));
  };
  constexpr std::string_view shape = "0000-00-00 00:00:00";
  if (text.size() != shape.size()) throw fail("wrong length");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = text[i];
    const bool good = shape[i] == '0' ? c >= '0' && c <= '9' : c == shape[i] || (shape[i] == ' ' && c == 'T');
    if (!good) throw fail(fmt::format("character {} is '{}'", i + 1, c));
  }
  const auto number = [&](std::size_t at, std::size_t length) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + length, value);
    return value;
  };
  DateTime d{number(0, 4), number(5, 2), number(8, 2), number(11, 2), number(14, 2), number(17, 2)};
  if (d.year < 1980 || d.year > 2099) throw fail("the year is outside 1980 to 2099");
  if (d.month < 1 || d.month > 12) throw fail("there is no such month");
  if (d.day < 1 || d.day > days_in(d.month, d.year)) throw fail("the month has no such day");
  if (d.hour > 23 || d.minute > 59 || d.second > 59) throw fail("there is no such time of day");
  return d;
}

unsigned DateTime::weekday() const {
  // Zeller's rule for the Gregorian calendar: 0 = Saturday.
  const unsigned m = month < 3 ? month + 12 : month;
  const unsigned y = month < 3 ? year - 1 : year;
  const unsigned h = (day + 13 * (m + 1) / 5 + y + y / 4 - y / 100 + y / 400) % 7;
  return h == 0 ? 7 : h;
}

RtcCmos::RtcCmos(Scheduler& scheduler, Trace& trace, std::uint8_t century)
    : trace_(trace),
      century_(century),
      interrupt_(scheduler, "rtc.interrupt", Priority::timer, Callback::to<&RtcCmos::tick>(this)) {
  nmi_mask.set(true, Time{});
  set_date_time(DateTime{}, Time{});
}

void RtcCmos::claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x70, {{0x70, 0x71}}); }

void RtcCmos::set_date_time(const DateTime& date, Time now) {
  clock_.ram[register_a] = 0x26;  // 32.768 kHz, 1024 Hz
  clock_.ram[register_b] = hours_24;
  clock_.put(seconds, date.second);
  clock_.put(minutes, date.minute);
  clock_.put_hour(date.hour);
  clock_.put(weekday, date.weekday());
  clock_.put(day, date.day);
  clock_.put(month, date.month);
  clock_.put(year, date.year % 100);
  clock_.put(century_, date.year / 100);
  clock_.phase = now;
  clock_.updates = clock_.periodics = 0;
  schedule(now);
}

void RtcCmos::set_cmos(unsigned index, std::uint8_t value) {
  if (index > register_d && index < clock_.ram.size()) clock_.ram[index] = value;
}

void RtcCmos::seal() {
  const std::uint16_t crc = crc16(std::span(clock_.ram).subspan(0x10, 0x22));
  clock_.ram[0x32] = static_cast<std::uint8_t>(crc >> 8);
  clock_.ram[0x33] = static_cast<std::uint8_t>(crc);
}

bool RtcCmos::crc_valid() const {
  return crc16(std::span(clock_.ram).subspan(0x10, 0x22)) == (clock_.ram[0x32] << 8 | clock_.ram[0x33]);
}

unsigned RtcCmos::Clock::get(unsigned index) const {
  const unsigned raw = ram[index];
  return ram[register_b] & binary ? raw : (raw >> 4) * 10 + (raw & 15);
}

void RtcCmos::Clock::put(unsigned index, unsigned value) {
  ram[index] = static_cast<std::uint8_t>(ram[register_b] & binary ? value : (value / 10 % 10) << 4 | value % 10);
}

unsigned RtcCmos::Clock::get_hour() const {
  if (ram[register_b] & hours_24) return get(hours);
  const unsigned raw = ram[hours] & 0x7F;
  const unsigned hour = ram[register_b] & binary ? raw : (raw >> 4) * 10 + (raw & 15);
  return hour % 12 + (ram[hours] & 0x80 ? 12 : 0);
}

void RtcCmos::Clock::put_hour(unsigned hour) {
  if (ram[register_b] & hours_24) {
    put(hours, hour);
    return;
  }
  put(hours, (hour + 11) % 12 + 1);
  if (hour >= 12) ram[hours] |= 0x80;
}

bool RtcCmos::Clock::dividers_run() const { return (ram[register_a] & 0x70) == 0x20; }

/// The periodic rate as a number of 32.768 kHz ticks; 0 = off.
std::int64_t RtcCmos::Clock::periodic_ticks() const {
  const unsigned rate = ram[register_a] & 15;
  if (rate == 0) return 0;
  return rate <= 2 ? 64 << rate : 1 << (rate - 1);
}

std::int64_t RtcCmos::Clock::periodics_at(Time now) const {
  const std::int64_t period = periodic_ticks();
  return period == 0 ? 0 : static_cast<std::int64_t>(crystal.index_at(now - phase)) / period;
}

bool RtcCmos::Clock::update_in_progress(Time now) const {
  if (!dividers_run() || ram[register_b] & set_bit) return false;
  const Time into_second{(now - phase).ps % (1_s).ps};
  return into_second >= 1_s - update_cycle - update_warning;
}

bool RtcCmos::Clock::alarm_matches() const {
  const auto matches = [&](unsigned alarm, unsigned value) {
    return (ram[alarm] & 0xC0) == 0xC0 || ram[alarm] == ram[value];
  };
  return matches(seconds_alarm, seconds) && matches(minutes_alarm, minutes) && matches(hours_alarm, hours);
}

void RtcCmos::Clock::second_passes() {
  const auto count_up = [&](unsigned index, unsigned limit, unsigned first) {
    const unsigned next = get(index) + 1;
    put(index, next < limit ? next : first);
    return next >= limit;
  };
  if (!count_up(seconds, 60, 0) || !count_up(minutes, 60, 0)) return;
  const unsigned hour = get_hour() + 1;
  put_hour(hour % 24);
  if (hour < 24) return;
  count_up(weekday, 8, 1);
  if (!count_up(day, days_in(get(month), get(year)) + 1, 1) || !count_up(month, 13, 1)) return;
  count_up(year, 100, 0);
}

void RtcCmos::Clock::settle(Time now) {
  if (!dividers_run()) return;
  for (const std::int64_t due = updates_at(now); updates < due; ++updates) {
    if (ram[register_b] & set_bit) continue;
    second_passes();
    flags |= update_flag;
    if (alarm_matches()) flags |= alarm_flag;
  }
  if (const std::int64_t due = periodics_at(now); due > periodics) {
    periodics = due;
    flags |= periodic_flag;
  }
}

std::uint8_t RtcCmos::Clock::register_c() const {
  return static_cast<std::uint8_t>(flags | (flags & ram[register_b] & enables ? 0x80 : 0));
}

void RtcCmos::update_irq(Time now) { irq8.set(clock_.flags & clock_.ram[register_b] & enables, now); }

void RtcCmos::schedule(Time now) {
  Time next = Time::never();
  const std::uint8_t wanted = clock_.ram[register_b] & enables;
  if (clock_.dividers_run() && !irq8.level()) {
    if (const std::int64_t period = clock_.periodic_ticks(); wanted & periodic_flag && period != 0)
      next = clock_.phase + Clock::crystal.at(static_cast<std::uint64_t>((clock_.periodics_at(now) + 1) * period));
    if (wanted & (alarm_flag | update_flag) && !(clock_.ram[register_b] & set_bit))
      next = std::min(next, clock_.phase + (clock_.updates_at(now) + 1) * 1_s);
  }
  interrupt_.at(next);
}

void RtcCmos::tick(Time now) {
  clock_.settle(now);
  update_irq(now);
  schedule(now);
}

std::uint32_t RtcCmos::read(std::uint32_t offset, unsigned, Time now) {
  if (offset != 1) return 0xFF;  // 70h is write-only
  clock_.settle(now);
  const std::uint8_t value = value_at(clock_, index_, now);
  if (index_ == register_c_index) {
    clock_.flags = 0;
    update_irq(now);
    schedule(now);
  }
  return value;
}

/// The register's value at `now`, to which `clock` has been advanced.
std::uint8_t RtcCmos::value_at(const Clock& clock, unsigned index, Time now) const {
  switch (index) {
    case register_a:
      return static_cast<std::uint8_t>((clock.ram[index] & 0x7F) | (clock.update_in_progress(now) ? 0x80 : 0));
    case register_c_index: return clock.register_c();
    case register_d: return battery_good_ ? 0x80 : 0x00;
    default: return clock.ram[index];
  }
}

std::uint32_t RtcCmos::peek(std::uint32_t offset, unsigned, Time now) const {
  if (offset != 1) return 0xFF;
  Clock at = clock_;
  at.settle(now);
  return value_at(at, index_, now);
}

void RtcCmos::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  if (offset == 0) {
    index_ = value & 0x3F;
    nmi_mask.set(value & 0x80, now);
  } else if (offset == 1) {
    clock_.settle(now);
    write_register(index_, value, now);
  }
}

void RtcCmos::write_register(unsigned index, std::uint8_t value, Time now) {
  switch (index) {
    case register_a: {
      const bool ran = clock_.dividers_run();
      clock_.ram[index] = value & 0x7F;
      if (!ran && clock_.dividers_run()) {
        clock_.phase = now - (1_s - first_update);
        clock_.updates = 0;
      }
      clock_.periodics = clock_.dividers_run() ? clock_.periodics_at(now) : 0;
      break;
    }
    case register_b:
      clock_.ram[index] = value & set_bit ? value & static_cast<std::uint8_t>(~update_enable) : value;
      break;
    case register_c_index:
    case register_d: return;  // read-only
    default: clock_.ram[index] = value; return;
  }
  update_irq(now);
  schedule(now);
}

void RtcCmos::reset(Time now) {
  clock_.settle(now);
  clock_.ram[register_b] &= static_cast<std::uint8_t>(~(enables | square_wave));
  clock_.flags = 0;
  index_ = 0;
  nmi_mask.set(true, now);
  update_irq(now);
  schedule(now);
}

void RtcCmos::describe(Description& d, Time now) const {
  Clock at = clock_;
  at.settle(now);
  const auto bcd = [&](unsigned index) { return fmt::format("{:02X}", at.ram[index]); };  // as stored by the guest
  d.reg("index", index_, 8);
  d.text("date", fmt::format("{}{}-{}-{}", bcd(century_), bcd(year), bcd(month), bcd(day)));
  d.text("time", fmt::format("{}:{}:{}", bcd(hours), bcd(minutes), bcd(seconds)));
  d.text("alarm", fmt::format("{}:{}:{}", bcd(hours_alarm), bcd(minutes_alarm), bcd(seconds_alarm)));
  d.flag("24 hours", at.ram[register_b] & hours_24).flag("binary", at.ram[register_b] & binary);
  constexpr const char* names[] = {"register A", "register B", "register C", "register D"};
  for (unsigned n = 0; n < 4; ++n) d.reg(names[n], value_at(at, register_a + n, now), 8);
  d.flag("IRQ 8", irq8.level()).flag("NMI masked (70h)", nmi_mask.level());
  Description& cmos = d.part("CMOS");
  for (unsigned n = register_d + 1; n < at.ram.size(); ++n) cmos.reg(fmt::format("{:02X}", n), at.ram[n], 8);
}

void RtcCmos::archive(Archive& a) {
  a.section("rtc_cmos", 1);
  a(clock_.ram, index_, clock_.flags, battery_good_, clock_.phase, clock_.updates, clock_.periodics);
  a(irq8, nmi_mask, interrupt_);
  index_ &= 0x3F;  // a damaged snapshot must not address a nonexistent byte
  // Every second since the last update is processed.
  if (a.loading() && (clock_.updates < 0 || clock_.phase < Time{} - 1_s))
    throw Error("snapshot holds a damaged clock; take a new one", ExitCode::missing_file);
}

}  // namespace planar
