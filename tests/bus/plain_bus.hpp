// SPDX-License-Identifier: GPL-2.0-or-later
// The minimum that a bus must provide: a table of cycles and a name. It has no refresh and no masters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "bus/common/bus.hpp"

namespace planar::test {

class PlainBus final : public bus::Bus {
 public:
  PlainBus(Scheduler& scheduler, const bus::CycleTable& costs, std::string name = "plain")
      : Bus(scheduler, costs), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::string_view owner_name() const override { return "processor"; }
  void describe(Description& d) const override { d.time("taken until", processor_from_); }
  void archive(Archive& a) override {
    a.section(name_, 1);
    a(processor_from_);
  }
  void bus_timeout(Time) override { ++timeouts; }
  /// Another master owns the bus until `t`.
  void take_until(Time t) { processor_from_ = t; }
  unsigned timeouts = 0;

 private:
  Time acquire_contended(Time t) override {
    t = std::max(t, processor_from_);
    scheduler_.advance(t);
    return t;
  }
  void end_yield(Time) override {}

  std::string name_;
};

}  // namespace planar::test
