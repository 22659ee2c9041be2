// SPDX-License-Identifier: GPL-2.0-or-later
// A dialog to choose a host file: folders and files by name, and a line for typing.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace planar {

class FileDialog {
 public:
  /// Opens the dialog. The title says what the file is for, the button what will be done with it. It starts in the
  /// folder of the last chosen file.
  void open(std::string title, const char* action = "Open");
  bool is_open() const { return !title_.empty(); }
  /// Draws the dialog while it is open; returns the file once one is chosen.
  std::optional<std::string> draw();

 private:
  void enter(const std::filesystem::path& folder);

  std::string title_;
  const char* action_ = "Open";
  bool opening_ = false;
  std::filesystem::path folder_;
  struct Entry {
    std::string name;
    bool folder;
  };
  std::vector<Entry> entries_;
  std::array<char, 512> typed_{};
};

}  // namespace planar
