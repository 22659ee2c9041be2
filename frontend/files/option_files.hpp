// SPDX-License-Identifier: GPL-2.0-or-later
// Which options of the command line name files, and what a run does with those. A test walks the options of all verbs:
// one whose value's name says FILE and that stands in no row here fails it.
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
  configured,  ///< it becomes part of the machine's configuration, which lists its files (lab_files.hpp)
  folder       ///< what is kept below it is named by the verb
};

struct FileOption {
  std::string_view option;
  FileUse use;
  std::string_view command = {};       ///< of this one only ("disk info"), before rows for all
  std::string_view prefix = {};        ///< a value that does not begin so names no file: "file:" of --serial
  unsigned first = 0;                  ///< which of its values is the first file: 1 of --snapshot-at TIME FILE
  std::string_view written_with = {};  ///< the option beside which it is written, too
};

std::span<const FileOption> file_options();
/// The row of an option of `command`, or nothing.
const FileOption* find_file_option(std::string_view command, std::string_view option);

/// The files that the options of `verb`, as they were given, name by themselves.
FileList option_files(const CLI::App& verb);
/// The same with all that the machines' files among them name, as inputs: where the runs are other processes'.
FileList command_files(const CLI::App& verb);

/// Throws Error (ExitCode::missing_file) if no file can come to be at `file`, which is written at the end of a run,
/// maybe hours later. `named_by` is where the user named it; "-" is standard output.
void check_place(const std::string& file, const std::string& named_by);

/// Throws Error when a file of the command line below `app` has no name, when an output has no folder to be in or would
/// destroy one of its inputs, and when JSON and text would be mixed on standard output, before anything is opened. What
/// only a machine's configuration says, a session checks (lab_files.hpp).
void check_option_files(const CLI::App& app);

}  // namespace planar
