// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/acknowledgements.hpp"

#include "frontend/meters/ip_frames.hpp"

namespace planar {

AcknowledgementMeter::AcknowledgementMeter(Lab& lab, std::size_t machine)
    : ports_(lab, machine), watch_(ports_.media().size() < 2 ? std::vector<net::Medium*>{} : ports_.media(), *this) {}

void AcknowledgementMeter::observe(const net::WireRecord& record) {
  if (!record.good()) return;
  const auto segment = tcp_segment_in(record);
  if (!segment || !(segment->flags & TcpSegment::ack)) return;
  Way& way = ways_[ports_.contains(record.sender) ? 0 : 1];
  const bool begins_or_ends = segment->flags & (TcpSegment::syn | TcpSegment::fin | TcpSegment::rst);
  if (way.connection == segment->connection && way.acknowledgement == segment->acknowledgement &&
      way.window == segment->window && segment->bytes == 0 && !begins_or_ends)
    ++way.duplicates;
  way.connection = segment->connection;
  way.acknowledgement = segment->acknowledgement;
  way.window = segment->window;
}

void AcknowledgementMeter::archive(Archive& a) {
  a.section("acknowledgement meter", 1);
  a(ways_);
}

}  // namespace planar
