// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/image/overlay_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/common/crc32.hpp"
#include "core/common/error.hpp"

namespace planar::storage {
namespace {

constexpr std::string_view magic = "planar overlay\r\n";
constexpr std::string_view sync_magic = "PLANSYNC";
constexpr std::uint32_t slot_magic = 0x544F4C53;  // "SLOT"
constexpr std::uint32_t format_version = 1;
constexpr unsigned header_bytes = 4096;
constexpr unsigned header_checked = 2044;
constexpr unsigned checkpoint_at[] = {2048, 3072};
constexpr unsigned checkpoint_bytes = 28;
constexpr unsigned slot_header = 32;
constexpr unsigned slot_bytes = slot_header + sector_bytes;
constexpr unsigned longest_name = 1024;
constexpr unsigned slots_a_write = 64;
constexpr unsigned slots_a_read = 1024;
/// A flush when so many replaced slots wait for one (1 MB).
constexpr unsigned most_stale = 2048;
/// A flush at the latest after so many changed sectors (4 MB): a power cut costs no more, as with a disk's write cache.
constexpr std::uint64_t most_unsynced = 8192;

std::uint64_t get(const std::uint8_t* p, unsigned bytes) {
  std::uint64_t v = 0;
  for (unsigned i = bytes; i-- > 0;) v = v << 8 | p[i];
  return v;
}
void put(std::uint8_t* p, std::uint64_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) p[i] = static_cast<std::uint8_t>(v >> (8 * i));
}
std::uint64_t slot_offset(std::uint32_t slot) { return header_bytes + std::uint64_t{slot} * slot_bytes; }

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(fmt::format("{}: {}", file, problem), ExitCode::missing_file);
}

void fill_slot(std::uint8_t* slot, std::uint64_t sector, std::uint64_t sequence, std::span<const std::uint8_t> data) {
  put(slot, slot_magic, 4);
  put(slot + 8, sector, 8);
  put(slot + 16, sequence, 8);
  put(slot + 24, crc32(data), 4);
  put(slot + 28, 0, 4);
  put(slot + 4, crc32({slot + 8, 24}), 4);
  std::copy(data.begin(), data.end(), slot + slot_header);
}

bool header_fits(const std::uint8_t* slot) {
  return get(slot, 4) == slot_magic && get(slot + 4, 4) == crc32({slot + 8, 24});
}
bool data_fits(const std::uint8_t* slot) { return get(slot + 24, 4) == crc32({slot + slot_header, sector_bytes}); }

std::vector<std::uint8_t> encode(const OverlayBase& base) {
  std::vector<std::uint8_t> header(header_bytes);
  std::copy(magic.begin(), magic.end(), header.begin());
  put(&header[16], format_version, 4);
  put(&header[20], header_bytes, 4);
  put(&header[24], sector_bytes, 4);
  put(&header[28], slot_bytes, 4);
  put(&header[32], base.sectors, 8);
  std::copy(base.fingerprint.begin(), base.fingerprint.end(), header.begin() + 40);
  put(&header[104], base.committing, 4);
  put(&header[108], base.name.size(), 2);
  std::copy(base.name.begin(), base.name.end(), header.begin() + 110);
  put(&header[header_checked], crc32(std::span(header).first(header_checked)), 4);
  return header;
}

}  // namespace

void OverlayFile::create(const std::string& file, const OverlayBase& base) {
  if (base.name.size() > longest_name)
    refuse(file, fmt::format("the path of its base has {} bytes, {} are possible; move the base nearer",
                             base.name.size(), longest_name));
  const std::vector<std::uint8_t> header = encode(base);
  BlockFile::create(file, header, "overlay");
}

bool OverlayFile::recognise(std::span<const std::uint8_t> first_bytes) {
  return first_bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), first_bytes.begin());
}

OverlayFile::OverlayFile(const std::string& file, BlockFile::Access access)
    : file_(BlockFile::open(file, access, "overlay")) {
  read_header();
  read_checkpoints();
  read_slots(access);
}

void OverlayFile::read_header() {
  std::array<std::uint8_t, header_bytes> h{};
  if (file_.size() < magic.size() || !file_.read(0, std::span(h).first(magic.size())) || !recognise(h))
    refuse(name(), "is no overlay of planar; name another file, or move it away so that a new one can be made");
  if (file_.size() < header_bytes || !file_.read(0, h))
    refuse(name(), fmt::format("is an overlay cut off after {} bytes; its changes are lost, remove it", file_.size()));
  if (get(&h[16], 4) != format_version)
    refuse(name(),
           fmt::format("is an overlay of version {}, this planar reads version {}; use the planar that wrote it",
                       get(&h[16], 4), format_version));
  const auto length = get(&h[108], 2);
  base_.sectors = get(&h[32], 8);
  if (get(&h[header_checked], 4) != crc32(std::span(h).first(header_checked)) || get(&h[20], 4) != header_bytes ||
      get(&h[24], 4) != sector_bytes || get(&h[28], 4) != slot_bytes || length > longest_name || base_.sectors == 0 ||
      base_.sectors > most_sectors)
    refuse(name(), "is an overlay with a damaged header; take a copy of it from your backup, or remove it");
  base_.committing = get(&h[104], 4) != 0;
  base_.fingerprint.assign(h.begin() + 40, h.begin() + 104);
  base_.name.assign(h.begin() + 110, h.begin() + 110 + static_cast<std::ptrdiff_t>(length));
}

