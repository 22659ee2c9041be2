// SPDX-License-Identifier: GPL-2.0-or-later
// Physical memory as seen by a processor or bus master: RAM, ROM and device ranges, in 4 KB pages.
//
// RAM and ROM pages hold a host pointer; their timing belongs to the processor's memory model. For every other page
// ("device"), the host bridge finds the claimed range, computes the duration of the cycle and moves the data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory/slave.hpp"

namespace planar {

enum class PageKind : std::uint8_t {
  unmapped,  ///< not decoded: reads as ones, writes are ignored
  ram,
  rom,     ///< writes are ignored
  device,  ///< contains at least one claimed range; the rest of the page is unmapped or the underlying RAM/ROM
};

struct Page {
  std::uint8_t* data = nullptr;  ///< underlying RAM or ROM, 4096 bytes; null if none
  PageKind kind = PageKind::unmapped;
  /// For a device page with only one claimed range: its number, from 1; otherwise 0.
  std::uint16_t sole_range = 0;
  static constexpr std::uint32_t granule_bytes = 128;  ///< a 32nd of the page
  /// Bit n: the n-th granule contains decoded code, so a store into it must call code_written().
  std::uint32_t code_granules = 0;
  /// RAM or ROM: reads return the contents of `data`.
  bool is_memory() const { return kind == PageKind::ram || kind == PageKind::rom; }
};

/// Implemented by a processor, which caches information about memory (TLB pointers, decoded code, cache tags).
class MemoryListener {
 public:
  virtual ~MemoryListener() = default;
  /// The memory map changed: host pointers and decoded code are invalid.
  virtual void mapping_changed() = 0;
  /// Bytes that contain decoded code were written (by the processor or a bus master).
  virtual void code_written(std::uint32_t address, std::uint32_t bytes) = 0;
  /// A bus master wrote RAM: cache tags for these bytes become invalid (snooping).
  virtual void master_wrote(std::uint32_t address, std::uint32_t bytes) = 0;
  /// A bus master reads RAM or ROM.
  virtual void master_reads(std::uint32_t address, std::uint32_t bytes) = 0;
};

struct TraceSubject;
class AddressSpace;

/// A claimed memory range; destruction releases it and ends the decoding.
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

class AddressSpace {
 public:
  struct Range {
    std::uint32_t base;
    std::uint32_t size;
    Slave* slave;
    CycleSpec cycle;
    bool* selected;  ///< -CD SFDBK latch, may be null
    std::uint32_t id;
    const TraceSubject* subject;  ///< the part that claimed it, for traces; may be null
  };

  AddressSpace() = default;
  AddressSpace(const AddressSpace&) = delete;

  /// Maps RAM (or ROM) at `base`, in whole pages. The memory remains the caller's and must outlive the mapping.
  void map_ram(std::uint32_t base, std::span<std::uint8_t> memory);
  void map_rom(std::uint32_t base, std::span<std::uint8_t> memory);
  void unmap(std::uint32_t base, std::uint32_t size);

  /// Decodes [base, base+size) for a slave, which handles all accesses.
  MemoryClaim claim(std::uint32_t base, std::uint32_t size, Slave& slave, CycleSpec cycle, bool* selected = nullptr,
                    const TraceSubject* subject = nullptr);

  /// The page that contains `address`; the reference stays valid for the lifetime of the address space.
  Page& page(std::uint32_t address) {
    auto& table = directory_[address >> 22];
    if (!table) table = std::make_unique<std::array<Page, 1024>>();
    return (*table)[(address >> 12) & 0x3FF];
  }

  /// Of the claimed ranges that contain `address`, the one with the highest base, or the shortest of several; or null.
  const Range* find(std::uint32_t address) const {
    const Page* const p = peek_page(address);
    return p && p->sole_range ? &ranges_[p->sole_range - 1u] : find_among(address);
  }

  /// The RAM and ROM visible at present: runs of pages of one kind with contiguous host memory, in ascending order.
  /// Pages that contain a claimed range are omitted.
  struct Area {
    std::uint32_t base;
    std::uint32_t size;
    std::uint8_t* data;
    PageKind kind;
    friend bool operator==(const Area&, const Area&) = default;
  };
  std::vector<Area> areas() const;

  void set_listener(MemoryListener* listener) { listener_ = listener; }

  /// A bus-master or DMA transfer to or from memory: data only; the bus accounts for the time. RAM writes update cache
  /// tags and decoded code; writes to ROM and unmapped memory are ignored; device ranges receive byte accesses at
  /// `now`.
  void master_read(std::uint32_t address, std::span<std::uint8_t> data, Time now);
  void master_write(std::uint32_t address, std::span<const std::uint8_t> data, Time now);

  /// The byte that a read at `now` would return, without side effects; FFh where nothing is decoded.
  std::uint8_t peek(std::uint32_t address, Time now) const;
  /// Writes a byte of RAM for a debugger. Elsewhere returns false without any effect. Decoded code is discarded;
  /// slaves, cache tags and clocks are not affected.
  bool poke(std::uint32_t address, std::uint8_t value);

 private:
  friend class MemoryClaim;
  MemoryClaim add(Range range);
  void release(std::uint32_t id);
  void map(std::uint32_t base, std::span<std::uint8_t> memory, PageKind kind);
  void refresh_kinds();
  const Range* find_among(std::uint32_t address) const;
  void code_changed(const Page& page, std::uint32_t address, std::uint32_t bytes);
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
