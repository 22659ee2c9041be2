// SPDX-License-Identifier: GPL-2.0-or-later
// What the window's user can do to a session.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "frontend/files/lab_files.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/screen_image.hpp"
#include "frontend/session/session.hpp"

namespace planar {

void Session::hold(bool on) {
  if (replaying_) return;
  held_ = on;
  stepping_.reset();
}

void Session::step_held(std::size_t machine) {
  held_ = true;
  stepping_ = machine;
}

std::optional<RunEnd> Session::attend_held(Time end) {
  if (asked_to_end()) return RunEnd::interrupted;
  if (!stepping_) return std::nullopt;
  const auto stop = control_->step(*stepping_, end);
  if (stop == RunControl::Stop::request) return RunEnd::paused;
  if (stop == RunControl::Stop::step) stepping_.reset();
  control_->settle();
  return std::nullopt;
}

std::string Session::free_file(const std::string& prefix, const std::string& suffix) const {
  const auto folder = result_folder();
  for (unsigned n = 1;; ++n)
    if (const auto file = folder / fmt::format("{}-{}{}", prefix, n, suffix); !std::filesystem::exists(file))
      return file.string();
}

void Session::key(std::size_t machine, std::uint16_t code, bool pressed) {
  lab_->machine(machine).keyboard_controller().keyboard().key(code, pressed, now());
  if (StepWriter* steps = recorded(machine)) steps->key(code, pressed, now());
}

void Session::move_mouse(std::size_t machine, int right, int up) {
  lab_->machine(machine).keyboard_controller().mouse().moved(right, up, now());
  if (StepWriter* steps = recorded(machine)) steps->mouse_moved(right, up, now());
}

void Session::press_buttons(std::size_t machine, std::uint8_t pressed) {
  lab_->machine(machine).keyboard_controller().mouse().buttons(pressed, now());
  if (StepWriter* steps = recorded(machine)) steps->mouse_buttons(pressed, now());
}

void Session::type(std::size_t machine, const std::string& text) {
  if (machine != typed_at_) typist_ = {};
  typed_at_ = machine;
  typist_.type(text, now());
  typist_.advance(lab_->machine(machine), now());
  if (StepWriter* steps = recorded(machine)) steps->type(text, now());
}

void Session::stop_typing() {
  typist_.stop(now());
  if (StepWriter* steps = recorded(typed_at_)) steps->typing_stopped(now());
}

void Session::reset_machine(std::size_t machine) {
  if (StepWriter* steps = recorded(machine)) steps->reset(now());
  control_->settle();
  lab_->machine(machine).reset(now());
  if (debugger_) debugger_->forget();
}

void Session::change_diskette(std::size_t machine, unsigned drive, const std::string& file) {
  const auto disk = parse_floppy_option("diskette", file);
  FileList files = files_;
  add_diskette_files(files, drive, disk, "the diskette");
  files.check();
  files_ = std::move(files);
  lab_->change_diskette(drive, disk, machine);
  if (StepWriter* steps = recorded(machine)) steps->insert_diskette(drive, file, now());
  if (debugger_) debugger_->forget();
}

void Session::eject_diskette(std::size_t machine, unsigned drive) {
  lab_->eject_diskette(drive, machine);
  if (StepWriter* steps = recorded(machine)) steps->eject_diskette(drive, now());
  if (debugger_) debugger_->forget();
}

void Session::change_cdrom(std::size_t machine, unsigned id, const std::string& file) {
  lab_->change_cdrom(id, file, machine);
  if (StepWriter* steps = recorded(machine)) steps->insert_cd(file, now());
  if (debugger_) debugger_->forget();
}

void Session::eject_cdrom(std::size_t machine, unsigned id, bool by_force) {
  lab_->eject_cdrom(id, by_force, machine);
  if (StepWriter* steps = recorded(machine)) steps->eject_cd(by_force, now());
  if (debugger_) debugger_->forget();
}

std::string Session::save_snapshot() {
  control_->settle();
  auto file = free_file("window", ".snap");
  save(file);
  return last_snapshot_ = std::move(file);
}

// The lab object is kept, so the snapshot must be of the same lab.
void Session::load_snapshot(const std::string& file) {
  const Snapshot snapshot = read_snapshot(file);
  LabConfig own = of_this_host(lab_->configuration()), other = of_this_host(snapshot.configuration);
  own.read();
  other.read();
  if (own.resolved() != other.resolved())
    throw Error(
        fmt::format("{}: is of another machine, or of another diskette or CD in its drives; continue it with "
                    "planar run --restore {} --window",
                    file, file));
  try {
    lab_->check_rewind();
  } catch (const Error& e) {
    throw Error(
        fmt::format("{}; or continue the snapshot by itself: planar run --restore {} --window", e.what(), file));
  }
  control_->settle();
  if (recorded_) record(false);  // the steps up to here
  typist_ = {};
  for (std::size_t n = 0; n < std::min(lab_->machines(), snapshot.diskettes.size()); ++n)
    if (const auto& diskette = snapshot.diskettes[n]; !diskette.image.empty())
      lab_->insert_diskette(diskette.image, diskette.name, n);
  Archive state = Archive::loader(snapshot.state);
  lab_->archive(state);
  state.expect_end();
  Archive own_part = Archive::loader(snapshot.frontend);
  archive(own_part);
  own_part.expect_end();
  steps_restored_ = true;
  check_restored_steps();
  diverge();
  if (debugger_) debugger_->forget();
  looked_ = frame_due_ = now();
  moved_ = true;
  last_snapshot_ = file;
}

std::string Session::save_screen(std::size_t machine) {
  auto file = free_file("screen", ".png");
  write_png(lab_->machine(machine).video().picture(now()), file);
  return file;
}

std::string Session::save_picture(unsigned width, unsigned height, std::vector<std::uint8_t> rgb) {
  auto file = free_file("window", ".png");
  write_png({width, height, std::move(rgb)}, file);
  return file;
}

void Session::begin_capture(const std::string& file) {
  const auto media = lab_->media();
  capture_ = std::make_unique<net::PcapngWriter>(file, std::vector<const net::Medium*>(media.begin(), media.end()));
  gated_capture_ = std::make_unique<GatedObserver>(*capture_);
  for (net::Medium* medium : media) medium->add_observer(*gated_capture_);
  capture_file_ = file;
}

std::string Session::capture(bool on) {
  if (on) {
    begin_capture(free_file("window", ".pcapng"));
    return capture_file_;
  }
  for (net::Medium* medium : lab_->media()) medium->remove_observer(*gated_capture_);
  gated_capture_.reset();
  const auto writer = std::exchange(capture_, nullptr);
  writer->flush();
  return capture_file_;
}

void Session::begin_recording(const std::string& file, const std::string& option) {
  recorded_ = std::make_unique<StepWriter>(
      file, option,
      fmt::format("# What was done at the window from {:.3f} s virtual on{}. Play it back over the same machine:\n"
                  "#   planar run MACHINE ... --do {}\n",
                  now().seconds(), lab_->machines() > 1 ? ", at the first machine" : "", file));
}

std::string Session::record(bool on) {
  if (on) {
    begin_recording(free_file("session", ".steps"), {});
    return recorded_->file();
  }
  const auto steps = std::exchange(recorded_, nullptr);
  steps->end(now());
  steps->check();
  return steps->file();
}

}  // namespace planar