void OverlayFile::read_checkpoints() {
  for (unsigned n = 0; n < 2; ++n) {
    std::array<std::uint8_t, checkpoint_bytes> c{};
    if (!file_.read(checkpoint_at[n], c) || std::memcmp(c.data(), sync_magic.data(), sync_magic.size()) != 0 ||
        get(&c[24], 4) != crc32(std::span(c).first(24)) || get(&c[8], 8) < synced_)
      continue;
    synced_ = get(&c[8], 8);
    synced_slots_ = get(&c[16], 8);
    second_checkpoint_ = n == 0;
  }
}

void OverlayFile::read_slots(BlockFile::Access access) {
  const std::uint64_t whole = (file_.size() - header_bytes) / slot_bytes;
  if (whole >= damaged_sector) refuse(name(), "is larger than an overlay can be; take a copy of it from your backup");
  if (whole < synced_slots_)
    refuse(name(),
           fmt::format("is an overlay cut off: {} of its {} slots are there; take a copy of it from your backup, "
                       "or remove it and lose the changes",
                       whole, synced_slots_));
  slots_ = static_cast<std::uint32_t>(whole);
  std::map<std::uint64_t, std::uint64_t> sequences;  // of the slot that counts, by sector
  std::vector<std::uint32_t> cut_short;
  std::vector<std::uint8_t> buffer(std::size_t{slots_a_read} * slot_bytes);
  for (std::uint32_t first = 0; first < slots_; first += slots_a_read) {
    const auto count = std::min<std::uint32_t>(slots_a_read, slots_ - first);
    if (!file_.read(slot_offset(first), std::span(buffer).first(std::size_t{count} * slot_bytes)))
      refuse(name(), "cannot be read to its end; check the host's disk");
    for (std::uint32_t n = 0; n < count; ++n) {
      const std::uint8_t* slot = &buffer[std::size_t{n} * slot_bytes];
      const std::uint32_t number = first + n;
      const std::uint64_t sector = get(slot + 8, 8), sequence = get(slot + 16, 8);
      free_.insert(number);
      if (!header_fits(slot)) {
        damaged_ += std::any_of(slot, slot + slot_bytes, [](std::uint8_t b) { return b != 0; });
        continue;
      }
      if (sector >= base_.sectors || sequence == 0)
        refuse(name(), fmt::format("slot {} names sector {} of {}; the overlay is damaged, take a copy of it from your "
                                   "backup",
                                   number, sector, base_.sectors));
      const bool good = data_fits(slot);
      damaged_ += !good;
      if (!good && sequence > synced_) {
        cut_short.push_back(number);
        continue;
      }
      sequence_ = std::max(sequence_, sequence);
      std::uint64_t& latest = sequences[sector];
      if (sequence <= latest) continue;
      latest = sequence;
      if (const auto before = lookup(sector); before != none && before != damaged_sector) free_.insert(before - 1);
      place(sector, good ? number + 1 : damaged_sector);
      free_.erase(number);  // a damaged one too: it is what says that the sector is
    }
  }
  if (sequence_ < synced_ && damaged_ == 0)
    refuse(name(), "is an overlay whose latest changes are missing; take a copy of it from your backup, or remove it");
  sequence_ = std::max(sequence_, synced_);
  if (access != BlockFile::Access::read_write) return;
  // A later checkpoint must not take a write cut short for damage, nor a slot be used again that only a change replaced
  // which is not durable yet (the process was killed before its flush).
  for (const std::uint32_t slot : cut_short) blank(slot);
  if (!flush()) refuse(name(), "cannot be written; check the host's disk and its free space");
}

bool OverlayFile::blank(std::uint32_t slot) {
  const std::array<std::uint8_t, slot_header> zeros{};
  return file_.write(slot_offset(slot), zeros);
}

std::uint32_t OverlayFile::lookup(std::uint64_t sector) const {
  const auto page = pages_.find(sector / page_sectors);
  return page == pages_.end() ? none : page->second[sector % page_sectors];
}

void OverlayFile::place(std::uint64_t sector, std::uint32_t slot) {
  std::uint32_t& entry = pages_[sector / page_sectors][sector % page_sectors];
  changed_ += entry == none;
  unreadable_ -= entry == damaged_sector;
  unreadable_ += slot == damaged_sector;
  entry = slot;
}

