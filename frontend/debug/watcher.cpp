// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/debug/watcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bus/pci/config_text.hpp"
#include "bus/pci/segment.hpp"

namespace planar {

namespace {

constexpr unsigned poll_interval = 8192;  // instructions
constexpr std::uint32_t page_bytes = 4096;

bool overlap(std::uint32_t first, std::uint32_t last, std::uint32_t at, std::uint32_t bytes) {
  return at <= last && std::uint64_t{at} + bytes > first;
}

/// The lowest address in the breakpoint's range that an access of `bytes` at physical address `at` touches, according
/// to the current page tables.
std::optional<std::uint32_t> touched(const cpu::Cpu& cpu, const Breakpoint& b, std::uint32_t at, std::uint32_t bytes) {
  if (b.physical) {
    if (!overlap(b.first, b.last, at, bytes)) return {};
    return std::max(b.first, at);
  }
  for (std::uint64_t linear = b.first; linear <= b.last;) {
    const std::uint64_t page_end = (linear | (page_bytes - 1)) + 1, end = std::min(page_end, std::uint64_t{b.last} + 1);
    const auto length = static_cast<std::uint32_t>(end - linear), offset = static_cast<std::uint32_t>(linear);
    // Most accesses are at other page offsets and need no page table lookup. An access may cross into the next page.
    const std::uint32_t in_page = at & (page_bytes - 1), here = offset & (page_bytes - 1);
    if (overlap(here, here + length - 1, in_page, bytes) || in_page + bytes > page_bytes || bytes >= page_bytes)
      if (const auto physical = cpu.translate(offset);
          physical && overlap(*physical, *physical + length - 1, at, bytes))
        return offset + (at > *physical ? at - *physical : 0);
    linear = end;
  }
  return {};
}

}  // namespace

Watcher::Watcher(Machine& machine, std::size_t number, const std::vector<Breakpoint>& breakpoints, Calls calls)
    : machine_(machine), number_(number), breakpoints_(breakpoints), calls_(std::move(calls)) {}

Watcher::~Watcher() { attach(false); }

void Watcher::attach(bool on) {
  if (on == attached_) return;
  attached_ = on;
  until_poll_ = poll_interval;
  for (pci::Segment* const segment : pci::segments_of(machine_.board().buses())) {
    pci::Segment::ConfigWatcher watcher;
    if (on)
      watcher = [this, segment](unsigned device, unsigned function, unsigned reg, unsigned bytes, std::uint32_t value) {
        configured(segment->bus_number(), device, function, reg, bytes, value);
      };
    segment->watch_config(std::move(watcher));
  }
  if (on)
    machine_.cpu().add_observer(*this);
  else
    machine_.cpu().remove_observer(*this);
}

void Watcher::arrive_at(std::optional<Position> position, std::size_t count) {
  target_ = position;
  passed_.clear();
  to_keep_ = count;
  asleep_ = machine_.cpu().asleep();  // since when is unknown, so this is not a boundary
}

void Watcher::pass_boundary() {
  // How a sleep is divided, by events and by observers of the run, differs from one repetition to the next.
  if (const bool slept = std::exchange(asleep_, machine_.cpu().asleep()); slept || to_keep_ == 0) return;
  passed_.push_back(before_instruction_);
  if (passed_.size() > to_keep_) passed_.pop_front();
}

void Watcher::before_step() {
  if (--until_poll_ == 0) {
    until_poll_ = poll_interval;
    calls_.poll();
  }
  before_instruction_ = position();
  if (target_) {
    if (before_instruction_ >= *target_)
      calls_.arrived();
    else
      pass_boundary();
  }
  if (leave_ && *leave_ == before_instruction_) return;
  leave_.reset();
  const std::uint32_t at = machine_.cpu().instruction_address();
  for (const Breakpoint& b : breakpoints_)
    if (is(b, BreakKind::execute) && at >= b.first && at <= b.last)
      return calls_.hit(b, at, false, fmt::format("at {:08X}h", at));
}

void Watcher::delivering(std::uint8_t vector, cpu::InterruptSource source, bool has_error, std::uint16_t error) {
  const char* const what = source == cpu::InterruptSource::external   ? "interrupt"
                           : source == cpu::InterruptSource::software ? "software interrupt"
                                                                      : "exception";
  for (const Breakpoint& b : breakpoints_)
    if (is(b, BreakKind::interrupt) && vector >= b.first && vector <= b.last)
      calls_.hit(b, vector, false,
                 fmt::format("{} {:02X}h is delivered{}", what, vector,
                             has_error ? fmt::format(", error code {:04X}h", error) : ""));
}

void Watcher::memory(std::uint32_t physical, std::uint32_t bytes, bool write, const std::string& how) {
  for (const Breakpoint& b : breakpoints_) {
    if (!is(b, BreakKind::memory) || !(write ? b.writes : b.reads)) continue;
    if (const auto at = touched(machine_.cpu(), b, physical, bytes))
      calls_.hit(b, *at, write, fmt::format("{:08X}h is {}", *at, how));
  }
}

void Watcher::device_read(std::uint32_t address, unsigned bytes, std::uint32_t value, bool fetch) {
  if (fetch) return;
  memory(address, bytes, false, fmt::format("read, {:0{}X}h", value, 2 * bytes));
  if (const auto* range = machine_.memory().find(address))
    decoded(range->subject, address - range->base, bytes, value, false);
}
void Watcher::device_written(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  memory(address, bytes, true, fmt::format("written, {:0{}X}h", value, 2 * bytes));
  if (const auto* range = machine_.memory().find(address))
    decoded(range->subject, address - range->base, bytes, value, true);
}
void Watcher::others_wrote(std::uint32_t address, std::uint32_t bytes) {
  memory(address, bytes, true, "written by DMA or a bus master");
}
void Watcher::others_read(std::uint32_t address, std::uint32_t bytes) {
  memory(address, bytes, false, "read by DMA or a bus master");
}

void Watcher::io(std::uint16_t port, unsigned bytes, std::uint32_t value, bool write) {
  for (const Breakpoint& b : breakpoints_) {
    if (is(b, BreakKind::pos) && write) pos_written(b, port, value);
    if (!is(b, BreakKind::port) || !(write ? b.writes : b.reads) || !overlap(b.first, b.last, port, bytes)) continue;
    calls_.hit(b, port, write,
               fmt::format("port {:04X}h: {:0{}X}h is {}", port, value, 2 * bytes, write ? "written" : "read"));
  }
  if (const auto* range = machine_.io().find(port))
    decoded(range->subject, static_cast<std::uint32_t>(port - range->first), bytes, value, write);
}

void Watcher::decoded(const TraceSubject* subject, std::uint32_t offset, unsigned bytes, std::uint32_t value,
                      bool write) {
  for (const Breakpoint& b : breakpoints_) {
    if (!is(b, BreakKind::decoded) || !subject || !subject->device.starts_with(fmt::format("slot{}.", b.first)) ||
        (b.offset && !overlap(*b.offset, *b.offset, offset, bytes)))
      continue;
    calls_.hit(b, offset, write,
               fmt::format("{}, register {:02X}h: {:0{}X}h is {}", subject->device, offset, value, 2 * bytes,
                           write ? "written" : "read"));
  }
}

void Watcher::configured(unsigned bus, unsigned device, unsigned function, unsigned reg, unsigned bytes,
                         std::uint32_t value) {
  const std::uint32_t at = bus << 8 | device << 3 | function;
  for (const Breakpoint& b : breakpoints_) {
    if (!is(b, BreakKind::config) || at < b.first || at > b.last) continue;
    const auto name = pci::header_register(reg);
    calls_.hit(b, reg, true,
               fmt::format("configuration {:02X}h{}{} of {:02X}:{:02X}.{}: {:0{}X}h is written", reg,
                           name.empty() ? "" : " ", name, bus, device, function, value, 2 * bytes));
  }
}

// The setup register selects whose POS registers respond (bus/mca/pos.hpp).
void Watcher::pos_written(const Breakpoint& b, std::uint16_t port, std::uint32_t value) {
  constexpr std::uint16_t first_pos = 0x100, last_pos = 0x107, adapter_setup = 0x96;
  if (port < first_pos || port > last_pos) return;
  const std::uint8_t setup = machine_.peek_port(adapter_setup);
  const unsigned slot = setup & 8 ? (setup & 7u) + 1 : 0;
  if (b.first != 0 && slot != b.first) return;
  calls_.hit(b, port, true,
             fmt::format("POS {} of {}: {:02X}h is written", port - first_pos,
                         slot ? fmt::format("slot {}", slot) : "the planar", value & 0xFF));
}

}  // namespace planar
