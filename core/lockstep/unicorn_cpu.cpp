// SPDX-License-Identifier: GPL-2.0-or-later
// Unicorn's interface reads and writes selectors by loading descriptors, and gives no access to descriptor caches,
// error codes and CPL. All of them are in the data that uc_context_save() copies: the beginning of QEMU's CPUX86State.
// Its layout (below, QEMU 5.0 as in Unicorn 2.1) is checked against the interface when an engine is created, so that a
// different layout causes an error rather than wrong results.
#include "core/lockstep/unicorn_cpu.hpp"

#include <unicorn/unicorn.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>

#include "core/common/error.hpp"
#include "core/cpu/x86/cr0.hpp"

namespace planar::lockstep {

namespace {

struct QemuSegment {
  std::uint32_t selector;
  std::uint64_t base;
  std::uint32_t limit;
  std::uint32_t flags;  ///< the descriptor's second word without base and limit
};

struct alignas(16) QemuFloat {
  std::uint64_t mantissa;
  std::uint16_t exponent;
};

/// CPUX86State up to the x87.
struct QemuState {
  std::uint64_t regs[16];
  std::uint64_t eip, eflags;  ///< inside QEMU's loop: without arithmetic flags and DF
  std::uint64_t cc_dst, cc_src, cc_src2;
  std::uint32_t cc_op;
  std::int32_t df;  ///< 1 or -1
  std::uint32_t hflags, hflags2;
  QemuSegment segs[6], ldt, tr, gdt, idt;
  std::uint64_t cr[9];
  std::int32_t a20_mask;
  std::uint64_t bounds[4][2], bounds_control[2], bounds_msr, efer;
  std::int32_t start_init_save;
  std::uint32_t fpstt;
  std::uint16_t fpus, fpuc;
  std::uint8_t fptags[8];  ///< 1: empty
  QemuFloat fpregs[8];
  std::uint16_t fpop, fpcs, fpds;
  std::uint64_t fpip, fpdp;
};

/// The part around the debug registers, which is located far after the x87 state.
struct QemuException {
  std::int32_t error_code;
  std::int32_t exception_is_int;
  std::uint64_t exception_next_eip;
  std::uint64_t dr[8];
  std::uint64_t breakpoints[4];
  std::int32_t old_exception;  ///< being delivered, or -1: a second one causes a double fault
};

constexpr std::uint32_t cc_op_eflags = 1;  // CC_OP_EFLAGS: cc_src holds the flags

// hflags: state that QEMU derives from the registers at translation time.
constexpr unsigned hf_cs32 = 4, hf_ss32 = 5, hf_addseg = 6, hf_pe = 7, hf_mp = 9;
constexpr std::uint32_t hf_osfxsr = 0x400000;
constexpr std::uint32_t hf_inhibit_irq = 8;  // after STI and MOV SS; ends a block after one instruction
constexpr std::uint32_t tss_busy = 0x200;    // in the second word of a descriptor

constexpr std::uint32_t arithmetic_and_direction = 0xCD5, direction = 0x400, flag_vm = 0x20000, resume = 0x10000;

constexpr unsigned gpr_ids[8] = {UC_X86_REG_EAX, UC_X86_REG_ECX, UC_X86_REG_EDX, UC_X86_REG_EBX,
                                 UC_X86_REG_ESP, UC_X86_REG_EBP, UC_X86_REG_ESI, UC_X86_REG_EDI};

void check(uc_err error, const char* what) {
  if (error != UC_ERR_OK) throw Error(fmt::format("Unicorn: {}: {}", what, uc_strerror(error)));
}

QemuSegment to_qemu(const cpu::SegmentView& s) {
  const bool pages = s.limit > 0xFFFFF;
  return {s.selector, s.base, s.limit,
          std::uint32_t{s.access} << 8 | std::uint32_t{s.big} << 22 | std::uint32_t{pages} << 23 |
              (s.limit & (pages ? 0xF0000000u : 0xF0000u)) >> (pages ? 12 : 0)};
}

cpu::SegmentView from_qemu(const QemuSegment& s) {
  return {static_cast<std::uint16_t>(s.selector), static_cast<std::uint32_t>(s.base), s.limit,
          static_cast<std::uint8_t>(s.flags >> 8), (s.flags & 1u << 22) != 0};
}

std::uint32_t hidden_flags(const cpu::Registers& r) {
  const bool protected_mode = r.cr0 & 1, v86 = protected_mode && (r.eflags & flag_vm);
  std::uint32_t h = r.cpl | std::uint32_t{r.segment[1].big} << hf_cs32 | std::uint32_t{r.segment[2].big} << hf_ss32 |
                    std::uint32_t{protected_mode} << hf_pe | (r.cr0 >> 1 & 7) << hf_mp;
  // Segment bases are added unless all are zero in 32-bit code (helper cpu_x86_load_seg_cache).
  const bool add =
      !protected_mode || v86 || !r.segment[1].big || r.segment[3].base || r.segment[0].base || r.segment[2].base;
  h |= std::uint32_t{add} << hf_addseg;
  return h | (r.eflags & 0x67100u);  // TF, IOPL, VM, AC: "must be same as eflags"
}

}  // namespace

struct UnicornCpu::Private {
  uc_engine* engine = nullptr;
  uc_context* context = nullptr;
  ExternalBus* bus = nullptr;
  std::byte* state_at = nullptr;  ///< in `context`
  std::ptrdiff_t exception_at = 0;
  StepResult result;
  std::vector<Store> stores;
  std::function<bool(std::uint32_t)> boundary;  ///< passed to run()
  unsigned started = 0;                         ///< instructions begun by step()
  struct Device {
    Private* p;
    std::uint32_t base;
  };
  std::vector<std::unique_ptr<Device>> devices;
  std::uint32_t cr0 = 0, cr3 = 0, cr4 = 0;  ///< as of the last TLB flush
  std::uint32_t cr0_known = 0xFFFFFFFFu;    ///< without bits that a 386 always reads as ones: here they are a 486's

