// SPDX-License-Identifier: GPL-2.0-or-later
// What the processor did and which datagrams were on the wire during a row of netio or a test of netperf. The guest
// reports when it ended only afterwards: busy shares and rates from line to line would include what lies between tests,
// and miss the start of the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/medium/medium.hpp"
#include "frontend/guest/measured.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// Watches a machine of a lab from construction on. Changes nothing in it.
class TestMeter final : public net::WireObserver {
 public:
  /// Bytes are those of datagrams, sent or received, that were sent completely.
  struct Span {
    std::uint64_t clocks = 0, halted = 0, datagram_bytes = 0;

    double busy_percent() const;
    void archive(Archive& a) { a(clocks, halted, datagram_bytes); }
  };

  explicit TestMeter(Lab& lab, std::size_t machine = 0);
  TestMeter(const TestMeter&) = delete;

  /// A test was measured during `test`. Records nothing if the machine was not watched then.
  void test_ended(const Measured& test);
  const std::vector<Span>& tests() const { return tests_; }

  void observe(const net::WireRecord& record) override;
  /// Not part of the lab's state: a restored run continues counting.
  void archive(Archive& a);

 private:
  struct Mark {
    Time at{};
    std::uint64_t clocks = 0, halted = 0, datagram_bytes = 0;
    void archive(Archive& a) { a(at, clocks, halted, datagram_bytes); }
  };
  static std::size_t datagram_bytes(const net::WireRecord& record);
  Mark at(Time time) const;

  Lab& lab_;
  std::size_t number_;
  net::Watch watch_;
  std::uint64_t datagram_bytes_ = 0;
  std::uint64_t frames_ = 0, stride_ = 1;
  std::vector<Mark> marks_;  // since the last test; in a long one at every second, fourth... frame
  std::vector<Span> tests_;
};

}  // namespace planar
