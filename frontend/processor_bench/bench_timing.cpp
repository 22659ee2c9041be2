// SPDX-License-Identifier: GPL-2.0-or-later
// `planar bench timing`: compares the clocks of small loops, as the guest measures them with the 8254, with the
// manuals, and the clocks of a PC's bus and memory and of a P6, measured with the time stamp counter, with data sheets
// and published measurements.
#include "frontend/processor_bench/bench_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

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

constexpr double bogomips_bound = 5;        // percent; the published factors have two significant digits
constexpr const char* bus_card = "3c905b";  // the card that the bus kernels drive

struct Kernel {
  std::string name;
  std::uint64_t rounds = 0;
  std::uint64_t counts = 0;  // elapsed, of the 8254
  std::uint64_t stamps = 0;  // elapsed processor clocks; 0: measured with the 8254
  double clocks(double hz) const {
    const double all = stamps ? static_cast<double>(stamps) : static_cast<double>(counts) / i8254_hz * hz;
    return all / static_cast<double>(rounds);
  }
};

struct MachineTiming {
  MachineConfig config;
  std::string machine;
  std::vector<Kernel> kernels;
  std::vector<Expectation> expected, bus_expected, p6_expected;
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

/// Runs `image`, passes each line that reports a kernel to `kernel`, and returns the machine in which it ran.
template <class Kernel>
MachineConfig run_kernels(const MachineOptions& options, const std::vector<std::uint8_t>& image, Progress& progress,
                          const std::string& what, Kernel&& kernel) {
  BenchRun run(options.config(), image, "timing");
  run.run(120_s, progress, what);
  for (const auto& line : run.lines())
    if (line.text.starts_with("@kernel ")) kernel(line, line.text.substr(8, line.text.find(' ', 8) - 8));
  return run.lab().machine().config();
}

MachineTiming measure(const std::string& machine, Progress& progress) {
  MachineOptions options;
  options.machine = machine;
  MachineTiming result;
  result.machine = machine;
  result.config = run_kernels(options, roms::bench_timing(), progress, machine + " timing",
                              [&](const BenchLine& line, const std::string& name) {
                                result.kernels.push_back({name, field(line, "rounds"), field(line, "counts"), 0});
                              });
  result.expected = expectations(result.config);
  result.bus_expected = bus_expectations(result.config);
  result.p6_expected = p6_expectations(result.config);
  const auto stamped = [&](const std::vector<std::uint8_t>& image, const std::string& what) {
    run_kernels(options, image, progress, machine + what, [&](const BenchLine& line, const std::string& name) {
      result.kernels.push_back({name, field(line, "rounds"), 0, field(line, "clocks")});
    });
  };
  if (!result.p6_expected.empty()) stamped(roms::bench_p6(), " published loops");
  if (result.bus_expected.empty()) return result;
  options.cards = {bus_card};
  stamped(roms::bench_bus(), " bus");
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

double measured_clocks(const MachineTiming& m, const Expectation& e) {
  const double hz = m.config.clock.hz(), all = find_kernel(m, e.kernel).clocks(hz);
  return e.less.empty() ? all : all - find_kernel(m, e.less).clocks(hz);
}

double residual(const MachineTiming& m, const Expectation& e) { return percent(measured_clocks(m, e), e.clocks()); }

/// Mean absolute residual of the rows.
double mean_error(const MachineTiming& m, const std::vector<Expectation>& rows) {
  double sum = 0;
  for (const auto& e : rows) sum += std::abs(residual(m, e));
  return sum / static_cast<double>(rows.size());
}

nlohmann::ordered_json row_json(const MachineTiming& m, const Expectation& e) {
  nlohmann::ordered_json row = {{"machine", m.machine},
                                {"kernel", e.kernel},
                                {"clocks", rounded(measured_clocks(m, e), 3)},
                                {"expected_clocks", rounded(e.clocks(), 3)},
                                {"residual_percent", rounded(residual(m, e), 3)},
                                {"bound_percent", e.bound_percent},
                                {"within_bound", std::abs(residual(m, e)) <= e.bound_percent},
                                {"reason", e.reason},
                                {"source", e.source},
                                {"refresh_share", rounded(e.refresh_share, 6)}};
  if (!e.set.empty()) row["set"] = e.set;
  if (!e.less.empty()) row["less"] = e.less;
  row["terms"] = nlohmann::ordered_json::array();
  for (const auto& t : e.terms) {
    row["terms"].push_back({{"times", t.times}, {"clocks", rounded(t.clocks, 3)}, {"what", t.what}});
    if (!t.of.empty()) row["terms"].back()["of"] = t.of;
  }
  return row;
}

nlohmann::ordered_json to_json(const std::vector<MachineTiming>& all) {
  nlohmann::ordered_json out;
  out["schema"] = "planar.bench-timing/1";
  out["image_sha256"] = sha256_hex(roms::bench_timing());
  out["bus_image_sha256"] = sha256_hex(roms::bench_bus());
  out["p6_image_sha256"] = sha256_hex(roms::bench_p6());
  auto results = nlohmann::ordered_json::array(), bogus = nlohmann::ordered_json::array();
  for (const auto& m : all) {
    for (const auto* rows : {&m.expected, &m.bus_expected, &m.p6_expected})
      for (const auto& e : *rows) results.push_back(row_json(m, e));
    const double expected = expected_bogomips(m.config), off = percent(bogomips(m), expected);
    bogus.push_back({{"machine", m.machine},
                     {"bogomips", rounded(bogomips(m), 3)},
                     {"expected", rounded(expected, 3)},
                     {"residual_percent", rounded(off, 3)},
                     {"bound_percent", bogomips_bound},
                     {"within_bound", std::abs(off) <= bogomips_bound}});
  }
  out["results"] = std::move(results);
  out["bogomips"] = std::move(bogus);
  return out;
}

/// The bounds are those of a built-in machine.
bool out_of_bounds(const MachineTiming& m, const Expectation& e) {
  return m.config.changes.empty() && std::abs(residual(m, e)) > e.bound_percent;
}

std::string rows_text(const MachineTiming& m, const std::vector<Expectation>& rows, bool explain) {
  std::string out = fmt::format("{:<19} {:>10} {:>10} {:>9} {:>8}  {:<7} {}\n", "kernel", "clocks", "expected",
                                "residual", "bound", "source", "why it may differ");
  for (const auto& e : rows) {
    const double measured = measured_clocks(m, e), off = residual(m, e);
    out +=
        fmt::format("{:<19} {:>10.2f} {:>10.2f} {:>+7.1f} % {:>6.0f} %  {:<7} {}{}\n", e.kernel, measured, e.clocks(),
                    off, e.bound_percent, e.source, out_of_bounds(m, e) ? "OUT OF BOUNDS: " : "", e.reason);
    if (!explain) continue;
    for (const auto& t : e.terms)
      out += fmt::format("{:>15} x {:<8g} {}{}\n", t.times, t.clocks, t.of.empty() ? "" : t.of + ": ", t.what);
    if (e.refresh) out += fmt::format("{:>15} {:.2f} % of the time: refresh\n", "+", 100 * e.refresh_share);
  }
  return out;
}

std::string mean_text(const MachineTiming& m, const std::vector<Expectation>& rows, const char* of) {
  return fmt::format("mean error of {} {} rows {:.1f} %\n", of, rows.size(), mean_error(m, rows));
}

/// A P6's rows: those consulted while the model was developed, then the others, and the mean error of each set.
std::string p6_text(const MachineTiming& m, bool explain) {
  std::string out;
  for (const char* set : {"development", "check"}) {
    std::vector<Expectation> rows;
    std::copy_if(m.p6_expected.begin(), m.p6_expected.end(), std::back_inserter(rows),
                 [&](const Expectation& e) { return e.set == set; });
    out += fmt::format("\nPublished loops: {}\n", set) + rows_text(m, rows, explain) + mean_text(m, rows, "the");
  }
  return out + mean_text(m, m.p6_expected, "all");
}

std::string table(const MachineTiming& m, bool explain) {
  std::string out = m.config.title + "\n";
  if (!m.config.changes.empty())
    out += wrapped(fmt::format(
                       "Of this changed machine no row is called out of bounds: the bounds, and the terms that name no "
                       "parameter of the machine's file (--explain), are those of the built-in {}.",
                       m.config.name),
                   0) +
           "\n";
  if (!m.expected.empty()) out += rows_text(m, m.expected, explain);
  const double expected = expected_bogomips(m.config);
  out += fmt::format("BogoMIPS {:.2f}, processor class {:.2f}: {:+.1f} %\n", bogomips(m), expected,
                     percent(bogomips(m), expected));
  if (!m.p6_expected.empty()) out += p6_text(m, explain);
  if (m.bus_expected.empty()) return out;
  return out + "\nBus and memory\n" + rows_text(m, m.bus_expected, explain) + mean_text(m, m.bus_expected, "the");
}

}  // namespace

int bench_timing(const BenchTimingOptions& o) {
  const Interruption interruption;
  std::vector<MachineTiming> all;
  Progress progress(!o.quiet);
  for (const auto& machine : bench_machines(o.machines)) all.push_back(measure(machine, progress));
  progress.finish();
  if (o.json != "-") {
    for (const auto& m : all) fmt::print("{}\n", table(m, o.explain));
    fmt::print(
        "Clocks per round (roms/bench/timing.asm, bus.asm, p6.asm), measured inside the machine. Expected clocks:\n"
        "frontend/processor_bench/timing.toml, bus.toml, p6.toml; sources: M Intel's manuals, B published BogoMIPS of "
        "the "
        "class, P PCI\n"
        "specification, C chip sets' data sheets, L lmbench's results of 1995 (P6: of 2002), A Agner Fog, G GMP, T "
        "Torvalds, K other\n"
        "lists, U unconfirmed, R recalled, S secondary, I inferred. --explain prints the terms.\n");
  }
  if (o.json) write_json(*o.json, to_json(all));
  return 0;
}

}  // namespace planar
