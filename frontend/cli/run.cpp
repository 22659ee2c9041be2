// SPDX-License-Identifier: GPL-2.0-or-later
// `planar run`: runs a machine with the user's own diskette image until a given time or text, or to its end.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "frontend/audio/speaker.hpp"
#include "frontend/audio/wave_file.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/debug/description_text.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/options/guest_settings.hpp"
#include "frontend/options/option_group.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"
#include "frontend/session/restore.hpp"
#include "frontend/session/session.hpp"

namespace planar {

namespace {

constexpr const char* usual_timeout = "600 s";

struct RunOptions {
  MachineOptions machine;
  OutputOptions output;
  StateOptions state;
  std::optional<std::string> image;
  std::optional<std::string> bios;
  std::optional<std::string> kernel;
  std::optional<std::string> initrd;
  std::optional<std::string> append;
  GuestSettings guest;
  std::optional<std::string> audio;
  std::vector<std::string> until;
  std::optional<std::string> timeout;
  std::vector<std::string> steps;   // --do
  std::vector<std::string> typing;  // --type
  std::vector<bool> in_order;       // command line order: true for a step, false for typing
};

/// The condition of `--until`: a time, or the first of several texts.
struct Until {
  struct Text {
    std::string machine;  ///< name of the machine; empty: any
    bool serial = false;  ///< on COM1 instead of the screen
    std::string text;
  };
  std::optional<Time> time;
  std::vector<Text> texts;

  std::string quoted() const {
    std::vector<std::string> all;
    for (const auto& t : texts) all.push_back("'" + t.text + "'");
    return fmt::format("{}", fmt::join(all, " or "));
  }
};

Until parse_until(const std::vector<std::string>& conditions) {
  Until u;
  for (const auto& condition : conditions) {
    // NAME.screen:TEXT applies to one machine of a lab.
    const auto colon = condition.find(':');
    const auto dot = condition.substr(0, colon).rfind('.');
    const auto place = dot == std::string::npos ? 0 : dot + 1;
    const auto kind = condition.substr(place, colon - place);
    if (colon != std::string::npos && colon + 1 < condition.size() && (kind == "screen" || kind == "serial"))
      u.texts.push_back({condition.substr(0, place ? dot : 0), kind == "serial", condition.substr(colon + 1)});
    else if (const auto time = parse_time(condition); time && u.time)
      throw Error(
          fmt::format("--until {}: the run has an end already, {:.9g} s; give one time", condition, u.time->seconds()));
    else if (time)
      u.time = time;
    else
      throw Error(
          fmt::format("--until {}: write a virtual time (\"5 s\", at most {}), screen:TEXT or serial:TEXT "
                      "(NAME.screen:TEXT of one of several machines)",
                      condition, longest_time));
  }
  return u;
}

bool seen(Session& session, const Until& until) {
  for (const auto& t : until.texts)
    for (std::size_t n = 0; n < session.lab().machines(); ++n) {
      if (!t.machine.empty() && session.lab().name(n) != t.machine) continue;
      if (t.serial ? session.guest(n).says(t.text, session.now()) : on_screen(session.lab().machine(n), t.text))
        return true;
    }
  return false;
}

void check_machines(Lab& lab, const Until& until) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < lab.machines(); ++n) names.push_back(lab.name(n));
  for (const auto& t : until.texts)
    if (!t.machine.empty() && std::find(names.begin(), names.end(), t.machine) == names.end())
      throw Error(fmt::format("--until {}...: there is no machine with that name{}", t.machine,
                              lab.machines() > 1 ? fmt::format("; they are {}", fmt::join(names, ", "))
                                                 : std::string("; the only one has none, leave it out")));
}

