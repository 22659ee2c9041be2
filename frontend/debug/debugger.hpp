// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger of `--gdb` and `planar debug`: breakpoints, stepping in both directions, and user control of a run.
//
// Debugging a run does not change what it computes. While it is stopped, virtual time stands still. Going back in time
// is re-execution: checkpoints of the whole lab are kept in memory; the nearest earlier one is restored and the run is
// repeated up to the instruction in question. Runs with the host's network or a window cannot be repeated and keep no
// checkpoints.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/time/scheduler.hpp"
#include "devices/medium/medium.hpp"
#include "frontend/debug/breakpoint.hpp"
#include "frontend/debug/history.hpp"
#include "frontend/debug/watcher.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

class Debugger;
struct Step;

/// The run that is debugged.
class DebugTarget {
 public:
  virtual ~DebugTarget() = default;
  virtual Lab& lab() = 0;
  /// Executes one instruction of machine `n` and everything due before it (Session::step()). False: stopped before it.
  virtual bool step(std::size_t n) = 0;
  /// Runs to `limit`, or to a stop (false), without repeating earlier output.
  virtual bool replay(Time limit) = 0;
  virtual void request_stop() = 0;
  /// Why the run cannot be repeated from a checkpoint; empty: it can.
  virtual std::string rewind_obstacle() = 0;
  virtual std::vector<std::uint8_t> save_state() = 0;
  virtual void restore_state(const std::vector<std::uint8_t>& state) = 0;
  /// The user has changed something: what follows no longer repeats the earlier run.
  virtual void diverge() = 0;
  /// Performs a drive step (of_drives()) on machine `n`. Throws Error if that is not possible.
  virtual void change_drive(const Step& step, std::size_t n) = 0;
};

/// The user's side: a connection to gdb, or a prompt.
class DebugClient {
 public:
  virtual ~DebugClient() = default;
  /// Whether the run is to stop before its first instruction.
  virtual bool waits() const = 0;
  /// The machines are stopped. Returns when they are to continue; false: the run is to end.
  virtual bool stopped(Debugger& debugger, const Stop& stop) = 0;
  /// Called every few milliseconds while they run; true: the user requests a stop.
  virtual bool poll(Debugger& debugger) = 0;
  /// The run does not end with its last step but when the user says so.
  virtual bool ends_the_run() const { return false; }
  /// SIGINT stops the run instead of ending it.
  virtual bool takes_interruptions() const { return false; }
  /// The run is over.
  virtual void ended(Debugger& debugger) = 0;
};

class Debugger final : private net::WireObserver {
 public:
  /// `target` and `client` must outlive the debugger.
  Debugger(DebugTarget& target, DebugClient& client);
  ~Debugger() override;
  Debugger(const Debugger&) = delete;

  // ---- for the run -------------------------------------------------------------------------------------------------
  /// Called before the run continues: serves the user if it is stopped. False: the run is to end.
  bool attend();
  void ended() { client_.ended(*this); }
  /// The user has disconnected: no history is kept until the next stop.
  void release() {
    served_ = false;
    history_.clear();
  }
  /// Something that checkpoints do not hold has changed (a diskette): the run cannot go back past this point.
  void forget() { history_.clear(); }
  bool takes_interruptions() const { return client_.takes_interruptions(); }
  bool ends_the_run() const { return client_.ends_the_run(); }
  /// No processor will ever run again. True: the run stops at the next attend(), for a user who decides when it ends
  /// and has not been told yet.
  bool stop_halted();
  /// Stops at the next attend().
  void interrupt();
  bool stopped() const { return !stops_.empty(); }

  // ---- for the user, while the run is stopped --------------------------------------------------------------------
  Lab& lab() { return target_.lab(); }
  Machine& machine() { return lab().machine(current_); }
  std::size_t current() const { return current_; }
  void select(std::size_t machine) { current_ = machine; }

  /// Adds a breakpoint and returns its number. Throws Error if there are too many.
  unsigned add(Breakpoint breakpoint);
  /// False: there is no breakpoint with that number.
  bool remove(unsigned number);
  void remove_all();
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }

  /// Executes one instruction of the current machine. With `over_interrupts`, runs through the handlers of interrupts
  /// that are delivered before it.
  Stop step(bool over_interrupts);
  /// Steps until the instruction's linear address is outside [first, end).
  Stop step_range(std::uint32_t first, std::uint32_t end);
  /// Goes back by `count` boundaries, or to the latest earlier boundary at which a breakpoint was hit; returns
  /// `beginning` if the history does not reach that far. Throws Error if this run cannot be repeated. If the user
  /// requests a stop, reverse_continue() gives up and returns to where it was (`asked`).
  Stop reverse_step(std::size_t count = 1);
  Stop reverse_continue();
  /// The user has changed registers or memory: the history starts again here.
  void changed();
  /// Performs a drive step (of_drives()) on the current machine; the history starts again here, too. Throws Error if
  /// that is not possible.
  void change_drive(const Step& step);

  /// Frames whose first bit has been sent and whose last has not.
  unsigned frames_on_the_wire() const { return on_the_wire_; }

 private:
  // net::WireObserver
  void begins(const net::Medium&, std::string_view, Time) override { ++on_the_wire_; }
  void observe(const net::WireRecord& record) override;

  enum class Mode : std::uint8_t { idle, run, seek, search };

  void hit(std::size_t n, const Breakpoint& b, std::uint32_t address, bool written, std::string text);
  void poll();
  void arrived();
  void time_reached(Time now);
  void set_alarm(Time now);
  Stop take_stop();
  void arm();
  void disarm();
  void follow(bool all);
  Position position() const { return watchers_[current_]->position(); }
  Time time_of(const Position& p) { return machine().cpu().config().clock.at(p.clocks); }
  /// Restores `from` and runs to `to`, or to the first boundary after it.
  void go(const Checkpoint& from, const Position& to);
  void follow_to(const Position& to, std::size_t keep = 0);
  void replay_near(const Checkpoint& from, const Position& to, Time margin);
  /// The latest `count` boundaries between `from` and `here` (excluded), or all if there are fewer. Moves the run.
  std::vector<Position> boundaries_before(const Checkpoint& from, const Position& here, std::size_t count);
  Stop abandon_search(const Position& here);
  void check_history();
  void keep_checkpoint();

  DebugTarget& target_;
  DebugClient& client_;
  net::Watch watch_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::vector<Breakpoint> breakpoints_;
  unsigned next_number_ = 1;
  std::size_t current_ = 0;
  bool begun_ = false;
  bool resumed_halted_ = false;  // the user has been told that nothing will run again
  bool served_ = false;          // the user may want to go back
  Mode mode_ = Mode::idle;
  // Why the run was, or is to be, stopped: for each machine at most one reason. A machine that is inside an instruction
  // completes it before the user is told its reason.
  std::vector<Stop> stops_;
  Event time_event_;
  unsigned on_the_wire_ = 0;
  History history_;
  // search: the latest hit so far, and the boundary before it
  Position search_end_;
  std::optional<std::pair<Position, Stop>> found_;
};

}  // namespace planar
