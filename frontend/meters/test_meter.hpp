// SPDX-License-Identifier: GPL-2.0-or-later
// What the processor did and what was sent on the wire during a netperf test. The guest reports the duration of a test
// only after it, when the server's results have arrived, and a control connection precedes the test: busy shares and
// rates from line to line would include both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/medium/medium.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// Watches a machine of a lab from construction on. Changes nothing in it.
class TestMeter final : public net::WireObserver {
 public:
  /// From `from` on; bytes are those of datagrams, sent or received, that were sent completely.
  struct Span {
    Time from{}, to{};
    std::uint64_t clocks = 0, halted = 0, datagram_bytes = 0;

    double busy_percent() const;
    void archive(Archive& a) { a(from, to, clocks, halted, datagram_bytes); }
  };

  explicit TestMeter(Lab& lab, std::size_t machine = 0);
  ~TestMeter() override;
  TestMeter(const TestMeter&) = delete;

  /// The start of the current test: the first frame since the last test that this machine has sent on a connection
  /// other than the control connection, which is the first of all.
  std::optional<Time> began() const { return began_; }
  /// The test that began at `from` took `duration`. Records nothing if the machine was not watched then.
  void test_ended(Time from, Time duration);
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
  bool of_a_test(const net::WireRecord& record);
  Mark at(Time time) const;

  Lab& lab_;
  std::size_t number_;
  std::string senders_;                        // prefix of the names of the machine's ports
  std::vector<net::Medium*> media_;            // those of its adapters
  std::optional<std::uint32_t> control_port_;  // destination port of the first connection
  std::optional<Time> began_;
  std::uint64_t datagram_bytes_ = 0;
  std::uint64_t frames_ = 0, stride_ = 1;
  std::vector<Mark> marks_;  // since the last test; in a long one at every second, fourth... frame
  std::vector<Span> tests_;
};

}  // namespace planar
