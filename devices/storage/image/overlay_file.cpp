// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/image/overlay_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/common/crc32.hpp"
#include "core/common/error.hpp"

namespace planar::storage {
namespace {

constexpr std::string_view magic = "planar overlay\r\n";
constexpr std::string_view sync_magic = "PLANSYNC";
constexpr std::string_view hash_magic = "BASEHSH2", earlier_hash_magic = "BASEHASH";
constexpr std::string_view next_magic = "HEADNEXT";
constexpr unsigned digest_digits = 64;
constexpr unsigned base_hash_at = 2560;
constexpr unsigned base_hash_checked = 96, earlier_base_hash_checked = 88;  // bytes; the checksum follows
constexpr unsigned next_header_at = 3584;
constexpr unsigned next_header_checked = 80;
constexpr unsigned fingerprint_at = 40, committing_at = 104;
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
/// Flush when this many replaced slots are waiting to be reused (1 MB).
constexpr unsigned most_stale = 2048;
/// Flush at the latest after this many changed sectors (4 MB): a power failure loses no more, as with a disk's write
/// cache.
constexpr std::uint64_t most_unsynced = 8192;
/// Highest sequence of a change; leaves room to count on.
constexpr std::uint64_t highest_sequence = std::uint64_t{1} << 62;

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

std::array<std::uint8_t, base_hash_checked + 4> encode_hash(const OverlayBase& base) {
  std::array<std::uint8_t, base_hash_checked + 4> h{};
  std::copy(hash_magic.begin(), hash_magic.end(), h.begin());
  std::copy(base.digest.begin(), base.digest.end(), h.begin() + 8);
  put(&h[8 + digest_digits], base.stamp.inode, 8);
  put(&h[16 + digest_digits], base.stamp.modified, 8);
  put(&h[24 + digest_digits], base.stamp.changed, 8);
  put(&h[base_hash_checked], crc32(std::span(h).first(base_hash_checked)), 4);
  return h;
}

std::vector<std::uint8_t> encode(const OverlayBase& base) {
  std::vector<std::uint8_t> header(header_bytes);
  std::copy(magic.begin(), magic.end(), header.begin());
  put(&header[16], format_version, 4);
  put(&header[20], header_bytes, 4);
  put(&header[24], sector_bytes, 4);
  put(&header[28], slot_bytes, 4);
  put(&header[32], base.sectors, 8);
  std::copy(base.fingerprint.begin(), base.fingerprint.end(), header.begin() + fingerprint_at);
  put(&header[committing_at], base.committing, 4);
  put(&header[108], base.name.size(), 2);
  std::copy(base.name.begin(), base.name.end(), header.begin() + 110);
  put(&header[header_checked], crc32(std::span(header).first(header_checked)), 4);
  const auto hash = encode_hash(base);
  std::copy(hash.begin(), hash.end(), header.begin() + base_hash_at);
  return header;
}

// The fields of a header that ever change, and its checksum.
std::array<std::uint8_t, next_header_checked + 4> encode_next(std::span<const std::uint8_t> header) {
  std::array<std::uint8_t, next_header_checked + 4> h{};
  std::copy(next_magic.begin(), next_magic.end(), h.begin());
  std::copy_n(header.begin() + fingerprint_at, digest_digits + 4, h.begin() + 8);
  std::copy_n(header.begin() + header_checked, 4, h.begin() + next_header_checked - 4);
  put(&h[next_header_checked], crc32(std::span(h).first(next_header_checked)), 4);
  return h;
}

bool check_fits(std::span<const std::uint8_t, header_bytes> h) {
  return get(&h[header_checked], 4) == crc32(h.first(header_checked));
}

// Completes a header whose writing was interrupted.
void complete_header(std::span<std::uint8_t, header_bytes> h) {
  const auto next = h.subspan(next_header_at, next_header_checked + 4);
  if (check_fits(h) || std::memcmp(next.data(), next_magic.data(), next_magic.size()) != 0 ||
      get(&next[next_header_checked], 4) != crc32(next.first(next_header_checked)))
    return;
  std::copy_n(next.begin() + 8, digest_digits + 4, h.begin() + fingerprint_at);
  std::copy_n(next.begin() + next_header_checked - 4, 4, h.begin() + header_checked);
}

}  // namespace

void OverlayFile::create(const std::string& file, const OverlayBase& base) {
  if (base.name.size() > longest_name)
    refuse(file, fmt::format("the path of its base has {} bytes, {} are possible; move the base to a shorter path",
                             base.name.size(), longest_name));
  const std::vector<std::uint8_t> header = encode(base);
  BlockFile::create(file, header, "overlay");
}

bool OverlayFile::recognise(std::span<const std::uint8_t> first_bytes) {
  return first_bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), first_bytes.begin());
}

