// SPDX-License-Identifier: GPL-2.0-or-later
// Layered configuration: the built-in machine file, then the user's file, then the command line; the latest layer that
// contains a value wins. Every value that is read is recorded, so that the resolved file can be printed and a key that
// nothing reads is an error giving its line and the nearest spelling.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
  /// Adds a file as a layer; throws Error with ExitCode::missing_file if it is unreadable.
  void add_file(const std::filesystem::path& path);
  /// The layers that are files, lowest first.
  std::vector<std::string> files() const;
  /// Adds one command-line value on top (`origin` is the option as typed).
  void set(const std::string& path, const std::string& value, const std::string& origin);

  /// The same for a value that remains text even if it looks like a number ("1000h").
  void set_text(const std::string& path, const std::string& value, const std::string& origin);
  /// The same for a list of strings.
  void set_texts(const std::string& path, const std::vector<std::string>& values, const std::string& origin);
  /// A text (or a number or boolean as text) without marking it as read; empty if there is none.
  std::string peek_text(const std::string& path) const;

  /// Splits the list of tables at the root key `list` ([[machine]]), preserving the order: one configuration per table,
  /// with this file's other tables below it. Only tables named in `shared` may appear beside the list. Throws Error for
  /// any other, or if the list contains something that is not a table.
  std::vector<Config> split(const std::string& list, const std::vector<std::string>& shared);
  /// Whether the root key `path` is a list ([[machine]] or brackets).
  bool is_list(const std::string& path) const;
  /// Whether the value at `path` is a number, which text() reads as a text.
  bool is_number(const std::string& path) const;
  /// Adds the layers of `other` on top of this one's.
  void add_layers(Config other);
  /// A copy of the layers that contains only the root keys `keys`.
  Config only(const std::vector<std::string>& keys) const;
  /// Removes keys, at the root or given with the path of their table, from every layer.
  void remove(const std::vector<std::string>& keys);
  /// The same, and also removes values already read below them from resolved().
  void discard(const std::vector<std::string>& keys);

  /// True if any layer names `path` (a value or a table).
  bool has(std::string_view path) const;
  /// Names directly below the table `path`, from all layers, in order of first appearance from the lowest layer.
  std::vector<std::string> children(std::string_view path) const;

  /// Readers, taking dotted paths. Without a default, the value must exist. A value of the wrong kind throws Error
  /// naming file, line, key and the expected kind.
  std::string text(const std::string& path, std::optional<std::string> fallback = {});
  std::int64_t integer(const std::string& path, std::int64_t low, std::int64_t high,
                       std::optional<std::int64_t> fallback = {});
  bool flag(const std::string& path, std::optional<bool> fallback = {});
  Time time(const std::string& path, std::optional<std::string> fallback = {});
  Frequency frequency(const std::string& path, std::optional<std::string> fallback = {});
  std::uint64_t size(const std::string& path, std::optional<std::string> fallback = {});
  std::vector<std::int64_t> integers(const std::string& path, std::int64_t low, std::int64_t high);
  /// A bracketed list of strings; empty if there is none.
  std::vector<std::string> texts(const std::string& path);
  /// One of a list of words.
  std::string choice(const std::string& path, const std::vector<std::string>& words,
                     std::optional<std::string> fallback = {});

  /// Where the value at `path`, or the n-th entry of the list there, was written ("FILE:line:column", or the option);
  /// if it was not written, the name of the topmost layer.
  std::string origin(const std::string& path, std::optional<std::size_t> entry = {}) const;

  /// Throws Error about the value at `path`, including where it was written.
  [[noreturn]] void fail(const std::string& path, const std::string& problem) const;

  /// Throws Error for the first key, in any layer, that was never read. `known_elsewhere` says of a key why this
  /// configuration does not have it; empty if no configuration has it.
  void reject_unknown(const std::function<std::string(const std::string& path)>& known_elsewhere) const;

  /// Everything that was read, as a TOML file that reproduces the same configuration.
  std::string resolved() const;
  /// The part of it below the root keys `keys`, or (keep = false) everything else; its table names are prefixed with
  /// `above` ("machine.").
  std::string resolved(const std::string& above, const std::vector<std::string>& keys, bool keep) const;
  /// The same list as "path = value  # where it came from".
  std::string explained() const;
  /// The same as pairs of path and value.
  std::vector<std::pair<std::string, std::string>> values() const;

  /// A reader's request, for the key reference.
  struct Asked {
    std::string path;
    std::string type;                     ///< "whole number", "time", ...
    std::string range;                    ///< allowed values; empty if the type implies them
    std::optional<std::string> fallback;  ///< the default as written in a file; none: the key is required
  };
  /// Every key requested so far, each once, in order of first request.
  const std::vector<Asked>& asked() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace planar
