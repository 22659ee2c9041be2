// SPDX-License-Identifier: GPL-2.0-or-later
// Snapshot archive: one symmetric function per part serves saving, loading and the state hash.
//
//     void Uart::archive(Archive& a) { a.section("ns16550", 1); a(lcr_, ier_, fifo_); tx_done_.archive(a); }
//
// The stream is little-endian with explicit widths, so it and its hash are the same on every host. It contains
// architectural and timing state only: no host pointers, no host time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/common/error.hpp"
#include "core/time/time.hpp"

namespace planar {

class Archive;

template <class T>
concept Archivable = requires(T& value, Archive& a) {
  value.archive(a);
};

class Archive {
 public:
  /// An archive that writes a stream.
  static Archive saver() { return Archive(true, {}); }
  /// An archive that reads `stream`. Every read is checked: a truncated or foreign stream throws Error.
  static Archive loader(std::vector<std::uint8_t> stream) { return Archive(false, std::move(stream)); }

  bool saving() const { return saving_; }
  bool loading() const { return !saving_; }
  const std::vector<std::uint8_t>& stream() const { return stream_; }
  /// Throws Error if a loader has not consumed its whole stream.
  void expect_end() const;

  /// Begins a named part. A loader throws Error, naming both parts, if the stream has another part or version here.
  void section(std::string_view name, std::uint32_t version);

  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

  /// Raw bytes of a fixed length.
  void bytes(std::span<std::uint8_t> data);

 private:
  Archive(bool saving, std::vector<std::uint8_t> stream) : saving_(saving), stream_(std::move(stream)) {}

  template <class T>
  void one(T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t b = v ? 1 : 0;
      integer(b);
      if (loading()) v = b != 0;
    } else if constexpr (std::is_enum_v<T>) {
      auto u = static_cast<std::underlying_type_t<T>>(v);
      one(u);
      if (loading()) v = static_cast<T>(u);
    } else if constexpr (std::is_same_v<T, double>) {
      auto u = std::bit_cast<std::uint64_t>(v);
      integer(u);
      if (loading()) v = std::bit_cast<double>(u);
    } else if constexpr (std::is_integral_v<T>) {
      integer(v);
    } else if constexpr (Archivable<T>) {
      v.archive(*this);
    } else {
      compound(v);
    }
  }

  void compound(Time& t) {
    integer(t.ps);
    if (loading()) check_time(t);
  }

  template <class T, std::size_t N>
  void compound(std::array<T, N>& a) {
    if constexpr (std::is_same_v<T, std::uint8_t>)
      bytes(a);
    else
      for (auto& e : a) one(e);
  }
  template <class T, std::size_t N>
  void compound(T (&a)[N]) {
    for (auto& e : a) one(e);
  }

  template <class T>
  void compound(std::vector<T>& v) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      const std::uint32_t n = count<T>(v.size());
      if (loading()) v.resize(n);
      bytes(v);
    } else {
      elements(v);
    }
  }
  template <class T>
  void compound(std::deque<T>& d) {
    elements(d);
  }
  template <class T>
  void compound(std::optional<T>& v) {
    bool has = v.has_value();
    one(has);
    // clang-format off
    if (loading()) { if (has) v.emplace(); else v.reset(); }
    // clang-format on
    if (has) one(*v);
  }
  void compound(std::string& s) {
    const std::uint32_t n = count<char>(s.size());
    if (loading()) s.resize(n);
    for (char& c : s) one(c);
  }
  template <class A, class B>
  void compound(std::pair<A, B>& p) {
    one(p.first);
    one(p.second);
  }

  /// The length of a list of T: `size` when saving. A loaded length is checked: that many elements can still follow.
  template <class T>
  std::uint32_t count(std::size_t size) {
    auto n = static_cast<std::uint32_t>(size);
    integer(n);
    if (loading()) check_count(n, std::is_arithmetic_v<T> || std::is_enum_v<T> ? sizeof(T) : 1);
    return n;
  }

  /// Elements are added as they are read, so that a damaged length allocates no memory for elements that do not exist,
  /// however large they are.
  template <class C>
  void elements(C& container) {
    const std::uint32_t n = count<typename C::value_type>(container.size());
    if (loading() && n < container.size()) container.resize(n);
    for (auto& e : container) one(e);
    while (container.size() < n) one(container.emplace_back());
  }

  template <class T>
  void integer(T& v) {
    using U = std::make_unsigned_t<T>;
    std::uint8_t raw[sizeof(T)];
    if (saving()) {
      U u = static_cast<U>(v);
      for (std::size_t i = 0; i < sizeof(T); ++i) raw[i] = static_cast<std::uint8_t>(u >> (8 * i));
    }
    bytes(raw);
    if (loading()) {
      U u = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i) u = static_cast<U>(u | static_cast<U>(U{raw[i]} << (8 * i)));
      v = static_cast<T>(u);
    }
  }

  /// Throws Error for a time that no run can reach: the sum of two such times would overflow.
  static void check_time(Time t);
  /// Throws Error if fewer than `n` elements of at least `least_bytes` can follow in the stream.
  void check_count(std::uint32_t n, std::size_t least_bytes) const;

  bool saving_;
  std::vector<std::uint8_t> stream_;
  std::size_t position_ = 0;
};

/// SHA-256 of `data` as 64 lower-case hex digits.
std::string sha256_hex(std::span<const std::uint8_t> data);

}  // namespace planar
