// SPDX-License-Identifier: GPL-2.0-or-later
// `planar bench`: the emulator's speed on this host, and its clock counts compared with the manuals.
#include <CLI/CLI.hpp>
#include <memory>

#include "frontend/cli/verbs.hpp"
#include "frontend/options/options.hpp"
#include "frontend/processor_bench/bench_cpu.hpp"
#include "frontend/processor_bench/bench_timing.hpp"

namespace planar {

namespace {

void add_common(CLI::App& app, std::vector<std::string>& machines, std::optional<std::string>& json, bool& quiet) {
  app.add_option("--machine", machines, "Machines, separated by commas (default: all built-in ones)")
      ->type_name("MACHINE|FILE,...")
      ->delimiter(',');
  add_json_option(app, json, "Write the result as JSON");
  app.add_flag("--quiet", quiet, "No progress line");
}

Verb add_cpu(CLI::App& app) {
  auto o = std::make_shared<BenchCpuOptions>();
  app.description(
      "The emulator's speed on this host: instructions per second and multiple of real time for a fixed "
      "instruction mix (paging on, 31 % memory operands over 256 KB, 15 % jumps, calls, string operations; "
      "roms/bench/mix.asm) and for "
      "netio over an NE/2. Cycles and state hash are virtual: a faster emulator must reproduce them.");
  app.footer(
      "Examples:\n"
      "  planar bench cpu --json before.json              every machine, median of 5\n"
      "  planar bench cpu --compare before.json           again, with ratios; exit 1 on a changed hash or a row 10 % "
      "slower\n"
      "  planar bench cpu --machine model95 --workload mix --repeat 3");
  add_common(app, o->machines, o->json, o->quiet);
  app.add_option("--workload", o->workloads, "mix, netio or both")
      // clang-format off
      ->type_name("mix,netio")->delimiter(',')->check(CLI::IsMember({"mix", "netio"}))->capture_default_str();
  app.add_option("--repeat", o->repeat, "Runs of each; the median is reported")
      ->type_name("N")->check(CLI::Range(1, 99))->capture_default_str();
  app.add_option("--passes", o->passes, "Passes of the mix, about 2000 instructions each (default: 80000)")
      ->type_name("N")->check(CLI::Range(1, 100000000));
  app.add_option("--seconds", o->seconds, "netio's duration for each packet size and direction, virtual")
      ->type_name("N")->capture_default_str();
  // clang-format on
  app.add_flag("--verify-memo", o->verify_memo,
               "On a Pentium II or III, also recompute the blocks of code whose pipeline timing is known, and "
               "compare; a difference is an error");
  app.add_option("--compare", o->compare, "An earlier result (JSON) to compare with")->type_name("FILE");
  return [o] { return bench_cpu(*o); };
}

Verb add_timing(CLI::App& app) {
  auto o = std::make_shared<BenchTimingOptions>();
  app.description(
      "Clocks of small loops in the emulated machine (delay loops, cached and uncached copies, checksum, string output "
      "to a port, calls, interrupts, system call, page walks), measured by the guest with the 8254 and compared with "
      "the "
      "sum derived from the manuals and the machine's documented parameters. Independent of the host's speed.");
  app.footer(
      "Examples:\n"
      "  planar bench timing                              every machine: measured, expected, residual\n"
      "  planar bench timing --machine model56sx --explain   the terms of each expected figure\n"
      "  planar bench timing --json timing.json");
  add_common(app, o->machines, o->json, o->quiet);
  app.add_flag("--explain", o->explain, "Print the terms of each expected figure");
  return [o] { return bench_timing(*o); };
}

}  // namespace

Verb add_bench(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("bench", "Measure the emulator: speed on this host, instruction timing against the manuals");
  verb->require_subcommand(1);
  CLI::App* cpu = verb->add_subcommand("cpu", "Speed: MIPS and multiple of real time");
  const Verb run_cpu = add_cpu(*cpu);
  CLI::App* timing = verb->add_subcommand("timing", "Clocks of small loops against the manuals");
  const Verb run_timing = add_timing(*timing);
  return [=] { return cpu->parsed() ? run_cpu() : run_timing(); };
}

}  // namespace planar
