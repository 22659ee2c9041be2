// SPDX-License-Identifier: GPL-2.0-or-later
// `--lockstep`: runs Unicorn alongside the lab's processor (core/lockstep/shadow.hpp), if this build includes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "machines/lab/lab.hpp"

namespace planar {

namespace lockstep {
class Shadow;
}

class Lockstep {
 public:
  /// Observes the lab from its present state on; the lab must outlive this object. `planted`: corrupts Unicorn's result
  /// after that instruction (for tests). Throws Error naming the remedy if planar was built without Unicorn.
  Lockstep(Lab& lab, std::uint64_t planted);
  ~Lockstep();
  /// True if planar and Unicorn have differed and the run was stopped.
  bool differs() const;
  /// Throws Error (exit 4) with both states if planar and Unicorn have differed.
  void check() const;
  /// A one-line summary of what was compared.
  std::string summary() const;

 private:
  std::unique_ptr<lockstep::Shadow> shadow_;
};

}  // namespace planar
