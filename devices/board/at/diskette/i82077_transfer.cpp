// SPDX-License-Identifier: GPL-2.0-or-later
// 82077AA: the execution phase. A track is a circle of byte times; sectors are found, read and written as they pass.
#include <algorithm>

#include "devices/board/at/diskette/i82077.hpp"

namespace planar {

namespace {

constexpr Time revolution = 200_ms;  // 300 rpm
// IBM system 34 track, in bytes.
constexpr unsigned before_first_id = 80 + 12 + 4 + 50 + 12;  // GAP 4A, sync, IAM, GAP 1, sync of the first ID
constexpr unsigned id_bytes = 4 + 4 + 2;                     // mark, C H R N, CRC
constexpr unsigned gap2_and_sync = 22 + 12, gap2_perpendicular = 41 + 12, data_mark = 4, crc_bytes = 2, sync_bytes = 12;
constexpr unsigned usual_gap3 = 108;
constexpr unsigned fifo_bytes = 16;

// ST0 interrupt code
constexpr std::uint8_t normal = 0x00, abnormal = 0x40;
// ST1
constexpr std::uint8_t end_of_cylinder = 0x80, data_error = 0x20, overrun = 0x10, no_data = 0x04, not_writable = 0x02,
                       missing_address_mark = 0x01;
// ST2
constexpr std::uint8_t control_mark = 0x40, data_field_error = 0x20, wrong_cylinder = 0x10, bad_cylinder = 0x02;

constexpr std::uint8_t read_deleted_opcode = 0x0C;

}  // namespace

// --- The track ---

/// The diskette under the head, if its signal can be read at the present data rate and cylinder.
const FloppyImage* I82077::track() const {
  const FloppyDrive& d = drives_[unit_];
  if (!d.installed || !d.image) return nullptr;
  const FloppyGeometry& g = d.image->geometry();
  const bool readable = g.data_rate == rate() && rate() <= d.highest_rate && d.cylinder < g.cylinders &&
                        head_ < g.heads && command_[0] & 0x40;  // MFM
  return readable ? &*d.image : nullptr;
}

/// Whether index pulses arrive: without them no command ends.
bool I82077::spinning(Time) const { return drives_[unit_].installed && drives_[unit_].image && drives_[unit_].motor; }

Time I82077::byte_time() const { return Time{(8_ms).ps / static_cast<std::int64_t>(rate())}; }

Time I82077::next_index(Time after) const { return revolution * ((after.ps + revolution.ps - 1) / revolution.ps); }

/// Distance from one sector's ID to the next, in bytes.
unsigned I82077::sector_pitch() const {
  const FloppyGeometry& g = drives_[unit_].image->geometry();
  const auto capacity = static_cast<unsigned>(revolution / byte_time());
  const unsigned gap2 = rate() == 1000 ? gap2_perpendicular : gap2_and_sync;
  const unsigned bare = id_bytes + gap2 + data_mark + FloppyImage::sector_bytes + crc_bytes + sync_bytes;
  return std::min((capacity - before_first_id) / g.sectors, bare + usual_gap3);
}

/// When the ID mark of `sector` begins in the revolution that starts at `index`.
Time I82077::track_position(Time index, unsigned sector) const {
  return index + byte_time() * (before_first_id + (sector - 1) * sector_pitch());
}

Time I82077::next_id(unsigned sector, Time after) const {
  const Time index = next_index(after) - revolution;
  const Time here = track_position(index, sector);
  return here >= after ? here : here + revolution;
}

// --- Search ---

void I82077::start_transfer(Time now) {
  FloppyDrive& d = drives_[unit_];
  const bool writes = transfer_ == Transfer::to_disk || transfer_ == Transfer::format;
  if (writes && d.installed && d.image && d.image->write_protected()) {
    finish(abnormal, not_writable, 0, now);
    return;
  }
  // The head is already loaded, or takes HLT (units of 2 ms at 500 kbit/s, 0 = 128 units).
  Time settled = now;
  if (head_loaded_drive_ != unit_ || now > head_loaded_until_) {
    const unsigned units = hlt_nd_ >> 1 ? hlt_nd_ >> 1 : 128;
    settled = now + Time{(2_ms).ps * units * 500 / static_cast<std::int64_t>(rate())};
  }
  head_loaded_drive_ = unit_;
  head_loaded_until_ = Time::never();
  search(settled);
  if (writes) service(now);
}

/// Looks for the next ID from `from` on; the sector event handles the result.
void I82077::search(Time from) {
  searching_ = true;
  stuck_ = !spinning(from);
  if (stuck_) {
    sector_event_.cancel();
    return;
  }
  from = std::max(from, drives_[unit_].motor_ready);
  if (transfer_ == Transfer::format) {
    sector_event_.at(next_index(from));
    return;
  }
  found_sector_ = 0;
  if (const FloppyImage* image = track()) {
    const unsigned sectors = image->geometry().sectors;
    if (id_only_) {
      Time best = Time::never();
      for (unsigned s = 1; s <= sectors; ++s) {
        const Time at = next_id(s, from);
        if (at < best) {
          best = at;
          found_sector_ = static_cast<std::uint8_t>(s);
        }
      }
      sector_event_.at(best + byte_time() * id_bytes);
      return;
    }
    if (c_ == drives_[unit_].cylinder && h_ == head_ && n_ == 2 && r_ >= 1 && r_ <= sectors) {
      found_sector_ = r_;
      sector_event_.at(next_id(r_, from) + byte_time() * id_bytes);
      return;
    }
  }
  sector_event_.at(next_index(next_index(from) + 1_ps));  // the second index pulse ends the search
}

void I82077::sector_event(Time now) {
  if (transfer_ == Transfer::format)
    format_slot(now);
  else if (!searching_)
    sector_done(now);
  else if (found_sector_ == 0)
    search_failed(now);
  else
    id_found(now);
}

void I82077::search_failed(Time now) {
  if (!track()) {
    finish(abnormal, missing_address_mark, 0, now);
    return;
  }
  std::uint8_t st2 = 0;
  if (c_ != drives_[unit_].cylinder) st2 = c_ == 0xFF ? bad_cylinder : wrong_cylinder;
  finish(abnormal, no_data, st2, now);
}

void I82077::id_found(Time now) {
  if (!track()) {  // the diskette was removed in the meantime
    search(now);
    return;
  }
  if (id_only_) {
    c_ = drives_[unit_].cylinder;
    h_ = head_;
    r_ = found_sector_;
    n_ = 2;
    finish(normal, 0, 0, now);
    return;
  }
  searching_ = false;
  disk_position_ = 0;
  const unsigned gap2 = rate() == 1000 ? gap2_perpendicular : gap2_and_sync;
  byte_start_ = now + byte_time() * (gap2 + data_mark);
  if (transfer_ != Transfer::to_disk) {
    if (!track()->read(drives_[unit_].cylinder, head_, r_, sector_)) sector_.fill(0);
    srb_toggles_ ^= 0x08;
  } else {
    srb_toggles_ ^= 0x14;
  }
  sector_event_.at(byte_start_ + byte_time() * (FloppyImage::sector_bytes + crc_bytes));
  service(now);
}

// --- FIFO and host ---

unsigned I82077::fifo_capacity() const {
  if (transfer_ == Transfer::format) return fifo_bytes;
  return configure_ & 0x20 ? 1 : fifo_bytes;
}

/// Reading: bytes in the FIFO that cause a request. Writing: remaining bytes that cause a request.
unsigned I82077::fifo_target() const {
  const unsigned threshold = configure_ & 0x0F;
  if (transfer_ == Transfer::format) return fifo_bytes - 1;
  if (transfer_ == Transfer::to_host) return configure_ & 0x20 ? 1 : fifo_bytes - threshold;
  return configure_ & 0x20 ? 0 : threshold;
}

/// Moves bytes between track and FIFO up to `now`.
void I82077::pull(Time now) {
  if (searching_ || transfer_ == Transfer::none || transfer_ == Transfer::format) return;
  const Time byte = byte_time();
  while (disk_position_ < FloppyImage::sector_bytes) {
    if (transfer_ == Transfer::to_host) {
      if (byte_start_ + byte * (disk_position_ + 1) > now) return;
      if (!terminal_ && !skips()) {
        if (fifo_.size() >= fifo_capacity()) {
          finish(abnormal, overrun, 0, now);
          return;
        }
        fifo_.push_back(sector_[disk_position_]);
      }
    } else {
      if (byte_start_ + byte * disk_position_ > now) return;
      if (!fifo_.empty()) {
        sector_[disk_position_] = fifo_.front();
        fifo_.pop_front();
      } else if (terminal_) {
        sector_[disk_position_] = 0;  // the rest of the last sector
      } else {
        finish(abnormal, overrun, 0, now);
        return;
      }
    }
    ++disk_position_;
  }
}

/// A normal data mark where a deleted one was expected: raw images have no deleted ones.
bool I82077::unexpected_mark() const { return (command_[0] & 0x1F) == read_deleted_opcode; }

/// SK: the data of a sector with an unexpected mark are not transferred.
bool I82077::skips() const { return unexpected_mark() && (command_[0] & 0x20); }

bool I82077::more_sectors() const { return r_ != eot_ || ((command_[0] & 0x80) && head_ == 0); }

void I82077::request(bool active, Time now) {
  requesting_ = active;
  if (hlt_nd_ & 1) {
    if (phase_ != Phase::execution) return;
    ready_for_byte_ = active;
    set_interrupt(active, now);
  } else {
    drive_pins(now);
  }
}

/// Decides whether to request service from the host, and when to check again.
void I82077::service(Time now) {
  pull(now);
  if (phase_ != Phase::execution || terminal_ || transfer_ == Transfer::none) return;
  const std::size_t held = fifo_.size();
  bool active = requesting_;
  if (transfer_ == Transfer::to_host) {
    const bool last_bytes = disk_position_ == FloppyImage::sector_bytes || draining_ || searching_;
    if (held >= fifo_target() || (last_bytes && held > 0)) active = true;
    if (held == 0) active = false;
    // The last byte of the last sector has been transferred: if TC does not accompany it, the command ends.
    if (held == 0 && draining_) sector_event_.at(now + byte_time());
  } else {
    if (held <= fifo_target()) active = true;
    bool wanted = true;
    if (transfer_ == Transfer::format)
      wanted = held < std::size_t{4} * format_left_;
    else if (!searching_ && !more_sectors())
      wanted = disk_position_ + held < FloppyImage::sector_bytes;
    else if (searching_ && !more_sectors())
      wanted = held < FloppyImage::sector_bytes;
    if (held >= fifo_capacity() || !wanted) active = false;
  }
  request(active, now);
  schedule_byte();
}

void I82077::schedule_byte() {
  if (searching_ || draining_ || transfer_ == Transfer::format || disk_position_ >= FloppyImage::sector_bytes) {
    byte_event_.cancel();
    return;
  }
  const auto held = static_cast<std::int64_t>(fifo_.size());
  const auto last = static_cast<std::int64_t>(FloppyImage::sector_bytes) - 1;
  std::int64_t index = disk_position_;
  if (transfer_ == Transfer::to_host) {
    // The byte that causes a request, or, while the host is slow, the one that no longer fits.
    index += requesting_ ? fifo_capacity() - held : static_cast<std::int64_t>(fifo_target()) - held - 1;
    byte_event_.at(byte_start_ + byte_time() * (std::clamp<std::int64_t>(index, disk_position_, last) + 1));
  } else {
    // The byte that makes room for a request, or the first one that the host has not supplied.
    index += requesting_ ? held : held - static_cast<std::int64_t>(fifo_target()) - 1;
    byte_event_.at(byte_start_ + byte_time() * std::clamp<std::int64_t>(index, disk_position_, last));
  }
}

std::uint8_t I82077::take_byte(Time now) {
  pull(now);
  if (phase_ != Phase::execution || fifo_.empty()) return 0;
  const std::uint8_t value = fifo_.front();
  fifo_.pop_front();
  service(now);
  return value;
}

void I82077::give_byte(std::uint8_t value, Time now) {
  pull(now);
  if (phase_ != Phase::execution) return;
  if (fifo_.size() < fifo_bytes) fifo_.push_back(value);
  service(now);
}

std::uint8_t I82077::dma_read(Time now) { return transfer_ == Transfer::to_host ? take_byte(now) : 0; }

void I82077::dma_write(std::uint8_t value, Time now) {
  if (transfer_ == Transfer::to_disk || transfer_ == Transfer::format) give_byte(value, now);
}

void I82077::terminal_count(Time now) {
  if (phase_ != Phase::execution || terminal_ || transfer_ == Transfer::none) return;
  pull(now);
  if (phase_ != Phase::execution) return;
  terminal_ = true;
  request(false, now);
  byte_event_.cancel();
  if (transfer_ == Transfer::to_host) {
    fifo_.clear();
    if (draining_ || searching_) finish(normal, 0, 0, now);  // the sector is complete: nothing left to wait for
  }
}

// --- Sectors ---

/// Advances to the next sector of the command: false after the last one, with C, H and R set for the result phase.
bool I82077::advance_sector() {
  if (r_ != eot_) {
    ++r_;
    return true;
  }
  r_ = 1;
  if (command_[0] & 0x80) {  // MT: the other side follows
    head_ ^= 1;
    h_ ^= 1;
    if (head_ == 1) return true;
  }
  ++c_;
  return false;
}

void I82077::sector_done(Time now) {
  if (draining_) {  // the FIFO was emptied without TC
    finish(abnormal, end_of_cylinder, 0, now);
    return;
  }
  pull(now);
  if (phase_ != Phase::execution) return;
  // The host's file failed to read or write the sector: report a CRC error, or do not perform the write.
  if (FloppyDrive& d = drives_[unit_]; d.image) {
    if (transfer_ == Transfer::to_disk && !d.image->write(d.cylinder, head_, r_, sector_)) {
      finish(abnormal, not_writable, 0, now);
      return;
    }
    if (std::array<std::uint8_t, FloppyImage::sector_bytes> same;
        transfer_ != Transfer::to_disk && !d.image->read(d.cylinder, head_, r_, same)) {
      finish(abnormal, data_error, data_field_error, now);
      return;
    }
  }
  trace_(TraceCategory::diskette, now, "diskette", "drive {} cylinder {} head {} sector {} {}", unit_,
         drives_[unit_].cylinder, head_, r_, transfer_ == Transfer::to_disk ? "written" : "read");
  if (unexpected_mark() && !skips()) {  // the command ends with this sector, whose address it reports
    finish(normal, 0, control_mark, now);
    return;
  }
  const std::uint8_t transferred_head = head_;
  const bool more = advance_sector();
  const bool counted = verify_left_ > 0 && --verify_left_ == 0;
  if (terminal_ || counted || (!more && transfer_ == Transfer::none)) {
    head_ = transferred_head;  // ST0 has the side of the transfer, the H byte that of the next sector
    finish(normal, 0, 0, now);
    return;
  }
  if (more) {
    search(now);
    service(now);
    return;
  }
  head_ = transferred_head;
  if (transfer_ == Transfer::to_host && !fifo_.empty()) {
    draining_ = true;
    service(now);
    return;
  }
  finish(abnormal, end_of_cylinder, skips() ? control_mark : 0, now);
}

/// FORMAT: at the index pulse, and then at the start of every sector, four ID bytes are due.
void I82077::format_slot(Time now) {
  FloppyDrive& d = drives_[unit_];
  if (!spinning(now)) {
    search(now);
    return;
  }
  if (searching_) {  // the first index pulse
    searching_ = false;
    byte_start_ = now;
    disk_position_ = 0;
  } else if (format_left_ == 0) {
    finish(normal, 0, 0, now);
    return;
  }
  if (format_left_ > 0 && disk_position_ > 0) {
    if (fifo_.size() < 4) {
      finish(abnormal, overrun, 0, now);
      return;
    }
    std::array<std::uint8_t, 4> id;
    for (std::uint8_t& byte : id) {
      byte = fifo_.front();
      fifo_.pop_front();
    }
    c_ = id[0];
    h_ = id[1];
    r_ = id[2];
    n_ = id[3];
    if (track() && c_ == d.cylinder && h_ == head_ && n_ == 2) {
      std::array<std::uint8_t, FloppyImage::sector_bytes> filled;
      filled.fill(command_[5]);
      const bool written = d.image->write(d.cylinder, head_, r_, filled);
      if (!written && r_ >= 1 && r_ <= d.image->geometry().sectors) {  // other IDs leave a raw image unchanged
        finish(abnormal, not_writable, 0, now);
        return;
      }
      srb_toggles_ ^= 0x14;
    }
    --format_left_;
  }
  // The slots follow one another at the pitch of this diskette; after the last one, the next index pulse ends the
  // track.
  ++disk_position_;
  if (format_left_ == 0)
    sector_event_.at(next_index(now + 1_ps));
  else
    sector_event_.at(std::max(now + 1_ps, track_position(byte_start_, disk_position_)));
  service(now);
}

void I82077::finish(std::uint8_t interrupt_code, std::uint8_t st1, std::uint8_t st2, Time now) {
  sector_event_.cancel();
  byte_event_.cancel();
  request(false, now);
  // The head stays loaded for HUT (units of 16 ms at 500 kbit/s, 0 = 16 units).
  const unsigned units = srt_hut_ & 15 ? srt_hut_ & 15 : 16;
  head_loaded_until_ = now + Time{(16_ms).ps * units * 500 / static_cast<std::int64_t>(rate())};
  const auto st0 = static_cast<std::uint8_t>(interrupt_code | head_ << 2 | unit_);
  respond({st0, st1, st2, c_, h_, r_, n_}, true, now);
}

}  // namespace planar
