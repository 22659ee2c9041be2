// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/mca/bus_master_port.hpp"

#include <algorithm>
#include <array>

#include "core/common/error.hpp"

namespace planar {

BusMasterPort::BusMasterPort(bus::Slot& slot, const std::string& name, BusMasterClient& client, std::uint32_t burst)
    : BusMaster(slot.channel(), name),
      slot_(slot),
      client_(client),
      burst_bytes_(burst),
      burst_done_(slot.scheduler(), name + ".burst", Priority::device, Callback::to<&BusMasterPort::burst_done>(this)) {
}

void BusMasterPort::configure(unsigned level, bool fairness, bool streaming) {
  level_ = level;
  streaming_ = streaming && slot_.width() == 32;
  set_fairness(fairness);
}

void BusMasterPort::start(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) {
  ++transfer_;
  address_ = address;
  bytes_ = bytes;
  moved_ = burst_ = 0;
  direction_ = direction;
  transferring_ = true;
  request_channel(level_, now);
}

void BusMasterPort::cancel(Time now) {
  ++transfer_;
  transferring_ = false;
  withdraw_request(now);
  burst_done_.cancel();
}

void BusMasterPort::granted(Time now) {
  if (!transferring_) {
    release_channel(now);
    return;
  }
  burst_ = std::min(burst_bytes_, bytes_ - moved_);
  const Time end = channel().transfer({address_ + moved_, burst_, slot_.width(), streaming_, 100_ns, direction_}, now);
  release_channel(end);
  burst_done_.at(end);
}

void BusMasterPort::burst_done(Time now) {
  const auto part = client_.transfer_buffer().subspan(moved_, burst_);
  // A copy, because the address may be that of the card's own registers, and the write may end this transfer or start
  // another.
  std::array<std::uint8_t, longest_burst> bytes;
  const auto moving = std::span(bytes).first(burst_);
  std::copy(part.begin(), part.end(), moving.begin());
  const std::uint64_t transfer = transfer_;
  if (direction_ == Direction::read)
    slot_.memory().master_read(address_ + moved_, moving, now);
  else
    slot_.memory().master_write(address_ + moved_, moving, now);
  if (transfer_ != transfer) return;
  if (direction_ == Direction::read) std::copy(moving.begin(), moving.end(), part.begin());
  moved_ += burst_;
  if (moved_ < bytes_) {
    request_channel(level_, now);
    return;
  }
  transferring_ = false;
  client_.transfer_done(now);
}

void BusMasterPort::timed_out(Time now) {
  if (transferring_) request_channel(level_, now);
}

void BusMasterPort::describe(Description& d) const {
  d.number("arbitration level", level_).flag("fairness", fairness()).flag("streaming data", streaming_);
  d.flag("requests the channel", requesting_channel()).flag("owns the channel", owns_channel());
  d.flag("transferring", transferring_).text("direction", direction_ == Direction::read ? "from memory" : "to memory");
  d.activity("state", !transferring_ ? "idle" : requesting_channel() ? "waits for the channel" : "transfers");
  d.reg("address", address_, 32).number("bytes", bytes_).number("bytes moved", moved_).number("burst", burst_);
}

void BusMasterPort::archive(Archive& a) {
  a(address_, bytes_, moved_, burst_, direction_, transferring_, burst_done_);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged bus master transfer; take a new one", ExitCode::missing_file);
}

// burst_ belongs to the burst in progress; while the port waits for the channel it is that of the previous burst.
bool BusMasterPort::sound() const {
  if (transferring_ != client_.transferring()) return false;
  if (!transferring_) return !burst_done_.pending();
  return bytes_ <= client_.transfer_buffer().size() && moved_ <= bytes_ &&
         (!burst_done_.pending() || burst_ <= std::min(burst_bytes_, bytes_ - moved_));
}

}  // namespace planar
