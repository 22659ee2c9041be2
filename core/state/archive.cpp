// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/state/archive.hpp"

#include <fmt/format.h>

#include <cstring>

namespace planar {

void Archive::bytes(std::span<std::uint8_t> data) {
  if (data.empty()) return;
  if (saving_) {
    stream_.insert(stream_.end(), data.begin(), data.end());
    return;
  }
  if (stream_.size() - position_ < data.size())
    throw Error("snapshot ends too early; it is truncated or damaged, take a new one", ExitCode::missing_file);
  std::memcpy(data.data(), stream_.data() + position_, data.size());
  position_ += data.size();
}

void Archive::check_count(std::uint32_t n, std::size_t least_bytes) const {
  if (n > (stream_.size() - position_) / least_bytes)
    throw Error("snapshot holds an impossible length; it is damaged, take a new one", ExitCode::missing_file);
}

void Archive::check_time(Time t) {
  constexpr Time furthest = 4'500'000_s;  // half of what Time holds; every run ends earlier (Scheduler::archive)
  if (t != Time::never() && (t > furthest || t < Time{} - furthest))
    throw Error("snapshot: a time is impossible; the file is damaged, take a new one", ExitCode::missing_file);
}

void Archive::section(std::string_view name, std::uint32_t version) {
  std::string found(name);
  std::uint32_t found_version = version;
  compound(found);
  integer(found_version);
  if (found != name)
    throw Error(fmt::format("snapshot holds part '{}' where this machine has '{}'; "
                            "restore it with the machine and cards that it was taken with",
                            found, name),
                ExitCode::missing_file);
  if (found_version != version)
    throw Error(fmt::format("snapshot part '{}' has version {}, this planar reads version {}; "
                            "take a new snapshot with this build",
                            found, found_version, version),
                ExitCode::missing_file);
}

void Archive::expect_end() const {
  if (position_ != stream_.size())
    throw Error("snapshot holds more than this machine; restore it with the machine and cards it was taken with",
                ExitCode::missing_file);
}

}  // namespace planar
