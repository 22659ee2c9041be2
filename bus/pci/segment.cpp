// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/pci/segment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bus/pci/config_text.hpp"
#include "bus/pci/function.hpp"
#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"

namespace planar::pci {

namespace {
constexpr std::uint32_t mask(unsigned bytes) { return bytes >= 4 ? ~0u : (1u << (8 * bytes)) - 1; }
/// No transaction, grant or posted write of a sound snapshot ends later than this after the time of the snapshot.
constexpr Time longest_ahead = 1_s;
}  // namespace

// ---- the segment ----

Segment::Segment(Scheduler& scheduler, const SegmentTiming& timing, AddressSpace& memory, Trace& trace,
                 std::string name)
    : Bus(scheduler, timing.costs()),
      timing_(timing),
      memory_(memory),
      trace_(trace),
      name_(std::move(name)),
      grant_(scheduler, name_ + ".grant", Priority::wire, Callback::to<&Segment::grant>(this)),
      end_(scheduler, name_ + ".end", Priority::wire, Callback::to<&Segment::end>(this)),
      post_(scheduler, name_ + ".post", Priority::wire, Callback::to<&Segment::post_done>(this)) {}

std::vector<Segment*> segments_of(std::span<bus::Bus* const> buses) {
  std::vector<Segment*> list;
  for (bus::Bus* bus : buses)
    if (auto* const segment = dynamic_cast<Segment*>(bus)) list.push_back(segment);
  return list;
}

void Segment::attach(Slot& slot) {
  if (slot.device() >= devices || slots_[slot.device()])
    throw Error("a PCI device number is 0 to 31 and used once on a segment");
  slots_[slot.device()] = &slot;
}

void Segment::detach(Slot& slot) { slots_[slot.device()] = nullptr; }

void Segment::detach(Master& master) {
  std::erase(masters_, &master);
  if (owner_ == &master) {
    owner_ = nullptr;
    end_.cancel();
    update_contended();
  }
}

// ---- configuration cycles ----

namespace {
Function* target(const std::array<Slot*, Segment::devices>& slots, unsigned device, unsigned function) {
  const Slot* slot = device < slots.size() ? slots[device] : nullptr;
  return slot ? slot->function(function) : nullptr;
}
}  // namespace

bool Segment::has(unsigned device, unsigned function) const { return target(slots_, device, function) != nullptr; }

std::uint32_t Segment::config_read(unsigned device, unsigned function, unsigned reg, unsigned bytes, Time now) {
  Function* const f = target(slots_, device, function);
  const std::uint32_t value = f ? f->config_read(reg, bytes, now) & mask(bytes) : mask(bytes);
  if (trace_.on(TraceCategory::pos)) trace_config("->", device, function, reg, bytes, value, now);
  return value;
}

std::uint32_t Segment::config_peek(unsigned device, unsigned function, unsigned reg, unsigned bytes) const {
  const Function* const f = target(slots_, device, function);
  return f ? f->config_peek(reg, bytes) & mask(bytes) : mask(bytes);
}

void Segment::config_write(unsigned device, unsigned function, unsigned reg, unsigned bytes, std::uint32_t value,
                           Time now) {
  if (trace_.on(TraceCategory::pos)) trace_config("<-", device, function, reg, bytes, value & mask(bytes), now);
  if (Function* const f = target(slots_, device, function)) f->config_write(reg, bytes, value & mask(bytes), now);
  if (config_watcher_) config_watcher_(device, function, reg, bytes, value & mask(bytes));
}

// The trace device is the one being configured: "slot1.3c905b", or "pci" for devices on the board and absent ones.
void Segment::trace_config(const char* arrow, unsigned device, unsigned function, unsigned reg, unsigned bytes,
                           std::uint32_t value, Time now) {
  const Slot* const at = slot(device);
  const auto known = header_register(reg);
  trace_(TraceCategory::pos, now, at && at->number() ? at->subject().device : name_, "{:02X}:{:02X}.{} {} {} {:0{}X}",
         bus_number_, device, function,
         known.empty() ? fmt::format("{:02X}", reg) : fmt::format("{:02X} {}", reg, known), arrow, value, 2 * bytes);
}

std::vector<Function*> Segment::functions() const {
  std::vector<Function*> list;
  for (const Slot* slot : slots_)
    for (unsigned n = 0; slot && n < Slot::functions; ++n)
      if (Function* f = slot->function(n)) list.push_back(f);
  return list;
}

void Segment::reset(Time now) {
  posted_.clear();
  post_.cancel();
  update_contended();
  for (Function* f : functions()) f->bus_reset(now);
}

void Segment::ground_m66en() {
  timing_.clock = std::max(timing_.clock, clock_33mhz);
  set_costs(timing_.costs());
}

void Segment::bus_timeout(Time now) { trace_(TraceCategory::bus, now, name_, "a target held the bus for too long"); }

// ---- arbitration ----

bool Segment::requested() const {
  return std::any_of(masters_.begin(), masters_.end(), [](const Master* m) { return m->requesting_; });
}

void Segment::request(Master& master, Time now) {
  master.requesting_ = true;
  trace_(TraceCategory::arbitration, now, master.name_, "REQ#");
  if (owner_ && owner_ != &master)
    yield_soon(now);
  else
    arbitrate(now);
}

void Segment::withdraw(Master& master, Time now) {
  master.requesting_ = false;
  if (owner_ != &master) return;
  owner_ = nullptr;
  end_.cancel();
  busy_until_ = std::max(busy_until_, now + timing_.clocks(timing_.turnaround));
  if (observer_) observer_->released(master.name_, now);
  update_contended();
  serve_posted(now);
  arbitrate(now);
}

/// Grants the bus to the next master once current bus activity has ended.
void Segment::arbitrate(Time now) {
  if (owner_ || grant_.pending() || !requested()) return;
  if (processor_waits_) {  // it is the processor's turn
    yielded_ = true;
    return;
  }
  if (!posted_.empty()) return;  // the bridge is a master too, and requested first
  grant_.at(std::max(now + timing_.clocks(timing_.grant), busy_until_ + timing_.clocks(timing_.turnaround)));
  update_contended();
}

void Segment::end_yield(Time end) {
  yielded_ = false;
  arbitrate(end);
}

void Segment::grant(Time now) {
  const std::size_t count = masters_.size();
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t at = (turn_ + n) % count;
    if (!masters_[at]->requesting_) continue;
    turn_ = static_cast<std::uint32_t>((at + 1) % count);
    return begin(*masters_[at], now);
  }
  update_contended();  // the requester has withdrawn
  serve_posted(now);
}

