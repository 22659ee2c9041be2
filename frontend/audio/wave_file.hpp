// SPDX-License-Identifier: GPL-2.0-or-later
// A .wav file: 16 bits, one channel.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace planar {

class WaveFile {
 public:
  /// Throws Error (exit 3) naming `option` when the file cannot be written.
  WaveFile(const std::string& file, const std::string& option, std::uint32_t samples_per_second);

  void add(std::span<const std::int16_t> samples);
  /// Writes the lengths into the header. Throws Error (exit 3) when the file could not be written completely.
  void finish();

 private:
  void header();

  std::string name_;
  std::uint32_t rate_;
  std::uint64_t samples_ = 0;
  std::shared_ptr<std::FILE> file_;
};

}  // namespace planar