/// The steps of the command line or, if it has none, of the machine file. A screen grab whose file name has no folder
/// goes into the result folder.
std::vector<Step> read_all_steps(const RunOptions& o, Config& config, Time limit) {
  std::vector<Step> all;
  const auto append = [&](std::vector<Step> steps) {
    for (Step& one : steps) {
      if (one.kind == StepKind::grab_screen && !one.text.empty() && one.text.find('/') == std::string::npos)
        one.text = (std::filesystem::path(o.output.result) / one.text).string();
      all.push_back(std::move(one));
    }
  };
  std::size_t step = 0, typing = 0;
  const auto command_line_step = [&](std::size_t n) {
    return read_steps(o.steps.at(n), fmt::format("--do {}", n + 1), limit);
  };
  for (const bool is_step : o.in_order)
    append(is_step ? command_line_step(step++) : typing_steps(o.typing.at(typing++), limit));
  if (!o.in_order.empty()) {
    std::vector<std::string> sources;
    for (const auto& s : all) sources.push_back(s.source);
    config.set_texts("scenario.steps", sources, "--do");
    return all;
  }
  const auto texts = config.texts("scenario.steps");
  for (std::size_t n = 0; n < texts.size(); ++n)
    append(read_steps(texts[n], fmt::format("{}: scenario.steps[{}]", config.origin("scenario.steps", n), n), limit));
  return all;
}

/// `waits`: --until names a text. Otherwise only steps wait.
std::unique_ptr<Session> open(const RunOptions& o, Time limit, bool waits) {
  if (o.state.restore) {
    Config none;
    auto steps = read_all_steps(o, none, limit);
    return std::make_unique<Session>(open_snapshot(*o.state.restore, o.machine), o.output, o.state, std::move(steps));
  }
  LabConfig lab = o.machine.lab();
  const std::pair<const char*, const std::optional<std::string>&> given[] = {
      {"image", o.image}, {"bios", o.bios}, {"kernel", o.kernel}, {"initrd", o.initrd}, {"append", o.append}};
  for (const auto& [name, value] : given)
    if (value) o.machine.give(lab, name, *value);
  o.guest.give(lab, o.machine.machine);
  auto steps = read_all_steps(o, lab.machine(0), limit);
  if (o.timeout && !waits && steps.empty())
    throw Error(
        fmt::format("--timeout {0}: the run does not wait for a text; add --until screen:TEXT, or end it at that time "
                    "with --until \"{0}\"",
                    *o.timeout));
  return std::make_unique<Session>(std::move(lab), std::vector<Media>{}, o.output, o.state, std::move(steps));
}

/// A run looks for halted processors at intervals: it ends some time after the last of them has halted.
Time ended_at(Session& session, RunEnd end) {
  if (end != RunEnd::halted) return session.now();
  Time at{};
  for (std::size_t n = 0; n < session.lab().machines(); ++n)
    at = std::max(at, session.lab().machine(n).cpu().halted_since());
  return at;
}

/// The final state of a machine.
nlohmann::ordered_json outcome(Session& session, std::size_t n) {
  Machine& machine = session.lab().machine(n);
  nlohmann::ordered_json j;
  j["instructions"] = machine.cpu().instructions();
  j["cycles"] = machine.cpu().clocks();
  j["checkpoint"] = fmt::format("{:04X}", machine.board().checkpoint());
  j["screen"] = session.screen(n);
  return j;
}

/// Throws if a step failed or was not completed; the evidence of a failure is saved first.
void check_steps(Session& session, RunEnd end) {
  const auto& scenario = session.scenario();
  if (const auto failure = scenario.failure()) {
    std::string kept;
    try {
      kept = "screen, trace and snapshot are in " + session.keep_evidence();
    } catch (const Error& e) { kept = fmt::format("screen, trace and snapshot are not kept: {}", e.what()); }
    throw Error(fmt::format("{}; {}", failure->message, kept), failure->code);
  }
  if (end == RunEnd::time && scenario.active())
    throw Error(fmt::format("--until was reached before step '{}' was done", scenario.current()),
                ExitCode::virtual_timeout);
}

/// True once the firmware of every machine has found nothing to boot, in a run without steps that could insert a
/// diskette.
bool waits_for_diskette(Session& session) {
  constexpr std::uint16_t nothing_to_start = 0x2F;  // planar's own firmware: roms/firmware/post/boot.c
  Lab& lab = session.lab();
  for (std::size_t n = 0; n < lab.machines(); ++n)
    if (!lab.machine(n).config().start.bios.empty() || (lab.machine(n).board().checkpoint() & 0xFF) != nothing_to_start)
      return false;
  return session.scenario().steps().empty();
}

