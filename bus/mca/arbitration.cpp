// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/mca/arbitration.hpp"

#include <algorithm>

namespace planar::bus {

namespace {
constexpr unsigned processor_level = 15;

double in_microseconds(Time t) { return static_cast<double>(t.ps) / 1e6; }

/// A safeguard, not hardware: requesters that never release would keep the processor off the channel for ever, and a
/// lab whose processor never completes an access cannot be stopped. After this time the access proceeds.
constexpr Time starvation_bound = 10_ms;
/// No cycle, arbitration phase or refresh of a sound snapshot ends later than this after the time of the snapshot.
constexpr Time longest_ahead = 1_s;

// Port 90h.
constexpr std::uint8_t cycles_during_arbitration = 0x80;
constexpr std::uint8_t arbitration_mask = 0x40;
constexpr std::uint8_t extended_arbitration = 0x20;  // write
constexpr std::uint8_t timeout_happened = 0x20;      // read
}  // namespace

BusMaster::BusMaster(Channel& channel, std::string name, bool fairness)
    : channel_(channel), name_(std::move(name)), fairness_(fairness) {
  channel_.attach(*this);
}

BusMaster::~BusMaster() { channel_.detach(*this); }

void BusMaster::request_channel(unsigned level, Time now) { channel_.request(*this, level, now); }
void BusMaster::withdraw_request(Time now) { channel_.withdraw(*this, now); }
void BusMaster::release_channel(Time at) { channel_.release(*this, at); }

Channel::Channel(Scheduler& scheduler, const BusTiming& timing, IoSpace& io, Trace& trace)
    : Bus(scheduler, timing.costs()),
      timing_(timing),
      trace_(trace),
      grant_(scheduler, "channel.grant", Priority::wire, Callback::to<&Channel::grant>(this)),
      watch_(scheduler, "channel.watch", Priority::wire, Callback::to<&Channel::watch>(this)),
      port_90_(*this, io, 0x90, 0x90, board_cycle) {
  next_refresh_ = (scheduler.now() / timing.refresh.period + 1) * timing.refresh.period;
  refresh_hold_ = timing.refresh.hold;
}

void Channel::detach(BusMaster& master) {
  std::erase(masters_, &master);
  if (owner_ == &master) {
    owner_ = nullptr;
    watch_.cancel();
    update_contended();
  }
}

// The processor cannot run its cycle at once: a refresh is due, an arbitration phase is in progress, or there is
// another owner. Advances time event by event until the cycle can start.
Time Channel::acquire_contended(Time t) {
  const Time asked = t, patience = t + starvation_bound;
  processor_waits_ = true;
  for (;;) {
    if (t >= patience) {
      trace_(TraceCategory::arbitration, t, device_name, "the processor takes its cycle after waiting too long for {}",
             owner_name());
      break;
    }
    if (t < processor_from_) {
      t = processor_from_;
      scheduler_.advance(t);
    } else if (owner_ || (grant_.pending() && !(during_arbitration_ && t < grant_.when()))) {
      if (owner_ && timing_.arbitration.processor_preempts) preempt(t);
      // A grant or the watch on the owner is pending, unless the owner has just released.
      if (!contended_) continue;
      t = scheduler_.advance_to_event(t);
    } else if (t >= next_refresh_) {
      serve_refresh(t);
    } else {
      break;
    }
  }
  processor_waits_ = false;
  if (observer_ && t > asked) observer_->waited(asked, t);
  return t;
}

// Brings the refresh up to `t`: of the requests that came while the channel was idle, only the latest can still be in
// progress; one that came while it was busy starts when it becomes free.
void Channel::serve_refresh(Time t) {
  const Time request = t / timing_.refresh.period * timing_.refresh.period;
  const Time end = std::max(request, busy_until_) + timing_.refresh.hold;
  next_refresh_ = request + timing_.refresh.period;
  if (end > t) {
    trace_(TraceCategory::arbitration, t, device_name, "refresh until {:.6f} us", in_microseconds(end));
    busy_until_ = end;
    processor_from_ = std::max(processor_from_, end);
    if (observer_) observer_->refreshed(end - timing_.refresh.hold, end);
  }
}

bool Channel::competes() const {
  return std::any_of(masters_.begin(), masters_.end(), [](const BusMaster* m) {
    return m->requesting_ && !m->inhibited_ && m->level_ != processor_level;
  });
}

BusMaster* Channel::winner() {
  BusMaster* best = nullptr;
  for (BusMaster* m : masters_)
    if (m->requesting_ && !m->inhibited_ && m->level_ != processor_level && (!best || m->level_ < best->level_))
      best = m;
  return best;
}

void Channel::request(BusMaster& master, unsigned level, Time now) {
  master.level_ = level & 0x0F;
  if (!master.requesting_ && !master.owner_) master.since_ = now;
  if (!master.requesting_)
    trace_(TraceCategory::arbitration, now, master.name_, "requests the channel at level {:X}", master.level_);
  master.requesting_ = true;
  if (!owner_)
    arbitrate(now);
  else if (owner_ != &master && !masked_ && !master.inhibited_ && master.level_ != processor_level)
    preempt(now);
}

void Channel::withdraw(BusMaster& master, Time) {
  // A phase that has begun runs to its end; if there is no competitor left, the processor wins it.
  master.requesting_ = false;
  master.inhibited_ = false;
}

// Starts an arbitration phase if anyone competes.
void Channel::arbitrate(Time now) {
  if (owner_ || masked_ || grant_.pending()) return;
  if (!competes()) {
    if (processor_waits_) {
      // -PREEMPT stays active for the processor: masters that lost the channel wait until it has had a cycle.
      yielded_ = true;
      return;
    }
    for (BusMaster* m : masters_) m->inhibited_ = false;
    if (!competes()) return;
  }
  Time end = phase_end_;
  if (now >= phase_end_) {
    const Time from = std::max(now, busy_until_);
    end = from + phase();
    if (!during_arbitration_) take_path(from, end);
  }
  grant_.at(end);
  update_contended();
}

void Channel::end_yield(Time end) {
  yielded_ = false;
  for (BusMaster* m : masters_) m->inhibited_ = false;
  arbitrate(end);
}

// The arbitration phase is over.
void Channel::grant(Time now) {
  update_contended();
  if (masked_) return;
  if (now < busy_until_) {  // the processor's cycle during arbitration is still running
    grant_.at(busy_until_);
    update_contended();
    return;
  }
  if (now >= next_refresh_) {  // level -2 comes first
    serve_refresh(now);
    if (busy_until_ > now) {
      take_path(now, busy_until_);
      grant_.at(busy_until_);
      update_contended();
      return;
    }
  }
  BusMaster* master = winner();
  if (!master) {
    trace_(TraceCategory::arbitration, now, device_name, "grant to the processor");
    return;
  }
  trace_(TraceCategory::arbitration, now, master->name_, "grant at level {:X}", master->level_);
  owner_ = master;
  preempted_ = false;
  last_level_ = static_cast<std::uint8_t>(master->level_);
  master->owner_ = true;
  master->since_ = now;
  master->requesting_ = false;
  if (observer_) observer_->granted(master->name_, master->level_, now);
  if (!competes() && !processor_waits_)  // -PREEMPT is inactive
    for (BusMaster* m : masters_) m->inhibited_ = false;
  update_contended();
  master->granted(now);
  if (owner_ == master && !preempted_) {
    if (competes())
      preempt(now);
    else
      watch_.at(std::max(next_refresh_, now));
  }
  update_contended();
}

void Channel::preempt(Time now) {
  if (!owner_ || preempted_) return;
  preempted_ = true;
  preempt_at_ = now;
  watch_.at(now + timing_.arbitration.burst_bound);
  trace_(TraceCategory::arbitration, now, owner_->name_, "preempted");
  owner_->preempted(now);
}

// For an owner that has not announced when it leaves: the next refresh request preempts it, and the bound runs from
// -PREEMPT.
void Channel::watch(Time now) {
  if (!owner_) return;
  if (!preempted_)
    preempt(now);
  else
    bus_timeout(now);
}

void Channel::release(BusMaster& master, Time at) {
  if (owner_ != &master) return;
  trace_(TraceCategory::arbitration, scheduler_.now(), master.name_, "releases the channel at {:.6f} us",
         in_microseconds(at));
  owner_ = nullptr;
  master.owner_ = false;
  master.since_ = scheduler_.now();
  master.inhibited_ = preempted_ && master.fairness_;
  preempted_ = false;
  watch_.cancel();
  busy_until_ = std::max(busy_until_, at);
  if (observer_) observer_->released(master.name_, busy_until_);
  phase_end_ = busy_until_ + phase();
  processor_from_ = std::max(processor_from_, during_arbitration_ ? busy_until_ : phase_end_);
  if (!during_arbitration_) take_path(busy_until_, phase_end_);
  arbitrate(scheduler_.now());
  update_contended();
}

Time Channel::transfer_time(const Transfer& transfer, Time slave_cycle) const {
  if (transfer.bytes == 0) return {};
  const bool memory = slave_cycle == Time{};
  const unsigned width = memory ? std::min<unsigned>(transfer.width, timing_.memory_width) : transfer.width;
  const std::uint32_t unit = std::max(1u, width / 8);
  const std::int64_t cycles = (std::int64_t{transfer.address % unit} + transfer.bytes + unit - 1) / unit;
  const Time cycle = memory ? timing_.memory_cycle : slave_cycle;
  return transfer.streaming && (!memory || timing_.memory_streams) ? cycle + (cycles - 1) * transfer.beat
                                                                   : cycles * cycle;
}

Time Channel::transfer(const Transfer& transfer, Time from, Time slave_cycle) {
  const Time end = from + transfer_time(transfer, slave_cycle);
  take_path(from, end, slave_cycle == Time{});
  if (observer_ && owner_) observer_->transferred(owner_->name_, transfer, from, end);
  return end;
}

void Channel::mask(Time) {
  masked_ = true;
  grant_.cancel();
  update_contended();
}

void Channel::unmask(Time now) {
  masked_ = false;
  arbitrate(now);
}

void Channel::nmi_delivered(Time now) { mask(now); }

void Channel::bus_timeout(Time now) {
  BusMaster* loser = owner_;
  trace_(TraceCategory::arbitration, now, device_name, "bus time-out, owner {}", owner_name());
  owner_ = nullptr;
  preempted_ = false;
  watch_.cancel();
  timeout_ = true;
  mask(now);
  if (loser) {
    loser->owner_ = false;
    loser->inhibited_ = false;
    if (observer_) observer_->released(loser->name_, now);
    loser->timed_out(now);
  }
  if (nmi_) nmi_->set_nmi(NmiSource::bus_timeout, true, now);
}

std::uint8_t Channel::port_read(std::uint16_t port, Time now) {
  const std::uint8_t value = port_peek(port);
  if (timeout_ && masked_) {  // reading the time-out bit as 1 also clears bit 6
    if (nmi_) nmi_->set_nmi(NmiSource::bus_timeout, false, now);
    unmask(now);
  }
  return value;
}

std::uint8_t Channel::port_peek(std::uint16_t) const {
  return static_cast<std::uint8_t>((during_arbitration_ ? cycles_during_arbitration : 0) |
                                   (masked_ ? arbitration_mask : 0) | (timeout_ ? timeout_happened : 0) | last_level_);
}

void Channel::port_write(std::uint16_t, std::uint8_t value, Time now) {
  during_arbitration_ = (value & cycles_during_arbitration) != 0;
  extended_ = (value & extended_arbitration) != 0;
  if ((value & arbitration_mask) != 0) {
    mask(now);
  } else {
    if (timeout_ && nmi_) nmi_->set_nmi(NmiSource::bus_timeout, false, now);
    timeout_ = false;
    unmask(now);
  }
}

void Channel::describe(Description& d) const {
  d.text("owner", std::string(owner_name()));
  d.reg("arbitration register (90h)", port_peek(0x90), 8).number("last level granted", last_level_);
  d.flag("masked", masked_).flag("bus time-out", timeout_);
  d.flag("cycles during arbitration", during_arbitration_).flag("extended arbitration", extended_);
  d.flag("-PREEMPT", preempted_);
  if (preempted_) d.time("-PREEMPT since", preempt_at_);
  if (grant_.pending()) d.time("arbitration phase ends", grant_.when());
  d.flag("processor waits", processor_waits_);
  d.time("processor may start from", processor_from_);
  d.time("next refresh", next_refresh_);
  for (const BusMaster* m : masters_) {
    Description& part = d.part(m->name_);
    part.number("level", m->level_).flag("fairness", m->fairness_);
    part.text("state", m->owner_        ? "owns the channel"
                       : m->inhibited_  ? "waits for the others (fairness)"
                       : m->requesting_ ? "waits for a grant"
                                        : "idle");
    if ((m->owner_ || m->requesting_) && m->since_ != Time::never()) part.time("since", m->since_);
  }
}

void Channel::archive(Archive& a) {
  a.section("channel", 1);
  a(busy_until_, processor_from_, phase_end_, next_refresh_, preempt_at_);
  a(preempted_, processor_waits_, yielded_, masked_, timeout_, during_arbitration_, extended_, last_level_);
  std::int32_t owner = -1;
  unsigned owners = 0;
  auto count = static_cast<std::uint32_t>(masters_.size());
  a(count);
  if (count != masters_.size())
    throw Error("the snapshot has another set of bus masters than this machine; restore it with the same cards");
  for (std::uint32_t i = 0; i < count; ++i) {
    BusMaster& m = *masters_[i];
    a(m.level_, m.fairness_, m.requesting_, m.inhibited_, m.owner_);
    if (m.owner_) owner = static_cast<std::int32_t>(i);
    owners += m.owner_;
  }
  a(grant_, watch_);
  if (a.loading()) {
    // Times far ahead would keep the processor off the channel for that long, and a refresh long past would be served
    // again and again.
    const Time now = scheduler_.now(), latest = now + longest_ahead;
    const bool sound = busy_until_ <= latest && processor_from_ <= latest && phase_end_ <= latest &&
                       next_refresh_ <= latest && next_refresh_ >= Time{} && busy_until_ >= Time{} && owners <= 1 &&
                       (owner < 0 || watch_.pending());
    if (!sound) throw Error("snapshot holds a damaged bus channel; take a new one", ExitCode::missing_file);
    owner_ = owner < 0 ? nullptr : masters_[static_cast<std::uint32_t>(owner)];
    update_contended();
  }
}

}  // namespace planar::bus
