// SPDX-License-Identifier: GPL-2.0-or-later
// A card for the toy bus: four ports that count reads.
#pragma once

#include "bus/common/bus.hpp"
#include "bus/common/card.hpp"
#include "core/memory/io_space.hpp"
#include "core/memory/slave.hpp"

namespace planar::test {

class ToyCard final : public bus::Card, private Slave {
 public:
  static constexpr std::uint16_t base = 0x400;

  ToyCard(IoSpace& io, const bus::Bus& bus) {
    CycleSpec cycle;
    cycle.width = 32;
    claim_ = io.claim(base, base + 3, *this, bus::on_bus(cycle, bus.number()));
  }

  std::string_view name() const override { return "counter"; }
  void describe(Description& d) const override { d.number("count", count_); }
  void archive(Archive& a) override {
    a.section("toy card", 1);
    a(count_);
  }

 private:
  std::uint32_t read(std::uint32_t, unsigned, Time) override { return ++count_; }
  void write(std::uint32_t, unsigned, std::uint32_t value, Time) override { count_ = value; }
  std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return count_; }

  std::uint32_t count_ = 0;
  IoClaim claim_;
};

}  // namespace planar::test
