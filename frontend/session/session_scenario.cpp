// SPDX-License-Identifier: GPL-2.0-or-later
// The steps of a session: the operations that they use, and the evidence kept when one fails.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/host/host_files.hpp"
#include "frontend/debug/description_text.hpp"
#include "frontend/debug/lab_devices.hpp"
#include "frontend/files/lab_files.hpp"
#include "frontend/files/option_files.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/screen_image.hpp"
#include "frontend/session/session.hpp"
#include "machines/lab/stations.hpp"

namespace planar {

namespace {

std::string lines(const auto& texts) { return fmt::format("{}\n", fmt::join(texts, "\n")); }

std::vector<std::string> chosen(const std::string& device) {
  return device.empty() ? std::vector<std::string>{} : std::vector{device};
}

/// Throws Error, before the machine starts, for a step whose device does not exist.
void check_device(Lab& lab, const Step& step) {
  try {
    describe_devices(lab, chosen(step.text));
  } catch (const Error& e) { throw Error(fmt::format("{}: describe: {}", step.origin, e.what())); }
}

/// Throws Error, before the machine starts, for a step whose station does not exist.
void check_station(Lab& lab, const Step& step) {
  try {
    if (step.kind == StepKind::pull_cable || step.kind == StepKind::plug_cable) station_port(lab, step.text);
    if (step.kind == StepKind::remove_station || step.kind == StepKind::insert_station)
      ring_station_port(lab, step.text, step.kind == StepKind::insert_station);
  } catch (const Error& e) { throw Error(fmt::format("{}: {}: {}", step.origin, step.source, e.what())); }
}

/// Throws Error, before the machine starts, for a step whose drive the machine does not have.
void check_drive(Lab& lab, const Step& step) {
  const bool diskette = step.kind == StepKind::insert_diskette || step.kind == StepKind::eject_diskette;
  if (diskette && !lab.machine().diskette().drive(step.drive).installed)
    throw Error(
        fmt::format("{}: {}: the machine has no diskette drive B; start it with --floppy-b FILE, or --floppy-b "
                    "empty",
                    step.origin, step.source));
  if ((step.kind == StepKind::insert_cd || step.kind == StepKind::eject_cd) && !lab.cdrom())
    throw Error(fmt::format("{}: {}: the machine has no CD-ROM drive; start it with --cdrom FILE, or --cdrom empty",
                            step.origin, step.source));
}

constexpr const char* evidence_names[] = {"screen.txt", "screen.png",  "serial.txt",  "capture.pcapng",
                                          "trace.txt",  "lab.toml",    "devices.txt", "devices.json",
                                          "lab.snap",   "scenario.txt"};

void make_result_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error(fmt::format("{}: the result folder cannot be created: {}; give another with --result", folder,
                            failed.message()),
                ExitCode::missing_file);
}

}  // namespace

void Session::check_standard_output(const OutputOptions& output, const std::vector<Step>& steps) const {
  if (output.json != "-") return;
  const auto refuse = [](const std::string& what) {
    throw Error(
        fmt::format("--json - and {}: both write to standard output; name a file for the JSON: --json FILE", what));
  };
  for (std::size_t n = 0; n < lab_->machines() && !output.serial; ++n)
    if (const MachineConfig& config = lab_->machine(n).config(); config.start.serial == "stdio")
      refuse(config.name_prefix() + "serial = \"stdio\"");
  // Without steps of its own, a run continues with those of its snapshot.
  const std::size_t first = steps.empty() ? scenario_.done().size() : 0;
  const auto& to_do = steps.empty() ? scenario_.steps() : steps;
  for (std::size_t n = first; n < to_do.size(); ++n)
    if (to_do[n].kind == StepKind::describe) refuse(fmt::format("the step '{}'", to_do[n].source));
}

bool Session::in_result_folder(const std::string& file) const {
  return std::filesystem::path(file).parent_path() == result_;
}

void Session::check_output(const Step& step) const {
  if (step.kind != StepKind::grab_screen || !in_result_folder(step.text))  // the folder is created by the grab
    check_place(step.text, step.origin + ": " + step.source);
}

