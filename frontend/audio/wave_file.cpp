// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/audio/wave_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"

namespace planar {
namespace {

constexpr std::size_t header_bytes = 44, sample_bytes = 2;

void put(std::FILE* file, std::uint64_t value, unsigned bytes) {
  for (unsigned n = 0; n < bytes; ++n) std::fputc(static_cast<int>(value >> 8 * n & 0xFF), file);
}

}  // namespace

WaveFile::WaveFile(const std::string& file, const std::string& option, std::uint32_t samples_per_second)
    : name_(file), rate_(samples_per_second), file_(open_output(file, option)) {
  header();
}

void WaveFile::header() {
  // A length over 4 GB (12 hours) is clamped; players then read to the end of the file.
  const auto bytes = std::min<std::uint64_t>(samples_ * sample_bytes, std::numeric_limits<std::uint32_t>::max() - 36);
  std::FILE* const f = file_.get();
  std::fputs("RIFF", f);
  put(f, bytes + header_bytes - 8, 4);
  std::fputs("WAVEfmt ", f);
  put(f, 16, 4);  // size of this chunk
  put(f, 1, 2);   // PCM
  put(f, 1, 2);   // channels
  put(f, rate_, 4);
  put(f, rate_ * sample_bytes, 4);
  put(f, sample_bytes, 2);
  put(f, 8 * sample_bytes, 2);
  std::fputs("data", f);
  put(f, bytes, 4);
}

void WaveFile::add(std::span<const std::int16_t> samples) {
  for (const std::int16_t sample : samples) put(file_.get(), static_cast<std::uint16_t>(sample), sample_bytes);
  samples_ += samples.size();
}

void WaveFile::finish() {
  std::FILE* const f = file_.get();
  const bool back = std::fseek(f, 0, SEEK_SET) == 0;  // a pipe keeps the initial lengths
  if (back) header();
  if (std::fflush(f) != 0 || std::ferror(f))
    throw Error(fmt::format("{}: could not be written completely; check the free space there", name_),
                ExitCode::missing_file);
}

}  // namespace planar
