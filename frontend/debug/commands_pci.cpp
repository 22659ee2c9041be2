// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger's view of PCI: its functions and their configuration spaces.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "bus/pci/config_text.hpp"
#include "bus/pci/function.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"
#include "frontend/debug/command_parts.hpp"

namespace planar::debug_commands {

namespace {

const pci::Segment& segment(Debugger& d) {
  const pci::Segment* const pci = std::as_const(d.machine().board()).pci();
  if (!pci) throw Error("this machine has no PCI; describe pos shows the adapters' POS registers");
  return *pci;
}

/// The device number of "slot2".
std::optional<unsigned> device_of_slot(const pci::Segment& bus, const std::string& text) {
  for (const pci::Function* f : bus.functions())
    if (f->slot().number() != 0 && text == fmt::format("slot{}", f->slot().number())) return f->slot().device();
  return {};
}

}  // namespace

FunctionPlace find_function(Debugger& d, const std::string& text) {
  const pci::Segment& bus = segment(d);
  if (text.empty()) return {};
  FunctionPlace at;
  if (const auto device = device_of_slot(bus, text)) {
    at.device = *device;
  } else {
    const std::string place = text.starts_with("00:") ? text.substr(3) : text;
    const auto dot = place.find('.');
    at.device = parse_small(d, place.substr(0, dot), pci::Segment::devices - 1);
    if (dot != std::string::npos) at.function = parse_small(d, place.substr(dot + 1), pci::Slot::functions - 1);
  }
  const pci::Slot* const slot = bus.slot(at.device);
  if (!slot || !slot->function(at.function.value_or(0)))
    throw Error(fmt::format("there is no PCI function '{}'; the machine has\n{}", text, pci::functions_text(bus)));
  return at;
}

Result pci_command(Debugger& d, const Arguments& a) {
  const pci::Segment& bus = segment(d);
  if (a.empty()) return {pci::functions_text(bus)};
  const FunctionPlace at = find_function(d, a[0]);
  std::string out;
  for (unsigned n = at.function.value_or(0); n <= at.function.value_or(pci::Slot::functions - 1); ++n)
    out += pci::function_text(bus, at.device, n);
  return {out};
}

}  // namespace planar::debug_commands