  ~Private() {
    if (context) uc_context_free(context);
    if (engine) uc_close(engine);
  }

  void save() { uc_context_save(engine, context); }
  void restore() { uc_context_restore(engine, context); }
  QemuState state() const {
    QemuState s;
    std::memcpy(&s, state_at, sizeof s);
    return s;
  }
  void put(const QemuState& s) { std::memcpy(state_at, &s, sizeof s); }
  QemuException exception() const {
    QemuException e;
    std::memcpy(&e, state_at + exception_at, sizeof e);
    return e;
  }

  /// The state at the start of an instruction: EIP, the selector of CS, and CR2.
  struct Place {
    std::uint32_t eip = 0, cs = 0, cr2 = 0;
  };

  void find_layout();
  Place place() const;
  uc_err one_instruction(const Place& before);
  void forget_fault(const Place& before, bool alone);
  StepResult finish(uc_err error);
  bool wide_addresses(std::uint32_t eip);

  // ---- hooks: called on our own thread, with `this` as user pointer ----
  static void on_interrupt(uc_engine* engine, std::uint32_t vector, void* self) {
    auto& p = *static_cast<Private*>(self);
    p.result.kind = StepResult::Kind::exception;
    p.result.vector = static_cast<std::uint8_t>(vector);
    uc_emu_stop(engine);
  }
  static void on_instruction(uc_engine* engine, std::uint64_t address, std::uint32_t, void* self) {
    auto& p = *static_cast<Private*>(self);
    if (p.boundary ? !p.boundary(static_cast<std::uint32_t>(address)) : p.started++ > 0) uc_emu_stop(engine);
  }
  static bool on_invalid(uc_engine*, void* self) {
    auto& p = *static_cast<Private*>(self);
    p.result.kind = StepResult::Kind::exception;
    p.result.vector = 6;
    return false;
  }
  static void on_store(uc_engine*, uc_mem_type, std::uint64_t address, int bytes, std::int64_t, void* self) {
    auto& p = *static_cast<Private*>(self);
    Store store{static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes), {}};
    uc_mem_read(p.engine, address, store.before.data(), std::min<std::size_t>(store.before.size(), store.bytes));
    p.stores.push_back(store);
  }
  static bool on_unmapped(uc_engine*, uc_mem_type, std::uint64_t address, int, std::int64_t, void* self) {
    auto& p = *static_cast<Private*>(self);
    p.result.kind = StepResult::Kind::unmapped;
    p.result.address = static_cast<std::uint32_t>(address);
    return false;
  }
  static std::uint32_t on_in(uc_engine*, std::uint32_t port, int bytes, void* self) {
    const auto& p = *static_cast<Private*>(self);
    if (!p.bus) return 0xFFFFFFFFu;
    return p.bus->port_read(static_cast<std::uint16_t>(port), static_cast<unsigned>(bytes));
  }
  static void on_out(uc_engine*, std::uint32_t port, int bytes, std::uint32_t value, void* self) {
    const auto& p = *static_cast<Private*>(self);
    if (p.bus) p.bus->port_write(static_cast<std::uint16_t>(port), static_cast<unsigned>(bytes), value);
  }
};

