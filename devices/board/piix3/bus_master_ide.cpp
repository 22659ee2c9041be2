// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/bus_master_ide.hpp"

#include <algorithm>
#include <utility>

#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"

namespace planar {

namespace {
// BMICX
constexpr std::uint8_t start_bit = 0x01, direction_bit = 0x08;
// BMISX
constexpr std::uint8_t active_bit = 0x01, error_bit = 0x02, interrupt_bit = 0x04, capable_bits = 0x60;
constexpr std::uint32_t descriptor_bytes = 8, end_of_table = 0x8000'0000, region_limit = 0x10000;

/// `address` plus this many bytes, wrapping within its 64 KB.
constexpr std::uint32_t advanced(std::uint32_t address, std::uint32_t bytes) {
  return (address & 0xFFFF0000) | ((address + bytes) & 0xFFFF);
}
}  // namespace

BusMasterIde::BusMasterIde(pci::Function& function, std::string name, unsigned channel, storage::IdeChannel& drives,
                           Host& host)
    : Master(function, name),
      scheduler_(function.slot().scheduler()),
      channel_(channel),
      drives_(drives),
      host_(host),
      cable_(scheduler_, std::move(name), Priority::device, Callback::to<&BusMasterIde::cable_done>(this)) {}

// ---- registers ----

std::uint8_t BusMasterIde::read(unsigned reg) const {
  switch (reg) {
    case 0: return command_;
    case 2: return status_;
    case 4:
    case 5:
    case 6:
    case 7: return static_cast<std::uint8_t>(table_ >> (8 * (reg - 4)));
    default: return 0;
  }
}

void BusMasterIde::write(unsigned reg, std::uint8_t value, Time now) {
  switch (reg) {
    case 0: {
      const std::uint8_t before = std::exchange(command_, value & (start_bit | direction_bit));
      if ((value & start_bit) && !(before & start_bit)) {
        status_ |= active_bit;
        next_ = table_;
        state_ = State::fetch;
        go_on(now);
      } else if (!(value & start_bit)) {
        stop(now);
      }
      break;
    }
    case 2:
      status_ = static_cast<std::uint8_t>((status_ & (active_bit | ((error_bit | interrupt_bit) & ~value))) |
                                          (value & capable_bits));
      break;
    case 4:
    case 5:
    case 6:
    case 7: {
      const unsigned shift = 8 * (reg - 4);
      table_ = ((table_ & ~(0xFFu << shift)) | std::uint32_t{value} << shift) & ~3u;
      break;
    }
    default: break;
  }
}

void BusMasterIde::stop(Time now) {
  if (Master::active()) cancel(now);
  cable_.cancel();
  state_ = State::idle;
  chunk_ = left_ = 0;
  status_ &= static_cast<std::uint8_t>(~active_bit);
}

void BusMasterIde::reset(Time now) {
  stop(now);
  command_ = status_ = 0;
  table_ = 0;
}

// ---- the table ----

void BusMasterIde::go_on(Time now) {
  if (Master::active()) return;
  if (state_ == State::fetch) return start(BurstCommand::read, next_, descriptor_bytes, now);
  if (state_ == State::region) {
    cable_free_ = std::max(cable_free_, now);
    next_chunk(now);
  }
}

void BusMasterIde::fetched(Time now) {
  address_ = load_little<std::uint32_t>(fifo_.data()) & ~1u;
  const std::uint32_t control = load_little<std::uint32_t>(fifo_.data() + 4);
  left_ = control & 0xFFFE;
  if (left_ == 0) left_ = region_limit;
  last_ = control & end_of_table;
  next_ = advanced(next_, descriptor_bytes);
  state_ = State::region;
  go_on(now);
}

// ---- the region ----

Time BusMasterIde::cable_time(std::uint32_t bytes) const {
  return host_.dma_word(channel_) * static_cast<std::int64_t>((bytes + 1) / 2);
}

/// Moves the next bytes through the FIFO, if the drive has or wants any: up to an aligned address, so that bursts stay
/// aligned.
void BusMasterIde::next_chunk(Time now) {
  storage::IdeDevice* const drive = drives_.dma();
  if (!drive || drive->dma_to_host() != to_memory()) return;
  const auto there = static_cast<std::uint32_t>(drive->dma_data().size());
  const std::uint32_t aligned = fifo_bytes - (address_ & (fifo_bytes - 1));
  chunk_ = std::min({there, left_, aligned});
  if (to_memory()) {
    state_ = State::cable;
    cable_free_ += cable_time(chunk_);
    cable_.at(std::max(now, cable_free_));
  } else {
    state_ = State::memory;
    start(BurstCommand::read_multiple, address_, chunk_, now);
  }
}

/// The FIFO is full of the drive's data, or the drive has taken its content.
void BusMasterIde::cable_done(Time now) {
  storage::IdeDevice* const drive = drives_.dma();
  if (!drive || drive->dma_data().size() < chunk_) {  // the drive was reset, or another one is selected
    state_ = State::region;
    return;
  }
  if (to_memory()) {
    std::copy_n(drive->dma_data().begin(), chunk_, fifo_.begin());
    state_ = State::memory;
    return start(BurstCommand::write, address_, chunk_, now);
  }
  std::copy_n(fifo_.begin(), chunk_, drive->dma_data().begin());
  chunk_done(now);
}

std::span<std::uint8_t> BusMasterIde::burst_data() {
  return std::span(fifo_).first(state_ == State::fetch ? descriptor_bytes : fifo_bytes);
}

void BusMasterIde::burst_ended(pci::BurstEnd end, Time now) {
  if (end == pci::BurstEnd::master_abort) {
    status_ = static_cast<std::uint8_t>((status_ & ~active_bit) | error_bit);
    state_ = State::idle;
    return;
  }
  if (state_ == State::fetch) return fetched(now);
  if (to_memory()) return chunk_done(now);
  state_ = State::cable;
  cable_free_ = std::max(now, cable_free_) + cable_time(chunk_);
  cable_.at(cable_free_);
}

void BusMasterIde::chunk_done(Time now) {
  const std::uint32_t moved = std::exchange(chunk_, 0);
  address_ = advanced(address_, moved);
  left_ -= moved;
  if (left_ != 0) {
    state_ = State::region;
  } else if (last_) {
    state_ = State::idle;
    status_ &= static_cast<std::uint8_t>(~active_bit);
  } else {
    state_ = State::fetch;
  }
  // This may end the drive's command, or the drive may request more at once.
  if (storage::IdeDevice* const drive = drives_.dma(); drive && drive->dma_data().size() >= moved)
    drive->dma_moved(moved, now);
  if (state_ == State::fetch || (state_ == State::region && drives_.dma())) go_on(now);
}

// ---- for description and snapshots ----

void BusMasterIde::describe_registers(Description& d) const {
  d.reg("BMICX", command_, 8).reg("BMISX", status_, 8).reg("BMIDTPX", table_, 32);
  d.activity("DMA", state_ == State::idle     ? "idle"
                    : state_ == State::fetch  ? "descriptor"
                    : state_ == State::region ? "waits for the drive"
                    : state_ == State::cable  ? "FIFO and drive"
                                              : "FIFO and memory");
  d.reg("next descriptor", next_, 32).reg("address", address_, 32).level("bytes of the region", left_);
  describe(d.part("master"));
}

void BusMasterIde::archive_registers(Archive& a) {
  a.section("bus master ide", 1);
  a(command_, status_, table_, state_, next_, address_, left_, last_, chunk_, fifo_, cable_free_, cable_);
  if (!a.loading()) return;
  const bool moving = state_ == State::cable || state_ == State::memory;
  if (state_ > State::memory || left_ > region_limit || chunk_ > fifo_bytes || chunk_ > left_ ||
      (moving && chunk_ == 0) || cable_.pending() != (state_ == State::cable) || cable_free_ > scheduler_.now() + 1_s)
    throw Error("snapshot holds a damaged IDE transfer; take a new one", ExitCode::missing_file);
}

}  // namespace planar
