// SPDX-License-Identifier: GPL-2.0-or-later
// `planar bench cpu`: measures the emulator's speed on this host and checks that its virtual results are unchanged.
#include "frontend/processor_bench/bench_cpu.hpp"
#include "frontend/kept/kept_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/state/archive.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/kept/schema.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "frontend/processor_bench/bench_result.hpp"
#include "frontend/processor_bench/bench_run.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/config/units.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {

constexpr std::size_t passes_offset = 0x204;  // roms/README.md section 5
constexpr const char* netio_sizes = "1024,2048,4096,8192,16384,32767";

struct Workload {
  std::string name;
  std::vector<std::uint8_t> image;
  bool network;            ///< needs a card
  std::string start, end;  ///< guest output lines that delimit the timed span
  Time limit;
};

Workload mix(const BenchCpuOptions& o) {
  auto image = roms::bench_mix();
  if (o.passes)
    for (unsigned n = 0; n < 4; ++n) image.at(passes_offset + n) = static_cast<std::uint8_t>(*o.passes >> 8 * n);
  return {"mix", std::move(image), false, "@mix start", "@mix end", 3600_s};
}

Workload netio(const BenchCpuOptions& o) {
  const auto duration = parse_time(o.seconds + " s");
  if (!duration || *duration < 10_ms || *duration > 60_s)
    throw Error(fmt::format("--seconds {}: expects 0.01 to 60", o.seconds));
  return {"netio",      with_settings(roms::guest(), {{"do", "netio"}, {"seconds", o.seconds}, {"sizes", netio_sizes}}),
          true,         "@netio start",
          "@netio end", 60_s + *duration * 12};
}

void run_once(BenchCpuRow& row, const Workload& w, const BenchCpuOptions& o, Progress& progress,
              const std::string& what) {
  MachineOptions machine;
  machine.machine = row.machine;
  BenchRun run(machine.config(w.network), w.image, w.name);
  if (o.verify_memo) run.lab().machine().cpu().verify_learning();
  run.run(w.limit, progress, what);
  const auto &start = run.line(w.start), &end = run.line(w.end);
  auto& cpu = run.lab().machine().cpu();
  const auto hash = run.lab().state_hash();
  if (row.host_seconds.empty()) {
    row.instructions = cpu.instructions();
    row.cycles = cpu.clocks();
    row.state_hash = hash;
    row.learnt = cpu.learnt();
    row.measured_instructions = end.instructions - start.instructions;
    row.virtual_seconds = (end.at - start.at).seconds();
  } else if (row.state_hash != hash || row.cycles != cpu.clocks() || row.instructions != cpu.instructions()) {
    throw Error(fmt::format("{} {}: two runs ended in different states; the emulator is not deterministic", row.machine,
                            row.workload),
                ExitCode::emulation_fault);
  }
  row.host_seconds.push_back(end.processor_seconds - start.processor_seconds);
  row.elapsed_seconds.push_back(end.elapsed_seconds - start.elapsed_seconds);
}

/// An earlier result. Throws Error, before anything runs, for a file that is not such a result and for a result that
/// has none of this run's rows.
nlohmann::ordered_json read_earlier(const std::string& file, const std::vector<std::string>& machines,
                                    const std::vector<std::string>& workloads) {
  constexpr const char *remedy = "name a result of `planar bench cpu --json`",
                       *none = "is no result of `planar bench cpu --json`";
  const auto json = read_json(file, 64 << 20, std::string("cannot be read; ") + remedy, none, remedy);
  if (const auto problem = Schemas().problem("bench-cpu", json); !problem.empty())
    throw Error(fmt::format("--compare {}: {}: {}", file, none, problem), ExitCode::missing_file);
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const auto& rows = json["results"];
  if (std::none_of(rows.begin(), rows.end(),
                   [&](const auto& row) { return has(machines, row["machine"]) && has(workloads, row["workload"]); }))
    throw Error(fmt::format("--compare {}: contains none of the machines and workloads that are to run", file));
  return json;
}

}  // namespace

std::vector<std::string> bench_machines(const std::vector<std::string>& asked) {
  if (!asked.empty()) return asked;
  std::vector<std::string> all;
  for (const auto& file : machine_files()) all.emplace_back(file.name);
  return all;
}

int bench_cpu(const BenchCpuOptions& o) {
  const Interruption interruption;
  nlohmann::ordered_json earlier;
  const auto machines = bench_machines(o.machines);
  const auto is_p6 = [](const std::string& machine) {
    Config config = load_machine(machine);
    return read_machine(config).timing.model == cpu::Model::p6;
  };
  if (o.verify_memo && std::none_of(machines.begin(), machines.end(), is_p6))
    throw Error("--verify-memo applies only to a Pentium II or III; no machine here has one");
  if (o.compare) earlier = read_earlier(*o.compare, machines, o.workloads);
  std::vector<Workload> workloads;
  for (const auto& name : o.workloads) workloads.push_back(name == "mix" ? mix(o) : netio(o));
  std::vector<BenchCpuRow> rows;
  Progress progress(!o.quiet);
  for (const auto& machine : machines)
    for (const auto& w : workloads) {
      BenchCpuRow row;
      row.machine = machine;
      row.workload = w.name;
      row.image_sha256 = sha256_hex(w.image);
      for (unsigned n = 1; n <= o.repeat; ++n)
        run_once(row, w, o, progress, fmt::format("{} {}, run {} of {}", machine, w.name, n, o.repeat));
      progress.finish();
      if (!o.quiet) say("planar: {} {}: {:.1f} MIPS\n", machine, w.name, row.mips());
      rows.push_back(std::move(row));
    }
  const auto json = bench_cpu_json(rows, o.repeat);
  const bool text = o.json != "-";
  if (text) fmt::print("{}", bench_cpu_table(rows, o.repeat));
  if (o.json) write_json(*o.json, json);
  if (!o.compare) return 0;
  const auto comparison = compare_bench_cpu(earlier, json, *o.compare);
  fmt::print(text ? stdout : stderr, "\nCompared with {}\n{}", *o.compare, comparison.text);
  return comparison.acceptable ? 0 : static_cast<int>(ExitCode::scenario_failed);
}

}  // namespace planar
