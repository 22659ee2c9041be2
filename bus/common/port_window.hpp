// SPDX-License-Identifier: GPL-2.0-or-later
// Presents part of its owner as a Slave, for a device whose ports lie in several places.
#pragma once

#include "core/memory/io_space.hpp"
#include "core/memory/slave.hpp"
#include "core/state/trace.hpp"

namespace planar::bus {

/// One range of 8-bit ports of `Owner`, which offers
///   std::uint8_t port_read(std::uint16_t port, Time now);
///   void port_write(std::uint16_t port, std::uint8_t value, Time now);
///   std::uint8_t port_peek(std::uint16_t port) const;
///   static constexpr std::string_view device_name;  (for traces)
/// Word accesses arrive as two 8-bit cycles, as the host bridge splits them for an 8-bit slave.
template <class Owner>
class PortWindow final : public Slave {
 public:
  PortWindow(Owner& owner, IoSpace& io, std::uint16_t first, std::uint16_t last, CycleSpec cycle,
             bool* selected = nullptr)
      : owner_(owner), first_(first), subject_{std::string(Owner::device_name)} {
    cycle.width = 8;
    claim_ = io.claim(first, last, *this, cycle, selected, &subject_);
  }
  PortWindow(const PortWindow&) = delete;

  std::uint32_t read(std::uint32_t offset, unsigned, Time now) override {
    return owner_.port_read(static_cast<std::uint16_t>(first_ + offset), now);
  }
  void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
    owner_.port_write(static_cast<std::uint16_t>(first_ + offset), static_cast<std::uint8_t>(value), now);
  }
  std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override {
    return owner_.port_peek(static_cast<std::uint16_t>(first_ + offset));
  }

 private:
  Owner& owner_;
  std::uint16_t first_;
  TraceSubject subject_;
  IoClaim claim_;
};

}  // namespace planar::bus
