// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/lab/run_control.hpp"

#include <utility>

#include "machines/lab/lab.hpp"

namespace planar {

bool RunControl::take_request() { return std::exchange(requested_, false); }

RunControl::Stop RunControl::run_until(Time limit) {
  if (take_request()) return Stop::request;
  const bool complete = lab_.scheduler().run_until(limit);
  return take_request() || !complete ? Stop::request : Stop::limit;
}

RunControl::Stop RunControl::step(std::size_t n, Time limit) {
  if (take_request()) return Stop::request;
  const bool stepped = lab_.scheduler().step(lab_.machine(n).cpu(), limit);
  if (take_request()) return Stop::request;
  return stepped ? Stop::step : Stop::limit;
}

void RunControl::settle() { lab_.scheduler().settle(); }

void RunControl::request_stop() {
  requested_ = true;
  lab_.scheduler().stop();
}

}  // namespace planar