/// --audio: records the first machine's speaker, in virtual time.
struct Recording {
  WaveFile file;
  Speaker speaker;

  Recording(Session& session, const std::string& name)
      : file(name, "--audio", Speaker::rate),
        speaker(session.lab().machine(), session.now(), [this](Speaker::Samples samples) { file.add(samples); }) {}
};

/// Some of the machine's output is shown or goes to a program.
bool shown(const RunOptions& o) {
  return o.output.window || o.output.json || o.audio || o.output.serial || !o.output.screen.empty() || o.state.gdb ||
         !o.until.empty() || !o.in_order.empty();
}

/// Throws Error for options that name one thing twice, or something that the snapshot already holds.
void check_start(const RunOptions& o) {
  if (o.image && o.machine.drives.floppy)
    throw Error("--image and --floppy both name the diskette in drive A; give one of them");
  if (!o.kernel && (o.initrd || o.append)) throw Error("--initrd and --append need a kernel; give it with --kernel");
  if (o.image && o.state.restore)
    throw Error(
        "--image and --restore: the snapshot holds the diskette in drive A; change it with --do 'insert "
        "diskette \"FILE\"'");
  if (o.kernel && o.state.restore)
    throw Error("--kernel and --restore: the snapshot already contains the memory; give one of them");
  if (!o.guest.settings.empty() && o.state.restore)
    throw Error(
        "--guest and --restore: the snapshot holds the diskette in drive A with its settings; give one of them");
  if (o.bios && (o.state.restore || !o.state.snapshot.empty()))
    throw Error("--bios: a snapshot does not contain your own firmware; run without --snapshot-at and --restore");
}

/// Throws Error if the run could not end as --until says.
void check_end(const RunOptions& o, const Until& until) {
  if (!until.texts.empty() && !o.in_order.empty())
    throw Error(
        "--until screen:TEXT and serial:TEXT: with --do or --type, write a step 'wait screen \"TEXT\"'; --until then "
        "accepts only a time");
  if (const auto saved = o.state.snapshot.empty() ? std::nullopt : parse_time(o.state.snapshot.at(0));
      until.time && saved && *saved > *until.time)
    throw Error(fmt::format("--snapshot-at {}: lies after the end of the run; give a later --until, or an earlier time",
                            o.state.snapshot.at(0)));
}

const char* reason_of(Session& session, RunEnd end) {
  const auto& scenario = session.scenario();
  switch (end) {
    case RunEnd::condition: return "text seen";
    case RunEnd::halted:
      return session.lab().machines() > 1 ? "processors halted for good" : "processor halted for good";
    case RunEnd::interrupted: return "interrupted";
    case RunEnd::closed: return "window closed";
    case RunEnd::time: return "time reached";
    case RunEnd::scenario:
    case RunEnd::paused: break;
  }
  return scenario.failure() ? "a step failed" : scenario.powered_off() ? "power off" : "all steps done";
}

nlohmann::ordered_json result_json(Session& session, const char* reason) {
  Lab& lab = session.lab();
  nlohmann::ordered_json j;
  j["schema"] = "planar.run/2";
  if (lab.machines() == 1) j["machine"] = lab.machine().config().label_of_results();
  j["planar"] = program_provenance();
  j["configuration"] = configuration_provenance(lab);
  j["net"] = lab.machine().config().net;
  j["repeatable"] = session.repeatable();  // false: the host's network or user input in the loop
  j["ended"] = reason;
  j["virtual_seconds"] = session.now().seconds();
  for (const auto& done : session.scenario().done())
    j["steps"].push_back({{"step", done.source}, {"virtual_seconds", done.at.seconds()}});
  if (lab.machines() == 1) {
    j.update(outcome(session, 0));
  } else {
    for (std::size_t n = 0; n < lab.machines(); ++n) {
      j["machines"].push_back({{"name", lab.name(n)}, {"machine", lab.machine(n).config().label_of_results()}});
      j["machines"].back().update(outcome(session, n));
    }
  }
  for (const net::Medium* medium : lab.media()) j["media"].push_back(to_json(medium->describe()));
  for (const auto& station : lab.stations()) j["stations"].push_back(to_json(station->describe()));
  j["state_hash"] = session.state_hash();
  j["host"] = {{"seconds", session.progress().host_seconds()}, {"command_line", host_command_line()}};
  return j;
}

