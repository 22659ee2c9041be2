// SPDX-License-Identifier: GPL-2.0-or-later
// Capture of media in pcapng (draft-ietf-opsawg-pcapng), for Wireshark and similar tools.
//
// One section, with one interface per medium (its link type and rate, time stamps in nanoseconds). A time stamp is the
// virtual time at which the frame's last bit left its sender, counted from power-on: tools show it as a time on 1
// January 1970. Good frames are written without their FCS, as is usual in captures. Fragments and damaged frames are
// omitted or, on request, written with all their bytes and the link-layer error bits of epb_flags; those without a
// whole header are always omitted.
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
  /// Creates or replaces `file`, with one interface for each of `media`, which must outlive the writer. Throws Error if
  /// that fails. The writer does not register as an observer: add it to the media, or pass it their records.
  PcapngWriter(const std::filesystem::path& file, std::vector<const Medium*> media, bool include_damaged = false);
  ~PcapngWriter() override;

  /// Writes the frame; frames of a medium without an interface in the file are ignored.
  void observe(const WireRecord& record) override;
  /// Writes out buffered data. Throws Error if the disk is full or gone.
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
