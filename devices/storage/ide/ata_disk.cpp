// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/ide/ata_disk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::storage {

namespace {
constexpr std::uint32_t most_lba = 0x0FFFFFFF;  // limit of 28 bits
constexpr std::uint8_t default_heads = 16, default_sectors = 63;

DiskImage addressable(DiskImage image) {
  if (image.sectors() > most_lba)
    throw Error(fmt::format("{}: is larger than 128 GB, more than an IDE disk's addresses reach; use a smaller image",
                            image.name()),
                ExitCode::missing_file);
  return image;
}
}  // namespace

AtaDisk::AtaDisk(Scheduler& scheduler, Trace& trace, std::string name, IdeCable& cable, const IdeTiming& timing,
                 DiskImage image)
    : IdeDevice(scheduler, trace, std::move(name), cable, timing),
      medium_(addressable(std::move(image))),
      mechanics_(timing.disk) {
  lose_settings();
  complete(false, {});
  set_signature();
}

void AtaDisk::lose_settings() {
  translation_ = geometry(default_heads, default_sectors);
  multiple_ = 0;
  dma_mode_ = 0x02;
}

void AtaDisk::change_medium(std::optional<DiskImage> image) {
  medium_.image() = addressable(std::move(image).value());
  mechanics_.medium_changed();
}

// ---- addresses ----

std::uint32_t AtaDisk::sectors() const { return static_cast<std::uint32_t>(medium_.image().sectors()); }

AtaDisk::Geometry AtaDisk::geometry(std::uint8_t heads, std::uint8_t per_track) const {
  const std::uint32_t cylinders = sectors() / (std::uint32_t{heads} * per_track);
  const std::uint32_t most = heads == default_heads && per_track == default_sectors ? 16383 : 65535;
  return {static_cast<std::uint16_t>(std::clamp<std::uint32_t>(cylinders, 1, most)), heads, per_track};
}

/// The sector addressed by the registers; empty if the disk has no such sector.
std::optional<std::uint32_t> AtaDisk::address() const {
  const std::uint32_t head = reg(ide_select) & 0x0F, cylinder = reg(ide_low) | reg(ide_high) << 8;
  std::uint32_t sector;
  if (reg(ide_select) & ide_lba) {
    sector = head << 24 | cylinder << 8 | reg(ide_sector);
  } else {
    const std::uint32_t number = reg(ide_sector);
    if (number == 0 || number > translation_.sectors || head >= translation_.heads) return {};
    sector = (cylinder * translation_.heads + head) * translation_.sectors + number - 1;
  }
  if (sector >= sectors()) return {};
  return sector;
}

void AtaDisk::set_address(std::uint32_t sector) {
  std::uint32_t head, cylinder, number;
  if (reg(ide_select) & ide_lba) {
    head = sector >> 24 & 0x0F;
    cylinder = sector >> 8 & 0xFFFF;
    number = sector & 0xFF;
  } else {
    number = sector % translation_.sectors + 1;
    head = sector / translation_.sectors % translation_.heads;
    cylinder = sector / translation_.sectors / translation_.heads;
  }
  reg(ide_sector) = static_cast<std::uint8_t>(number);
  reg(ide_low) = static_cast<std::uint8_t>(cylinder);
  reg(ide_high) = static_cast<std::uint8_t>(cylinder >> 8);
  reg(ide_select) = static_cast<std::uint8_t>((reg(ide_select) & 0xF0) | (head & 0x0F));
}

// ---- commands ----

