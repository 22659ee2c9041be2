// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/capture/pcapng.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/common/error.hpp"

namespace planar::net {
namespace {

constexpr std::uint32_t section_header = 0x0A0D0D0A, interface_description = 1, enhanced_packet = 6;
constexpr std::uint32_t byte_order_magic = 0x1A2B3C4D;
constexpr std::uint16_t opt_end = 0, shb_userappl = 4, if_name = 2, if_speed = 8, if_tsresol = 9, epb_flags = 2;
constexpr std::uint8_t nanoseconds = 9;  // 10^-9 s
// epb_flags: bits 4:2 reception type (how the frame was addressed), 8:5 FCS length, 31:24 link-layer errors
// by Destination
constexpr std::uint32_t destination_flags[] = {0, 1u << 2, 2u << 2, 3u << 2};
constexpr std::uint32_t crc_error = 1u << 24, too_long = 1u << 25, too_short = 1u << 26;

// Little-endian on any host; readers see this from the magic number.
class Body {
 public:
  void u16(std::uint32_t v) { number(v, 2); }
  void u32(std::uint64_t v) { number(v, 4); }
  void u64(std::uint64_t v) { number(v, 8); }
  void data(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    bytes_.resize((bytes_.size() + 3) & ~std::size_t{3});
  }
  void option(std::uint16_t code, std::span<const std::uint8_t> value) {
    u16(code);
    u16(static_cast<std::uint32_t>(value.size()));
    data(value);
  }
  void option(std::uint16_t code, std::string_view text) {
    option(code, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  void number(std::uint64_t v, unsigned n) {
    for (unsigned i = 0; i < n; ++i) bytes_.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

std::uint32_t flags_of(const WireRecord& record) {
  const FrameFormat& format = record.medium.format();
  std::uint32_t flags = destination_flags[static_cast<unsigned>(format.destination(record.bytes))];
  if (!record.good()) flags |= crc_error;
  if (record.bytes.size() < format.shortest) flags |= too_short;
  if (record.bytes.size() > format.longest) flags |= too_long;
  return flags;
}

}  // namespace

PcapngWriter::PcapngWriter(const std::filesystem::path& file, std::vector<const Medium*> media, bool include_damaged)
    : path_(file), media_(std::move(media)), include_damaged_(include_damaged), file_(open_output(file)) {
  if (!file_)
    throw Error(fmt::format("{}: cannot write the capture ({}); name a file in a folder that you may write to",
                            file.string(), std::strerror(errno)),
                ExitCode::missing_file);
  Body section;
  section.u32(byte_order_magic);
  section.u16(1);  // version 1.0
  section.u16(0);
  section.u64(~std::uint64_t{0});  // section length: unspecified
  section.option(shb_userappl, "planar");
  section.option(opt_end, "");
  block(section_header, section.bytes());
  for (const Medium* medium : media_) describe_interface(*medium);
}

PcapngWriter::~PcapngWriter() = default;

void PcapngWriter::describe_interface(const Medium& medium) {
  Body interface;
  interface.u16(static_cast<std::uint32_t>(medium.format().link));
  interface.u16(0);
  interface.u32(0);  // no limit on captured length
  interface.option(if_name, medium.name());
  Body speed;
  speed.u64(medium.bits_per_second());
  interface.option(if_speed, speed.bytes());
  interface.option(if_tsresol, std::span(&nanoseconds, 1));
  interface.option(opt_end, "");
  block(interface_description, interface.bytes());
}

void PcapngWriter::block(std::uint32_t type, std::span<const std::uint8_t> body) {
  Body frame;
  frame.u32(type);
  frame.u32(body.size() + 12);
  frame.data(body);
  frame.u32(body.size() + 12);
  const auto bytes = frame.bytes();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) failed_ = true;
}

void PcapngWriter::observe(const WireRecord& record) {
  const auto interface = std::find(media_.begin(), media_.end(), &record.medium);
  if (interface == media_.end()) return;
  const FrameFormat& format = record.medium.format();
  if (!record.good() && (!include_damaged_ || record.bytes.size() < format.header_bytes)) return;
  const auto kept = record.good() ? record.bytes.first(record.bytes.size() - format.check_bytes) : record.bytes;
  const auto stamp = static_cast<std::uint64_t>(record.end.ps / 1'000);
  Body packet;
  packet.u32(static_cast<std::uint32_t>(interface - media_.begin()));
  packet.u32(stamp >> 32);
  packet.u32(stamp & 0xFFFFFFFF);
  packet.u32(kept.size());
  packet.u32(kept.size());
  packet.data(kept);
  Body flags;
  flags.u32(flags_of(record));
  packet.option(epb_flags, flags.bytes());
  packet.option(opt_end, "");
  block(enhanced_packet, packet.bytes());
  ++frames_;
}

void PcapngWriter::flush() {
  if (std::fflush(file_.get()) != 0) failed_ = true;
  if (failed_)
    throw Error(fmt::format("{}: the capture could not be written completely; free some space", path_.string()),
                ExitCode::missing_file);
}

}  // namespace planar::net
