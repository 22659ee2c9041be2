// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that set, list and remove breakpoints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "bus/pci/segment.hpp"
#include "core/common/error.hpp"
#include "frontend/debug/command_parts.hpp"
#include "machines/config/units.hpp"

namespace planar::debug_commands {

namespace {

constexpr std::uint32_t most_watched = 0x100000;

/// In a lab of several machines the breakpoint applies only to the selected machine, except for frames and times.
Result added(Debugger& d, Breakpoint b, const std::string& text) {
  b.text = text;
  if (d.lab().machines() > 1 && b.kind != BreakKind::frame && b.kind != BreakKind::time) {
    b.machine = d.current();
    b.text = fmt::format("{}: {}", d.lab().name(d.current()), text);
  }
  const std::string named = b.text;
  const unsigned number = d.add(std::move(b));
  return {fmt::format("breakpoint {}: {}\n", number, named)};
}

/// "read", "write" or both ("access", the default). Throws Error.
void set_direction(Breakpoint& b, const Arguments& a, std::size_t at) {
  const std::string word = a.size() > at ? a[at] : "access";
  b.reads = word == "read" || word == "access";
  b.writes = word == "write" || word == "access";
  if (!b.reads && !b.writes) throw Error(fmt::format("'{}': write read, write or access", word));
}

std::pair<std::uint32_t, std::uint32_t> range(Debugger& d, const std::string& text, std::uint32_t most) {
  const auto dash = text.find('-');
  const auto first = parse_small(d, text.substr(0, dash), most);
  const auto last = dash == std::string::npos ? first : parse_small(d, text.substr(dash + 1), most);
  if (last < first) throw Error(fmt::format("'{}' ends before it begins", text));
  return {first, last};
}

/// "0300h-031Fh", "0061h".
std::string range_text(std::uint32_t first, std::uint32_t last, int digits) {
  const auto text = fmt::format("{:0{}X}h", first, digits);
  return first == last ? text : fmt::format("{}-{:0{}X}h", text, last, digits);
}

Result break_io(Debugger& d, const Arguments& a) {
  if (a.size() < 2) throw Error("break io needs a port or range of ports: break io 300-31F write");
  Breakpoint b;
  b.kind = BreakKind::port;
  std::tie(b.first, b.last) = range(d, a[1], 0xFFFF);
  set_direction(b, a, 2);
  const char* what = b.reads && b.writes ? "" : b.reads ? "read of " : "write to ";
  return added(d, b, fmt::format("{}port {}", what, range_text(b.first, b.last, 4)));
}

Result break_interrupt(Debugger& d, const Arguments& a) {
  if (a.size() < 2) throw Error("break int needs a vector or range of vectors: break int 21");
  Breakpoint b;
  b.kind = BreakKind::interrupt;
  std::tie(b.first, b.last) = range(d, a[1], 0xFF);
  return added(d, b, fmt::format("interrupt {}", range_text(b.first, b.last, 2)));
}

Result break_pos(Debugger& d, const Arguments& a) {
  if (d.machine().board().slot_device().empty())
    throw Error("this machine has no POS; break config stops after a write to PCI's configuration space");
  Breakpoint b;
  b.kind = BreakKind::pos;
  if (a.size() > 1) b.first = parse_count(a[1], 8);
  return added(d, b, b.first ? fmt::format("POS write to slot {}", b.first) : std::string("POS write to any slot"));
}

Result break_config(Debugger& d, const Arguments& a) {
  Breakpoint b;
  b.kind = BreakKind::config;
  b.last = 0xFFFF;
  if (a.size() < 2) {
    find_function(d, "");
    return added(d, b, "configuration write");
  }
  const FunctionPlace at = find_function(d, a[1]);
  const unsigned device = at.bus << 8 | at.device << 3;
  b.first = device + at.function.value_or(0);
  b.last = device + at.function.value_or(7);
  return added(d, b,
               fmt::format("configuration write to {:02X}:{:02X}{}", at.bus, at.device,
                           at.function ? fmt::format(".{}", *at.function) : std::string{}));
}

/// Whether the slot holds a network adapter matching `name`: "ne2", "slot1", or empty for any.
bool meant(Debugger& d, const bus::SlotView& slot, const std::string& name) {
  if (!slot.card || !d.machine().adapter(slot.number)) return false;
  if (name.empty() || name == fmt::format("slot{}", slot.number)) return true;
  const auto& cards = d.machine().config().cards;
  return std::any_of(cards.begin(), cards.end(),
                     [&](const CardConfig& card) { return card.slot == slot.number && card.name == name; });
}

// With an offset: that port of the adapter's first I/O range, or of its memory if it has no ports; without one: all of
// its ports and memory.
Result break_nic(Debugger& d, const Arguments& a) {
  const std::string name = a.size() > 1 ? a[1] : "";
  std::string out;
  for (const bus::SlotView& slot : d.machine().board().slots()) {
    if (!meant(d, slot, name)) continue;
    if (d.machine().board().pci()) {  // firmware and drivers may move the ranges at any time
      Breakpoint b;
      b.kind = BreakKind::decoded;
      b.first = b.last = slot.number;
      if (a.size() > 2) b.offset = parse_small(d, a[2], 0xFFFF);
      out += added(d, b,
                   fmt::format("slot {}, {}", slot.number,
                               b.offset ? fmt::format("register {:02X}h", *b.offset) : "its base addresses"))
                 .text;
      continue;
    }
    const auto is_io = [](const bus::CardResource& r) { return r.kind == bus::CardResource::Kind::io; };
    const bool ports = std::any_of(slot.resources.begin(), slot.resources.end(), is_io);
    for (const bus::CardResource& resource : slot.resources) {
      const bool io = is_io(resource);
      if (!io && resource.kind != bus::CardResource::Kind::memory) continue;
      Breakpoint b;
      b.kind = io ? BreakKind::port : BreakKind::memory;
      b.physical = !io;
      b.reads = b.writes = true;
      b.first = resource.first;
      b.last = resource.last;
      if (a.size() > 2) {
        if (!io && ports) continue;
        b.first += parse_small(d, a[2], b.last - b.first);
        b.last = b.first;
      }
      out += added(d, b,
                   fmt::format("slot {}, {} {}", slot.number,
                               !io                 ? "memory"
                               : b.first == b.last ? "port"
                                                   : "ports",
                               range_text(b.first, b.last, 4)))
                 .text;
      if (a.size() > 2) return {out};
    }
  }
  if (out.empty())
    throw Error(name.empty()
                    ? std::string("the machine has no network adapter with ports or memory")
                    : fmt::format("'{}' is not a network adapter of this machine with ports or memory; describe "
                                  "lists the devices",
                                  name));
  return {out};
}

Result break_frame(Debugger& d, const Arguments& a) {
  Breakpoint b;
  b.kind = BreakKind::frame;
  if (a.size() > 1) b.sender = a[1];
  check_sender(d, b.sender);
  return added(d, b, b.sender.empty() ? std::string("a frame") : "a frame of " + b.sender);
}

Result break_time(Debugger& d, const Arguments& a) {
  Breakpoint b;
  b.kind = BreakKind::time;
  const auto text = fmt::format("{}", fmt::join(a.begin() + 1, a.end(), " "));
  const auto at = parse_time(text);
  if (!at) throw Error(fmt::format("'{}' is not a time; write for example 2.5 s", text));
  b.at = *at;
  if (b.at <= d.lab().scheduler().now()) throw Error(fmt::format("{:.9f} s has already passed", b.at.seconds()));
  return added(d, b, fmt::format("time {:.9f} s", b.at.seconds()));
}

struct Form {
  const char* word;
  Result (*set)(Debugger&, const Arguments&);
};
constexpr Form forms[] = {{"io", break_io},   {"int", break_interrupt}, {"pos", break_pos},  {"config", break_config},
                          {"nic", break_nic}, {"frame", break_frame},   {"time", break_time}};

Result break_command(Debugger& d, const Arguments& a) {
  if (a.empty()) throw Error("break needs an address, or io, int, pos, config, nic, frame or time");
  for (const Form& form : forms)
    if (a[0] == form.word) return form.set(d, a);
  Breakpoint b;
  b.first = b.last = parse_address(d, a[0]);
  return added(d, b, fmt::format("instruction at {:08X}h", b.first));
}

Result watch_command(Debugger& d, const Arguments& given) {
  Arguments a = given;
  Breakpoint b;
  b.kind = BreakKind::memory;
  b.physical = std::erase(a, "phys") != 0;
  if (a.empty()) throw Error("watch needs an address: watch ADDRESS [BYTES] [read|write|access] [phys]");
  b.first = parse_address(d, a[0]);
  const bool has_length = a.size() > 1 && parse_number(a[1]).has_value();
  const std::uint32_t bytes = has_length ? parse_count(a[1], most_watched) : 4;
  b.last = b.first + (bytes - 1);
  if (b.last < b.first) throw Error("the watched bytes reach beyond FFFFFFFFh");
  a.resize(std::max<std::size_t>(a.size(), has_length ? 2 : 1));
  if (a.size() == (has_length ? 2u : 1u)) a.emplace_back("write");
  set_direction(b, a, has_length ? 2 : 1);
  return added(d, b,
               fmt::format("{} {}{:08X}h-{:08X}h",
                           !b.reads    ? "write to"
                           : !b.writes ? "read of"
                                       : "access to",
                           b.physical ? "physical " : "", b.first, b.last));
}

Result list(Debugger& d, const Arguments&) {
  std::string out;
  for (const Breakpoint& b : d.breakpoints())
    out += fmt::format("{:>4}  {:<44} {} hit{}\n", b.number, b.text, b.hits, b.hits == 1 ? "" : "s");
  return {out.empty() ? "there are no breakpoints\n" : out};
}

Result remove(Debugger& d, const Arguments& a) {
  if (a.empty()) throw Error("delete needs the number of a breakpoint, or all");
  if (a[0] == "all") {
    d.remove_all();
    return {};
  }
  if (!d.remove(parse_count(a[0], UINT32_MAX))) throw Error(fmt::format("there is no breakpoint {}", a[0]));
  return {};
}

constexpr Command break_command_table[] = {
    {"break b", "ADDRESS", "stop before an instruction", break_command},
    {"break b", "io PORT[-PORT] [read|write]", "stop after an access to ports", break_command},
    {"break b", "int VECTOR[-VECTOR]", "stop when an interrupt or exception is delivered", break_command},
    {"break b", "pos [SLOT]", "stop after a POS write", break_command},
    {"break b", "config [[BUS:]DEVICE[.FUNCTION]|slotN]", "stop after a write to PCI's configuration space",
     break_command},
    {"break b", "nic [CARD|slotN [OFFSET]]", "stop after an access to an adapter's registers", break_command},
    {"break b", "frame [SENDER]", "stop when a frame has left its sender", break_command},
    {"break b", "time TIME", "stop at a virtual time", break_command},
    {"watch w", "ADDRESS [BYTES] [read|write|access] [phys]",
     "stop after an access to memory, by bus masters too; phys: physical", watch_command},
    {"list l", "", "the breakpoints", list},
    {"delete", "NUMBER|all", "remove breakpoints", remove},
};

}  // namespace

std::span<const Command> break_commands() { return break_command_table; }

}  // namespace planar::debug_commands