// Finds the offsets by writing values through the interface.
void UnicornCpu::Private::find_layout() {
  const auto unknown = [] {
    unsigned major = 0, minor = 0;
    const unsigned version = uc_version(&major, &minor);
    return Error(
        fmt::format("Unicorn {}.{} (version word {:08X}) has an unknown register layout; "
                    "configure with the pinned version (core/lockstep/unicorn.txt)",
                    major, minor, version));
  };
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint32_t v = 0xA5B60001u + i * 0x01010000u;
    uc_reg_write(engine, static_cast<int>(gpr_ids[i]), &v);
  }
  const std::uint64_t debug[4] = {0x13579BD1, 0x2468ACE2, 0x5A5A1233, 0x6B6B3454};
  for (int i = 0; i < 4; ++i) uc_reg_write(engine, UC_X86_REG_DR0 + i, &debug[i]);
  uc_x86_mmr gdt{0, 0x12345678, 0x1237, 0}, ldt{0x48, 0x23456789, 0x2347, 0x8200};
  uc_reg_write(engine, UC_X86_REG_GDTR, &gdt);
  uc_reg_write(engine, UC_X86_REG_LDTR, &ldt);
  const std::uint16_t fpu_status = 0x2805, fpu_control = 0x0C7F;
  uc_reg_write(engine, UC_X86_REG_FPSW, &fpu_status);
  uc_reg_write(engine, UC_X86_REG_FPCW, &fpu_control);
  const std::uint64_t cr2 = 0x789A0000;
  uc_reg_write(engine, UC_X86_REG_CR2, &cr2);
  const std::uint32_t flags = 0x00003C57;
  uc_reg_write(engine, UC_X86_REG_EFLAGS, &flags);
  save();

  const auto* const bytes = reinterpret_cast<const std::byte*>(context);
  const std::size_t size = uc_context_size(engine);
  std::uint64_t gpr[8];
  for (unsigned i = 0; i < 8; ++i) gpr[i] = 0xA5B60001u + i * 0x01010000u;
  std::size_t at = 0;
  while (at + sizeof gpr <= size && std::memcmp(bytes + at, gpr, sizeof gpr) != 0) at += 8;
  if (at + sizeof(QemuState) > size) throw unknown();
  state_at = reinterpret_cast<std::byte*>(context) + at;
  std::size_t dr = at + sizeof(QemuState);
  while (dr + sizeof debug <= size && std::memcmp(bytes + dr, debug, sizeof debug) != 0) dr += 8;
  if (dr + sizeof(QemuException) - offsetof(QemuException, dr) > size) throw unknown();
  exception_at = static_cast<std::ptrdiff_t>(dr - offsetof(QemuException, dr) - at);
  const QemuState s = state();
  const bool known = s.gdt.base == gdt.base && s.gdt.limit == gdt.limit && s.ldt.selector == ldt.selector &&
                     s.ldt.base == ldt.base && s.ldt.limit == ldt.limit && s.cr[2] == cr2 && s.cc_op == cc_op_eflags &&
                     s.cc_src == (flags & 0x8D5) && s.df == -1 && (s.eflags & 0x3000) == 0x3000 &&
                     s.fpuc == fpu_control && s.fpstt == 5 && (s.fpus & 0x4705) == (fpu_status & 0x4705) &&
                     s.a20_mask == -1 && exception().old_exception == -1;
  if (!known) throw unknown();
}

