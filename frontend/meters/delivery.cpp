// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/delivery.hpp"

#include <algorithm>

#include "frontend/meters/ip_frames.hpp"

namespace planar {
namespace {

constexpr std::size_t most_delivery_marks = 1 << 14;

}  // namespace

DeliveryMeter::DeliveryMeter(Lab& lab, std::size_t machine)
    : ports_(lab, machine), watch_(ports_.used_media(), *this) {}

void DeliveryMeter::observe(const net::WireRecord& record) {
  if (!record.good() || !ports_.contains(record.sender)) return;
  const auto sent = tcp_segment_in(record);
  if (!sent) return;
  if (sent->flags & TcpSegment::syn) {
    connection_ = sent->connection;
    next_ = sent->sequence + 1;
    return;
  }
  const std::uint32_t end = sent->sequence + sent->bytes;
  const auto advance = static_cast<std::int32_t>(end - next_);
  if (sent->connection != connection_ || advance <= 0) return;
  next_ = end;
  bytes_ += static_cast<std::uint32_t>(advance);
  if (frames_++ % stride_ != 0) return;
  marks_.push_back({record.end, bytes_});
  if (marks_.size() < most_delivery_marks) return;
  stride_ *= 2;
  for (std::size_t n = 0; 2 * n + 1 < marks_.size(); ++n) marks_[n] = marks_[2 * n + 1];
  marks_.resize(marks_.size() / 2);
}

std::uint64_t DeliveryMeter::delivered_by(Time at) const {
  const auto later =
      std::upper_bound(marks_.begin(), marks_.end(), at, [](Time time, const Mark& mark) { return time < mark.at; });
  return later == marks_.begin() ? before_.bytes : std::prev(later)->bytes;
}

std::uint64_t DeliveryMeter::delivered_evenly_by(Time at) const {
  const auto later =
      std::upper_bound(marks_.begin(), marks_.end(), at, [](Time time, const Mark& mark) { return time < mark.at; });
  const Mark& from = later == marks_.begin() ? before_ : *std::prev(later);
  if (later == marks_.end() || at <= from.at) return from.bytes;
  // In nanoseconds the product stays below 2^63: an hour times 2 MB.
  const auto since = static_cast<std::uint64_t>((at - from.at).ps / 1000);
  const auto between = static_cast<std::uint64_t>((later->at - from.at).ps / 1000);
  return between ? from.bytes + (later->bytes - from.bytes) * since / between : later->bytes;
}

void DeliveryMeter::row_ended(const Measured& measured) {
  const Time end = measured.to, part_time{(end - measured.from).ps / std::int64_t{parts}};
  const auto begins = [&](std::size_t part) { return end - part_time * static_cast<std::int64_t>(parts - part); };
  const auto between = [&](std::size_t from, std::size_t to) {
    const std::uint64_t upto = delivered_by(begins(to)), before = delivered_by(begins(from));
    return upto > before ? upto - before : 0;
  };
  Row row{between(0, parts)};
  for (std::size_t n = 0; n < parts; ++n) row.bytes_by_part[n] = between(n, n + 1);
  for (std::size_t n = 0; n < batches; ++n) {
    constexpr std::size_t length = (parts - settling) / batches;
    const auto from = settling + n * length;
    const std::uint64_t upto = delivered_evenly_by(begins(from + length)), before = delivered_evenly_by(begins(from));
    row.bytes_by_batch[n] = upto > before ? upto - before : 0;
  }
  rows_.push_back(row);
  const std::uint64_t upto = delivered_by(end);
  before_ = {end, upto};
  std::erase_if(marks_, [&](const Mark& mark) { return mark.at <= end; });
  stride_ = 1;
  frames_ = 0;
}

void DeliveryMeter::archive(Archive& a) {
  a.section("delivery meter", 3);
  a(connection_, next_, bytes_, frames_, stride_, before_, marks_, rows_);
  if (a.loading()) stride_ = std::max<std::uint64_t>(stride_, 1);
}

}  // namespace planar
