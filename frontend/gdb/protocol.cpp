// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/gdb/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "frontend/gdb/registers.hpp"

namespace planar::gdb {

namespace {

using Answer = Protocol::Answer;

// Error numbers are errno values; gdb shows them unchanged.
constexpr const char* no_such = "E02";
constexpr const char* bad_address = "E0e";
constexpr const char* malformed = "E16";
constexpr const char* full = "E1c";

constexpr std::uint64_t most_bytes = (longest_packet - 16) / 2;
constexpr std::uint64_t most_watched = 0x100000;
constexpr std::uint64_t address_end = std::uint64_t{1} << 32;

Answer text(std::string reply) { return {std::move(reply), Protocol::Then::stay, false, {}}; }

std::size_t register_bytes(std::size_t number) {
  constexpr std::size_t first_stack = 16, stack_end = 24;
  return number >= first_stack && number < stack_end ? 10 : 4;
}

}  // namespace

Answer Protocol::handle(Debugger& d, std::string_view packet) {
  if (packet.empty()) return text("");
  const std::string_view rest = packet.substr(1);
  switch (packet.front()) {
    case '?': return stopped(d, last_);
    case 'g': return all_registers(d);
    case 'G': return set_all_registers(d, rest);
    case 'p': return one_register(d, rest);
    case 'P': return set_register(d, rest);
    case 'm': return read_memory(d, rest);
    case 'M': return write_memory(d, rest, false);
    case 'X': return write_memory(d, rest, true);
    case 'Z':
    case 'z': return breakpoint(d, packet);
    case 'H': return select(d, rest);
    case 'T': {
      const auto id = parse_hex(rest);
      return text(id && *id >= 1 && *id <= d.lab().machines() ? "OK" : no_such);
    }
    case 'c':
    case 's':
    case 'C':
    case 'S': return resume(d, packet.front(), packet.front() == 'C' || packet.front() == 'S' ? "" : rest);
    case 'b':
      if (rest == "s" || rest == "c") return backwards(d, rest.front());
      return text("");
    case 'D': return {"OK", Then::detach, false, {}};
    case 'k': return {"", Then::kill, true, {}};
    case 'q':
    case 'Q': return query(d, packet);
    case 'v': return verbose(d, packet);
    default: return text("");
  }
}

void Protocol::reset(Debugger& d) {
  for (const auto& [key, number] : breakpoints_) d.remove(number);
  breakpoints_.clear();
  quiet_ = false;
}

Answer Protocol::stopped(Debugger& d, const Stop& stop) {
  last_ = stop;
  Answer a;
  std::string reason;
  if (stop.why == Stop::Why::ended) return text("W00");
  if (stop.why == Stop::Why::beginning) reason = "replaylog:begin;";
  if (stop.why == Stop::Why::breakpoint) {
    const bool own = std::any_of(breakpoints_.begin(), breakpoints_.end(),
                                 [&](const auto& b) { return b.second == stop.breakpoint.number; });
    if (own && stop.breakpoint.kind == BreakKind::memory)
      reason = fmt::format("{}:{:x};", stop.breakpoint.text, stop.address);
    else if (own)
      reason = stop.breakpoint.text + ":;";
    else
      a.console.push_back(
          fmt::format("breakpoint {} ({}): {}\n", stop.breakpoint.number, stop.breakpoint.text, stop.text));
  }
  const bool asked = stop.why == Stop::Why::asked || stop.why == Stop::Why::halted;
  const unsigned signal = asked ? 2 : 5;  // SIGINT, SIGTRAP
  a.reply = fmt::format("T{:02x}{}thread:{:x};", signal, reason, d.current() + 1);
  return a;
}

// ---- registers and memory -------------------------------------------------------------------------------------------

Answer Protocol::all_registers(Debugger& d) {
  std::string all;
  for (std::size_t n = 0; n < register_count(); ++n) all += read_register(d.machine().cpu(), n);
  return text(to_hex(all));
}

// gdb also sends back the registers that it does not want to change.
Answer Protocol::set_all_registers(Debugger& d, std::string_view digits) {
  const auto bytes = from_hex(digits);
  if (!bytes) return text(malformed);
  cpu::Cpu& cpu = d.machine().cpu();
  std::string_view rest = *bytes;
  bool complete = true;
  for (std::size_t n = 0; n < register_count() && rest.size() >= register_bytes(n); ++n) {
    const auto value = rest.substr(0, register_bytes(n));
    if (value != read_register(cpu, n)) complete &= write_register(cpu, n, value);
    rest.remove_prefix(register_bytes(n));
  }
  d.changed();
  return text(complete && rest.empty() ? "OK" : no_such);
}

Answer Protocol::one_register(Debugger& d, std::string_view packet) {
  const auto number = parse_hex(packet);
  if (!number || *number >= register_count()) return text(no_such);
  return text(to_hex(read_register(d.machine().cpu(), *number)));
}

Answer Protocol::set_register(Debugger& d, std::string_view packet) {
  Fields fields(packet);
  const auto number = fields.number('=');
  const auto value = from_hex(fields.rest());
  if (!number || !value) return text(malformed);
  if (!write_register(d.machine().cpu(), *number, *value)) return text(no_such);
  d.changed();
  return text("OK");
}

// Reads up to the first byte that is not present.
Answer Protocol::read_memory(Debugger& d, std::string_view packet) {
  Fields fields(packet);
  const auto address = fields.number(','), length = fields.number(',');
  if (!address || !length || *address >= address_end) return text(malformed);
  std::string bytes;
  for (std::uint64_t n = 0; n < std::min(*length, most_bytes) && *address + n < address_end; ++n) {
    const auto value = d.machine().cpu().peek_linear(static_cast<std::uint32_t>(*address + n));
    if (!value) break;
    bytes += static_cast<char>(*value);
  }
  return text(bytes.empty() && *length > 0 ? bad_address : to_hex(bytes));
}

Answer Protocol::write_memory(Debugger& d, std::string_view packet, bool binary) {
  Fields fields(packet);
  const auto address = fields.number(','), length = fields.number(':');
  if (!address || !length || *address >= address_end) return text(malformed);
  const auto bytes = binary ? std::optional(std::string(fields.rest())) : from_hex(fields.rest());
  if (!bytes || bytes->size() != *length || *length > address_end - *address) return text(malformed);
  if (bytes->empty()) return text("OK");
  cpu::Cpu& cpu = d.machine().cpu();
  bool done = true;
  for (std::size_t n = 0; n < bytes->size() && done; ++n)
    done = cpu.poke_linear(static_cast<std::uint32_t>(*address + n), static_cast<std::uint8_t>((*bytes)[n]));
  d.changed();
  return text(done ? "OK" : bad_address);
}

// ---- breakpoints ----------------------------------------------------------------------------------------------------

// Memory is never patched: a software breakpoint is a comparison like a hardware one.
Answer Protocol::breakpoint(Debugger& d, std::string_view packet) {
  const bool insert = packet.front() == 'Z';
  Fields fields(packet.substr(1));
  const auto type = fields.number(','), address = fields.number(','), length = fields.number(';');
  if (!type || !address || !length || *address >= address_end) return text(malformed);
  constexpr const char* reasons[] = {"swbreak", "hwbreak", "watch", "rwatch", "awatch"};
  if (*type >= std::size(reasons)) return text("");
  const Key key{*type, *address, *length};
  const auto there = breakpoints_.find(key);
  if (!insert) {
    if (there == breakpoints_.end()) return text("OK");
    d.remove(there->second);
    breakpoints_.erase(there);
    return text("OK");
  }
  if (there != breakpoints_.end()) return text("OK");
  Breakpoint b;
  b.first = b.last = static_cast<std::uint32_t>(*address);
  b.text = reasons[*type];
  if (*type >= 2) {
    if (*length < 1 || *length > most_watched || *length > address_end - *address) return text(malformed);
    b.kind = BreakKind::memory;
    b.last = static_cast<std::uint32_t>(*address + *length - 1);
    b.writes = *type != 3;
    b.reads = *type != 2;
  }
  try {
    breakpoints_[key] = d.add(std::move(b));
  } catch (const Error&) { return text(full); }
  return text("OK");
}

// ---- threads and resumption -----------------------------------------------------------------------------------------

Answer Protocol::select(Debugger& d, std::string_view packet) {
  if (packet.empty()) return text(malformed);
  const auto id = packet.substr(1);
  if (id == "-1" || id == "0") return text("OK");
  const auto number = parse_hex(id);
  if (!number || *number < 1 || *number > d.lab().machines()) return text(no_such);
  d.select(*number - 1);
  return text("OK");
}

Answer Protocol::resume(Debugger& d, char action, std::string_view arguments) {
  if (action == 'c' || action == 'C' || action == 's' || action == 'S') {
    if (!arguments.empty()) {  // continue at another address
      const auto address = parse_hex(arguments);
      if (!address || *address >= address_end) return text(malformed);
      std::string value;
      for (unsigned n = 0; n < 4; ++n) value += static_cast<char>(*address >> (8 * n) & 0xFF);
      constexpr std::size_t eip = 8;
      write_register(d.machine().cpu(), eip, value);
      d.changed();
    }
    if (action == 's' || action == 'S') return stopped(d, d.step(true));
  }
  if (action == 'r') {
    Fields fields(arguments);
    const auto first = fields.number(','), end = fields.number(',');
    if (!first || !end || *first >= address_end || *end > address_end) return text(malformed);
    return stopped(d, d.step_range(static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*end)));
  }
  return {"", Then::resume, true, {}};
}

