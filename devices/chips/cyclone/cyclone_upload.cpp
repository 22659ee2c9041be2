// SPDX-License-Identifier: GPL-2.0-or-later
// Cyclone: the upload list, from the receive FIFO into memory.
//
//   UpListPtr -> UPD  00 UpNextPtr  04 UpPktStatus  08 address  0C length (31: last)  10 address ...
//
// A UPD's head and first fragment are read when the frame at the head of the FIFO becomes visible (60 bytes of it have
// arrived). A UPD whose UpPktStatus is complete belongs to the host: the engine stalls until UpUnStall, or polls the
// UPD if UpPoll is set. Data follow as they arrive; then UpPktStatus is written, and UpNextPtr read (inferred: not
// earlier, so that a host can still lengthen its list at this point).
#include <algorithm>

#include "devices/chips/cyclone/cyclone.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t upd_head_bytes = 16, upd_fragment_bytes = 8;

}  // namespace

// Performs the engine's next step; called whenever something it may be waiting for has changed.
void Cyclone::up_run(Time now) {
  if (up_stall_ || up_full_ || host_error_ || up_dma_.busy()) return;
  switch (up_.step) {
    case Step::idle:
      if (up_list_ptr_ == 0 || rx_fifo_.empty()) return;
      if (!rx_fifo_.front().complete && rx_fifo_.front().data.size() < visible_from()) return;
      up_ = {};
      up_.at = up_list_ptr_;
      up_.step = Step::header;
      up_dma_.read(read_command(up_.at, upd_head_bytes), up_.at, upd_head_bytes, now);
      return;
    case Step::fragment: {
      const std::uint32_t at = up_.at + 8 + upd_fragment_bytes * up_.fragment;
      up_dma_.read(read_command(at, upd_fragment_bytes), at, upd_fragment_bytes, now);
      return;
    }
    case Step::data:
    case Step::skip: up_data(now); return;
    case Step::status: {
      const RxPacket& p = rx_fifo_.front();
      up_status_ = p.status | UpCompleteBit | static_cast<std::uint32_t>(p.data.size());
      up_dma_.write_word(up_.at + 4, up_status_, now);
      return;
    }
    case Step::next: up_dma_.read(BurstCommand::read, up_.at, 4, now); return;
    default: return;  // header: in progress
  }
}

void Cyclone::up_done(Time now) {
  sync_receive(now);
  if (!up_dma_.moved()) {
    host_error(now);
    return;
  }
  switch (up_.step) {
    case Step::header:
      up_.header = up_dma_.word(4);
      if (up_.header & UpCompleteBit) {
        up_full_ = true;
        up_.step = Step::idle;
        if (up_poll_interval_ != 0) up_poll_.at(now + poll_unit * std::int64_t{up_poll_interval_});
      } else if (up_.header & ImpliedBufferEnable) {
        up_.begin_fragment(up_.at + 8, implied_buffer_bytes | last_fragment);
      } else {
        up_.begin_fragment(up_dma_.word(8), up_dma_.word(12));
      }
      break;
    case Step::fragment: up_.begin_fragment(up_dma_.word(0), up_dma_.word(4)); break;
    case Step::data: {
      const auto bytes = static_cast<std::uint32_t>(up_dma_.data().size());
      RxPacket& p = rx_fifo_.front();
      p.taken += bytes;
      rx_used_ -= bytes;
      up_.address += bytes;
      up_.left -= bytes;
      break;
    }
    case Step::status:
      rx_drop_head();
      up_complete_ = true;
      up_.step = Step::next;
      break;
    case Step::next:
      if (up_list_ptr_ == up_.at) up_list_ptr_ = up_dma_.word(0) & ~7u;  // the host may have written another one
      up_.step = Step::idle;
      break;
    default: break;
  }
  up_run(now);
  listen(now);
  update(now);
}

// Writes what has arrived, once that reaches UpBurstThresh, fills the buffer or ends the frame.
void Cyclone::up_data(Time now) {
  RxPacket& p = rx_fifo_.front();
  const auto arrived = static_cast<std::uint32_t>(p.data.size()) - p.taken;
  const bool full = up_.left == 0 && up_.last;
  if (up_.step == Step::skip || (full && arrived != 0)) {  // no buffer for the rest
    up_.step = Step::skip;
    p.taken += arrived;
    rx_used_ -= arrived;
    if (!p.complete) return;
    p.status |= UpError | UpOverflow;
    up_.step = Step::status;
    up_run(now);
  } else if (p.complete && arrived == 0) {
    up_.step = Step::status;
    up_run(now);
  } else if (full) {  // the rest may fit
    return;
  } else if (up_.left == 0) {
    up_.step = Step::fragment;
    up_run(now);
  } else if (p.complete || arrived >= std::min(up_.left, up_burst())) {
    std::uint32_t bytes = std::min(up_.left, arrived);
    const BurstCommand how = write_command(up_.address, bytes);
    up_max_burst_ = std::max(up_max_burst_, static_cast<std::uint16_t>(bytes));
    up_dma_.write(how, up_.address, std::span(p.data).subspan(p.taken, bytes), now);
  }
}

void Cyclone::up_poll(Time now) {
  up_full_ = false;
  up_run(now);
  update(now);
}

}  // namespace planar::ethernet
