// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/state/trace.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar {

TraceMask parse_trace_categories(std::string_view list) {
  TraceMask mask = 0;
  for (bool more = true; more;) {
    const auto comma = list.find(',');
    const auto word = list.substr(0, comma);
    const auto found = std::find(trace_categories.begin(), trace_categories.end(), word);
    if (word == "all") {
      mask = trace_bit(TraceCategory::count) - 1;
    } else if (found == trace_categories.end()) {
      throw Error(
          fmt::format("--trace: no category '{}'; choose from {} or all", word, fmt::join(trace_categories, ", ")));
    } else {
      mask |= TraceMask{1} << (found - trace_categories.begin());
    }
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
  }
  // Anyone looking at cycles wants to know why they wait.
  return mask & trace_bit(TraceCategory::bus) ? mask | trace_bit(TraceCategory::arbitration) : mask;
}

bool names_device(std::string_view name, std::string_view device) {
  if (name.empty()) return false;
  for (std::size_t at = device.find(name); at != std::string_view::npos; at = device.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || device[at - 1] == '.') && (end == device.size() || device[end] == '.')) return true;
  }
  return false;
}

bool TraceFilter::passes(Time now, std::string_view device) const {
  return now >= from && now < to &&
         (devices.empty() ||
          std::any_of(devices.begin(), devices.end(), [&](const auto& name) { return names_device(name, device); }));
}

bool TraceFilter::passes(TraceAddress address) const {
  return addresses.empty() || std::any_of(addresses.begin(), addresses.end(), [&](const Span& span) {
           return (address.port ? span.ports : span.memory) && address.value >= span.first &&
                  address.value <= span.last;
         });
}

void Trace::emit(TraceCategory c, Time now, std::string_view device, const std::string& text) {
  sink_(fmt::format("{:>16}.{:06} {:<11} {:<16} {}", now.ps / 1'000'000, now.ps % 1'000'000, name(c), device, text));
}

}  // namespace planar
