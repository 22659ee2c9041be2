// SPDX-License-Identifier: GPL-2.0-or-later
// The IBM SCSI subsystem's control blocks: fetch, execution, completion.
#include <algorithm>

#include "devices/storage/drive/scsi_fields.hpp"
#include "devices/storage/scsi/ibm_scsi.hpp"
#include "devices/storage/scsi/ibm_scsi_codes.hpp"

namespace planar::storage {
namespace {

void put_little(std::span<std::uint8_t> at, std::uint32_t value, unsigned bytes) {
  for (unsigned n = 0; n < bytes; ++n) at[n] = static_cast<std::uint8_t>(value >> (8 * n));
}

}  // namespace

std::uint32_t IbmScsi::field(unsigned offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned n = bytes; n-- > 0;) value = value << 8 | block_[offset + n];
  return value;
}

void IbmScsi::transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Step step, Time now) {
  step_ = step;
  master_.start(address, bytes, direction, now);
}

void IbmScsi::next_request(Time now) {
  if (step_ != Step::idle || queue_.empty()) return;
  active_ = queue_.front();
  queue_.pop_front();
  fetch(active_.command, now);
}

void IbmScsi::fetch(std::uint32_t address, Time now) {
  const bool is_long = (active_.attention & request_mask) == long_block_request;
  block_address_ = address;
  block_ = {};
  segments_.clear();
  segment_ = segment_at_ = host_bytes_ = moved_ = target_bytes_ = target_at_ = buffer_at_ = piece_ = 0;
  data_ = ScsiReply::Data::none;
  own_ = false;
  transfer(address, is_long ? long_block_bytes : short_block_bytes, Direction::read, Step::fetch, now);
}

void IbmScsi::transfer_done(Time now) {
  switch (step_) {
    case Step::fetch: {
      const bool is_long = (active_.attention & request_mask) == long_block_request;
      std::copy_n(buffer_.begin(), is_long ? long_block_bytes : short_block_bytes, block_.begin());
      step_ = Step::prepare;
      step_event_.at(now + block_time_);
      return;
    }
    case Step::fetch_list:
      for (std::uint32_t at = 0; at < field(block_length, 4); at += 8) {
        const auto entry = std::span(buffer_).subspan(at, 8);
        std::uint32_t word[2] = {};
        for (unsigned n = 8; n-- > 0;) word[n / 4] = word[n / 4] << 8 | entry[n];
        if (word[1] != 0) segments_.push_back({word[0], word[1]});
      }
      execute(now);
      return;
    case Step::move: move_done(now); return;
    case Step::store_status: finish(now); return;
    default: return;
  }
}

void IbmScsi::step(Time now) {
  switch (step_) {
    case Step::prepare: prepare(now); return;
    case Step::select: select(now); return;
    case Step::medium: medium_done(now); return;
    case Step::conclude: store_status(now); return;
    default: return;
  }
}

void IbmScsi::prepare(Time now) {
  const std::uint32_t bytes = field(block_length, 4), address = field(block_buffer, 4);
  if (bytes != 0 && (field(block_enable, 2) & pointer_to_list)) {
    if (bytes % 8 != 0 || bytes / 8 > most_segments)
      refuse(now);
    else
      transfer(address, bytes, Direction::read, Step::fetch_list, now);
    return;
  }
  if (bytes != 0) segments_.push_back({address, bytes});
  execute(now);
}

void IbmScsi::execute(Time now) {
  std::uint64_t room = 0;
  for (const Segment& s : segments_) room += s.bytes;
  host_bytes_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, 0xFFFFFFFF));
  switch (field(block_command, 2) & block_command_mask) {
    case complete_status_command: answer(last_status_, now); return;
    case pos_information_command: answer(pos_information(), now); return;
    case prefetch_command: target_done(ScsiReply::good, now); return;
    default: break;
  }
  std::array<std::uint8_t, 12> cdb{};
  if ((active_.attention & device_mask) == subsystem || !build_command(cdb)) {
    refuse(now);
  } else if (device().target < 0) {
    conclude({completed_with_failure, device_information, 0, block_refused, 0, not_assigned}, now);
  } else {
    step_ = Step::select;
    step_event_.at(now + (target() ? select_time_ : timeout_time_));
  }
}

