// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/machine/linux_boot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>
#include <sstream>

#include "core/common/error.hpp"
#include "machines/config/units.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {

// Addresses defined by the protocol; the loader ROM uses the first one and the end of the stack
// (roms/kernel_loader/kernel_loader.asm).
constexpr std::uint32_t setup_address = 0x90000;
constexpr std::uint32_t heap_end = 0x9000;  // relative to setup_address; set-up code, then its heap and stack
constexpr std::uint32_t command_line_offset = 0x9000;
constexpr std::uint32_t low_kernel = 0x10000;
constexpr std::uint32_t megabyte = 0x100000;
constexpr std::uint32_t page = 4096;

// Offsets of header fields in the file.
constexpr std::size_t setup_sectors = 0x1F1, kernel_paragraphs = 0x1F4, video_mode = 0x1FA, boot_flag = 0x1FE,
                      signature = 0x202, version = 0x206, loader_type = 0x210, load_flags = 0x211,
                      ramdisk_address = 0x218, ramdisk_size = 0x21C, heap_end_field = 0x224,
                      command_line_pointer = 0x228, ramdisk_limit = 0x22C, command_line_size = 0x238,
                      header_end = 0x23C, preferred_address = 0x258, initial_size = 0x260, header_end_2_10 = 0x264;
// Before 2.02, a magic number and an offset in the boot sector locate the command line.
constexpr std::size_t old_command_line_mark = 0x20, old_command_line_offset = 0x22;

constexpr std::uint8_t flag_high = 0x01, flag_heap = 0x80;
constexpr std::uint8_t unregistered_loader = 0xFF;

std::uint32_t get(const std::vector<std::uint8_t>& b, std::size_t at, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned n = 0; n < bytes; ++n) value |= std::uint32_t{b[at + n]} << (8 * n);
  return value;
}

void put(std::vector<std::uint8_t>& b, std::size_t at, unsigned bytes, std::uint32_t value) {
  for (unsigned n = 0; n < bytes; ++n) b[at + n] = static_cast<std::uint8_t>(value >> (8 * n));
}

[[noreturn]] void refuse(const NamedFile& file, const std::string& problem) {
  throw Error(fmt::format("{}: {}", file.name, problem), ExitCode::missing_file);
}

void check_kernel(const NamedFile& kernel) {
  const auto& b = kernel.bytes;
  static constexpr std::uint8_t elf[] = {0x7F, 'E', 'L', 'F'}, gzip[] = {0x1F, 0x8B};
  const char* remedy = "give a zImage or bzImage (arch/i386/boot/bzImage of a kernel's source tree)";
  if (b.size() >= 4 && std::equal(std::begin(elf), std::end(elf), b.begin()))
    refuse(kernel, fmt::format("is an ELF file, not a bootable kernel image; {}", remedy));
  if (b.size() >= 2 && std::equal(std::begin(gzip), std::end(gzip), b.begin()))
    refuse(kernel, fmt::format("is a gzip file, not a bootable kernel image; {}", remedy));
  if (b.size() < boot_flag + 2 || get(b, boot_flag, 2) != 0xAA55)
    refuse(kernel, fmt::format("is not a Linux kernel (no boot sector signature 55 AA); {}", remedy));
  if (b.size() < header_end) refuse(kernel, "is truncated: it ends within the kernel's header; get the whole file");
  if (std::memcmp(b.data() + signature, "HdrS", 4) != 0 || get(b, version, 2) < 0x0200)
    refuse(kernel,
           fmt::format("is not a Linux kernel that supports the boot protocol 2.00 (no HdrS header, so older than "
                       "Linux 1.3.73, or none); {}, or start it from a diskette image with --image",
                       remedy));
  if (get(b, version, 2) >= 0x020A && b.size() < header_end_2_10)
    refuse(kernel, "is truncated: it ends within the kernel's header; get the whole file");
}

/// The values of all words of the command line that begin with `key` ("mem="), in order.
std::vector<std::string> told(const std::string& command_line, std::string_view key) {
  std::vector<std::string> values;
  std::istringstream words(command_line);
  for (std::string word; std::getline(words, word, ' ');)
    if (word.starts_with(key)) values.push_back(word.substr(key.size()));
  return values;
}

