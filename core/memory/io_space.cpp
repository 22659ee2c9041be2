// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/memory/io_space.hpp"

#include <algorithm>
#include <utility>

namespace planar {

IoClaim& IoClaim::operator=(IoClaim&& other) noexcept {
  if (this != &other) {
    release();
    space_ = std::exchange(other.space_, nullptr);
    id_ = other.id_;
  }
  return *this;
}

void IoClaim::release() {
  if (space_) std::exchange(space_, nullptr)->release(id_);
}

// The order depends only on what is claimed, as in AddressSpace::add.
IoClaim IoSpace::claim(std::uint16_t first, std::uint16_t last, Slave& slave, CycleSpec cycle, bool* selected,
                       const TraceSubject* subject) {
  const auto id = next_id_++;
  const auto after = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) {
    return r.first > first || (r.first == first && r.last < last);
  });
  ranges_.insert(after, {&slave, first, last, cycle, selected, id, subject});
  rebuild();
  return IoClaim(this, id);
}

void IoSpace::release(std::uint32_t id) {
  std::erase_if(ranges_, [id](const Range& r) { return r.id == id; });
  rebuild();
}

void IoSpace::rebuild() {
  table_.fill(0);
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    for (std::uint32_t port = ranges_[i].first; port <= ranges_[i].last; ++port)
      table_[port] = static_cast<std::uint16_t>(i + 1);
}

std::uint8_t IoSpace::peek(std::uint16_t port, Time now) const {
  const Range* r = find(port);
  return r ? static_cast<std::uint8_t>(r->slave->peek(port - r->first, 1, now)) : 0xFF;
}

}  // namespace planar
