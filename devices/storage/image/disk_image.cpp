// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/image/disk_image.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/common/error.hpp"
#include "core/state/sha256.hpp"

namespace planar::storage {
namespace {

constexpr std::string_view mode_names[] = {"overlay", "write-through", "memory", "read-only"};
constexpr std::string_view format_names[] = {"auto", "raw"};
constexpr std::size_t copy_bytes = 1 << 18;

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(fmt::format("{}: {}", file, problem), ExitCode::missing_file);
}

// A checksum over anything but the whole base would make an overlay that matches no base.
[[noreturn]] void refuse_unread(const std::string& file) {
  refuse(file, "cannot be read to its end; check the host's disk");
}

// Containers of other programs are not raw images: a guest would read their metadata.
struct Foreign {
  std::string_view signature;
  unsigned offset;
  std::string_view name;
};
constexpr Foreign foreign[] = {
    {"QFI\xFB", 0, "qcow2"},
    {"KDMV", 0, "VMDK"},
    {"# Disk DescriptorFile", 0, "VMDK description"},
    {"conectix", 0, "VHD"},
    {"vhdxfile", 0, "VHDX"},
    {"\x7F\x10\xDA\xBE", 0x40, "VDI"},
    {"IMD ", 0, "ImageDisk"},
    {"\x1F\x8B", 0, "gzip-compressed"},
    {"PK\x03\x04", 0, "zip-compressed"},
    {"BZh", 0, "bzip2-compressed"},
    {"\xFD"
     "7zXZ",
     0, "xz-compressed"},
};

/// The name of the foreign container format of `file`; empty if it is none.
std::string_view foreign_format(const BlockFile& file) {
  std::array<std::uint8_t, sector_bytes> first{}, last{};
  if (!file.read(0, std::span(first).first(std::min<std::size_t>(file.size(), first.size())))) return {};
  const auto at = [&](const std::array<std::uint8_t, sector_bytes>& bytes, std::string_view text, unsigned offset) {
    return std::equal(text.begin(), text.end(), bytes.begin() + offset,
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  };
  for (const Foreign& f : foreign)
    if (at(first, f.signature, f.offset)) return f.name;
  if (file.size() >= 2 * sector_bytes && file.read(file.size() - sector_bytes, last) && at(last, "conectix", 0))
    return "VHD";
  return {};
}

bool starts_as_overlay(const BlockFile& file) {
  std::array<std::uint8_t, 16> first{};
  return file.size() >= first.size() && file.read(0, first) && OverlayFile::recognise(first);
}

/// The same for a file that may not exist.
bool is_overlay_file(const std::string& file) {
  try {
    return starts_as_overlay(BlockFile::open(file, BlockFile::Access::look, "overlay"));
  } catch (const Error&) { return false; }
}

/// The overlay next to a base lists it as the file that the changes were made to or committed to.
bool vouches(const std::string& overlay, const DiskImage& base) {
  const auto known = OverlayFile::base_of(overlay);
  return known && known->sectors == base.sectors() && known->fingerprint == base.fingerprint();
}

std::string disk_size_problem(std::uint64_t bytes) {
  if (bytes == 0) return "is empty; a raw disk image has a multiple of 512 bytes";
  if (bytes % sector_bytes != 0)
    return fmt::format(
        "{} bytes are not a whole number of sectors of 512 bytes; if the raw image lost its end, copy it again, "
        "or fill it up with `truncate --size=%512`",
        bytes);
  if (bytes / sector_bytes >= most_sectors)
    return "is larger than 2 TB, more than a disk of this interface can hold; use a smaller image";
  return {};
}

std::string cdrom_size_problem(std::uint64_t bytes) {
  constexpr std::uint64_t block = 2048, raw_block = 2352;
  if (bytes == 0) return "is empty; name the image of a CD-ROM's data track (an .iso file)";
  if (bytes % block == 0)
    return bytes / sector_bytes >= most_sectors ? "is larger than any CD-ROM; name an .iso file" : "";
  if (bytes % raw_block == 0)
    return fmt::format(
        "{} bytes are raw blocks of 2352 bytes; convert it to blocks of 2048 (an .iso file), for example with "
        "bchunk",
        bytes);
  return fmt::format("{} bytes are not a whole number of CD-ROM blocks of 2048 bytes; copy the .iso file again", bytes);
}

std::string base_path(const std::string& overlay, const std::string& base) {
  const std::filesystem::path named(base);
  return named.is_absolute() ? base
                             : (std::filesystem::path(overlay).parent_path() / named).lexically_normal().string();
}

/// base_path() of an existing base. Throws Error naming both files if it is missing.
std::string present_base(const std::string& overlay, const std::string& base) {
  const auto path = base_path(overlay, base);
  std::error_code unknown;  // an error is reported by whoever opens the file
  if (!std::filesystem::exists(path, unknown) && !unknown)
    refuse(overlay,
           fmt::format("its base, {}, is not there; move it back, or write the changes into it where it is with "
                       "`planar disk commit {} --base BASE`",
                       path, overlay));
  return path;
}

std::string relative_base(const std::string& overlay, const std::string& base) {
  if (std::filesystem::path(base).is_absolute()) return base;
  auto directory = std::filesystem::absolute(overlay).parent_path();
  return std::filesystem::absolute(base).lexically_normal().lexically_relative(directory.lexically_normal()).string();
}

// Samples first, which is quick; then the whole base, unless it is the file last checked and is unchanged.
void check_base(const DiskImage& image, OverlayFile& overlay) {
  const OverlayBase& base = overlay.base();
  if (base.committing)
    refuse(overlay.name(), fmt::format("a commit of it was interrupted; repeat `planar disk commit {} --base {}`",
                                       overlay.name(), image.name()));
  if (base.sectors != image.sectors())
    refuse(overlay.name(), fmt::format("belongs to a base of {} sectors, but {} has {}; name the base that it was made "
                                       "with, or another overlay=FILE",
                                       base.sectors, image.name(), image.sectors()));
  const FileStamp stamp = image.stamp();
  const bool looked_at = stamp.tells() && stamp == base.stamp && !base.digest.empty();
  if (base.fingerprint != image.fingerprint() || (!looked_at && !base.digest.empty() && base.digest != image.digest()))
    refuse(overlay.name(), fmt::format("belongs to another base, or {} was changed since; name the base as it was, or "
                                       "another overlay=FILE, or remove the overlay to drop its changes",
                                       image.name()));
  if (!looked_at && overlay.writable()) overlay.note_base(image.digest(), stamp);
}

}  // namespace

const ImageKind disk_kind{"disk image", disk_size_problem};
const ImageKind cdrom_kind{"CD-ROM image", cdrom_size_problem};

std::string_view to_string(WriteMode mode) { return mode_names[static_cast<unsigned>(mode)]; }

std::optional<WriteMode> parse_write_mode(std::string_view text) {
  for (unsigned n = 0; n < std::size(mode_names); ++n)
    if (text == mode_names[n]) return static_cast<WriteMode>(n);
  return std::nullopt;
}

std::string_view to_string(ImageFormat format) { return format_names[static_cast<unsigned>(format)]; }

std::optional<ImageFormat> parse_image_format(std::string_view text) {
  for (unsigned n = 0; n < std::size(format_names); ++n)
    if (text == format_names[n]) return static_cast<ImageFormat>(n);
  return std::nullopt;
}

ImageFiles files_of(const DiskSpec& spec) {
  ImageFiles files;
  const bool changed = spec.mode == WriteMode::overlay || spec.mode == WriteMode::write_through;
  if (spec.format == ImageFormat::by_content && is_overlay_file(spec.file)) {
    (changed ? files.written : files.read).push_back(spec.file);
    if (const auto base = OverlayFile::base_of(spec.file)) files.read.push_back(base_path(spec.file, base->name));
  } else if (spec.mode == WriteMode::write_through) {
    files.written.push_back(spec.file);
  } else {
    files.read.push_back(spec.file);
    if (changed) files.written.push_back(spec.overlay_file());
  }
  return files;
}

DiskSpec restored(DiskSpec spec) {
  spec.mode = WriteMode::memory;
  spec.overlay.clear();
  if (!is_overlay_file(spec.file)) spec.format = ImageFormat::raw;
  return spec;
}

DiskImage DiskImage::open(const DiskSpec& spec, const ImageKind& kind) {
  DiskImage image;
  image.mode_ = spec.mode;
  if (!spec.overlay.empty() && spec.mode != WriteMode::overlay)
    throw Error(fmt::format("{}: overlay={} is for mode=overlay, not for mode={}", spec.file, spec.overlay,
                            to_string(spec.mode)));
  const auto access =
      spec.mode == WriteMode::write_through ? BlockFile::Access::read_write : BlockFile::Access::read_only;
  const std::string what(kind.what);
  const auto use_base = [&](const std::string& name, BlockFile::Access how) {
    image.name_ = name;
    image.file_ = BlockFile::open(name, how, what);
    image.sectors_ = image.file_.size() / sector_bytes;
  };
  use_base(spec.file, BlockFile::Access::read_only);
  const bool vouched = spec.format == ImageFormat::raw;
  const auto by_overlay = [&] { return vouches(spec.overlay_file(), image); };
  if (!vouched && starts_as_overlay(image.file_) && !by_overlay()) {
    if (!spec.overlay.empty() || spec.mode == WriteMode::write_through)
      throw Error(fmt::format("{}: is an overlay and takes the changes itself; {}", spec.file,
                              spec.overlay.empty() ? "to bring them into its base use `planar disk commit`"
                                                   : "leave overlay= out, or name its base"));
    image.file_ = {};
    image.overlay_ = std::make_unique<OverlayFile>(
        spec.file, spec.mode == WriteMode::overlay ? BlockFile::Access::read_write : BlockFile::Access::read_only);
    image.overlay_name_ = spec.file;
    use_base(present_base(spec.file, image.overlay_->base().name), access);
  } else {
    if (const auto format = foreign_format(image.file_); !vouched && !format.empty() && !by_overlay())
      refuse(spec.file,
             fmt::format("is a {} file, not a raw image; unpack it, or convert it with `qemu-img convert -O raw`; "
                         "if it is a raw image whose guest has written that, say so with format=raw",
                         format));
    if (access == BlockFile::Access::read_write) {
      image.file_ = {};
      use_base(spec.file, access);
    }
  }
  if (const auto problem = kind.size_problem(image.file_.size()); !problem.empty()) refuse(image.name_, problem);
  if (!image.overlay_ && spec.mode == WriteMode::overlay) image.open_overlay(spec);
  if (image.overlay_ && !image.overlay_->temporary()) check_base(image, *image.overlay_);
  return image;
}

DiskImage::DiskImage(std::vector<std::uint8_t> bytes, std::string name, WriteMode mode)
    : name_(std::move(name)), mode_(mode), sectors_(bytes.size() / sector_bytes), bytes_(std::move(bytes)) {
  if (mode == WriteMode::overlay || mode == WriteMode::write_through)
    throw Error(fmt::format("{}: a base in memory has no file for mode={}", name_, to_string(mode)));
}

DiskImage::~DiskImage() { flush(); }

std::uint64_t DiskImage::changed_sectors() const { return changes().size(); }

std::vector<std::uint64_t> DiskImage::changes() const {
  std::vector<std::uint64_t> list;
  if (overlay_) list = overlay_->sectors();
  const auto middle = static_cast<std::ptrdiff_t>(list.size());
  for (const auto& [sector, data] : memory_) list.push_back(sector);
  std::inplace_merge(list.begin(), list.begin() + middle, list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

bool DiskImage::failed(const std::string& problem) const {
  if (failure_.empty()) failure_ = problem;
  return false;
}

bool DiskImage::read_base(std::uint64_t sector, std::span<std::uint8_t> data) const {
  if (!file_.is_open()) {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(sector * sector_bytes), data.size(), data.begin());
    return true;
  }
  return file_.read(sector * sector_bytes, data) ||
         failed(fmt::format("{}: sector {} cannot be read; check the file", name_, sector));
}

bool DiskImage::read_below_memory(std::uint64_t sector, std::span<std::uint8_t> data) const {
  if (!read_base(sector, data)) return false;
  if (!overlay_ || overlay_->changed_sectors() == 0) return true;
  for (std::size_t at = 0; at < data.size(); at += sector_bytes, ++sector)
    if (overlay_->read(sector, data.subspan(at).first<sector_bytes>()) == OverlayFile::Found::unreadable)
      return failed(fmt::format("{}: sector {} is damaged; it is readable again when the guest has written it",
                                overlay_name_, sector));
  return true;
}

bool DiskImage::read(std::uint64_t sector, std::span<std::uint8_t> data) const {
  const std::uint64_t count = data.size() / sector_bytes;
  if (data.size() % sector_bytes != 0 || sector >= sectors_ || count > sectors_ - sector) return false;
  // A sector in memory hides a damaged one in the overlay or base.
  for (std::uint64_t n = 0; n < count;) {
    auto changed = memory_.lower_bound(sector + n);
    const std::uint64_t plain =
        changed == memory_.end() ? count - n : std::min<std::uint64_t>(changed->first - (sector + n), count - n);
    if (plain > 0 && !read_below_memory(sector + n, data.subspan(n * sector_bytes, plain * sector_bytes))) return false;
    n += plain;
    for (; n < count && changed != memory_.end() && changed->first == sector + n; ++n, ++changed)
      std::copy(changed->second.begin(), changed->second.end(),
                data.begin() + static_cast<std::ptrdiff_t>(n * sector_bytes));
  }
  return true;
}

void DiskImage::open_overlay(const DiskSpec& spec) {
  overlay_name_ = spec.overlay_file();
  std::error_code none;
  if (std::filesystem::equivalent(overlay_name_, spec.file, none))
    throw Error(fmt::format("{}: overlay= names the image itself; name another file for its changes", spec.file));
  auto directory = std::filesystem::path(overlay_name_).parent_path();
  if (directory.empty()) directory = ".";
  const bool is_new = !std::filesystem::exists(overlay_name_, none);
  if (is_new) {
    if (::access(directory.c_str(), W_OK) != 0)
      refuse(overlay_name_, fmt::format("the overlay for the changes cannot be made here ({}); say where with "
                                        "overlay=FILE, or mode=memory to discard them at the end",
                                        std::strerror(errno)));
    OverlayFile::create(
        overlay_name_,
        {.sectors = sectors_, .fingerprint = fingerprint(), .name = relative_base(overlay_name_, name_)});
  }
  overlay_ = std::make_unique<OverlayFile>(overlay_name_, BlockFile::Access::read_write);
  if (is_new) overlay_->remove_unless_used();
}

// Reading the whole base takes a while, so an overlay that stays empty skips it.
bool DiskImage::begin_overlay() {
  try {
    if (overlay_->base().digest.empty()) overlay_->note_base(digest(), stamp());
    return true;
  } catch (const Error& e) { return failed(e.what()); }
}

std::string DiskImage::overlay_problem(const std::string& problem) const {
  return overlay_->lost() ? fmt::format(
                                "{}: was deleted or replaced while this run had it open; the {} sectors that the "
                                "guest has changed are lost. Leave the overlay of a running planar alone",
                                overlay_name_, overlay_->changed_sectors())
                          : fmt::format("{}: {}", overlay_name_, problem);
}

bool DiskImage::write(std::uint64_t sector, std::span<const std::uint8_t> data) {
  const std::uint64_t count = data.size() / sector_bytes;
  if (data.size() % sector_bytes != 0 || sector >= sectors_ || count > sectors_ - sector) return false;
  switch (mode_) {
    case WriteMode::read_only: return false;
    case WriteMode::memory:
      for (std::uint64_t n = 0; n < count; ++n)
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(n * sector_bytes), sector_bytes,
                    memory_[sector + n].begin());
      return true;
    case WriteMode::write_through:
      return file_.write(sector * sector_bytes, data) ||
             failed(fmt::format("{}: sector {} cannot be written; check the free space", name_, sector));
    case WriteMode::overlay:
      return begin_overlay() &&
             (overlay_->write(sector, data) ||
              failed(overlay_problem(fmt::format("sector {} cannot be written; check the free space", sector))));
  }
  return false;
}

bool DiskImage::flush() const {
  if (mode_ == WriteMode::write_through && file_.is_open())
    return file_.sync() || failed(fmt::format("{}: the host cannot make the changes durable", name_));
  if (mode_ == WriteMode::overlay && overlay_)
    return overlay_->flush() || failed(overlay_problem("the host cannot make the changes durable"));
  return true;
}

std::string DiskImage::digest() const {
  if (!digest_.empty() && mode_ != WriteMode::write_through) return digest_;
  Sha256 sum;
  std::vector<std::uint8_t> piece(copy_bytes);
  for (std::uint64_t sector = 0; sector < sectors_;) {
    const auto count = std::min<std::uint64_t>(copy_bytes / sector_bytes, sectors_ - sector);
    const auto part = std::span(piece).first(count * sector_bytes);
    if (!read_base(sector, part)) refuse_unread(name_);
    sum.update(part);
    sector += count;
  }
  digest_ = sum.hex();
  return digest_;
}

std::string DiskImage::fingerprint() const {
  constexpr std::uint64_t end_sectors = 128, sample_sectors = 8, samples = 256;
  Sha256 sum;
  std::array<std::uint8_t, 8> size{};
  for (unsigned n = 0; n < size.size(); ++n) size[n] = static_cast<std::uint8_t>(sectors_ >> (8 * n));
  sum.update(size);
  std::vector<std::uint8_t> piece(end_sectors * sector_bytes);
  const auto add = [&](std::uint64_t first, std::uint64_t count) {
    count = std::min(count, sectors_ - first);
    const auto part = std::span(piece).first(count * sector_bytes);
    if (!read_base(first, part)) refuse_unread(name_);
    sum.update(part);
  };
  if (sectors_ <= samples * sample_sectors) {
    for (std::uint64_t first = 0; first < sectors_; first += end_sectors) add(first, end_sectors);
  } else {
    add(0, end_sectors);
    for (std::uint64_t n = 0; n < samples; ++n) add(sectors_ / samples * n, sample_sectors);
    add(sectors_ - end_sectors, end_sectors);
  }
  return sum.hex();
}

void DiskImage::archive(Archive& a) {
  std::string sum = digest();
  const std::string own = sum;
  bool is_protected = write_protected();
  a(sum, is_protected);
  if (a.loading() && mode_ != WriteMode::memory && mode_ != WriteMode::read_only)
    throw Error(fmt::format("{}: a snapshot is only restored over a disk in mode=memory", name_));
  if (a.loading() && sum != own)
    throw Error(
        fmt::format("{}: is not the image that was in the drive when the snapshot was taken (SHA-256 {} instead of "
                    "{}); give the original image",
                    name_, own, sum));
  if (a.loading() && is_protected != write_protected()) mode_ = is_protected ? WriteMode::read_only : WriteMode::memory;
  std::array<std::uint8_t, sector_bytes> data{};
  if (a.saving()) {
    const auto changed = mode_ == WriteMode::write_through ? std::vector<std::uint64_t>{} : changes();
    auto count = static_cast<std::uint32_t>(changed.size());
    a(count);
    for (const std::uint64_t sector : changed) {
      auto number = static_cast<std::uint32_t>(sector);
      if (!read(sector, data)) data.fill(0);
      a(number);
      a.bytes(data);
    }
    return;
  }
  std::uint32_t count = 0;
  a(count);
  memory_.clear();
  overlay_.reset();
  for (std::uint32_t n = 0; n < count; ++n) {
    std::uint32_t number = 0;
    a(number);
    a.bytes(data);
    if (number >= sectors_)
      throw Error(fmt::format("snapshot: {} has no sector {}", name_, number), ExitCode::missing_file);
    memory_[number] = data;
  }
}

void create_overlay(const std::string& file, const std::string& base, ImageFormat format) {
  const DiskImage image = DiskImage::open({base, WriteMode::read_only, {}, format});
  if (image.overlay())
    refuse(base, "is itself an overlay; name its base, or bring it into its base first with `planar disk commit`");
  OverlayFile::create(file, {.sectors = image.sectors(),
                             .fingerprint = image.fingerprint(),
                             .name = relative_base(file, base),
                             .digest = image.digest(),
                             .stamp = image.stamp()});
}

std::uint64_t commit_overlay(const std::string& file, const std::string& named_base) {
  OverlayFile overlay(file, BlockFile::Access::read_write);
  const std::string base = named_base.empty() ? present_base(file, overlay.base().name) : named_base;
  const DiskSpec raw_base{base, WriteMode::read_only, {}, ImageFormat::raw};  // whatever its first sector looks like
  if (overlay.base().committing) {
    // The base is neither the old one nor the new one, so nothing in it shows that it belongs to this overlay: a file
    // made by someone else must not choose what is overwritten.
    if (named_base.empty())
      refuse(file, fmt::format("a commit of it was interrupted, and its base cannot be recognised any more; if that "
                               "is {}, say so with `planar disk commit {} --base {}`",
                               base, file, base));
  } else {
    const DiskImage image = DiskImage::open(raw_base);
    check_base(image, overlay);
  }
  if (OverlayFile::base_of(base)) refuse(base, "is an overlay over another image; an overlay's base is a raw image");
  BlockFile target = BlockFile::open(base, BlockFile::Access::read_write, std::string(disk_kind.what));
  if (target.size() / sector_bytes != overlay.base().sectors)
    refuse(file, fmt::format("belongs to a base of {} sectors, but {} has {}", overlay.base().sectors, base,
                             target.size() / sector_bytes));
  if (overlay.unreadable_sectors() != 0)
    refuse(file, fmt::format("{} of its sectors are damaged; take a copy of it from your backup",
                             overlay.unreadable_sectors()));
  if (!overlay.begin_commit()) refuse(file, "cannot be written; check the host's disk");
  std::array<std::uint8_t, sector_bytes> data{};
  const auto sectors = overlay.sectors();
  for (const std::uint64_t sector : sectors)
    if (overlay.read(sector, data) != OverlayFile::Found::good || !target.write(sector * sector_bytes, data))
      refuse(base, fmt::format("sector {} cannot be written; the overlay keeps its changes, commit it again", sector));
  if (!target.sync()) refuse(base, "the host cannot make the changes durable; the overlay keeps them, commit it again");
  target = {};
  const DiskImage committed = DiskImage::open(raw_base);
  if (!overlay.clear(committed.fingerprint(), committed.digest(), committed.stamp()))
    refuse(file, "cannot be emptied; its changes are in the base, remove it");
  return sectors.size();
}

}  // namespace planar::storage
