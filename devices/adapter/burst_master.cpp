// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/burst_master.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::ethernet {

BurstMaster::BurstMaster(bus::Slot& slot, const std::string& name, BurstClient& client, std::uint32_t burst)
    : BusMaster(slot.channel(), name),
      slot_(slot),
      client_(client),
      burst_bytes_(burst),
      burst_done_(slot.scheduler(), name + ".burst", Priority::device, Callback::to<&BurstMaster::burst_done>(this)) {}

void BurstMaster::configure(unsigned level, bool fairness, bool streaming) {
  level_ = level;
  streaming_ = streaming && slot_.width() == 32;
  set_fairness(fairness);
}

void BurstMaster::start(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) {
  address_ = address;
  bytes_ = bytes;
  moved_ = burst_ = 0;
  direction_ = direction;
  transferring_ = true;
  request_channel(level_, now);
}

void BurstMaster::cancel(Time now) {
  transferring_ = false;
  withdraw_request(now);
  burst_done_.cancel();
}

void BurstMaster::granted(Time now) {
  if (!transferring_) {
    release_channel(now);
    return;
  }
  burst_ = std::min(burst_bytes_, bytes_ - moved_);
  const Time end = channel().transfer({address_ + moved_, burst_, slot_.width(), streaming_}, now);
  release_channel(end);
  burst_done_.at(end);
}

void BurstMaster::burst_done(Time now) {
  const auto part = client_.transfer_buffer().subspan(moved_, burst_);
  if (direction_ == Direction::read)
    slot_.memory().master_read(address_ + moved_, part, now);
  else
    slot_.memory().master_write(address_ + moved_, part, now);
  moved_ += burst_;
  if (moved_ < bytes_) {
    request_channel(level_, now);
    return;
  }
  transferring_ = false;
  client_.transfer_done(now);
}

void BurstMaster::timed_out(Time now) {
  if (transferring_) request_channel(level_, now);
}

void BurstMaster::archive(Archive& a) {
  a(address_, bytes_, moved_, burst_, direction_, transferring_, burst_done_);
  if (a.loading() && transferring_ &&
      (bytes_ > client_.transfer_buffer().size() || moved_ > bytes_ || burst_ > bytes_ - moved_))
    throw Error("snapshot holds a damaged bus master transfer; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
