// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/p6/timing_p6.hpp"

#include "core/cpu/timing/p6/micro_ops.hpp"

namespace planar::cpu {

void TimingP6::set_static_clocks(Op& op) const {
  set_micro_ops(op, static_form(op, Model::p6));
  op.clocks = 1;
}

}  // namespace planar::cpu
