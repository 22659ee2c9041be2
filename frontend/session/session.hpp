// SPDX-License-Identifier: GPL-2.0-or-later
// One run of a lab under the options of the command line: where its output goes, how it advances, when it is saved.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/host/file_list.hpp"
#include "devices/capture/pcapng.hpp"
#include "frontend/debug/debugger.hpp"
#include "frontend/guest/guest_output.hpp"
#include "frontend/meters/acknowledgements.hpp"
#include "frontend/meters/delivery.hpp"
#include "frontend/meters/frame_time.hpp"
#include "frontend/meters/test_meter.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/output_gate.hpp"
#include "frontend/output/progress.hpp"
#include "frontend/scenario/scenario.hpp"
#include "frontend/scenario/step_writer.hpp"
#include "frontend/scenario/typist.hpp"
#include "frontend/session/evidence.hpp"
#include "frontend/session/lockstep.hpp"
#include "frontend/session/restore.hpp"
#include "frontend/timeline/timeline.hpp"
#include "frontend/trace/tracer.hpp"
#include "frontend/window/window.hpp"
#include "machines/lab/lab.hpp"
#include "machines/lab/run_control.hpp"

namespace planar {

/// What is put into the machine before power-on.
struct Media {
  std::optional<NamedFile> firmware;  ///< in place of the built-in one
  std::optional<NamedFile> diskette;  ///< drive A
  std::optional<NamedFile> kernel;    ///< Linux, started instead of drive A
  std::optional<NamedFile> ramdisk;
  std::string command_line;
};

/// Reads what a machine's configuration says it is started with (image, guest, bios, kernel...). Throws Error naming
/// the file.
Media read_media(const MachineConfig& machine);

/// Why a run ended.
enum class RunEnd { condition, time, halted, interrupted, closed, scenario, paused };

class Session final : private DebugTarget, private WindowActions {
 public:
  /// Builds the lab of `config` with `media` in its machines; those that are not given are as the configuration says.
  /// Then begin(steps), if there are any. Throws Error, before anything is opened, when a file that the run writes is
  /// one of its others, too.
  Session(LabConfig config, std::vector<Media> media, const OutputOptions& output, const StateOptions& state,
          std::vector<Step> steps = {});
  /// Builds the lab of a snapshot and continues it.
  Session(RestoredLab restored, const OutputOptions& output, const StateOptions& state, std::vector<Step> steps = {});
  ~Session() override;

  Lab& lab() override { return *lab_; }
  /// What machine `n` has said on COM1.
  GuestOutput& guest(std::size_t n = 0) { return consoles_[n]->guest; }
  /// Calls `listener` with every line that a machine's guest ends on COM1 from now on.
  void on_guest_line(std::function<void(std::size_t machine, const GuestLine&)> listener) {
    guest_line_ = std::move(listener);
  }
  Progress& progress() { return progress_; }
  /// Where the time of the guest's frames went.
  FrameTimer& frames(std::size_t n = 0) { return consoles_[n]->frames; }
  /// How much of what the guest sent was delivered.
  DeliveryMeter& delivery(std::size_t n = 0) { return consoles_[n]->delivery; }
  /// What the machine did while tests of netperf ran.
  TestMeter& tests(std::size_t n = 0) { return consoles_[n]->tests; }
  /// The duplicates among its acknowledgements, where it has several segments.
  const AcknowledgementMeter& acknowledgements(std::size_t n = 0) const { return consoles_[n]->acknowledgements; }
  Time now() { return lab_->scheduler().now(); }
  /// Throws Error for a time that `option` names and that lies before the snapshot which the session continues.
  void check_not_past(const std::string& option, Time wanted);
  std::string state_hash() { return lab_->state_hash(); }
  /// The same options run the same way again: neither the host's network nor a person at the window took part.
  bool repeatable() const { return lab_->repeatable() && !(window_ && window_->used()); }

  /// Steps at the first machine, to be done from now on, in place of those that a snapshot has left. Throws
  /// Error for a step whose file is missing.
  void begin(std::vector<Step> steps);
  const Scenario& scenario() const { return scenario_; }
  /// After a failed step: leaves screen, COM1, capture, trace, every device's registers and state, snapshot and the
  /// steps in the result folder, and returns its name.
  std::string keep_evidence();

