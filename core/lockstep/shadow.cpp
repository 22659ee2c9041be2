// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/lockstep/shadow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace planar::lockstep {

using cpu::Model;
using cpu::Registers;

namespace {

constexpr std::uint32_t page_bytes = 4096;
constexpr std::uint32_t flag_vm = 0x20000, flag_rf = 0x10000, flag_ac = 0x40000, flag_id = 0x200000;
constexpr std::uint32_t accessed_and_dirty = 0x60;
constexpr std::uint16_t fpu_error_summary = 0x80;
constexpr unsigned EAX = 0, CS = 1;

bool has_error_code(std::uint8_t vector) { return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17; }

bool same(const cpu::SegmentView& a, const cpu::SegmentView& b) {
  return a.selector == b.selector && a.base == b.base && a.limit == b.limit && a.access == b.access && a.big == b.big;
}
bool same(const cpu::TableView& a, const cpu::TableView& b) { return a.base == b.base && a.limit == b.limit; }

/// Everything except general registers, EIP and flags.
bool same_system(const Registers& a, const Registers& b) {
  for (unsigned s = 0; s < 6; ++s)
    if (!same(a.segment[s], b.segment[s])) return false;
  return same(a.ldtr, b.ldtr) && same(a.tr, b.tr) && same(a.gdtr, b.gdtr) && same(a.idtr, b.idtr) && a.cr0 == b.cr0 &&
         a.cr2 == b.cr2 && a.cr3 == b.cr3 && a.cr4 == b.cr4 && a.dr == b.dr && a.cpl == b.cpl &&
         !((a.eflags ^ b.eflags) & flag_vm);
}
bool same_core(const Registers& a, const Registers& b) {
  return a.gpr == b.gpr && a.eip == b.eip && a.eflags == b.eflags;
}

UnicornCpu::Core core_of(const Registers& r) {
  UnicornCpu::Core c;
  std::copy(r.gpr.begin(), r.gpr.end(), c.gpr);
  c.eip = r.eip;
  c.eflags = r.eflags & ~flag_rf;
  return c;
}

}  // namespace

Shadow::Shadow(cpu::Cpu& processor, AddressSpace& space)
    : processor_(processor),
      space_(space),
      address_mask_(processor.config().model == Model::i386sx ? 0x00FFFFFFu : 0xFFFFFFFFu),
      unicorn_(processor.config().model, this),
      code_pages_(1u << 20) {
  processor_.add_observer(*this);
  adopt(processor_.registers());
}

Shadow::~Shadow() { processor_.remove_observer(*this); }

// ---- memory

void Shadow::copy_memory() {
  remap_ = false;
  std::vector<AddressSpace::Area> areas = space_.areas();
  const auto same_area = [](const Copy& copy, const AddressSpace::Area& area) { return copy.area == area; };
  if (std::equal(copies_.begin(), copies_.end(), areas.begin(), areas.end(), same_area)) return;
  for (const Mapped& m : extra_) unicorn_.unmap(m.base, m.size);
  for (const Copy& copy : copies_) unicorn_.unmap(copy.area.base, copy.area.size);
  extra_.clear();
  copies_.clear();
  for (const auto& area : areas) {
    copies_.push_back({area, std::vector<std::uint8_t>(area.data, area.data + area.size)});
    unicorn_.map(area.base, copies_.back().bytes);  // ROM too: stores to it are undone
  }
  unicorn_.flush_code();
  unicorn_.flush_tlb();
}

const Shadow::Copy* Shadow::area_of(std::uint32_t address) const {
  const auto after = std::upper_bound(copies_.begin(), copies_.end(), address,
                                      [](std::uint32_t at, const Copy& copy) { return at < copy.area.base; });
  if (after == copies_.begin()) return nullptr;
  const Copy& copy = *std::prev(after);
  return address - copy.area.base < copy.area.size ? &copy : nullptr;
}

std::uint8_t* Shadow::copy_of(std::uint32_t address) {
  const Copy* copy = area_of(address);
  return copy ? const_cast<std::uint8_t*>(copy->bytes.data()) + (address - copy->area.base) : nullptr;
}