void Session::begin(std::vector<Step> steps) {
  for (const Step& step : steps) {
    if (step.kind == StepKind::describe) check_device(*lab_, step);
    check_station(*lab_, step);
    if (step.kind == StepKind::snapshot || step.kind == StepKind::grab_screen) check_output(step);
    if (step.kind == StepKind::pause && !window_)
      throw Error(fmt::format("{}: pause: nothing could resume the run; add --window", step.origin));
    if (step.kind == StepKind::insert_cd) {
      insertable_.push_back(step.text);
      if (!std::filesystem::exists(step.text))
        throw Error(fmt::format("{}: {}: cannot be read; give an .iso image", step.origin, step.text),
                    ExitCode::missing_file);
    }
    check_drive(*lab_, step);
    if (step.kind != StepKind::insert_diskette) continue;
    const auto disk = parse_floppy_option(step.origin + ": insert diskette", step.text);
    insertable_.insert(insertable_.end(), {disk.file, disk.overlay});
    if (!std::filesystem::exists(disk.file))
      throw Error(fmt::format("{}: {}: cannot be read; give a raw diskette image", step.origin, disk.file),
                  ExitCode::missing_file);
  }
  steps_restored_ = false;
  steps_left_ = true;
  scenario_.begin(unroll_steps(std::move(steps)), now());
  watch_scenario();
}

void Session::watch_scenario() {
  if (!scenario_.active() || evidence_) return;
  evidence_ = std::make_unique<Evidence>(lab_->media());
  if (!tracer_->chosen()) lab_->trace().enable(Evidence::categories);
}

std::filesystem::path Session::result_folder() const {
  make_result_folder(result_);
  return result_;
}

std::filesystem::path Session::evidence_folder() const {
  std::string folder = result_;
  const auto in_use = [&](const char* name) { return files_.holds((std::filesystem::path(folder) / name).string()); };
  for (unsigned n = 2; std::any_of(std::begin(evidence_names), std::end(evidence_names), in_use); ++n)
    folder = fmt::format("{}-{}", result_, n);
  make_result_folder(folder);
  return folder;
}

void Session::add_restored_files() {
  std::vector<Step> steps = scenario_.steps();
  for (Step& step : steps) {
    if (step.kind == StepKind::snapshot || (step.kind == StepKind::grab_screen && !step.text.empty()))
      step.text = (std::filesystem::path(result_) / std::filesystem::path(step.text).filename()).string();
    if (step.kind == StepKind::insert_diskette || step.kind == StepKind::insert_cd)
      step.kind = StepKind::pause;  // a file that is only read: no conflict is possible
  }
  add_step_files(files_, steps);
  files_.check();
}

std::string Session::step_file(const std::string& file) const {
  if (!steps_restored_) return file;
  const auto name = std::filesystem::path(file).filename();
  if (name.empty() || name == "." || name == "..")
    throw Error(fmt::format("snapshot: a step writes to '{}', which names no file", file), ExitCode::missing_file);
  return (result_folder() / name).string();
}

void Session::grab_screen(const std::string& file, unsigned count) {
  if (!steps_restored_ && in_result_folder(file)) make_result_folder(result_);
  if (file.ends_with(".png")) return write_png(picture(), step_file(file));
  if (!file.empty()) return replace_file(step_file(file), lines(screen()));
  const auto name = (result_folder() / fmt::format("screen-{}", count)).string();
  for (const char* suffix : {".txt", ".png"})
    if (files_.holds(name + suffix))
      throw Error(
          fmt::format("grab screen: {}{} is another file of this run; name the screen's, or give another folder "
                      "with --result",
                      name, suffix));
  replace_file(name + ".txt", lines(screen()));
  write_png(picture(), name + ".png");
}

std::vector<std::string> Session::files_to_insert(std::size_t first) const {
  std::vector<std::string> files;
  for (std::size_t n = first; n < scenario_.steps().size(); ++n) {
    const Step& step = scenario_.steps()[n];
    if (step.kind == StepKind::insert_cd) files.push_back(step.text);
    if (step.kind != StepKind::insert_diskette) continue;
    const auto disk = parse_floppy_option("insert diskette", step.text);
    files.push_back(disk.file);
    if (!disk.overlay.empty()) files.push_back(disk.overlay);
  }
  return files;
}

