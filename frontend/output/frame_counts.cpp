// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/frame_counts.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace planar {

nlohmann::ordered_json counted(const NetCounters& frames) {
  nlohmann::ordered_json out{{"sent", frames.sent}, {"received", frames.received}};
  for (const net::NamedCount& count : frames.of_medium) out[std::string(count.name)] = count.value;
  out["overruns"] = frames.overruns;
  return out;
}

std::string counted_text(const NetCounters& frames) {
  std::string out = "frames:";
  const auto counts = counted(frames);
  for (const auto& [name, value] : counts.items())
    out += fmt::format("{} {} {}", out.back() == ':' ? "" : ",", value.get<std::uint64_t>(), name);
  return out;
}

}  // namespace planar
