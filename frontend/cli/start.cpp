// SPDX-License-Identifier: GPL-2.0-or-later
// `planar` without arguments on a desktop: shows the start page (frontend/window/start_page.hpp) and runs the user's
// choice as `planar run`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/options/options.hpp"
#include "frontend/window/start_page.hpp"
#include "frontend/window/window.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

/// Whether the file of a drive's option is there; its name may contain commas, as may the options after it.
bool is_there(const std::string& drive) {
  std::error_code unknown;
  for (auto end = drive.size(); end != std::string::npos && end > 0; end = drive.rfind(',', end - 1))
    if (std::filesystem::exists(drive.substr(0, end), unknown)) return true;
  return false;
}

/// The lab that `planar run` would build from the same choice.
LabConfig chosen_lab(const StartChoice& choice) {
  MachineOptions options;
  options.machine = choice.machine;
  if (!choice.card.empty()) options.cards = {choice.card};
  if (!choice.net.empty()) options.net = choice.net;
  if (!choice.diskette.empty()) options.drives.floppy = choice.diskette;
  if (!choice.diskette_b.empty()) options.drives.floppy_b = choice.diskette_b;
  if (!choice.disk.empty()) options.drives.disks = {choice.disk};
  if (!choice.cdrom.empty()) options.drives.cdroms = {choice.cdrom};
  LabConfig lab = options.lab();
  lab.read();
  return lab;
}

class Actions final : public StartActions {
 public:
  Actions() {
    for (const MachineFile& file : machine_files()) {
      Config config = load_machine(std::string(file.name));
      const MachineConfig machine = read_machine(config);
      machines_.push_back({machine.name, machine.title});
    }
  }

  const std::vector<Entry>& machines() const override { return machines_; }

  std::vector<Entry> cards(const std::string& machine) const override {
    std::vector<Entry> cards;
    for (const AdapterEntry& card : adapter_registry())
      if (!is_built_in(machine) || card.bus() == board_kind_of(load_machine(machine)).slot_bus)
        cards.push_back({std::string(card.name), std::string(card.title)});
    return cards;
  }

  void check(const StartChoice& choice) const override {
    for (const auto* file : {&choice.diskette, &choice.diskette_b, &choice.disk, &choice.cdrom})
      if (!file->empty() && *file != empty_drive && !is_there(*file))
        throw Error(fmt::format("{}: there is no such file", *file), ExitCode::missing_file);
    chosen_lab(choice);
  }

  void save(const StartChoice& choice, const std::string& file) const override {
    replace_file(file, chosen_lab(choice).resolved());
  }

 private:
  std::vector<Entry> machines_;
};

}  // namespace

int run_start_page(const std::function<int(const std::vector<std::string>& words, std::string& problem)>& run) {
  const Actions actions;
  StartChoice choice;
  std::string problem;
  for (;;) {
    const auto chosen = show_start_page(choice, actions, problem, usual_window_settings().string());
    if (!chosen) return 0;
    choice = *chosen;
    std::vector<std::string> words{"run"};
    for (auto& word : choice.arguments()) words.push_back(std::move(word));
    words.emplace_back("--window");
    problem.clear();
    if (const int code = run(words, problem); problem.empty()) return code;
  }
}

}  // namespace planar
