// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/memory/address_space.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace planar {

namespace {
constexpr std::uint32_t page_bytes = 4096;
}  // namespace

MemoryClaim& MemoryClaim::operator=(MemoryClaim&& other) noexcept {
  if (this != &other) {
    release();
    space_ = std::exchange(other.space_, nullptr);
    id_ = other.id_;
  }
  return *this;
}

void MemoryClaim::release() {
  if (space_) std::exchange(space_, nullptr)->release(id_);
}

void AddressSpace::map_ram(std::uint32_t base, std::span<std::uint8_t> memory) { map(base, memory, PageKind::ram); }
void AddressSpace::map_rom(std::uint32_t base, std::span<std::uint8_t> memory) { map(base, memory, PageKind::rom); }

void AddressSpace::map(std::uint32_t base, std::span<std::uint8_t> memory, PageKind kind) {
  const auto size = static_cast<std::uint32_t>(memory.size());
  for (std::uint64_t offset = 0; offset < size; offset += page_bytes) {
    Page& p = page(base + static_cast<std::uint32_t>(offset));
    p.data = memory.data() + offset;
    p.kind = kind;
  }
  backings_.push_back({base, size, memory.data(), kind});
  refresh_kinds();
}

void AddressSpace::unmap(std::uint32_t base, std::uint32_t size) {
  for (std::uint64_t offset = 0; offset < size; offset += page_bytes)
    page(base + static_cast<std::uint32_t>(offset)) = Page{};
  std::erase_if(backings_, [&](const Backing& b) { return b.base >= base && b.base - base < size; });
  refresh_kinds();
}

MemoryClaim AddressSpace::claim(std::uint32_t base, std::uint32_t size, Slave& slave, CycleSpec cycle, bool* selected,
                                const TraceSubject* subject) {
  return add({base, size, &slave, cycle, selected, next_id_++, subject});
}

// The order depends only on what is claimed: after a snapshot is loaded, claims are made in a different order from the
// guest's.
MemoryClaim AddressSpace::add(Range range) {
  const auto id = range.id;
  const auto after = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) {
    return r.base > range.base || (r.base == range.base && r.size < range.size);
  });
  ranges_.insert(after, range);
  refresh_kinds();
  return MemoryClaim(this, id);
}

void AddressSpace::release(std::uint32_t id) {
  std::erase_if(ranges_, [id](const Range& r) { return r.id == id; });
  refresh_kinds();
}

// Claims change only when POS does, a few times per run, so everything is recomputed from the lists.
void AddressSpace::refresh_kinds() {
  for (auto& table : directory_)
    if (table)
      for (Page& p : *table) {
        if (p.kind == PageKind::device) p.kind = PageKind::unmapped;
        p.sole_range = 0;
        p.code_granules = 0;
      }
  for (const Backing& b : backings_)
    for (std::uint64_t offset = 0; offset < b.size; offset += page_bytes)
      page(b.base + static_cast<std::uint32_t>(offset)).kind = b.kind;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Range& r = ranges_[i];
    const std::uint64_t end = std::uint64_t{r.base} + r.size;
    for (std::uint64_t a = r.base & ~(page_bytes - 1); a < end; a += page_bytes) {
      Page& p = page(static_cast<std::uint32_t>(a));
      const bool alone = p.kind != PageKind::device && a >= r.base && a + page_bytes <= end && i < UINT16_MAX;
      p.sole_range = static_cast<std::uint16_t>(alone ? i + 1 : 0);
      p.kind = PageKind::device;
    }
  }
  if (listener_) listener_->mapping_changed();
}

const AddressSpace::Range* AddressSpace::find_among(std::uint32_t address) const {
  for (auto r = ranges_.rbegin(); r != ranges_.rend(); ++r)
    if (address - r->base < r->size) return &*r;
  return nullptr;
}

std::vector<AddressSpace::Area> AddressSpace::areas() const {
  std::vector<Area> list;
  for (std::uint32_t d = 0; d < directory_.size(); ++d) {
    if (!directory_[d]) continue;
    for (std::uint32_t i = 0; i < 1024; ++i) {
      const Page& p = (*directory_[d])[i];
      if (!p.is_memory()) continue;
      const std::uint32_t base = d << 22 | i << 12;
      if (!list.empty() && list.back().base + list.back().size == base && list.back().kind == p.kind &&
          list.back().data + list.back().size == p.data)
        list.back().size += static_cast<std::uint32_t>(page_bytes);
      else
        list.push_back({base, static_cast<std::uint32_t>(page_bytes), p.data, p.kind});
    }
  }
  return list;
}

void AddressSpace::master_read(std::uint32_t address, std::span<std::uint8_t> data, Time now) {
  for (std::size_t done = 0; done < data.size();) {
    const std::uint32_t a = address + static_cast<std::uint32_t>(done);
    const std::uint32_t run =
        static_cast<std::uint32_t>(std::min<std::size_t>(page_bytes - a % page_bytes, data.size() - done));
    const Page& p = page(a);
    if (p.is_memory()) {
      std::memcpy(data.data() + done, p.data + a % page_bytes, run);
      if (listener_) listener_->master_reads(a, run);
    } else {
      for (std::uint32_t i = 0; i < run; ++i) {
        const Range* r = find(a + i);
        if (!r)
          data[done + i] = p.data ? p.data[(a + i) % page_bytes] : 0xFF;
        else
          data[done + i] = static_cast<std::uint8_t>(r->slave->read(a + i - r->base, 1, now));
      }
    }
    done += run;
  }
}

void AddressSpace::master_write(std::uint32_t address, std::span<const std::uint8_t> data, Time now) {
  for (std::size_t done = 0; done < data.size();) {
    const std::uint32_t a = address + static_cast<std::uint32_t>(done);
    const std::uint32_t run =
        static_cast<std::uint32_t>(std::min<std::size_t>(page_bytes - a % page_bytes, data.size() - done));
    Page& p = page(a);
    if (p.kind == PageKind::ram) {
      std::memcpy(p.data + a % page_bytes, data.data() + done, run);
      code_changed(p, a, run);
      if (listener_) listener_->master_wrote(a, run);
    } else if (p.kind == PageKind::device) {
      for (std::uint32_t i = 0; i < run; ++i) {
        if (const Range* r = find(a + i)) r->slave->write(a + i - r->base, 1, data[done + i], now);
      }
    }
    done += run;
  }
}

/// Notifies the listener if written bytes of one page contained decoded code.
void AddressSpace::code_changed(const Page& page, std::uint32_t address, std::uint32_t bytes) {
  const std::uint32_t first = address % page_bytes / Page::granule_bytes;
  const std::uint32_t last = (address % page_bytes + bytes - 1) / Page::granule_bytes;
  const std::uint32_t mask = (0xFFFFFFFFu << first) & (0xFFFFFFFFu >> (31 - last));
  if (listener_ && page.code_granules & mask) listener_->code_written(address, bytes);
}

std::uint8_t AddressSpace::peek(std::uint32_t address, Time now) const {
  if (const Range* r = find(address)) return static_cast<std::uint8_t>(r->slave->peek(address - r->base, 1, now));
  const Page* p = peek_page(address);
  return p && p->data ? p->data[address % page_bytes] : 0xFF;
}

bool AddressSpace::poke(std::uint32_t address, std::uint8_t value) {
  const Page* p = peek_page(address);
  if (!p || p->kind != PageKind::ram) return false;
  p->data[address % page_bytes] = value;
  code_changed(*p, address, 1);
  return true;
}

}  // namespace planar
