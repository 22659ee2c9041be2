// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/processor_bench/bench_result.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "frontend/output/output.hpp"

namespace planar {

namespace {

constexpr double accepted_loss = 0.10;  // host speed; docs/results.md#planarbench-cpu1

std::string processor_of_host() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

std::string key_of(const nlohmann::ordered_json& row) {
  return row.at("machine").get<std::string>() + " " + row.at("workload").get<std::string>();
}

void compare_row(const nlohmann::ordered_json& old, const nlohmann::ordered_json& row, BenchComparison& out) {
  const double before = old.at("mips").get<double>(), after = row.at("mips").get<double>();
  const double ratio = before > 0 ? after / before : 0.0;
  out.text += fmt::format("{:<18} {:>8.1f} -> {:>8.1f} MIPS  {:>6.2f}x", key_of(row), before, after, ratio);
  if (old.at("image_sha256") != row.at("image_sha256")) {
    out.text += "  different image or length: virtual results not compared\n";
    return;
  }
  std::string faults;
  if (ratio < 1 - accepted_loss) faults += "  SLOWER";
  if (old.at("instructions") != row.at("instructions"))
    faults += fmt::format("  INSTRUCTIONS {} -> {}", old.at("instructions").dump(), row.at("instructions").dump());
  if (old.at("cycles") != row.at("cycles"))
    faults += fmt::format("  CYCLES {} -> {}", old.at("cycles").dump(), row.at("cycles").dump());
  if (old.at("state_hash") != row.at("state_hash")) faults += "  STATE HASH CHANGED";
  if (!faults.empty()) out.acceptable = false;
  out.text += (faults.empty() ? "  same cycles, same state" : faults) + "\n";
}

}  // namespace

double BenchCpuRow::median_host_seconds() const { return median(host_seconds); }
double BenchCpuRow::median_elapsed_seconds() const { return median(elapsed_seconds); }

double BenchCpuRow::mips() const {
  const double host = median_host_seconds();
  return host > 0 ? static_cast<double>(measured_instructions) / host * 1e-6 : 0;
}

double BenchCpuRow::times_real_time() const {
  const double host = median_host_seconds();
  return host > 0 ? virtual_seconds / host : 0;
}

double BenchCpuRow::hit_percent() const {
  return learnt.blocks == 0 ? 0 : 100.0 * static_cast<double>(learnt.known) / static_cast<double>(learnt.blocks);
}

double BenchCpuRow::spread_percent() const {
  const double middle = median_host_seconds();
  if (middle <= 0) return 0;
  const auto [least, most] = std::minmax_element(host_seconds.begin(), host_seconds.end());
  return 100.0 * (*most - *least) / middle;
}

std::string bench_compiler() {
#ifdef __clang__
  return fmt::format("Clang {}", __clang_version__);
#else
  return fmt::format("GCC {}", __VERSION__);
#endif
}

nlohmann::ordered_json bench_host() {
  char name[256] = "unknown";
  gethostname(name, sizeof name - 1);
  return {{"name", name}, {"processor", processor_of_host()}, {"cores", std::thread::hardware_concurrency()}};
}

nlohmann::ordered_json bench_cpu_json(const std::vector<BenchCpuRow>& rows, unsigned repeat) {
  nlohmann::ordered_json out;
  out["schema"] = "planar.bench-cpu/1";
  out["planar"] = PLANAR_VERSION;
  out["host"] = bench_host();
  out["compiler"] = bench_compiler();
  out["median_of"] = repeat;
  out["results"] = nlohmann::ordered_json::array();
  for (const auto& r : rows) {
    out["results"].push_back({{"machine", r.machine},
                              {"workload", r.workload},
                              {"mips", rounded(r.mips(), 2)},
                              {"times_real_time", rounded(r.times_real_time(), 2)},
                              {"instructions", r.instructions},
                              {"cycles", r.cycles},
                              {"state_hash", r.state_hash},
                              {"image_sha256", r.image_sha256},
                              {"measured_instructions", r.measured_instructions},
                              {"virtual_seconds", rounded(r.virtual_seconds, 6)},
                              {"host_seconds", rounded(r.median_host_seconds(), 4)},
                              {"elapsed_seconds", rounded(r.median_elapsed_seconds(), 4)},
                              {"spread_percent", rounded(r.spread_percent(), 1)}});
    if (r.learnt.blocks != 0)
      out["results"].back()["known_blocks"] = {{"blocks", r.learnt.blocks},
                                               {"hit_percent", rounded(r.hit_percent(), 2)},
                                               {"pipelines", r.learnt.pipelines},
                                               {"bytes", r.learnt.bytes},
                                               {"cleared", r.learnt.cleared}};
  }
  return out;
}

std::string bench_cpu_table(const std::vector<BenchCpuRow>& rows, unsigned repeat) {
  std::string out = fmt::format("{:<10} {:<8} {:>8} {:>10} {:>8} {:>13} {:>14}  {}\n", "machine", "workload", "MIPS",
                                "real time", "spread", "instructions", "cycles", "state");
  for (const auto& r : rows)
    out += fmt::format("{:<10} {:<8} {:>8.1f} {:>9.{}f}x {:>6.1f} % {:>13} {:>14}  {:.16}...\n", r.machine, r.workload,
                       r.mips(), r.times_real_time(), r.times_real_time() < 1 ? 2 : 1, r.spread_percent(),
                       r.instructions, r.cycles, r.state_hash);
  for (const auto& r : rows)
    if (r.learnt.blocks != 0)
      out += fmt::format(
          "{} {}: the pipeline timing of {:.1f} % of {} blocks of code was known; {:.1f} MB of it kept{}\n", r.machine,
          r.workload, r.hit_percent(), r.learnt.blocks, static_cast<double>(r.learnt.bytes) / (1 << 20),
          r.learnt.cleared == 0 ? "" : fmt::format(", discarded {} times", r.learnt.cleared));
  out += fmt::format(
      "\nHost speed: median of {}, by processor time between the workload's start and end. Instructions, cycles and\n"
      "state cover the whole run from power-on; they are virtual and must not change when the emulator gets "
      "faster.\n{}, "
      "{}\n",
      repeat, processor_of_host(), bench_compiler());
  return out;
}

BenchComparison compare_bench_cpu(const nlohmann::ordered_json& earlier, const nlohmann::ordered_json& now,
                                  const std::string& file) {
  BenchComparison out;
  for (const auto& row : now.at("results")) {
    const auto& rows = earlier.at("results");
    const auto old = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return key_of(r) == key_of(row); });
    if (old == rows.end())
      out.text += fmt::format("{:<18} not in {}\n", key_of(row), file);
    else
      compare_row(*old, row, out);
  }
  return out;
}

}  // namespace planar
