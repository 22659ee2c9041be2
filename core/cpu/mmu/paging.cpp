// SPDX-License-Identifier: GPL-2.0-or-later
// Address translation and the slow paths of memory access.
//
// There are two TLBs. The modelled one decides what a chip would still hold (and so which accesses pay for a page walk,
// and which translations may be stale). The host's is a subset of it with host pointers, and may be dropped at any time
// without affecting any virtual result. Sizes: 386 and 486, 32 entries, 4-way; Pentium, 64 for data, 32 for code and 8
// for 4 MB pages; P6, the same and 2 for code in 4 MB pages
// (docs/hardware/processors.md#translation-lookaside-buffers). Replacement is round-robin within a set: the chips'
// pseudo-LRU is not modelled.
#include <algorithm>

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

namespace {
constexpr std::uint32_t pte_present = 1, pte_write = 2, pte_user = 4, pte_accessed = 0x20, pte_dirty = 0x40,
                        pde_large = 0x80, pte_global = 0x100;
constexpr std::uint32_t large_page_mask = 0xFFC00000u;
}  // namespace

void Engine::page_fault(std::uint32_t linear, bool user, Access access, unsigned bits) {
  cr2 = linear;
  raise(vec_pf, static_cast<std::uint16_t>(bits | (access == Access::write ? 2 : 0) | (user ? 4 : 0)));
}

bool Engine::permitted(const TlbEntry& e, bool user, Access access) const {
  if (user && !e.user) return false;
  if (access != Access::write || e.writable) return true;
  return !user && (model == Model::i386sx || !(cr0 & cr0_wp));
}

void Engine::fill_host_tlb(std::uint32_t linear, std::uint32_t frame, bool user, bool readable, bool writable,
                           bool execute) {
  const std::uint32_t physical = frame & address_mask;
  Page& page = space.page(physical);
  const bool device = !page.is_memory();
  if (device && (execute || !fast_data || observer)) return;
  const std::uint32_t tag = linear & page_mask;
  const unsigned number = tag >> 12 & (host_tlb_entries - 1);
  HostTlbEntry& e = host_tlb[user][number];
  host_tlb_filled[user][number / 64] |= std::uint64_t{1} << number % 64;
  if (device) {
    e.forget();
    e.physical = physical;
    if (readable) e.read_tag = tag | device_mark;
    if (writable) e.write_tag = tag | device_mark;
    return;
  }
  const bool same = (e.read_tag == tag || e.write_tag == tag || e.exec_tag == tag) && e.physical == physical;
  if (!same) {
    e.forget();
    e.physical = physical;
    e.host = page.data;
    e.page = &page;
  }
  if (execute) {
    e.exec_tag = tag;
  } else if (fast_data && !observer) {
    if (readable) e.read_tag = tag;
    if (writable && page.kind == PageKind::ram) e.write_tag = tag;
  }
}

void Engine::drop_host(std::uint32_t linear_page, Half half) {
  if (half != Half::code) forget_l0();
  for (auto& table : host_tlb) {
    HostTlbEntry& e = table[linear_page >> 12 & (host_tlb_entries - 1)];
    if (half != Half::code) e.forget_data(linear_page, page_mask);
    if (half != Half::data && e.exec_tag == linear_page) {
      e.exec_tag = no_tag;
      break_loop();
    }
  }
}

void Engine::drop_evicted(const ModelTlb& from, const TlbEntry& entry) {
  if (entry.tag == no_tag) return;
  if (&from == &large_tlb) {
    forget_l0();
    for (auto& table : host_tlb)
      for (HostTlbEntry& e : table) e.forget_data(entry.tag, large_page_mask);
  } else if (&from == &large_code_tlb) {
    for (auto& table : host_tlb)
      for (HostTlbEntry& e : table) e.forget_code(entry.tag, large_page_mask);
    break_loop();
  } else if (model < Model::pentium) {
    drop_host(entry.tag, Half::both);
  } else {
    drop_host(entry.tag, &from == &code_tlb ? Half::code : Half::data);
  }
}

void Engine::flush_host_tlb() {
  for (unsigned user = 0; user < 2; ++user)
    for (unsigned word = 0; word < host_tlb_entries / 64; ++word)
      for (std::uint64_t& filled = host_tlb_filled[user][word]; filled != 0; filled &= filled - 1)
        host_tlb[user][word * 64 + static_cast<unsigned>(std::countr_zero(filled))].forget();
  forget_l0();
  break_loop();
}