// Copies the machine's bytes to Unicorn.
void Shadow::take_over(std::uint32_t address, std::uint32_t bytes) {
  while (bytes > 0) {
    const std::uint32_t run = std::min(bytes, page_bytes - address % page_bytes);
    if (const Copy* copy = area_of(address)) {
      const std::uint32_t offset = address - copy->area.base;
      std::uint8_t* const to = copy_of(address);
      if (std::memcmp(to, copy->area.data + offset, run) != 0) {
        std::memcpy(to, copy->area.data + offset, run);
        if (code_pages_[address / page_bytes]) unicorn_.flush_code();
      }
    }
    address += run;
    bytes -= run;
  }
}

// Maps physical memory that Unicorn accessed for the first time: devices and unmapped memory, and on a 386SX the
// aliases of the 16 MB that it can address.
bool Shadow::map_on_demand(std::uint32_t address) {
  const std::uint32_t page = address & ~(page_bytes - 1);
  for (const Mapped& m : extra_)
    if (m.base == page) return false;
  if (std::uint8_t* memory = copy_of(page & address_mask_)) {
    if ((page & address_mask_) == page) return false;
    unicorn_.map(page, {memory, page_bytes});
  } else {
    unicorn_.map_device(page, page_bytes);
  }
  extra_.push_back({page, page_bytes});
  return true;
}

void Shadow::note_code(const Registers& r) {
  const std::uint32_t linear = r.segment[CS].base + r.eip;
  if ((linear / page_bytes) == code_linear_ && r.cr3 == code_cr3_) return;
  code_linear_ = linear / page_bytes;
  code_cr3_ = r.cr3;
  for (const std::uint32_t at : {linear, linear + 15})
    if (const auto physical = processor_.translate(at)) code_pages_[*physical / page_bytes] = true;
}

// ---- what the interpreter does and receives

void Shadow::before_step() {
  if (divergence_) return;
  if (remap_) copy_memory();
  if (a20_ != processor_.a20()) unicorn_.set_a20(a20_ = processor_.a20());
  before_ = processor_.registers();
  deliveries_.clear();
  stores_.clear();
  port_reads_.clear();
  port_writes_.clear();
  device_reads_.clear();
  device_writes_.clear();
  device_code_ = false;
}

void Shadow::delivering(std::uint8_t vector, cpu::InterruptSource source, bool has_error, std::uint16_t error) {
  deliveries_.push_back({vector, source == cpu::InterruptSource::software, has_error, error});
}
void Shadow::stored(std::uint32_t address, std::uint32_t bytes) { stores_.push_back({address, bytes}); }
void Shadow::port_read(std::uint16_t port, unsigned bytes, std::uint32_t value) {
  port_reads_.push_back({port, bytes, value});
}
void Shadow::port_written(std::uint16_t port, unsigned bytes, std::uint32_t value) {
  port_writes_.push_back({port, bytes, value});
}
void Shadow::device_read(std::uint32_t address, unsigned bytes, std::uint32_t value, bool fetch) {
  device_code_ = device_code_ || fetch;
  if (!fetch) device_reads_.push_back({address, bytes, value});
}
void Shadow::device_written(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  device_writes_.push_back({address, bytes, value});
}
void Shadow::others_wrote(std::uint32_t address, std::uint32_t bytes) {
  if (!divergence_) take_over(address, bytes);
}

// ---- what Unicorn receives

std::uint32_t Shadow::port_read(std::uint16_t port, unsigned bytes) {
  for (Transfer& t : port_reads_)
    if (!t.used && t.address == port && t.bytes == bytes) {
      t.used = true;
      return t.value;
    }
  return 0xFFFFFFFFu;
}
void Shadow::port_write(std::uint16_t port, unsigned bytes, std::uint32_t value) {
  their_port_writes_.push_back({port, bytes, value});
}
std::uint32_t Shadow::memory_read(std::uint32_t address, unsigned bytes) {
  address &= address_mask_;
  std::uint32_t value = 0xFFFFFFFFu;
  for (unsigned i = 0; i < bytes; ++i)
    for (const Transfer& t : device_reads_)
      if (address + i - t.address < t.bytes) {
        const std::uint32_t byte = t.value >> 8 * (address + i - t.address) & 0xFF;
        value = (value & ~(0xFFu << 8 * i)) | byte << 8 * i;
        break;
      }
  return value;
}
void Shadow::memory_write(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  their_device_writes_.push_back({address & address_mask_, bytes, value});
}

