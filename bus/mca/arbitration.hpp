// SPDX-License-Identifier: GPL-2.0-or-later
// The channel as a timed resource: the central arbitration control point and its port 90h.
//
// Levels (lower wins): -2 refresh and -1 NMI inside the planar, 0 to 7 DMA, 8 to Eh bus masters, Fh the processor,
// which owns the channel whenever there is no other request. A requester asserts -PREEMPT; the owner finishes its cycle
// (or ends its burst within 7.8 us); an arbitration phase of 300 or 600 ns follows; the lowest level is granted. When
// that master leaves, another phase gives the channel to the next one or back to the processor. Port 90h bit 7 lets the
// processor run cycles during that phase. Facts: docs/hardware/micro-channel.md#arbitration.
//
// Not modelled: bit-by-bit settling of ARB0-3 (two requesters at one level both win on the real channel; here the one
// constructed first does); a request that arrives during an arbitration phase takes part in it, however late; a refresh
// never falls between two transfers of one grant but waits.
//
// Inferred: that the processor's need counts as -PREEMPT (a switch in ArbitrationTiming).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus/common/bus.hpp"
#include "bus/common/interrupts.hpp"
#include "bus/common/port_window.hpp"
#include "bus/mca/timing.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::bus {

class Channel;

/// One participant in arbitration: a bus master adapter, or a device that requests DMA service. Registered with the
/// channel for its lifetime; the channel saves its arbitration state.
class BusMaster {
 public:
  /// `fairness`: after losing the channel through -PREEMPT it does not compete until all others have been served (the
  /// fairness bit of the adapter's POS).
  BusMaster(Channel& channel, std::string name, bool fairness = true);
  virtual ~BusMaster();
  BusMaster(const BusMaster&) = delete;
  BusMaster& operator=(const BusMaster&) = delete;

  /// Competes for the channel at `level` (0 to 14; only the low four bits count, and 15 never wins) until granted or
  /// withdrawn. A repeated call changes the level. The owner may request again: it competes after it has released.
  void request_channel(unsigned level, Time now);
  /// Stops competing. An owner remains the owner.
  void withdraw_request(Time now);
  bool requesting_channel() const { return requesting_; }
  bool owns_channel() const { return owner_; }
  void set_fairness(bool on) { fairness_ = on; }
  bool fairness() const { return fairness_; }
  const std::string& master_name() const { return name_; }

  /// This master owns the channel from `now` until it releases it. Called from an event.
  virtual void granted(Time now) = 0;
  /// -PREEMPT became active while this master owns the channel (another requester, refresh, the processor): call
  /// release_channel() with a time no later than `now` + 7.8 us.
  virtual void preempted(Time /*now*/) {}
  /// The bus timed out: this master has lost the channel.
  virtual void timed_out(Time /*now*/) {}

 protected:
  /// Ends ownership at `at`, which may lie in the future: a transfer whose duration is known releases in advance.
  void release_channel(Time at);
  Channel& channel() { return channel_; }
  const Channel& channel() const { return channel_; }

 private:
  friend class Channel;
  Channel& channel_;
  std::string name_;
  unsigned level_ = 15;
  bool fairness_;
  bool requesting_ = false;
  bool inhibited_ = false;  // fairness: waits until -PREEMPT is inactive
  bool owner_ = false;
  Time since_ = Time::never();  // of the request or the grant, for describe(); not saved
};

class Channel final : public Bus {
 public:
  static constexpr std::string_view device_name = "channel";  // in traces
  /// Called for every interval in which the processor's path to memory is occupied: the processor model starts no
  /// memory cycle before `to`. Calls come in order of `to`.
  using Steal = std::function<void(Time from, Time to)>;
  /// What occupies that path: on a single-path planar, all channel activity of others, including arbitration; on a
  /// dual-path planar, only transfers to and from planar memory.
  enum class Path : std::uint8_t { single, dual };

  Channel(Scheduler& scheduler, const BusTiming& timing, IoSpace& io, Trace& trace);