// ---- a master's transaction ----

std::uint32_t Segment::beat_width() const { return std::min(owner_->width_, timing_.width) / 8; }

std::uint32_t Segment::beats() const {
  const std::uint32_t width = beat_width(), from = owner_->address_ + owner_->moved_;
  return ((from & (width - 1)) + now_on_.bytes + width - 1) / width;
}

/// The end of data phase `beat` of the transaction in progress, counted from 0.
Time Segment::beat_end(std::uint32_t beat) const {
  const std::uint32_t width = beat_width(), from = owner_->address_ + owner_->moved_;
  std::uint64_t clocks = beat;
  if (owner_->command_ == BurstCommand::read || owner_->command_ == BurstCommand::read_line) {
    const std::uint32_t crossed = ((from & (line_bytes - 1) & ~(width - 1)) + width * beat) / line_bytes;
    clocks += std::uint64_t{crossed} * timing_.memory.read_line_gap;
  }
  return now_on_.first + timing_.clock * static_cast<std::int64_t>(clocks);
}

/// The number of bytes in its first `beats` data phases.
std::uint32_t Segment::beat_bytes(std::uint32_t beats) const {
  const std::uint32_t width = beat_width(), from = owner_->address_ + owner_->moved_;
  return std::min(width * beats - (from & (width - 1)), owner_->bytes_ - owner_->moved_);
}

void Segment::begin(Master& master, Time now) {
  owner_ = &master;
  master.requesting_ = false;
  const std::uint32_t address = master.address_ + master.moved_;
  const bool write = writes(master.command_);
  const Page& page = memory_.page(address);
  now_on_ = {};
  now_on_.start = now;
  now_on_.aborted = page.kind == PageKind::unmapped;
  now_on_.first = now + (write ? timing_.clocks(timing_.memory.write_first) : timing_.read_first());
  if (now_on_.aborted) {
    now_on_.end = now + timing_.clocks(timing_.master_abort);
  } else {
    // At most to the end of the page: what lies beyond it may be something else.
    const std::uint32_t most = 4096 - (address & 0xFFF);
    now_on_.bytes = std::min(master.bytes_ - master.moved_, most);
    now_on_.command = master.transaction(address, now_on_.bytes);
    if (host_.snoop) snoop_transaction();
    now_on_.end = beat_end(beats() - 1);
    share_memory();
  }
  ++counters_.transactions;
  trace_(TraceCategory::arbitration, now, master.name_, "GNT#: {} {} bytes at {:08X}", write ? "writes" : "reads",
         master.bytes_ - master.moved_, address);
  if (observer_) observer_->granted(master.name_, 0, now);
  end_.at(now_on_.end);
  update_contended();
  if (requested() || processor_waits_) yield_soon(now);
}

