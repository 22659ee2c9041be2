// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/netperf_stalls.hpp"

#include <fmt/format.h>

#include "frontend/output/output.hpp"

namespace planar {

namespace {
/// Queues of 64 KB are empty sooner on every medium, and TCP's shortest wait for a lost acknowledgement of FIN is
/// longer.
constexpr double usual_end_s = 1;
}  // namespace

std::optional<nlohmann::ordered_json> NetperfStalls::json() const {
  nlohmann::ordered_json out;
  if (retransmitted) out["retransmitted"] = retransmitted;
  if (late_s >= usual_end_s) out["late_s"] = rounded(late_s, 3);
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string stalls_text(const nlohmann::ordered_json& result) {
  const auto found = result.find("stalls");
  if (found == result.end()) return {};
  const auto again = found->value("retransmitted", std::uint64_t{0});
  const auto lost = result["frames"].value("overruns", std::uint64_t{0});
  std::string out;
  if (again)
    out = fmt::format("the station retransmitted {} that the guest had not acknowledged, after up to 3 s each time. ",
                      again == 1 ? "a segment" : fmt::format("{} segments", again));
  else
    out = fmt::format("a test lasted {:.1f} s longer than it should: the end of its connection was retransmitted. ",
                      found->value("late_s", 0.0));
  if (again && lost >= again) return out + fmt::format("The adapter had no room for {} frames (overruns)", lost);
  return out +
         "An adapter or its driver can leave a frame until the next one comes (docs/hardware/netperf-stalls.md); see "
         "what other phases give: --runs 8";
}

}  // namespace planar