  /// Where bus time-outs are reported. If not connected, time-outs only mask arbitration.
  void connect(NmiSink& sink) { nmi_ = &sink; }
  /// If not set, only the processor's channel accesses wait.
  void set_steal(Steal steal, Path path = Path::single) {
    steal_ = std::move(steal);
    path_ = path;
  }

  std::string_view name() const override { return device_name; }
  std::string_view owner_name() const override { return owner_ ? std::string_view(owner_->name_) : "processor"; }

  /// Returns the end of a transfer that starts at `from`, and reports that interval as stolen. `slave_cycle`: one cycle
  /// of the slave; if zero, planar memory's.
  Time transfer(const Transfer& transfer, Time from, Time slave_cycle = {});
  /// The same without side effects.
  Time transfer_time(const Transfer& transfer, Time slave_cycle = {}) const;
  /// The owner keeps the channel busy in this interval (cycles whose duration it computed itself); `memory`: planar
  /// memory is busy too.
  void occupy(Time from, Time to, bool memory = false) {
    take_path(from, to, memory);
    if (observer_ && owner_ && to > from) observer_->occupied(owner_->name_, from, to);
  }

  bool preempt_active() const { return preempted_; }

  /// An NMI was delivered to the processor: arbitration stops until 0 is written to port 90h bit 6.
  void nmi_delivered(Time now);
  /// The channel also detects this itself: an owner that stays too long.
  void bus_timeout(Time now) override;
  bool arbitration_masked() const { return masked_; }

  const BusTiming& timing() const { return timing_; }
  Scheduler& scheduler() { return scheduler_; }

  /// Port 90h, central arbitration control.
  std::uint8_t port_read(std::uint16_t port, Time now);
  void port_write(std::uint16_t port, std::uint8_t value, Time now);
  std::uint8_t port_peek(std::uint16_t port) const;

  /// Owner, arbitration, refresh, and for each master its level, how long it has waited or owned the channel, and its
  /// fairness.
  void describe(Description& d) const override;
  void archive(Archive& a) override;

 private:
  friend class BusMaster;
  Time phase() const { return extended_ ? timing_.arbitration.phase_extended : timing_.arbitration.phase; }
  void take_path(Time from, Time to, bool memory = false) {
    if (steal_ && to > from && (memory || path_ == Path::single)) steal_(from, to);
  }
  Time acquire_contended(Time t) override;
  void end_yield(Time end) override;
  void attach(BusMaster& master) { masters_.push_back(&master); }
  void detach(BusMaster& master);
  void request(BusMaster& master, unsigned level, Time now);
  void withdraw(BusMaster& master, Time now);
  void release(BusMaster& master, Time at);
  bool competes() const;
  BusMaster* winner();
  void arbitrate(Time now);
  void preempt(Time now);
  void serve_refresh(Time t);
  void grant(Time now);
  void watch(Time now);
  void mask(Time now);
  void unmask(Time now);
  void update_contended() { contended_ = owner_ != nullptr || grant_.pending(); }

  const BusTiming timing_;
  Trace& trace_;
  NmiSink* nmi_ = nullptr;
  Steal steal_;
  Path path_ = Path::single;
  std::vector<BusMaster*> masters_;  // in order of construction

  BusMaster* owner_ = nullptr;  // null: the processor
  Time phase_end_{};            // end of the arbitration phase that follows a release
  Time preempt_at_{};
  bool preempted_ = false;  // -PREEMPT is active towards the owner
  bool processor_waits_ = false;
  bool masked_ = false;              // 90h bit 6: no grants
  bool timeout_ = false;             // 90h bit 5, read side
  bool during_arbitration_ = false;  // 90h bit 7
  bool extended_ = false;            // 90h bit 5, write side
  std::uint8_t last_level_ = 0x0F;   // 90h bits 3 to 0
  Event grant_;                      // end of the arbitration phase
  Event watch_;                      // refresh preempts a burst of unknown length; then the time limit expires
  PortWindow<Channel> port_90_;
};

}  // namespace planar::bus
