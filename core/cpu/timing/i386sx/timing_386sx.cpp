// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/i386sx/timing_386sx.hpp"

#include <algorithm>

#include "core/cpu/timing/common/instruction_table.hpp"
#include "core/cpu/timing/common/static_clocks.hpp"

namespace planar::cpu {
namespace {

constexpr std::uint64_t refill_decode = 3;  // see timing_386sx.hpp (P: model56sx 386SX refill_decode)
constexpr std::uint64_t refill_lead = 4;    // a taken branch's fetch starts this long before its table clocks end

std::uint64_t back(std::uint64_t clock, std::uint64_t by) { return clock > by ? clock - by : 0; }

/// The manual's m: prefixes, opcode bytes, ModRM, SIB, displacement and immediate count one each.
unsigned components(const Op& op) {
  const bool sib = op.has_memory && op.address32 && (op.modrm & 7) == 4;
  return op.prefixes + (op.opcode >= 0x0F00 ? 2u : 1u) + op.has_modrm + sib + op.has_displacement + op.has_immediate;
}

}  // namespace

Timing386sx::Timing386sx(const TimingConfig& config)
    : ProcessorTiming(config), path_(config), fetch_mask_(~(config.prefetch_request - 1u)) {}

void Timing386sx::set_static_clocks(Op& op) const {
  const StaticForm form = static_form(op, Model::i386sx);
  unsigned clocks = form.clocks(form.row->i386);
  if (op.has_memory && op.index < no_register && op.base < no_register) clocks += 1;
  op.clocks = static_cast<std::uint16_t>(clocks);
  op.i386sx = {.tail = static_cast<std::uint16_t>(clocks > 4 ? clocks - 4 : 0),
               .refill = static_cast<std::uint8_t>(components(op))};
}

void Timing386sx::prefetch_in_new_row(std::uint64_t until) {
  const std::uint32_t full = (bus_.fetch_eip & fetch_mask_) + queue_bytes;
  path_.fetch(bus_.fetch_from, std::max(until, fetch_put_off_), bus_.fetch_next, bus_.fetch_next, full);
}

inline void Timing386sx::begin_refilled(const Op& op, std::uint32_t eip) {
  jump_to(path_.bus_free() + refill_decode);
  clock_ += op.i386sx.refill;
  supplied(eip & fetch_mask_);
  issue(op, eip + op.length);
}

void Timing386sx::begin_in_new_row(const Op& op) {
  const std::uint32_t end = bus_.fetch_eip + op.length, line = bus_.fetch_eip & fetch_mask_;
  if (path_.fetch(bus_.fetch_from, clock_, bus_.fetch_next, requested_to(end), line + queue_bytes)) starve();
  supplied(line);
  issue(op, end);
}

void Timing386sx::begin_afresh(const Op& op, std::uint32_t eip) {
  if (!bus_.refill) {  // sequential code continues in another page frame
    prefetch(0);
    bus_.fetch_next += eip - bus_.fetch_eip;
    bus_.fetch_eip = eip;
    path_.fetch_from(bus_.fetch_next);
    return begin_in_new_row(op);
  }
  bus_.refill = false;
  const std::uint32_t needed = requested_to(eip + op.length);
  if (!path_.fetch_at_once(fetch_at(), eip & ~1u, needed)) [[unlikely]]
    return refill_one_by_one(op, eip, needed);
  bus_.fetch_next = needed;
  begin_refilled(op, eip);
}

void Timing386sx::refill_one_by_one(const Op& op, std::uint32_t eip, std::uint32_t needed) {
  bus_.fetch_next = eip & ~1u;
  path_.fetch_from(bus_.fetch_next);
  path_.fetch(bus_.fetch_from, 0, bus_.fetch_next, needed, bus_.fetch_next);
  begin_refilled(op, eip);
}

void Timing386sx::read(std::uint32_t address, unsigned bytes) {
  const std::uint64_t wanted = overlap_.read_wanted(clock_);
  prefetch(wanted);
  path_.access(wanted, address & ~1u, (address + bytes + 1) & ~1u, false);
  clock_ = overlap_.read_ended(clock_, path_.bus_free());
}

template <unsigned bytes>
void Timing386sx::read_words(std::uint32_t address) {
  if (!DataCycles<Timing386sx>::read(*this, address, bytes)) [[unlikely]]
    read(address, bytes);
}

void Timing386sx::write(std::uint32_t address, unsigned bytes) {
  clock_ = bus_.latch.free_at(clock_);
  prefetch(clock_);
  bus_.latch.starts = std::max(clock_, path_.bus_free());
  path_.access(bus_.latch.starts, address & ~1u, (address + bytes + 1) & ~1u, true);
}

template <unsigned bytes>
void Timing386sx::write_words(std::uint32_t address) {
  if (!DataCycles<Timing386sx>::write(*this, address, bytes)) [[unlikely]]
    write(address, bytes);
}

template void Timing386sx::read_words<1>(std::uint32_t);
template void Timing386sx::read_words<4>(std::uint32_t);
template void Timing386sx::write_words<1>(std::uint32_t);
template void Timing386sx::write_words<4>(std::uint32_t);

void Timing386sx::branch(const Op& op, bool taken, std::uint32_t) {
  if (!taken) return;
  switch (op.branch) {
    case BranchKind::conditional:
    case BranchKind::jcxz: clock_ += 4; break;  // 7+m against 3, 9+m against 5
    default: break;
  }
  interrupt_flush();
}

std::uint64_t Timing386sx::cycle_start(bool io) {
  const std::uint64_t wanted = cycle_wanted(clock_, io);
  pins_.begin(wanted);
  prefetch(wanted);
  return std::max(wanted, path_.bus_free());
}

void Timing386sx::steal(std::uint64_t from, unsigned clocks) {
  prefetch(from);
  path_.steal(from, clocks);
}

void Timing386sx::interrupt_flush() {
  const std::uint64_t from = back(clock_, refill_lead);
  prefetch(from);
  bus_.refill = true;
  bus_.fetch_from = from;
}

void Timing386sx::archive(Archive& a) {
  if (!a.loading()) prefetch(0);
  fetch_put_off_ = 0;
  archive_clock(a);
  path_.archive(a);
  a(overlap_.tail, overlap_.credit);
  bus_.archive(a);
  check_loaded(a, std::max({path_.bus_free(), clock_ + overlap_.tail, bus_.fetch_from, bus_.latch.starts}));
}

}  // namespace planar::cpu
