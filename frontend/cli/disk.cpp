// SPDX-License-Identifier: GPL-2.0-or-later
// `planar disk`: creates, inspects and commits disk images.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "devices/board/at/diskette/floppy_image.hpp"
#include "devices/storage/image/disk_image.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/output.hpp"
#include "machines/config/units.hpp"

namespace planar {

namespace {

struct DiskOptions {
  std::string file;
  std::optional<std::string> size;
  std::optional<std::string> base;
  std::string format = "auto";
  std::optional<std::string> json;

  storage::ImageFormat image_format() const { return *storage::parse_image_format(format); }
};

// "100 MB", "100M" or "2G" (1024-based), or the nominal size of a diskette, which is not 1024-based.
std::uint64_t image_bytes(const std::string& typed) {
  std::string text = typed;
  std::erase(text, ' ');
  if (text.ends_with('B') && !text.ends_with("bytes")) text.pop_back();
  static constexpr std::pair<std::string_view, std::uint64_t> diskettes[] = {
      {"360K", 368'640}, {"720K", 737'280}, {"1.2M", 1'228'800}, {"1.44M", 1'474'560}, {"2.88M", 2'949'120}};
  for (const auto& [name, bytes] : diskettes)
    if (text == name) return bytes;
  std::uint64_t unit = 1;
  if (text.ends_with('G')) {
    text.back() = 'M';
    text += 'B';
    unit = 1024;
  }
  const auto bytes = parse_size(text);
  if (!bytes || *bytes == 0 || *bytes % storage::sector_bytes != 0 ||
      *bytes / storage::sector_bytes >= storage::most_sectors / unit)
    throw Error(fmt::format(
        "{}: is not a disk size; write for example \"100 MB\", 2G or, for a diskette, 1.44M; whole sectors of {} bytes "
        "and less than {} GB",
        typed, storage::sector_bytes, (storage::most_sectors * storage::sector_bytes) >> 30));
  return *bytes * unit;
}

int create(const DiskOptions& o) {
  if (o.base && o.size) throw Error("--base and SIZE: an overlay has the size of its base; give one of them");
  if (!o.base && !o.size)
    throw Error(
        "give the size of the image (`planar disk create FILE 100M`) or the base of an overlay "
        "(`planar disk create FILE --base BASE`)");
  if (o.base) {
    storage::create_overlay(o.file, *o.base, o.image_format());
    fmt::print("{}: empty overlay over {}\n", o.file, *o.base);
  } else {
    const auto bytes = image_bytes(*o.size);
    storage::BlockFile::create_sparse(o.file, bytes, "disk image");
    fmt::print("{}: raw image of {} bytes, {} sectors\n", o.file, bytes, bytes / storage::sector_bytes);
  }
  return 0;
}

int info(const DiskOptions& o) {
  const auto disk = storage::DiskImage::open({o.file, storage::WriteMode::read_only, {}, o.image_format()});
  const storage::OverlayFile* overlay = disk.overlay();
  const auto bytes = disk.sectors() * storage::sector_bytes;
  const auto diskette = FloppyImage::recognise(bytes);
  if (o.json) {
    nlohmann::ordered_json j = {{"file", o.file},
                                {"format", overlay ? "planar overlay" : "raw"},
                                {"bytes", bytes},
                                {"sectors", disk.sectors()},
                                {"diskette", diskette.has_value()}};
    if (overlay) {
      j["base"] = disk.name();
      j["changed_sectors"] = overlay->changed_sectors();
      j["unreadable_sectors"] = overlay->unreadable_sectors();
      j["damaged_slots"] = overlay->damaged_slots();
      j["file_bytes"] = overlay->file_bytes();
    }
    write_json(*o.json, j);
    return 0;
  }
  fmt::print("{}: {}, {} bytes, {} sectors{}\n", o.file, overlay ? "planar overlay" : "raw image", bytes,
             disk.sectors(),
             diskette ? fmt::format(" (diskette: {} cylinders, {} heads, {} sectors)", diskette->cylinders,
                                    diskette->heads, diskette->sectors)
                      : "");
  if (!overlay) return 0;
  fmt::print("  base      {}\n  changed   {} sectors in {} bytes\n", disk.name(), overlay->changed_sectors(),
             overlay->file_bytes());
  if (overlay->damaged_slots() || overlay->unreadable_sectors())
    fmt::print("  damage    {} truncated or damaged writes, {} sectors unreadable until rewritten\n",
               overlay->damaged_slots(), overlay->unreadable_sectors());
  return 0;
}

int commit(const DiskOptions& o) {
  fmt::print("{}: {} sectors written into its base\n", o.file, storage::commit_overlay(o.file, o.base.value_or("")));
  return 0;
}

int repair(const DiskOptions& o) {
  const auto found = storage::OverlayFile::repair(o.file);
  if (o.json) {
    write_json(*o.json, {{"file", o.file},
                         {"repaired", found.needed()},
                         {"changed_sectors", found.sectors},
                         {"unreadable_sectors", found.unreadable},
                         {"missing_slots", found.missing_slots},
                         {"uncounted_changes", found.uncounted_changes},
                         {"foreign_slots", found.foreign_slots}});
    return 0;
  }
  fmt::print("{}: {}; {} changed sectors\n", o.file, found.needed() ? "repaired" : "needs no repair", found.sectors);
  if (found.missing_slots)
    fmt::print("  {} slots are cut off its end; their sectors have an earlier content or the base's\n",
               found.missing_slots);
  if (found.uncounted_changes)
    fmt::print(
        "  none of the last {} changes is in the file: the disk was full when they were written, or they were lost\n",
        found.uncounted_changes);
  if (found.foreign_slots)
    fmt::print("  {} slots named sectors that the base does not have, and were removed\n", found.foreign_slots);
  if (found.unreadable) fmt::print("  {} sectors are unreadable until rewritten\n", found.unreadable);
  return 0;
}

}  // namespace

namespace {

void add_format_option(CLI::App& app, std::string& format, const char* of) {
  app.add_option(
         "--format", format,
         fmt::format("raw: {} is a raw image, whatever its first sector looks like (a guest may write there)", of))
      ->type_name("auto|raw")
      ->check(CLI::IsMember({"auto", "raw"}))
      ->capture_default_str();
}

}  // namespace

Verb add_disk(CLI::App& app) {
  auto o = std::make_shared<DiskOptions>();
  CLI::App* verb = app.add_subcommand("disk", "Create, inspect, commit or repair images of diskettes and hard disks");
  verb->require_subcommand(1);
  CLI::App* creates =
      verb->add_subcommand("create", "Create an empty raw image, or an overlay that stores changes to a base");
  creates->add_option("file", o->file, "The image to create; an existing file is never replaced")
      ->required()
      ->type_name("FILE");
  creates->add_option("size", o->size, "Size: 100M, 2G, \"540 MB\"; a diskette's 360K, 720K, 1.2M, 1.44M or 2.88M")
      ->type_name("SIZE");
  creates->add_option("-b,--base", o->base, "Create an overlay: changes go to FILE, BASE is never written")
      ->type_name("BASE");
  add_format_option(*creates, o->format, "BASE");
  CLI::App* shows = verb->add_subcommand("info", "Show an image's properties and check an overlay");
  shows->add_option("file", o->file, "A raw image or an overlay")->required()->type_name("FILE");
  add_format_option(*shows, o->format, "FILE");
  add_json_option(*shows, o->json, "Write JSON");
  CLI::App* commits = verb->add_subcommand("commit", "Write an overlay's changes into its base and empty the overlay");
  commits->add_option("file", o->file, "An overlay")->required()->type_name("FILE");
  commits
      ->add_option("-b,--base", o->base, "Its base, if that was moved; needed to repeat a commit that was interrupted")
      ->type_name("BASE");
  CLI::App* repairs = verb->add_subcommand(
      "repair", "Repair an overlay that lacks some of its data, keeping every sector that is there");
  repairs->add_option("file", o->file, "An overlay")->required()->type_name("FILE");
  add_json_option(*repairs, o->json, "Write JSON");
  return [o, creates, shows, repairs] {
    return creates->parsed() ? create(*o) : shows->parsed() ? info(*o) : repairs->parsed() ? repair(*o) : commit(*o);
  };
}

}  // namespace planar