// The address size of the instruction at EIP.
bool UnicornCpu::Private::wide_addresses(std::uint32_t eip) {
  save();
  const QemuState s = state();
  const bool wide = s.segs[1].flags & 1u << 22;
  for (std::uint32_t at = static_cast<std::uint32_t>(s.segs[1].base) + eip, n = 0; n < 15; ++at, ++n) {
    std::uint8_t b = 0;
    if (uc_vmem_read(engine, at, UC_PROT_EXEC, &b, 1) != UC_ERR_OK) break;
    switch (b) {
      case 0x67: return !wide;
      case 0x26:
      case 0x2E:
      case 0x36:
      case 0x3E:
      case 0x64:
      case 0x65:
      case 0x66:
      case 0xF0:
      case 0xF2:
      case 0xF3: break;
      default: return wide;
    }
  }
  return wide;
}

UnicornCpu::UnicornCpu(cpu::Model model, ExternalBus* bus) : p_(std::make_unique<Private>()) {
  Private& p = *p_;
  p.bus = bus;
  if (model == cpu::Model::i386sx) p.cr0_known = cpu::written_cr0(0xFFFFFFFFu, model) | cpu::cr0_et;
  // With UC_MODE_16, EIP would be relative to CS * 16; here real mode is CR0.PE = 0, as on the chip.
  check(uc_open(UC_ARCH_X86, UC_MODE_32, &p.engine), "open");
  // An empty list of exits: if it had a stop address, each start would look it up through the guest's page tables and
  // leave a page fault's CR2 and error code behind.
  check(uc_ctl_exits_enable(p.engine), "ends");
  const int cpu_model = model == cpu::Model::p6        ? UC_CPU_X86_PENTIUM2
                        : model == cpu::Model::pentium ? UC_CPU_X86_PENTIUM
                                                       : UC_CPU_X86_486;
  check(uc_ctl_set_cpu_model(p.engine, cpu_model), "model");
  // All hooks are installed before the first block is translated: later ones do not affect existing blocks.
  uc_hook hook;
  const auto add = [&](int type, auto callback, int instruction = 0) {
    check(uc_hook_add(p.engine, &hook, type, reinterpret_cast<void*>(callback), &p, 1, 0, instruction), "hook");
  };
  add(UC_HOOK_CODE, Private::on_instruction);
  add(UC_HOOK_INTR, Private::on_interrupt);
  add(UC_HOOK_INSN_INVALID, Private::on_invalid);
  add(UC_HOOK_MEM_WRITE, Private::on_store);
  add(UC_HOOK_MEM_UNMAPPED, Private::on_unmapped);
  add(UC_HOOK_INSN, Private::on_in, UC_X86_INS_IN);
  add(UC_HOOK_INSN, Private::on_out, UC_X86_INS_OUT);
  check(uc_context_alloc(p.engine, &p.context), "context");
  p.save();
  uc_context* const fresh = p.context;
  check(uc_context_alloc(p.engine, &p.context), "context");
  try {
    p.find_layout();
  } catch (...) {
    uc_context_free(fresh);
    throw;
  }
  uc_context_restore(p.engine, fresh);
  uc_context_free(fresh);
  p.save();
}

UnicornCpu::~UnicornCpu() = default;

void UnicornCpu::map(std::uint32_t base, std::span<std::uint8_t> memory, bool writable) {
  check(uc_mem_map_ptr(p_->engine, base, memory.size(), writable ? UC_PROT_ALL : UC_PROT_READ | UC_PROT_EXEC,
                       memory.data()),
        "map");
}

