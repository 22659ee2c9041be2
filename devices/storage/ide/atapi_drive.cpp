// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/ide/atapi_drive.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/storage/drive/scsi_fields.hpp"

namespace planar::storage {

AtapiDrive::AtapiDrive(Scheduler& scheduler, Trace& trace, std::string name, IdeCable& cable, const IdeTiming& timing,
                       std::optional<DiskImage> image)
    : IdeDevice(scheduler, trace, std::move(name), cable, timing),
      drive_(DriveKind::cdrom, std::move(image), timing.cdrom, ScsiDrive::Cable::atapi) {
  set_signature();
}

void AtapiDrive::reset_drive() {
  drive_.reset();
  phase_ = Phase::none;
  left_ = chunk_ = piece_at_ = 0;
  piece_.clear();
}

void AtapiDrive::execute(std::uint8_t command, Time now) {
  const Time soon = now + timing_.command;
  phase_ = Phase::none;
  left_ = 0;
  switch (command) {
    case packet_ata:
      by_dma_ = features() & 1;
      limit_ = static_cast<std::uint32_t>(reg(ide_low) | reg(ide_high) << 8) & ~1u;
      if (limit_ == 0) limit_ = 0xFFFE;
      return busy_until(now + timing_.packet, packet_step);
    case identify_packet_ata: return busy_until(soon, identify_step);
    case device_reset_ata: reset_drive(); return leave_reset(now);
    case identify_ata:
    case read_ata:  // required by SFF-8020i for disk commands: abort, with the signature
      set_signature();
      return fail(ide_abrt, now);
    case set_features_ata: {
      const std::uint8_t mode = reg(ide_count);
      const bool dma = (mode & 0xF8) == 0x20 && (mode & 7) <= 2, port = mode <= 1 || ((mode & 0xF8) == 8 && mode <= 12);
      if (features() != 0x03 || !(dma || port)) return fail(ide_abrt, now);
      if (dma) dma_mode_ = mode & 7;
      return busy_until(soon, complete_step);
    }
    case check_power_ata: reg(ide_count) = 0xFF; return busy_until(soon, complete_step);
    case standby_now_ata:
    case idle_now_ata:
    case sleep_ata: return busy_until(soon, complete_step);
    default: return fail(ide_abrt, now);
  }
}

void AtapiDrive::step(std::uint8_t step, Time now) {
  switch (step) {
    case packet_step:
      phase_ = Phase::packet;
      reg(ide_count) = ide_command_packet;
      return open_block(Block::from_host, false, packet_bytes, false, now);
    case fetched_step: {  // a piece is in the drive's buffer
      piece_.resize(std::min(left_, piece_bytes));
      piece_at_ = 0;
      left_ -= static_cast<std::uint32_t>(piece_.size());
      if (piece_.empty() || phase_ != Phase::in) return end(now);
      if (!drive_.data_in(piece_)) return check(now);
      return open_chunk(now);
    }
    case chunk_step: return open_chunk(now);
    case identify_step:
      phase_ = Phase::identify;
      identify();
      return open_block(Block::to_host, false, sector_bytes, true, now);
    default: return end(now);
  }
}

// ---- a packet ----

void AtapiDrive::packet_taken(Time now) {
  std::array<std::uint8_t, packet_bytes> cdb;
  std::copy_n(buffer_.begin(), packet_bytes, cdb.begin());
  trace_(TraceCategory::disk, now, name_, "{} ({:02X}h)", operation_name(cdb[0]), cdb[0]);
  const ScsiReply reply = drive_.command(cdb, 0, now);
  left_ = reply.bytes;
  piece_.clear();
  piece_at_ = 0;
  if (reply.status == ScsiReply::check_condition || reply.data == ScsiReply::Data::none) {
    phase_ = Phase::none;
    return busy_until(now + timing_.command, end_step);
  }
  phase_ = reply.data == ScsiReply::Data::in ? Phase::in : Phase::out;
  if (phase_ == Phase::in) return next_piece(now);
  busy_until(now + timing_.command, chunk_step);
}

void AtapiDrive::next_piece(Time now) {
  const std::uint32_t bytes = std::min(left_, piece_bytes);
  busy_until(std::max(drive_.piece_ready(bytes, now), now + timing_.gap), fetched_step);
}

/// The next block, of the size that the host requested.
void AtapiDrive::open_chunk(Time now) {
  const bool in = phase_ == Phase::in;
  const auto there = in ? static_cast<std::uint32_t>(piece_.size()) - piece_at_ : std::min(left_, piece_bytes);
  chunk_ = by_dma_ ? there : std::min(there, limit_);
  if (chunk_ == 0) return end(now);
  buffer_.assign((chunk_ + 1) & ~1u, 0);
  if (in) std::copy_n(piece_.begin() + piece_at_, chunk_, buffer_.begin());
  reg(ide_count) = in ? ide_to_host : 0;
  reg(ide_low) = static_cast<std::uint8_t>(chunk_);
  reg(ide_high) = static_cast<std::uint8_t>(chunk_ >> 8);
  open_block(in ? Block::to_host : Block::from_host, by_dma_, chunk_, true, now);
}

void AtapiDrive::block_moved(Time now) {
  switch (phase_) {
    case Phase::packet: return packet_taken(now);
    case Phase::identify: return complete(false, now);
    case Phase::in:
      piece_at_ += chunk_;
      if (piece_at_ < piece_.size()) return busy_until(now + timing_.gap, chunk_step);
      if (left_ != 0) return next_piece(now);
      break;
    case Phase::out:
      drive_.data_out(std::span(buffer_).first(chunk_));
      left_ -= chunk_;
      if (left_ != 0) return busy_until(now + timing_.gap, chunk_step);
      break;
    case Phase::none: break;
  }
  busy_until(now + timing_.gap, end_step);
}

void AtapiDrive::end(Time now) {
  phase_ = Phase::none;
  if (drive_.finish() == ScsiReply::check_condition) return check(now);
  reg(ide_count) = ide_command_packet | ide_to_host;
  complete(true, now);
}

void AtapiDrive::check(Time now) {
  phase_ = Phase::none;
  left_ = 0;
  reg(ide_count) = ide_command_packet | ide_to_host;
  fail(static_cast<std::uint8_t>(drive_.sense_key() << 4 | ide_abrt), now);
}

// ---- identification ----

/// IDENTIFY PACKET DEVICE (SFF-8020i, 7.1.7).
void AtapiDrive::identify() {
  buffer_.assign(sector_bytes, 0);
  const auto word = [this](unsigned n, unsigned value) {
    buffer_[2 * n] = static_cast<std::uint8_t>(value);
    buffer_[2 * n + 1] = static_cast<std::uint8_t>(value >> 8);
  };
  const auto text = [&](unsigned n, std::string_view text, unsigned words) {
    const auto at = [&](unsigned place) { return place < text.size() ? static_cast<std::uint8_t>(text[place]) : ' '; };
    for (unsigned pair = 0; pair < words; ++pair)
      word(n + pair, static_cast<unsigned>(at(2 * pair) << 8 | at(2 * pair + 1)));
  };
  word(0, 0x85C0);  // ATAPI, CD-ROM, removable; DRQ within 50 us of PACKET; packets of 12 bytes
  text(10, "PLANAR00000000000002", 10);
  text(23, "1.0", 4);
  text(27, "PLANAR CD-ROM", 20);
  word(49, 0x0F00);  // IORDY, can be disabled; LBA; DMA
  word(51, 0x0200);
  word(52, 0x0200);
  word(53, 0x0002);  // words 64 to 70 are valid
  word(63, 0x0007u | 0x0100u << dma_mode_);
  word(64, 0x0003);  // PIO modes 3 and 4
  for (const unsigned cycle : {65u, 66u, 67u, 68u}) word(cycle, 120);
}

void AtapiDrive::describe_drive(Description& d) const {
  d.flag("tray open", drive_.tray_open()).flag("tray locked", drive_.locked());
  d.number("blocks", drive_.blocks()).number("multiword DMA mode", dma_mode_).reg("sense key", drive_.sense_key(), 4);
  d.flag("by DMA", by_dma_).number("most bytes per block", limit_);
  d.level("bytes left", left_ + piece_.size() - piece_at_);
}

void AtapiDrive::archive_drive(Archive& a) {
  a.section("atapi drive", 1);
  a(drive_, dma_mode_, phase_, by_dma_, limit_, left_, piece_, piece_at_, chunk_);
  if (!a.loading()) return;
  const std::uint32_t block = phase_ == Phase::packet     ? packet_bytes
                              : phase_ == Phase::identify ? sector_bytes
                                                          : chunk_;
  if (phase_ > Phase::identify || dma_mode_ > 2 || (phase_ == Phase::in && !drive_.can_give(left_)) ||
      piece_at_ > piece_.size() || piece_.size() > piece_bytes ||
      (phase_ == Phase::in && chunk_ > piece_.size() - piece_at_ && block_bytes() != 0) ||
      (phase_ == Phase::out && chunk_ > left_ && block_bytes() != 0) ||
      (block_bytes() != 0 && (phase_ == Phase::none || block_bytes() != block)))
    throw Error("snapshot holds a damaged packet command; take a new one", ExitCode::missing_file);
}

}  // namespace planar::storage