void Session::check_restored_steps() const {
  if (!steps_restored_ || !scenario_.active()) return;
  for (const auto& file : files_to_insert(scenario_.done().size()))
    if (std::find(insertable_.begin(), insertable_.end(), file) == insertable_.end())
      throw Error(
          fmt::format("--restore: a step of the snapshot inserts {0}, and a snapshot has no access to this host by "
                      "itself; to allow it, add --insert {0}, or give other steps with --do",
                      file));
}

void Session::check_used(const std::vector<std::string>& insert) const {
  const auto used = files_to_insert(0);
  for (const auto& file : insert)
    if (std::find(used.begin(), used.end(), file) == used.end())
      throw Error(
          fmt::format("--insert {}: no step inserts it{}", file,
                      used.empty() ? "; leave it out" : fmt::format("; they insert {}", fmt::join(used, ", "))));
}

void Session::insert_diskette(unsigned drive, const std::string& text) {
  auto disk = parse_floppy_option("insert diskette", text);
  if (steps_restored_ && disk.mode != storage::WriteMode::read_only) {
    // Its changes are discarded, as for every drive of a restored lab; the contents of its overlay are read.
    const auto overlay = disk.overlay.empty() ? disk.file + ".overlay" : disk.overlay;
    if (disk.mode == storage::WriteMode::overlay && std::filesystem::exists(overlay)) disk.file = overlay;
    disk.mode = storage::WriteMode::memory;
    disk.overlay.clear();
  }
  lab_->change_diskette(drive, disk);
  if (debugger_) debugger_->forget();
}

unsigned Session::first_cdrom(std::size_t machine) const {
  const auto id = lab_->cdrom(machine);
  if (!id) throw Error("the machine has no CD-ROM drive; start it with --cdrom FILE, or --cdrom empty");
  return *id;
}

void Session::insert_cd(const std::string& file) {
  lab_->change_cdrom(first_cdrom(), file);
  if (debugger_) debugger_->forget();
}

void Session::eject_cd(bool by_force) {
  lab_->eject_cdrom(first_cdrom(), by_force);
  if (debugger_) debugger_->forget();
}

void Session::print_devices(const std::string& device) {
  fmt::print("{}", to_text(describe_devices(*lab_, chosen(device))));
}

std::string Session::keep_evidence() {
  std::string report = fmt::format("failed at {:.3f} s virtual: {}\n", now().seconds(), scenario_.failure()->message);
  const auto folder = evidence_folder();
  std::error_code none_there;
  for (const char* earlier : {"capture.pcapng", "trace.txt", "lab.snap"})
    std::filesystem::remove(folder / earlier, none_there);
  replace_file(folder / "screen.txt", lines(screen()));
  write_png(picture(), (folder / "screen.png").string());
  std::string com1;
  for (const auto& line : guest().lines()) com1 += line.text + "\n";
  replace_file(folder / "serial.txt", com1 + guest().partial());
  if (evidence_) {
    evidence_->write_capture(folder / "capture.pcapng");
    replace_file(folder / "trace.txt", lines(evidence_->trace()));
  }
  replace_file(folder / "lab.toml", lab_->configuration());
  const auto devices = describe_devices(*lab_, {});
  replace_file(folder / "devices.txt", to_text(devices));
  write_json((folder / "devices.json").string(), to_json(devices));
  const auto cpu = lab_->machine().cpu().registers();
  report += fmt::format("processor at {:04X}:{:08X}{}, checkpoint {:04X}\n\n", cpu.segment[1].selector, cpu.eip,
                        lab_->machine().cpu().halted() ? ", halted" : "", lab_->machine().board().checkpoint());
  for (const auto& done : scenario_.done()) report += fmt::format("{:10.3f} s  {}\n", done.at.seconds(), done.source);
  report += fmt::format("not done      {}\n\n", scenario_.current());
  for (const net::Medium* medium : lab_->media()) report += to_text(medium->describe());
  for (const auto& station : lab_->stations()) report += to_text(station->describe());
  scenario_.abandon();  // so that a run continued from the snapshot does not fail at once
  try {
    save((folder / "lab.snap").string());
  } catch (const Error& e) { report += fmt::format("\nno snapshot: {}\n", e.what()); }
  replace_file(folder / "scenario.txt", report);
  return folder.string();
}

}  // namespace planar
