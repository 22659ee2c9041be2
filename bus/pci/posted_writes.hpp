// SPDX-License-Identifier: GPL-2.0-or-later
// The host bridge's buffer of the processor's memory writes to PCI: they are accepted at once and performed in order
// later. A processor read from PCI or a port access waits until the buffer is empty (PCI 2.1, appendix E).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar::pci {

class PostedWrites {
 public:
  struct Write {
    std::uint32_t address = 0, value = 0;
    std::uint8_t bytes = 0;
    Time cycle{};  // its duration on the bus
    void archive(Archive& a) { a(address, value, bytes, cycle); }
  };

  bool empty() const { return writes_.empty(); }
  std::size_t size() const { return writes_.size(); }
  void push(const Write& write) { writes_.push_back(write); }
  const Write& front() const { return writes_.front(); }
  void pop() { writes_.pop_front(); }
  void clear() { writes_.clear(); }
  /// The longest cycle among them.
  Time longest() const {
    Time most{};
    for (const Write& w : writes_) most = std::max(most, w.cycle);
    return most;
  }
  void archive(Archive& a) { a(writes_); }
  /// Checks a loaded snapshot: each write lies within one doubleword.
  bool sound() const {
    return std::all_of(writes_.begin(), writes_.end(), [](const Write& w) {
      return w.bytes > 0 && (w.address & 3) + w.bytes <= 4 && w.cycle >= Time{};
    });
  }

 private:
  std::deque<Write> writes_;
};

}  // namespace planar::pci
