// SPDX-License-Identifier: GPL-2.0-or-later
// How many duplicate acknowledgements a machine sends and gets: what packets that overtake one another, as on the
// segments of a bond, make of TCP. The third in a row has the sender repeat data that may not be lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "devices/medium/medium.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// Watches a machine with several segments from its construction on; one with a single segment, where nothing is
/// overtaken, it leaves alone. Changes nothing in the lab.
class AcknowledgementMeter final : public net::WireObserver {
 public:
  explicit AcknowledgementMeter(Lab& lab, std::size_t machine = 0);
  ~AcknowledgementMeter() override;
  AcknowledgementMeter(const AcknowledgementMeter&) = delete;

  /// Segments without data that have the acknowledgement and the window of the one before from the same sender
  /// (RFC 5681 section 2, but for what is outstanding, which the wire does not tell).
  std::uint64_t duplicates_sent() const { return ways_[0].duplicates; }
  std::uint64_t duplicates_received() const { return ways_[1].duplicates; }

  void observe(const net::WireRecord& record) override;
  /// Not part of the lab's state: a run that is restored goes on counting.
  void archive(Archive& a);

 private:
  /// One direction of the latest connection.
  struct Way {
    std::uint32_t connection = 0, acknowledgement = 0;
    std::uint16_t window = 0;
    std::uint64_t duplicates = 0;
    void archive(Archive& a) { a(connection, acknowledgement, window, duplicates); }
  };

  std::string senders_;              // how the names of the machine's ports begin
  std::vector<net::Medium*> media_;  // its adapters are on these
  std::array<Way, 2> ways_;          // from the machine, to it
};

}  // namespace planar
