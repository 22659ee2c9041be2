// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/system/memory_controller.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/common/error.hpp"

namespace planar {

namespace {
constexpr std::uint32_t megabyte = 0x100000;
constexpr std::uint32_t base_memory = 0xA0000;
constexpr std::uint32_t rom_base = 0xE0000;
constexpr std::uint32_t page = 4096;
constexpr std::uint32_t most_kb_32 = 256 * 1024;  // the largest machine of the family (95 with ECC memory)

/// `ram_kb` in bytes, if possible with this number of address lines.
std::size_t bytes_of_ram(std::uint32_t ram_kb, unsigned address_bits) {
  if (address_bits != 24 && address_bits != 32)
    throw Error(fmt::format("memory: a processor with {} address lines; choose 24 or 32", address_bits));
  const std::uint32_t most_kb = address_bits == 24 ? 16 * 1024 : most_kb_32;
  if (ram_kb < 1024 || ram_kb % 1024 != 0 || ram_kb > most_kb)
    throw Error(fmt::format("memory: {} KB is not possible here; choose whole megabytes from 1 MB to {} MB", ram_kb,
                            most_kb / 1024));
  return std::size_t{ram_kb} * 1024;
}
}  // namespace

MemoryController::MemoryController(AddressSpace& space, std::uint32_t ram_kb, unsigned address_bits)
    : ram_(bytes_of_ram(ram_kb, address_bits)), rom_(rom_bytes, 0xFF) {
  const std::uint32_t alias = (address_bits == 24 ? 0x1000000u : 0u) - rom_bytes;  // at the top of the address space
  std::uint32_t end = ram_kb * 1024;
  if (address_bits == 24) end = std::min(end, alias);  // memory under the ROM is lost
  space.map_ram(0, ram().first(base_memory));
  if (end > megabyte) space.map_ram(megabyte, ram().subspan(megabyte, end - megabyte));
  space.map_rom(rom_base, rom_);
  space.map_rom(alias, rom_);
  // A processor reset while address line 20 is held low starts 1 MB lower. Inferred, as such resets restart real
  // machines: the ROM responds there too, unless RAM does.
  const std::uint32_t without_a20 = alias & ~megabyte;
  if (end <= without_a20) space.map_rom(without_a20, rom_);
  extended_kb_ = end > megabyte ? (end - megabyte) / 1024 : 0;
}

void MemoryController::load_rom(std::span<const std::uint8_t> image, const std::string& name) {
  if (image.size() != rom_bytes && image.size() != rom_bytes / 2 && image.size() != rom_bytes / 4)
    throw Error(fmt::format("{}: {} bytes is not a firmware image; it must have 131072 (or 65536 or 32768) bytes", name,
                            image.size()),
                ExitCode::missing_file);
  for (std::size_t at = 0; at < rom_bytes; at += image.size())
    std::copy(image.begin(), image.end(), rom_.begin() + static_cast<std::ptrdiff_t>(at));
}

void MemoryController::describe(Description& d) const {
  d.number("installed, KB", ram_kb()).number("from 100000h, KB", extended_kb_);
  d.reg("base memory ends", base_memory, 32).reg("ROM", rom_base, 32).number("ROM, KB", rom_bytes / 1024);
}

void MemoryController::archive(Archive& a) {
  a.section("memory", 1);
  auto size = static_cast<std::uint32_t>(ram_.size());
  a(size);
  if (a.loading() && size != ram_.size())
    throw Error(fmt::format("snapshot: it holds {} KB of memory, this machine has {} KB; use the machine that made it",
                            size / 1024, ram_.size() / 1024));
  for (std::size_t at = 0; at < ram_.size(); at += page) {
    const auto contents = ram().subspan(at, page);
    const bool holds = contents[0] != 0 || std::memcmp(contents.data(), contents.data() + 1, page - 1) != 0;
    bool used = holds;
    a(used);
    if (used)
      a.bytes(contents);
    else if (holds)  // and the snapshot has zeros there
      std::fill(contents.begin(), contents.end(), std::uint8_t{0});
  }
}

}  // namespace planar
