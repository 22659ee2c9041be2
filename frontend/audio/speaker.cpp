// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/audio/speaker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace planar {
namespace {

constexpr std::int32_t loudest = 12'000;  // a square wave at full scale would hurt
constexpr std::int32_t leak = 256;        // samples in which a constant level fades

}  // namespace

Speaker::Speaker(Machine& machine, Time begin, std::function<void(Samples)> sink)
    : machine_(machine), sink_(std::move(sink)), next_(samples_.index_at(begin)) {
  counter_.set_gate(false, 0);
  for (bus::Bus* bus : machine_.board().buses()) bus->add_observer(*this);
}

Speaker::~Speaker() {
  for (bus::Bus* bus : machine_.board().buses()) bus->remove_observer(*this);
}

std::int32_t Speaker::level(std::uint64_t sample) const {
  if (!data_) return 0;
  const auto from = i8254_clock.index_at(samples_.at(sample)), to = i8254_clock.index_at(samples_.at(sample + 1));
  std::int32_t high = 0;
  for (auto tick = from; tick < to; ++tick) high += counter_.out(static_cast<I8254Counter::Tick>(tick)) ? 1 : 0;
  return to > from ? loudest * high / static_cast<std::int32_t>(to - from) : 0;
}

void Speaker::advance(Time now) {
  const auto end = samples_.index_at(now);
  std::array<std::int16_t, 1024> block{};
  while (next_ < end) {
    const auto count = std::min<std::uint64_t>(end - next_, block.size());
    for (std::size_t n = 0; n < count; ++n) {
      const std::int32_t present = level(next_ + n);
      output_ += present - before_ - output_ / leak;
      before_ = present;
      block[n] = static_cast<std::int16_t>(std::clamp(output_, -32'767, 32'767));
    }
    next_ += count;
    sink_({block.data(), static_cast<std::size_t>(count)});
  }
}

void Speaker::accessed(const bus::BusCycle& access) {
  if (access.kind != bus::BusCycle::Kind::io || access.direction != Direction::write) return;
  for (unsigned n = 0; n < access.bytes; ++n)
    write(access.address + n, static_cast<std::uint8_t>(access.value >> 8 * n), access.end);
}

void Speaker::write(std::uint32_t port, std::uint8_t value, Time now) {
  const bool control = port == 0x43 && value >> 6 == 2;
  if (port != 0x42 && port != 0x61 && !control) return;
  advance(now);
  const auto tick = static_cast<I8254Counter::Tick>(i8254_clock.index_at(now));
  if (port == 0x61) {
    data_ = value & 2;
    counter_.set_gate(value & 1, tick);
  } else if (port == 0x42) {
    counter_.write(value, tick);
  } else if (value & 0x30) {  // a latch command otherwise
    counter_.control(value, tick);
  }
}

}  // namespace planar
