// SPDX-License-Identifier: GPL-2.0-or-later
// What a ring controller reports to the adapter's chip, in the codes that all adapters report to their drivers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/medium/ring/ring_frame.hpp"

namespace planar::net {

/// Phases of insertion, as the high nibble of an adapter's open error reports them.
enum class InsertionPhase : std::uint8_t {
  none = 0,
  lobe_test = 1,
  physical_insertion = 2,
  address_verification = 3,
  ring_poll = 4,
  request_parameters = 5,
  registration = 6,  ///< dedicated ring: asks the port at the other end for full duplex
  registration_lobe_test = 7,
  registration_address = 8,
};

/// Why insertion failed, as the low nibble reports it.
enum class InsertionError : std::uint8_t {
  none = 0,
  function_failure = 1,
  signal_loss = 2,
  wire_fault = 3,
  wrong_speed = 4,
  timeout = 5,
  ring_failure = 6,
  beaconing = 7,
  duplicate_address = 8,
  parameters_refused = 9,
  remove_received = 10,
  no_monitor = 13,
};

struct InsertionOutcome {
  InsertionPhase phase = InsertionPhase::none;  ///< where it failed
  InsertionError error = InsertionError::none;
  std::uint64_t bits_per_second = 0;
  bool full_duplex = false;
  bool ok() const { return error == InsertionError::none; }
};

/// Ring status, in the bits that all adapters report to their drivers.
namespace ring_status {
inline constexpr std::uint16_t signal_loss = 0x8000, hard_error = 0x4000, soft_error = 0x2000,
                               transmitting_beacon = 0x1000, lobe_wire_fault = 0x0800, auto_removal = 0x0400,
                               remove_received = 0x0100, counter_overflow = 0x0080, single_station = 0x0040,
                               ring_recovery = 0x0020;
}

/// Errors that a ring station counts (802.5 report error: isolating, then others). Each stops at 255.
struct RingErrors {
  std::uint8_t line = 0, internal = 0, burst = 0, ac = 0, abort_delimiter = 0;
  std::uint8_t lost_frame = 0, congestion = 0, frame_copied = 0, frequency = 0, token = 0;
  void archive(Archive& a) {
    a(line, internal, burst, ac, abort_delimiter, lost_frame, congestion, frame_copied, frequency, token);
  }
};

/// How a station inserts into the ring.
struct RingInsertion {
  MacAddress node{};             ///< individual
  std::uint32_t functional = 0;  ///< the low 31 bits after C0-00; bit 31 is ignored
  std::uint32_t group = 0;       ///< the 31 bits of a group address after C0-00; 0: none
  std::uint64_t bits_per_second = 16'000'000;
  bool autosense = false;  ///< adopt the speed of an existing ring
  bool early_token_release = true;
  bool contender = false;                    ///< takes part in monitor contention started by another station
  bool full_duplex = false;                  ///< asks a dedicated port for transmit immediate; otherwise half duplex
  std::array<std::uint8_t, 18> product{};    ///< product instance ID in station attachment reports, request init.
  std::array<std::uint8_t, 10> microcode{};  ///< microcode level in the same vectors
};

/// What became of a transmitted frame.
struct RingTransmitOutcome {
  enum class Result : std::uint8_t {
    stripped,  ///< came back round: `status` is its frame status. Full duplex: sent, status as if copied
    lost,      ///< did not come back in time (TRR), or came back damaged
    underrun,  ///< data did not arrive in time: ended by an abort sequence
    removed,   ///< the station left the ring
  };
  Result result = Result::stripped;
  std::uint8_t status = 0;  ///< FS as stripped (ring_fs)
  Time start{};             ///< when the first bit of the start delimiter left
};

/// A frame being received by a station. Until it is complete, only the bytes that arrived() counts may be read.
struct RingReception {
  Time first_bit{};  ///< of the start delimiter, at this station
  Time byte_time{};
  std::span<const std::uint8_t> frame;           ///< AC to FCS, as sent
  std::size_t length = 0;                        ///< announced length during reception, received length at its end
  bool good = false;                             ///< at its end: complete, FCS correct, no error bit
  std::uint8_t status = 0;                       ///< at its end: FS as received, before this station sets A and C
  bool by_functional = false, by_group = false;  ///< which station address matched; neither: the individual one

  /// When byte `k` of `frame` has arrived completely.
  Time arrival(std::size_t k) const {
    return first_bit + byte_time * static_cast<std::int64_t>(ring_start_bytes + k + 1);
  }
  std::size_t arrived(Time now) const {
    const std::int64_t n = (now - first_bit) / byte_time - static_cast<std::int64_t>(ring_start_bytes);
    return n <= 0 ? 0 : n < static_cast<std::int64_t>(length) ? static_cast<std::size_t>(n) : length;
  }
};

/// The chip attached to a port.
class RingStation {
 public:
  virtual ~RingStation() = default;
  /// The header (AC to SA) of a frame for this station has arrived: an LLC frame to one of its addresses, or a MAC
  /// frame that it asked for (RingPort::pass_mac). Not called while a snapshot is restored.
  virtual void frame_begins(const RingReception&, Time /*now*/) {}
  /// For a station that hears everything (RingPort::hear_all): true if A and C are to be set for frames to
  /// `destination`, which is in the bit order of the ring.
  virtual bool accepts(std::span<const std::uint8_t> /*destination*/, Time /*now*/) { return false; }
  /// The frame's end delimiter has arrived. Returns true if it was copied (C is set; otherwise congestion is counted).
  virtual bool frame_ends(const RingReception& reception, Time now) = 0;
  /// The token has been captured: the first bit of the frame leaves.
  virtual void transmit_begins(Time /*now*/) {}
  /// The frame given to transmit() is done.
  virtual void transmit_ends(const RingTransmitOutcome& outcome, Time now) = 0;
  /// insert() has finished.
  virtual void insertion_ends(const InsertionOutcome& outcome, Time now) = 0;
  /// Ring status has changed: `bits` (ring_status) are newly set. After a lasting signal loss, wire fault, auto removal
  /// or remove, the port has already left the ring.
  virtual void ring_status_changed(std::uint16_t bits, Time now) = 0;
  /// Joins the ring without being opened by a driver, so it may be told to join again.
  virtual bool plain() const { return false; }
  /// The lobe cable has been plugged in again while the port is off the ring.
  virtual void lobe_connected(Time /*now*/) {}
};

}  // namespace planar::net
