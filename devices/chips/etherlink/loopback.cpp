// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/etherlink/loopback.hpp"

namespace planar::ethernet {

namespace {
constexpr std::int64_t preamble_bytes = 8;
}

Time Loopback::length() const { return port_.byte_time() * (preamble_bytes + std::ssize(frame_)); }

std::optional<net::Reception> Loopback::heard() const {
  if (!on_) return port_.receiving();
  net::Reception r;
  r.first_bit = start_;
  r.byte_time = port_.byte_time();
  r.frame = frame_;
  r.length = frame_.size();
  return r;
}

net::Reception Loopback::end(bool sent, bool own_fcs) {
  net::Reception r = *heard();
  on_ = false;
  r.fcs_ok = sent && (own_fcs || net::fcs_good(frame_));
  return r;
}

}  // namespace planar::ethernet
