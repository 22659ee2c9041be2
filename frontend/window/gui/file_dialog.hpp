// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses a file of the host: folders and files by name, and a line to type into.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace planar {

class FileDialog {
 public:
  /// Opens it with a title that says what the file is for, and a button that says what is done. It begins in the folder
  /// of the file that was chosen last.
  void open(std::string title, const char* action = "Open");
  bool is_open() const { return !title_.empty(); }
  /// Draws it while it is open; the file, once one is chosen.
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
