// SPDX-License-Identifier: GPL-2.0-or-later
// Parses and checks the settings that the user fixed for an adapter.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "adf/reader/keywords.hpp"
#include "adf/solver/search.hpp"
#include "core/common/error.hpp"

namespace planar::adf {
namespace {

/// Letters and digits only, in lower case.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : lower(text))
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) result += c;
  return result;
}

std::optional<ResourceKind> kind_of(const std::string& key) {
  if (key == "io") return ResourceKind::io;
  if (key == "mem" || key == "memory") return ResourceKind::memory;
  if (key == "irq" || key == "int") return ResourceKind::interrupt;
  if (key == "arb" || key == "dma") return ResourceKind::arbitration;
  return std::nullopt;
}

/// An unsigned number of base 10 or 16 with the usual prefix or suffix; nothing if it is not one or exceeds 32 bits.
std::optional<std::uint32_t> number(std::string text, bool hexadecimal) {
  text = lower(text);
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  while (!text.empty() && blank(text.front())) text.erase(text.begin());
  if (text.starts_with("0x")) {
    text.erase(0, 2);
    hexadecimal = true;
  } else if (text.ends_with('h')) {
    text.pop_back();
    hexadecimal = true;
  }
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    unsigned digit = 16;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    if (hexadecimal && c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a' + 10);
    if (digit == 16) return std::nullopt;
    value = value * (hexadecimal ? 16 : 10) + digit;
    if (value > 0xFFFF'FFFF) return std::nullopt;
  }
  return static_cast<std::uint32_t>(value);
}

class Preparer {
 public:
  explicit Preparer(const SlotRequest& request) : request_(request), adapter_(request.adapter) {
    slot_.request = &request;
    for (const Item& item : adapter_.items) slot_.allowed.emplace_back(item.choices.size(), true);
    slot_.item_pinned.assign(adapter_.items.size(), false);
  }

  PreparedSlot run() {
    for (const Pin& pin : request_.pins) {
      if (lower(pin.value) == "auto") continue;
      slot_.pin_texts.push_back(fmt::format("{} = {}", pin.key, pin.value));
      if (const auto kind = kind_of(lower(pin.key)))
        resource(pin, *kind);
      else
        item(pin);
    }
    return std::move(slot_);
  }

 private:
  [[noreturn]] void fail(const Pin& pin, const std::string& problem) const {
    throw Error(fmt::format("{}slot {} ({}): {} = {}: {}", pin.where.empty() ? "" : pin.where + ": ", request_.slot,
                            adapter_.name, pin.key, pin.value, problem));
  }

  void resource(const Pin& pin, ResourceKind kind) {
    const bool range = kind == ResourceKind::io || kind == ResourceKind::memory;
    ResourcePin wish{kind, 0, std::nullopt, slot_.pin_texts.back()};
    const auto dash = pin.value.find('-');
    auto first = number(pin.value.substr(0, dash), range);
    if (!first || (dash != std::string::npos && !range))
      fail(pin, range ? "this is not an address; write it as in 1000h, 0x1000 or 1000h-102Fh"
                      : "this is not a level; write a decimal number");
    if (dash != std::string::npos) {
      wish.last = number(pin.value.substr(dash + 1), range);
      if (!wish.last || *wish.last < *first) fail(pin, "this is not a range; write it as in 1000h-102Fh");
    }
    if (kind == ResourceKind::interrupt && *first == 2) first = 9;
    wish.first = *first;

    std::vector<Resource> offered;
    bool possible = wish.met_by(adapter_.fixed);
    const auto collect = [&](const Choice& choice) {
      for (const Resource& one : choice.resources)
        if (one.kind == kind && std::find(offered.begin(), offered.end(), one) == offered.end()) offered.push_back(one);
      possible |= wish.met_by(choice);
    };
    collect(adapter_.fixed);
    for (const Item& item : adapter_.items)
      for (const Choice& choice : item.choices) collect(choice);
    if (!possible) {
      std::string list;
      for (const Resource& one : offered) list += (list.empty() ? "" : ", ") + to_string(one);
      fail(pin, list.empty() ? "the adapter has nothing of this kind; remove the line"
                             : fmt::format("the adapter does not offer this; it offers {}", list));
    }
    slot_.resource_pins.push_back(std::move(wish));
  }

  void item(const Pin& pin) {
    if (const Item* const named = find_item(adapter_, pin.key)) {
      const Item& item = *named;
      const auto i = static_cast<std::size_t>(named - adapter_.items.data());
      const std::string value = plain(pin.value);
      std::string names;
      bool found = false;
      for (std::size_t c = 0; c < item.choices.size(); ++c) {
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", item.choices[c].name);
        const bool wanted = plain(item.choices[c].name) == value;
        found |= wanted;
        if (!wanted) slot_.allowed[i][c] = false;
      }
      if (!found) fail(pin, fmt::format("the item \"{}\" has no such choice; it has {}", item.prompt, names));
      if (std::find(slot_.allowed[i].begin(), slot_.allowed[i].end(), true) == slot_.allowed[i].end())
        fail(pin, fmt::format("the item \"{}\" is fixed twice; remove one of the two lines", item.prompt));
      slot_.item_pinned[i] = true;
      return;
    }
    std::string prompts;
    for (const Item& item : adapter_.items)
      prompts += fmt::format("{}\"{}\"", prompts.empty() ? "" : ", ", item.prompt);
    fail(pin, fmt::format("the adapter has no such item; it has {} and, in every adapter, io, mem, "
                          "irq and arb can "
                          "be fixed",
                          prompts.empty() ? "none" : prompts));
  }

  const SlotRequest& request_;
  const Adapter& adapter_;
  PreparedSlot slot_;
};

}  // namespace

const Item* find_item(const Adapter& adapter, std::string_view key) {
  const std::string name = plain(key);
  for (const Item& item : adapter.items)
    if (!name.empty() && plain(item.prompt) == name) return &item;
  return nullptr;
}

PreparedSlot prepare(const SlotRequest& request) { return Preparer(request).run(); }

}  // namespace planar::adf
