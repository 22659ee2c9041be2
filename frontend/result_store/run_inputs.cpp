// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/result_store/run_inputs.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "core/state/sha256.hpp"
#include "frontend/files/option_files.hpp"
#include "frontend/options/option_group.hpp"
#include "frontend/options/options.hpp"
#include "machines/config/machine_files.hpp"

namespace planar {
namespace {

/// Reading a larger image would take longer than many runs.
constexpr std::uint64_t largest_image = 64 << 20;

/// Throws Error for a file that cannot be read or is too large.
std::string content_line(const std::string& what, const std::string& file) {
  return fmt::format("{} {}\n", what,
                     sha256_hex(read_host_file(file, largest_image, "cannot be read", "is too large")));
}

/// Whether an option requests more than a result, or loads a whole lab.
bool has_more_than_a_result(const CLI::App& verb) {
  const auto options = verb.get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    const auto group = option->get_group();
    const auto name = option->get_name();
    return option->count() && name != "--json" && name != "--quiet" &&
           (group == output_group || group == snapshot_group || group == check_group || group.empty());
  });
}

/// All inputs of one machine; nothing if they include the host or a file that is written.
std::optional<std::string> machine_text(Config& config, const MachineConfig& machine) {
  if (machine.host_net || !machine.start.serial.empty() || !config.texts("scenario.steps").empty()) return std::nullopt;
  std::string text = config.resolved();
  std::vector<storage::DiskSpec> disks;
  for (const auto& floppy : machine.floppies)
    if (floppy) disks.push_back(*floppy);
  for (const DriveConfig& drive : machine.drives) disks.push_back(drive.disk);
  if (!machine.start.image.empty()) disks.push_back(parse_image_option("image", machine.start.image));
  for (const storage::DiskSpec& disk : disks) {
    const auto files = storage::files_of(disk);
    if (!files.written.empty()) return std::nullopt;
    for (const std::string& file : files.read) text += content_line("disk", file);
  }
  for (const auto& [what, file] :
       {std::pair{"bios", &machine.start.bios}, {"kernel", &machine.start.kernel}, {"initrd", &machine.start.initrd}})
    if (!file->empty()) text += content_line(what, *file);
  return text;
}

/// The machines named by the benchmark's own options (--against MACHINE[:CARD]). Nothing if an option reads or writes
/// another kind of file.
std::optional<std::string> text_of_others(const std::string& verb, const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t n = 0; n < words.size(); ++n) {
    const auto equals = words[n].find('=');
    const FileOption* row = find_file_option(verb, words[n].substr(0, equals));
    if (!row) continue;
    if (row->use != FileUse::machine) return std::nullopt;
    const auto value = equals != std::string::npos ? words[n].substr(equals + 1)
                       : n + 1 < words.size()      ? words[n + 1]
                                                   : std::string();
    Config config = load_machine(value.substr(0, value.find(':')));
    const MachineConfig machine = read_machine(config);
    const auto part = machine_text(config, machine);
    if (!part) return std::nullopt;
    text += words[n] + "\n" + *part;
  }
  return text;
}

}  // namespace

std::optional<RunInputs> run_inputs(const std::vector<std::string>& arguments) {
  CLI::App verb({}, arguments.front());
  verb.set_help_flag();
  verb.allow_extras();  // the benchmark's own options
  MachineOptions options;
  OutputOptions output;
  StateOptions state;
  options.add_to(verb, false);
  output.add_to(verb);
  state.add_to(verb);
  try {
    verb.parse(std::vector<std::string>(arguments.rbegin(), std::prev(arguments.rend())));
    if (has_more_than_a_result(verb)) return std::nullopt;
    Config config = options.config(true);
    const MachineConfig machine = read_machine(config);
    const auto own = machine_text(config, machine), others = text_of_others(arguments.front(), verb.remaining());
    if (!own || !others) return std::nullopt;
    return RunInputs{sha256_hex(*own + *others), machine.label_of_results()};
  } catch (const Error&) { return std::nullopt; } catch (const CLI::Error&) {
    return std::nullopt;
  }
}

}  // namespace planar
