// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/host/host_files.hpp"
#include "frontend/files/lab_files.hpp"
#include "frontend/files/option_files.hpp"
#include "frontend/gdb/gdb_client.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/options/option_time.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/screen_image.hpp"

namespace planar {

namespace {

// A failure stays recorded in the stream, for Session::check_files().
void put_line(std::FILE* file, std::string_view prefix, std::string_view text) {
  std::fwrite(prefix.data(), 1, prefix.size(), file);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fputc('\n', file);
}

/// Only the P6 caches the timing of code blocks.
void check_has_memo(Lab& lab, std::string_view option) {
  for (std::size_t n = 0; n < lab.machines(); ++n)
    if (lab.machine(n).cpu().config().model == cpu::Model::p6) return;
  throw Error(fmt::format("{} applies only to a Pentium II or III; no machine here has one", option));
}

std::string unwritten(const std::string& file) {
  return fmt::format("{}: could not be written completely; check the free space", file);
}

std::vector<std::uint8_t> read_file(const std::string& file, unsigned most_megabytes, const char* remedy,
                                    const char* too_large) {
  const auto content =
      read_host_file(file, std::uint64_t{most_megabytes} << 20, fmt::format("cannot be read; {}", remedy), too_large);
  return {content.begin(), content.end()};
}

/// All files that the run opens. Throws Error if it would write to a file that it also uses otherwise.
FileList files_of_run(LabConfig& config, const OutputOptions& output, const std::vector<Step>& steps) {
  FileList files;
  if (output.verb) files = option_files(*output.verb);
  add_lab_files(files, config, output);
  add_step_files(files, steps);
  files.check();
  return files;
}

}  // namespace

NamedFile read_image(const std::string& image) {
  const auto disk = parse_image_option("image", image);
  return {disk.file, FloppyImage::open(disk).contents()};
}

NamedFile read_boot_file(const std::string& file) {
  return {file, read_file(file, 256, "name a kernel or ramdisk image", "is too large for the memory of any machine")};
}

NamedFile read_firmware(const std::string& file) {
  return {file, read_file(file, 1, "name a firmware image",
                          "is no firmware image; it must have 131072 (or 65536 or 32768) bytes")};
}

Media read_media(const MachineConfig& machine) {
  const StartConfig& start = machine.start;
  Media media;
  if (!start.guest.empty()) {
    if (machine.floppies[0])
      throw Error(
          fmt::format("{}: drive A is needed for planar's own guest, because guest settings are given; leave one "
                      "of the two out",
                      machine.floppies[0]->file));
    auto settings = start.guest;
    const auto card = std::find_if(machine.cards.begin(), machine.cards.end(),
                                   [](const CardConfig& c) { return c.enabled && !c.driver.empty(); });
    if (card != machine.cards.end()) settings.emplace_back("driver", card->driver);
    media.diskette = built_in_guest(settings);
  }
  if (!start.image.empty()) media.diskette = read_image(start.image);
  if (!start.bios.empty()) media.firmware = read_firmware(start.bios);
  if (!start.kernel.empty()) media.kernel = read_boot_file(start.kernel);
  if (!start.initrd.empty()) media.ramdisk = read_boot_file(start.initrd);
  media.command_line = start.append;
  return media;
}

Session::Session(LabConfig config, std::vector<Media> media, const OutputOptions& output, const StateOptions& state,
                 std::vector<Step> steps)
    : files_(files_of_run(config, output, steps)),
      lab_(std::make_unique<Lab>(std::move(config))),
      progress_(!output.quiet) {
  if (!state.insert.empty())
    throw Error(
        fmt::format("--insert {}: applies only to the steps of a snapshot (--restore); otherwise use a step: --do "
                    "'insert diskette \"{}\"'",
                    state.insert.front(), state.insert.front()));
  for (std::size_t n = 0; n < lab_->machines(); ++n) {
    Machine& machine = lab_->machine(n);
    Media m = n < media.size() ? std::move(media[n]) : read_media(machine.config());
    if (m.diskette) lab_->insert_diskette(std::move(m.diskette->bytes), m.diskette->name, n);
    consoles_.push_back(std::make_unique<Console>(*lab_, n));
    if (m.firmware) machine.load_firmware(m.firmware->bytes, m.firmware->name);
    if (m.kernel) lab_->load_kernel(prepare_linux_boot(*m.kernel, m.ramdisk, m.command_line, machine.memory_end()), n);
  }
  open(output, state, std::move(steps));
}

Session::Session(RestoredLab restored, const OutputOptions& output, const StateOptions& state, std::vector<Step> steps)
    : progress_(!output.quiet) {
  files_ = files_of_run(restored.config, output, steps);
  lab_ = std::make_unique<Lab>(std::move(restored.config));
  const Snapshot& snapshot = restored.snapshot;
  for (std::size_t n = 0; n < std::min(lab_->machines(), snapshot.diskettes.size()); ++n)
    if (const auto& diskette = snapshot.diskettes[n]; !diskette.image.empty())
      lab_->insert_diskette(diskette.image, diskette.name, n);
  try {
    Archive lab_state = Archive::loader(snapshot.state);
    lab_->archive(lab_state);
    lab_state.expect_end();
    for (std::size_t n = 0; n < lab_->machines(); ++n) consoles_.push_back(std::make_unique<Console>(*lab_, n));
    Archive own = Archive::loader(snapshot.frontend);
    archive(own);
    own.expect_end();
  } catch (const Error& e) { throw Error(fmt::format("{}: {}", snapshot.file, e.what()), ExitCode::missing_file); }
  steps_restored_ = true;
  steps_left_ = scenario_.active();
  insertable_ = state.insert;
  result_ = output.result;
  if (steps.empty()) add_restored_files();
  open(output, state, std::move(steps));
  check_used(state.insert);
}

Session::~Session() {
  for (auto& console : consoles_)
    if (!console->prefix.empty() && !console->guest.partial().empty())
      put_line(console->serial.get(), console->prefix, console->guest.partial());
}

bool Session::asked_to_end() const {
  return Interruption::final() || (Interruption::asked() && !(debugger_ && debugger_->takes_interruptions()));
}

void Session::archive(Archive& a) {
  for (auto& console : consoles_) {
    console->guest.archive(a);
    console->frames.archive(a);
    console->delivery.archive(a);
    console->tests.archive(a);
    console->acknowledgements.archive(a);
  }
  scenario_.archive(a);
}

void Session::open_serial(Console& console, const std::string& where, const std::string& option) {
  console.serial_name = where == "stdio" ? "standard output" : where.substr(std::min<std::size_t>(5, where.size()));
  if (where == "stdio") {
    console.serial = {stdout, std::fflush};
  } else if (where.starts_with("file:") && where.size() > 5) {
    console.serial = open_output(where.substr(5), option);
  } else {
    throw Error(fmt::format("{} {}: write stdio or file:NAME", option, where));
  }
}

void Session::open(const OutputOptions& output, const StateOptions& state, std::vector<Step> steps) {
  control_.emplace(*lab_);
  looked_ = now();
  for (const auto& [option, time] : {std::pair{"--trace-from", output.trace.from},
                                     {"--trace-to", output.trace.to},
                                     {"--timeline-from", output.timeline_from}})
    if (time) check_not_past(fmt::format("{} {}", option, *time), parse_time(*time).value_or(now()));
  const bool several = consoles_.size() > 1;
  for (std::size_t n = 0; n < consoles_.size(); ++n) {
    Console& console = *consoles_[n];
    const MachineConfig& config = lab_->machine(n).config();
    const std::string& own = config.start.serial;
    if (output.serial && n > 0)
      console.serial = consoles_[0]->serial;
    else if (output.serial)
      open_serial(console, *output.serial, "--serial");
    else if (!own.empty())
      open_serial(console, own, config.name_prefix() + "serial");
    if (several && (output.serial || own == "stdio")) console.prefix = lab_->name(n) + ": ";
    lab_->machine(n).serial().on_output([this, n](std::uint8_t value, Time now) { serial_byte(n, value, now); });
  }
  quiet_ = output.quiet;
  for (const auto& form : output.screen) {
    if (form == "text")
      show_screen_ = true;
    else if (form.starts_with("png:") && form.size() > 4)
      screen_files_.push_back(form.substr(4));
    else
      throw Error(fmt::format("--screen {}: write text or png:FILE", form));
  }
  check_standard_output(output, steps);
  result_ = output.result;
  scenario_host_.emplace(ScenarioHost{*lab_,
                                      [this](const std::string& file) {
                                        if (!replaying_) save(step_file(file));
                                      },
                                      [this](const std::string& file, unsigned count) {
                                        if (!replaying_) grab_screen(file, count);
                                      },
                                      [this](unsigned drive, const std::string& file) { insert_diskette(drive, file); },
                                      [this](unsigned drive) {
                                        lab_->eject_diskette(drive);
                                        if (debugger_) debugger_->forget();
                                      },
                                      [this](const std::string& file) { insert_cd(file); },
                                      [this](bool by_force) { eject_cd(by_force); }, [this] { reset_machine(0); },
                                      [this](const std::string& device) {
                                        if (!replaying_) print_devices(device);
                                      },
                                      [this] { hold(true); }});
  if (output.capture) begin_capture(*output.capture);
  const auto span = TimelineSpan::parse(output.timeline_from, output.timeline_for, output.timeline_frame);
  if (output.timeline)
    timeline_ = std::make_unique<Timeline>(*lab_, *output.timeline, span);
  else if (output.timeline_from || output.timeline_for || output.timeline_frame)
    throw Error("--timeline-from, --timeline-for and --timeline-frame need --timeline with the file to write");
  tracer_.emplace(*lab_, output.trace);
  tracer_->on_line([this](std::string_view line) {
    if (evidence_) evidence_->trace_line(line);
    if (window_) window_->log(std::string(line));
  });
  if (!state.snapshot.empty()) {
    snapshot_at_ = option_time("--snapshot-at", state.snapshot.at(0), "\"12.5 s\" lab.snap");
    check_not_past("--snapshot-at " + state.snapshot.at(0), *snapshot_at_);
    snapshot_file_ = state.snapshot.at(1);
    lab_->check_snapshot();  // fail now rather than after running up to that time
  }
  watch_scenario();  // if a snapshot brought steps
  if (several && (state.lockstep || state.lockstep_plant))
    throw Error("--lockstep checks one processor, and this lab has several; run its machines one by one");
  if (state.lockstep || state.lockstep_plant) lockstep_ = std::make_unique<Lockstep>(*lab_, state.lockstep_plant);
  for (std::size_t n = 0; n < lab_->machines(); ++n) {
    if (state.block_length) lab_->machine(n).cpu().limit_block_length(*state.block_length);
    if (state.flush_blocks) lab_->machine(n).cpu().flush_blocks_at_random(*state.flush_blocks + n);
    if (state.memo_room) lab_->machine(n).cpu().limit_learning(*state.memo_room);
    if (state.verify_memo) lab_->machine(n).cpu().verify_learning();
  }
  if (state.memo_room) check_has_memo(*lab_, "--check-memo-room");
  if (state.verify_memo) check_has_memo(*lab_, "--verify-memo");
  if (state.cut_horizons) lab_->scheduler().cut_horizons_at_random(*state.cut_horizons);
  if (!output.window && !output.panes.empty()) throw Error("--panes opens panes of a window; give --window, too");
  if (!output.window && output.record) throw Error("--record writes down what is done at a window; give --window, too");
  if (!output.window && output.scale) throw Error("--scale is that of a window; give --window, too");
  if (output.window) {
    if (!tracer_->chosen())
      for (std::size_t n = 0; n < lab_->machines(); ++n) lab_->trace(n).enable(Evidence::categories);
    WindowActions& actions = *this;
    window_ = std::make_unique<Window>(*lab_, actions,
                                       WindowOptions{output.panes, output.scale.value_or(0), output.window_settings});
  }
  if (output.record) begin_recording(*output.record, "--record");
  if (state.gdb) debug(std::make_unique<gdb::GdbClient>(gdb::parse_endpoint(*state.gdb)));
  if (!steps.empty()) begin(std::move(steps));
}

void Session::serial_byte(std::size_t n, std::uint8_t value, Time now) {
  Console& console = *consoles_[n];
  if (n == 0) scenario_.serial(value);
  const auto& cpu = lab_->machine(n).cpu();
  if (console.guest.byte(value, now, {cpu.clocks(), cpu.halted_clocks()}))
    if (guest_line_) guest_line_(n, console.guest.lines().back());
  if (!console.gate.pass() || !console.serial) return;
  if (console.prefix.empty()) {
    std::fputc(value, console.serial.get());
    if (value == '\n') std::fflush(console.serial.get());
  } else if (value == '\n') {  // whole lines, since lines of other machines may come in between
    put_line(console.serial.get(), console.prefix, console.guest.lines().back().text);
    std::fflush(console.serial.get());
  }
}

void Session::save(const std::string& file) {
  lab_->check_snapshot();
  Snapshot snapshot;
  snapshot.configuration = lab_->configuration();
  for (std::size_t n = 0; n < lab_->machines(); ++n)
    snapshot.diskettes.push_back({lab_->diskette_name(n), lab_->diskette_image(n)});
  Archive own = Archive::saver();
  archive(own);
  snapshot.frontend = own.stream();
  Archive state = Archive::saver();
  lab_->archive(state);
  snapshot.state = state.stream();
  write_snapshot(file, snapshot);
}

void Session::check_not_past(const std::string& option, Time wanted) {
  if (wanted < now())
    throw Error(fmt::format("--restore and {}: the snapshot was taken at {:.9g} s; give a later time", option,
                            now().seconds()));
}

Time Session::next_look() const {
  constexpr Time step = 100_ms;
  return std::min(step * (looked_ / step + 1), scenario_.next_look());
}

void Session::save_due(Time reached) {
  if (!snapshot_at_ || *snapshot_at_ > reached) return;
  save(snapshot_file_);
  snapshot_at_.reset();
}

std::optional<RunEnd> Session::advance(Time end) {
  if (snapshot_at_ && *snapshot_at_ <= end) {
    if (const auto stopped = advance_lab(*snapshot_at_)) return stopped;
    if (moved_) return std::nullopt;
    if (lockstep_ && lockstep_->differs()) return std::nullopt;
    save_due(*snapshot_at_);
  }
  return advance_lab(end);
}

std::optional<RunEnd> Session::advance_lab(Time end) {
  const auto paused = [&](Time t) {
    return control_->run_until(t) == RunControl::Stop::request && !(lockstep_ && lockstep_->differs());
  };
  if (!window_) return paused(end) ? std::optional(RunEnd::paused) : std::nullopt;
  while (now() < end && !moved_) {
    if (held_) {
      if (const auto ended = attend_held(end)) return ended;
    } else {
      const Time typed = typist_.next();
      if (paused(std::min(end, std::max(std::min(frame_due_, typed), now())))) return RunEnd::paused;
      if (lockstep_ && lockstep_->differs()) break;
      if (typed <= now()) typist_.advance(lab_->machine(typed_at_), typed);
      if (now() < frame_due_) continue;
    }
    if (!window_->update(now())) return RunEnd::closed;
    frame_due_ = window_->next(now());
  }
  return std::nullopt;
}

bool Session::step(std::size_t n) {
  for (;;) {
    const Time look = next_look(), limit = snapshot_at_ ? std::min(look, *snapshot_at_) : look;
    const auto stop = control_->step(n, limit);
    if (stop != RunControl::Stop::limit) return stop == RunControl::Stop::step;
    save_due(limit);
    if (limit < look) continue;
    looked_ = look;
    scenario_.advance(*scenario_host_, look);
  }
}

bool Session::ends_with_steps(Time limit) const {
  if (limit != Time::never() || window_) return false;
  return !debugger_ || (steps_left_ && !debugger_->ends_the_run());
}

RunEnd Session::run(Time limit, const std::function<bool()>& ended, const std::function<std::string()>& what) {
  const Interruption interruption;
  RunEnd end = RunEnd::time;
  if (now() < limit) check_restored_steps();
  control_->settle();
  // An access of the last instruction may have ended after the time for which steps are due. A run that continues after
  // a pause polls the scenario when it would have without the pause.
  if (!std::exchange(paused_, false) || scenario_.next_look() <= now())
    scenario_.advance(*scenario_host_, std::min(now(), scenario_.next_look()));
  while (now() < limit) {
    if (scenario_.failure() || scenario_.powered_off() || (scenario_.finished() && ends_with_steps(limit))) {
      end = RunEnd::scenario;
      break;
    }
    if (debugger_ && !debugger_->attend()) {
      end = RunEnd::interrupted;
      break;
    }
    const Time next = std::min(limit, next_look());
    if (const auto stopped = advance(next)) {
      if (*stopped == RunEnd::paused && debugger_ && debugger_->stopped()) continue;
      end = *stopped;
      break;
    }
    if (std::exchange(moved_, false)) continue;
    // clang-format off
    if (lockstep_ && lockstep_->differs()) break;
    looked_ = next;
    scenario_.advance(*scenario_host_, next);
    progress_.show(now(), what);
    if (ended()) { end = RunEnd::condition; break; }
    // Remaining steps may not need the processor, and report it themselves if they cannot continue.
    const bool halted = !window_ && lab_->halted_for_good() && !scenario_.active();
    if (halted && !(debugger_ && debugger_->stop_halted())) { end = RunEnd::halted; break; }
    if (tracer_->failed()) { end = RunEnd::interrupted; break; }  // check_files() says so
    if (asked_to_end()) { end = RunEnd::interrupted; break; }
    // clang-format on
  }
  control_->settle();
  paused_ = end == RunEnd::paused;
  if (!paused_) finish_run(end);
  return end;
}

void Session::finish_run(RunEnd end) {
  progress_.finish();
  if (recorded_) recorded_->end(now());
  if (debugger_) debugger_->ended();
  try {
    if (capture_) capture_->flush();
  } catch (const Error& e) { capture_problem_ = e.what(); }  // for check_files(), after the result
  if (timeline_ && timeline_->finish() && (!quiet_ || timeline_->empty()))
    say("planar: {}timeline {}\n", timeline_->empty() ? "warning: " : "", timeline_->summary());
  if (tracer_->waits())
    say("planar: warning: nothing was traced: the run ended at {:.6g} s, before --trace-from {:.6g} s\n",
        now().seconds(), tracer_->from().seconds());
  if (snapshot_at_) {
    const auto text =
        fmt::format("{} was not written: the run ended at {:.3f} s virtual, before {:.6g} s{}", snapshot_file_,
                    now().seconds(), snapshot_at_->seconds(),
                    std::filesystem::exists(snapshot_file_) ? "; the file there is of an earlier run" : "");
    // A user who ends a run knows why, and a failed step is reported first; both only get a warning.
    if (end == RunEnd::interrupted || end == RunEnd::closed || scenario_.failure())
      say("planar: warning: {}\n", text);
    else
      snapshot_problem_ = "--snapshot-at: " + text;
  }
  if (lockstep_) lockstep_->check();
  if (lockstep_ && !quiet_) say("planar: {}\n", lockstep_->summary());
}

bool Session::guests_done() {
  for (std::size_t n = 0; n < lab_->machines(); ++n)
    if (!guest(n).done()) return false;
  return true;
}

void Session::check_guests() {
  for (std::size_t n = 0; n < lab_->machines(); ++n) {
    if (lab_->machine(n).config().start.guest.empty() && settings_of(lab_->diskette_image(n)).empty()) continue;
    if (!guest(n).failure() && guest(n).done().value_or(0) == 0) continue;
    throw Error(
        fmt::format("{}the guest failed: {}", lab_->machines() > 1 ? lab_->name(n) + ": " : "", guest(n).reason()),
        ExitCode::scenario_failed);
  }
}

void Session::check_files() {
  auto problems = lab_->drive_failures();
  const auto check = [&](std::FILE* file, const std::string& name) {
    if (file && (std::fflush(file) != 0 || std::ferror(file))) problems.push_back(unwritten(name));
  };
  for (const auto& console : consoles_) check(console->serial.get(), console->serial_name);
  if (timeline_ && !timeline_->problem().empty()) problems.push_back(timeline_->problem());
  if (!tracer_->flush()) problems.push_back(unwritten(tracer_->file_name()));
  try {
    if (recorded_) recorded_->check();
  } catch (const Error& e) { problems.emplace_back(e.what()); }
  if (!capture_problem_.empty()) problems.push_back(capture_problem_);
  if (!problems.empty()) throw Error(fmt::format("{}", fmt::join(problems, "\nplanar: ")), ExitCode::missing_file);
}

void Session::check_snapshot_taken() const {
  if (!snapshot_problem_.empty()) throw Error(snapshot_problem_, ExitCode::scenario_failed);
}

void Session::print_screen() {
  for (std::size_t n = 0; show_screen_ && n < consoles_.size(); ++n) {
    if (consoles_.size() > 1) fmt::print("---- {} ----\n", lab_->name(n));
    for (const auto& line : screen(n)) fmt::print("{}\n", line);
  }
  for (const auto& file : screen_files_) write_png(picture(), file);
}

}  // namespace planar
