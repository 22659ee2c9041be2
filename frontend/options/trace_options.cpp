// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/trace_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/common/error.hpp"
#include "frontend/options/option_group.hpp"
#include "frontend/options/option_time.hpp"
#include "machines/config/units.hpp"

namespace planar {

namespace {

std::vector<std::string> comma_separated(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const auto& text : texts)
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      parts.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
  return parts;
}

TraceFilter::Span address_span(const std::string& text) {
  TraceFilter::Span span{0, 0, true, true};
  std::string rest = text;
  if (rest.starts_with("io:")) {
    span.memory = false;
    rest.erase(0, 3);
  } else if (rest.starts_with("memory:")) {
    span.ports = false;
    rest.erase(0, 7);
  }
  const auto dash = rest.find('-');
  const auto first = parse_number(rest.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_number(rest.substr(dash + 1));
  const std::uint64_t most = span.memory ? 0xFFFFFFFF : 0xFFFF;
  if (!first || !last || *first > *last || *last > most)
    throw Error(
        fmt::format("--trace-address {}: is not a range of {}; write for example --trace-address io:300h-31Fh or "
                    "memory:C8000h-CBFFFh",
                    text, span.memory ? "addresses" : "ports"));
  span.first = static_cast<std::uint32_t>(*first);
  span.last = static_cast<std::uint32_t>(*last);
  return span;
}

}  // namespace

void TraceOptions::add_to(CLI::App& app) {
  app.add_option("--trace", categories, "Trace these categories, comma-separated, or all (docs/tracing.md)")
      ->type_name("CATEGORY,...");
  app.add_option("--trace-file", file, "Write the trace to a file instead of standard error")->type_name("F");
  app.add_option("--trace-from", from, "Trace from this virtual time on; what comes before runs at full speed")
      ->type_name("TIME");
  app.add_option("--trace-to", to, "Trace what comes before this virtual time")->type_name("TIME");
  repeatable(app.add_option("--trace-device", devices,
                            "Trace only these devices, by the names of `planar describe`: slot2.ne2, ne2, slot2, pit")
                 ->type_name("NAME,..."));
  repeatable(app.add_option("--trace-address", addresses,
                            "Trace only accesses and instructions in a range of ports or memory: 300h-31Fh, io:61h, "
                            "memory:C8000h-CBFFFh; without h or 0x decimal")
                 ->type_name("[io:|memory:]FIRST[-LAST],..."));
}

TraceFilter TraceOptions::filter() const {
  const std::pair<const char*, bool> given[] = {{"--trace-file", file.has_value()},
                                                {"--trace-from", from.has_value()},
                                                {"--trace-to", to.has_value()},
                                                {"--trace-device", !devices.empty()},
                                                {"--trace-address", !addresses.empty()}};
  for (const auto& [option, is_given] : given)
    if (is_given && !categories) throw Error(fmt::format("{} needs --trace with the categories to write", option));
  TraceFilter filter;
  if (from) filter.from = option_time("--trace-from", *from, "\"2.5 s\"");
  if (to) filter.to = option_time("--trace-to", *to, "\"2.5 s\"");
  if (filter.to <= filter.from)
    throw Error(
        fmt::format("--trace-to {}: is not after --trace-from {}; nothing would be traced", *to, from.value_or("0 s")));
  filter.devices = comma_separated(devices);
  for (const auto& text : comma_separated(addresses)) filter.addresses.push_back(address_span(text));
  return filter;
}

}  // namespace planar
