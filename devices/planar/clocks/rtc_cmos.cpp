// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/planar/clocks/rtc_cmos.hpp"

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
  register_d,
  century = 0x37
};
// Register B
constexpr std::uint8_t set_bit = 0x80, enables = 0x70, update_enable = 0x10, square_wave = 0x08, binary = 0x04,
                       hours_24 = 0x02;
// Register C
constexpr std::uint8_t periodic_flag = 0x40, alarm_flag = 0x20, update_flag = 0x10;

constexpr Time update_cycle = 1'984_us;  // MC146818 data sheet, 32.768 kHz time base
constexpr Time update_warning = 244_us;  // UIP rises this much ahead of the update cycle
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

RtcCmos::RtcCmos(Scheduler& scheduler, Trace& trace)
    : trace_(trace), interrupt_(scheduler, "rtc.interrupt", Priority::timer, Callback::to<&RtcCmos::tick>(this)) {
  nmi_mask.set(true, Time{});
  set_date_time(DateTime{}, Time{});
}

void RtcCmos::claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x70, {{0x70, 0x71}}); }

void RtcCmos::set_date_time(const DateTime& date, Time now) {
  ram_[register_a] = 0x26;  // 32.768 kHz, 1024 Hz
  ram_[register_b] = hours_24;
  put(seconds, date.second);
  put(minutes, date.minute);
  put_hour(date.hour);
  put(weekday, date.weekday());
  put(day, date.day);
  put(month, date.month);
  put(year, date.year % 100);
  put(century, date.year / 100);
  phase_ = now;
  updates_ = periodics_ = 0;
  schedule(now);
}

void RtcCmos::set_cmos(unsigned index, std::uint8_t value) {
  if (index > register_d && index < ram_.size()) ram_[index] = value;
}

void RtcCmos::seal() {
  const std::uint16_t crc = crc16(std::span(ram_).subspan(0x10, 0x22));
  ram_[0x32] = static_cast<std::uint8_t>(crc >> 8);
  ram_[0x33] = static_cast<std::uint8_t>(crc);
}

bool RtcCmos::crc_valid() const { return crc16(std::span(ram_).subspan(0x10, 0x22)) == (ram_[0x32] << 8 | ram_[0x33]); }

unsigned RtcCmos::get(unsigned index) const {
  const unsigned raw = ram_[index];
  return ram_[register_b] & binary ? raw : (raw >> 4) * 10 + (raw & 15);
}

void RtcCmos::put(unsigned index, unsigned value) {
  ram_[index] = static_cast<std::uint8_t>(ram_[register_b] & binary ? value : (value / 10 % 10) << 4 | value % 10);
}

unsigned RtcCmos::get_hour() const {
  if (ram_[register_b] & hours_24) return get(hours);
  const unsigned raw = ram_[hours] & 0x7F;
  const unsigned hour = ram_[register_b] & binary ? raw : (raw >> 4) * 10 + (raw & 15);
  return hour % 12 + (ram_[hours] & 0x80 ? 12 : 0);
}

void RtcCmos::put_hour(unsigned hour) {
  if (ram_[register_b] & hours_24) {
    put(hours, hour);
    return;
  }
  put(hours, (hour + 11) % 12 + 1);
  if (hour >= 12) ram_[hours] |= 0x80;
}

bool RtcCmos::dividers_run() const { return (ram_[register_a] & 0x70) == 0x20; }

std::int64_t RtcCmos::updates_at(Time now) const { return (now - phase_) / 1_s; }

/// The periodic rate as a number of 32.768 kHz ticks; 0 = off.
std::int64_t RtcCmos::periodic_ticks() const {
  const unsigned rate = ram_[register_a] & 15;
  if (rate == 0) return 0;
  return rate <= 2 ? 64 << rate : 1 << (rate - 1);
}

std::int64_t RtcCmos::periodics_at(Time now) const {
  const std::int64_t period = periodic_ticks();
  return period == 0 ? 0 : static_cast<std::int64_t>(crystal_.index_at(now - phase_)) / period;
}

bool RtcCmos::update_in_progress(Time now) const {
  if (!dividers_run() || ram_[register_b] & set_bit) return false;
  const Time into_second{(now - phase_).ps % (1_s).ps};
  return into_second >= 1_s - update_cycle - update_warning;
}