// The target's command for this control block; false: the block is invalid.
bool IbmScsi::build_command(std::span<std::uint8_t, 12> cdb) const {
  const auto command = static_cast<std::uint16_t>(field(block_command, 2) & block_command_mask);
  const auto on_blocks = [&](std::uint8_t operation) {
    cdb[0] = operation;
    for (unsigned n = 0; n < 4; ++n) cdb[2 + n] = block_[block_lba + 3 - n];
    cdb[7] = block_[block_count + 1];
    cdb[8] = block_[block_count];
  };
  const auto allocation = static_cast<std::uint8_t>(std::min(host_bytes_, 255u));
  switch (command) {
    case read_command: on_blocks(read10_op); break;
    case write_command: on_blocks(write10_op); break;
    case read_verify_command: on_blocks(verify_op); break;
    case write_verify_command: on_blocks(write_verify_op); break;
    case capacity_command: cdb[0] = read_capacity_op; break;
    case format_command: cdb[0] = format_op; break;
    case reassign_command: cdb[0] = reassign_op; break;
    case inquiry_command:
    case request_sense_command:
      cdb[0] = command == inquiry_command ? inquiry_op : request_sense_op;
      cdb[4] = allocation;
      break;
    case other_scsi_command: {
      const unsigned length = block_[block_lba] ? block_[block_lba] : 6;
      if ((active_.attention & request_mask) != long_block_request || length > cdb.size()) return false;
      std::copy_n(block_.begin() + block_cdb, length, cdb.begin());
      break;
    }
    default: return false;
  }
  return true;
}

void IbmScsi::select(Time now) {
  ScsiDrive* drive = target();
  if (!drive) {
    conclude({completed_with_failure, device_information, ScsiReply::check_condition, command_failed,
              selection_timed_out, 0},
             now);
    return;
  }
  std::array<std::uint8_t, 12> cdb{};
  build_command(cdb);
  slot_.trace()(TraceCategory::disk, now, slot_.subject().device, "device {} at target {}: {} {:02x}",
                active_.attention & device_mask, device().target, operation_name(cdb[0]), fmt::join(cdb, " "));
  const ScsiReply reply = drive->command(cdb, device().lun, now);
  data_ = reply.data;
  target_bytes_ = reply.bytes;
  if (reply.status != ScsiReply::good) {
    target_done(reply.status, now);
  } else if (data_ == ScsiReply::Data::none) {
    step_ = Step::medium;
    step_event_.at(drive->piece_ready(0, now));
  } else if (data_ == ScsiReply::Data::out && host_bytes_ < target_bytes_) {
    drive->reset();  // the target still waits for data: only a reset ends that
    refuse(now);
  } else {
    next_piece(now);
  }
}

// Returns data that the adapter itself supplies.
void IbmScsi::answer(std::span<const std::uint8_t> data, Time now) {
  own_ = true;
  data_ = ScsiReply::Data::in;
  target_bytes_ = static_cast<std::uint32_t>(std::min<std::size_t>(data.size(), host_bytes_));
  std::copy_n(data.begin(), target_bytes_, buffer_.begin());
  next_piece(now);
}

void IbmScsi::next_piece(Time now) {
  const std::uint32_t left = target_bytes_ - target_at_;
  buffer_at_ = 0;
  piece_ = std::min(left, piece_bytes);
  if (left == 0) {
    target_done(own_ ? ScsiReply::good : target()->finish(), now);
  } else if (own_) {
    target_at_ += piece_;
    move_segment(now);
  } else if (data_ == ScsiReply::Data::in) {
    step_ = Step::medium;
    step_event_.at(target()->piece_ready(piece_, now));
  } else {
    move_segment(now);
  }
}

// The drive has the piece ready (in), has written it (out), or has completed a command without data.
void IbmScsi::medium_done(Time now) {
  ScsiDrive& drive = *target();
  if (data_ == ScsiReply::Data::none) {
    target_done(drive.finish(), now);
    return;
  }
  if (data_ == ScsiReply::Data::out) {
    const std::uint32_t bytes = buffer_at_;
    if (!drive.data_out(std::span(buffer_).first(bytes))) {
      target_done(ScsiReply::check_condition, now);
      return;
    }
    target_at_ += bytes;
    next_piece(now);
    return;
  }
  if (!drive.data_in(std::span(buffer_).first(piece_))) {
    target_done(ScsiReply::check_condition, now);
    return;
  }
  target_at_ += piece_;
  piece_ = std::min(piece_, host_bytes_ - moved_);
  if (piece_ == 0)
    next_piece(now);  // more than the host requested
  else
    move_segment(now);
}

/// For a snapshot: the target exists, and what is still to be moved fits in the host's buffers.
bool IbmScsi::work_sound() const {
  std::uint64_t room = 0, before = segment_at_;
  for (std::size_t n = 0; n < segments_.size(); ++n) {
    room += segments_[n].bytes;
    if (n < segment_) before += segments_[n].bytes;
  }
  const std::uint32_t here = segment_ < segments_.size() ? segments_[segment_].bytes : 1;
  if (segment_ > segments_.size() || segment_at_ >= here || moved_ != before ||
      host_bytes_ != std::min<std::uint64_t>(room, 0xFFFFFFFF))
    return false;
  if (step_ == Step::fetch_list) return field(block_length, 4) % 8 == 0 && field(block_length, 4) / 8 <= most_segments;
  if (step_ != Step::medium && step_ != Step::move) return true;

  const int id = devices_[active_.attention & device_mask].target;
  const bool out = data_ == ScsiReply::Data::out, moves = step_ == Step::move;
  const std::uint32_t left = target_bytes_ - target_at_, host_left = host_bytes_ - moved_;
  if (own_ ? !moves || data_ != ScsiReply::Data::in : id < 0 || !drives_[static_cast<unsigned>(id)]) return false;
  if (target_at_ > target_bytes_ || (moves && (piece_ == 0 || piece_ > host_left))) return false;
  if (out) return buffer_at_ + piece_ <= left && left - buffer_at_ <= host_left;
  return own_ ? left <= host_left - piece_ : moves || piece_ <= left;
}