void Engine::flush_tlb(Kept kept) {
  ++tlb_changes;
  for (ModelTlb* t : {&data_tlb, &code_tlb, &large_tlb, &large_code_tlb})
    for (TlbEntry& e : t->entries)
      if (kept == Kept::none || !e.global) e.tag = no_tag;
  flush_host_tlb();
}

void Engine::invalidate_page(std::uint32_t linear) {
  ++tlb_changes;
  for (ModelTlb* t : {&data_tlb, &code_tlb, &large_tlb, &large_code_tlb})
    if (TlbEntry* e = t->find(linear >> t->shift << t->shift)) {
      drop_evicted(*t, *e);
      e->tag = no_tag;
    }
  drop_host(linear & page_mask, Half::both);
}

// A walk that faults leaves the tables unchanged. Entry sizes and bits: 386 PRM chapter 5; Pentium manual volume 3 for
// 4 MB pages.
const TlbEntry& Engine::walk(std::uint32_t linear, bool user, Access access) {
  timing.spend(page_walk(timing.config()));
  const std::uint32_t pde_address = (cr3 & page_mask) | (linear >> 20 & 0xFFC);
  std::uint32_t pde = read_physical(pde_address & address_mask, 4);
  if (!(pde & pte_present)) page_fault(linear, user, access, 0);
  const bool large = (pde & pde_large) && (cr4 & cr4_pse);
  TlbEntry found;
  const auto check = [&] {
    if (!permitted(found, user, access)) page_fault(linear, user, access, 1);
  };
  ModelTlb* target;
  if (large) {
    found.tag = linear & large_page_mask;
    found.frame = pde & large_page_mask;
    found.writable = pde & pte_write;
    found.user = pde & pte_user;
    check();
    const std::uint32_t want = pde | pte_accessed | (access == Access::write ? pte_dirty : 0);
    if (want != pde) write_physical(pde_address & address_mask, 4, want);
    found.dirty = want & pte_dirty;
    found.global = pde & pte_global;
    target = large_tlb_for(access);
    if (target == nullptr) {  // the code TLB holds 4 KB fragments
      found.tag = linear & page_mask;
      found.frame |= linear & 0x003FF000u;
      target = &code_tlb;
    }
  } else {
    const std::uint32_t pte_address = (pde & page_mask) | (linear >> 10 & 0xFFC);
    const std::uint32_t pte = read_physical(pte_address & address_mask, 4);
    if (!(pte & pte_present)) page_fault(linear, user, access, 0);
    found.tag = linear & page_mask;
    found.frame = pte & page_mask;
    found.writable = pde & pte & pte_write;
    found.user = pde & pte & pte_user;
    check();
    if (!(pde & pte_accessed)) write_physical(pde_address & address_mask, 4, pde | pte_accessed);
    const std::uint32_t want = pte | pte_accessed | (access == Access::write ? pte_dirty : 0);
    if (want != pte) write_physical(pte_address & address_mask, 4, want);
    found.dirty = want & pte_dirty;
    found.global = pte & pte_global;
    target = &tlb_for(access);
  }
  found.global = found.global && (cr4 & cr4_pge);
  TlbEntry* slot = target->find(found.tag);
  if (!slot) {
    const unsigned set = (found.tag >> target->shift) & (target->sets - 1);
    slot = &target->entries[set * target->ways + target->next[set] % target->ways];
    target->next[set] = static_cast<std::uint8_t>((target->next[set] + 1) % target->ways);
    drop_evicted(*target, *slot);
  }
  *slot = found;
  ++tlb_changes;
  return *slot;
}

const TlbEntry* Engine::find_in_tlb(std::uint32_t linear, Access access) {
  const TlbEntry* const e = tlb_for(access).find(linear & page_mask);
  ModelTlb* const of_large_pages = large_tlb_for(access);
  return !e && of_large_pages ? of_large_pages->find(linear & large_page_mask) : e;
}

std::uint32_t Engine::frame_of(const TlbEntry& e, std::uint32_t linear, Access access) {
  const ModelTlb* const of_large_pages = large_tlb_for(access);
  return of_large_pages && of_large_pages->holds(e) ? e.frame | (linear & 0x003FF000u) : e.frame;
}