Answer Protocol::backwards(Debugger& d, char action) {
  try {
    return stopped(d, action == 's' ? d.reverse_step() : d.reverse_continue());
  } catch (const Error& e) {
    Stop stop;
    stop.why = Stop::Why::stepped;
    stop.machine = d.current();
    Answer a = stopped(d, stop);
    a.console.push_back(fmt::format("planar: {}\n", e.what()));
    return a;
  }
}

// vCont: the first action is for the thread that moves; the other threads continue with it.
Answer Protocol::verbose(Debugger& d, std::string_view packet) {
  if (packet == "vCont?") return text("vCont;c;C;s;S;r");
  if (packet.starts_with("vKill")) return {"OK", Then::kill, false, {}};
  if (!packet.starts_with("vCont;")) return text("");
  Fields action(Fields(packet.substr(6)).until(';'));
  const auto what = action.until(':');
  if (what.empty()) return text(malformed);
  if (!action.rest().empty() && action.rest() != "-1") {
    const auto thread = parse_hex(action.rest());
    if (!thread || *thread < 1 || *thread > d.lab().machines()) return text(no_such);
    d.select(*thread - 1);
  }
  switch (what.front()) {
    case 'c':
    case 'C':
    case 's':
    case 'S': return resume(d, what.front(), "");
    case 'r': return resume(d, 'r', what.substr(1));
    default: return text(malformed);
  }
}

