// SPDX-License-Identifier: GPL-2.0-or-later
// Student's t distribution, two-sided: the half-width of a confidence interval in standard errors of the mean.
#pragma once

#include <array>
#include <cstddef>

namespace planar {

/// The highest degrees of freedom in the tables.
inline constexpr std::size_t most_t_degrees = 30;

/// For 95 % and `degrees` of freedom, at least 1. Above most_t_degrees accurate to within 0.002.
inline double student_t95(std::size_t degrees) {
  static constexpr std::array<double, most_t_degrees> table{
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
      2.120,  2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  return degrees <= table.size() ? table[degrees - 1] : 1.96 + 2.4 / static_cast<double>(degrees);
}

/// For 99 %, with 1 to most_t_degrees of freedom.
inline double student_t99(std::size_t degrees) {
  static constexpr std::array<double, most_t_degrees> table{
      63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947,
      2.921,  2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750};
  return table[degrees - 1];
}

}  // namespace planar