void UnicornCpu::map_device(std::uint32_t base, std::uint32_t size) {
  // The callbacks receive offsets into the range; ExternalBus uses addresses.
  using Device = Private::Device;
  p_->devices.push_back(std::make_unique<Device>(Device{p_.get(), base}));
  Device* const device = p_->devices.back().get();
  const auto read = [](uc_engine*, std::uint64_t offset, unsigned bytes, void* user) -> std::uint64_t {
    const auto& d = *static_cast<Device*>(user);
    if (!d.p->bus) return ~std::uint64_t{0};
    return d.p->bus->memory_read(d.base + static_cast<std::uint32_t>(offset), bytes);
  };
  const auto write = [](uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t value, void* user) {
    const auto& d = *static_cast<Device*>(user);
    if (d.p->bus)
      d.p->bus->memory_write(d.base + static_cast<std::uint32_t>(offset), bytes, static_cast<std::uint32_t>(value));
  };
  check(uc_mmio_map(p_->engine, base, size, read, device, write, device), "map a device");
}

void UnicornCpu::unmap(std::uint32_t base, std::uint32_t size) { check(uc_mem_unmap(p_->engine, base, size), "unmap"); }

void UnicornCpu::set_registers(const cpu::Registers& r) {
  Private& p = *p_;
  p.save();
  QemuState s = p.state();
  for (unsigned i = 0; i < 8; ++i) s.regs[i] = r.gpr[i];
  s.eip = r.eip;
  s.eflags = (r.eflags & ~resume) | 2;  // QEMU loads the arithmetic flags from here when it enters its loop
  s.cc_op = cc_op_eflags;
  s.cc_src = r.eflags & (arithmetic_and_direction & ~direction);
  s.cc_dst = s.cc_src2 = 0;
  s.df = r.eflags & direction ? -1 : 1;
  s.hflags = (s.hflags & hf_osfxsr) | hidden_flags(r);
  for (unsigned i = 0; i < 6; ++i) s.segs[i] = to_qemu(r.segment[i]);
  s.ldt = to_qemu(r.ldtr);
  s.tr = to_qemu(r.tr);
  s.tr.flags &= ~tss_busy;  // never set in QEMU's cache; QEMU aborts the program if it is
  s.gdt.base = r.gdtr.base;
  s.gdt.limit = r.gdtr.limit;
  s.idt.base = r.idtr.base;
  s.idt.limit = r.idtr.limit;
  s.cr[0] = r.cr0 & p.cr0_known;
  s.cr[2] = r.cr2;
  s.cr[3] = r.cr3;
  s.cr[4] = r.cr4;
  p.put(s);
  QemuException e = p.exception();
  for (unsigned i = 0; i < 8; ++i) e.dr[i] = r.dr[i];
  e.old_exception = -1;  // the caller has delivered whatever was reported
  std::memcpy(p.state_at + p.exception_at, &e, sizeof e);
  p.restore();
  if (p.cr0 != r.cr0 || p.cr3 != r.cr3 || p.cr4 != r.cr4) {
    p.cr0 = r.cr0;
    p.cr3 = r.cr3;
    p.cr4 = r.cr4;
    flush_tlb();
  }
}

cpu::Registers UnicornCpu::registers() const {
  Private& p = *p_;
  p.save();
  const QemuState s = p.state();
  const QemuException e = p.exception();
  cpu::Registers r;
  for (unsigned i = 0; i < 8; ++i) r.gpr[i] = static_cast<std::uint32_t>(s.regs[i]);
  r.eip = static_cast<std::uint32_t>(s.eip);
  uc_reg_read(p.engine, UC_X86_REG_EFLAGS, &r.eflags);
  for (unsigned i = 0; i < 6; ++i) r.segment[i] = from_qemu(s.segs[i]);
  r.ldtr = from_qemu(s.ldt);
  r.tr = from_qemu(s.tr);
  r.tr.access |= tss_busy >> 8;
  r.gdtr = {static_cast<std::uint32_t>(s.gdt.base), static_cast<std::uint16_t>(s.gdt.limit)};
  r.idtr = {static_cast<std::uint32_t>(s.idt.base), static_cast<std::uint16_t>(s.idt.limit)};
  r.cr0 = static_cast<std::uint32_t>(s.cr[0]);
  r.cr2 = static_cast<std::uint32_t>(s.cr[2]);
  r.cr3 = static_cast<std::uint32_t>(s.cr[3]);
  r.cr4 = static_cast<std::uint32_t>(s.cr[4]);
  for (unsigned i = 0; i < 8; ++i) r.dr[i] = static_cast<std::uint32_t>(e.dr[i]);
  r.cpl = s.hflags & 3;
  return r;
}

