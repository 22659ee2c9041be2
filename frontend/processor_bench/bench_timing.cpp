// SPDX-License-Identifier: GPL-2.0-or-later
// `planar bench timing`: compares the clocks of small loops, measured by the guest with the 8254, with the manuals.
#include "frontend/processor_bench/bench_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/state/archive.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "frontend/processor_bench/bench_cpu.hpp"
#include "frontend/processor_bench/bench_expectation.hpp"
#include "frontend/processor_bench/bench_run.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {

constexpr double bogomips_bound = 5;  // percent; the published factors have two digits

struct Kernel {
  std::string name;
  std::uint64_t rounds = 0;
  std::uint64_t counts = 0;
  double clocks(double hz) const { return static_cast<double>(counts) / i8254_hz * hz / static_cast<double>(rounds); }
};

struct MachineTiming {
  MachineConfig config;
  std::string machine;
  std::vector<Kernel> kernels;
};

std::uint64_t field(const BenchLine& line, const std::string& key) {
  const auto at = line.text.find(" " + key + "=");
  std::uint64_t value = 0;
  if (at != std::string::npos) {
    const char* first = line.text.data() + at + key.size() + 2;
    std::from_chars(first, line.text.data() + line.text.size(), value, 16);
  }
  if (value == 0)
    throw Error(fmt::format("timing: '{}' has no '{}'; rebuild the image with make -C roms", line.text, key),
                ExitCode::scenario_failed);
  return value;
}

MachineTiming measure(const std::string& machine, Progress& progress) {
  MachineOptions options;
  options.machine = machine;
  BenchRun run(options.config(), roms::bench_timing(), "timing");
  run.run(120_s, progress, machine + " timing");
  MachineTiming result{run.lab().machine().config(), machine, {}};
  for (const auto& line : run.lines()) {
    if (!line.text.starts_with("@kernel ")) continue;
    const auto name = line.text.substr(8, line.text.find(' ', 8) - 8);
    result.kernels.push_back({name, field(line, "rounds"), field(line, "counts")});
  }
  return result;
}

const Kernel& find_kernel(const MachineTiming& m, const std::string& name) {
  const auto found = std::find_if(m.kernels.begin(), m.kernels.end(), [&](const Kernel& k) { return k.name == name; });
  if (found == m.kernels.end())
    throw Error(fmt::format("timing: the guest ran no kernel '{}'; rebuild the image with make -C roms", name),
                ExitCode::scenario_failed);
  return *found;
}

double percent(double measured, double expected) { return 100.0 * (measured - expected) / expected; }

double bogomips(const MachineTiming& m) {
  const double hz = m.config.clock.hz();
  return hz / find_kernel(m, "delay_1").clocks(hz) / 500'000;  // Linux defines 500000 loops per second as 1
}

nlohmann::ordered_json to_json(const std::vector<MachineTiming>& all) {
  nlohmann::ordered_json out;
  out["schema"] = "planar.bench-timing/1";
  out["image_sha256"] = sha256_hex(roms::bench_timing());
  auto& results = out["results"] = nlohmann::ordered_json::array();
  auto& bogus = out["bogomips"] = nlohmann::ordered_json::array();
  for (const auto& m : all) {
    const double hz = m.config.clock.hz();
    for (const auto& e : expectations(m.config)) {
      const double measured = find_kernel(m, e.kernel).clocks(hz), residual = percent(measured, e.clocks());
      nlohmann::ordered_json row = {{"machine", m.machine},
                                    {"kernel", e.kernel},
                                    {"clocks", rounded(measured, 3)},
                                    {"expected_clocks", rounded(e.clocks(), 3)},
                                    {"residual_percent", rounded(residual, 3)},
                                    {"bound_percent", e.bound_percent},
                                    {"within_bound", std::abs(residual) <= e.bound_percent},
                                    {"reason", e.reason},
                                    {"source", e.source},
                                    {"refresh_share", rounded(e.refresh_share, 6)}};
      row["terms"] = nlohmann::ordered_json::array();
      for (const auto& t : e.terms) {
        row["terms"].push_back({{"times", t.times}, {"clocks", rounded(t.clocks, 3)}, {"what", t.what}});
        if (!t.of.empty()) row["terms"].back()["of"] = t.of;
      }
      results.push_back(std::move(row));
    }
    const double expected = expected_bogomips(m.config), residual = percent(bogomips(m), expected);
    bogus.push_back({{"machine", m.machine},
                     {"bogomips", rounded(bogomips(m), 3)},
                     {"expected", rounded(expected, 3)},
                     {"residual_percent", rounded(residual, 3)},
                     {"bound_percent", bogomips_bound},
                     {"within_bound", std::abs(residual) <= bogomips_bound}});
  }
  return out;
}

std::string table(const MachineTiming& m, bool explain) {
  const double hz = m.config.clock.hz();
  std::string out = fmt::format("{}\n{:<18} {:>10} {:>10} {:>9} {:>8}  {:<7} {}\n", m.config.title, "kernel", "clocks",
                                "expected", "residual", "bound", "source", "why it may differ");
  for (const auto& e : expectations(m.config)) {
    const double measured = find_kernel(m, e.kernel).clocks(hz), residual = percent(measured, e.clocks());
    out += fmt::format("{:<18} {:>10.2f} {:>10.2f} {:>+7.1f} % {:>6.0f} %  {:<7} {}{}\n", e.kernel, measured,
                       e.clocks(), residual, e.bound_percent, e.source,
                       std::abs(residual) <= e.bound_percent ? "" : "OUT OF BOUNDS: ", e.reason);
    if (!explain) continue;
    for (const auto& t : e.terms)
      out += fmt::format("{:>15} x {:<8g} {}{}\n", t.times, t.clocks, t.of.empty() ? "" : t.of + ": ", t.what);
    if (e.refresh) out += fmt::format("{:>15} {:.2f} % of the time: refresh\n", "+", 100 * e.refresh_share);
  }
  const double expected = expected_bogomips(m.config);
  out += fmt::format("BogoMIPS {:.2f}, processor class {:.2f}: {:+.1f} %\n", bogomips(m), expected,
                     percent(bogomips(m), expected));
  return out;
}

}  // namespace

int bench_timing(const BenchTimingOptions& o) {
  const Interruption interruption;
  std::vector<MachineTiming> all;
  Progress progress(!o.quiet);
  for (const auto& machine : bench_machines(o.machines)) all.push_back(measure(machine, progress));
  progress.finish();
  if (o.json) {
    write_json(*o.json, to_json(all));
    if (*o.json == "-") return 0;
  }
  for (const auto& m : all) fmt::print("{}\n", table(m, o.explain));
  fmt::print(
      "Clocks per round (roms/bench/timing.asm), measured inside the machine with its 8254. Expected clocks:\n"
      "frontend/processor_bench/timing.toml; sources: M Intel's manuals, B published BogoMIPS of the class, I "
      "inferred. "
      "--explain "
      "prints the terms.\n");
  return 0;
}

}  // namespace planar
