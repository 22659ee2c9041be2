// SPDX-License-Identifier: GPL-2.0-or-later
// PS/2 mouse: stream, remote and wrap mode, sample rates, resolutions, scaling, three-byte packets,
// ID 00h.
//
// Facts: docs/hardware/planar-devices.md#keyboard-and-mouse, docs/hardware/bios.md#mouse-services (INT 15h C2h
// parameters). Power-on: stream mode, disabled, 100 reports/s, 4 counts/mm, 1:1.
// Timing (inferred): 300 ms for the self test.
// Known limits: the overflow bits stay 0; movement that exceeds a packet is reported in the next one.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/input/ps2_device.hpp"

namespace planar {

class Ps2Mouse final : public Ps2Device {
 public:
  Ps2Mouse(Scheduler& scheduler, const std::string& name);

  /// Movement since the last call, in counts at 4 counts/mm: right and up (away from the user) are positive.
  void moved(int right, int up, Time now);
  /// Bits 0 left, 1 right, 2 middle.
  void buttons(std::uint8_t pressed, Time now);

  Time ready() const override { return answers_.ready(); }
  std::uint8_t fetch(Time now) override;
  void receive(std::uint8_t byte, Time now) override;

  /// Power-on: self test, AAh 00h after 300 ms.
  void reset(Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  void defaults();
  void command(std::uint8_t byte, Time now);
  void argument(std::uint8_t byte, Time now);
  void packet(Time ready);
  std::int32_t take(std::int32_t& movement) const;
  void sample(Time now);
  void something_happened(Time now);
  bool changed() const { return x_ / unit() != 0 || y_ / unit() != 0 || pressed_ != reported_; }
  std::int32_t unit() const { return 1 << (3 - resolution_); }
  Time sample_period() const;

  bool enabled_ = false;
  bool remote_ = false;
  bool wrap_ = false;
  bool double_scale_ = false;
  std::uint8_t rate_ = 100;
  std::uint8_t resolution_ = 2;
  std::uint8_t pressed_ = 0;
  std::uint8_t reported_ = 0;
  std::uint8_t expecting_ = 0;
  std::int32_t x_ = 0;  // not yet reported, in 1/8 mm
  std::int32_t y_ = 0;
  std::array<std::uint8_t, 3> last_packet_{0x08, 0, 0};
  Time next_sample_{};
  Event sample_;
};

}  // namespace planar
