// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/reader/parser.hpp"

#include <fmt/format.h>

#include <utility>

#include "adf/reader/reader.hpp"

namespace planar::adf {

Adapter parse_adf(std::string_view text, std::string_view file) {
  Adapter adapter = Parser(text, file).run();
  check(adapter, file);
  return adapter;
}

Parser::Parser(std::string_view text, std::string_view file) : file_(file) {
  Lexer lexer(text, file);
  do tokens_.push_back(lexer.next());
  while (tokens_.back().kind != Token::Kind::end);
  adapter_.source = file_;
}

Adapter Parser::run() {
  while (current().kind != Token::Kind::end) statement();
  require_header();
  return std::move(adapter_);
}

void Parser::require_header() {
  if (!has_id_)
    fail({1, 1},
         "there is no AdapterId; an adapter description begins with AdapterId, AdapterName and "
         "NumBytes");
  if (!has_num_bytes_) fail(current().where, "there is no NumBytes; add the number of POS bytes that the adapter uses");
  if (adapter_.name.empty()) {
    adapter_.name = "adapter " + hex(adapter_.id, 4);
    warn({1, 1}, "there is no AdapterName");
  }
  if (highest_pos_ >= static_cast<int>(adapter_.num_bytes))
    fail(highest_pos_where_, fmt::format("pos[{}] is set, but NumBytes is {}; NumBytes counts from "
                                         "pos[0], so it must be {} or more",
                                         highest_pos_, adapter_.num_bytes, highest_pos_ + 1));
  for (const Item& item : adapter_.items)
    if (item.choices.empty())
      fail(item.where, fmt::format("the item \"{}\" has no Choice; add one, or remove the item", item.prompt));
}

void Parser::statement() {
  if (current().kind != Token::Kind::atom) unexpected("a keyword");
  const Token& keyword = take();
  switch (find_keyword(keyword.text)) {
    case Keyword::adapter_id: return adapter_id();
    case Keyword::adapter_name: return adapter_name();
    case Keyword::num_bytes: return num_bytes();
    case Keyword::fixed_resources:
      if (has_fixed_) warn(keyword.where, "FixedResources appears a second time; both are used");
      has_fixed_ = in_fixed_ = true;
      in_item_ = false;
      if (adapter_.fixed.where.line == 0) adapter_.fixed.where = keyword.where;
      return;
    case Keyword::sys_mem: return system_memory();
    case Keyword::header_option: return header_option(keyword);
    case Keyword::named_item: return begin_item(keyword.where);
    case Keyword::input:
      warn(keyword.where, "an Input item (a number entered by the user) is skipped");
      return skip_input();
    case Keyword::prompt: return prompt(keyword);
    case Keyword::choice: return choice(keyword);
    case Keyword::help: return help(keyword);
    case Keyword::pos: return pos_byte(keyword);
    case Keyword::io: return ranges(keyword, ResourceKind::io, 0xFFFF);
    case Keyword::memory: return ranges(keyword, ResourceKind::memory, 0xFFFF'FFFF);
    case Keyword::interrupt: return levels(keyword, ResourceKind::interrupt, 15);
    case Keyword::arbitration: return levels(keyword, ResourceKind::arbitration, 14);
    case Keyword::program:
      warn(keyword.where, fmt::format("{} calls a program of IBM's set-up, which planar does not run; it is "
                                      "skipped",
                                      keyword.text));
      return skip_operands();
    case Keyword::none: break;
  }
  if (keyword.text[0] >= '0' && keyword.text[0] <= '9') {
    --position_;
    unexpected("a keyword");
  }
  const std::string_view near = nearest_keyword(keyword.text);
  warn(keyword.where, fmt::format("unknown keyword {}{}; it and its operands are skipped", keyword.text,
                                  near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
  skip_operands();
}

void Parser::adapter_id() {
  const Token at_value = current();
  const std::uint32_t id = expect_number("the ID after AdapterId");
  if (has_id_) fail(at_value.where, "AdapterId appears a second time; a file describes one adapter");
  if (id == 0 || id >= 0xFFFF)
    fail(at_value.where, fmt::format("{} cannot be an adapter's ID (0 means not ready, FFFFh an empty slot, and it "
                                     "has 16 bits); write the ID as in 07154h",
                                     at_value.text));
  has_id_ = true;
  adapter_.id = static_cast<std::uint16_t>(id);
}

void Parser::adapter_name() {
  const Location where = current().where;
  std::string name = expect_name("the name after AdapterName");
  if (!adapter_.name.empty()) fail(where, "AdapterName appears a second time; remove one");
  if (name.size() > 66) warn(where, "AdapterName is longer than the 66 characters of the set-up screen");
  adapter_.name = std::move(name);
}

void Parser::num_bytes() {
  const Location where = current().where;
  const std::uint32_t count = expect_number("the count after NumBytes");
  if (has_num_bytes_) fail(where, "NumBytes appears a second time; remove one");
  if (count == 0 || count > max_pos_bytes)
    fail(where, fmt::format("NumBytes {} is out of range; 1 to {} POS bytes can be stored (POS 2 to POS 7)", count,
                            max_pos_bytes));
  if (count > 4) warn(where, "NumBytes is above 4: POS 6 and POS 7 are the subaddress registers of most adapters");
  has_num_bytes_ = true;
  adapter_.num_bytes = count;
}

void Parser::system_memory() {
  SystemMemory memory;
  memory.granularity = expect_number("the granularity after SysMem");
  if (at_number()) memory.address_size = expect_number("the address size of SysMem");
  adapter_.system_memory = memory;
}

void Parser::header_option(const Token& keyword) {
  HeaderOption option{keyword.text, {}, keyword.where};
  const std::size_t first = position_;
  skip_operands();
  for (std::size_t n = first; n < position_; ++n) option.operands.push_back(tokens_[n].text);
  if (adapter_.options.size() >= max_items) fail(keyword.where, "too many header options; remove some");
  adapter_.options.push_back(std::move(option));
}

void Parser::begin_item(Location where) {
  if (adapter_.items.size() >= max_items)
    fail(where, fmt::format("more than {} items; an adapter has only {} POS bits", max_items, max_items));
  adapter_.items.push_back(Item{});
  adapter_.items.back().prompt = fmt::format("Item {}", adapter_.items.size());
  adapter_.items.back().where = where;
  in_item_ = true;
  in_fixed_ = false;
}

void Parser::prompt(const Token& keyword) {
  if (!in_item_ || !adapter_.items.back().choices.empty()) {
    warn(keyword.where, "Prompt without NamedItem before it; a new item begins here");
    begin_item(keyword.where);
  }
  adapter_.items.back().prompt = expect_name("the text after Prompt");
}

void Parser::choice(const Token& keyword) {
  if (!in_item_) fail(keyword.where, "a Choice outside an item; put NamedItem and Prompt \"...\" before it");
  Item& item = adapter_.items.back();
  if (item.choices.size() >= max_choices)
    fail(keyword.where, fmt::format("more than {} choices in one item", max_choices));
  Choice choice;
  choice.name = expect_name("the name after Choice");
  choice.where = keyword.where;
  item.choices.push_back(std::move(choice));
}

void Parser::help(const Token& keyword) {
  if (current().kind != Token::Kind::string) unexpected("the text after Help");
  const std::string text = collapsed(take().text);
  if (!in_item_) return warn(keyword.where, "a Help outside an item is ignored");
  if (text.size() > 1000) warn(keyword.where, "Help is longer than the 1000 characters that the set-up displays");
  adapter_.items.back().help = text;
}

void Parser::pos_byte(const Token& keyword) {
  expect('[', "pos");
  const Location where = current().where;
  const std::uint32_t index = expect_number("the number of the POS byte in pos[...]");
  if (index >= max_pos_bytes)
    fail(where, fmt::format("there is no pos[{}]; pos[0] to pos[{}] are POS 2 to POS 7", index, max_pos_bytes - 1));
  expect(']', "the number of the POS byte");
  expect('=', "pos[...]");
  const PosBits bits = expect_mask();
  Choice& owner = target(keyword);
  PosBits& known = owner.pos.bytes[index];
  if ((known.mask & bits.mask & (known.value ^ bits.value)) != 0)
    fail(keyword.where, fmt::format("pos[{0}]={1}b contradicts pos[{0}]={2}b of the same {3}; a bit can have "
                                    "only one value",
                                    index, to_string(bits), to_string(known), in_fixed_ ? "FixedResources" : "choice"));
  known.mask |= bits.mask;
  known.value |= bits.value;
  if (static_cast<int>(index) > highest_pos_) {
    highest_pos_ = static_cast<int>(index);
    highest_pos_where_ = keyword.where;
  }
}

void Parser::ranges(const Token& keyword, ResourceKind kind, std::uint32_t highest) {
  Choice& owner = target(keyword);
  do {
    const Location where = current().where;
    const Range range = expect_range(keyword.text);
    if (range.last > highest)
      fail(where, fmt::format("{} is above the highest {}, {}", hex(range.last, 4),
                              kind == ResourceKind::io ? "I/O port" : "address", hex(highest)));
    add(owner, keyword, {kind, range.first, range.last});
    if (current().is(',')) {
      take();
      if (!at_number()) unexpected(fmt::format("another range after the comma of {}", keyword.text));
    }
  } while (at_number());
}

void Parser::levels(const Token& keyword, ResourceKind kind, std::uint32_t highest) {
  Choice& owner = target(keyword);
  do {
    const Token level = current();
    std::uint32_t value = expect_number(fmt::format("a level after {}", keyword.text));
    if (value > highest)
      fail(level.where, fmt::format("there is no {} level {}; they go from 0 to {}",
                                    kind == ResourceKind::interrupt ? "interrupt" : "arbitration", value, highest));
    if (kind == ResourceKind::interrupt && value == 2) value = 9;  // redirected, as on the AT
    add(owner, keyword, {kind, value, value});
    if (current().is('-'))
      fail(current().where, fmt::format("levels of {} are written one by one, not as a range", keyword.text));
    if (current().is(',')) {
      take();
      if (!at_number()) unexpected(fmt::format("another level after the comma of {}", keyword.text));
    }
  } while (at_number());
}

void Parser::skip_input() {
  in_item_ = in_fixed_ = false;
  while (current().kind != Token::Kind::end) {
    if (current().kind == Token::Kind::atom) {
      const Keyword keyword = find_keyword(current().text);
      if (keyword == Keyword::named_item || keyword == Keyword::input || keyword == Keyword::fixed_resources) return;
    }
    take();
  }
}

void Parser::skip_operands() {
  while (current().kind != Token::Kind::end && !at_keyword()) take();
}

}  // namespace planar::adf
