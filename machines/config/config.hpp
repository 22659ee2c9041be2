// SPDX-License-Identifier: GPL-2.0-or-later
// Layered configuration: built-in machine file, then the user's file, then the command line; the latest layer that
// names a value wins. Every value that is read is remembered, so that the resolved file can be printed and a
// key that nobody reads is an error with its line and the nearest spelling.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/common/error.hpp"
#include "core/time/time.hpp"
#include "machines/config/units.hpp"

namespace planar {

class Config {
 public:
  Config();
  ~Config();
  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;

  /// Adds a layer on top. Throws Error "name:line:column: problem" for text that is not TOML.
  void add_text(std::string_view toml, const std::string& name);
  /// Adds a file as a layer; an unreadable file is Error with ExitCode::missing_file.
  void add_file(const std::filesystem::path& path);
  /// The files among the layers, the lowest first.
  std::vector<std::string> files() const;
  /// Adds one value of the command line on top (`origin` is the option as typed).
  void set(const std::string& path, const std::string& value, const std::string& origin);

  /// The same for a value that stays text even where it looks like a number ("1000h").
  void set_text(const std::string& path, const std::string& value, const std::string& origin);
  /// The same for a list of texts.
  void set_texts(const std::string& path, const std::vector<std::string>& values, const std::string& origin);
  /// A text (or a number or truth value as text) without marking it as read; empty if there is none.
  std::string peek_text(const std::string& path) const;

  /// Takes the list of tables at the root key `list` ([[machine]]) apart, in their order: a configuration for each,
  /// with this file's other tables below it. Only tables named in `shared` may stand beside the list. Throws Error for
  /// anything else there, or when the list holds something that is no table.
  std::vector<Config> split(const std::string& list, const std::vector<std::string>& shared);
  /// Whether the root key `path` is a list ([[machine]] or brackets).
  bool is_list(const std::string& path) const;
  /// Adds the layers of `other` on top of this one's.
  void add_layers(Config other);
  /// The same layers with nothing but the root keys `keys`, and takes those keys out of every layer.
  Config only(const std::vector<std::string>& keys) const;
  /// Takes keys, of the root or with the path of their table, out of every layer.
  void remove(const std::vector<std::string>& keys);
  /// The same, and what was read below them is no part of resolved() any more.
  void discard(const std::vector<std::string>& keys);

  /// True if any layer names `path` (a value or a table).
  bool has(std::string_view path) const;
  /// Names directly below the table `path`, over all layers, in order of first appearance from the lowest layer.
  std::vector<std::string> children(std::string_view path) const;

  /// Readers: dotted paths. Without a default the value must exist. A value of the wrong kind throws Error that
  /// names file, line, key and what is expected.
  std::string text(const std::string& path, std::optional<std::string> fallback = {});
  std::int64_t integer(const std::string& path, std::int64_t low, std::int64_t high,
                       std::optional<std::int64_t> fallback = {});
  bool flag(const std::string& path, std::optional<bool> fallback = {});
  Time time(const std::string& path, std::optional<std::string> fallback = {});
  Frequency frequency(const std::string& path, std::optional<std::string> fallback = {});
  std::uint64_t size(const std::string& path, std::optional<std::string> fallback = {});
  std::vector<std::int64_t> integers(const std::string& path, std::int64_t low, std::int64_t high);
  /// A list of texts in brackets; empty if there is none.
  std::vector<std::string> texts(const std::string& path);
  /// One of a list of words.
  std::string choice(const std::string& path, const std::vector<std::string>& words,
                     std::optional<std::string> fallback = {});

  /// Where the value at `path` was written ("FILE:line:column", or the option), or the n-th entry of the list there;
  /// the topmost layer's name if it was not.
  std::string origin(const std::string& path, std::optional<std::size_t> entry = {}) const;

  /// Throws Error about the value at `path`, naming where it was written.
  [[noreturn]] void fail(const std::string& path, const std::string& problem) const;

  /// Throws Error for the first key of any layer that was never read.
  void reject_unknown() const;

  /// Everything that was read, as a TOML file that gives the same configuration.
  std::string resolved() const;
  /// The part of it below the root keys `keys`, or (keep = false) the rest; the names of its tables begin with `above`
  /// ("machine.").
  std::string resolved(const std::string& above, const std::vector<std::string>& keys, bool keep) const;
  /// The same list as "path = value  # where it came from".
  std::string explained() const;
  /// The same as path and value.
  std::vector<std::pair<std::string, std::string>> values() const;

  /// What a reader was asked for, for the reference of all keys.
  struct Asked {
    std::string path;
    std::string type;                     ///< "whole number", "time", ...
    std::string range;                    ///< allowed values; empty if the type says all
    std::optional<std::string> fallback;  ///< the default as it is written in a file; none: the key must be given
  };
  /// Every key that was asked for so far, each once, in that order.
  const std::vector<Asked>& asked() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace planar