OverlayFile::Found OverlayFile::read(std::uint64_t sector, std::span<std::uint8_t, sector_bytes> data) const {
  const std::uint32_t entry = lookup(sector);
  if (entry == none) return Found::absent;
  if (entry == damaged_sector) return Found::unreadable;
  std::array<std::uint8_t, slot_bytes> slot;
  if (!file_.read(slot_offset(entry - 1), slot) || !header_fits(slot.data()) || !data_fits(slot.data()))
    return Found::unreadable;
  std::copy_n(slot.begin() + slot_header, sector_bytes, data.begin());
  return Found::good;
}

std::uint32_t OverlayFile::take_slot() {
  if (free_.empty()) return slots_++;
  const auto first = free_.begin();
  const std::uint32_t slot = *first;
  free_.erase(first);
  return slot;
}

bool OverlayFile::write(std::uint64_t sector, std::span<const std::uint8_t> data) {
  std::array<std::uint8_t, std::size_t{slots_a_write} * slot_bytes> buffer;
  while (!data.empty()) {
    // Slots that follow one another go to the host in one write.
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(slots_a_write, data.size() / sector_bytes));
    const std::uint32_t before = slots_, first = take_slot();
    unsigned count = 1;
    for (; count < wanted; ++count) {
      if (const auto next = free_.find(first + count); next != free_.end())
        free_.erase(next);
      else if (first + count == slots_)
        ++slots_;
      else
        break;
    }
    for (unsigned n = 0; n < count; ++n)
      fill_slot(&buffer[std::size_t{n} * slot_bytes], sector + n, sequence_ + 1 + n,
                data.subspan(std::size_t{n} * sector_bytes, sector_bytes));
    if (!file_.write(slot_offset(first), std::span(buffer).first(std::size_t{count} * slot_bytes))) {
      // What part of it arrived is unknown: the content of before stands, the slots mean nothing.
      file_.truncate(slot_offset(before));
      for (unsigned n = 0; n < count && first + n < before; ++n) {
        blank(first + n);
        stale_.push_back(first + n);
      }
      slots_ = before;
      sequence_ += count;
      return false;
    }
    sequence_ += count;
    for (unsigned n = 0; n < count; ++n) {
      if (const auto replaced = lookup(sector + n); replaced != none && replaced != damaged_sector)
        stale_.push_back(replaced - 1);
      place(sector + n, first + n + 1);
    }
    sector += count;
    data = data.subspan(std::size_t{count} * sector_bytes);
    if ((stale_.size() >= most_stale || sequence_ - synced_ >= most_unsynced) && !flush()) return false;
  }
  return true;
}

bool OverlayFile::write_checkpoint(std::uint64_t sequence, std::uint64_t slots) {
  std::array<std::uint8_t, checkpoint_bytes> c{};
  std::copy(sync_magic.begin(), sync_magic.end(), c.begin());
  put(&c[8], sequence, 8);
  put(&c[16], slots, 8);
  put(&c[24], crc32(std::span(c).first(24)), 4);
  if (!file_.write(checkpoint_at[second_checkpoint_], c)) return false;
  second_checkpoint_ = !second_checkpoint_;
  return true;
}

bool OverlayFile::flush() {
  if (sequence_ == synced_) return true;
  if (!file_.sync() || !write_checkpoint(sequence_, slots_)) return false;
  synced_ = sequence_;
  synced_slots_ = slots_;
  free_.insert(stale_.begin(), stale_.end());
  stale_.clear();
  return true;
}

bool OverlayFile::write_header() {
  const auto header = encode(base_);
  return file_.write(0, std::span(header).first(checkpoint_at[0])) && file_.sync();
}

bool OverlayFile::begin_commit() {
  base_.committing = true;
  return write_header();
}

bool OverlayFile::clear(const std::string& fingerprint) {
  // First no checkpoint asks for the slots any more, then they go; interrupted, the commit can be repeated.
  synced_ = synced_slots_ = 0;
  if (!write_checkpoint(0, 0) || !write_checkpoint(0, 0) || !file_.sync() || !file_.truncate(header_bytes))
    return false;
  base_.fingerprint = fingerprint;
  base_.committing = false;
  if (!file_.sync() || !write_header()) return false;
  pages_.clear();
  free_.clear();
  stale_.clear();
  changed_ = unreadable_ = damaged_ = sequence_ = 0;
  slots_ = 0;
  return true;
}

std::vector<std::uint64_t> OverlayFile::sectors() const {
  std::vector<std::uint64_t> list;
  list.reserve(changed_);
  for (const auto& [page, slots] : pages_)
    for (unsigned n = 0; n < page_sectors; ++n)
      if (slots[n] != none) list.push_back(page * page_sectors + n);
  return list;
}

}  // namespace planar::storage