void AtaDisk::execute(std::uint8_t command, Time now) {
  const Time soon = now + timing_.command;
  identifies_ = false;
  if ((command & 0xF0) == recalibrate_ata || (command & 0xF0) == seek_ata) {
    const auto to = (command & 0xF0) == seek_ata ? address() : std::optional<std::uint32_t>{0};
    if (!to) return fail(ide_idnf, now);
    mechanics_.access(*to, 0, sectors(), false, soon);
    return settle(mechanics_.arrival());
  }
  switch (command) {
    case read_ata:
    case read_once_ata:
      if (begin(1, false, true, now)) next_read(now);
      return;
    case read_multiple_ata:
      if (multiple_ == 0) return fail(ide_abrt, now);
      if (begin(multiple_, false, true, now)) next_read(now);
      return;
    case read_dma_ata:
    case read_dma_once_ata:
      if (begin(most_multiple, true, true, now)) next_read(now);
      return;
    case write_ata:
    case write_once_ata:
      if (begin(1, false, false, now)) busy_until(soon, write_step);
      return;
    case write_multiple_ata:
      if (multiple_ == 0) return fail(ide_abrt, now);
      if (begin(multiple_, false, false, now)) busy_until(soon, write_step);
      return;
    case write_dma_ata:
    case write_dma_once_ata:
      if (begin(most_multiple, true, false, now)) busy_until(soon, write_step);
      return;
    case verify_ata:
    case verify_once_ata:
      if (begin(1, false, true, now)) verify(now);
      return;
    case parameters_ata: {
      const auto heads = static_cast<std::uint8_t>((reg(ide_select) & 0x0F) + 1);
      if (reg(ide_count) == 0) return fail(ide_abrt, now);
      translation_ = geometry(heads, reg(ide_count));
      return settle(soon);
    }
    case set_multiple_ata: {
      // An unsupported count also disables READ and WRITE MULTIPLE (ATA-2).
      const std::uint8_t n = reg(ide_count);
      const bool supported = n <= most_multiple && (n & (n - 1)) == 0;
      multiple_ = supported ? n : 0;
      if (!supported) return fail(ide_abrt, now);
      return settle(soon);
    }
    case identify_ata: return identify(now);
    case set_features_ata: return set_features(now);
    case flush_ata:
      if (!medium_.image().flush()) return fail(ide_unc, now);
      return settle(soon);
    case check_power_ata:
    case check_power_old_ata:
      reg(ide_count) = 0xFF;  // active or idle
      return settle(soon);
    case standby_now_ata:
    case idle_now_ata:
    case standby_ata:
    case idle_ata:
    case sleep_ata:
    case standby_now_old_ata:
    case idle_now_old_ata:
    case standby_old_ata:
    case idle_old_ata:
    case sleep_old_ata: return settle(soon);
    default: return fail(ide_abrt, now);
  }
}

void AtaDisk::set_features(Time now) {
  const std::uint8_t mode = reg(ide_count);
  switch (features()) {
    case 0x03:  // transfer mode
      if ((mode & 0xF8) == 0x20 && (mode & 7) <= 2)
        dma_mode_ = mode & 7;
      else if (mode > 1 && ((mode & 0xF8) != 0x08 || (mode & 7) > 4))
        return fail(ide_abrt, now);
      break;
    case 0x55:  // read-ahead off and on, settings at reset: accepted without effect
    case 0xAA:
    case 0x66:
    case 0xCC: break;
    default: return fail(ide_abrt, now);
  }
  settle(now + timing_.command);
}

/// Begins access to the command's sectors, if the medium has them: the heads move.
bool AtaDisk::begin(std::uint32_t per_block, bool dma, bool reads, Time now) {
  const auto first = address();
  const std::uint32_t count = reg(ide_count) ? reg(ide_count) : 256;
  if (!first) return fail(ide_idnf, now), false;
  if (!reads && medium_.image().write_protected()) return fail(ide_abrt, now), false;
  sector_ = *first;
  left_ = count;
  per_block_ = per_block;
  moves_by_dma_ = dma;
  reads_ = reads;
  mechanics_.access(sector_, std::min(count, sectors() - sector_), sectors(), reads, now + timing_.disk.overhead);
  return true;
}

/// The command ends at the first sector that could not be transferred.
void AtaDisk::bad_sector(std::uint8_t error, Time now) {
  set_address(sector_);
  reg(ide_count) = static_cast<std::uint8_t>(left_);
  left_ = 0;
  fail(error, now);
}

void AtaDisk::next_read(Time now) {
  const std::uint32_t bytes = std::min(left_, per_block_) * sector_bytes;
  busy_until(std::max(mechanics_.piece(bytes, now), now + timing_.gap), read_step);
}