std::uint32_t Engine::translate(std::uint32_t linear, bool user, Access access) {
  if (!(cr0 & cr0_pg)) {
    fill_host_tlb(linear, linear & page_mask, user, true, true, access == Access::execute);
    return linear & address_mask;
  }
  const TlbEntry* e = find_in_tlb(linear, access);
  if (!e || !permitted(*e, user, access) || (access == Access::write && !e->dirty)) e = &walk(linear, user, access);
  const std::uint32_t frame = frame_of(*e, linear, access);
  fill_host_tlb(linear, frame, user, permitted(*e, user, Access::read), e->dirty && permitted(*e, user, Access::write),
                access == Access::execute);
  return (frame | (linear & 0xFFF)) & address_mask;
}

std::optional<std::uint32_t> Engine::peek_translate(std::uint32_t linear) const {
  if (!(cr0 & cr0_pg)) return linear & address_mask;
  const auto peek = [&](std::uint32_t address) {
    std::uint32_t v = 0;
    for (unsigned i = 0; i < 4; ++i) v |= std::uint32_t{space.peek((address + i) & address_mask, now())} << (8 * i);
    return v;
  };
  const std::uint32_t pde = peek((cr3 & page_mask) | (linear >> 20 & 0xFFC));
  if (!(pde & pte_present)) return std::nullopt;
  if ((pde & pde_large) && (cr4 & cr4_pse))
    return ((pde & large_page_mask) | (linear & ~large_page_mask)) & address_mask;
  const std::uint32_t pte = peek((pde & page_mask) | (linear >> 10 & 0xFFC));
  if (!(pte & pte_present)) return std::nullopt;
  return ((pte & page_mask) | (linear & ~page_mask)) & address_mask;
}

std::optional<std::uint32_t> Engine::translation_at_hand(std::uint32_t linear) {
  std::uint32_t physical = linear;
  if (cr0 & cr0_pg) {
    const TlbEntry* const e = find_in_tlb(linear, Access::read);
    if (!e || !permitted(*e, cpl == 3, Access::read)) return std::nullopt;
    physical = frame_of(*e, linear, Access::read) | (linear & 0xFFF);
  }
  physical &= address_mask;
  if (!space.page(physical).is_memory()) return std::nullopt;
  return physical;
}

// #AC: at user privilege only, and only on processors that have EFLAGS.AC and CR0.AM.
void Engine::check_alignment(std::uint32_t linear, std::uint32_t alignment, bool user) const {
  if ((linear & alignment) && user && (system_flags & flag_ac) && (cr0 & cr0_am)) raise(vec_ac, 0);
}

namespace {
std::uint32_t load_bytes(const std::uint8_t* p, unsigned bytes) {
  switch (bytes) {
    case 1: return *p;
    case 2: return load_little<std::uint16_t>(p);
    case 4: return load_little<std::uint32_t>(p);
    default: return load_little<std::uint16_t>(p) | std::uint32_t{p[2]} << 16;
  }
}
}  // namespace

/// Stores into a RAM page; the bytes lie within it.
void Engine::store_ram(Page& page, std::uint32_t physical, unsigned bytes, std::uint32_t v) {
  timing.write(physical, bytes);
  std::uint8_t* const p = page.data + (physical & 0xFFF);
  for (unsigned i = 0; i < bytes; ++i) p[i] = static_cast<std::uint8_t>(v >> (8 * i));
  const std::uint32_t first = physical >> 7 & 31, last = (physical + bytes - 1) >> 7 & 31;
  if (page.code_granules >> first & 1 || page.code_granules >> last & 1) code_written(physical, bytes);
  if (observer) observer->stored(physical, bytes);
}

std::uint32_t Engine::read_physical(std::uint32_t physical, unsigned bytes) {
  Page& page = space.page(physical);
  if (page.is_memory()) {
    timing.read(physical, bytes);
    if (observer) observer->loaded(physical, bytes);
    return load_bytes(page.data + (physical & 0xFFF), bytes);
  }
  if (bytes == 3) return read_physical(physical, 1) | read_physical(physical + 1, 2) << 8;
  return read_device(physical, bytes);
}

// An operand in a page that is neither RAM nor ROM.
std::uint32_t Engine::read_device(std::uint32_t physical, unsigned bytes, std::uint64_t start) {
  const Cycle cycle = pins.memory_read(physical, bytes, clock.at(start));
  wait_for(cycle.end);
  if (observer) observer->device_read(physical, bytes, cycle.value, false);
  return cycle.value;
}
void Engine::write_device(std::uint32_t physical, unsigned bytes, std::uint32_t v, std::uint64_t start) {
  wait_for(pins.memory_write(physical, bytes, v, clock.at(start)));
  if (observer) observer->device_written(physical, bytes, v);
}

