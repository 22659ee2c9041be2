// SPDX-License-Identifier: GPL-2.0-or-later
// Plays a machine's speaker on the host. It only listens: nothing in the machine depends on it.
#pragma once

#include <memory>
#include <string>

#include "core/time/time.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

class Sound {
 public:
  Sound();
  ~Sound();
  Sound(const Sound&) = delete;

  /// Listens to `machine` from `now` on, or to none (null). Returns why the host cannot play sound; empty if it can or
  /// need not.
  std::string listen(Machine* machine, Time now);
  bool listens() const;
  /// Plays the machine's sound up to `now`; it is dropped unless the run keeps real time (`real_time`).
  void play(Time now, bool real_time);

 private:
  struct Output;
  std::unique_ptr<Output> output_;
};

}  // namespace planar
