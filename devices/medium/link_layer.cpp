// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/link_layer.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::net {

void LinkLayer::send(std::span<const std::uint8_t> frame, Time now) {
  waiting_.push_back(encapsulate(frame));
  if (waiting_.size() == 1) transmit(waiting_.front(), now);
}

std::array<std::uint8_t, 12> LinkLayer::addresses(const Arriving& frame) const {
  std::array<std::uint8_t, 12> both{};
  std::copy_n(frame.bytes.begin(), std::min(both.size(), frame.bytes.size()), both.begin());
  return both;
}

void LinkLayer::send_as_is(std::span<const std::uint8_t> frame, Time now) {
  waiting_.emplace_back(frame.begin(), frame.end());
  if (waiting_.size() == 1) transmit(waiting_.front(), now);
}

void LinkLayer::follow(const LinkLayer& from, Time now) {
  const auto frame = from.arriving();
  if (!frame || !waiting_.empty()) return;
  waiting_.emplace_back(frame->bytes.begin(), frame->bytes.end());
  transmit_first(waiting_.front(), frame->settled, now);
}

void LinkLayer::finished(bool sent, unsigned failed_attempts, Time now) {
  if (waiting_.empty()) return;  // a damaged snapshot
  user_.frame_sent({sent, waiting_.front().size() - port().medium()->format().check_bytes, failed_attempts}, now);
  waiting_.pop_front();
  if (!waiting_.empty()) transmit(waiting_.front(), now);
}

void LinkLayer::archive_waiting(Archive& a) {
  a(waiting_);
  const auto cut = [this](const auto& frame) { return frame.size() < port().medium()->format().check_bytes; };
  if (a.loading() && std::any_of(waiting_.begin(), waiting_.end(), cut))
    throw Error("snapshot holds damaged frames of a station; take a new one", ExitCode::missing_file);
}

}  // namespace planar::net
