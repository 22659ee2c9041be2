// SPDX-License-Identifier: GPL-2.0-or-later
// A machine's speaker on the host's. It only listens: nothing of the machine depends on it.
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

  /// Listens to `machine` from `now` on; null: to nobody. Returns why the host makes no sound; empty: it does, or need
  /// not.
  std::string listen(Machine* machine, Time now);
  bool listens() const;
  /// Plays what the machine has said up to `now`. Unless the host keeps its time (`real_time`) it is dropped.
  void play(Time now, bool real_time);

 private:
  struct Output;
  std::unique_ptr<Output> output_;
};

}  // namespace planar