// ---- comparison

void Shadow::after_step(bool executed, const cpu::Op* op) {
  if (divergence_) return;
  const Registers now = processor_.registers();
  if (!executed) {
    if (deliveries_.empty() && same_core(before_, now) && same_system(before_, now)) return;
    interrupts_ += !deliveries_.empty();
    adopt(now);
    return;
  }
  compare(op, now);
}

// Copies the interpreter's state and stores to Unicorn.
void Shadow::adopt(const Registers& now) {
  if (remap_) copy_memory();
  for (const Store& s : stores_) take_over(s.address, s.bytes);
  unicorn_.set_registers(now);
  if (processor_.config().fpu) unicorn_.set_fpu(processor_.fpu());
  if (now.tr.selector != before_.tr.selector) unicorn_.flush_tlb();
}

void Shadow::adopt_uncompared(const Registers& now, Exclusion why) {
  ++excluded_[static_cast<unsigned>(why)];
  for (const Store& s : unicorn_.stores()) take_over(s.address & address_mask_, s.bytes);
  adopt(now);
}

StepResult Shadow::step() {
  for (;;) {
    for (auto* list : {&port_reads_, &device_reads_})
      for (Transfer& t : *list) t.used = false;
    their_port_writes_.clear();
    their_device_writes_.clear();
    const StepResult result = unicorn_.step();
    if (result.kind != StepResult::Kind::unmapped || !map_on_demand(result.address)) return result;
    unicorn_.set_core(core_of(before_));
  }
}

void Shadow::compare(const cpu::Op* op, const Registers& now) {
  if (device_code_) return adopt_uncompared(now, Exclusion::device_code);
  if (op)
    if (const Exclusion why = exclusion(*op, before_, processor_.config()); why != Exclusion::none)
      return adopt_uncompared(now, why);
  if (now.tr.selector != before_.tr.selector) return adopt_uncompared(now, Exclusion::task);
  note_code(before_);
  const StepResult result = step();
  ++compared_;
  if (result.kind == StepResult::Kind::unmapped)
    return diverge(fmt::format("Unicorn could not reach physical address {:08X}", result.address), now);
  if (result.kind == StepResult::Kind::exception || !deliveries_.empty()) return compare_exception(op, now, result);

  UnicornCpu::Core theirs = unicorn_.core();
  if (planted_ && compared_ == planted_) {
    theirs.gpr[EAX] ^= 1;
    unicorn_.set_core(theirs);
  }
  if (const char* what = compare_core(*op, now, theirs)) return diverge(what, now);
  const bool changed = !same_system(before_, now);
  if (changed || compared_ % 256 == 0)
    if (const char* what = compare_system(now, unicorn_.registers())) return diverge(what, now);
  if (op->opcode >= 0xD8 && op->opcode <= 0xDF)
    if (const char* what = compare_fpu(*op)) return diverge(what, now);
  if (is_mmx(*op))
    if (const char* what = compare_mmx()) return diverge(what, now);
  if (const char* what = compare_bus()) return diverge(what, now);
  if (const char* what = compare_stores(*op)) return diverge(what, now);
  // Masked parts are copied from the interpreter.
  if (changed)
    unicorn_.set_registers(now);
  else if (const auto ours = core_of(now); std::memcmp(&ours, &theirs, sizeof ours) != 0)
    unicorn_.set_core(ours);
}

// The interpreter has already delivered the exception; Unicorn only reports what it would have raised.
void Shadow::compare_exception(const cpu::Op* op, const Registers& now, const StepResult& result) {
  ++exceptions_;
  if (deliveries_.empty())
    return diverge(fmt::format("Unicorn raised exception {}, planar did not", result.vector), now);
  const Delivery& first = deliveries_.front();
  Exclusion why = Exclusion::none;
  if (result.kind != StepResult::Kind::exception || result.vector != first.vector) {
    if (unicorn_may_miss(first.vector, op, before_, processor_.config(), why)) return adopt_uncompared(now, why);
    return diverge(result.kind == StepResult::Kind::exception
                       ? fmt::format("planar raised exception {}, Unicorn {}", first.vector, result.vector)
                       : fmt::format("planar raised exception {}, Unicorn none", first.vector),
                   now);
  }
  if (first.software != result.software && first.vector != 3 && first.vector != 4)
    return diverge("one treats it as a software interrupt, the other as an exception", now);
  if (first.has_error && (now.cr0 & 1) && has_error_code(first.vector) && first.error != result.error)
    return diverge(fmt::format("error code {:04X} of planar, {:04X} of Unicorn", first.error, result.error), now);
  if (first.vector == 14 && deliveries_.size() == 1 && now.cr2 != unicorn_.registers().cr2)
    return diverge(fmt::format("CR2 {:08X} of planar, {:08X} of Unicorn", now.cr2, unicorn_.registers().cr2), now);
  for (const Store& s : unicorn_.stores()) take_over(s.address & address_mask_, s.bytes);
  adopt(now);
}