void UnicornCpu::set_fpu(const cpu::Fpu& f) {
  Private& p = *p_;
  p.save();
  QemuState s = p.state();
  s.fpstt = f.top();
  s.fpus = static_cast<std::uint16_t>(f.status & ~0x3800u);
  for (unsigned i = 0; i < 8; ++i) {
    s.fpregs[i] = {f.registers[i].mantissa, f.registers[i].exponent};
    s.fptags[i] = (f.tags >> (2 * i) & 3) == 3;
  }
  s.fpop = f.opcode;
  s.fpip = f.instruction_offset;
  s.fpcs = f.instruction_selector;
  s.fpdp = f.operand_offset;
  s.fpds = f.operand_selector;
  p.put(s);
  p.restore();
  uc_reg_write(p.engine, UC_X86_REG_FPCW, &f.control);  // also sets the rounding mode of QEMU's arithmetic
}

cpu::Fpu UnicornCpu::fpu() const {
  Private& p = *p_;
  p.save();
  const QemuState s = p.state();
  cpu::Fpu f;
  f.control = s.fpuc;
  f.status = static_cast<std::uint16_t>((s.fpus & ~0x3800u) | (s.fpstt & 7) << 11);
  f.tags = 0;
  for (unsigned i = 0; i < 8; ++i) {
    f.registers[i] = {s.fpregs[i].mantissa, s.fpregs[i].exponent};
    if (s.fptags[i]) f.tags |= static_cast<std::uint16_t>(3u << (2 * i));
  }
  f.opcode = s.fpop;
  f.instruction_offset = static_cast<std::uint32_t>(s.fpip);
  f.instruction_selector = s.fpcs;
  f.operand_offset = static_cast<std::uint32_t>(s.fpdp);
  f.operand_selector = s.fpds;
  return f;
}

UnicornCpu::Core UnicornCpu::core() const {
  static constexpr int ids[10] = {UC_X86_REG_EAX, UC_X86_REG_ECX, UC_X86_REG_EDX, UC_X86_REG_EBX, UC_X86_REG_ESP,
                                  UC_X86_REG_EBP, UC_X86_REG_ESI, UC_X86_REG_EDI, UC_X86_REG_EIP, UC_X86_REG_EFLAGS};
  Core c;
  void* values[10] = {&c.gpr[0], &c.gpr[1], &c.gpr[2], &c.gpr[3], &c.gpr[4],
                      &c.gpr[5], &c.gpr[6], &c.gpr[7], &c.eip,    &c.eflags};
  uc_reg_read_batch(p_->engine, const_cast<int*>(ids), values, 10);
  return c;
}

void UnicornCpu::set_core(const Core& c) {
  for (unsigned i = 0; i < 8; ++i) uc_reg_write(p_->engine, static_cast<int>(gpr_ids[i]), &c.gpr[i]);
  uc_reg_write(p_->engine, UC_X86_REG_EIP, &c.eip);
  uc_reg_write(p_->engine, UC_X86_REG_EFLAGS, &c.eflags);
}

// Determines what ended the engine's loop.
StepResult UnicornCpu::Private::finish(uc_err error) {
  if (result.kind == StepResult::Kind::exception) {
    save();
    const QemuException e = exception();
    const std::uint8_t v = result.vector;
    result.software = e.exception_is_int != 0 && v != 6;
    if (v == 8 || (v >= 10 && v <= 14) || v == 17) result.error = static_cast<std::uint16_t>(e.error_code);
    if (result.software) result.error = 0;
  } else if (error != UC_ERR_OK) {
    result.kind = StepResult::Kind::unmapped;
  }
  return result;
}

UnicornCpu::Private::Place UnicornCpu::Private::place() const {
  static constexpr int ids[3] = {UC_X86_REG_EIP, UC_X86_REG_CS, UC_X86_REG_CR2};
  Place at;
  std::uint64_t cr2 = 0;
  void* values[3] = {&at.eip, &at.cs, &cr2};
  uc_reg_read_batch(engine, const_cast<int*>(ids), values, 3);
  at.cr2 = static_cast<std::uint32_t>(cr2);
  return at;
}

