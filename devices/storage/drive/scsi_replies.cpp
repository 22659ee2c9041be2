// SPDX-License-Identifier: GPL-2.0-or-later
// The SCSI drive's commands, and its replies about itself.
#include <algorithm>
#include <string_view>

#include "devices/storage/drive/scsi_drive.hpp"
#include "devices/storage/drive/scsi_fields.hpp"

namespace planar::storage {
namespace {

constexpr std::uint8_t disk_type = 0x00, cdrom_type = 0x05, no_unit_here = 0x7F;
// Geometry that MODE SENSE pages 3 and 4 describe.
constexpr std::uint32_t page_heads = 64, page_sectors = 32, page_rpm = 4316;

void put_text(std::vector<std::uint8_t>& out, std::string_view text, std::size_t width) {
  for (std::size_t n = 0; n < width; ++n) out.push_back(static_cast<std::uint8_t>(n < text.size() ? text[n] : ' '));
}

// A block address as minute, second, frame (75 a second, 150 before the first), byte 0 reserved.
std::uint32_t as_msf(std::uint32_t block) {
  block += 150;
  return (block / 75 / 60 & 0xFF) << 16 | (block / 75 % 60) << 8 | block % 75;
}

bool needs_medium(std::uint8_t operation) {
  switch (operation) {
    case test_unit_ready_op:
    case rezero_op:
    case seek6_op:
    case seek10_op:
    case read6_op:
    case read10_op:
    case read12_op:
    case read_capacity_op:
    case read_toc_op:
    case read_header_op:
    case read_subchannel_op: return true;
    default: return false;
  }
}

}  // namespace

std::uint8_t ScsiDrive::attention_code() const {
  return attention_ == Attention::medium_changed ? medium_may_have_changed : power_on_reset;
}

ScsiReply ScsiDrive::command(std::span<const std::uint8_t> cdb, unsigned lun, Time now) {
  small_.clear();
  at_ = 0;
  on_medium_ = failed_ = false;
  const std::uint8_t op = cdb[0];
  if (op == inquiry_op) return inquiry(cdb, lun);
  if (op == request_sense_op) return request_sense(cdb[4] ? cdb[4] : 4, lun);
  if (lun != 0) return fail(illegal_request, no_such_unit);
  if (attention_ != Attention::none) {
    const std::uint8_t code = attention_code();
    attention_ = Attention::none;
    return fail(unit_attention, code);
  }
  sense_ = {};
  if (!ready() && needs_medium(op)) return fail(not_ready, medium_not_present);
  switch (op) {
    case test_unit_ready_op:
    case reserve_op:
    case release_op:
    case send_diagnostic_op: return {};
    case start_stop_op: return start_stop(cdb[4]);
    case prevent_removal_op: return prevent_removal(cdb[4] & 1);
    case rezero_op: return medium(0, 0, ScsiReply::Data::none, now);
    case seek6_op: return medium(big(cdb.subspan(1, 3)) & 0x1FFFFF, 0, ScsiReply::Data::none, now);
    case seek10_op: return medium(big(cdb.subspan(2, 4)), 0, ScsiReply::Data::none, now);
    case read6_op: return medium(big(cdb.subspan(1, 3)) & 0x1FFFFF, cdb[4] ? cdb[4] : 256, ScsiReply::Data::in, now);
    case read10_op: return medium(big(cdb.subspan(2, 4)), big(cdb.subspan(7, 2)), ScsiReply::Data::in, now);
    case read12_op: {
      const std::uint32_t count = big(cdb.subspan(6, 4));
      if (count > 0xFFFF) return fail(illegal_request, invalid_field);
      return medium(big(cdb.subspan(2, 4)), count, ScsiReply::Data::in, now);
    }
    case read_capacity_op: return read_capacity(cdb);
    case mode_sense6_op:
    case mode_sense10_op: return mode_sense(cdb);
    case mode_select6_op:
    case mode_select10_op: {
      const std::uint32_t bytes = op == mode_select6_op ? cdb[4] : big(cdb.subspan(7, 2));
      if (bytes == 0) return {};
      return {ScsiReply::good, ScsiReply::Data::out, bytes};
    }
    default: return kind_ == DriveKind::disk ? disk_command(cdb, now) : cdrom_command(cdb);
  }
}

ScsiReply ScsiDrive::disk_command(std::span<const std::uint8_t> cdb, Time now) {
  switch (cdb[0]) {
    case write6_op: return medium(big(cdb.subspan(1, 3)) & 0x1FFFFF, cdb[4] ? cdb[4] : 256, ScsiReply::Data::out, now);
    case write10_op:
    case write_verify_op: return medium(big(cdb.subspan(2, 4)), big(cdb.subspan(7, 2)), ScsiReply::Data::out, now);
    case write12_op: {
      const std::uint32_t count = big(cdb.subspan(6, 4));
      if (count > 0xFFFF) return fail(illegal_request, invalid_field);
      return medium(big(cdb.subspan(2, 4)), count, ScsiReply::Data::out, now);
    }
    case verify_op: return medium(big(cdb.subspan(2, 4)), big(cdb.subspan(7, 2)), ScsiReply::Data::none, now);
    case synchronize_op: return image_->flush() ? ScsiReply{} : fail(medium_error, write_fault);
    case format_op:  // the content is kept, as by a drive that only certifies its medium
      if (image_->write_protected()) return fail(data_protect, write_protected_medium);
      return {};
    case reassign_op: return {};
    default: return fail(illegal_request, invalid_operation);
  }
}

ScsiReply ScsiDrive::cdrom_command(std::span<const std::uint8_t> cdb) {
  switch (cdb[0]) {
    case read_toc_op: return read_toc(cdb);
    case read_header_op: {
      const std::uint32_t block = big(cdb.subspan(2, 4));
      if (block >= blocks()) return fail(illegal_request, block_out_of_range);
      std::vector<std::uint8_t> data{1, 0, 0, 0};  // mode 1
      put_big(data, cdb[1] & 2 ? as_msf(block) : block, 4);
      return reply(std::move(data), big(cdb.subspan(7, 2)));
    }
    case read_subchannel_op: return reply({0, 0x15, 0, 0}, big(cdb.subspan(7, 2)));  // no audio status
    default: return fail(illegal_request, invalid_operation);
  }
}

/// START STOP UNIT: bit 0 start, bit 1 the tray, which closes on start and opens on stop. Errors as in SFF-8020i.
ScsiReply ScsiDrive::start_stop(std::uint8_t flags) {
  if (kind_ == DriveKind::disk) return {};
  const bool start = flags & 1, tray = flags & 2;
  if (tray && !start && locked_ && !tray_open_) return fail(illegal_request, load_or_eject_failed, removal_prevented);
  if (tray && start == tray_open_) {
    tray_open_ = !start;
    mechanics_.medium_changed();
    if (ready()) attention_ = Attention::medium_changed;
  }
  if (start && !ready()) return fail(not_ready, medium_not_present);
  return {};
}

ScsiReply ScsiDrive::prevent_removal(bool prevent) {
  if (kind_ == DriveKind::cdrom) locked_ = prevent;
  return {};
}

ScsiReply ScsiDrive::inquiry(std::span<const std::uint8_t> cdb, unsigned lun) {
  if (cdb[1] & 1) return fail(illegal_request, invalid_field);  // no vital product data
  const bool disk = kind_ == DriveKind::disk;
  std::vector<std::uint8_t> data;
  data.push_back(lun != 0 ? no_unit_here : disk ? disk_type : cdrom_type);
  data.push_back(disk ? 0x00 : 0x80);  // removable
  if (cable_ == Cable::scsi)
    data.insert(data.end(), {2, 2});  // SCSI-2
  else
    data.insert(data.end(), {0, 0x21});  // ATAPI
  data.push_back(31);
  data.insert(data.end(), 3, 0);
  put_text(data, "PLANAR", 8);
  put_text(data, disk ? "SCSI DISK" : "CD-ROM", 16);
  put_text(data, "1.0", 4);
  return reply(std::move(data), cdb[4]);
}

ScsiReply ScsiDrive::request_sense(std::uint32_t allocation, unsigned lun) {
  Sense s = sense_;
  if (lun != 0)
    s = {illegal_request, no_such_unit, 0, 0, false};
  else if (s.key == 0 && attention_ != Attention::none)
    s = {unit_attention, attention_code(), 0, 0, false};
  if (lun == 0) attention_ = Attention::none;
  std::vector<std::uint8_t> data{static_cast<std::uint8_t>(s.valid ? 0xF0 : 0x70), 0, s.key};
  put_big(data, s.information, 4);
  data.push_back(10);
  data.insert(data.end(), 4, 0);
  data.push_back(s.code);
  data.push_back(s.qualifier);
  data.insert(data.end(), 4, 0);
  sense_ = {};
  return reply(std::move(data), allocation);
}

ScsiReply ScsiDrive::read_capacity(std::span<const std::uint8_t> cdb) {
  if (!(cdb[8] & 1) && big(cdb.subspan(2, 4)) != 0) return fail(illegal_request, invalid_field);
  std::vector<std::uint8_t> data;
  put_big(data, blocks() - 1, 4);
  put_big(data, block_bytes(), 4);
  return reply(std::move(data), 8);
}

ScsiReply ScsiDrive::mode_sense(std::span<const std::uint8_t> cdb) {
  const bool long_form = cdb[0] == mode_sense10_op;
  const unsigned page = cdb[2] & 0x3F, control = cdb[2] >> 6;
  if (control == 3) return fail(illegal_request, 0x39);  // no saved values
  std::vector<std::uint8_t> pages;
  const auto add = [&](std::uint8_t number, std::vector<std::uint8_t> body) {
    if (page != number && page != 0x3F) return;
    if (control == 1) std::fill(body.begin(), body.end(), 0);  // no field is changeable
    pages.push_back(number);
    pages.push_back(static_cast<std::uint8_t>(body.size()));
    pages.insert(pages.end(), body.begin(), body.end());
  };
  add(1, {0xC0, 8, 0, 0, 0, 0, 8, 0, 0, 0});  // error recovery: 8 tries
  if (kind_ == DriveKind::disk) {
    const std::uint32_t cylinders = blocks() / (page_heads * page_sectors);
    std::vector<std::uint8_t> format(22);
    format[9] = page_sectors;
    format[10] = static_cast<std::uint8_t>(sector_bytes >> 8);
    format[13] = 1;     // interleave
    format[18] = 0x40;  // hard sectors
    add(3, std::move(format));
    std::vector<std::uint8_t> geometry;
    put_big(geometry, cylinders, 3);
    geometry.push_back(page_heads);
    geometry.resize(18);
    put_big(geometry, page_rpm, 2);
    geometry.resize(22);
    add(4, std::move(geometry));
    add(8, {0x01, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF});  // read-ahead, no write cache
  } else {
    add(0x0D, {0, 0, 0, 60, 0, 75});
    add(0x0E, {4, 0, 0, 0, 0, 75, 1, 0xFF, 2, 0xFF, 0, 0, 0, 0});
    if (cable_ == Cable::atapi) {
      const auto rate = static_cast<std::uint32_t>(mechanics_.timing().bytes_per_second / 1000);
      // a tray that can be locked and opened, and whether it is locked
      std::vector<std::uint8_t> abilities{0, 0, 0, 0, static_cast<std::uint8_t>(0x29 | (locked_ ? 0x02 : 0)), 0};
      put_big(abilities, rate, 2);
      put_big(abilities, 0, 2);  // no audio volumes
      put_big(abilities, mechanics_.timing().buffer_bytes / 1024, 2);
      put_big(abilities, rate, 2);
      abilities.resize(18);
      add(0x2A, std::move(abilities));
    }
  }
  if (pages.empty()) return fail(illegal_request, invalid_field);
  const bool disk = kind_ == DriveKind::disk;
  const std::uint8_t specific = disk && image_->write_protected() ? 0x80 : 0;
  // SFF-8020i: a 120 mm data CD; closed without a CD; open
  const std::uint8_t medium_type = cable_ == Cable::scsi ? 0 : ready() ? 0x01 : tray_open_ ? 0x71 : 0x70;
  std::vector<std::uint8_t> block;
  if (cable_ == Cable::scsi && !(cdb[1] & 8)) {  // SFF-8020i has neither the descriptor nor the bit
    put_big(block, 0, 1);
    put_big(block, std::min(blocks(), 0xFFFFFFu), 3);
    put_big(block, block_bytes(), 4);
  }
  std::vector<std::uint8_t> data;
  const auto length = static_cast<std::uint32_t>(block.size() + pages.size() + (long_form ? 6 : 3));
  put_big(data, length, long_form ? 2 : 1);
  data.push_back(medium_type);
  data.push_back(specific);
  if (long_form) data.insert(data.end(), 2, 0);
  put_big(data, static_cast<std::uint32_t>(block.size()), long_form ? 2 : 1);
  data.insert(data.end(), block.begin(), block.end());
  data.insert(data.end(), pages.begin(), pages.end());
  return reply(std::move(data), long_form ? big(cdb.subspan(7, 2)) : cdb[4]);
}

// One data track from block 0 to the lead-out.
ScsiReply ScsiDrive::read_toc(std::span<const std::uint8_t> cdb) {
  const bool msf = cdb[1] & 2;
  const std::uint8_t from = cdb[6];
  constexpr std::uint8_t lead_out = 0xAA, data_track = 0x14;
  const unsigned format = cdb[9] >> 6;
  if (format > 1 || (format == 0 && from > 1 && from != lead_out)) return fail(illegal_request, invalid_field);
  std::vector<std::uint8_t> entries;
  const auto add = [&](std::uint8_t track, std::uint32_t block) {
    entries.insert(entries.end(), {0, data_track, track, 0});
    put_big(entries, msf ? as_msf(block) : block, 4);
  };
  if (from != lead_out || format == 1) add(1, 0);
  if (format == 0) add(lead_out, blocks());
  std::vector<std::uint8_t> data;
  put_big(data, static_cast<std::uint32_t>(entries.size() + 2), 2);
  data.push_back(1);
  data.push_back(1);
  data.insert(data.end(), entries.begin(), entries.end());
  return reply(std::move(data), big(cdb.subspan(7, 2)));
}

}  // namespace planar::storage