/// The number of lines of the processor's caches that the transaction touches.
std::uint32_t Segment::lines() const {
  return (((owner_->address_ + owner_->moved_) & (line_bytes - 1)) + now_on_.bytes + line_bytes - 1) / line_bytes;
}

/// Determines what the bridge finds in the processor's caches, and how long that takes.
void Segment::snoop_transaction() {
  const MemoryTarget& m = timing_.memory;
  const std::uint32_t address = owner_->address_ + owner_->moved_;
  const Host::Dirty dirty = host_.snoop(now_on_.command, address, now_on_.bytes);
  now_on_.bus =
      m.snoop +
      Time{(m.l1_write_back * std::int64_t{dirty.first_level} + m.l2_write_back * std::int64_t{dirty.second_level}).ps /
           lines()};
  if (writes(now_on_.command) || dirty.first == 0) return;  // writes are posted, whatever the snoop finds
  now_on_.first += dirty.first == 1 ? m.l1_write_back : m.l2_write_back;
}

void Segment::share_memory() {
  if (!host_.share) return;
  const Time from = writes(now_on_.command) ? now_on_.first : now_on_.start;
  const Time to =
      std::max(now_on_.end, from + timing_.memory.line);  // a line takes this long even if only one datum is wanted
  host_.share(from, to, Time{(to - from).ps / lines()}, timing_.memory.line, now_on_.bus);
}

void Segment::yield_soon(Time now) {
  if (!owner_ || now_on_.aborted) return;
  const Time allowed = std::max(now, now_on_.start + timing_.clock * std::int64_t{owner_->latency_timer()});
  if (allowed >= now_on_.end) return;
  // The datum in progress at that time is the last one; memory write and invalidate continues to the end of the line.
  const std::uint32_t last = beats() - 1, address = owner_->address_ + owner_->moved_;
  const auto must_go_on = [&](std::uint32_t beat) {
    return beat_end(beat) < allowed ||
           (now_on_.command == BurstCommand::write_invalidate && (address + beat_bytes(beat + 1)) % line_bytes != 0);
  };
  std::uint32_t beat = 0;
  while (beat < last && must_go_on(beat)) ++beat;
  now_on_.bytes = std::min(now_on_.bytes, beat_bytes(beat + 1));
  now_on_.end = beat_end(beat);
  end_.at(now_on_.end);
  share_memory();
}

/// Moves a transaction's data. Returns false if the burst no longer exists. A device's registers, even those of the
/// master's own function, may end it or let another one begin, which invalidates `part`.
bool Segment::deliver(Master& master, std::span<std::uint8_t> part, Time now) {
  const std::uint32_t address = master.address_ + master.moved_;
  const bool write = writes(master.command_);
  const auto move = [&](std::span<std::uint8_t> bytes) {
    write ? memory_.master_write(address, bytes, now) : memory_.master_read(address, bytes, now);
  };
  if (memory_.page(address).kind != PageKind::device) {
    move(part);
    return true;
  }
  std::vector<std::uint8_t> bytes(part.begin(), part.end());
  const std::uint64_t burst = master.burst_;
  move(bytes);
  if (master.burst_ != burst) return false;
  if (!write) std::copy(bytes.begin(), bytes.end(), part.begin());
  return true;
}

void Segment::end(Time now) {
  Master& master = *owner_;
  const Transaction done = now_on_;
  const unsigned bits = 8 * beat_width();
  owner_ = nullptr;
  busy_until_ = std::max(busy_until_, now);
  if (observer_) {
    observer_->transferred(master.name_,
                           {master.address_ + master.moved_, done.bytes, bits, true, timing_.clock,
                            writes(master.command_) ? Direction::write : Direction::read},
                           done.start, now);
    observer_->released(master.name_, now);
  }
  update_contended();
  serve_posted(now);
  BurstEnd why = BurstEnd::done;
  const auto data = master.burst_data();
  // A damaged snapshot may contain a burst unknown to its owner.
  if (done.aborted || data.size() < master.moved_ + std::size_t{done.bytes}) {
    ++counters_.aborts;
    why = BurstEnd::master_abort;
    master.function_.set_status(RECEIVED_MASTER_ABORT);
    trace_(TraceCategory::bus, now, master.name_, "master abort at {:08X}", master.address_ + master.moved_);
  } else {
    counters_.bytes += done.bytes;
    if (!deliver(master, data.subspan(master.moved_, done.bytes), now)) return arbitrate(now);
    master.moved_ += done.bytes;
    if (master.moved_ < master.bytes_) {
      master.request(now);
      arbitrate(now);  // if the function may no longer be a master, another gets its turn
      return;
    }
  }
  master.bytes_ = master.moved_ = 0;
  master.burst_ended(why, now);
  arbitrate(now);
}

