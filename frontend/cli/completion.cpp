// SPDX-License-Identifier: GPL-2.0-or-later
// `planar completion`, and the hidden verb that writes the files installed beside the program.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "core/host/host_files.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/help/completion.hpp"
#include "frontend/help/man_page.hpp"

namespace planar {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  make_folder(file.parent_path());
  replace_file(file, text);
}

/// man1/planar.1, man1/planar-VERB.1, bash/planar, zsh/_planar, fish/planar.fish
int write_installed_files(const CommandRow& program, const std::filesystem::path& folder) {
  write(folder / "man1" / "planar.1", man_page(program, PLANAR_VERSION));
  for (const CommandRow& verb : program.commands)
    write(folder / "man1" / ("planar-" + verb.path + ".1"), man_page(program, verb, PLANAR_VERSION));
  write(folder / "bash" / "planar", bash_completion(program));
  write(folder / "zsh" / "_planar", zsh_completion(program));
  write(folder / "fish" / "planar.fish", fish_completion(program));
  return 0;
}

}  // namespace

Verb add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "Print the completion script of a shell");
  verb->add_option("shell", *shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->footer(
      "Examples:\n"
      "  source <(planar completion bash)   for this shell; `make install` puts it where every shell finds it\n"
      "  planar completion fish > ~/.config/fish/completions/planar.fish");
  return [shell, &app] {
    const CommandRow program = command_table(app);
    fmt::print("{}", *shell == "bash"  ? bash_completion(program)
                     : *shell == "zsh" ? zsh_completion(program)
                                       : fish_completion(program));
    return 0;
  };
}

Verb add_installed_files(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("installed-files", "Write manual pages and shell completions into a folder");
  verb->group("");
  verb->add_option("folder", *folder, "The folder")->required()->type_name("DIR");
  return [folder, &app] { return write_installed_files(command_table(app), *folder); };
}

}  // namespace planar