void AtaDisk::step(std::uint8_t step, Time now) {
  if (identifies_) {
    identification();
    return open_block(Block::to_host, false, sector_bytes, true, now);
  }
  if (left_ == 0) return complete(true, now);
  const std::uint32_t n = std::min(left_, per_block_), bytes = n * sector_bytes;
  if (step == write_step) {
    // Every block except the first raises an interrupt.
    const bool first = left_ == (reg(ide_count) ? reg(ide_count) : 256u);
    return open_block(Block::from_host, moves_by_dma_, bytes, !first, now);
  }
  buffer_.resize(bytes);
  // Up to the end of the medium or a damaged sector: the readable sectors are returned.
  std::uint32_t good = 0;
  while (good < n && sector_ + good < sectors() &&
         medium_.image().read(sector_ + good, std::span(buffer_).subspan(good * sector_bytes, sector_bytes)))
    ++good;
  if (good == 0) return bad_sector(sector_ < sectors() ? ide_unc : ide_idnf, now);
  per_block_ = good < n ? good : per_block_;
  open_block(Block::to_host, moves_by_dma_, std::size_t{good} * sector_bytes, true, now);
}

void AtaDisk::block_moved(Time now) {
  if (identifies_) return complete(false, now);
  if (!reads_) return write_block(now);
  const std::uint32_t n = std::min(left_, per_block_);
  sector_ += n;
  left_ -= n;
  if (left_ != 0) return next_read(now);
  set_address(sector_ - 1);
  reg(ide_count) = 0;
  complete(moves_by_dma_, now);  // a read by port ends with its last word
}

void AtaDisk::write_block(Time now) {
  const std::uint32_t n = std::min(left_, per_block_);
  for (std::uint32_t done = 0; done < n; ++done) {
    if (sector_ >= sectors()) return bad_sector(ide_idnf, now);
    if (!medium_.image().write(sector_, std::span(buffer_).subspan(done * sector_bytes, sector_bytes)))
      return bad_sector(ide_unc, now);
    ++sector_;
    --left_;
  }
  const Time written = mechanics_.piece(n * sector_bytes, now);
  if (left_ != 0) return busy_until(now + timing_.gap, write_step);
  set_address(sector_ - 1);
  reg(ide_count) = 0;
  settle(std::max(written, now + timing_.gap));
}

void AtaDisk::verify(Time now) {
  std::array<std::uint8_t, sector_bytes> data;
  const std::uint32_t count = left_;
  while (left_ != 0) {
    if (sector_ >= sectors()) return bad_sector(ide_idnf, now);
    if (!medium_.image().read(sector_, data)) return bad_sector(ide_unc, now);
    ++sector_;
    --left_;
  }
  set_address(sector_ - 1);
  reg(ide_count) = 0;
  settle(mechanics_.piece(count * sector_bytes, now));
}

// ---- for description and snapshots ----

void AtaDisk::describe_drive(Description& d) const {
  d.number("sectors", sectors());
  d.text("translation", fmt::format("{} cylinders, {} heads, {} sectors", translation_.cylinders, translation_.heads,
                                    translation_.sectors));
  d.number("sectors per block", multiple_).number("multiword DMA mode", dma_mode_).level("sectors left", left_);
}

void AtaDisk::archive_drive(Archive& a) {
  a.section("ata disk", 1);
  medium_.image().archive(a);
  a(mechanics_, translation_, multiple_, dma_mode_, sector_, left_, per_block_, moves_by_dma_, reads_, identifies_);
  if (!a.loading()) return;
  const std::uint32_t block = identifies_ ? sector_bytes : std::min(left_, per_block_) * sector_bytes;
  if (translation_.heads == 0 || translation_.sectors == 0 || multiple_ > most_multiple || dma_mode_ > 2 ||
      per_block_ == 0 || per_block_ > most_multiple || left_ > 256 || sector_ > most_lba ||
      (block_bytes() != 0 && block_bytes() != block))
    throw Error("snapshot holds a damaged ATA command; take a new one", ExitCode::missing_file);
}

}  // namespace planar::storage
