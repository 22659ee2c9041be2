// SPDX-License-Identifier: GPL-2.0-or-later
// NS16550A: the receiver in loop-back mode. Its input is the transmitter's line, which a break holds at space whether
// or not a character is being sent: docs/hardware/planar-devices.md#serial-port. It samples each bit in its middle, so
// a break that begins or ends within a character damages it as on the real part.
#include <bitset>

#include "devices/board/at/ports/ns16550.hpp"

namespace planar {

namespace {
// LCR
constexpr std::uint8_t parity_enable = 0x08, even_parity = 0x10, stick_parity = 0x20, send_break = 0x40;
// LSR
constexpr std::uint8_t parity_error = 0x04, framing_error = 0x08, break_received = 0x10;
}  // namespace

/// Start, data and parity bits and the first stop bit, the only one that a receiver checks.
unsigned Ns16550::frame_bits() const { return 1 + data_bits() + (lcr_ & parity_enable ? 1 : 0) + 1; }

bool Ns16550::parity_bit(unsigned data) const {
  if (lcr_ & stick_parity) return !(lcr_ & even_parity);
  const bool odd = std::bitset<8>(data).count() & 1;
  return lcr_ & even_parity ? odd : !odd;
}

/// The transmitter's line: true is mark.
bool Ns16550::looped_line(Time now) const {
  if (lcr_ & send_break) return false;
  if (!shifting_) return true;
  const unsigned data = shift_register_ & ((1u << data_bits()) - 1);
  unsigned bit = 0;
  while (bit < frame_bits() && after_bits(shift_start_, 2 * (bit + 1)) <= now) ++bit;
  if (bit == 0) return false;
  if (bit <= data_bits()) return data >> (bit - 1) & 1;
  return bit + 1 < frame_bits() ? parity_bit(data) : true;
}

/// Loop-back mode begins or ends, possibly within a character.
void Ns16550::enter_loop() {
  sampling_ = waits_for_mark_ = false;
  if (!shifting_) return;
  const std::uint64_t divisor = divisor_ == 0 ? 65'536 : divisor_;
  shift_start_ = clock_.at(clock_.first_at_or_after(transmitted_.when()) - 8 * character_halves() * divisor);
}

/// Looks for a start bit now and at each further bit of the transmitter. Called whenever the line may have changed.
void Ns16550::watch_loop(Time now) {
  if (!loopback()) return loop_.cancel();
  if (sampling_) return;  // the next sample handles it
  const bool mark = looped_line(now);
  if (mark) waits_for_mark_ = false;
  if (!mark && !waits_for_mark_) {
    sampling_ = true;
    frame_start_ = now;
    sampled_ = 0;
    samples_ = 0;
    return loop_.at(after_bits(now, 1));
  }
  loop_.cancel();
  for (unsigned bit = 1; shifting_ && bit < frame_bits(); ++bit)
    if (const Time next = after_bits(shift_start_, 2 * bit); next > now) return loop_.at(next);
}

void Ns16550::sample_loop(Time now) {
  if (!sampling_) return watch_loop(now);
  samples_ |= static_cast<std::uint16_t>(looped_line(now) << (sampled_ & 15));
  ++sampled_;
  if (samples_ & 1) {  // no start bit after all
    sampling_ = false;
    watch_loop(now);
  } else if (sampled_ < frame_bits()) {
    loop_.at(after_bits(frame_start_, 2 * sampled_ + 1u));
  } else {
    take_frame(now);
  }
}

void Ns16550::take_frame(Time now) {
  const unsigned data = samples_ >> 1 & ((1u << data_bits()) - 1);
  const bool stop = samples_ >> (frame_bits() - 1) & 1;
  std::uint8_t errors = stop ? 0 : framing_error;
  if (lcr_ & parity_enable && (samples_ >> (1 + data_bits()) & 1) != parity_bit(data)) errors |= parity_error;
  if (samples_ == 0) errors |= break_received;
  accept(static_cast<std::uint8_t>(data), errors, now);
  sampling_ = false;
  waits_for_mark_ = errors & break_received;  // one zero character per break, however long
  if (errors & framing_error && !waits_for_mark_) {
    // The missing stop bit is taken as the next start bit.
    frame_start_ = after_bits(frame_start_, 2 * (frame_bits() - 1));
    sampling_ = true;
    sampled_ = 1;
    samples_ = 0;
    loop_.at(after_bits(frame_start_, 3));
  } else {
    watch_loop(now);
  }
  update_irq(now);
}

}  // namespace planar
