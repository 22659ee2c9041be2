// SPDX-License-Identifier: GPL-2.0-or-later
// Cyclone: the download list, from memory into the transmit FIFO.
//
//   DnListPtr -> DPD  00 DnNextPtr  04 FrameStartHeader  08 address  0C length (31: last)  10 address ...
//
// A DPD's head and first fragment are read in one burst of 16 bytes, each further fragment's descriptor in one of 8.
// When the frame is in the FIFO, DnNextPtr and FrameStartHeader are read once more, as the host may have linked another
// DPD or withdrawn its interrupt request, and FrameStartHeader is written back with bit 16 set (inferred; FreeBSD waits
// for that bit). A next pointer of 0 clears DnListPtr, or is polled if DnPoll is set.
#include <algorithm>

#include "devices/chips/cyclone/checksum_offload.hpp"
#include "devices/chips/cyclone/cyclone.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t head_bytes = 16, fragment_bytes = 8, link_bytes = 8;

}  // namespace

// Performs the engine's next step; called whenever something it may be waiting for has changed. A stall takes effect
// when DnListPtr is the DPD that the engine will read next: between DnNextPtr and DnListPtr a host that has waited for
// the stall could link a DPD that the engine no longer sees.
void Cyclone::dn_run(Time now) {
  if ((dn_stall_ && dn_.step != Step::status) || host_error_ || dn_dma_.busy()) return;
  switch (dn_.step) {
    case Step::idle:
      if (dn_list_ptr_ == 0) return;
      dn_ = {};
      dn_.at = dn_list_ptr_;
      dn_.step = Step::header;
      dn_dma_.read(read_command(dn_.at, head_bytes), dn_.at, head_bytes, now);
      return;
    case Step::fragment: {
      const std::uint32_t at = dn_.at + 8 + fragment_bytes * dn_.fragment;
      dn_dma_.read(read_command(at, fragment_bytes), at, fragment_bytes, now);
      return;
    }
    case Step::data: dn_data(now); return;
    case Step::next: dn_dma_.read(read_command(dn_.at, link_bytes), dn_.at, link_bytes, now); return;
    case Step::status: dn_dma_.write_word(dn_.at + 4, dn_.header | DnCompleteBit, now); return;
    default: return;  // header: in progress; poll: its event
  }
}

void Cyclone::dn_done(Time now) {
  if (!dn_dma_.moved()) {
    host_error(now);
    return;
  }
  switch (dn_.step) {
    case Step::header:
      dn_.next = dn_dma_.word(0);
      dn_.header = dn_dma_.word(4);
      if (dn_.header & DpdEmpty) {
        dn_.step = Step::next;
        break;
      }
      tx_fifo_.emplace_back();
      tx_fifo_.back().header = dn_.header;
      dn_fragment(dn_dma_.word(8), dn_dma_.word(12));
      break;
    case Step::fragment: dn_fragment(dn_dma_.word(0), dn_dma_.word(4)); break;
    case Step::data: {
      const auto bytes = static_cast<std::uint32_t>(dn_dma_.data().size());
      dn_.address += bytes;
      dn_.left -= std::min(bytes, dn_.left);
      tx_append(dn_dma_.data(), now);
      break;
    }
    case Step::next:
    case Step::poll:
      dn_.next = dn_dma_.word(0);
      if (dn_.step == Step::next) {
        dn_.header = dn_dma_.word(4);
        dn_.step = Step::status;
      } else {
        dn_next(now);
      }
      break;
    case Step::status:
      if (dn_.header & DnIndicate) dn_complete_ = true;
      dn_next(now);
      break;
    default: break;
  }
  dn_run(now);
  update(now);
}

void Cyclone::dn_fragment(std::uint32_t address, std::uint32_t length) {
  dn_.begin_fragment(address, length);
  TxPacket& p = tx_fifo_.back();
  if (dn_.last) p.length = static_cast<std::uint32_t>(p.data.size()) + dn_.left;
}

// Reads as much as there is room for, once that is at least DnBurstThresh or the rest of the fragment.
void Cyclone::dn_data(Time now) {
  if (dn_.left == 0) {
    if (dn_.last) {
      dn_packet_complete(now);
      dn_.step = Step::next;
    } else {
      dn_.step = Step::fragment;
    }
    dn_run(now);
    return;
  }
  const std::uint32_t room = tx_free(now);
  if (room < std::min(dn_.left, dn_burst())) {
    start_next(now);  // a frame longer than the FIFO
    watch_fifo(now);
    return;
  }
  const std::uint32_t bytes = std::min(dn_.left, room);
  dn_max_burst_ = std::max(dn_max_burst_, static_cast<std::uint16_t>(bytes));
  dn_dma_.read(read_command(dn_.address, bytes), dn_.address, bytes, now);
}

// The length is rounded up as the header specifies (the length that Linux puts into these bits rounds to itself).
void Cyclone::dn_packet_complete(Time now) {
  TxPacket& p = tx_fifo_.back();
  if (p.over) {
    tx_fifo_.pop_back();
    return;
  }
  const std::uint32_t boundary = p.header & (RoundUpDefeat | 1) ? 1 : p.header & RoundUp ? 2 : 4;
  p.data.resize((p.data.size() + boundary - 1) / boundary * boundary);
  p.length = static_cast<std::uint32_t>(p.data.size());
  insert_checksums(p.data, p.header & AddIpChecksum, p.header & AddTcpChecksum, p.header & AddUdpChecksum);
  p.complete = true;
  start_next(now);
}

// The frame is complete.
void Cyclone::dn_next(Time now) {
  const std::uint32_t next = dn_.next & ~7u;
  if (dn_list_ptr_ != dn_.at) {  // the host has written another one meanwhile
    dn_.step = Step::idle;
  } else if (next == 0 && dn_poll_interval_ != 0) {
    dn_.step = Step::poll;
    dn_poll_.at(now + poll_unit * std::int64_t{dn_poll_interval_});
  } else {
    dn_list_ptr_ = next;
    dn_.step = Step::idle;
  }
}

void Cyclone::dn_poll(Time now) {
  if (dn_.step != Step::poll || dn_dma_.busy() || host_error_) return;
  if (dn_stall_) {
    dn_poll_.at(now + poll_unit * std::max<std::int64_t>(dn_poll_interval_, 1));
    return;
  }
  dn_dma_.read(BurstCommand::read, dn_.at, 4, now);
}

/// Read Line and Read Multiple tell the bridge how far to prefetch.
BurstCommand Cyclone::read_command(std::uint32_t address, std::uint32_t bytes) const {
  if (line_bytes_ == 0 || dma_ctrl_ & DefeatMrl || bytes < line_bytes_) return BurstCommand::read;
  return address % line_bytes_ + bytes > line_bytes_ ? BurstCommand::read_multiple : BurstCommand::read_line;
}

/// Whole lines from a line boundary are written with Write and Invalidate, in a burst of their own.
BurstCommand Cyclone::write_command(std::uint32_t address, std::uint32_t& bytes) const {
  if (!write_invalidate_ || dma_ctrl_ & DefeatMwi || bytes < line_bytes_ || address % line_bytes_ != 0)
    return BurstCommand::write;
  bytes -= bytes % line_bytes_;
  return BurstCommand::write_invalidate;
}

}  // namespace planar::ethernet
