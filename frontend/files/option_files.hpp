// SPDX-License-Identifier: GPL-2.0-or-later
// The command line options that name files, and what a run does with those files. A test walks the options of all verbs
// and fails if the value of one is called FILE but the option has no row here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/host/file_list.hpp"

namespace CLI {
class App;
}

namespace planar {

enum class FileUse : std::uint8_t {
  reads,
  writes,
  image,       ///< a disk's image, or an overlay, which is read together with its base
  machine,     ///< a built-in machine, or a file
  configured,  ///< becomes part of the machine's configuration, which lists its files (lab_files.hpp)
  folder       ///< the verb names the files that it keeps there
};

struct FileOption {
  std::string_view option;
  FileUse use;
  std::string_view command = {};       ///< only this one ("disk info"); precedes rows for all commands
  std::string_view prefix = {};        ///< a value that does not begin with it names no file: "file:" of --serial
  unsigned first = 0;                  ///< index of the first value that is a file: 1 for --snapshot-at TIME FILE
  std::string_view written_with = {};  ///< with this option the file is written, too
};

std::span<const FileOption> file_options();
/// The row of an option of `command`, or nothing.
const FileOption* find_file_option(std::string_view command, std::string_view option);

/// The files that the given options of `verb` name directly.
FileList option_files(const CLI::App& verb);
/// The same and, as inputs, all files that the machine files among them name; for verbs that run other processes.
FileList command_files(const CLI::App& verb);

/// Throws Error (ExitCode::missing_file) if no file can be created at `file`, which is written at the end of a run,
/// possibly hours later. `named_by` says where the user named it; "-" is standard output.
void check_place(const std::string& file, const std::string& named_by);

/// Throws Error, before anything is opened, if a file on the command line below `app` has no name, if an output has no
/// folder to be created in or would overwrite one of the inputs, or if JSON and text would be mixed on standard output.
/// Files that only a machine's configuration names are checked by the session (lab_files.hpp).
void check_option_files(const CLI::App& app);

}  // namespace planar
