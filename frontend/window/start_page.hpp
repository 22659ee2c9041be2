// SPDX-License-Identifier: GPL-2.0-or-later
// The page that `planar` without arguments opens on a desktop: what machine to run, with which card, images and
// network. What it chooses is a command line of `planar run`, which it shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

struct StartChoice {
  std::string machine = "model95";                ///< built-in, or a machine file
  std::string card;                               ///< empty: none, or those of the machine file
  std::string diskette, diskette_b, disk, cdrom;  ///< files; drive B and CD-ROM also "empty": nothing in it yet
  std::string net;                                ///< as --net; empty: as the machine has it

  /// Of `planar run`: machine, cards, media, network.
  std::vector<std::string> arguments() const;
  /// The same as it is typed into a shell.
  std::string command(std::string_view verb) const;
};

/// What the page asks planar for.
class StartActions {
 public:
  struct Entry {
    std::string name, title;
  };
  virtual ~StartActions() = default;

  virtual const std::vector<Entry>& machines() const = 0;
  /// The cards that fit into `machine`; all for a file.
  virtual std::vector<Entry> cards(const std::string& machine) const = 0;
  /// Throws Error if that cannot be run.
  virtual void check(const StartChoice& choice) const = 0;
  /// Writes it as a machine file. Throws Error.
  virtual void save(const StartChoice& choice, const std::string& file) const = 0;
};

/// A page can be shown: planar was built with SDL2 and Dear ImGui, and there is a display.
bool start_page_possible();

/// Shows the page, with `problem` on it if there is one, until its user has chosen; nothing: the page was closed.
/// `settings`: the window's file of settings (WindowOptions). Throws Error (exit 2) if there is no display.
std::optional<StartChoice> show_start_page(StartChoice choice, const StartActions& actions, std::string problem,
                                           const std::string& settings);

}  // namespace planar
