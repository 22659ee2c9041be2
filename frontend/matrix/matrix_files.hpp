// SPDX-License-Identifier: GPL-2.0-or-later
// The files of a verb that starts many runs: those of its options and of its machines, and the finished runs that it
// keeps.
#pragma once

#include <string>
#include <vector>

#include "core/host/file_list.hpp"
#include "frontend/matrix/matrix.hpp"

namespace CLI {
class App;
}

namespace planar {

FileList matrix_files(const CLI::App& verb, const std::vector<Cell>& cells, const MatrixOptions& options);

/// Adds the files with these names in `folder`, which `option` names, as outputs.
void add_folder_files(FileList& files, const std::string& option, const std::filesystem::path& folder,
                      const std::vector<std::string>& names);

}  // namespace planar
