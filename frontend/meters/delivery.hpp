// SPDX-License-Identifier: GPL-2.0-or-later
// How much of the data that the guest sends over TCP reaches the other end of the wire, row by row: netio counts what
// it hands to its system, part of which may still be in the send buffer when the time is over.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/medium/medium.hpp"
#include "frontend/guest/measured.hpp"
#include "frontend/meters/adapter_ports.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// Watches a machine's frames from construction on: the data of its latest TCP connection, each byte counted once, when
/// the frame that holds it has been sent completely. Changes nothing in the lab.
class DeliveryMeter final : public net::WireObserver {
 public:
  static constexpr std::size_t parts = 20;    ///< of a row's duration
  static constexpr std::size_t settling = 4;  ///< parts before the batches
  static constexpr std::size_t batches = 8;   ///< of two parts each
  struct Row {
    std::uint64_t bytes = 0;                           ///< delivered within the row
    std::array<std::uint64_t, parts> bytes_by_part{};  ///< the same over its time
    /// The same over the time after the first `settling` parts, with a frame's data spread evenly between the end of
    /// the previous frame and its own, so that the boundary of a batch does not move a whole frame.
    std::array<std::uint64_t, batches> bytes_by_batch{};
    void archive(Archive& a) { a(bytes, bytes_by_part, bytes_by_batch); }
  };

  explicit DeliveryMeter(Lab& lab, std::size_t machine = 0);
  DeliveryMeter(const DeliveryMeter&) = delete;

  /// A row was measured during `row`.
  void row_ended(const Measured& row);
  const std::vector<Row>& rows() const { return rows_; }

  void observe(const net::WireRecord& record) override;
  /// Not part of the lab's state: a restored run continues counting.
  void archive(Archive& a);

 private:
  struct Mark {
    Time at{};
    std::uint64_t bytes = 0;
    void archive(Archive& a) { a(at, bytes); }
  };
  std::uint64_t delivered_by(Time at) const;
  std::uint64_t delivered_evenly_by(Time at) const;

  AdapterPorts ports_;
  net::Watch watch_;
  std::uint32_t connection_ = 0;  // both ports of the latest one
  std::uint32_t next_ = 0;        // sequence number after the highest byte that was sent in it
  std::uint64_t bytes_ = 0;       // so far, of all connections
  std::uint64_t frames_ = 0, stride_ = 1;
  Mark before_;              // the state before the marks
  std::vector<Mark> marks_;  // since the latest row; in a long one every second, fourth... frame
  std::vector<Row> rows_;
};

}  // namespace planar
