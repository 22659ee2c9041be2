// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/files/option_files.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/common/error.hpp"
#include "devices/storage/image/disk_image.hpp"
#include "frontend/files/lab_files.hpp"
#include "frontend/output/output.hpp"
#include "machines/config/machine_files.hpp"

namespace planar {
namespace {

constexpr FileOption rows[] = {
    {"--timeline", FileUse::folder, "compare"},
    {"--timeline", FileUse::reads, "diff"},
    {"--json", FileUse::writes},
    {"--serial", FileUse::writes, {}, "file:"},
    {"--screen", FileUse::writes, {}, "png:"},
    {"--capture", FileUse::writes},
    {"--audio", FileUse::writes},
    {"--trace-file", FileUse::writes},
    {"--timeline", FileUse::writes},
    {"--snapshot-at", FileUse::writes, {}, {}, 1},
    {"--junit", FileUse::writes},
    {"--svg", FileUse::writes},
    {"--record", FileUse::writes},
    {"--restore", FileUse::reads},
    {"--baseline", FileUse::reads, {}, {}, 0, "--accept"},
    {"--compare", FileUse::reads},
    {"--script", FileUse::reads},
    {"--bios", FileUse::reads},
    {"--kernel", FileUse::reads},
    {"--initrd", FileUse::reads},
    {"--insert", FileUse::reads},
    {"--do", FileUse::reads, "run"},
    {"files", FileUse::reads, "timeline"},
    {"first", FileUse::reads, "diff"},
    {"second", FileUse::reads, "diff"},
    {"file", FileUse::reads, "adf"},
    {"file", FileUse::writes, "disk create"},
    {"file", FileUse::image},
    {"--base", FileUse::image},
    {"machine", FileUse::machine},
    {"--machine", FileUse::machine},
    {"--machines", FileUse::machine},
    {"--against", FileUse::machine},
    {"name", FileUse::machine, "show"},
    {"--image", FileUse::configured},
    {"--floppy", FileUse::configured},
    {"--floppy-b", FileUse::configured},
    {"--disk", FileUse::configured},
    {"--cdrom", FileUse::configured},
    {"--report", FileUse::folder},
    {"--results", FileUse::folder},
    {"--merge", FileUse::folder},
    {"--result", FileUse::folder},
};

/// "disk info"
std::string path_of(const CLI::App& command) {
  std::string path = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent && parent->get_parent(); parent = parent->get_parent())
    path = parent->get_name() + " " + path;
  return path;
}

/// The machine of "FILE:CARD", unless a file has that name.
std::string machine_name(const std::string& value) {
  std::error_code unknown;
  return std::filesystem::exists(value, unknown) ? value : value.substr(0, value.find(':'));
}

bool is_machine_file(const std::string& name) {
  std::error_code unknown;
  return !is_built_in(name) && std::filesystem::is_regular_file(name, unknown);
}

void add(FileList& files, const FileOption& row, const std::string& value, const std::string& named_by, bool written) {
  switch (row.use) {
    case FileUse::reads:
    case FileUse::writes:
      if (value != "-") written ? files.writes(value, named_by) : files.reads(value, named_by);
      return;
    case FileUse::image:
      for (const std::string& file : storage::files_of({value, storage::WriteMode::read_only}).read)
        files.reads(file, named_by);
      return;
    case FileUse::machine:
      if (const auto name = machine_name(value); is_machine_file(name)) files.reads(name, named_by);
      return;
    case FileUse::configured:
    case FileUse::folder: return;
  }
}

/// Calls `each` with each given option and its name.
template <class F>
void each_option(const CLI::App& verb, F&& each) {
  for (const CLI::App* app = &verb; app && app->get_parent(); app = app->get_parent())
    for (const CLI::Option* option : app->get_options())
      if (option->count()) each(*option, option->get_positional() ? option->get_name(true, false) : option->get_name());
}

/// Calls `each` with the row, name and values of each given option that names files.
template <class F>
void each_file_option(const CLI::App& verb, F&& each) {
  const std::string path = path_of(verb);
  each_option(verb, [&](const CLI::Option& option, const std::string& name) {
    if (const FileOption* row = find_file_option(path, name)) each(*row, name, option.results());
  });
}

/// Whether `verb` writes the files of an option.
bool writes(const CLI::App& verb, const FileOption& row) {
  const auto* beside = row.written_with.empty() ? nullptr : verb.get_option_no_throw(std::string(row.written_with));
  return row.use == FileUse::writes || (beside && beside->count());
}

/// Throws Error for an option value with an empty file name, as a shell produces from an unset variable.
void check_named(const FileOption& row, const std::string& name, const std::vector<std::string>& values) {
  for (std::size_t n = row.first; n < values.size(); ++n)
    if (values[n] == row.prefix)
      throw Error(fmt::format("{}{} expects the name of a {}; it is empty", name,
                              row.prefix.empty() ? ":" : fmt::format(" {}", row.prefix),
                              row.use == FileUse::folder    ? "folder"
                              : row.use == FileUse::machine ? "machine, or of its file"
                                                            : "file"));
}

/// Throws Error for what cannot be on standard output: files other than JSON, and any text beside JSON.
void check_standard_output(const CLI::App& verb) {
  constexpr std::pair<std::string_view, std::string_view> printing[] = {{"--screen", "text"}, {"--serial", "stdio"}};
  bool json = false;
  each_option(verb, [&](const CLI::Option& option, const std::string& name) {
    json = json || (name == "--json" && option.results().back() == "-");
  });
  each_option(verb, [&](const CLI::Option& option, const std::string& name) {
    const auto& values = option.results();
    const auto has = [&](std::string_view value) {
      return std::find(values.begin(), values.end(), value) != values.end();
    };
    const FileOption* row = find_file_option(path_of(verb), name);
    if (row && row->use == FileUse::writes && name != "--json" && has("-"))
      throw Error(fmt::format("{} -: is not written to standard output, only --json is; name a file", name));
    for (const auto& [printed, value] : printing)
      if (json && name == printed && has(value))
        throw Error(
            fmt::format("--json - and {} {}: both write to standard output; name a file for the JSON: --json FILE",
                        printed, value));
  });
}

}  // namespace

