// SPDX-License-Identifier: GPL-2.0-or-later
// `--lockstep`: Unicorn in the shadow of the lab's processor (core/lockstep/shadow.hpp), as far as this build has it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "machines/lab.hpp"

namespace planar {

namespace lockstep {
class Shadow;
}

class Lockstep {
 public:
  /// Watches from the lab's present state on; the lab must outlive this object. `planted`: Unicorn is made wrong behind
  /// that instruction (a test). Throws Error naming the remedy if planar was built without Unicorn.
  Lockstep(Lab& lab, std::uint64_t planted);
  ~Lockstep();
  /// planar and Unicorn have differed; the run has been stopped.
  bool differs() const;
  /// Throws Error (exit 4) with both states once planar and Unicorn have differed.
  void check() const;
  /// What has been compared, in one line.
  std::string summary() const;

 private:
  std::unique_ptr<lockstep::Shadow> shadow_;
};

}  // namespace planar
