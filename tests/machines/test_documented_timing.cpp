// SPDX-License-Identifier: GPL-2.0-or-later
// docs/hardware/memory-timing.md compared with the machines: the table's cells are the values that a machine resolves
// to.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/cpu/timing/memory/geometry.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"

using namespace planar;

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string{} : text.substr(first, last - first + 1);
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) list.push_back(trimmed(cell));
  return list;
}

/// The values that the machine resolves to, by path.
std::map<std::string, std::string> resolved(const std::string& machine) {
  Config config = load_machine(machine);
  read_machine(config);
  std::map<std::string, std::string> values;
  std::istringstream lines(config.explained());
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find(" = "), comment = line.find("  #");
    if (equals == std::string::npos) continue;
    auto value = trimmed(line.substr(equals + 3, comment == std::string::npos ? comment : comment - equals - 3));
    if (value.size() > 1 && value.front() == '"') value = value.substr(1, value.size() - 2);
    values[line.substr(0, equals)] = value;
  }
  return values;
}

}  // namespace

TEST_CASE("the page on memory timing matches the machines") {
  std::ifstream page(std::string(PLANAR_SOURCE_DIR) + "/docs/hardware/memory-timing.md");
  REQUIRE(page.is_open());
  std::vector<std::string> machines;
  std::set<std::string> documented;
  std::map<std::string, std::map<std::string, std::string>> actual;
  for (std::string line; std::getline(page, line);) {
    if (line.empty() || line[0] != '|') continue;
    const auto row = cells(line);
    REQUIRE(row.size() == 11);
    if (machines.empty()) {
      machines.assign(row.begin() + 1, row.end() - 1);
      for (const auto& machine : machines) actual[machine] = resolved(machine);
      continue;
    }
    if (row[0].starts_with("---")) continue;
    documented.insert(row[0]);
    for (std::size_t n = 0; n < machines.size(); ++n) {
      INFO(row[0] << " of " << machines[n]);
      const auto& values = actual[machines[n]];
      const auto found = values.find(row[0]);
      CHECK((found == values.end() ? "-" : found->second) == row[n + 1]);
    }
    CHECK(!row.back().empty());
  }
  std::set<std::string> built_in;
  for (const MachineFile& file : machine_files()) built_in.insert(std::string(file.name));
  CHECK(std::set<std::string>(machines.begin(), machines.end()) == built_in);
  // The page also has all such values of the machines.
  for (const auto& [machine, values] : actual)
    for (const auto& [path, value] : values)
      for (const char* group : {"memory.dram.", "memory.rom.", "memory.refresh.", "cache.", "l2."})
        if (path.starts_with(group)) {
          INFO(machine << " has " << path << " = " << value);
          CHECK(documented.contains(path));
        }
}

TEST_CASE("memory values chosen by published figures are marked in the machine files") {
  std::set<std::string> marked;
  for (const MachineFile& file : machine_files())
    for (const Provenance& p : machine_provenance(file.name)) marked.insert(std::string(file.name) + " " + p.value);
  CHECK(marked == std::set<std::string>{
                      "model56sx memory.dram.read_miss, memory.dram.write_miss", "model56sx memory.dram.banks",
                      "model56sx 386SX refill_decode", "model95 Pentium redirect_distance", "att3325 memory.path",
                      "att3325 channel.memory_cycle", "pc-p166 memory.dram.burst_step, l2.write_hit"});
}

TEST_CASE("every 486's and Pentium's memory events are compiled for its geometry") {
  for (const MachineFile& file : machine_files()) {
    Config config = load_machine(std::string(file.name));
    const cpu::TimingConfig timing = read_machine(config).timing;
    INFO(file.name);
    const bool has_events = timing.model == cpu::Model::i486sx || timing.model == cpu::Model::pentium;
    CHECK((!has_events || cpu::has_known_geometry(timing)));
  }
}