// ---- the processor ----

Time Segment::acquire_contended(Time t) {
  const Time asked = t;
  for (;;) {
    if (t < processor_from_) {
      t = processor_from_;
      scheduler_.advance(t);
    } else if (owner_ || grant_.pending() || !posted_.empty()) {
      processor_waits_ = true;
      if (owner_) yield_soon(t);
      t = scheduler_.advance_to_event(t);
    } else {
      break;
    }
  }
  processor_waits_ = false;
  if (t > asked) t += timing_.clocks(timing_.turnaround);
  scheduler_.advance(t);
  if (observer_ && t > asked) observer_->waited(asked, t);
  return t;
}

// ---- posted writes ----

Time Segment::post_write(std::uint32_t address, unsigned bytes, std::uint32_t value, const CycleSpec& cycle, Time t) {
  scheduler_.advance(t);
  while (posted_.size() >= timing_.post_depth) t = scheduler_.advance_to_event(t);
  posted_.push({address, value, static_cast<std::uint8_t>(bytes), costs().cycle(cycle) - timing_.completion});
  if (owner_) yield_soon(t);
  serve_posted(t);
  update_contended();
  return t + timing_.post;
}

/// The oldest posted write gets the bus as soon as it is free.
void Segment::serve_posted(Time now) {
  if (posted_.empty() || owner_ || grant_.pending() || post_.pending()) return;
  post_.at(std::max(now, busy_until_ + timing_.clocks(timing_.turnaround)) + posted_.front().cycle);
}

void Segment::post_done(Time now) {
  const PostedWrites::Write write = posted_.front();
  posted_.pop();
  busy_until_ = std::max(busy_until_, now);
  serve_posted(now);
  update_contended();
  if (observer_)
    observer_->cycle({bus::BusCycle::Kind::memory, Direction::write, write.address, write.bytes, write.value,
                      now - write.cycle, now});
  if (sink_) sink_->write_posted(write.address, write.bytes, write.value, now);
  arbitrate(now);
}

// ---- what others see of it ----

void Segment::describe(Description& d) const {
  d.activity("owner", owner_ ? owner_->name_ : requested() ? "arbitration" : "idle");
  d.number("transactions of masters", counters_.transactions).number("bytes of masters", counters_.bytes);
  d.number("master aborts", counters_.aborts).level("posted writes", posted_.size());
  for (const Master* m : masters_) m->describe(d.part(m->name()));
}

void Segment::archive(Archive& a) {
  a.section(name_, 1);
  std::uint32_t owner = 0;  // 0: none; 1 is the first master
  if (owner_)
    owner = static_cast<std::uint32_t>(std::find(masters_.begin(), masters_.end(), owner_) - masters_.begin()) + 1;
  a(busy_until_, processor_from_, owner, turn_, now_on_, yielded_, posted_, counters_.transactions, counters_.bytes,
    counters_.aborts, grant_, end_, post_);
  for (Master* m : masters_) m->archive(a);
  if (!a.loading()) return;
  const Time latest = scheduler_.now() + longest_ahead;
  for (const Event* event : {&grant_, &end_, &post_})
    if (event->pending() && event->when() > latest)
      throw Error("snapshot holds a PCI transaction that does not end; take a new one", ExitCode::missing_file);
  for (const Time t :
       {now_on_.start, now_on_.first, now_on_.end, now_on_.bus, busy_until_, processor_from_, posted_.longest()})
    if (t < Time{} || t > latest || now_on_.command > BurstCommand::write_invalidate)
      throw Error("snapshot holds a damaged PCI transaction; take a new one", ExitCode::missing_file);
  if (owner > masters_.size() || turn_ > masters_.size() || busy_until_ > latest || processor_from_ > latest ||
      (owner != 0) != end_.pending() || post_.pending() != (!posted_.empty() && owner == 0 && !grant_.pending()) ||
      posted_.size() > timing_.post_depth || !posted_.sound())
    throw Error("snapshot holds a damaged PCI bus; take a new one", ExitCode::missing_file);
  owner_ = owner ? masters_[owner - 1] : nullptr;
  if (owner_ && !now_on_.aborted && now_on_.bytes - 1 >= owner_->bytes_ - owner_->moved_)  // rejects 0 too
    throw Error("snapshot holds a damaged PCI transaction; take a new one", ExitCode::missing_file);
  update_contended();
}

}  // namespace planar::pci