  /// Runs until one of these; RunEnd says which:
  /// - virtual time is `limit`, or `ended` says so, which is asked at every multiple of 100 ms (so that a run and its
  ///   continuation end alike) and when the scenario looks at the lab;
  /// - a step of the scenario has failed or turned power off; without a limit (Time::never()) and a window also when
  ///   the last step is done (under a debugger only if there was a step to do when the session began, and the debugger
  ///   does not say when the run ends);
  /// - the processor has stopped for good, and there is no window;
  /// - the user interrupts the run or closes the window;
  /// - somebody pauses it: another call goes on, and all ends as it would have without the pause.
  /// `what` is the text of the progress line. Throws Error (exit 4) when --lockstep has found a difference.
  RunEnd run(Time limit, const std::function<bool()>& ended, const std::function<std::string()>& what);
  /// Pauses run() at the next instruction boundary, or the next run() at once. May be called from inside the run.
  void pause(std::string why) { control_->request_stop(std::move(why)); }
  /// Of the latest pause.
  const std::string& pause_reason() const { return control_->why(); }
  /// Between runs: one instruction of machine `n` (RunControl::step()), and what comes before it: other machines' work,
  /// the scenario's steps, a snapshot. False: somebody paused it before the instruction.
  bool step(std::size_t n = 0) override;

  /// Lets `client` stop run() and examine, step and change the lab meanwhile. Before the first run().
  void debug(std::unique_ptr<DebugClient> client);

  /// The text screen's lines.
  std::vector<std::string> screen(std::size_t n = 0) { return lab_->machine(n).video().text_lines(); }
  /// What a monitor shows now; of several machines, the first one's.
  Picture picture() { return lab_->machine().video().picture(now()); }
  /// Throws Error (exit 3), after the result is out, when a file of the host failed under the run: a drive's image,
  /// COM1's output, the trace.
  void check_files();
  /// Throws Error (exit 1) when the run came to its end before the time of --snapshot-at.
  void check_snapshot_taken() const;
  /// Prints and keeps the screens as `--screen` asked for it. Throws Error when a picture's file cannot be written.
  void print_screen();

 private:
  void open(const OutputOptions& output, const StateOptions& state, std::vector<Step> steps);
  /// What belongs to one machine.
  struct Console {
    Console(Lab& lab, std::size_t n) : frames(lab, n), delivery(lab, n), tests(lab, n), acknowledgements(lab, n) {}
    GuestOutput guest;
    FrameTimer frames;
    DeliveryMeter delivery;
    TestMeter tests;
    AcknowledgementMeter acknowledgements;
    OutputGate gate;
    std::shared_ptr<std::FILE> serial;  ///< may be that of other machines too
    std::string serial_name;
    std::string prefix;  ///< of its lines on COM1, where several machines share an output
  };
  void open_serial(Console& console, const std::string& where, const std::string& option);
  void serial_byte(std::size_t n, std::uint8_t value, Time now);
  void archive(Archive& a);
  void save(const std::string& file);
  /// When run() looks at the lab next: every 100 ms, and when the scenario needs it.
  Time next_look() const;
  /// Runs up to `end`, saving the snapshot that is due before; why it ended earlier, if it did.
  std::optional<RunEnd> advance(Time end);
  std::optional<RunEnd> advance_lab(Time end);
  /// While the window's user holds the run: the step that was asked for, not beyond `end`; why the run ended, if it
  /// did.
  std::optional<RunEnd> attend_held(Time end);
  void save_due(Time reached);
  void finish_run(RunEnd end);
  // DebugTarget: session_debug.cpp
  bool replay(Time limit) override;
  void request_stop(std::string why) override { control_->request_stop(std::move(why)); }
  std::string rewind_obstacle() override;
  /// The lab, what the session has noted of it, and how much output it has given.
  void archive_run(Archive& a);
  std::vector<std::uint8_t> save_state() override;
  void restore_state(const std::vector<std::uint8_t>& state) override;
  void diverge() override;
  void change_drive(const Step& step, std::size_t n) override;
  template <class F>
  void each_gate(F&& call);
  // WindowActions: session_window.cpp
  bool held() const override { return held_; }
  void hold(bool on) override;
  void step_held(std::size_t machine) override;
  void key(std::size_t machine, std::uint16_t code, bool pressed) override;
  void move_mouse(std::size_t machine, int right, int up) override;
  void press_buttons(std::size_t machine, std::uint8_t pressed) override;
  void type(std::size_t machine, const std::string& text) override;
  bool typing() const override { return typist_.busy(); }
  void stop_typing() override;
  void reset_machine(std::size_t machine) override;
  void change_diskette(std::size_t machine, unsigned drive, const std::string& file) override;
  void eject_diskette(std::size_t machine, unsigned drive) override;
  void change_cdrom(std::size_t machine, unsigned id, const std::string& file) override;
  void eject_cdrom(std::size_t machine, unsigned id, bool by_force) override;
  void load_snapshot(const std::string& file) override;
  std::string save_snapshot() override;
  const std::string& last_snapshot() const override { return last_snapshot_; }
  std::string save_screen(std::size_t machine) override;
  std::string save_picture(unsigned width, unsigned height, std::vector<std::uint8_t> rgb) override;
  bool capturing() const override { return capture_ != nullptr; }
  std::string capture(bool on) override;
  bool recording() const override { return recorded_ != nullptr; }
  std::string record(bool on) override;
  void begin_recording(const std::string& file, const std::string& option);
  /// The recorded steps, if `machine` is the one at which steps are done.
  StepWriter* recorded(std::size_t machine) { return machine == 0 ? recorded_.get() : nullptr; }
  /// PREFIX-1SUFFIX in the result folder, or the first number that is free.
  std::string free_file(const std::string& prefix, const std::string& suffix) const;
  void begin_capture(const std::string& file);
  void watch_scenario();
  void grab_screen(const std::string& file, unsigned count);
  void insert_diskette(unsigned drive, const std::string& text);
  /// Into the first CD-ROM drive, and out of it.
  void insert_cd(const std::string& file);
  void eject_cd(bool by_force);
  unsigned first_cdrom(std::size_t machine = 0) const;
  bool in_result_folder(const std::string& file) const;
  /// Throws Error for a step that writes where no file can be.
  void check_output(const Step& step) const;
  /// What the steps from `first` on insert, by its names there.
  std::vector<std::string> files_to_insert(std::size_t first) const;
  /// Throws Error for a step out of a snapshot that inserts what the command line does not name.
  void check_restored_steps() const;
  /// Throws Error for one of the files of --insert that no step inserts.
  void check_used(const std::vector<std::string>& insert) const;
  /// The last step ends the run.
  bool ends_with_steps(Time limit) const;
  void print_devices(const std::string& device);
  /// Throws Error if JSON is to be on standard output, and something else as well.
  void check_standard_output(const OutputOptions& output, const std::vector<Step>& steps) const;
  /// Adds what the steps out of a snapshot name to the run's files.
  void add_restored_files();
  /// Where a step writes `file`: there, or for a step out of a snapshot in the result folder of this run.
  std::string step_file(const std::string& file) const;
  /// The result folder, made if need be.
  std::filesystem::path result_folder() const;
  /// The same for the evidence, or the first of "FOLDER-2", "FOLDER-3"... in which it would replace no file of this
  /// run.
  std::filesystem::path evidence_folder() const;

