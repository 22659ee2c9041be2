// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/pci/config_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bus/pci/function.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"

namespace planar::pci {

namespace {

struct HeaderRegister {
  std::uint8_t reg, bytes;
  std::string_view name;
};
constexpr std::array<HeaderRegister, 25> header{{
    {VENDOR_ID, 2, "VENDOR_ID"},
    {DEVICE_ID, 2, "DEVICE_ID"},
    {COMMAND, 2, "COMMAND"},
    {STATUS, 2, "STATUS"},
    {REVISION_ID, 1, "REVISION_ID"},
    {CLASS_CODE, 3, "CLASS_CODE"},
    {CACHE_LINE_SIZE, 1, "CACHE_LINE_SIZE"},
    {LATENCY_TIMER, 1, "LATENCY_TIMER"},
    {HEADER_TYPE, 1, "HEADER_TYPE"},
    {BIST, 1, "BIST"},
    {BAR0, 4, "BAR0"},
    {BAR0 + 4, 4, "BAR1"},
    {BAR0 + 8, 4, "BAR2"},
    {BAR0 + 12, 4, "BAR3"},
    {BAR0 + 16, 4, "BAR4"},
    {BAR0 + 20, 4, "BAR5"},
    {0x28, 4, "CARDBUS_CIS"},
    {SUBSYSTEM_VENDOR_ID, 2, "SUBSYSTEM_VENDOR_ID"},
    {SUBSYSTEM_ID, 2, "SUBSYSTEM_ID"},
    {EXPANSION_ROM, 4, "EXPANSION_ROM"},
    {CAPABILITIES, 1, "CAPABILITIES"},
    {INTERRUPT_LINE, 1, "INTERRUPT_LINE"},
    {INTERRUPT_PIN, 1, "INTERRUPT_PIN"},
    {MIN_GNT, 1, "MIN_GNT"},
    {MAX_LAT, 1, "MAX_LAT"},
}};

using Bit = std::pair<unsigned, std::string_view>;
constexpr Bit command_bits[] = {{0x0001, "IO_SPACE"},
                                {0x0002, "MEMORY_SPACE"},
                                {0x0004, "BUS_MASTER"},
                                {0x0008, "SPECIAL_CYCLES"},
                                {0x0010, "MEMORY_WRITE_INVALIDATE"},
                                {0x0020, "VGA_PALETTE_SNOOP"},
                                {0x0040, "PARITY_RESPONSE"},
                                {0x0080, "STEPPING"},
                                {0x0100, "SERR_ENABLE"},
                                {0x0200, "FAST_BACK_TO_BACK_ENABLE"}};
constexpr Bit status_bits[] = {
    {CAPABILITIES_LIST, "CAPABILITIES_LIST"}, {0x0020, "CAPABLE_66MHZ"},         {0x0080, "FAST_BACK_TO_BACK"},
    {0x0100, "MASTER_PARITY_ERROR"},          {0x0800, "SIGNALED_TARGET_ABORT"}, {0x1000, "RECEIVED_TARGET_ABORT"},
    {0x2000, "RECEIVED_MASTER_ABORT"},        {0x4000, "SIGNALED_SYSTEM_ERROR"}, {0x8000, "DETECTED_PARITY_ERROR"}};

template <std::size_t N>
std::string bits_text(const Bit (&bits)[N], unsigned value) {
  std::string out;
  for (const auto& [bit, name] : bits)
    if (value & bit) out += fmt::format("{}{}", out.empty() ? "" : " ", name);
  return out;
}

}  // namespace

std::string_view header_register(unsigned reg) {
  const auto found =
      std::find_if(header.begin(), header.end(), [=](const auto& r) { return reg >= r.reg && reg < r.reg + r.bytes; });
  return found == header.end() ? std::string_view{} : found->name;
}

std::string command_text(unsigned command) { return bits_text(command_bits, command); }

std::string status_text(unsigned status) {
  static constexpr const char* timing[] = {"fast", "medium", "slow", "reserved"};
  const auto bits = bits_text(status_bits, status);
  return fmt::format("DEVSEL {}{}{}", timing[status >> 9 & 3], bits.empty() ? "" : " ", bits);
}

std::string class_text(std::uint32_t class_code) {
  static constexpr std::pair<std::uint32_t, std::string_view> classes[] = {
      {0x0101, "IDE interface"}, {0x0200, "Ethernet controller"}, {0x0600, "host bridge"},
      {0x0601, "ISA bridge"},    {0x0604, "PCI bridge"},          {0x0300, "VGA controller"}};
  for (const auto& [code, name] : classes)
    if (class_code >> 8 == code) return std::string(name);
  return fmt::format("class {:06X}h", class_code);
}

std::string function_title(const Function& f) {
  return fmt::format("{:02X}:{:02X}.{} {} {:04X}:{:04X} rev {:02X}", f.slot().segment().bus_number(), f.slot().device(),
                     f.number(), class_text(f.config_peek(CLASS_CODE, 3)), f.config_peek(VENDOR_ID, 2),
                     f.config_peek(DEVICE_ID, 2), f.config_peek(REVISION_ID, 1));
}

std::string bar_text(const Function& f, unsigned n) {
  const Bar& bar = f.bars()[n];
  const char* kind = bar.kind == Bar::Kind::io       ? "I/O"
                     : bar.kind == Bar::Kind::memory ? "memory"
                                                     : "prefetchable memory";
  if (f.base(n) == 0) return fmt::format("{}, {:X}h bytes, no address", kind, bar.size);
  return fmt::format("{} {:0{}X}h-{:0{}X}h{}", kind, f.base(n), bar.kind == Bar::Kind::io ? 4 : 8,
                     f.base(n) + bar.size - 1, bar.kind == Bar::Kind::io ? 4 : 8, f.decodes(n) ? "" : ", not decoded");
}

std::string interrupt_text(const Function& f) {
  const unsigned pin = f.config_peek(INTERRUPT_PIN, 1), line = f.config_peek(INTERRUPT_LINE, 1);
  if (pin == 0 || pin > 4) return {};
  return fmt::format("INT{}#, {}{}", static_cast<char>('A' + pin - 1),
                     line == 0 || line == 0xFF ? std::string("no IRQ") : fmt::format("IRQ {}", line),
                     f.interrupt_pin() ? ", asserted" : "");
}

std::string functions_text(const Segment& segment) {
  std::string out;
  for (const Function* function : segment.functions()) {
    const Function& f = *function;
    out += function_title(f);
    const char* between = "  ";
    const auto add = [&](const std::string& text) {
      if (text.empty()) return;
      out += between + text;
      between = "; ";
    };
    if (const unsigned number = f.slot().number()) add(fmt::format("slot {}", number));
    for (unsigned n = 0; n < f.bars().size(); ++n)
      if (f.bars()[n].slave) add(bar_text(f, n));
    add(interrupt_text(f));
    if (!f.enabled(BUS_MASTER)) add("no bus master");
    out += '\n';
  }
  return out;
}

std::string function_text(const Segment& segment, unsigned device, unsigned function) {
  const Slot* const slot = segment.slot(device);
  const Function* const f = slot ? slot->function(function) : nullptr;
  if (!f) return {};
  std::string out = function_title(*f);
  if (slot->number()) out += fmt::format("  slot {}: {}", slot->number(), slot->subject().device);
  out += '\n';
  for (const HeaderRegister& r : header) {
    const std::uint32_t value =
        r.bytes == 3 ? f->config_peek(r.reg, 1) | f->config_peek(r.reg + 1, 2) << 8 : f->config_peek(r.reg, r.bytes);
    std::string means;
    const unsigned bar = (r.reg - BAR0) / 4u;
    if (r.reg >= BAR0 && bar < 6) {
      if (bar >= f->bars().size() || !f->bars()[bar].slave) continue;
      means = bar_text(*f, bar);
    } else if (r.reg == COMMAND) {
      means = command_text(value);
    } else if (r.reg == STATUS) {
      means = status_text(value);
    } else if (r.reg == CLASS_CODE) {
      means = class_text(value);
    } else if (r.reg == LATENCY_TIMER) {
      means = fmt::format("{} clocks", value);
    } else if (r.reg == CACHE_LINE_SIZE) {
      means = fmt::format("{} bytes", 4 * value);
    } else if (r.reg == INTERRUPT_LINE) {
      means = interrupt_text(*f);
    } else if (value == 0) {
      continue;
    }
    out += fmt::format("  {:02X} {:<20} {:>8}{}{}\n", r.reg, r.name, fmt::format("{:0{}X}", value, 2 * r.bytes),
                       means.empty() ? "" : "  ", means);
  }
  for (unsigned reg = 0; reg < 256; reg += 16) {
    out += fmt::format("{:02X}:", reg);
    for (unsigned n = 0; n < 16; ++n) out += fmt::format(" {:02X}", f->config_peek(reg + n, 1));
    out += '\n';
  }
  return out;
}

}  // namespace planar::pci