/// The end of memory as limited by a mem= parameter.
std::uint32_t told_memory_end(const std::string& command_line, std::uint32_t memory_end) {
  for (const auto& word : told(command_line, "mem=")) {
    std::uint64_t value = 0;
    const char* last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, value);
    if (error != std::errc{}) continue;
    const char unit = end != last ? *end : ' ';
    if (value > 0xFFFFFFFF) continue;
    if (unit == 'k' || unit == 'K')
      value <<= 10;
    else if (unit == 'm' || unit == 'M')
      value <<= 20;
    memory_end = static_cast<std::uint32_t>(std::min<std::uint64_t>(memory_end, value));
  }
  return memory_end;
}

/// The video mode given by vga=: the boot loader passes it to the set-up code; the kernel itself ignores it. Throws
/// Error.
std::optional<std::uint16_t> told_video_mode(const std::string& command_line) {
  std::optional<std::uint16_t> mode;
  for (const auto& word : told(command_line, "vga=")) {
    static const std::pair<const char*, std::uint16_t> names[] = {{"normal", 0xFFFF}, {"ext", 0xFFFE}, {"ask", 0xFFFD}};
    const auto named = std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return word == n.first; });
    const auto number = parse_number(word);
    if (named != std::end(names))
      mode = named->second;
    else if (number && *number <= 0xFFFF)
      mode = static_cast<std::uint16_t>(*number);
    else
      throw Error(fmt::format(
          "--append: vga={}: is not a video mode; write normal, ext, ask or a number such as 0x0F01", word));
  }
  return mode;
}

/// The end of the memory that the kernel needs before it reads the memory map: given in the header from protocol 2.10
/// on, before that the end of the image itself.
std::uint64_t kernel_end(const std::vector<std::uint8_t>& file, std::uint32_t protocol, std::uint32_t address,
                         std::size_t bytes) {
  std::uint64_t end = std::uint64_t{address} + bytes;
  if (protocol >= 0x020A)
    end = std::max(end, (std::uint64_t{get(file, preferred_address + 4, 4)} << 32 | get(file, preferred_address, 4)) +
                            get(file, initial_size, 4));
  return end;
}

std::string kilobytes(std::uint64_t bytes) { return fmt::format("{} KB", (bytes + 1023) / 1024); }

}  // namespace

