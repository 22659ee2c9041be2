// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the duplicate acknowledgements that a machine sends and receives: the effect on TCP of packets that overtake
// one another, as on the segments of a bond. The third in a row makes the sender retransmit data that may not be lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "devices/medium/medium.hpp"
#include "frontend/meters/adapter_ports.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// Watches a machine with several segments from construction on; ignores one with a single segment, where nothing is
/// overtaken. Changes nothing in the lab.
class AcknowledgementMeter final : public net::WireObserver {
 public:
  explicit AcknowledgementMeter(Lab& lab, std::size_t machine = 0);
  AcknowledgementMeter(const AcknowledgementMeter&) = delete;

  /// Segments without data that repeat the acknowledgement and window of the previous one from the same sender (RFC
  /// 5681 section 2, except for the condition on outstanding data, which the wire does not show).
  std::uint64_t duplicates_sent() const { return ways_[0].duplicates; }
  std::uint64_t duplicates_received() const { return ways_[1].duplicates; }

  void observe(const net::WireRecord& record) override;
  /// Not part of the lab's state: a restored run continues counting.
  void archive(Archive& a);

 private:
  /// One direction of the latest connection.
  struct Way {
    std::uint32_t connection = 0, acknowledgement = 0;
    std::uint16_t window = 0;
    std::uint64_t duplicates = 0;
    void archive(Archive& a) { a(connection, acknowledgement, window, duplicates); }
  };

  AdapterPorts ports_;
  net::Watch watch_;
  std::array<Way, 2> ways_;  // from the machine, to it
};

}  // namespace planar
