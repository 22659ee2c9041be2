// SPDX-License-Identifier: GPL-2.0-or-later
// What instructions cost on the 386SX, recalled. The clocks of a stretch of code (register-only instructions and the
// one of another kind behind them, dispatch/recall.hpp) depend on what the prefetch queue and the bus have been doing,
// but on little of it: how far ahead of the clock the bus is taken, how many bytes the queue holds, whether a write
// still waits. That is a BusPhase. From the same phase the same stretch costs the same and ends in the same phase, as
// long as no refresh falls in and the rows that it touches are open or not as they were then. So what the bus unit has
// worked out once is written down with the stretch and recalled when the phase comes again. Nothing of this is state of
// the machine: it follows from the bus unit's figures and is turned back into them (Timing386sx::settle) for whatever
// is not recalled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace planar::cpu {

/// The bus unit's state between two instructions, relative to Timing386sx::origin_: the clock from which the next code
/// word may be fetched.
struct BusPhase {
  // Of the key. Bits 15-0: the clock behind the origin, signed; 20-16: bytes in the queue; 26-21: clocks until the
  // posted write leaves for the bus. Of a queue that was flushed nothing else matters but the row.
  static constexpr std::uint32_t queue_shift = 16, latch_shift = 21, most_queued = 31, most_latch = 63;
  static constexpr std::uint32_t waits = 1u << 27;      ///< the queue got room later than the bus became free
  static constexpr std::uint32_t flushed = 1u << 28;    ///< by a branch
  static constexpr std::uint32_t closed = 1u << 29;     ///< the row of the code is not open
  static constexpr std::uint32_t unknown = 0xFFFFFFFF;  ///< the state is none that can be written down

  std::uint32_t key = unknown;  ///< all that the future depends on
  std::uint16_t spread = 0;     ///< made from the key: where to look
  // What is in the bus unit's figures besides.
  std::uint8_t tail = 0;
  std::uint8_t queued : 5 = 0;
  std::uint8_t credit : 2 = 0;  ///< in bus cycles
  bool waiting : 1 = false;

  void set(std::uint32_t to) {
    key = to;
    spread = static_cast<std::uint16_t>(to * 0x9E3779B1u >> 16);
  }
};

/// What a stretch of code has led to. Clocks are from the origin that it began with.
struct Ending {
  static constexpr std::uint8_t unchanged = 0xFF;
  enum : std::uint8_t { unknown = 1, opens_row = 2, waits = 4, not_at_once = unknown | waits };
  /// Which one, of a stretch that ends with an access: the access found its row open or not, in the bank that the code
  /// is in (and in another row than that) or in another one. Of a branch without an access: it was not taken, or was.
  enum : unsigned { open = 0, closed = 1, in_code_bank = 2 };

  BusPhase phase;
  std::int16_t clock = 0;
  std::uint16_t origin = 0;
  std::uint16_t latch = 0;  ///< of one that ends with a write
  std::uint8_t bus_free = unchanged;
  std::uint8_t special = unknown;  ///< what has to be done besides: rarely anything
};

/// One phase from which a stretch has begun, and what followed. All of them share one table, of two places for each.
struct alignas(64) Recalled {
  enum : std::uint8_t { opens_row = 2, moves_fetch = 4 };
  static constexpr std::size_t places = 1u << 15;
  static constexpr std::uint64_t none = UINT64_MAX;

  std::uint64_t key = none;  ///< the phase's, and above it the stretch's number
  std::uint16_t reach = 0;   ///< clocks from the origin within which no refresh and no deadline may fall
  std::uint8_t special = 0;
  std::uint8_t bus_free = Ending::unchanged;
  // When the last instruction has begun.
  BusPhase issued;
  std::int16_t issued_clock = 0;
  std::uint16_t issued_origin = 0;
  std::int16_t fetch_from = 0;
  std::array<Ending, 4> endings;
};
static_assert(sizeof(Recalled) == 128);

}  // namespace planar::cpu
