// SPDX-License-Identifier: GPL-2.0-or-later
// A machine's speaker output in virtual time: timer channel 2 (ports 42h and 43h) through the gates of port 61h,
// following the writes seen on its bus. The speaker has a timer of its own that tracks the machine's: it neither reads
// nor changes the machine, and no machine state depends on whether anybody listens. In a run that continues from a
// snapshot, a tone already sounding there is heard only from its next change on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bus/common/bus_observer.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

/// Watches a machine from construction on.
class Speaker final : private bus::BusObserver {
 public:
  static constexpr std::uint32_t rate = 48'000;  ///< samples per second
  using Samples = std::span<const std::int16_t>;

  /// `sink` gets every sample once, in order, from virtual time `begin` on.
  Speaker(Machine& machine, Time begin, std::function<void(Samples)> sink);
  ~Speaker() override;
  Speaker(const Speaker&) = delete;

  /// Gives the sink the samples up to `now`. A time before the last one (a rewind) is ignored.
  void advance(Time now);

 private:
  void accessed(const bus::BusCycle& access) override;
  void write(std::uint32_t port, std::uint8_t value, Time now);
  /// The mean level over a sample, 0 to `loudest`.
  std::int32_t level(std::uint64_t sample) const;

  Machine& machine_;
  std::function<void(Samples)> sink_;
  ClockDomain samples_{rate, 1};
  I8254Counter counter_;
  bool data_ = false;        // port 61h bit 1
  std::uint64_t next_ = 0;   // sample
  std::int32_t before_ = 0;  // level of the latest sample
  std::int32_t output_ = 0;  // after a coupling capacitor: a constant level is silence
};

}  // namespace planar
