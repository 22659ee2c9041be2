// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/common/error.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/files/option_files.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/help/command_table.hpp"
#include "frontend/help/help_text.hpp"
#include "frontend/help/misuse.hpp"
#include "frontend/help/suggestion.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"
#include "frontend/window/start_page.hpp"

namespace planar {

namespace {
constexpr const char* description =
    "planar: a cycle-counted emulator of IBM PS/2 Micro Channel machines, PCs with PCI, and their network adapters.\n"
    "Times are virtual (inside the emulated machine) unless they are called host times.";
constexpr const char* footer =
    "Start here:\n"
    "  planar                                           on a desktop: choose machine, card, images and network in a "
    "window\n"
    "  planar netio                                     boot a Model 95 with an NE/2, run netio inside it, print the "
    "table\n"
    "  planar netio --machine model56sx --seconds 1     the same in a Model 56 SX, one second per packet size\n"
    "  planar compare --machines model95 --report out   every card in one machine: table, plots, JSON\n"
    "  planar published                                 comparison with the published tables\n"
    "  planar run model95 --image boot.img --screen text   boot a diskette image and show the screen\n"
    "  planar describe model95 --card ne2 --until '2 s' pic ne2   registers and state of devices at a virtual time\n"
    "  planar debug model95 --card ne2 --guest do=netio   debug a machine at a prompt; for gdb use --gdb of run or "
    "netio\n"
    "  planar list cards; planar show ne2               the available cards; a card's timing and limits\n"
    "  planar completion bash                           completion for your shell; zsh and fish, too\n"
    "  planar config model95 --card ne2 > lab.toml      the machine as a file; planar run lab.toml\n\n"
    "Exit codes: 0 done, 1 the scenario failed, 2 bad configuration or usage, 3 an image or file is missing, "
    "unreadable or cannot be written, 4 emulation fault, 5 virtual timeout, 6 interrupted (Ctrl-C, SIGTERM, SIGHUP).";

bool output_written() { return std::fflush(stdout) == 0 && !std::ferror(stdout); }

/// `problem`, if not null, receives the error message.
int run_verb(const Verb& verb, std::string* problem) {
  try {
    return verb();
  } catch (const Error& e) {
    say("planar: {}\n", e.what());
    if (problem) *problem = e.what();
    return static_cast<int>(e.code());
  } catch (const std::bad_alloc&) { throw; } catch (const std::filesystem::filesystem_error& e) {
    const std::string said = fmt::format("{}: {}; check the name and the permissions of its folders",
                                         e.path1().string(), e.code().message());
    say("planar: {}\n", said);
    if (problem) *problem = said;
    return static_cast<int>(ExitCode::missing_file);
  } catch (const std::exception& e) {
    if (!output_written()) return 0;  // that is what failed; finish() reports it
    say("planar: emulation fault: {}\n", e.what());
    return static_cast<int>(ExitCode::emulation_fault);
  }
}

/// The exit code of a run that would end with `code`: a run whose result did not reach standard output has failed.
int finish(int code) {
  if (output_written()) return code;
  say("planar: standard output could not be written completely; check the free space at its destination\n");
  return code ? code : static_cast<int>(ExitCode::missing_file);
}

/// Reports what is wrong with a command line, and what was probably meant.
void say_misuse(const CLI::App& app, const CLI::ParseError& e, const std::vector<std::string>& words) {
  const CommandRow program = command_table(app);
  const auto guess = suggestion(program, words, hidden_names(app));
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  say("planar: {}\n", guess.empty() ? explained(program, e, full_name(*command)) : guess);
}

/// Whether an argument such as "-hda" was parsed as several one-letter options, including -h.
bool one_of_several_letters(int argc, const char* const* argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](std::string_view word) { return word.starts_with("-h") && word != "-h"; });
}

int parse_and_run(int argc, const char* const* argv, std::string* problem);

/// Runs planar for the start page.
int run_words(const std::vector<std::string>& words, std::string& problem) {
  std::vector<const char*> list{"planar"};
  for (const auto& word : words) list.push_back(word.c_str());
  return parse_and_run(static_cast<int>(list.size()), list.data(), &problem);
}

int parse_and_run(int argc, const char* const* argv, std::string* problem) {
  std::signal(SIGXFSZ, SIG_IGN);  // reaching a file size limit is an error of that file and must not end the program
  CLI::App app{description, "planar"};
  app.footer(footer);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_all_flag("--help-all", "The same with every common option explained");
  app.set_version_flag("--version", fmt::format("planar {} ({})", PLANAR_VERSION, build_commit()));
  app.require_subcommand(1);
  bool only_parse = false;
  app.add_flag("--only-parse", only_parse, "Check the command line and do nothing")->group("");
  const auto verbs = add_verbs(app);
  if (argc < 2 && start_page_possible()) try {
      return run_start_page(run_words);
    } catch (const Error&) {}  // no display after all
  if (argc < 2) {
    say("{}", short_help(app));
    return static_cast<int>(ExitCode::bad_configuration);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0 && !one_of_several_letters(argc, argv)) {  // help or version was requested
      app.exit(e);
      return finish(0);
    }
    say_misuse(app, e, {argv + 1, argv + argc});
    return static_cast<int>(ExitCode::bad_configuration);
  }
  if (only_parse) return 0;
  for (const auto& [command, verb] : verbs)
    if (command->parsed())
      return finish(run_verb(
          [&app, &run = verb] {  // a copy of the name: Clang 14 captures no binding
            check_option_files(app);
            return run();
          },
          problem));
  return static_cast<int>(ExitCode::bad_configuration);
}

int without_memory() {
  std::fputs("planar: the host has no memory left for this; end other programs, or run a smaller machine\n", stderr);
  return static_cast<int>(ExitCode::emulation_fault);
}

/// Memory can also run out in a library function that promises not to throw (CLI11 2.4 compares names in such
/// functions); the C++ runtime then ends the program here.
[[noreturn]] void ended_by_library() {
  try {
    if (const auto reason = std::current_exception()) std::rethrow_exception(reason);
  } catch (const std::bad_alloc&) { std::_Exit(without_memory()); } catch (const std::exception& e) {
    std::fprintf(stderr, "planar: not caught: %s\n", e.what());
  }
  std::abort();
}
}  // namespace

std::vector<std::pair<CLI::App*, Verb>> add_verbs(CLI::App& app) {
  std::vector<Verb (*)(CLI::App&)> adders;
  for (const Benchmark* benchmark : benchmarks())
    if (benchmark->add_verb) adders.push_back(benchmark->add_verb);
  adders.insert(adders.end(), {add_run, add_describe, add_debug, add_list, add_show, add_config, add_adf, add_disk,
                               add_bench, add_compare, add_published, add_regress, add_diff, add_cache, add_timeline,
                               add_netio_server, add_completion, add_help, add_installed_files});
  std::vector<std::pair<CLI::App*, Verb>> verbs;
  for (const auto add : adders) {
    const auto before = app.get_subcommands({}).size();
    Verb verb = add(app);
    verbs.emplace_back(app.get_subcommands({}).at(before), std::move(verb));
  }
  return verbs;
}

int run_command_line(int argc, const char* const* argv) {
  std::set_terminate(ended_by_library);
  try {
    return parse_and_run(argc, argv, nullptr);
  } catch (const std::bad_alloc&) { return without_memory(); }
}

}  // namespace planar