LinuxBoot prepare_linux_boot(const NamedFile& kernel, const std::optional<NamedFile>& ramdisk,
                             const std::string& command_line, std::uint32_t memory_end) {
  check_kernel(kernel);
  const auto& file = kernel.bytes;
  const std::uint32_t protocol = get(file, version, 2);
  const std::uint32_t sectors = file[setup_sectors] ? file[setup_sectors] : 4;
  const std::size_t real_mode_bytes = (1 + sectors) * 512;
  if (real_mode_bytes > heap_end - 0x200)
    refuse(kernel, fmt::format("its header specifies {} set-up sectors, more than the boot protocol allows; "
                               "the file is damaged",
                               sectors));
  const bool high = file[load_flags] & flag_high;
  const std::uint32_t kernel_address = high ? megabyte : low_kernel;
  if (file.size() <= real_mode_bytes)
    refuse(kernel, "is truncated: it ends within the set-up code; get the whole file");
  const std::size_t kernel_bytes = file.size() - real_mode_bytes;
  // The size field has 16 bits before 2.04, so a bzImage's size is known only modulo 1 MB.
  const std::uint64_t declared = std::uint64_t{get(file, kernel_paragraphs, protocol >= 0x0204 ? 4 : 2)} * 16;
  if ((kernel_bytes + 15) / 16 * 16 < declared)
    refuse(kernel, fmt::format("is truncated: its header specifies {} after the set-up code, the file has {}; get the "
                               "whole file",
                               kilobytes(declared), kilobytes(kernel_bytes)));

  memory_end = told_memory_end(command_line, memory_end);
  const std::uint64_t needed_end = kernel_end(file, protocol, kernel_address, kernel_bytes);
  const std::uint32_t room = high ? (memory_end > megabyte ? memory_end - megabyte : 0) : setup_address - low_kernel;
  if (kernel_bytes > room || (high && needed_end > memory_end))
    refuse(kernel, high ? fmt::format("does not fit: {} are needed above 1 MB, {} are available; give the machine more "
                                      "memory with --memory",
                                      kilobytes(needed_end - megabyte), kilobytes(room))
                        : fmt::format("does not fit: a zImage may have at most {}, this one has {}; build a bzImage",
                                      kilobytes(room), kilobytes(kernel_bytes)));

  const std::size_t most_text = protocol >= 0x0206 ? get(file, command_line_size, 4) : 255;
  const std::size_t text_room = std::min<std::size_t>(most_text, 0x1000 - 1);
  if (command_line.size() > text_room)
    throw Error(
        fmt::format("--append: {} characters, but this kernel accepts at most {}", command_line.size(), text_room));

  std::vector<std::uint8_t> setup(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(real_mode_bytes));
  setup[loader_type] = unregistered_loader;
  if (const auto mode = told_video_mode(command_line)) put(setup, video_mode, 2, *mode);
  if (protocol >= 0x0201) {
    setup[load_flags] |= flag_heap;
    put(setup, heap_end_field, 2, heap_end - 0x200);
  }
  if (protocol >= 0x0202) {
    put(setup, command_line_pointer, 4, setup_address + command_line_offset);
  } else {
    put(setup, old_command_line_mark, 2, 0xA33F);
    put(setup, old_command_line_offset, 2, command_line_offset);
  }

  LinuxBoot boot;
  std::string disk_summary;
  if (ramdisk) {
    if (ramdisk->bytes.empty()) refuse(*ramdisk, "is empty; give a ramdisk image");
    // Kernels with older protocols may use at most 16 MB; later ones state their limit.
    constexpr std::uint32_t old_limit = 0x1000000;
    const std::uint32_t floor = high ? static_cast<std::uint32_t>(needed_end) : megabyte;
    std::uint32_t end = memory_end;
    if (protocol >= 0x0203)
      end = std::min<std::uint64_t>(end, std::uint64_t{get(file, ramdisk_limit, 4)} + 1);
    else if (end > old_limit && ramdisk->bytes.size() <= old_limit - floor)
      end = old_limit;
    const std::uint32_t disk_room = end > floor ? end - floor : 0;
    if (ramdisk->bytes.size() > disk_room || ((end - ramdisk->bytes.size()) & ~(page - 1)) < floor)
      refuse(*ramdisk,
             fmt::format(
                 "does not fit: the ramdisk has {}, but {} of memory are free besides the kernel; give the machine "
                 "more memory with --memory",
                 kilobytes(ramdisk->bytes.size()), kilobytes(disk_room)));
    const auto address = static_cast<std::uint32_t>((end - ramdisk->bytes.size()) & ~(page - 1));
    put(setup, ramdisk_address, 4, address);
    put(setup, ramdisk_size, 4, static_cast<std::uint32_t>(ramdisk->bytes.size()));
    boot.parts.push_back({address, ramdisk->bytes});
    disk_summary = fmt::format(", ramdisk {} ({}) at {:X}h", ramdisk->name, kilobytes(ramdisk->bytes.size()), address);
  }

  // One part from 90000h to the end of the command line, which the loader ROM checks.
  setup.resize(command_line_offset);
  setup.insert(setup.end(), command_line.begin(), command_line.end());
  setup.push_back(0);
  boot.checked_bytes = static_cast<std::uint32_t>(setup.size());
  boot.checked_sum = std::accumulate(setup.begin(), setup.end(), std::uint32_t{0});
  boot.parts.push_back({setup_address, std::move(setup)});
  boot.parts.push_back({kernel_address, {file.begin() + static_cast<std::ptrdiff_t>(real_mode_bytes), file.end()}});
  boot.summary = fmt::format("kernel {} (boot protocol {}.{:02}, {}) at {:X}h{}", kernel.name, protocol >> 8,
                             protocol & 0xFF, kilobytes(kernel_bytes), kernel_address, disk_summary);
  return boot;
}

std::vector<std::uint8_t> kernel_loader_rom(const LinuxBoot& boot) {
  std::vector<std::uint8_t> rom(roms::kernel_loader().begin(), roms::kernel_loader().end());
  constexpr std::size_t table = 0x10;
  if (rom.size() != 2048 || rom[0] != 0x55 || rom[1] != 0xAA)
    throw Error("the built-in kernel loader ROM is damaged; rebuild it with make -C roms", ExitCode::missing_file);
  put(rom, table, 4, boot.checked_bytes);
  put(rom, table + 4, 4, boot.checked_sum);
  return rom;
}

void place_parts(const LinuxBoot& boot, std::span<std::uint8_t> ram) {
  for (const auto& part : boot.parts)
    std::copy(part.bytes.begin(), part.bytes.end(), ram.begin() + static_cast<std::ptrdiff_t>(part.address));
}

}  // namespace planar
