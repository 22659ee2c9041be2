// SPDX-License-Identifier: GPL-2.0-or-later
// One run of a lab under the options of the command line: where its output goes, how it advances, when a snapshot is
// saved.
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

/// What a machine is given before power-on.
struct Media {
  std::optional<NamedFile> firmware;  ///< replaces the built-in one
  std::optional<NamedFile> diskette;  ///< drive A
  std::optional<NamedFile> kernel;    ///< a Linux kernel, started instead of booting from drive A
  std::optional<NamedFile> ramdisk;
  std::string command_line;
};

/// Reads the files that a machine's configuration says it starts with (image, guest, bios, kernel...). Throws Error
/// naming the file.
Media read_media(const MachineConfig& machine);

/// Why a run ended.
enum class RunEnd { condition, time, halted, interrupted, closed, scenario, paused };

class Session final : private DebugTarget, private WindowActions {
 public:
  /// Builds the lab of `config` with `media` in its machines; media not given are as the configuration says. Then calls
  /// begin(steps), if there are any. Throws Error, before anything is opened, if a file that the run writes is also
  /// another of its files.
  Session(LabConfig config, std::vector<Media> media, const OutputOptions& output, const StateOptions& state,
          std::vector<Step> steps = {});
  /// Builds the lab of a snapshot and continues it.
  Session(RestoredLab restored, const OutputOptions& output, const StateOptions& state, std::vector<Step> steps = {});
  ~Session() override;

  Lab& lab() override { return *lab_; }
  /// The output of machine `n` on COM1.
  GuestOutput& guest(std::size_t n = 0) { return consoles_[n]->guest; }
  /// Calls `listener` for every line that a machine's guest completes on COM1 from now on.
  void on_guest_line(std::function<void(std::size_t machine, const GuestLine&)> listener) {
    guest_line_ = std::move(listener);
  }
  Progress& progress() { return progress_; }
  /// Where the time of the guest's frames was spent.
  FrameTimer& frames(std::size_t n = 0) { return consoles_[n]->frames; }
  /// How much of what the guest sent was delivered.
  DeliveryMeter& delivery(std::size_t n = 0) { return consoles_[n]->delivery; }
  /// The machine's activity during tests of netperf.
  TestMeter& tests(std::size_t n = 0) { return consoles_[n]->tests; }
  /// Duplicate acknowledgements of a machine that has several network segments.
  const AcknowledgementMeter& acknowledgements(std::size_t n = 0) const { return consoles_[n]->acknowledgements; }
  Time now() { return lab_->scheduler().now(); }
  /// Throws Error for a time, given by `option`, that is before the time of the snapshot that the session continues.
  void check_not_past(const std::string& option, Time wanted);
  std::string state_hash() { return lab_->state_hash(); }
  /// True if the same options give the same run again: neither the host's network nor a user at the window took part.
  bool repeatable() const { return lab_->repeatable() && !(window_ && window_->used()); }

  /// Begins to execute `steps` at the first machine, replacing those that remain from a snapshot. Throws Error for a
  /// step whose file is missing.
  void begin(std::vector<Step> steps);
  const Scenario& scenario() const { return scenario_; }
  /// After a failed step: writes screen, COM1, capture, trace, every device's registers and state, a snapshot and the
  /// steps to the result folder, and returns its name.
  std::string keep_evidence();

  /// Runs until one of the following; RunEnd says which:
  /// - virtual time reaches `limit`, or `ended` returns true; it is called at every multiple of 100 ms (so that a run
  ///   and its continuation end alike) and whenever the scenario polls the lab;
  /// - a step of the scenario has failed or turned power off; without a limit (Time::never()) and without a window,
  ///   also when the last step is done (under a debugger only if there were steps when the session began, and the
  ///   debugger does not decide when the run ends);
  /// - the processor has stopped for good, and there is no window;
  /// - the user interrupts the run or closes the window;
  /// - request_stop() is called: another call continues, and the run ends as it would have without the pause.
  /// `what` is the text of the progress line. Throws Error (exit 4) if --lockstep has found a difference.
  RunEnd run(Time limit, const std::function<bool()>& ended, const std::function<std::string()>& what);
  /// Pauses run() at the next instruction boundary, or the next run() at once. May be called from inside the run.
  void request_stop() override { control_->request_stop(); }
  /// Between runs: executes one instruction of machine `n` (RunControl::step()), and everything due before it: other
  /// machines' work, the scenario's steps, a snapshot. Returns false if request_stop() was called before the
  /// instruction.
  bool step(std::size_t n = 0) override;

  /// Lets `client` stop run(), and examine, step and change the lab while it is stopped. To be called before the first
  /// run().
  void debug(std::unique_ptr<DebugClient> client);

  /// The text screen's lines.
  std::vector<std::string> screen(std::size_t n = 0) { return lab_->machine(n).video().text_lines(); }
  /// What the monitor of the first machine shows now.
  Picture picture() { return lab_->machine().video().picture(now()); }
  /// Throws Error (exit 3) if a host file failed during the run: a drive's image, COM1's output, the trace. To be
  /// called after the result has been output.
  void check_files();
  /// Throws if planar's own guest has failed in a machine. Another system may write anything on COM1.
  void check_guests();
  /// Whether planar's guest has reported its end on every machine of the lab.
  bool guests_done();
  /// Throws Error (exit 1) if the run ended before the time of --snapshot-at.
  void check_snapshot_taken() const;
  /// Prints and saves the screens as requested by `--screen`. Throws Error if a picture file cannot be written.
  void print_screen();

