// SPDX-License-Identifier: GPL-2.0-or-later
// Shell completion scripts, made from the rows of the command line and the names that this program knows.
#pragma once

#include <string>
#include <vector>

#include "frontend/help/command_table.hpp"

namespace planar {

/// How an option's value is completed, according to the value's name: FILE and DIR are the host's; MACHINE, CARD,
/// SYSTEM and CATEGORY stand for names that this program knows; lower-case words stand for themselves.
struct Completion {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;
  bool list = false;  ///< several, separated by commas

  bool empty() const { return words.empty() && !files && !folders; }
};
Completion completion_of(const OptionRow& option);

/// The part of a description that fits on a line of a menu.
std::string brief(const std::string& text);

std::string bash_completion(const CommandRow& program);
std::string zsh_completion(const CommandRow& program);
std::string fish_completion(const CommandRow& program);

}  // namespace planar
