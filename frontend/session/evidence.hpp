// SPDX-License-Identifier: GPL-2.0-or-later
// The latest frames and trace lines of a run, kept in memory for examination if the run fails: what a user would have
// enabled beforehand, had they known.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "devices/medium/medium.hpp"

namespace planar {

class Evidence final : public net::WireObserver {
 public:
  /// Trace categories that are kept if the user has chosen none: rare events that show what the machine was doing.
  static constexpr std::string_view categories = "cpu,pos,diskette,keyboard,firmware";

  /// Observes `media`, which must outlive this object.
  explicit Evidence(std::vector<net::Medium*> media);
  Evidence(const Evidence&) = delete;

  void observe(const net::WireRecord& record) override;
  void trace_line(std::string_view line);

  /// Writes the frames, if any, as pcapng. Throws Error.
  void write_capture(const std::filesystem::path& file) const;
  const std::deque<std::string>& trace() const { return trace_; }

 private:
  struct Frame {
    const net::Medium* medium;
    Time start{};
    Time end{};
    std::vector<std::uint8_t> bytes;
    net::Damage damage = net::Damage::none;
  };
  net::Watch watch_;
  std::deque<Frame> frames_;
  std::deque<std::string> trace_;
};

}  // namespace planar
