// SPDX-License-Identifier: GPL-2.0-or-later
// Capture of a medium in pcapng (draft-ietf-opsawg-pcapng), for Wireshark and its kind.
//
// One section, one interface for each medium (its link type and rate, time stamps in nanoseconds). A stamp is the
// virtual time at which the frame's last bit left its sender, counted from power-on: tools show it as a moment of 1
// January 1970. Good frames are written without their FCS, as captures usually hold them. Fragments and damaged frames
// are left out, or on request written with all their bytes and the link-layer error bits of epb_flags, unless they lack
// a whole header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/host/host_files.hpp"
#include "devices/medium/medium.hpp"

namespace planar::net {

class PcapngWriter final : public WireObserver {
 public:
  /// Creates or replaces `file`, with an interface for each of `media`, which outlive the writer. Throws Error if it
  /// cannot. It observes nothing by itself: add it to the media, or hand it their records.
  PcapngWriter(const std::filesystem::path& file, std::vector<const Medium*> media, bool include_damaged = false);
  ~PcapngWriter() override;

  /// Writes the frame; one of a medium that the file has no interface for is left out.
  void observe(const WireRecord& record) override;
  /// Writes out what is buffered. Throws Error when the disk is full or gone.
  void flush();
  std::uint64_t frames() const { return frames_; }

 private:
  void describe_interface(const Medium& medium);
  void block(std::uint32_t type, std::span<const std::uint8_t> body);

  std::filesystem::path path_;
  std::vector<const Medium*> media_;  // by interface
  bool include_damaged_;
  bool failed_ = false;
  std::uint64_t frames_ = 0;
  OutputFile file_;
};

}  // namespace planar::net
