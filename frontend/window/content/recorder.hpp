// SPDX-License-Identifier: GPL-2.0-or-later
// Recent events in a lab, for the panes that show them: frames on the wires and lines of the log. It records frames
// only while they are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "devices/medium/medium.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

class Recorder final : private net::WireObserver {
 public:
  /// A recorded frame or fragment (net::WireRecord).
  struct Frame {
    std::uint64_t number = 0;  ///< among those recorded, from 1
    const net::Medium* medium = nullptr;
    Time start{};
    Time end{};
    std::string sender;
    std::vector<std::uint8_t> bytes;
    net::Damage damage = net::Damage::none;
  };

  explicit Recorder(Lab& lab) : lab_(lab) {}
  ~Recorder() override;
  Recorder(const Recorder&) = delete;

  void listen_to_wire(bool on);
  const std::deque<Frame>& frames() const { return frames_; }

  void log(std::string_view line);
  const std::deque<std::string>& lines() const { return lines_; }

 private:
  void observe(const net::WireRecord& record) override;

  Lab& lab_;
  bool wire_ = false;
  std::uint64_t seen_ = 0;
  std::deque<Frame> frames_;
  std::deque<std::string> lines_;
};

}  // namespace planar
