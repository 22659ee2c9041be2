// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger's PCI command: functions and their configuration spaces.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bus/pci/config_text.hpp"
#include "bus/pci/function.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"
#include "frontend/debug/command_parts.hpp"

namespace planar::debug_commands {

namespace {

using Segments = std::vector<pci::Segment*>;

Segments segments(Debugger& d) {
  Segments list = pci::segments_of(d.machine().board().buses());
  if (list.empty()) throw Error("this machine has no PCI; describe pos shows the adapters' POS registers");
  return list;
}

const pci::Segment* segment_of(const Segments& list, unsigned bus) {
  const auto found = std::find_if(list.begin(), list.end(), [=](const auto* s) { return s->bus_number() == bus; });
  return found == list.end() ? nullptr : *found;
}

std::string all_functions(const Segments& list) {
  std::string out;
  for (const pci::Segment* segment : list) out += pci::functions_text(*segment);
  return out;
}

/// The device in "slot2".
std::optional<FunctionPlace> place_of_slot(const Segments& list, const std::string& text) {
  for (const pci::Segment* segment : list)
    for (const pci::Function* f : segment->functions())
      if (f->slot().number() != 0 && text == fmt::format("slot{}", f->slot().number()))
        return FunctionPlace{segment->bus_number(), f->slot().device(), {}};
  return {};
}

}  // namespace

FunctionPlace find_function(Debugger& d, const std::string& text) {
  const auto list = segments(d);
  if (text.empty()) return {};
  FunctionPlace at;
  const auto none = [&] {
    return Error(fmt::format("there is no PCI function '{}'; the machine has\n{}", text, all_functions(list)));
  };
  if (const auto slot = place_of_slot(list, text)) {
    at = *slot;
  } else if (text.starts_with("slot")) {
    throw none();  // the slot is empty or does not exist
  } else {
    const auto colon = text.find(':');
    if (colon != std::string::npos) at.bus = parse_small(d, text.substr(0, colon), 0xFF);
    const std::string place = colon == std::string::npos ? text : text.substr(colon + 1);
    const auto dot = place.find('.');
    at.device = parse_small(d, place.substr(0, dot), pci::Segment::devices - 1);
    if (dot != std::string::npos) at.function = parse_small(d, place.substr(dot + 1), pci::Slot::functions - 1);
  }
  const pci::Segment* const segment = segment_of(list, at.bus);
  const pci::Slot* const slot = segment ? segment->slot(at.device) : nullptr;
  if (!slot || !slot->function(at.function.value_or(0))) throw none();
  return at;
}

Result pci_command(Debugger& d, const Arguments& a) {
  const auto list = segments(d);
  if (a.empty()) return {all_functions(list)};
  const FunctionPlace at = find_function(d, a[0]);
  std::string out;
  for (unsigned n = at.function.value_or(0); n <= at.function.value_or(pci::Slot::functions - 1); ++n)
    out += pci::function_text(*segment_of(list, at.bus), at.device, n);
  return {out};
}

}  // namespace planar::debug_commands