// ---- queries --------------------------------------------------------------------------------------------------------

Answer Protocol::transfer(std::string_view packet) {
  Fields fields(packet);
  if (fields.until(':') != "target.xml") return text("E00");
  const auto offset = fields.number(','), length = fields.number(',');
  if (!offset || !length) return text(malformed);
  const std::string all = target_description();
  if (*offset >= all.size()) return text("l");
  const auto part = all.substr(*offset, std::min(*length, most_bytes));
  return text((*offset + part.size() < all.size() ? "m" : "l") + part);
}

Answer Protocol::monitor(Debugger& d, std::string_view digits) {
  const auto line = from_hex(digits);
  if (!line) return text(malformed);
  Answer a = text("OK");
  try {
    a.console.push_back(commands_.execute(d, *line).text);
  } catch (const Error& e) { a.console.push_back(fmt::format("planar: {}\n", e.what())); }
  return a;
}

Answer Protocol::query(Debugger& d, std::string_view packet) {
  const auto begins = [&](std::string_view name) { return packet.starts_with(name); };
  if (begins("qSupported"))
    return text(
        fmt::format("PacketSize={:x};qXfer:features:read+;swbreak+;hwbreak+;vContSupported+;ReverseStep+;"
                    "ReverseContinue+;QStartNoAckMode+",
                    longest_packet - 16));
  if (packet == "QStartNoAckMode") {
    quiet_ = true;
    return text("OK");
  }
  if (begins("qXfer:features:read:")) return transfer(packet.substr(20));
  if (begins("qRcmd,")) return monitor(d, packet.substr(6));
  if (begins("qAttached")) return text("1");
  if (packet == "qC") return text(fmt::format("QC{:x}", d.current() + 1));
  if (packet == "qfThreadInfo") {
    std::string list = "m";
    for (std::size_t n = 0; n < d.lab().machines(); ++n) list += fmt::format("{}{:x}", n ? "," : "", n + 1);
    return text(list);
  }
  if (packet == "qsThreadInfo") return text("l");
  if (begins("qThreadExtraInfo,")) {
    const auto id = parse_hex(packet.substr(17));
    if (!id || *id < 1 || *id > d.lab().machines()) return text(no_such);
    const auto& label = d.lab().name(*id - 1);
    return text(to_hex(label.empty() ? d.lab().machine(*id - 1).config().shown_name() : label));
  }
  if (begins("qSymbol")) return text("OK");
  return text("");
}

}  // namespace planar::gdb
