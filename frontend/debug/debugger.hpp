// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger of `--gdb` and `planar debug`: breakpoints, stepping in both directions, and the user's part in a
// run.
//
// A run that is debugged computes what it would compute by itself. While it is stopped virtual time stands still.
// Going back in time is re-execution: checkpoints of the whole lab are kept in memory, the nearest earlier one is
// restored, and the run is repeated up to the instruction in question. Runs with the host's network or a window do not
// repeat, and keep no checkpoints.
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
  /// One instruction of machine `n` with what comes before it (Session::step()). False: stopped before it.
  virtual bool step(std::size_t n) = 0;
  /// Runs to `limit` without output that was given before, or to a stop (false).
  virtual bool replay(Time limit) = 0;
  virtual void request_stop(std::string why) = 0;
  /// Why the run cannot be repeated from a checkpoint; empty: it can.
  virtual std::string rewind_obstacle() = 0;
  virtual std::vector<std::uint8_t> save_state() = 0;
  virtual void restore_state(const std::vector<std::uint8_t>& state) = 0;
  /// The user has changed something: what follows is not a repetition of what was.
  virtual void diverge() = 0;
  /// Does a step of drives (of_drives()) at machine `n`. Throws Error when it cannot be done.
  virtual void change_drive(const Step& step, std::size_t n) = 0;
};

/// The user's side: a connection to gdb, or a prompt.
class DebugClient {
 public:
  virtual ~DebugClient() = default;
  /// Whether the run is to stop before its first instruction.
  virtual bool waits() const = 0;
  /// The machines stand still. Returns when they are to go on; false: the run is to end.
  virtual bool stopped(Debugger& debugger, const Stop& stop) = 0;
  /// Called every few milliseconds while they run; true: the user asks for a stop.
  virtual bool poll(Debugger& debugger) = 0;
  /// The run does not end with its last step: the user says when it does.
  virtual bool ends_the_run() const { return false; }
  /// SIGINT stops the run instead of ending it.
  virtual bool takes_interruptions() const { return false; }
  /// The run is over.
  virtual void ended(Debugger& debugger) = 0;
};

class Debugger final : private net::WireObserver {
 public:
  /// Both outlive it.
  Debugger(DebugTarget& target, DebugClient& client);
  ~Debugger() override;
  Debugger(const Debugger&) = delete;

  // ---- for the run -------------------------------------------------------------------------------------------------
  /// Before the run goes on: serves the user if it has been stopped. False: the run is to end.
  bool attend();
  void ended() { client_.ended(*this); }
  /// The user has gone: no history is kept until the next stop.
  void release() {
    served_ = false;
    history_.clear();
  }
  /// Something that checkpoints do not hold has changed (a diskette): there is no way back beyond it.
  void forget() { history_.clear(); }
  bool takes_interruptions() const { return client_.takes_interruptions(); }
  bool ends_the_run() const { return client_.ends_the_run(); }
  /// No processor will ever go on. True: the run stops at the next attend(), for a user who says when it ends and has
  /// not seen this yet.
  bool stop_halted();
  /// Stops at the next attend().
  void interrupt();
  bool stopped() const { return stop_.has_value(); }

  // ---- for the user, while the run is stopped --------------------------------------------------------------------
  Lab& lab() { return target_.lab(); }
  Machine& machine() { return lab().machine(current_); }
  std::size_t current() const { return current_; }
  void select(std::size_t machine) { current_ = machine; }

  /// Adds a breakpoint and returns its number. Throws Error if there are too many.
  unsigned add(Breakpoint breakpoint);
  /// False: there is none of that number.
  bool remove(unsigned number);
  void remove_all();
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }

  /// Executes one instruction of the current machine. With `over_interrupts` the handlers of interrupts that come
  /// before it are run through.
  Stop step(bool over_interrupts);
  /// Steps until the instruction's linear address is outside of [first, end).
  Stop step_range(std::uint32_t first, std::uint32_t end);
  /// Back by `count` boundaries, or to the latest one in the past at which a breakpoint was hit; `beginning` if the
  /// history does not reach that far. Throws Error if this run cannot be repeated. When the user asks for a stop,
  /// reverse_continue() gives up and is where it was (`asked`).
  Stop reverse_step(std::size_t count = 1);
  Stop reverse_continue();
  /// The user changed registers or memory: the history begins anew.
  void changed();
  /// The same for a drive of the current machine: `step` is one of_drives(). Throws Error when it cannot be done.
  void change_drive(const Step& step);

  /// Frames whose first bit has left and whose last has not.
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
  /// Restores `from` and goes to `to`, or the first boundary after it.
  void go(const Checkpoint& from, const Position& to);
  void follow_to(const Position& to, std::size_t keep = 0);
  void replay_near(const Checkpoint& from, const Position& to, Time margin);
  /// The latest `count` boundaries from `from` up to before `here`, or all of them. Moves the run.
  std::vector<Position> boundaries_before(const Checkpoint& from, const Position& here, std::size_t count);
  Stop abandon_search(const Position& here);
  void check_history();
  void keep_checkpoint();

  DebugTarget& target_;
  DebugClient& client_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::vector<Breakpoint> breakpoints_;
  unsigned next_number_ = 1;
  std::size_t current_ = 0;
  bool begun_ = false;
  bool resumed_halted_ = false;  // the user has seen that nothing goes on
  bool served_ = false;          // somebody may want to go back
  Mode mode_ = Mode::idle;
  std::optional<Stop> stop_;  // why the run was, or is to be, stopped
  Event time_event_;
  unsigned on_the_wire_ = 0;
  History history_;
  // search: the latest hit so far, and the boundary before it
  Position search_end_;
  std::optional<std::pair<Position, Stop>> found_;
};

}  // namespace planar
