// SPDX-License-Identifier: GPL-2.0-or-later
// What a person at the window can do to the run. Each call comes from inside Window::update(), while every processor
// stands between two instructions. Those that may fail throw Error, which the window shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace planar {

class WindowActions {
 public:
  virtual ~WindowActions() = default;

  /// Virtual time stands still while it is held.
  virtual bool held() const = 0;
  virtual void hold(bool on) = 0;
  /// One instruction of machine `machine`; held before and after it.
  virtual void step_held(std::size_t machine) = 0;

  // ---- these take part in the run: it is not repeatable any more ----------------------------------------------------
  /// As by the power switch; memory keeps its contents.
  virtual void reset_machine(std::size_t machine) = 0;
  virtual void change_diskette(std::size_t machine, const std::string& file) = 0;
  /// The drive at SCSI address `id`.
  virtual void change_cdrom(std::size_t machine, unsigned id, const std::string& file) = 0;
  virtual void load_snapshot(const std::string& file) = 0;

  // ---- these only look; each returns the file that it wrote, a new one in the result folder
  // --------------------------
  virtual std::string save_snapshot() = 0;
  /// The one that was saved or loaded last; empty: none.
  virtual const std::string& last_snapshot() const = 0;
  virtual std::string save_screen(std::size_t machine) = 0;
  /// `rgb`: 3 * width * height bytes.
  virtual std::string save_picture(unsigned width, unsigned height, std::vector<std::uint8_t> rgb) = 0;
  virtual bool capturing() const = 0;
  /// Begins a capture of every medium, or ends it; returns its file.
  virtual std::string capture(bool on) = 0;
};

}  // namespace planar
