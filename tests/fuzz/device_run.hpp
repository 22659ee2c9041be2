// SPDX-License-Identifier: GPL-2.0-or-later
// Common part of the fuzz targets of one device or bus: a bench that is built once, whose state can be saved, and that
// is driven by a sequence of operations. A bench derives from DeviceRun<itself> and has
//
//   void archive(Archive&);  everything that a run can change, except `scheduler` and `now`
//   void operate(Input&);    one operation
//
// and calls prepared() at the end of its constructor. The second half of a run is executed twice, the second time from
// a snapshot, and must end in the same state.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/scheduler.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace planar::fuzz {

template <class Bench>
class DeviceRun {
 public:
  static constexpr unsigned operation_limit = 4000;
  static constexpr Time access_limit = 100_ms;

  /// Runs the operations of `input` for at most `limit` of virtual time, with a snapshot after `middle` operations.
  void run(Input input, unsigned middle, Time limit) {
    restore(pristine_);
    until_ = limit;
    std::optional<Input> rest;
    std::vector<std::uint8_t> state;
    operations(input, 0, [&](unsigned done, const Input& left) {
      if (done != middle) return;
      rest = left;
      state = saved();
    });
    if (!rest) return;
    const auto whole = saved();
    restore(state);
    operations(*rest, middle, [](unsigned, const Input&) {});
    expect(whole == saved(), "a run that a snapshot changes");
  }

 protected:
  /// Makes the present state the initial state of every run.
  void prepared() { pristine_ = saved(); }

  std::vector<std::uint8_t> saved() {
    Archive a = Archive::saver();
    everything(a);
    return a.stream();
  }
  void restore(const std::vector<std::uint8_t>& stream) {
    Archive a = Archive::loader(stream);
    everything(a);
    a.expect_end();
  }
  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }
  /// An access by the processor has ended at `end`.
  void ended(Time end) {
    expect(end >= now && end - now < access_limit, "an access that does not end");
    now = end;
  }
  /// `look` examines the device as a debugger does.
  template <class Look>
  void changes_nothing(Look look) {
    const auto before = saved();
    look();
    expect(before == saved(), "a look that changes something");
  }

  Scheduler scheduler;
  Time now{};

 private:
  void everything(Archive& a) {
    scheduler.archive(a);
    static_cast<Bench&>(*this).archive(a);
    a(now);
  }
  template <class Between>
  void operations(Input input, unsigned done, Between between) {
    for (; input.left() && done < operation_limit && now < until_; ++done) {
      between(done, input);
      static_cast<Bench&>(*this).operate(input);
    }
    step(5_ms);
  }

  Time until_{};
  std::vector<std::uint8_t> pristine_;
};

}  // namespace planar::fuzz
