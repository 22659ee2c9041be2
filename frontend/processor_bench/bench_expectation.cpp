// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/processor_bench/bench_expectation.hpp"

#include <fmt/format.h>

#include <cmath>
#include "bus/common/board_cycle.hpp"
#include "core/common/toml.hpp"
#include "core/common/toml_text.hpp"

#include "core/common/error.hpp"
#include "devices/adapter/pci/pci_entry.hpp"
#include "frontend/processor_bench/embedded_bench.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/processor.hpp"

namespace planar {

namespace {

constexpr std::string_view timing_file = "frontend/processor_bench/timing.toml";
constexpr std::string_view bus_file = "frontend/processor_bench/bus.toml";
constexpr std::string_view p6_file = "frontend/processor_bench/p6.toml";

constexpr double p6_first_level_load = 3;  // load-to-use latency in clocks (lmbench)

[[noreturn]] void fail(const toml::node& at, const std::string& problem) {
  throw Error(fmt::format("{}:{}: {}", *at.source().path, at.source().begin.line, problem));
}

toml::table parsed(std::string_view file_name) {
  return toml::parse(AsciiToml(embedded_text(embedded_bench(), file_name), file_name).text(), file_name);
}

template <class T>
T required(const toml::table& table, const char* key) {
  if (const auto value = table[key].value<T>()) return *value;
  fail(table, fmt::format("'{}' is missing or has the wrong type", key));
}

const toml::array& tables(const toml::table& in, const char* key) {
  const toml::array* list = in[key].as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table))
    fail(in, fmt::format("'{}' is not a list of tables", key));
  return *list;
}

/// A machine parameter in processor clocks.
double parameter(const MachineConfig& m, const std::string& name, const toml::node& at) {
  const auto& t = m.timing;
  const double per_bus = static_cast<double>(t.core_per_bus_num) / t.core_per_bus_den;
  const unsigned beats = t.l1.bytes ? t.l1.line / t.dram.width : 1;
  const unsigned bursts_behind = (beats - 1) / 4;  // a burst has four beats
  const double rest = (beats - 1.0 - bursts_behind) * t.dram.burst_step + bursts_behind * 1.0 * t.dram.read_hit;
  const double write_rest = t.l1.write_burst ? rest : (beats - 1.0) * t.dram.write_hit;
  if (name == "dram.read_hit") return t.dram.read_hit * per_bus;
  if (name == "dram.read_miss") return t.dram.read_miss * per_bus;
  if (name == "dram.write_hit") return t.dram.write_hit * per_bus;
  if (name == "dram.write_miss") return t.dram.write_miss * per_bus;
  if (name == "dram.line_hit") return (t.dram.read_hit + rest) * per_bus;
  if (name == "dram.line_miss") return (t.dram.read_miss + rest) * per_bus;
  if (name == "dram.line_write_miss") return (t.dram.write_miss + write_rest) * per_bus;
  if (name == "l2.line") return (t.l2.hit_mru + (t.l1.line / t.dram.width - 1) * t.l2.burst_step) * per_bus;
  if (name == "l2.write") return t.l2.write_hit * per_bus;
  if (name == "l2.load") return t.l2.latency + p6_first_level_load;
  const auto whole = [&](Time cycle) {  // the processor continues at its next clock
    return std::ceil((m.board->cycles().synchronisation + cycle).seconds() * m.clock.hz() - 1e-6);
  };
  if (name == "bus_edge") return (t.core_per_bus_num - 1) / (2.0 * t.core_per_bus_den);
  if (name == "io_cycle") return whole(m.board->cycles().cycle(bus::board_cycle));
  if (name == "acknowledge") return whole(m.board->cycles().interrupt_acknowledge * 2);
  fail(at, fmt::format("no parameter '{}'; the head of the file lists them", name));
}

Expectation read_one(const toml::table& entry, const MachineConfig& m) {
  Expectation e;
  e.kernel = required<std::string>(entry, "kernel");
  e.source = required<std::string>(entry, "source");
  e.refresh = entry["refresh"].value_or(false);
  e.bound_percent = required<double>(entry, "bound");
  e.reason = required<std::string>(entry, "reason");
  e.set = entry["set"].value_or(std::string{});
  e.less = entry["less"].value_or(std::string{});
  for (const toml::node& node : tables(entry, "terms")) {
    const toml::table& term = *node.as_table();
    ExpectedTerm t;
    t.times = term["times"].value_or(1.0);
    t.of = term["of"].value_or(std::string{});
    if (const auto ns = term["ns"].value<double>())
      t.clocks = *ns * 1e-9 * m.clock.hz();
    else
      t.clocks = t.of.empty() ? required<double>(term, "clocks") : parameter(m, t.of, term);
    t.what = required<std::string>(term, "what");
    e.terms.push_back(std::move(t));
  }
  const auto& refresh = m.timing.refresh;
  if (e.refresh && refresh.period_num != 0) {
    const double per_bus = static_cast<double>(m.timing.core_per_bus_num) / m.timing.core_per_bus_den;
    e.refresh_share = refresh.hold * per_bus * refresh.period_den / refresh.period_num;
  }
  return e;
}

/// The entries of a file for which `applies` is true.
template <class Applies>
std::vector<Expectation> read_file(std::string_view file_name, const MachineConfig& m, Applies applies) {
  const toml::table file = parsed(file_name);
  std::vector<Expectation> list;
  for (const toml::node& node : tables(file, "expect"))
    if (const toml::table& entry = *node.as_table(); applies(entry)) list.push_back(read_one(entry, m));
  return list;
}

}  // namespace

double Expectation::clocks() const {
  double sum = 0;
  for (const auto& term : terms) sum += term.total();
  return sum / (1 - refresh_share);
}

std::vector<Expectation> expectations(const MachineConfig& machine) {
  const auto cpu = processor_model(machine.timing.model).key;
  const bool second_level = machine.timing.l2.bytes != 0, allocates = machine.timing.l2.write_allocate;
  return read_file(timing_file, machine, [&](const toml::table& entry) {
    return entry["cpu"].value<std::string>() == cpu && entry["second_level"].value_or(second_level) == second_level &&
           entry["write_allocate"].value_or(allocates) == allocates;
  });
}

std::vector<Expectation> bus_expectations(const MachineConfig& machine) {
  if (machine.board_kind->slot_bus != Pci::name) return {};
  const auto cpu = processor_model(machine.timing.model).key;
  return read_file(bus_file, machine,
                   [&](const toml::table& entry) { return entry["cpu"].value<std::string>() == cpu; });
}

std::vector<Expectation> p6_expectations(const MachineConfig& machine) {
  if (machine.timing.model != cpu::Model::p6) return {};
  return read_file(p6_file, machine,
                   [&](const toml::table& entry) { return entry["machine"].value_or(machine.name) == machine.name; });
}

double expected_bogomips(const MachineConfig& machine) {
  const toml::table file = parsed(timing_file);
  const auto cpu = processor_model(machine.timing.model).key;
  for (const toml::node& node : tables(file, "bogomips"))
    if (const toml::table& entry = *node.as_table(); entry["cpu"].value<std::string>() == cpu)
      return required<double>(entry, "per_mhz") * machine.clock.hz() * 1e-6;
  fail(file, fmt::format("no BogoMIPS for {}", cpu));
}

}  // namespace planar