std::optional<OverlayBase> OverlayFile::base_of(const std::string& file) {
  try {
    OverlayFile overlay(BlockFile::open(file, BlockFile::Access::look, "overlay"));
    overlay.read_header();
    return overlay.base_;
  } catch (const Error&) { return std::nullopt; }
}

OverlayFile::OverlayFile(const std::string& file, BlockFile::Access access)
    : OverlayFile(BlockFile::open(file, access, "overlay")) {
  read_header();
  read_base_hash();
  read_checkpoints();
  read_slots();
  writable_ = access == BlockFile::Access::read_write;
  if (writable_) settle();
}

// Done while its lock is held: anyone who has opened it meanwhile finds it deleted.
OverlayFile::~OverlayFile() {
  if (temporary_ && changed_ == 0 && !lost()) ::unlink(name().c_str());
}

OverlayRepair OverlayFile::repair(const std::string& file) {
  OverlayFile overlay(BlockFile::open(file, BlockFile::Access::read_write, "overlay"));
  OverlayRepair found;
  overlay.read_header();
  overlay.read_checkpoints();
  overlay.read_slots(&found);
  if (found.needed()) {
    // Writes both checkpoints: the one that claims more than exists must not be used again.
    overlay.synced_ = overlay.placed_;
    bool done = overlay.file_.sync();
    for (const std::uint32_t slot : overlay.cut_short_) done = done && overlay.blank(slot);
    for (int n = 0; n < 2; ++n)
      done = done && overlay.write_checkpoint(overlay.placed_, overlay.slots_) && overlay.file_.sync();
    if (!done) refuse(file, "cannot be written; check the host's disk and its free space");
  }
  found.sectors = overlay.changed_sectors();
  found.unreadable = overlay.unreadable_sectors();
  return found;
}

void OverlayFile::read_header() {
  std::array<std::uint8_t, header_bytes> h{};
  if (file_.size() < magic.size() || !file_.read(0, std::span(h).first(magic.size())) || !recognise(h))
    refuse(name(), "is no overlay of planar; name another file, or move it away so that a new one can be made");
  if (file_.size() < header_bytes || !file_.read(0, h))
    refuse(name(), fmt::format("is an overlay cut off after {} bytes; its changes are lost, remove it", file_.size()));
  if (get(&h[16], 4) != format_version)
    refuse(name(),
           fmt::format("is an overlay of version {}, this planar reads version {}; use the planar that wrote it, or, "
                       "if it is a raw image whose first sector begins like an overlay, say so with format=raw",
                       get(&h[16], 4), format_version));
  complete_header(h);
  const auto length = get(&h[108], 2);
  base_.sectors = get(&h[32], 8);
  if (!check_fits(h) || get(&h[20], 4) != header_bytes || get(&h[24], 4) != sector_bytes ||
      get(&h[28], 4) != slot_bytes || length > longest_name || base_.sectors == 0 || base_.sectors > most_sectors)
    refuse(
        name(),
        "is an overlay with a damaged header; take a copy of it from your backup, or, if it is a raw image whose first "
        "sector begins like an overlay, say so with format=raw");
  base_.committing = get(&h[committing_at], 4) != 0;
  base_.fingerprint.assign(h.begin() + fingerprint_at, h.begin() + committing_at);
  base_.name.assign(h.begin() + 110, h.begin() + 110 + static_cast<std::ptrdiff_t>(length));
}

void OverlayFile::read_base_hash() {
  std::array<std::uint8_t, base_hash_checked + 4> h{};
  if (!file_.read(base_hash_at, h)) return;
  const auto is = [&](std::string_view name, unsigned checked) {
    return std::memcmp(h.data(), name.data(), name.size()) == 0 &&
           get(&h[checked], 4) == crc32(std::span(h).first(checked));
  };
  const bool earlier = is(earlier_hash_magic, earlier_base_hash_checked);
  if (!earlier && !is(hash_magic, base_hash_checked)) return;
  base_.digest.assign(h.begin() + 8, h.begin() + 8 + digest_digits);
  if (base_.digest == std::string(digest_digits, '\0')) base_.digest.clear();
  if (!earlier)
    base_.stamp = {get(&h[8 + digest_digits], 8), get(&h[16 + digest_digits], 8), get(&h[24 + digest_digits], 8)};
}