void Engine::write_physical(std::uint32_t physical, unsigned bytes, std::uint32_t v) {
  Page& page = space.page(physical);
  switch (page.kind) {
    case PageKind::ram: store_ram(page, physical, bytes, v); return;
    case PageKind::rom: timing.write(physical, bytes); return;
    default:
      if (bytes == 3) {
        write_physical(physical, 1, v);
        write_physical(physical + 1, 2, v >> 8);
        return;
      }
      write_device(physical, bytes, v);
  }
}

// A data breakpoint is a trap: an access that faults does not report it.
std::uint32_t Engine::read_slow(std::uint32_t linear, unsigned bytes, bool user) {
  check_alignment(linear, bytes - 1, user);
  const std::uint32_t v = read_by_page(linear, bytes, user);
  if (!fast_data) check_breakpoints(linear, bytes, break_on_read);
  return v;
}

std::uint32_t Engine::read_by_page(std::uint32_t linear, unsigned bytes, bool user) {
  const unsigned room = 0x1000 - (linear & 0xFFF);
  const HostTlbEntry& e = host_tlb[user][linear >> 12 & (host_tlb_entries - 1)];
  if (room >= bytes && e.read_tag == (linear & page_mask)) {  // unaligned within a page
    timing.read(e.physical + (linear & 0xFFF), bytes);
    return load_bytes(e.host + (linear & 0xFFF), bytes);
  }
  if (room >= bytes && e.read_tag == ((linear & page_mask) | device_mark))
    return read_device(e.physical + (linear & 0xFFF), bytes);
  if (room >= bytes) return read_physical(translate(linear, user, Access::read), bytes);
  const std::uint32_t first = translate(linear, user, Access::read);
  const std::uint32_t second = translate(linear + room, user, Access::read);
  const std::uint32_t low = read_physical(first, room);
  return low | read_physical(second, bytes - room) << (8 * room);
}

void Engine::probe_write(std::uint32_t linear, unsigned bytes, bool user) {
  check_alignment(linear, bytes - 1, user);
  probe_pages(linear, bytes, user);
}
void Engine::probe_pages(std::uint32_t linear, unsigned bytes, bool user) {
  const unsigned room = 0x1000 - (linear & 0xFFF);
  if (room >= bytes && host_tlb[user][linear >> 12 & (host_tlb_entries - 1)].write_tag == (linear & page_mask)) return;
  translate(linear, user, Access::write);
  if (room < bytes) translate(linear + room, user, Access::write);
}

void Engine::write_slow(std::uint32_t linear, unsigned bytes, std::uint32_t v, bool user) {
  check_alignment(linear, bytes - 1, user);
  const unsigned room = 0x1000 - (linear & 0xFFF);
  const HostTlbEntry& e = host_tlb[user][linear >> 12 & (host_tlb_entries - 1)];
  if (room >= bytes && e.write_tag == (linear & page_mask)) {
    store_ram(*e.page, e.physical + (linear & 0xFFF), bytes, v);
    return;
  }
  if (room >= bytes && e.write_tag == ((linear & page_mask) | device_mark))
    return write_device(e.physical + (linear & 0xFFF), bytes, v);
  if (room >= bytes) {
    const std::uint32_t physical = translate(linear, user, Access::write);
    if (!fast_data) check_breakpoints(linear, bytes, break_on_write);
    write_physical(physical, bytes, v);
    return;
  }
  const std::uint32_t first = translate(linear, user, Access::write);
  const std::uint32_t second = translate(linear + room, user, Access::write);
  if (!fast_data) check_breakpoints(linear, bytes, break_on_write);
  write_physical(first, room, v & ((1u << (8 * room)) - 1));
  write_physical(second, bytes - room, v >> (8 * room));
}

// Descriptor tables are accessed with supervisor rights and never cause #AC.
std::uint32_t Engine::read_system(std::uint32_t linear, unsigned bytes) { return read_slow(linear, bytes, false); }
void Engine::write_system(std::uint32_t linear, unsigned bytes, std::uint32_t v) {
  write_slow(linear, bytes, v, false);
}

}  // namespace planar::cpu