  FileList files_;
  std::unique_ptr<Lab> lab_;
  std::optional<RunControl> control_;
  std::vector<std::unique_ptr<Console>> consoles_;
  std::unique_ptr<net::PcapngWriter> capture_;
  std::unique_ptr<GatedObserver> gated_capture_;
  std::string capture_file_;
  std::optional<Tracer> tracer_;
  std::string capture_problem_;
  std::unique_ptr<Timeline> timeline_;
  bool show_screen_ = false;
  std::vector<std::string> screen_files_;
  Scenario scenario_;
  bool steps_left_ = false;      ///< there was one to do when the session began
  bool steps_restored_ = false;  ///< they came with a snapshot: the files that they name are its, not the user's
  std::vector<std::string> insertable_;  ///< files that the user named for a diskette
  std::optional<ScenarioHost> scenario_host_;
  std::unique_ptr<Evidence> evidence_;
  std::string result_;
  bool quiet_ = false;
  std::optional<Time> snapshot_at_;
  std::string snapshot_file_, snapshot_problem_;
  bool paused_ = false;  // how the latest run() ended
  Time looked_{};        // the time for which run() or step() has looked at the lab last
  std::function<void(std::size_t, const GuestLine&)> guest_line_;
  Progress progress_;
  std::unique_ptr<Lockstep> lockstep_;
  std::unique_ptr<Window> window_;
  Time frame_due_{};
  bool held_ = false;                    // by the window's user
  std::optional<std::size_t> stepping_;  // a machine that is to execute one instruction
  bool moved_ = false;                   // a snapshot was loaded: virtual time is another one
  std::string last_snapshot_;
  Typist typist_;                         // of text that was pasted into the window
  std::size_t typed_at_ = 0;              // the machine at whose keyboard
  std::unique_ptr<StepWriter> recorded_;  // what the window's user does, as steps
  bool replaying_ = false;
  std::unique_ptr<DebugClient> debug_client_;
  std::unique_ptr<Debugger> debugger_;
};

/// Reads a diskette's image, IMG[,format=raw], with the same checks as --floppy's. Throws Error (exit 3) naming the
/// file and the remedy.
NamedFile read_image(const std::string& image);
/// Reads a firmware image. Throws Error (exit 3) naming the file.
NamedFile read_firmware(const std::string& file);
/// Reads a kernel or ramdisk (up to 256 MB). Throws Error (exit 3) naming the file.
NamedFile read_boot_file(const std::string& file);

}  // namespace planar