bool OverlayFile::write_base_hash() { return file_.write(base_hash_at, encode_hash(base_)); }

void OverlayFile::note_base(const std::string& digest, const FileStamp& stamp) {
  base_.digest = digest;
  base_.stamp = stamp;
  write_base_hash();
}

void OverlayFile::read_checkpoints() {
  for (unsigned n = 0; n < 2; ++n) {
    std::array<std::uint8_t, checkpoint_bytes> c{};
    if (!file_.read(checkpoint_at[n], c) || std::memcmp(c.data(), sync_magic.data(), sync_magic.size()) != 0 ||
        get(&c[24], 4) != crc32(std::span(c).first(24)) || get(&c[8], 8) < synced_ || get(&c[8], 8) > highest_sequence)
      continue;
    synced_ = get(&c[8], 8);
    synced_slots_ = get(&c[16], 8);
    second_checkpoint_ = n == 0;
  }
}

void OverlayFile::read_slots(OverlayRepair* repaired) {
  const std::uint64_t whole = (file_.size() - header_bytes) / slot_bytes;
  if (whole >= damaged_sector) refuse(name(), "is larger than an overlay can be; take a copy of it from your backup");
  if (whole < synced_slots_) {
    if (!repaired)
      refuse(name(),
             fmt::format("is an overlay cut off: {} of its {} slots are there; take a copy of it from your backup, "
                         "or keep what is there with `planar disk repair {}`",
                         whole, synced_slots_, name()));
    repaired->missing_slots = synced_slots_ - whole;
  }
  slots_ = static_cast<std::uint32_t>(whole);
  std::map<std::uint64_t, std::uint64_t> sequences;  // sequence of the valid slot, by sector
  std::vector<std::uint8_t> buffer(std::size_t{slots_a_read} * slot_bytes);
  for (std::uint32_t first = 0, count = 0; first < slots_; first += count) {
    // A hole in the file is free and must cost neither time nor memory: a few bytes of real data can span terabytes.
    const std::uint64_t data = (file_.next_data(slot_offset(first)) - header_bytes) / slot_bytes;
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(data, slots_)) - first;
    free_.insert(first, first + count);
    if (count != 0) continue;
    count = std::min<std::uint32_t>(slots_a_read, slots_ - first);
    if (!file_.read(slot_offset(first), std::span(buffer).first(std::size_t{count} * slot_bytes)))
      refuse(name(), "cannot be read to its end; check the host's disk");
    for (std::uint32_t n = 0; n < count; ++n)
      take_over(first + n, &buffer[std::size_t{n} * slot_bytes], sequences, repaired);
  }
  placed_ = sequence_;
  if (placed_ < synced_ && damaged_ == 0) {
    if (!repaired)
      refuse(name(), fmt::format("is an overlay whose latest changes are missing; take a copy of it from your backup, "
                                 "or keep the {} changed sectors that are there with `planar disk repair {}`",
                                 changed_, name()));
    repaired->uncounted_changes = synced_ - placed_;
  }
  if (!repaired) placed_ = std::max(placed_, synced_);
  sequence_ = std::max(sequence_, synced_);
}

void OverlayFile::take_over(std::uint32_t number, const std::uint8_t* slot,
                            std::map<std::uint64_t, std::uint64_t>& sequences, OverlayRepair* repaired) {
  const std::uint64_t sector = get(slot + 8, 8), sequence = get(slot + 16, 8);
  free_.insert(number);
  if (!header_fits(slot)) {
    damaged_ += std::any_of(slot, slot + slot_bytes, [](std::uint8_t b) { return b != 0; });
    return;
  }
  if (sector >= base_.sectors || sequence == 0 || sequence > highest_sequence) {
    if (!repaired)
      refuse(name(), fmt::format("slot {} names sector {} of {}; the overlay is damaged, take a copy of it from your "
                                 "backup, or remove that sector with `planar disk repair {}`",
                                 number, sector, base_.sectors, name()));
    ++repaired->foreign_slots;
    cut_short_.push_back(number);
    return;
  }
  const bool good = data_fits(slot);
  damaged_ += !good;
  if (!good && sequence > synced_) {
    cut_short_.push_back(number);
    return;
  }
  sequence_ = std::max(sequence_, sequence);
  std::uint64_t& latest = sequences[sector];
  if (sequence <= latest) return;
  latest = sequence;
  if (const auto before = lookup(sector); before != none && before != damaged_sector) free_.insert(before - 1);
  place(sector, good ? number + 1 : damaged_sector);
  free_.erase(number);  // a damaged one too: it records that the sector is damaged
}