// Removes all traces of the page fault that ended the last run and, if `alone`, makes the engine translate one
// instruction instead of a block.
void UnicornCpu::Private::forget_fault(const Place& before, bool alone) {
  save();
  QemuState s = state();
  s.cr[2] = before.cr2;
  if (alone) s.hflags |= hf_inhibit_irq;
  put(s);
  QemuException e = exception();
  e.old_exception = -1;  // otherwise the next page fault would become a double fault
  std::memcpy(state_at + exception_at, &e, sizeof e);
  restore();
  result = {};
}

// Runs from `before` until the second instruction is reached. The engine looks ahead twice: it translates a block, up
// to a page long, before it executes the first instruction, and fetches the next block before it stops. If a page there
// is not present or belongs to a device, that is not this instruction's fault.
uc_err UnicornCpu::Private::one_instruction(const Place& before) {
  const auto page_fault = [this] {
    if (result.kind != StepResult::Kind::exception || result.vector != 14) return false;
    save();
    return exception().exception_is_int == 0;  // not INT 14
  };
  started = 0;
  uc_err error = uc_emu_start(engine, before.eip, 0, 0, 0);
  if (started == 0 && page_fault()) {  // during translation: this instruction, or a later one in its block
    forget_fault(before, true);
    error = uc_emu_start(engine, before.eip, 0, 0, 0);
  }
  const bool stopped =
      result.kind != StepResult::Kind::exception && error != UC_ERR_OK;  // there is no memory, or a device
  if (started == 0 || !(page_fault() || stopped)) return error;
  const Place now = place();
  if (now.eip == before.eip && now.cs == before.cs) return error;  // a fault of its own leaves both unchanged
  if (result.kind == StepResult::Kind::exception) forget_fault(before, false);
  result = {};
  return UC_ERR_OK;
}

StepResult UnicornCpu::step() {
  Private& p = *p_;
  p.result = {};
  p.stores.clear();
  std::uint32_t count = 0, eip_after = 0, count_after = 0;
  const Private::Place before = p.place();
  uc_reg_read(p.engine, UC_X86_REG_ECX, &count);
  uc_err error = p.one_instruction(before);
  uc_reg_read(p.engine, UC_X86_REG_EIP, &eip_after);
  if (eip_after == before.eip && error == UC_ERR_OK && p.result.kind == StepResult::Kind::done) {
    uc_reg_read(p.engine, UC_X86_REG_ECX, &count_after);
    // The last iteration of a REP: Unicorn tests the count before each one.
    if (count_after == count - 1 && (count_after & 0xFFFF) == 0 && (count_after == 0 || !p.wide_addresses(before.eip)))
      error = p.one_instruction(p.place());
  }
  return p.finish(error);
}

StepResult UnicornCpu::run(std::function<bool(std::uint32_t)> boundary) {
  Private& p = *p_;
  p.result = {};
  p.stores.clear();
  p.boundary = std::move(boundary);
  std::uint32_t eip = 0;
  uc_reg_read(p.engine, UC_X86_REG_EIP, &eip);
  const uc_err error = uc_emu_start(p.engine, eip, 0, 0, 0);
  p.boundary = nullptr;
  return p.finish(error);
}

std::span<const Store> UnicornCpu::stores() const { return p_->stores; }

void UnicornCpu::clear_stores() { p_->stores.clear(); }

void UnicornCpu::invalidate_code(std::uint32_t physical, std::uint32_t bytes) {
  uc_ctl_remove_cache(p_->engine, std::uint64_t{physical}, std::uint64_t{physical} + bytes);
}

void UnicornCpu::set_a20(bool on) {
  Private& p = *p_;
  p.save();
  QemuState s = p.state();
  s.a20_mask = on ? -1 : ~(1 << 20);
  p.put(s);
  p.restore();
  flush_tlb();
}

void UnicornCpu::flush_code() { uc_ctl_flush_tb(p_->engine); }

void UnicornCpu::flush_tlb() { uc_ctl_flush_tlb(p_->engine); }

}  // namespace planar::lockstep
