// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/reader/print.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "adf/reader/lexer.hpp"

namespace planar::adf {
namespace {

std::string claims(const Choice& choice) {
  std::string text;
  for (const Resource& resource : choice.resources) text += (text.empty() ? "" : ", ") + to_string(resource);
  return text;
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string result;
  std::string line(indent, ' ');
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t space = std::min(text.find(' ', position), text.size());
    const std::string word = text.substr(position, space - position);
    if (line.size() > indent && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
    position = space + 1;
  }
  if (line.size() > indent) result += line + "\n";
  return result;
}

std::string to_string(const PosSetting& setting) {
  std::string text;
  for (unsigned n = 0; n < max_pos_bytes; ++n)
    if (setting.bytes[n].mask != 0)
      text += fmt::format("{}pos[{}]={}b", text.empty() ? "" : " ", n, to_string(setting.bytes[n]));
  return text;
}

std::string to_string(const Warning& warning, const std::string& file) {
  return fmt::format("{}: warning: {}", at(file, warning.where), warning.text);
}

std::string to_text(const Adapter& adapter) {
  std::string out =
      fmt::format("{}\n  ID {}, {} POS byte{} (POS 2{}), from {}\n", adapter.name, hex(adapter.id, 4),
                  adapter.num_bytes, adapter.num_bytes == 1 ? "" : "s",
                  adapter.num_bytes == 1 ? "" : fmt::format(" to POS {}", adapter.num_bytes + 1), adapter.source);
  if (adapter.system_memory)
    out += "  system memory: configured by a program of IBM's set-up, which planar does not run\n";
  for (const HeaderOption& option : adapter.options) {
    out += fmt::format("  {}", option.keyword);
    for (const std::string& operand : option.operands) out += " " + operand;
    out += " (no effect)\n";
  }
  if (!adapter.fixed.pos.empty() || !adapter.fixed.resources.empty())
    out += "\n" + trimmed(fmt::format("Always\n  {}  {}", to_string(adapter.fixed.pos), claims(adapter.fixed)));

  for (const Item& item : adapter.items) {
    out += "\n" + item.prompt + "\n";
    std::size_t name = 0;
    std::size_t bits = 0;
    for (const Choice& choice : item.choices) {
      name = std::max(name, choice.name.size());
      bits = std::max(bits, to_string(choice.pos).size());
    }
    for (std::size_t n = 0; n < item.choices.size(); ++n) {
      const Choice& choice = item.choices[n];
      out +=
          trimmed(fmt::format("  {:<{}}  {:<{}}  {}", choice.name, name, to_string(choice.pos), bits, claims(choice)));
    }
    if (!item.help.empty()) out += wrapped(item.help, 6);
  }
  if (!adapter.warnings.empty()) out += "\n";
  for (const Warning& warning : adapter.warnings) out += to_string(warning, adapter.source) + "\n";
  return out;
}

}  // namespace planar::adf
