// SPDX-License-Identifier: GPL-2.0-or-later
// The non-contiguous ports of a planar device (40h, 42h-44h, 47h...) as one register file.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "bus/common/board_cycle.hpp"
#include "core/memory/io_space.hpp"
#include "core/state/trace.hpp"

namespace planar {

/// First and last port, inclusive.
struct PortRange {
  std::uint16_t first;
  std::uint16_t last;
};

/// Claims of one device, 8-bit board cycles (on a PS/2 300 ns: docs/hardware/micro-channel.md#planar-devices,
/// inferred); the slave sees offset = port - base in every range.
class PortGroup {
 public:
  /// `device`: the owner's name in traces.
  explicit PortGroup(std::string device) : subject_{std::move(device)} {}
  /// Claims every range for `slave`. `selected` is the -CD SFDBK latch of port 91h (serial,
  /// parallel, diskette).
  void claim(IoSpace& space, Slave& slave, std::uint16_t base, std::initializer_list<PortRange> ranges,
             bool* selected = nullptr) {
    for (const PortRange& range : ranges) {
      windows_.push_back(std::make_unique<Window>(slave, static_cast<std::uint32_t>(range.first - base)));
      claims_.push_back(space.claim(range.first, range.last, *windows_.back(), bus::board_cycle, selected, &subject_));
    }
  }
  void release() {
    claims_.clear();
    windows_.clear();
  }
  bool claimed() const { return !claims_.empty(); }

 private:
  class Window final : public Slave {
   public:
    Window(Slave& slave, std::uint32_t shift) : slave_(slave), shift_(shift) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override {
      return slave_.read(offset + shift_, bytes, now);
    }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override {
      slave_.write(offset + shift_, bytes, value, now);
    }
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override {
      return slave_.peek(offset + shift_, bytes, now);
    }
    Time ready(std::uint32_t offset, unsigned bytes, Direction direction, Time start) override {
      return slave_.ready(offset + shift_, bytes, direction, start);
    }

   private:
    Slave& slave_;
    std::uint32_t shift_;
  };
  TraceSubject subject_;
  std::vector<std::unique_ptr<Window>> windows_;
  std::vector<IoClaim> claims_;  // after windows_: released first
};

}  // namespace planar