const char* Shadow::compare_core(const cpu::Op& op, const Registers& now, UnicornCpu::Core& theirs) const {
  std::uint32_t mask = ~(flag_rf | undefined_flags(op, before_));
  if (processor_.config().model == Model::i386sx) mask &= ~(flag_ac | flag_id);
  if (processor_.config().model == Model::i486sx) mask &= ~flag_id;
  if (now.eip != theirs.eip) return "EIP";
  if ((now.eflags ^ theirs.eflags) & mask) return "flags";
  const bool skip = undefined_destination(op, now);
  for (unsigned i = 0; i < 8; ++i)
    if (now.gpr[i] != theirs.gpr[i] && !(skip && i == op.reg)) return "general registers";
  return nullptr;
}

const char* Shadow::compare_system(const Registers& a, const Registers& b) const {
  const bool plain = !(a.cr0 & 1) || (a.eflags & flag_vm);  // in real mode and V86, limit and rights are specific to
                                                            // the chip
  for (unsigned s = 0; s < 6; ++s) {
    const auto &x = a.segment[s], &y = b.segment[s];
    if (x.selector != y.selector) return "a selector";
    if (!plain && (x.selector & 0xFFFC) == 0) continue;  // the cache of a null selector is not used
    if (x.base != y.base) return "a segment's base";
    // After a change of CR0.PE, the caches still hold the contents of the other mode.
    if (plain || !((before_.cr0 ^ a.cr0) & 1) || s == CS) {
      if (plain) continue;
      if (x.limit != y.limit && (before_.cr0 & 1)) return "a segment's limit";
      if (((x.access ^ y.access) & 0xFE || x.big != y.big) && (before_.cr0 & 1) && x.selector != 0)
        return "a segment's rights";
    }
  }
  if (a.ldtr.selector != b.ldtr.selector || ((a.ldtr.selector & 0xFFFC) && a.ldtr.base != b.ldtr.base)) return "LDTR";
  if (a.tr.selector != b.tr.selector || a.tr.base != b.tr.base) return "TR";
  if (!same(a.gdtr, b.gdtr)) return "GDTR";
  if (!same(a.idtr, b.idtr)) return "IDTR";
  if ((a.cr0 ^ b.cr0) & 0x8001000Fu) return "CR0";
  if (a.cr2 != b.cr2) return "CR2";
  if ((a.cr3 ^ b.cr3) & 0xFFFFF000u) return "CR3";
  if (a.cr4 != b.cr4) return "CR4";
  if (a.cpl != b.cpl) return "CPL";
  return nullptr;
}

const char* Shadow::compare_fpu(const cpu::Op& op) {
  const cpu::Fpu ours = processor_.fpu(), theirs = unicorn_.fpu();
  unicorn_.set_fpu(ours);  // exception flags, C1 and the pointers are copied from the interpreter
  if (ours.status & fpu_error_summary) {
    ++excluded_[static_cast<unsigned>(Exclusion::fpu_trap)];
    return nullptr;
  }
  const auto empty = [](std::uint16_t tags) { return tags & tags >> 1 & 0x5555; };
  if (ours.control != theirs.control) return "the x87 control word";
  if (empty(ours.tags) != empty(theirs.tags)) return "the x87 tags";
  if (ours.top() != theirs.top()) return "the top of the x87 stack";
  if (transcendental(op)) return nullptr;
  for (unsigned i = 0; i < 8; ++i)
    if ((ours.tags >> (2 * i) & 3) != 3 && !(ours.registers[i] == theirs.registers[i])) return "an x87 register";
  if ((ours.status ^ theirs.status) & 0x4500) return "the x87 condition codes";
  return nullptr;
}

