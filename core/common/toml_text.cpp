// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/common/error.hpp"

namespace planar {

namespace {

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

Letter decode(std::string_view text) {
  const auto byte = [text](std::size_t n) { return static_cast<std::uint8_t>(n < text.size() ? text[n] : 0); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4) return {};
  char32_t code = first & (0xFFu >> (bytes + 1));
  for (std::size_t n = 1; n < bytes; ++n) {
    if ((byte(n) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(n) & 0x3Fu);
  }
  if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, bytes};
}

/// The end of the string that begins at `at`, including its closing quotes; an unclosed one ends with its line or the
/// text.
std::size_t string_end(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
  const bool multiline = toml.substr(at, 3) == three;
  for (at += multiline ? 3 : 1; at < toml.size(); ++at) {
    if (quote == '"' && toml[at] == '\\') {
      ++at;
    } else if (multiline && toml.substr(at, 3) == three) {
      at += 3;
      for (int own = 0; own < 2 && at < toml.size() && toml[at] == quote; ++own) ++at;  // quotes inside the string
      return at;
    } else if (!multiline && (toml[at] == quote || toml[at] == '\n')) {
      return toml[at] == quote ? at + 1 : at;
    }
  }
  return toml.size();
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

/// Writes the text and tracks positions in it and in the document.
class AsciiToml::Writer {
 public:
  Writer(AsciiToml& to, std::string_view name) : to_(to), name_(name) {}

  /// Writes `instead` in place of one character of the document.
  void put(Letter letter, std::string_view instead) {
    to_.text_ += instead;
    column_ += instead.size();
    if (letter.code == '\n') {
      ++line_;
      column_ = 1;
    } else if (instead.size() > 1) {
      to_.longer_.push_back({{line_, column_}, instead.size() - 1});
    }
  }
  void put(char c) { put({static_cast<unsigned char>(c), 1}, {&c, 1}); }

  [[noreturn]] void fail(std::string_view problem) const {
    const TextPlace at = to_.place(line_, column_);
    throw Error(fmt::format("{}:{}:{}: {}", name_, at.line, at.column, problem));
  }

  Letter letter(std::string_view rest) const {
    const Letter found = decode(rest);
    if (found.bytes == 0) fail("is not UTF-8; save the file in that encoding");
    return found;
  }

  void comment(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const Letter next = letter(text.substr(at));
      put(next, next.code < 0x80 ? text.substr(at, 1) : "?");
      at += next.bytes;
    }
  }

  /// A string with its quotes. A literal string becomes a basic one, which can hold escapes.
  void string(std::string_view text) {
    const bool literal = text[0] == '\'';
    const std::size_t quotes = text.substr(0, 3) == (literal ? "'''" : "\"\"\"") ? 3 : 1;
    const bool closed = text.size() >= 2 * quotes && text.ends_with(text.substr(0, quotes));
    const std::size_t end = closed ? text.size() - quotes : text.size();
    for (std::size_t at = 0; at < text.size();) {
      const Letter next = letter(text.substr(at));
      const bool content = at >= quotes && at < end;
      if (next.code >= 0x80) {
        put(next, fmt::format("\\U{:08X}", static_cast<std::uint32_t>(next.code)));
      } else if (!literal) {
        put(text[at]);
        if (content && next.code == '\\' && at + 1 < text.size()) {  // with the character that it escapes
          if (static_cast<unsigned char>(text[at + 1]) >= 0x80)
            fail("is not an escape sequence; write \\\\ for a backslash");
          put(text[at + 1]);
          ++at;
        }
      } else if (!content) {
        put('"');
      } else {
        const std::string escaped = {'\\', text[at]};
        put(next, next.code == '\\' || next.code == '"' ? std::string_view(escaped) : text.substr(at, 1));
      }
      at += next.bytes;
    }
  }

 private:
  AsciiToml& to_;
  std::string_view name_;
  std::size_t line_ = 1, column_ = 1;  ///< where the next character of the text goes
};

AsciiToml::AsciiToml(std::string_view toml, std::string_view name) {
  constexpr unsigned most_dots = 32;  // of a key: the library descends one level on the stack for each
  constexpr std::string_view ends_key = "=[]{},\n";
  unsigned dots = 0;
  Writer writer(*this, name);
  for (std::size_t at = toml.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < toml.size();) {  // 3: a byte order mark
    const char c = toml[at];
    if (c == '#') {
      const std::string_view comment = toml.substr(at, std::min(toml.find('\n', at), toml.size()) - at);
      writer.comment(comment);
      at += comment.size();
    } else if (c == '"' || c == '\'') {
      const std::string_view string = toml.substr(at, string_end(toml, at) - at);
      if (is_ascii(string)) {
        for (const char letter : string) writer.put(letter);
      } else {
        writer.string(string);
      }
      at += string.size();
    } else {
      if (static_cast<unsigned char>(c) >= 0x80)
        writer.fail("letters beyond ASCII stand in quotes only; put the name or value in quotes");
      if (c == '.' && ++dots > most_dots) writer.fail("is a key of too many parts; no setting has so many");
      if (ends_key.find(c) != std::string_view::npos) dots = 0;
      writer.put(c);
      ++at;
    }
  }
}

TextPlace AsciiToml::place(std::size_t line, std::size_t column) const {
  std::size_t extra = 0;
  for (const Longer& escape : longer_)
    if (escape.after.line == line && escape.after.column <= column) extra += escape.extra;
  return {line, column - extra};
}

}  // namespace planar
