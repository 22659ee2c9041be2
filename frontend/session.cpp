// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session.hpp"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontend/screen_image.hpp"

namespace planar {

namespace {

// The only process-wide state: the user's interrupt key, looked at between steps, never by the emulated machine.
volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

std::FILE* open_for_writing(const std::string& file, const char* option) {
  std::FILE* f = std::fopen(file.c_str(), "wb");
  if (!f)
    throw Error(fmt::format("{} {}: cannot be written; check the directory and its permissions", option, file),
                ExitCode::missing_file);
  return f;
}

std::vector<std::uint8_t> read_file(const std::string& file, unsigned most_megabytes, const char* remedy,
                                    const char* too_large) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw Error(fmt::format("{}: cannot be read; {}", file, remedy), ExitCode::missing_file);
  in.seekg(0, std::ios::end);
  const auto size = in.tellg();
  if (size < 0 || size > std::streamoff{most_megabytes} * 1024 * 1024)
    throw Error(fmt::format("{}: {}", file, too_large), ExitCode::missing_file);
  in.seekg(0);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::vector<std::uint8_t> read_image(const std::string& file) {
  return read_file(file, 64, "name a raw diskette image", "is no diskette image (a raw image has 160 KB to 2.88 MB)");
}

NamedFile read_boot_file(const std::string& file) {
  return {file, read_file(file, 256, "name a kernel or ramdisk image", "is too large for the memory of any machine")};
}

NamedFile read_firmware(const std::string& file) {
  return {file, read_file(file, 1, "name a firmware image", "is no firmware image; it must have 131072 (or 65536 or 32768) bytes")};
}

Session::Session(Config config, Media media, const OutputOptions& output, const StateOptions& state)
    : lab_(std::make_unique<Lab>(std::move(config))), frames_(std::make_unique<FrameTimer>(*lab_)), progress_(!output.quiet) {
  if (media.diskette) lab_->insert_diskette(std::move(media.diskette->bytes), media.diskette->name);
  if (media.firmware) lab_->machine().load_firmware(media.firmware->bytes, media.firmware->name);
  if (media.kernel)
    lab_->load_kernel(
        prepare_linux_boot(*media.kernel, media.ramdisk, media.command_line, lab_->machine().memory_end()));
  open(output, state);
}

Session::Session(const Snapshot& snapshot, const OutputOptions& output, const StateOptions& state)
    : progress_(!output.quiet) {
  Config config;
  config.add_text(snapshot.configuration, "snapshot");
  // The snapshot holds what was changed since the base images; their files stay as they are.
  for (const std::string table : {"floppy", "disk"})
    for (const auto& name : config.children(table)) {
      config.set(fmt::format("{}.{}.mode", table, name), "memory", "--restore");
      config.set(fmt::format("{}.{}.overlay", table, name), "", "--restore");
    }
  lab_ = std::make_unique<Lab>(std::move(config));
  if (!snapshot.diskette_image.empty()) lab_->insert_diskette(snapshot.diskette_image, snapshot.diskette_name);
  Archive lab_state = Archive::loader(snapshot.state);
  lab_->archive(lab_state);
  lab_state.expect_end();
  frames_ = std::make_unique<FrameTimer>(*lab_);
  Archive own = Archive::loader(snapshot.frontend);
  guest_.archive(own);
  frames_->archive(own);
  scenario_.archive(own);
  own.expect_end();
  open(output, state);
}

Session::~Session() {
  if (serial_owned_) std::fclose(serial_);
  else if (serial_) std::fflush(serial_);
  if (trace_owned_) std::fclose(trace_);
}

void Session::open(const OutputOptions& output, const StateOptions& state) {
  if (output.serial) {
    if (*output.serial == "stdio") {
      serial_ = stdout;
    } else if (output.serial->starts_with("file:") && output.serial->size() > 5) {
      serial_ = open_for_writing(output.serial->substr(5), "--serial");
      serial_owned_ = true;
    } else {
      throw Error(fmt::format("--serial {}: write stdio or file:NAME", *output.serial));
    }
  }
  lab_->machine().serial().on_output([this](std::uint8_t value, Time now) { serial_byte(value, now); });
  quiet_ = output.quiet;
  for (const auto& form : output.screen) {
    if (form == "text") show_screen_ = true;
    else if (form.starts_with("png:") && form.size() > 4) screen_files_.push_back(form.substr(4));
    else throw Error(fmt::format("--screen {}: write text or png:FILE", form));
  }
  result_ = output.result;
  scenario_host_.emplace(ScenarioHost{*lab_, [this](const std::string& file) { save(file); },
                                      [this](const std::string& file, unsigned count) { grab_screen(file, count); },
                                      [this](const std::string& file) { insert_diskette(file); }});
  if (output.capture) {
    capture_ = std::make_unique<net::PcapngWriter>(*output.capture, lab_->segment().config().bits_per_second);
    lab_->segment().add_observer(*capture_);
  }
  if (output.trace_file && !output.trace) throw Error("--trace-file needs --trace with the categories to write");
  if (output.trace) {
    lab_->trace().enable(*output.trace);
    trace_ = stderr;
    if (output.trace_file) {
      trace_ = open_for_writing(*output.trace_file, "--trace-file");
      trace_owned_ = true;
    }
    lab_->trace().set_sink([this](std::string_view line) { fmt::print(trace_, "{}\n", line); });
  }
  if (!state.snapshot.empty()) {
    snapshot_at_ = parse_time(state.snapshot.at(0));
    if (!snapshot_at_)
      throw Error(fmt::format("--snapshot-at {}: is no time; write for example --snapshot-at \"12.5 s\" lab.snap",
                              state.snapshot.at(0)));
    snapshot_file_ = state.snapshot.at(1);
  }
  watch_scenario();  // of a snapshot
  if (state.lockstep || state.lockstep_plant)
    lockstep_ = std::make_unique<Lockstep>(*lab_, state.lockstep_plant);
  if (state.block_length) lab_->machine().cpu().limit_block_length(*state.block_length);
  if (state.flush_blocks) lab_->machine().cpu().flush_blocks_at_random(*state.flush_blocks);
  if (state.cut_horizons) lab_->scheduler().cut_horizons_at_random(*state.cut_horizons);
  if (output.window) window_ = std::make_unique<Window>(lab_->machine());
}

void Session::serial_byte(std::uint8_t value, Time now) {
  scenario_.serial(value);
  const auto& cpu = lab_->machine().cpu();
  if (guest_.byte(value, now, {cpu.clocks(), cpu.halted_clocks()}))
    if (const auto row = guest_.new_row()) frames_->row_ended(row->packet_bytes, row->ticks);
  if (!serial_) return;
  std::fputc(value, serial_);
  if (value == '\n') std::fflush(serial_);
}

void Session::save(const std::string& file) {
  lab_->check_snapshot();
  Snapshot snapshot;
  snapshot.configuration = lab_->configuration();
  snapshot.diskette_name = lab_->diskette_name();
  snapshot.diskette_image = lab_->diskette_image();
  Archive own = Archive::saver();
  guest_.archive(own);
  frames_->archive(own);
  scenario_.archive(own);
  snapshot.frontend = own.stream();
  Archive state = Archive::saver();
  lab_->archive(state);
  snapshot.state = state.stream();
  write_snapshot(file, snapshot);
}

bool Session::advance(Time end) {
  Scheduler& scheduler = lab_->scheduler();
  if (!window_) {
    scheduler.run_until(end);
    return true;
  }
  while (scheduler.now() < end) {
    scheduler.run_until(std::min(end, std::max(frame_due_, scheduler.now())));
    if (lockstep_ && lockstep_->differs()) break;
    if (scheduler.now() < frame_due_) continue;
    if (!window_->update(scheduler.now())) return false;
    frame_due_ = window_->next(scheduler.now());
  }
  return true;
}

RunEnd Session::run(Time limit, const std::function<bool()>& ended, const std::function<std::string()>& what) {
  constexpr Time step = 100_ms;
  Scheduler& scheduler = lab_->scheduler();
  interrupted = 0;
  auto* previous = std::signal(SIGINT, on_interrupt);
  RunEnd end = RunEnd::time;
  scenario_.advance(*scenario_host_, scheduler.now());
  while (scheduler.now() < limit) {
    if (scenario_.failure() || scenario_.powered_off() || (scenario_.finished() && limit == Time::never() && !window_)) {
      end = RunEnd::scenario;
      break;
    }
    const Time next = std::min({limit, step * (scheduler.now() / step + 1), scenario_.next_look()});
    if (snapshot_at_ && *snapshot_at_ <= next) {
      if (!advance(*snapshot_at_)) { end = RunEnd::closed; break; }
      if (lockstep_ && lockstep_->differs()) break;
      save(snapshot_file_);
      snapshot_at_.reset();
    }
    if (!advance(next)) { end = RunEnd::closed; break; }
    if (lockstep_ && lockstep_->differs()) break;
    scenario_.advance(*scenario_host_, next);
    progress_.show(scheduler.now(), what());
    if (ended()) { end = RunEnd::condition; break; }
    if (!window_ && lab_->machine().halted_for_good() && !scenario_.outlives_halt()) { end = RunEnd::halted; break; }
    if (interrupted) { end = RunEnd::interrupted; break; }
  }
  std::signal(SIGINT, previous);
  progress_.finish();
  if (capture_) capture_->flush();
  for (const auto& line : lab_->drive_failures()) fmt::print(stderr, "planar: warning: {}\n", line);
  if (lockstep_) lockstep_->check();
  if (lockstep_ && !quiet_) fmt::print(stderr, "planar: {}\n", lockstep_->summary());
  return end;
}

void Session::print_screen() {
  if (show_screen_)
    for (const auto& line : screen()) fmt::print("{}\n", line);
  for (const auto& file : screen_files_) write_png(picture(), file);
}

}  // namespace planar