// Unicorn leaves the exponents unchanged, and EMMS the top of stack; they are copied from the interpreter.
const char* Shadow::compare_mmx() {
  const cpu::Fpu ours = processor_.fpu(), theirs = unicorn_.fpu();
  unicorn_.set_fpu(ours);
  for (unsigned i = 0; i < 8; ++i)
    if (ours.registers[i].mantissa != theirs.registers[i].mantissa) return "an MMX register";
  return ours.tags == theirs.tags ? nullptr : "the x87 tags";
}

const char* Shadow::compare_stores(const cpu::Op& op) {
  // A dword push of a segment register writes only its two bytes (core/cpu/exec/stack.cpp); Unicorn writes four.
  for (const Store& s : stores_) {
    const Copy* copy = area_of(s.address);
    if (!copy) continue;
    const std::uint32_t offset = s.address - copy->area.base;
    const std::uint8_t *ours = copy->area.data + offset, *theirs = copy->bytes.data() + offset;
    if (std::memcmp(ours, theirs, s.bytes) == 0) continue;
    // Accessed and dirty bits: Unicorn's TLB holds different entries from the chip's.
    const bool entry = s.bytes == 4 && !(s.address & 3) && !((ours[0] ^ theirs[0]) & ~accessed_and_dirty) &&
                       std::memcmp(ours + 1, theirs + 1, 3) == 0;
    // Unicorn does not mark code segments as accessed.
    const bool mark = s.bytes == 1 && (ours[0] ^ theirs[0]) == 1 && far_transfer(op);
    if (!entry && !mark) return "memory";
    take_over(s.address, s.bytes);
  }
  for (const Store& s : unicorn_.stores()) {
    const std::uint32_t address = s.address & address_mask_;
    const Copy* copy = area_of(address);
    if (!copy) continue;
    const std::uint32_t offset = address - copy->area.base;
    const std::uint8_t *ours = copy->area.data + offset, *theirs = copy->bytes.data() + offset;
    if (std::memcmp(ours, theirs, s.bytes) == 0) continue;
    const bool selector = s.bytes == 4 && std::memcmp(ours, theirs, 2) == 0 && stores_.size() == 1 &&
                          stores_[0].address == address && stores_[0].bytes == 2;
    if (copy->area.kind != PageKind::rom && !selector) return "memory";
    take_over(address, s.bytes);
  }
  return nullptr;
}

// Port writes are compared one by one, device writes byte by byte, since an unaligned one may be split differently.
const char* Shadow::compare_bus() {
  const auto same_transfer = [](const Transfer& x, const Transfer& y) {
    const std::uint32_t mask = x.bytes == 4 ? 0xFFFFFFFFu : (1u << 8 * x.bytes) - 1;
    return x.address == y.address && x.bytes == y.bytes && !((x.value ^ y.value) & mask);
  };
  if (!std::equal(port_writes_.begin(), port_writes_.end(), their_port_writes_.begin(), their_port_writes_.end(),
                  same_transfer))
    return "a write to a port";
  if (device_writes_.empty() && their_device_writes_.empty()) return nullptr;
  const auto bytes = [](const std::vector<Transfer>& list) {
    std::vector<std::pair<std::uint32_t, std::uint8_t>> all;
    for (const Transfer& t : list)
      for (unsigned i = 0; i < t.bytes; ++i)
        all.emplace_back(t.address + i, static_cast<std::uint8_t>(t.value >> 8 * i));
    std::sort(all.begin(), all.end());
    return all;
  };
  return bytes(device_writes_) == bytes(their_device_writes_) ? nullptr : "a write to device memory";
}

// ---- report

