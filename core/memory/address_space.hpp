// SPDX-License-Identifier: GPL-2.0-or-later
// Physical memory as a processor or bus master sees it: RAM, ROM, adapter memory and slow handlers, in 4 KB pages.
//
// RAM and ROM pages hold a host pointer; their timing belongs to the processor's memory model. Every other page is
// "device": the bus controller finds the claimed range, prices the cycle and moves the data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory/slave.hpp"

namespace planar {

enum class PageKind : std::uint8_t {
  unmapped,  ///< nobody answers: reads as ones, writes vanish
  ram,
  rom,     ///< writes vanish
  device,  ///< at least one claimed range; the rest of the page is unmapped, or the RAM/ROM beneath
};

struct Page {
  std::uint8_t* data = nullptr;  ///< RAM or ROM beneath, 4096 bytes; null if none
  PageKind kind = PageKind::unmapped;
  /// 32 granules of 128 bytes that hold decoded code: a store into one must call code_written().
  std::uint32_t code_granules = 0;
};

/// A processor's private copies of memory (TLB pointers, decoded code, cache tags).
class MemoryListener {
 public:
  virtual ~MemoryListener() = default;
  /// The page table changed: forget host pointers and decoded code.
  virtual void mapping_changed() = 0;
  /// Bytes that hold decoded code have been written (by anybody).
  virtual void code_written(std::uint32_t address, std::uint32_t bytes) = 0;
  /// A bus master wrote RAM: cache tags for these bytes become invalid (snoop).
  virtual void master_wrote(std::uint32_t address, std::uint32_t bytes) = 0;
};

class AddressSpace;

/// A claimed memory range; releasing it (destruction) ends the decode.
class [[nodiscard]] MemoryClaim {
 public:
  MemoryClaim() = default;
  MemoryClaim(MemoryClaim&& other) noexcept : space_(other.space_), id_(other.id_) { other.space_ = nullptr; }
  MemoryClaim& operator=(MemoryClaim&& other) noexcept;
  ~MemoryClaim() { release(); }
  void release();
  explicit operator bool() const { return space_ != nullptr; }

 private:
  friend class AddressSpace;
  MemoryClaim(AddressSpace* space, std::uint32_t id) : space_(space), id_(id) {}
  AddressSpace* space_ = nullptr;
  std::uint32_t id_ = 0;
};

/// Adapter memory with a plain store behind it: reads and writes go straight to `data`; the slave is told of accesses
/// inside `watched` (offsets), where a chip fetches from the memory or registers lie in it.
struct AdapterMemory {
  std::span<std::uint8_t> data;
  std::uint32_t watched_first = 1;  ///< first watched offset; first > last means nothing is watched
  std::uint32_t watched_last = 0;
};

class AddressSpace {
 public:
  struct Range {
    std::uint32_t base;
    std::uint32_t size;
    Slave* slave;  ///< null only for unwatched adapter memory
    CycleSpec cycle;
    AdapterMemory memory;  ///< data empty: every access goes to the slave
    bool* selected;        ///< -CD SFDBK latch, may be null
    std::uint32_t id;

    bool plain(std::uint32_t offset, unsigned bytes) const {
      return !memory.data.empty() && (offset > memory.watched_last || offset + bytes <= memory.watched_first);
    }
  };

  AddressSpace() = default;
  AddressSpace(const AddressSpace&) = delete;

  /// Maps RAM (or ROM) at `base`; both in whole pages. The memory stays the owner's and must outlive the mapping.
  void map_ram(std::uint32_t base, std::span<std::uint8_t> memory);
  void map_rom(std::uint32_t base, std::span<std::uint8_t> memory);
  void unmap(std::uint32_t base, std::uint32_t size);

  /// Decodes [base, base+size) for a slave (all accesses).
  MemoryClaim claim(std::uint32_t base, std::uint32_t size, Slave& slave, CycleSpec cycle, bool* selected = nullptr);
  /// Decodes [base, base+memory.data.size()) as adapter memory; `slave` may be null if nothing is watched.
  MemoryClaim claim(std::uint32_t base, AdapterMemory memory, Slave* slave, CycleSpec cycle, bool* selected = nullptr);

  /// The page that holds `address`; the reference stays valid for the life of the address space.
  Page& page(std::uint32_t address) {
    auto& table = directory_[address >> 22];
    if (!table) table = std::make_unique<std::array<Page, 1024>>();
    return (*table)[(address >> 12) & 0x3FF];
  }

  /// The claimed range at `address`, latest first, or null.
  const Range* find(std::uint32_t address) const;

  /// RAM and ROM as they are seen now: runs of pages of one kind whose bytes follow one another, lowest first. Pages
  /// with a claimed range in them are left out.
  struct Area {
    std::uint32_t base;
    std::uint32_t size;
    std::uint8_t* data;
    PageKind kind;
    friend bool operator==(const Area&, const Area&) = default;
  };
  std::vector<Area> areas() const;

  void set_listener(MemoryListener* listener) { listener_ = listener; }

  /// A bus master's or DMA transfer to and from memory: data only (the bus prices it). RAM writes reach cache tags and
  /// decoded code; ROM and unmapped writes vanish; device ranges see byte accesses at `now`.
  void master_read(std::uint32_t address, std::span<std::uint8_t> data, Time now);
  void master_write(std::uint32_t address, std::span<const std::uint8_t> data, Time now);

  /// Bytes without side effects; FFh where nobody answers.
  std::uint8_t peek(std::uint32_t address) const;

 private:
  friend class MemoryClaim;
  MemoryClaim add(Range range);
  void release(std::uint32_t id);
  void map(std::uint32_t base, std::span<std::uint8_t> memory, PageKind kind);
  void refresh_kinds();
  const Page* peek_page(std::uint32_t address) const {
    const auto& table = directory_[address >> 22];
    return table ? &(*table)[(address >> 12) & 0x3FF] : nullptr;
  }

  // clang-format off
  struct Backing { std::uint32_t base; std::uint32_t size; std::uint8_t* data; PageKind kind; };
  // clang-format on
  std::array<std::unique_ptr<std::array<Page, 1024>>, 1024> directory_;
  std::vector<Backing> backings_;
  std::vector<Range> ranges_;
  MemoryListener* listener_ = nullptr;
  std::uint32_t next_id_ = 1;
};

}  // namespace planar