void say_result(Session& session, RunEnd end, const char* reason) {
  Lab& lab = session.lab();
  say("planar: {}{} at {:.3f} s virtual, {:.2f} s host", reason,
      lab.repeatable() && !session.repeatable() ? " (user input, not repeatable)" : "",
      ended_at(session, end).seconds(), session.progress().host_seconds());
  for (std::size_t n = 0; n < lab.machines(); ++n) {
    const auto& cpu = lab.machine(n).cpu();
    say("; {}{} instructions, {} cycles; checkpoint {:04X}", lab.machines() > 1 ? lab.name(n) + ": " : "",
        cpu.instructions(), cpu.clocks(), lab.machine(n).board().checkpoint());
  }
  say("\n");
}

int run(const RunOptions& o) {
  check_start(o);
  const Until until = parse_until(o.until);
  const auto timeout = parse_time(o.timeout.value_or(usual_timeout));
  if (!timeout)
    throw Error(fmt::format("--timeout {}: is not a time; write for example --timeout \"60 s\"", *o.timeout));
  const bool waits = !until.texts.empty();
  check_end(o, until);
  auto session = open(o, *timeout, waits);
  check_machines(session->lab(), until);
  if (until.time) session->check_not_past(fmt::format("--until '{:.9g} s'", until.time->seconds()), *until.time);
  if (waits) session->check_not_past("--timeout " + o.timeout.value_or(usual_timeout), *timeout);
  if (!o.output.quiet) say("{}", session->lab().summary());
  if (!o.output.quiet && !shown(o))
    say("planar: the screen is not shown; --window opens a window, --screen text prints it at the end\n");
  std::optional<Recording> recording;
  if (o.audio) recording.emplace(*session, *o.audio);
  const Time limit = until.time ? *until.time : waits ? *timeout : Time::never();
  bool told = false;
  const auto end = session->run(
      limit,
      [&] {
        if (!told && !o.output.window && waits_for_diskette(*session)) {
          told = true;
          say("planar: no bootable drive; nothing further will happen. End the run with Ctrl-C, or start it with "
              "--image, --floppy, --disk or --kernel\n");
        }
        if (!told && !o.output.window && o.until.empty() && session->guests_done()) {
          told = true;
          say("planar: the guest is done; nothing further will happen. End the run with Ctrl-C\n");
        }
        return seen(*session, until);
      },
      [&] {
        const auto& scenario = session->scenario();
        return scenario.active() ? fmt::format("{} ({} of {})", scenario.current(), scenario.done().size() + 1,
                                               scenario.steps().size())
                                 : session->lab().machine().board().panel_text();
      });
  session->print_screen();
  if (recording) recording->speaker.advance(session->now());
  if (const char* reason = reason_of(*session, end); o.output.json)
    write_json(*o.output.json, result_json(*session, reason));
  else if (!o.output.quiet)
    say_result(*session, end, reason);
  session->check_files();
  if (recording) recording->file.finish();
  check_steps(*session, end);
  session->check_guests();
  if (end == RunEnd::time && waits)
    throw Error(fmt::format("{} did not appear within {:.1f} virtual seconds", until.quoted(), limit.seconds()),
                ExitCode::virtual_timeout);
  if (end == RunEnd::halted && waits)
    throw Error(fmt::format("the processor halted before {} appeared", until.quoted()), ExitCode::scenario_failed);
  session->check_snapshot_taken();
  if (end == RunEnd::interrupted) return static_cast<int>(interrupted_exit);
  return end == RunEnd::closed && waits ? static_cast<int>(ExitCode::scenario_failed) : 0;
}

}  // namespace

