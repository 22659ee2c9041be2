// SPDX-License-Identifier: GPL-2.0-or-later
// planar-lockstep: generated code on planar's interpreter and on Unicorn, compared after every instruction.
#include <execinfo.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

#include "tests/lockstep/harness/campaign.hpp"
#include "tests/lockstep/harness/row.hpp"

using namespace planar;
using namespace planar::lockstep;

namespace {

// Unicorn's code generator can abort (masks.hpp has one known case). The last message identifies the program, and the
// stack trace below it the culprit.
std::array<char, 200> last_words;

void die(int signal) {
  std::array<void*, 24> frames;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words.data(), std::strlen(last_words.data()));
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), static_cast<int>(frames.size())), STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs generated code on planar's interpreter and on Unicorn and compares them after every instruction."};
  Campaign campaign;
  campaign.least = 1000;
  std::string coverage_file;
  bool print_coverage = false;
  app.add_option("--seed", campaign.seed, "seed of everything that is drawn")->capture_default_str();
  app.add_option("--instructions", campaign.instructions, "how many, in all (20000000, 200M)")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, std::uint64_t>{{"K", 1000}, {"M", 1000000}}))
      ->capture_default_str();
  app.add_option("--mismatches", campaign.most_mismatches, "stop after this many")->capture_default_str();
  app.add_option("--model", campaign.only, "only this model, with its share")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Model>{
          {"386", Model::i386sx}, {"486", Model::i486sx}, {"pentium", Model::pentium}, {"p6", Model::p6}}))
      ->option_text("386|486|pentium|p6");
  app.add_flag("--coverage", print_coverage, "print the coverage table (Markdown)");
  app.add_option("--coverage-file", coverage_file, "write the coverage table to a file");
  app.add_option("--least", campaign.least, "generate cells with fewer executions again, list them as gaps")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  campaign.report = [](const Mismatch& m) {
    fmt::print("mismatch: {}\nreproducer: {}\n", m.describe(), shrink(m));
    std::fflush(stdout);
  };
  campaign.begins = [&campaign](std::uint64_t program, Model model, Mode mode) {
    const char* const name = model_names[static_cast<unsigned>(model)];
    const auto end =
        fmt::format_to_n(last_words.begin(), last_words.size() - 1,
                         "planar-lockstep: died in program {} ({}, {}) of --seed {} --instructions {}{}{}\n", program,
                         name, mode_names[static_cast<unsigned>(mode)], campaign.seed, campaign.instructions,
                         campaign.only ? " --model " : "", campaign.only ? name : "");
    *end.out = 0;
  };
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, die);
  const std::clock_t start = std::clock();
  const Outcome outcome = run(campaign);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto gaps = outcome.coverage.gaps(campaign.least);
  std::size_t unexplained = 0;
  for (const auto& gap : gaps) unexplained += gap.reason == nullptr;
  fmt::print(
      "seed {}: {} instructions in {} programs, {} exceptions, {} mismatches; {} cells below {} ({} unexplained); "
      "host {:.0f} s, {:.2f} us each\n",
      campaign.seed, outcome.instructions, outcome.programs, outcome.exceptions, outcome.mismatches.size(), gaps.size(),
      campaign.least, unexplained, seconds, seconds / static_cast<double>(outcome.instructions) * 1e6);
  const std::string report = outcome.coverage.report(campaign.least);
  if (print_coverage) std::fputs(report.c_str(), stdout);
  if (!coverage_file.empty()) std::ofstream(coverage_file) << report;
  return outcome.mismatches.empty() ? 0 : 1;
}
