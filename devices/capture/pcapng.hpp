// SPDX-License-Identifier: GPL-2.0-or-later
// Capture of a medium in pcapng (draft-ietf-opsawg-pcapng), for Wireshark and its kind.
//
// One section, one interface (link type Ethernet, the medium's rate, time stamps in nanoseconds). A stamp is the
// virtual time at which the frame's last bit left its sender, counted from power-on: tools show it as a moment of 1
// January 1970. Good frames are written without their FCS, as captures usually hold them. Fragments and damaged frames
// are left out, or on request written with all their bytes and the link-layer error bits of epb_flags, unless they lack
// a whole header.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::net {

class PcapngWriter final : public WireObserver {
 public:
  /// Creates or replaces `file`; `bits_per_second` is the medium's rate. Throws Error if it cannot.
  PcapngWriter(const std::filesystem::path& file, std::uint64_t bits_per_second, bool include_damaged = false);
  ~PcapngWriter() override;

  void observe(const WireRecord& record) override;
  /// Writes out what is buffered. Throws Error when the disk is full or gone.
  void flush();
  std::uint64_t frames() const { return frames_; }

 private:
  void block(std::uint32_t type, std::span<const std::uint8_t> body);

  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::filesystem::path path_;
  bool include_damaged_;
  bool failed_ = false;
  std::uint64_t frames_ = 0;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace planar::net
