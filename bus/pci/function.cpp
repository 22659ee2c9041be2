// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/pci/function.hpp"

#include <fmt/format.h>

#include <bit>

#include "bus/pci/config_text.hpp"
#include "bus/pci/master.hpp"
#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"

namespace planar::pci {

namespace {
constexpr unsigned bar_limit = 6;
constexpr std::uint32_t io_bar = 1, prefetchable_bar = 8;
constexpr std::uint32_t fixed_bits(Bar::Kind kind) { return kind == Bar::Kind::io ? 3 : 15; }
constexpr unsigned bar_register(unsigned n) { return BAR0 + 4 * n; }
}  // namespace

Function::Function(Slot& slot, const Identity& identity) : slot_(slot), identity_(identity) {
  config_.set_default(VENDOR_ID, 2, identity.vendor);
  config_.set_default(DEVICE_ID, 2, identity.device);
  config_.set_default(STATUS, 2, DEVSEL_MEDIUM | FAST_BACK_TO_BACK | (identity.mhz_66 ? CAPABLE_66MHZ : 0));
  config_.set_default(REVISION_ID, 1, identity.revision);
  config_.set_default(CLASS_CODE, 3, identity.class_code);
  config_.set_default(HEADER_TYPE, 1, identity.multifunction ? 0x80 : 0);
  config_.set_default(SUBSYSTEM_VENDOR_ID, 2, identity.subsystem_vendor);
  config_.set_default(SUBSYSTEM_ID, 2, identity.subsystem);
  config_.set_default(INTERRUPT_PIN, 1, identity.interrupt_pin);
  config_.set_default(MIN_GNT, 1, identity.min_gnt);
  config_.set_default(MAX_LAT, 1, identity.max_lat);
  config_.set_writable(COMMAND, 2, BUS_MASTER | MEMORY_WRITE_INVALIDATE | PARITY_RESPONSE | SERR_ENABLE);
  config_.set_clearable(STATUS, 2, 0xF900);
  config_.set_writable(CACHE_LINE_SIZE, 1, 0xFF);
  config_.set_writable(LATENCY_TIMER, 1, 0xF8);  // the low three bits often read 0: eight-clock steps suffice
  config_.set_writable(INTERRUPT_LINE, 1, 0xFF);
  slot.add(*this);
  if (slot.number() && !identity.mhz_66) slot.segment().ground_m66en();  // on-board devices are designed for its clock
}

Function::~Function() { slot_.remove(*this); }

unsigned Function::number() const {
  unsigned n = 0;
  while (slot_.function(n) != this) ++n;
  return n;
}

void Function::add_bar(unsigned n, const Bar& bar) {
  const std::uint32_t least = bar.kind == Bar::Kind::io ? 4 : 16;
  if (n >= bar_limit || exists(n) || !std::has_single_bit(bar.size) || bar.size < least || !bar.slave)
    throw Error(fmt::format("a PCI function has six base addresses, of a power of two of at least {} bytes", least));
  std::uint32_t type = 0, command = MEMORY_SPACE;
  if (bar.kind == Bar::Kind::io) type = io_bar, command = IO_SPACE;
  if (bar.kind == Bar::Kind::prefetchable) type = prefetchable_bar;
  config_.set_default(bar_register(n), 4, type);
  config_.set_writable(bar_register(n), 4, ~(bar.size - 1) & ~fixed_bits(bar.kind));
  config_.set_writable(COMMAND, 2, config_.writable(COMMAND, 2) | command);
  if (n >= bars_.size()) {
    bars_.resize(n + 1);
    io_claims_.resize(n + 1);
    memory_claims_.resize(n + 1);
  }
  bars_[n] = bar;
}

void Function::add(const PowerManagement& capability) {
  constexpr std::uint8_t power_management_id = 0x01;
  const unsigned control = capability.at + 4;
  config_.set_default(STATUS, 2, config_.read(STATUS, 2) | CAPABILITIES_LIST);
  config_.set_default(CAPABILITIES, 1, capability.at);
  config_.set_default(capability.at, 2, power_management_id);  // and no next capability
  config_.set_default(capability.at + 2, 2, capability.pmc);
  config_.set_default(control, 2, capability.pmcsr);
  config_.set_default(control + 3, 1, capability.data);
  config_.set_writable(control, 2, capability.writable);
}

std::uint32_t Function::base(unsigned n) const {
  return exists(n) ? config_.read(bar_register(n), 4) & ~fixed_bits(bars_[n].kind) : 0;
}

bool Function::decodes(unsigned n) const {
  if (base(n) == 0) return false;
  if (bars_[n].kind != Bar::Kind::io) return enabled(MEMORY_SPACE);
  return enabled(IO_SPACE) && base(n) <= 0x10000 - bars_[n].size;  // the bridge has only 64 KB of ports
}

void Function::decode() {
  for (unsigned n = 0; n < bars_.size(); ++n) {
    const Bar& bar = bars_[n];
    io_claims_[n].release();
    memory_claims_[n].release();
    if (!decodes(n)) continue;
    if (bar.kind == Bar::Kind::io)
      io_claims_[n] = slot_.claim_io(static_cast<std::uint16_t>(base(n)),
                                     static_cast<std::uint16_t>(base(n) + bar.size - 1), *bar.slave, bar.cycle);
    else if (slot_.memory().page(base(n)).kind != PageKind::ram)  // addresses below the top of memory never reach PCI
      memory_claims_[n] = slot_.claim_memory(base(n), bar.size, *bar.slave, bar.cycle);
  }
}

std::uint32_t Function::config_read(unsigned reg, unsigned bytes, Time) { return config_.read(reg, bytes); }

void Function::config_write(unsigned reg, unsigned bytes, std::uint32_t value, Time now) {
  if (!config_.write(reg, bytes, value)) return;
  if (reg + bytes > COMMAND && reg < bar_register(bar_limit)) decode();
  for (Master* m : masters_) m->command_written(now);
  config_changed(reg, bytes, now);
}

void Function::bus_reset(Time now) {
  config_.reset();
  for (Master* m : masters_) m->command_written(now);
  decode();
  set_interrupt(false, now);
}

void Function::set_interrupt(bool asserted, Time now) {
  if (interrupt_ == asserted || identity_.interrupt_pin == 0) return;
  interrupt_ = asserted;
  slot_.set_interrupt(identity_.interrupt_pin, asserted, now);
}

void Function::describe_header(Description& d) const {
  d.reg("vendor", config_.read(VENDOR_ID, 2), 16).reg("device", config_.read(DEVICE_ID, 2), 16);
  const unsigned command = config_.read(COMMAND, 2), status = config_.read(STATUS, 2);
  d.reg("COMMAND", command, 16).text("COMMAND bits", command_text(command));
  d.reg("STATUS", status, 16).text("STATUS bits", status_text(status));
  d.reg("LATENCY_TIMER", config_.read(LATENCY_TIMER, 1), 8);
  d.reg("CACHE_LINE_SIZE", config_.read(CACHE_LINE_SIZE, 1), 8);
  for (unsigned n = 0; n < bars_.size(); ++n)
    if (exists(n))
      d.reg(fmt::format("BAR{}", n), config_.read(bar_register(n), 4), 32)
          .flag(fmt::format("BAR{} decodes", n), decodes(n));
  d.number("INTERRUPT_LINE", config_.read(INTERRUPT_LINE, 1)).flag("interrupt pin", interrupt_);
}

void Function::archive_function(Archive& a) {
  a(config_, interrupt_);
  if (a.loading()) decode();
}

}  // namespace planar::pci
