// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/link_layer.hpp"

namespace planar::net {

void LinkLayer::send(std::span<const std::uint8_t> frame, Time now) {
  waiting_.push_back(encapsulate(frame));
  if (waiting_.size() == 1) transmit(waiting_.front(), now);
}

void LinkLayer::finished(bool sent, unsigned failed_attempts, Time now) {
  if (waiting_.empty()) return;  // a damaged snapshot
  user_.frame_sent({sent, waiting_.front().size() - port().medium()->format().check_bytes, failed_attempts}, now);
  waiting_.pop_front();
  if (!waiting_.empty()) transmit(waiting_.front(), now);
}

}  // namespace planar::net
