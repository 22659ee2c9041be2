// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/matrix/matrix_files.hpp"

#include "frontend/files/option_files.hpp"

namespace planar {

FileList matrix_files(const CLI::App& verb, const std::vector<Cell>& cells, const MatrixOptions& options) {
  FileList files = command_files(verb);
  std::vector<std::string> names;
  for (const Cell& cell : cells) names.push_back(options.file_of(cell));
  if (!options.folder.empty()) add_folder_files(files, "--results", options.folder, names);
  return files;
}

void add_folder_files(FileList& files, const std::string& option, const std::filesystem::path& folder,
                      const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto file = (folder / name).string();
    files.writes(file, option + " " + file, option);
  }
}

}  // namespace planar