 private:
  void open(const OutputOptions& output, const StateOptions& state, std::vector<Step> steps);
  /// Output and meters of one machine.
  struct Console {
    Console(Lab& lab, std::size_t n) : frames(lab, n), delivery(lab, n), tests(lab, n), acknowledgements(lab, n) {}
    GuestOutput guest;
    FrameTimer frames;
    DeliveryMeter delivery;
    TestMeter tests;
    AcknowledgementMeter acknowledgements;
    OutputGate gate;
    std::shared_ptr<std::FILE> serial;  ///< may be shared with other machines
    std::string serial_name;
    std::string prefix;  ///< prefix of its COM1 lines if several machines share an output
  };
  void open_serial(Console& console, const std::string& where, const std::string& option);
  void serial_byte(std::size_t n, std::uint8_t value, Time now);
  void archive(Archive& a);
  void save(const std::string& file);
  /// When run() next polls the lab: every 100 ms, and when the scenario needs it.
  Time next_look() const;
  /// Runs up to `end`, saving a snapshot that is due before; returns why the run ended earlier, if it did.
  std::optional<RunEnd> advance(Time end);
  std::optional<RunEnd> advance_lab(Time end);
  /// Whether the user has asked the run to end, rather than the debugger to stop the machine.
  bool asked_to_end() const;
  /// While the window's user holds the run: executes a requested single step, not beyond `end`; returns why the run
  /// ended, if it did.
  std::optional<RunEnd> attend_held(Time end);
  void save_due(Time reached);
  void finish_run(RunEnd end);
  // DebugTarget: session_debug.cpp
  bool replay(Time limit) override;
  std::string rewind_obstacle() override;
  /// Archives the lab, the session's own state, and how far its output has come.
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
  /// The recording, if `machine` is the one at which steps are executed.
  StepWriter* recorded(std::size_t machine) { return machine == 0 ? recorded_.get() : nullptr; }
  /// PREFIX-1SUFFIX in the result folder, or the first such name that is free.
  std::string free_file(const std::string& prefix, const std::string& suffix) const;
  void begin_capture(const std::string& file);
  void watch_scenario();
  void grab_screen(const std::string& file, unsigned count);
  void insert_diskette(unsigned drive, const std::string& text);
  /// These two use the first CD-ROM drive.
  void insert_cd(const std::string& file);
  void eject_cd(bool by_force);
  unsigned first_cdrom(std::size_t machine = 0) const;
  bool in_result_folder(const std::string& file) const;
  /// Throws Error for a step that writes to a place where no file can be created.
  void check_output(const Step& step) const;
  /// The files that the steps from `first` on insert, as named in the steps.
  std::vector<std::string> files_to_insert(std::size_t first) const;
  /// Throws Error for a step from a snapshot that inserts a file that the command line does not name.
  void check_restored_steps() const;
  /// Throws Error for a file of --insert that no step inserts.
  void check_used(const std::vector<std::string>& insert) const;
  /// True if the run ends after the last step.
  bool ends_with_steps(Time limit) const;
  void print_devices(const std::string& device);
  /// Throws Error if both JSON and something else are to be written to standard output.
  void check_standard_output(const OutputOptions& output, const std::vector<Step>& steps) const;
  /// Adds the files named by the steps of a snapshot to the run's files.
  void add_restored_files();
  /// Where a step writes `file`: there, or, for a step from a snapshot, in the result folder of this run.
  std::string step_file(const std::string& file) const;
  /// The result folder, created if necessary.
  std::filesystem::path result_folder() const;
  /// The folder for evidence, created likewise: the result folder, or the first of "FOLDER-2", "FOLDER-3"... where no
  /// file of this run would be replaced.
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
  bool steps_left_ = false;      ///< there were steps to execute when the session began
  bool steps_restored_ = false;  ///< the steps came with a snapshot: it, not the user, chose the files that they name
  std::vector<std::string> insertable_;  ///< files that the user has named for insertion
  std::optional<ScenarioHost> scenario_host_;
  std::unique_ptr<Evidence> evidence_;
  std::string result_;
  bool quiet_ = false;
  std::optional<Time> snapshot_at_;
  std::string snapshot_file_, snapshot_problem_;
  bool paused_ = false;  // how the latest run() ended
  Time looked_{};        // the time of the latest poll by run() or step()
  std::function<void(std::size_t, const GuestLine&)> guest_line_;
  Progress progress_;
  std::unique_ptr<Lockstep> lockstep_;
  std::unique_ptr<Window> window_;
  Time frame_due_{};
  bool held_ = false;                    // by the window's user
  std::optional<std::size_t> stepping_;  // the machine that is to execute one instruction
  bool moved_ = false;                   // a snapshot was loaded: virtual time has changed
  std::string last_snapshot_;
  Typist typist_;                         // types text pasted into the window
  std::size_t typed_at_ = 0;              // the machine at whose keyboard it types
  std::unique_ptr<StepWriter> recorded_;  // records what the window's user does as steps
  bool replaying_ = false;
  std::unique_ptr<DebugClient> debug_client_;
  std::unique_ptr<Debugger> debugger_;
};

/// Reads a diskette image, IMG[,format=raw], with the same checks as --floppy. Throws Error (exit 3) naming the file
/// and the remedy.
NamedFile read_image(const std::string& image);
/// Reads a firmware image. Throws Error (exit 3) naming the file.
NamedFile read_firmware(const std::string& file);
/// Reads a kernel or ramdisk (up to 256 MB). Throws Error (exit 3) naming the file.
NamedFile read_boot_file(const std::string& file);

}  // namespace planar
