// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/state/trace.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar {

void Trace::enable(std::string_view list) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    const auto word = list.substr(0, comma);
    if (word == "all") {
      mask_ = (1u << static_cast<unsigned>(TraceCategory::count)) - 1;
    } else {
      const auto* found = std::find(std::begin(trace_category_names), std::end(trace_category_names), word);
      if (found == std::end(trace_category_names))
        throw Error(fmt::format("--trace: no category '{}'; choose from {} or all", word,
                                fmt::join(trace_category_names, ", ")));
      mask_ |= 1u << (found - std::begin(trace_category_names));
    }
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
}

void Trace::emit(TraceCategory c, Time now, const std::string& text) {
  sink_(fmt::format("{:>16}.{:06} {:<8} {}", now.ps / 1'000'000, now.ps % 1'000'000,
                    trace_category_names[static_cast<unsigned>(c)], text));
}

}  // namespace planar
