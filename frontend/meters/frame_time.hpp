// SPDX-License-Identifier: GPL-2.0-or-later
// Where the time of a full-size frame goes, measured while the guest runs from the counters of the processor
// (Cpu::account()), which are read whenever a signal begins or ends on the wire or an adapter raises its interrupt.
//
// Every clock of the processor belongs to one part. Where several things happen at once, the first one listed counts:
//   bus_wait   the processor is stalled by a cycle on its pins, whatever instruction it belongs to: port accesses,
//              adapter memory, interrupt acknowledge; includes the wait for the channel while a bus master has it
//   cpu_copy   it copies: repeated MOVS, INS, OUTS and loops that move data from loads to stores (such as the copy
//              with checksum), without their cycles on the pins; a loop's first pass is not recognised as one
//   stack      it runs anything else
//   wire       it is halted while a frame, an acknowledgement or a fragment is on the wire, or during the gap after it;
//              with adapters on several media, on any of those
//   card       it is halted, the wire is silent, and an adapter ends this state: by sending or by an interrupt
//   idle       the same, but another station ends it: its turnaround, its delayed acknowledgement, its back-off
// Between collisions the wire is silent: such a wait belongs to the station that sends next.
// Memory cycles that bus masters take from a running processor lengthen what it runs and are counted there.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/medium/medium.hpp"
#include "frontend/guest/measured.hpp"
#include "frontend/meters/adapter_ports.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// The time of one full-size frame, in parts that add up to it.
struct FrameTime {
  enum Part : unsigned { cpu_copy, stack, bus_wait, card, wire, idle, parts };
  static constexpr std::array<const char*, parts> names{"cpu_copy", "stack", "bus_wait", "card", "wire", "idle"};

  std::uint32_t packet_bytes = 0;  ///< of the netio row
  std::uint32_t frame_bytes = 0;   ///< the longest frames that the machine sent in it, FCS included
  std::uint64_t frames = 0;        ///< measured intervals, each from the end of one such frame to the end of the next
  std::array<std::uint64_t, parts> clocks{};  ///< of all of them together, including shorter frames in between

  /// Nanoseconds per frame, for a processor with this clock. The parts are rounded so that they add up to total_ns().
  std::int64_t total_ns(const ClockDomain& clock) const;
  std::array<std::int64_t, parts> parts_ns(const ClockDomain& clock) const;
  void archive(Archive& a) { a(packet_bytes, frame_bytes, frames, clocks); }
};

/// Watches a machine of a lab from construction on. Changes nothing in it.
class FrameTimer final : public net::WireObserver {
 public:
  explicit FrameTimer(Lab& lab, std::size_t machine = 0);
  ~FrameTimer() override;
  FrameTimer(const FrameTimer&) = delete;

  /// The guest has reported a row, which was measured during `row`.
  void row_ended(std::uint32_t packet_bytes, const Measured& row);
  /// One entry for each row that had two frames of the same length or more: of the longest such length, unless longer
  /// frames that were sent once carried more.
  const std::vector<FrameTime>& rows() const { return rows_; }

  // net::WireObserver
  void begins(const net::Medium& medium, std::string_view sender, Time now) override;
  void observe(const net::WireRecord& record) override;

  /// Not part of the lab's state: a restored run continues counting.
  void archive(Archive& a);

 private:
  using Clocks = std::array<std::uint64_t, FrameTime::parts>;
  struct Mark {
    Time at{};
    std::uint64_t number = 0;
    Clocks clocks{};
    void archive(Archive& a) { a(at, number, clocks); }
  };

  /// Frames of one length: in a long row every second, fourth... of them.
  struct Frames {
    std::uint32_t bytes = 0;
    std::uint64_t count = 0, stride = 1;
    std::vector<Mark> marks;
    void add(Time at, const Clocks& clocks);
    void archive(Archive& a) { a(bytes, count, stride, marks); }
  };

  Machine& machine() { return lab_.machine(number_); }
  void settle();
  void give_silence(FrameTime::Part part);
  void gap_over(Time now);

  Lab& lab_;
  std::size_t number_;
  AdapterPorts ports_;
  net::Watch watch_;
  cpu::Cpu::Account last_;
  Clocks clocks_{};            // so far
  std::uint64_t silence_ = 0;  // halted clocks of a silence on the wire that has not ended yet
  std::uint32_t signals_ = 0;
  Time occupied_until_{};       // end of the longest gap after a signal so far
  Event gap_;                   // end of that gap
  std::vector<Frames> frames_;  // that the machine has sent since the last row: of its longest lengths, ascending
  std::vector<FrameTime> rows_;
};

}  // namespace planar