void check_place(const std::string& file, const std::string& named_by) {
  std::error_code problem;
  const std::filesystem::path path(file), folder = path.parent_path();
  if (file == "-" || file.empty()) return;
  if (std::filesystem::is_directory(path, problem))
    throw Error(fmt::format("{}: cannot be written: that is a folder; name a file in it", named_by),
                ExitCode::missing_file);
  if (folder.empty() || std::filesystem::is_directory(folder, problem)) {
    const bool there = std::filesystem::exists(path, problem);
    if (::access(there ? path.c_str() : folder.empty() ? "." : folder.c_str(), W_OK) == 0) return;
    throw Error(fmt::format("{}: cannot be written ({}); name a file in a folder that you may write to", named_by,
                            std::strerror(errno)),
                ExitCode::missing_file);
  }
  throw Error(fmt::format("{}: cannot be written: there is no folder {}; create it (mkdir -p {}) or name another place",
                          named_by, folder.string(), shell_quoted(folder.string())),
              ExitCode::missing_file);
}

std::span<const FileOption> file_options() { return rows; }

const FileOption* find_file_option(std::string_view command, std::string_view option) {
  const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const FileOption& row) {
    return row.option == option && (row.command.empty() || row.command == command);
  });
  return found == std::end(rows) ? nullptr : found;
}

FileList option_files(const CLI::App& verb) {
  FileList files;
  each_file_option(verb, [&](const FileOption& row, const std::string& name, const std::vector<std::string>& values) {
    const bool written = writes(verb, row);
    for (std::size_t n = row.first; n < values.size(); ++n)
      if (values[n].starts_with(row.prefix))
        add(files, row, values[n].substr(row.prefix.size()), name + " " + values[n], written);
  });
  files.writes_standard_streams();
  return files;
}

FileList command_files(const CLI::App& verb) {
  FileList files = option_files(verb);
  each_file_option(verb, [&](const FileOption& row, const std::string&, const std::vector<std::string>& values) {
    if (row.use != FileUse::machine) return;
    for (const std::string& value : values)
      if (const auto name = machine_name(value); is_machine_file(name)) add_machine_files(files, name);
  });
  return files;
}

void check_option_files(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  each_file_option(*verb, check_named);
  check_standard_output(*verb);
  each_file_option(*verb, [&](const FileOption& row, const std::string& name, const std::vector<std::string>& values) {
    for (std::size_t n = row.first; writes(*verb, row) && n < values.size(); ++n)
      if (values[n].starts_with(row.prefix)) check_place(values[n].substr(row.prefix.size()), name + " " + values[n]);
  });
  option_files(*verb).check();
  command_files(*verb).check();
}

}  // namespace planar
