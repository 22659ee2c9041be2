// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/lockstep.hpp"

#if PLANAR_HAVE_UNICORN

#include "core/lockstep/shadow.hpp"

namespace planar {

Lockstep::Lockstep(Lab& lab, std::uint64_t planted)
    : shadow_(std::make_unique<lockstep::Shadow>(lab.machine().cpu(), lab.machine().memory())) {
  shadow_->on_divergence([&lab] { lab.scheduler().stop(); });
  if (planted) shadow_->plant(planted);
}
Lockstep::~Lockstep() = default;

bool Lockstep::differs() const { return shadow_->divergence().has_value(); }
void Lockstep::check() const {
  if (shadow_->divergence()) throw Error(*shadow_->divergence(), ExitCode::emulation_fault);
}
std::string Lockstep::summary() const { return shadow_->summary(); }

}  // namespace planar

#else

namespace planar::lockstep {
class Shadow {};
}  // namespace planar::lockstep

namespace planar {

Lockstep::Lockstep(Lab&, std::uint64_t) {
  throw Error(
      "--lockstep needs Unicorn, but planar was built without it; install python3-pip (or Unicorn 2.1 or later) "
      "and build again with cmake -DPLANAR_UNICORN=ON");
}
Lockstep::~Lockstep() = default;
bool Lockstep::differs() const { return false; }
void Lockstep::check() const {}
std::string Lockstep::summary() const { return {}; }

}  // namespace planar

#endif