bool RtcCmos::alarm_matches() const {
  const auto matches = [&](unsigned alarm, unsigned value) {
    return (ram_[alarm] & 0xC0) == 0xC0 || ram_[alarm] == ram_[value];
  };
  return matches(seconds_alarm, seconds) && matches(minutes_alarm, minutes) && matches(hours_alarm, hours);
}

void RtcCmos::second_passes() {
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

/// Brings registers and flags up to `now`.
void RtcCmos::settle(Time now) {
  if (!dividers_run()) return;
  for (const std::int64_t due = updates_at(now); updates_ < due; ++updates_) {
    if (ram_[register_b] & set_bit) continue;
    second_passes();
    flags_ |= update_flag;
    if (alarm_matches()) flags_ |= alarm_flag;
  }
  if (const std::int64_t due = periodics_at(now); due > periodics_) {
    periodics_ = due;
    flags_ |= periodic_flag;
  }
}

std::uint8_t RtcCmos::register_c() const {
  return static_cast<std::uint8_t>(flags_ | (flags_ & ram_[register_b] & enables ? 0x80 : 0));
}

void RtcCmos::update_irq(Time now) { irq8.set(flags_ & ram_[register_b] & enables, now); }

void RtcCmos::schedule(Time now) {
  Time next = Time::never();
  const std::uint8_t wanted = ram_[register_b] & enables;
  if (dividers_run() && !irq8.level()) {
    if (const std::int64_t period = periodic_ticks(); wanted & periodic_flag && period != 0)
      next = phase_ + crystal_.at(static_cast<std::uint64_t>((periodics_at(now) + 1) * period));
    if (wanted & (alarm_flag | update_flag) && !(ram_[register_b] & set_bit))
      next = std::min(next, phase_ + (updates_at(now) + 1) * 1_s);
  }
  interrupt_.at(next);
}

void RtcCmos::tick(Time now) {
  settle(now);
  update_irq(now);
  schedule(now);
}

std::uint32_t RtcCmos::read(std::uint32_t offset, unsigned, Time now) {
  if (offset != 1) return 0xFF;  // 70h is write-only
  settle(now);
  const std::uint8_t value = peek_register(index_, now);
  if (index_ == register_c_index) {
    flags_ = 0;
    update_irq(now);
    schedule(now);
  }
  return value;
}

std::uint8_t RtcCmos::peek_register(unsigned index, Time now) const {
  switch (index) {
    case register_a: return static_cast<std::uint8_t>((ram_[index] & 0x7F) | (update_in_progress(now) ? 0x80 : 0));
    case register_c_index: return register_c();
    case register_d: return battery_good_ ? 0x80 : 0x00;
    default: return ram_[index];
  }
}

std::uint32_t RtcCmos::peek(std::uint32_t offset, unsigned) const {
  if (offset != 1) return 0xFF;
  return index_ == register_a ? ram_[index_] : peek_register(index_, phase_);
}

void RtcCmos::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  if (offset == 0) {
    index_ = value & 0x3F;
    nmi_mask.set(value & 0x80, now);
  } else if (offset == 1) {
    settle(now);
    write_register(index_, value, now);
  }
}

void RtcCmos::write_register(unsigned index, std::uint8_t value, Time now) {
  switch (index) {
    case register_a: {
      const bool ran = dividers_run();
      ram_[index] = value & 0x7F;
      if (!ran && dividers_run()) {
        phase_ = now - (1_s - first_update);
        updates_ = 0;
      }
      periodics_ = dividers_run() ? periodics_at(now) : 0;
      break;
    }
    case register_b: ram_[index] = value & set_bit ? value & static_cast<std::uint8_t>(~update_enable) : value; break;
    case register_c_index:
    case register_d: return;  // read-only
    default: ram_[index] = value; return;
  }
  update_irq(now);
  schedule(now);
}

void RtcCmos::reset(Time now) {
  settle(now);
  ram_[register_b] &= static_cast<std::uint8_t>(~(enables | square_wave));
  flags_ = 0;
  index_ = 0;
  nmi_mask.set(true, now);
  update_irq(now);
  schedule(now);
}

void RtcCmos::archive(Archive& a) {
  a.section("rtc_cmos", 1);
  a(ram_, index_, flags_, battery_good_, phase_, updates_, periodics_);
  a(irq8, nmi_mask, interrupt_);
}

}  // namespace planar
