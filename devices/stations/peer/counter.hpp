// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the datagrams of one run, whether `planar flood` sends them to the station or a router forwards them.
//
// A datagram of 8 bytes or more to `counter_port` is counted under the run number in its first word (network order); a
// number different from the last one starts a new count. A datagram that begins with `counter_magic` is a request: it
// is echoed back, and the number in its second word starts a new count.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "devices/stations/peer/service.hpp"

namespace planar::net {

inline constexpr std::uint16_t counter_port = 12902;
inline constexpr std::uint32_t counter_magic = 0x504C434E;  ///< "PLCN"

class CounterService final : public Service {
 public:
  struct Count {
    std::uint32_t run = 0, frames = 0;
    std::uint64_t bytes = 0;  ///< of the datagrams' data
    Time first{}, last{};     ///< when the first and the last were taken
    void archive(Archive& a) { a(run, frames, bytes, first, last); }
  };

  std::string_view name() const override { return "counter"; }
  std::span<const ServicePort> ports() const override;
  std::optional<Bytes> datagram(const DatagramSender& from, std::uint16_t port, ByteView data, Time now) override;
  bool used() const override { return counts_[0].run != 0; }
  void archive_used(Archive& a) override;
  void forget() override { counts_ = {}; }

  /// The count of a run; zeros for a run no longer kept.
  Count count(std::uint32_t run) const;

 private:
  static constexpr std::size_t runs_kept = 20;
  Count& counted(std::uint32_t run);

  std::array<Count, runs_kept> counts_{};  // most recent first
};

}  // namespace planar::net