// A later checkpoint must not take an interrupted write for damage, and a slot must not be reused if the change that
// replaced it is not durable yet (the process was killed before its flush).
void OverlayFile::settle() {
  for (const std::uint32_t slot : cut_short_) blank(slot);
  cut_short_.clear();
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
  const std::uint32_t slot = free_.first();
  free_.erase(slot);
  return slot;
}

// It is unknown which part of a write arrived: the previous content stays valid, the new slots are ignored.
void OverlayFile::undo_write(std::uint32_t first, unsigned count, std::uint32_t slots_before) {
  bool undone = slots_ == slots_before || file_.truncate(slot_offset(slots_before));
  for (unsigned n = 0; n < count && first + n < slots_before; ++n) {
    undone = blank(first + n) && undone;
    stale_.push_back(first + n);
  }
  slots_ = slots_before;
  broken_ = broken_ || !undone;
}

bool OverlayFile::write(std::uint64_t sector, std::span<const std::uint8_t> data) {
  std::array<std::uint8_t, std::size_t{slots_a_write} * slot_bytes> buffer;
  while (!data.empty()) {
    if (broken_) return false;
    // Consecutive slots go to the host in a single write.
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(slots_a_write, data.size() / sector_bytes));
    const std::uint32_t before = slots_, first = take_slot();
    unsigned count = 1;
    for (; count < wanted; ++count) {
      if (free_.contains(first + count))
        free_.erase(first + count);
      else if (first + count == slots_)
        ++slots_;
      else
        break;
    }
    for (unsigned n = 0; n < count; ++n)
      fill_slot(&buffer[std::size_t{n} * slot_bytes], sector + n, sequence_ + 1 + n,
                data.subspan(std::size_t{n} * sector_bytes, sector_bytes));
    sequence_ += count;  // also for a failed write, so that its remains never have the same sequence as a later one
    if (!file_.write(slot_offset(first), std::span(buffer).first(std::size_t{count} * slot_bytes))) {
      undo_write(first, count, before);
      return false;
    }
    placed_ = sequence_;
    for (unsigned n = 0; n < count; ++n) {
      if (const auto replaced = lookup(sector + n); replaced != none && replaced != damaged_sector)
        stale_.push_back(replaced - 1);
      place(sector + n, first + n + 1);
    }
    sector += count;
    data = data.subspan(std::size_t{count} * sector_bytes);
    if ((stale_.size() >= most_stale || placed_ - synced_ >= most_unsynced) && !flush()) return false;
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
  if (broken_ || (changed_ != 0 && lost())) return false;
  if (placed_ == synced_) return true;
  if (!file_.sync()) {
    broken_ = true;  // the host may have dropped pages that it could not write, and would report success next time
    return false;
  }
  if (!write_checkpoint(placed_, slots_)) return false;
  synced_ = placed_;
  synced_slots_ = slots_;
  for (const std::uint32_t slot : stale_) free_.insert(slot);
  stale_.clear();
  return true;
}

bool OverlayFile::write_header() {
  const auto header = encode(base_);
  return file_.write(next_header_at, encode_next(header)) && file_.sync() &&
         file_.write(0, std::span(header).first(checkpoint_at[0])) && file_.sync();
}

bool OverlayFile::begin_commit() {
  base_.committing = true;
  return write_header();
}

bool OverlayFile::clear(const std::string& fingerprint, const std::string& digest, const FileStamp& stamp) {
  // First no checkpoint requires the slots any more, then they are removed; if interrupted, the commit can be repeated.
  synced_ = synced_slots_ = 0;
  if (!write_checkpoint(0, 0) || !write_checkpoint(0, 0) || !file_.sync() || !file_.truncate(header_bytes))
    return false;
  base_.fingerprint = fingerprint;
  base_.committing = false;
  base_.digest = digest;
  base_.stamp = stamp;
  if (!write_base_hash() || !file_.sync() || !write_header()) return false;
  pages_.clear();
  free_.clear();
  stale_.clear();
  changed_ = unreadable_ = damaged_ = sequence_ = placed_ = 0;
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
