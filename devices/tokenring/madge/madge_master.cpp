// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/tokenring/madge/madge_master.hpp"

#include <algorithm>
#include <array>

#include "core/common/error.hpp"

namespace planar::tokenring {
namespace {

// Transfers between two checks of -PREEMPT.
constexpr unsigned look = 8;
constexpr std::uint32_t unlimited = 0xFFFFFFFF, page = 0x1000;

}  // namespace

MadgeMaster::MadgeMaster(bus::Slot& slot, const std::string& name, MadgeMasterClient& client,
                         const MadgeMasterConfig& config)
    : BusMaster(slot.channel(), name),
      slot_(slot),
      client_(client),
      config_(config),
      chunk_done_(slot.scheduler(), name + ".chunk", Priority::device, Callback::to<&MadgeMaster::chunk_done>(this)),
      next_(slot.scheduler(), name + ".next", Priority::device, Callback::to<&MadgeMaster::begin_burst>(this)),
      finished_(slot.scheduler(), name + ".finished", Priority::device, Callback::to<&MadgeMaster::finish>(this)) {}

void MadgeMaster::configure(unsigned level, bool fairness, BurstMode mode, bool streaming) {
  level_ = level;
  mode_ = mode;
  streaming_ = streaming && config_.buffered && slot_.width() == 32;
  set_fairness(fairness);
}

void MadgeMaster::start(std::uint32_t address, unsigned burst, Direction direction, Time now) {
  address_ = config_.width == 16 ? address & 0xFFFFFF : address;  // 24 address lines
  bytes_ = static_cast<std::uint32_t>(client_.transfer_buffer().size());
  burst_bytes_ = burst ? 2 * burst : bytes_;
  direction_ = direction;
  moved_ = chunk_ = 0;
  fault_ = false;
  busy_ = true;
  begin_burst(now);
}

void MadgeMaster::cancel(Time now) {
  busy_ = false;
  chunk_done_.cancel();
  next_.cancel();
  finished_.cancel();
  withdraw_request(now);
  if (owns_channel()) release_channel(now);
}

// The chip requests its bus.
void MadgeMaster::begin_burst(Time now) {
  burst_left_ = std::min(burst_bytes_, bytes_ - moved_);
  burst_asked_ = now;
  if (owns_channel())
    chunk(now);
  else
    request_channel(level_, now);
}

void MadgeMaster::granted(Time now) {
  if (!busy_) {
    release_channel(now);
    return;
  }
  preempted_at_ = Time::never();
  granted_left_ = mode_ == BurstMode::cycle_steal     ? 1
                  : mode_ == BurstMode::limited_burst ? config_.limited_bytes / unit()
                                                      : unlimited;
  channel().occupy(now, now + config_.grant);
  chunk(now + config_.grant);
}

// The transfers up to the next decision, in closed form. An odd address costs the first transfer an extra cycle.
void MadgeMaster::chunk(Time now) {
  const unsigned width = unit();
  const std::uint32_t transfers = std::min<std::uint32_t>(granted_left_, look);
  const std::uint32_t at = address_ + moved_;
  chunk_ = std::min(burst_left_, transfers * width - at % width);
  fault_ = !decoded(at, chunk_);
  const Time end = channel().transfer({at, chunk_, 8 * width, streaming_, 100_ns, direction_}, now);
  Time last = end;
  if (!config_.buffered) last = std::max(end, now + chip_cycle() * ((at % width + chunk_ + width - 1) / width));
  channel().occupy(end, last);
  if (granted_left_ != unlimited) granted_left_ -= std::min(granted_left_, (at % width + chunk_ + width - 1) / width);
  chunk_done_.at(last);
}

void MadgeMaster::chunk_done(Time now) {
  if (fault_) {
    busy_ = false;
    release_channel(now);
    client_.transfer_failed(false, now);
    return;
  }
  const auto part = client_.transfer_buffer().subspan(moved_, chunk_);
  if (direction_ == Direction::read)
    slot_.memory().master_read(address_ + moved_, part, now);
  else
    slot_.memory().master_write(address_ + moved_, part, now);
  moved_ += chunk_;
  burst_left_ -= chunk_;
  if (!burst_left_) {
    burst_done(now);
  } else if (may_stay(now)) {
    chunk(now);
  } else {
    release_channel(now);
    request_channel(level_, now);
  }
}

// Continues with the chip's next burst, or ends.
void MadgeMaster::burst_done(Time now) {
  const std::uint32_t burst = std::min(burst_bytes_, moved_);
  const bool done = moved_ == bytes_;
  if (config_.buffered) {  // the chip is filling or emptying the buffer meanwhile
    release_channel(now);
    const Time chip = std::max(now, burst_asked_ + chip_time(burst) + config_.burst_gap);
    (done ? finished_ : next_).at(chip);
    return;
  }
  if (done) {
    release_channel(now);
    finish(now);
    return;
  }
  const Time asks = now + config_.burst_gap;
  if (mode_ == BurstMode::delayed_release && may_stay(asks))
    channel().occupy(now, asks);
  else
    release_channel(now);
  next_.at(asks);
}

/// A chip cycle with the wait states caused by the channel's cycle: its four clocks accommodate a default cycle, and it
/// samples -READY once per clock.
Time MadgeMaster::chip_cycle() const {
  const bus::BusTiming& timing = channel().timing();
  const Time clock{config_.chip_cycle.ps / 4};
  const Time beyond = std::max(Time{}, timing.memory_cycle - timing.standard);
  return config_.chip_cycle + clock * ((beyond + clock - 1_ps) / clock);
}

/// Whether the owner may continue at `from`.
bool MadgeMaster::may_stay(Time from) const {
  if (!granted_left_) return false;
  if (preempted_at_ == Time::never()) return true;
  const Time chunk = std::max(config_.buffered ? config_.chip_cycle : chip_cycle(), channel().timing().memory_cycle) *
                     std::int64_t{look + 1};
  return from + chunk <= preempted_at_ + channel().timing().arbitration.burst_bound;
}

void MadgeMaster::finish(Time now) {
  busy_ = false;
  client_.transfer_done(now);
}

void MadgeMaster::timed_out(Time now) {
  chunk_done_.cancel();
  next_.cancel();
  if (!busy_) return;
  busy_ = false;
  client_.transfer_failed(true, now);
}

/// Whether any memory responds.
bool MadgeMaster::decoded(std::uint32_t address, std::uint32_t bytes) {
  const std::uint32_t last = address + bytes - 1;
  if (last < address) return false;
  for (std::uint32_t at = address & ~(page - 1);; at += page) {
    const Page& p = slot_.memory().page(at);
    const bool answers = p.kind == PageKind::device ? p.data || slot_.memory().find(std::max(at, address)) != nullptr
                                                    : p.kind != PageKind::unmapped;
    if (!answers) return false;
    if (last - at < page) return true;
  }
}

void MadgeMaster::describe(Description& d) const {
  static constexpr std::array modes{"cycle steal", "limited burst", "delayed release", "immediate release"};
  d.number("arbitration level", level_).flag("fairness", fairness()).flag("streaming data", streaming_);
  d.text("burst mode", modes[static_cast<unsigned>(mode_)]);
  d.flag("requests the channel", requesting_channel()).flag("owns the channel", owns_channel());
  d.flag("transferring", busy_).text("direction", direction_ == Direction::read ? "from memory" : "to memory");
  d.activity("state", !busy_ ? "idle" : requesting_channel() ? "waits for the channel" : "transfers");
  d.reg("address", address_, 32).number("bytes", bytes_).number("bytes moved", moved_);
}

void MadgeMaster::archive(Archive& a) {
  a(busy_, fault_, address_, bytes_, moved_, burst_bytes_, burst_left_, chunk_, granted_left_, direction_, burst_asked_,
    preempted_at_, chunk_done_, next_, finished_);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged bus master transfer; take a new one", ExitCode::missing_file);
}

// chunk_ belongs to the chunk in progress; between two chunks it is that of the previous one.
bool MadgeMaster::sound() const {
  if (busy_ != client_.transferring()) return false;
  if (!busy_) return !chunk_done_.pending() && !next_.pending() && !finished_.pending();
  return bytes_ == client_.transfer_buffer().size() && burst_bytes_ && moved_ <= bytes_ &&
         burst_left_ <= bytes_ - moved_ && (!chunk_done_.pending() || chunk_ <= burst_left_);
}

}  // namespace planar::tokenring
