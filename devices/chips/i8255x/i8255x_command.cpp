// SPDX-License-Identifier: GPL-2.0-or-later
// 8255x: the command unit. It reads a block of the command block list, executes it, writes the block's status, and
// continues according to its EL and S bits.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "devices/chips/i8255x/i8255x.hpp"

namespace planar::ethernet {
namespace {

enum Command : unsigned { nop, ia_setup, configure, multicast_setup, transmit, load_microcode, dump, diagnose };

constexpr std::uint32_t header = 8;  // of a block: the part before its parameters
constexpr std::uint32_t block_bytes = 16, extended_block_bytes = 32;
constexpr std::uint32_t microcode_bytes = 134 * 4;  // an 82559's (Linux 6.1 e100.c); 256 on the 82557
constexpr Time cid_unit = 8_us;                     // granularity of the CNA delay [datasheet: manual, 6.4.2]

}  // namespace

// ---- SCB commands ----

void I8255x::cu_start(Time now) {
  if (cu_state_ == Cu::active) return;
  cna_.cancel();
  cu_dma_.cancel(now);  // of a resume
  cu_state_ = Cu::active;
  cb_ = cu_base_ + pointer_;
  fetch(now);
}

// Suspended: the S bit of the last block is read again. Active: that of the present block will be, when it has ended.
void I8255x::cu_resume(Time now) {
  if (cu_state_ == Cu::active) resume_ = true;
  if (cu_state_ != Cu::suspended || cu_job_ != CuJob::none) return;
  cna_.cancel();
  cu_job_ = CuJob::resume;
  cu_dma_.read(BurstCommand::read, cb_, 4, now);
}

// ---- the list ----

void I8255x::fetch(Time now) {
  resume_ = false;
  cb_status_ = C | OK;
  cu_job_ = CuJob::block;
  cu_dma_.read(BurstCommand::read_line, cb_, config_.extended_tcb() ? extended_block_bytes : block_bytes, now);
}

void I8255x::cu_done(Time now) {
  const CuJob job = std::exchange(cu_job_, CuJob::none);
  const auto data = cu_dma_.data();
  if (!cu_dma_.moved()) return cu_bus_error(now);
  const bool s_clear = !(cu_dma_.word(0) >> 16 & S);
  switch (job) {
    case CuJob::block:
      cb_command_ = static_cast<std::uint16_t>(cu_dma_.word(0) >> 16);
      cb_link_ = cu_base_ + cu_dma_.word(4);
      block_.assign(data.begin(), data.end());
      return execute(now);
    case CuJob::parameters: block_.insert(block_.end(), data.begin(), data.end()); return execute(now);
    case CuJob::tbd: return take_tbd(now);
    case CuJob::dump: return complete(now);
    case CuJob::status:
      if (cb_command_ & I) raise(CX, now);
      if (cb_command_ & EL) return leave_active(Cu::idle, now);
      if (!(cb_command_ & S)) break;
      if (!resume_) return leave_active(Cu::suspended, now);
      cu_job_ = CuJob::recheck;
      cu_dma_.read(BurstCommand::read, cb_, 4, now);
      return;
    case CuJob::recheck:
      if (!s_clear) return leave_active(Cu::suspended, now);
      break;
    case CuJob::resume:
      if (!s_clear) return;
      cu_state_ = Cu::active;
      break;
    case CuJob::none: return;
  }
  cb_ = cb_link_;
  fetch(now);
}

// CNA: always on entering idle, on entering suspended unless CI is configured. The block may delay it.
void I8255x::leave_active(Cu state, Time now) {
  cu_state_ = state;
  if (state == Cu::suspended && config_.idle_interrupt_only()) return;
  if (const unsigned delay = (cb_command_ & CID) >> 8; delay == 0)
    raise(CNA, now);
  else
    cna_.at(now + cid_unit * std::int64_t{delay});
}

// A burst of the command unit or of the transmit DMA has ended in a master abort [inferred]: the unit becomes idle, its
// block gets no status, and nothing more of its frame is sent. Frames already in the FIFO leave.
void I8255x::cu_bus_error(Time now) {
  cna_.cancel();
  cu_dma_.cancel(now);
  cu_job_ = CuJob::none;
  drop_last_frame(now);
  if (std::exchange(cu_state_, Cu::idle) == Cu::active) raise(CNA, now);
}

void I8255x::complete(Time now) {
  const std::array<std::uint8_t, 2> status{static_cast<std::uint8_t>(cb_status_),
                                           static_cast<std::uint8_t>(cb_status_ >> 8)};
  cu_job_ = CuJob::status;
  cu_dma_.write(BurstCommand::write, cb_, status, now);
}

// ---- action commands ----

// Whether this many bytes of parameters are present; if not, they are read, and the command is executed afterwards.
bool I8255x::parameters(std::uint32_t bytes, Time now) {
  const auto have = static_cast<std::uint32_t>(block_.size());
  if (header + bytes <= have) return true;
  cu_job_ = CuJob::parameters;
  cu_dma_.read(BurstCommand::read_line, cb_ + have, header + bytes - have, now);
  return false;
}

void I8255x::execute(Time now) {
  const auto at = block_.begin() + header;
  const std::uint32_t count = at[0] | at[1] << 8;
  switch (cb_command_ & 7) {
    case nop:
    case diagnose: break;
    case ia_setup: std::copy_n(at, address_.size(), address_.begin()); break;
    case configure: {
      const std::uint32_t bytes = std::min(count & 0x3Fu, I8255xConfiguration::size);
      if (!parameters(bytes, now)) return;
      config_.load(std::span(block_).subspan(header, bytes));
      break;
    }
    case multicast_setup:
      if (!parameters(2 + (count & 0x3FFF), now)) return;
      load_multicasts();
      break;
    case transmit: return begin_frame(now);
    case load_microcode:
      if (!parameters(microcode_bytes, now)) return;
      break;
    case dump: {
      const std::uint32_t to = count | std::uint32_t{at[2]} << 16 | std::uint32_t{at[3]} << 24;
      cu_job_ = CuJob::dump;
      cu_dma_.write(BurstCommand::write, to, dump_area(), now);
      return;
    }
  }
  complete(now);
}

// A 64-bit hash: bits 7:2 of an address's CRC remainder select the bit.
void I8255x::load_multicasts() {
  hash_ = 0;
  const std::size_t bytes = (block_[header] | block_[header + 1] << 8) & 0x3FFF;
  const auto list = std::span(block_).subspan(header + 2, bytes);
  for (std::size_t n = 0; n + address_.size() <= list.size(); n += address_.size())
    hash_ |= std::uint64_t{1} << (net::crc32_remainder(list.subspan(n, address_.size())) >> 2 & 63);
}

}  // namespace planar::ethernet