Verb add_run(CLI::App& app) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand(
      "run", "Run a machine with your own diskette image or Linux kernel, or a lab of several machines");
  o->machine.add_to(*verb, true);
  verb->add_option("--image", o->image,
                   "Bootable diskette image for drive A; like --floppy IMG,mode=memory, but included in snapshots")
      ->type_name("IMG[,format=raw]");
  o->machine.drives.add_to(*verb);
  verb->add_option("--bios", o->bios,
                   "Your own firmware image (32, 64 or 128 KB, mapped to end at FFFFFh) instead of the built-in one")
      ->type_name("F");
  verb->add_option("--kernel", o->kernel, "Linux kernel (bzImage or zImage) to boot without a diskette")
      ->type_name("F");
  verb->add_option("--initrd", o->initrd, "Ramdisk image for the kernel")->type_name("F");
  verb->add_option("--append", o->append, "Command line of the kernel")->type_name("S");
  o->guest.add_to(*verb);
  repeatable(
      verb->add_option(
              "--until", o->until,
              "End at a virtual time (\"5 s\"), or when screen:TEXT or serial:TEXT has appeared (on any of several "
              "machines; NAME.screen:TEXT on one); with several texts the first to appear. Otherwise the run ends with "
              "its last step, when the processor halts for good, or with Ctrl-C")
          ->type_name("TIME|screen:TEXT|serial:TEXT"));
  verb->add_option("--timeout", o->timeout,
                   "Give up waiting for a text, of --until or of a step, after this virtual time (exit 5)")
      ->type_name("TIME")
      ->default_str(usual_timeout);
  auto* steps = repeatable(
      verb->add_option(
              "--do", o->steps,
              "Execute a step, or the steps in a file, one per line: wait screen|prompt|serial \"TEXT\" [within TIME], "
              "wait still [TIME], wait TIME, wait until TIME, type \"TEXT\\n\", press KEYS [for TIME] (ctrl-alt-del, "
              "f1), "
              "key KEY down|up, mouse move X Y, mouse buttons left|right|middle|none, grab "
              "screen [\"FILE\"], describe [DEVICE], insert diskette [b] \"FILE\", eject diskette [b], insert cd "
              "\"FILE\", eject cd [by force], reset, "
              "snapshot \"FILE\", power off, pause. In lab.toml: "
              "[scenario] steps = [...]. In a lab of several machines they apply to the first")
          ->type_name("STEP|FILE"));
  repeatable(verb->add_option("--type", o->typing,
                              "Type TEXT (\\n is enter) once the screen no longer changes; may be repeated and mixed "
                              "with --do, in order")
                 ->type_name("TEXT"));
  verb->add_option("--result", o->output.result,
                   "Folder for screens grabbed by steps and for the evidence of a failed step")
      ->type_name("DIR")
      ->capture_default_str();
  o->output.add_to(*verb);
  verb->add_option("--audio", o->audio,
                   "Record the PC speaker of the first machine as a .wav file (48 kHz), in virtual time: it is the "
                   "same on every host, and recording changes no result")
      ->type_name("FILE.wav");
  verb->add_flag(
      "--window", o->output.window,
      "Show the screen in a window in real time, with the host's keyboard and mouse, a menu and an inspector "
      "(docs/window.md; Ctrl-Alt-H shows the keys); a run with user input is not repeatable");
  verb->add_option("--panes", o->output.panes,
                   "Open panes with the window: some of cpu, memory, slots, planar, adapter, bus, wire, log, each with "
                   "=left, left-below, right, right-below, bottom or float if it is to be there")
      ->type_name("PANE[=PLACE],...");
  verb->add_option("--record", o->output.record,
                   "Write what is done at the window (keys, mouse, pasted text, diskettes, CDs, resets) as steps with "
                   "their virtual times; --do FILE does the same again over the same machine, repeatably")
      ->type_name("FILE");
  verb->add_option("--scale", o->output.scale,
                   "Size of the window's text and panes: 1 is that of a display with 96 dpi, and the default is the "
                   "display's")
      ->type_name("N")
      ->check(CLI::Range(0.5, 4.0));
  o->state.add_to(*verb);
  return [o, verb, steps] {
    for (const CLI::Option* option : verb->parse_order())
      if (const auto name = option->get_name(); option == steps || name == "--type")
        o->in_order.push_back(option == steps);
    if (o->output.window) o->output.window_settings = usual_window_settings().string();
    return run(*o);
  };
}

}  // namespace planar
