// SPDX-License-Identifier: GPL-2.0-or-later
// The page that `planar` without arguments opens on a desktop, to choose the machine to run, its card, images and
// network. The choice amounts to a command line of `planar run`, which the page shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

struct StartChoice {
  std::string machine = "model95";                ///< built-in, or a machine file
  std::string card;                               ///< empty: none, or those of the machine file
  std::string diskette, diskette_b, disk, cdrom;  ///< files; for drive B and CD-ROM also "empty": no medium yet
  std::string net;                                ///< as for --net; empty: the machine's default

  /// Arguments of `planar run`: machine, cards, media, network.
  std::vector<std::string> arguments() const;
  /// The same as a shell command.
  std::string command(std::string_view verb) const;
};

/// What the page needs from planar.
class StartActions {
 public:
  struct Entry {
    std::string name, title;
  };
  virtual ~StartActions() = default;

  virtual const std::vector<Entry>& machines() const = 0;
  /// The cards that fit into `machine`; all cards if it is a file.
  virtual std::vector<Entry> cards(const std::string& machine) const = 0;
  /// Throws Error if `choice` cannot be run.
  virtual void check(const StartChoice& choice) const = 0;
  /// Writes `choice` as a machine file. Throws Error.
  virtual void save(const StartChoice& choice, const std::string& file) const = 0;
};

/// True if a page can be shown: planar was built with SDL2 and Dear ImGui, and there is a display.
bool start_page_possible();

/// Shows the page, with `problem` on it if not empty, until the user has chosen; nothing if the page was closed.
/// `settings`: the window's settings file (WindowOptions). Throws Error (exit 2) if there is no display.
std::optional<StartChoice> show_start_page(StartChoice choice, const StartActions& actions, std::string problem,
                                           const std::string& settings);

}  // namespace planar