namespace {

std::string flag_letters(std::uint32_t f) {
  static constexpr std::pair<std::uint32_t, const char*> letters[] = {
      {1, "CF"},     {4, "PF"},     {16, "AF"},     {64, "ZF"},      {128, "SF"},     {0x100, "TF"},   {0x200, "IF"},
      {0x400, "DF"}, {0x800, "OF"}, {0x4000, "NT"}, {flag_rf, "RF"}, {flag_vm, "VM"}, {flag_ac, "AC"}, {flag_id, "ID"}};
  std::string text;
  for (const auto& [bit, name] : letters)
    if (f & bit) text += fmt::format(" {}", name);
  return text;
}

std::string lines(const char* name, const Registers& r) {
  static constexpr const char* general[8] = {"EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"};
  static constexpr const char* segments[6] = {"ES", "CS", "SS", "DS", "FS", "GS"};
  std::string text = fmt::format("  {:<8} EIP={:08X} EFLAGS={:08X}{} CPL={}\n          ", name, r.eip, r.eflags,
                                 flag_letters(r.eflags), r.cpl);
  for (unsigned i = 0; i < 8; ++i) text += fmt::format(" {}={:08X}", general[i], r.gpr[i]);
  text += "\n          ";
  for (unsigned i = 0; i < 6; ++i)
    text += fmt::format(" {}={:04X}({:08X})", segments[i], r.segment[i].selector, r.segment[i].base);
  return text +
         fmt::format(
             "\n           CR0={:08X} CR2={:08X} CR3={:08X} CR4={:08X} GDT={:08X} IDT={:08X} LDTR={:04X} TR={:04X}\n",
             r.cr0, r.cr2, r.cr3, r.cr4, r.gdtr.base, r.idtr.base, r.ldtr.selector, r.tr.selector);
}

}  // namespace

void Shadow::diverge(const std::string& what, const Registers& now) {
  std::string text = fmt::format("lockstep: planar and Unicorn differ in {} after {:04X}:{:08X}", what,
                                 before_.segment[CS].selector, before_.eip);
  for (std::uint32_t i = 0; i < 15; ++i) {
    const auto byte = processor_.peek_linear(before_.segment[CS].base + before_.eip + i);
    if (!byte) break;
    text += fmt::format("{}{:02X}", i ? " " : "  ", *byte);
  }
  text +=
      fmt::format("\n  at {:.9f} s virtual, {} instructions; the instruction begins with the first of these bytes\n",
                  processor_.time().seconds(), processor_.instructions());
  text += lines("before", before_) + lines("planar", now) + lines("Unicorn", unicorn_.registers());
  for (const Delivery& d : deliveries_)
    text += fmt::format("  planar delivered vector {:02X}h error {:04X}\n", d.vector, d.error);
  std::vector<std::uint32_t> addresses;
  for (const Store& s : stores_)
    for (std::uint32_t i = 0; i < s.bytes; ++i) addresses.push_back(s.address + i);
  for (const Store& s : unicorn_.stores())
    for (std::uint32_t i = 0; i < s.bytes; ++i) addresses.push_back((s.address + i) & address_mask_);
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  for (const std::uint32_t at : addresses) {
    const Copy* copy = area_of(at);
    if (!copy) continue;
    const std::uint8_t ours = copy->area.data[at - copy->area.base], theirs = copy->bytes[at - copy->area.base];
    if (ours != theirs) text += fmt::format("  memory {:08X}: planar {:02X}, Unicorn {:02X}\n", at, ours, theirs);
  }
  const auto transfers = [&](const char* name, const std::vector<Transfer>& list) {
    for (const Transfer& t : list) text += fmt::format("  {} {:X}: {} bytes {:X}\n", name, t.address, t.bytes, t.value);
  };
  transfers("planar wrote port", port_writes_);
  transfers("Unicorn wrote port", their_port_writes_);
  transfers("planar wrote device memory", device_writes_);
  transfers("Unicorn wrote device memory", their_device_writes_);
  transfers("both read port", port_reads_);
  transfers("both read device memory", device_reads_);
  text += "  " + summary();
  divergence_ = text;
  if (on_divergence_) on_divergence_();
}

std::string Shadow::summary() const {
  std::string text =
      fmt::format("lockstep: {} instructions compared, {} exceptions among them; {} interrupts taken over", compared_,
                  exceptions_, interrupts_);
  std::string rest;
  for (unsigned i = 1; i < excluded_.size(); ++i)
    if (excluded_[i]) rest += fmt::format("{}{} {}", rest.empty() ? "" : ", ", excluded_[i], exclusion_names[i]);
  return rest.empty() ? text : text + "; not compared: " + rest;
}

}  // namespace planar::lockstep