std::uint32_t IbmScsi::segment_bytes() const { return std::min(segments_[segment_].bytes - segment_at_, piece_); }

void IbmScsi::move_segment(Time now) {
  transfer(segments_[segment_].address + segment_at_, segment_bytes(),
           data_ == ScsiReply::Data::in ? Direction::write : Direction::read, Step::move, now);
}

void IbmScsi::move_done(Time now) {
  const std::uint32_t bytes = segment_bytes();
  segment_at_ += bytes;
  moved_ += bytes;
  buffer_at_ += bytes;
  piece_ -= bytes;
  if (segment_at_ == segments_[segment_].bytes) {
    ++segment_;
    segment_at_ = 0;
  }
  if (piece_ > 0) {
    move_segment(now);
  } else if (data_ == ScsiReply::Data::in) {
    next_piece(now);
  } else {
    step_ = Step::medium;
    step_event_.at(target()->piece_ready(buffer_at_, now));
  }
}

void IbmScsi::target_done(std::uint8_t status, Time now) {
  if (status != ScsiReply::good)
    conclude({completed_with_failure, device_information, status, command_failed, device_check, 0}, now);
  else if (target_bytes_ > moved_)
    conclude({completed_with_failure, device_information | long_record, 0, command_failed, 0, 0}, now);
  else if (moved_ < host_bytes_ && !(field(block_enable, 2) & suppress_short))
    conclude({completed_with_failure, device_information | short_record, 0, command_failed, 0, 0}, now);
  else
    conclude({block_completed, device_information | ended_good, 0, 0, 0, 0}, now);
}

void IbmScsi::refuse(Time now) {
  conclude({completed_with_failure, device_information | specification_check, 0, block_refused, 0, invalid_parameter},
           now);
}

void IbmScsi::conclude(const Ending& ending, Time now) {
  ending_ = ending;
  step_ = Step::conclude;
  step_event_.at(now + conclude_time_);
}

void IbmScsi::store_status(Time now) {
  last_status_ = status_block();
  const std::uint32_t address = field(block_tsb, 4);
  if (ending_.result == block_completed && (field(block_enable, 2) & status_only_on_error)) {
    finish(now);
    return;
  }
  buffer_at_ = 0;
  std::copy(last_status_.begin(), last_status_.end(), buffer_.begin());
  transfer(address, status_block_bytes, Direction::write, Step::store_status, now);
}

void IbmScsi::finish(Time now) {
  if (ending_.result == block_completed && (field(block_enable, 2) & chain_on_good)) {
    fetch(field(block_chain, 4), now);
    return;
  }
  device().busy = false;
  step_ = Step::idle;
  slot_.trace()(TraceCategory::disk, now, slot_.subject().device, "device {} result {:02X} after {} bytes",
                active_.attention & device_mask, ending_.result, moved_);
  post(ending_.result, active_.attention & device_mask, now);
  next_request(now);
}

std::array<std::uint8_t, 18> IbmScsi::pos_information() const {
  constexpr std::uint16_t narrow_connector = 0x1000;
  constexpr std::uint8_t interrupt = 14, luns = 8, targets = 7, logical_devices = 16, end_of_interrupt_time = 1,
                         busy_time = 30;
  std::array<std::uint8_t, 18> info{};
  put_little(info, adapter_id(), 2);
  info[2] = pos_[3];
  info[3] = pos_[2];
  info[4] = interrupt;
  info[5] = pos_[4];
  put_little(std::span(info).subspan(6), entry_.bus_width == 16 ? narrow_connector : 0, 2);
  info[8] = luns;
  info[9] = targets;
  info[10] = pacing_;
  info[11] = logical_devices;
  info[12] = end_of_interrupt_time;
  info[13] = busy_time;
  info[14] = info[15] = 0xFF;  // no device is cached
  return info;                 // retries enabled for all
}

std::array<std::uint8_t, 26> IbmScsi::status_block() const {
  constexpr std::uint16_t device_status_bytes = 12;
  std::array<std::uint8_t, 26> b{};
  const auto at = [&](unsigned offset) { return std::span(b).subspan(offset); };
  put_little(at(0), ending_.status, 2);
  put_little(at(4), host_bytes_ - moved_, 4);
  if (field(block_enable, 2) & pointer_to_list) put_little(at(8), field(block_buffer, 4) + segment_ * 8, 4);
  put_little(at(12), device_status_bytes, 2);
  b[14] = ending_.device_status;
  b[15] = ending_.command_status;
  b[16] = ending_.device_error;
  b[17] = ending_.command_error;
  put_little(at(22), block_address_, 4);
  return b;
}

}  // namespace planar::storage
