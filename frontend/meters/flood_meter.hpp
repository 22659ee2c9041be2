// SPDX-License-Identifier: GPL-2.0-or-later
// Watches a machine whose guest runs `flood`, from outside: the frames on the wire, what the adapter counts, what the
// processor does, and when each frame is counted by the guest. The guest only reports the address of its page of
// counters (roms/guest/common/sink_page.h).
//
// The processor is sampled every `interval` of a run: halted, in an interrupt handler, in the bottom halves or in
// neither, by the innermost return address of a call to one of the two functions on the kernel's stack. The share of
// samples is the share of time; with 20000 samples (0.2 s) its standard error is 0.35 % at most. The same samples read
// the guest's count, so that a latency is too long by up to one interval; that of frames that come too late, by up to a
// longer one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time/scheduler.hpp"
#include "devices/medium/medium.hpp"
#include "frontend/meters/adapter_ports.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// What was seen of one run of the generator.
struct FloodSeen {
  /// idle: halted; idle_task: the idle task executes, between a halt and an interrupt or a task switch; poll: in the
  /// adapter's driver, with or without a frame. The cost of a polled frame above the driver is bottom_half.
  enum Activity : unsigned { idle, interrupt, bottom_half, process, idle_task, poll, activities };
  static constexpr std::array<const char*, activities> names{"idle",    "interrupt", "bottom_half",
                                                             "process", "idle_task", "poll"};

  std::uint32_t run = 0;
  std::vector<Time> arrived;  ///< last bit of each frame of the generator, by its number; never(): held back
  std::vector<bool> counted;  ///< by the same number: whether the guest has counted it
  std::uint64_t on_wire = 0;  ///< of those, to the machine
  std::uint64_t others = 0;   ///< other frames to it while the run was counted
  std::uint64_t damaged = 0;  ///< frames and fragments of any station that did not reach their end
  Time began{}, ends{};       ///< first bit of the first frame; `began` plus the requested duration
  /// `ends`, or the last bit of the last frame that a queue or a full wire has held back until after that.
  Time last{};
  std::array<std::uint64_t, activities> looks{};  ///< samples from `began` to `ends`
  std::uint64_t clocks = 0, halted = 0;           ///< of the processor, in the same time
  bool measured = false;                          ///< the processor was followed up to the end
  std::uint64_t in_time = 0;                      ///< frames counted up to `grace` after `last`
  std::uint64_t duplicates = 0;                   ///< frames counted again
  std::uint64_t delivered = 0;                    ///< frames counted
  std::vector<Time> latency;                      ///< of those, in their order
  NetCounters before, after;                      ///< the adapter's
  std::uint64_t passed_on = 0;  ///< frames of the generator that the machine has sent on another medium

  double percent(Activity a) const;
  /// The driver's share: its polls if it is `polled`, otherwise its interrupts.
  double driver_percent(bool polled) const { return percent(polled ? poll : interrupt); }
  /// The rest besides the driver, bottom halves, processes and idle.
  double other_percent(bool polled) const { return percent(idle_task) + percent(polled ? interrupt : poll); }
  double busy_percent() const;
  /// The latency that `part` of the frames (0 to 1) do not exceed; nothing without a frame.
  std::optional<Time> latency_of(double part) const;
  /// Runs of consecutive frames on the wire that were never counted: their number, and the length of the longest.
  struct Gaps {
    std::uint64_t count = 0, longest = 0;
  };
  Gaps gaps() const;
  /// Frames on the wire to the machine, of the generator and others, that its adapter does not count as received.
  std::int64_t not_received() const;
};

class FloodMeter final : public net::WireObserver {
 public:
  /// Not a divisor of the usual frame intervals, so that the samples do not keep step with them.
  static constexpr Time interval = 9'973_ns;
  /// After the run and `grace`; the guest's log of counted frames is long enough for this interval.
  static constexpr Time late_interval = 159'739_ns;
  /// Frames that the guest has received when the generator ends may take up to a tick to be counted.
  static constexpr Time grace = 10_ms;
  /// The most frames of a run, and the additional ones of a burst.
  static constexpr std::uint32_t most_frames = 3'000'000, most_burst = 256;

  explicit FloodMeter(Lab& lab);
  FloodMeter(const FloodMeter&) = delete;

  /// The guest has reported the page's address. Throws Error if there is no such page.
  void found_page(std::uint32_t address);
  /// Frames that the machine sends to a counter (devices/stations/peer/counter.hpp) make a run, too: `on_wire` counts
  /// them, and `duration` is how long the run is sampled.
  void watch_sending(Time duration) { duration_ = duration; }
  /// The guest has reported a run: none of its frames is under way any more.
  void run_ended();
  /// The runs in order.
  const std::vector<FloodSeen>& runs() const { return runs_; }

  // net::WireObserver
  void observe(const net::WireRecord& record) override;

 private:
  Machine& machine() { return lab_.machine(); }
  FloodSeen* present() { return open_ ? &runs_.back() : nullptr; }
  std::uint32_t word(std::uint32_t linear) const;
  FloodSeen::Activity activity();
  bool calls(std::uint32_t return_address, std::uint32_t function) const;
  void look(Time now);
  void delivered(FloodSeen& run, std::uint32_t number, Time when);
  FloodSeen& begin_run(std::uint32_t number, Time began);
  void sent(const net::WireRecord& record, std::uint32_t number);
  void passed_on(const net::WireRecord& record, std::uint32_t run, std::uint32_t number);

  Lab& lab_;
  AdapterPorts ports_;
  net::Watch watch_;
  std::array<std::uint8_t, 6> own_{};  // address of the machine's adapter, from its request
  struct Ram {
    const std::uint8_t* data;
    std::uint32_t base, size;
  };
  std::vector<Ram> ram_;  // of the machine
  std::uint32_t page_ = 0, do_irq_ = 0, do_bottom_half_ = 0, receive_visit_ = 0, receive_run_ = 0;
  const net::Medium* near_ = nullptr;  // the generator's medium
  std::vector<FloodSeen> runs_;
  bool open_ = false;
  NetCounters before_;
  Time duration_{};  // of the requested run
  std::uint64_t others_ = 0;
  std::uint32_t seen_ = 0;  // the part of the page's count that was read
  std::uint64_t first_clocks_ = 0, first_halted_ = 0;
  Event look_;
};

}  // namespace planar
