// SPDX-License-Identifier: GPL-2.0-or-later
// What the user at the window can do to the run. Each call is made from Window::update(), while every processor is
// between two instructions. Those that may fail throw Error, which the window shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace planar {

class WindowActions {
 public:
  virtual ~WindowActions() = default;

  /// Virtual time stands still while the run is held.
  virtual bool held() const = 0;
  virtual void hold(bool on) = 0;
  /// Executes one instruction of `machine`; the run is held before and after it.
  virtual void step_held(std::size_t machine) = 0;

  // ---- these take part in the run: it is not repeatable any more ----------------------------------------------------
  /// A key by its code (Ps2Keyboard::key()).
  virtual void key(std::size_t machine, std::uint16_t code, bool pressed) = 0;
  /// To the right and up.
  virtual void move_mouse(std::size_t machine, int right, int up) = 0;
  /// Bit 0 left, 1 right, 2 middle.
  virtual void press_buttons(std::size_t machine, std::uint8_t pressed) = 0;
  /// Types `text` on the machine's keyboard as it reads, in virtual time; characters without a key are left out.
  virtual void type(std::size_t machine, const std::string& text) = 0;
  virtual bool typing() const = 0;
  /// Discards the rest of the text.
  virtual void stop_typing() = 0;
  /// As by the power switch; memory keeps its contents.
  virtual void reset_machine(std::size_t machine) = 0;
  /// `drive`: 0 A, 1 B.
  virtual void change_diskette(std::size_t machine, unsigned drive, const std::string& file) = 0;
  virtual void eject_diskette(std::size_t machine, unsigned drive) = 0;
  /// `id`: the drive's SCSI address or IDE number. Both calls fail while the guest has locked the tray, unless
  /// `by_force`.
  virtual void change_cdrom(std::size_t machine, unsigned id, const std::string& file) = 0;
  virtual void eject_cdrom(std::size_t machine, unsigned id, bool by_force) = 0;
  virtual void load_snapshot(const std::string& file) = 0;

  // ---- these only look; each returns the file that it wrote, a new one in the result folder --------------------
  virtual std::string save_snapshot() = 0;
  /// The snapshot that was saved or loaded last; empty: none.
  virtual const std::string& last_snapshot() const = 0;
  virtual std::string save_screen(std::size_t machine) = 0;
  /// `rgb`: 3 * width * height bytes.
  virtual std::string save_picture(unsigned width, unsigned height, std::vector<std::uint8_t> rgb) = 0;
  virtual bool capturing() const = 0;
  /// Begins or ends a capture of every medium; returns its file.
  virtual std::string capture(bool on) = 0;
  virtual bool recording() const = 0;
  /// Begins or ends recording the user's actions at the first machine as steps; returns their file.
  virtual std::string record(bool on) = 0;
};

}  // namespace planar
