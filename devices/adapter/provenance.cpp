// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "core/common/toml_text.hpp"
#include "devices/adapter/provenance_toml.hpp"

namespace planar {
namespace {

constexpr std::string_view confidences[] = {"datasheet", "measured", "inferred", "calibrated", "informed-by-published"};

[[noreturn]] void fail(const toml::node& node, std::string_view file, const std::string& what,
                       std::string_view problem) {
  throw Error(fmt::format("{}:{}: {} {}", file, node.source().begin.line, what, problem));
}

PublishedUse read_use(const toml::node& node, std::string_view file, const std::string& what) {
  const toml::table* table = node.as_table();
  if (!table) fail(node, file, what, "has a 'published' that is not a list of tables");
  PublishedUse use{(*table)["machine"].value_or(std::string{}),
                   (*table)["card"].value_or(std::string{}),
                   {},
                   (*table)["load"].value_or(false),
                   (*table)["figure"].value_or(std::string{})};
  if (use.figure.empty() ? use.machine.empty() || use.card.empty() : !use.machine.empty() || !use.card.empty())
    fail(node, file, what, "names no published figure: write machine and card of a row, or figure = \"...\"");
  if (const toml::array* sizes = (*table)["sizes"].as_array())
    for (const toml::node& size : *sizes) {
      const auto bytes = size.value_exact<std::int64_t>();
      if (!bytes || *bytes < 1 || *bytes > 32767)
        fail(size, file, what, "has an invalid published size: write bytes, 32767 for the largest");
      use.sizes.push_back(static_cast<std::uint32_t>(*bytes));
    }
  return use;
}

}  // namespace

std::string PublishedUse::text() const {
  if (!figure.empty()) return figure;
  std::string out = machine + " " + card;
  for (const auto bytes : sizes) out += fmt::format(" {}K", (bytes + 1023) / 1024);
  if (load) out += " load";
  return out;
}

std::string published_text(const std::vector<PublishedUse>& uses) {
  std::vector<std::string> texts;
  for (const PublishedUse& use : uses) texts.push_back(use.text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

Provenance provenance_of(const toml::table& table, std::string_view file, const std::string& what) {
  const auto text = [&](std::string_view key) {
    const auto found = table[key].value<std::string>();
    if (!found)
      fail(table, file, what, fmt::format("lacks the text '{}'; every value states its source and confidence", key));
    return *found;
  };
  Provenance p{{}, text("source"), text("confidence"), {}, table["same_as"].value_or(std::string{})};
  if (std::find(std::begin(confidences), std::end(confidences), p.confidence) == std::end(confidences))
    fail(table, file, what, fmt::format("has the confidence '{}'; use {}", p.confidence, fmt::join(confidences, ", ")));
  if (const toml::array* uses = table["published"].as_array())
    for (const toml::node& use : *uses) p.published.push_back(read_use(use, file, what));
  const bool by_figures = p.confidence == "calibrated" || p.confidence == "informed-by-published";
  if (by_figures && p.published.empty())
    fail(table, file, what,
         "does not say on which published figures it was chosen: published = [{ machine = ..., card = ... }]");
  if (!by_figures && table.contains("published"))
    fail(table, file, what,
         "names published figures, but its confidence is neither calibrated nor informed-by-published");
  return p;
}

std::vector<Provenance> read_provenance(std::string_view text, std::string_view file) {
  std::vector<Provenance> list;
  try {
    const toml::table root = toml::parse(AsciiToml(text, file).text(), file);
    const toml::array* const tables = root["provenance"].as_array();
    if (!tables) return list;
    for (const toml::node& node : *tables) {
      const toml::table* const table = node.as_table();
      const auto value = table ? (*table)["value"].value<std::string>() : std::nullopt;
      if (!value) fail(node, file, "provenance", "lacks the name 'value' of what it is about");
      list.push_back(provenance_of(*table, file, fmt::format("provenance of '{}'", *value)));
      list.back().value = *value;
    }
  } catch (const toml::parse_error& e) {
    throw Error(fmt::format("{}:{}: {}; correct the TOML", file, e.source().begin.line, e.description()));
  }
  return list;
}

}  // namespace planar
