// SPDX-License-Identifier: GPL-2.0-or-later
// Labs that are stopped, stepped and examined in the middle of a run end like those that are not.
#include <fstream>
#include <iterator>

#include "core/common/random.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "machines/lab/run_control.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using Stop = RunControl::Stop;

namespace {

std::vector<std::uint8_t> image(const std::string& name) {
  std::ifstream in(std::string(PLANAR_SOURCE_DIR) + "/roms/images/" + name, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::unique_ptr<Lab> one_machine(const std::string& model) {
  auto lab = std::make_unique<Lab>(load_machine(model));
  lab->insert_diskette(image("sample-bios.img"), "sample");
  return lab;
}

std::unique_ptr<Lab> two_machines() {
  std::vector<std::pair<std::string, Config>> machines;
  machines.emplace_back("slow", load_machine("model56sx"));
  machines.emplace_back("fast", load_machine("model95"));
  auto lab = std::make_unique<Lab>(LabConfig::join(std::move(machines)));
  for (std::size_t n = 0; n < 2; ++n) lab->insert_diskette(image("sample-bios.img"), "sample", n);
  return lab;
}

}  // namespace

TEST_CASE("a run that is stopped, stepped and described ends with the same hash as an undisturbed one") {
  for (const std::string model : {"model56sx", "model77", "model95"}) {
    INFO(model);
    const auto whole = one_machine(model), stopped = one_machine(model);
    whole->scheduler().run_until(1'500_ms);

    RunControl control(*stopped);
    Machine& m = stopped->machine();
    Random choice(3);
    unsigned several = 0, executed = 0;
    for (const Time t : {1_ms, 40_ms, 600_ms, 1'100_ms}) {
      REQUIRE(control.run_until(t) == Stop::limit);
      CHECK(stopped->scheduler().now() >= t);  // an access of the last instruction may end a little later
      CHECK(stopped->scheduler().now() - t < 100_us);
      for (unsigned n = 0; n < 3000; ++n) {
        const auto before = m.cpu().instructions();
        const Time from = m.cpu().time();
        REQUIRE(control.step(0) == Stop::step);
        several += m.cpu().instructions() - before > 1 ? 1 : 0;
        executed += m.cpu().instructions() - before == 1 ? 1 : 0;
        REQUIRE(m.cpu().time() >= from);
        if (choice.below(100) == 0) CHECK(m.describe().size() > 10);
      }
    }
    CHECK(several == 0);
    CHECK(executed > 3000);  // the rest are iterations of repeated instructions, and interrupts
    REQUIRE(control.run_until(1'500_ms) == Stop::limit);
    CHECK(m.cpu().instructions() == whole->machine().cpu().instructions());
    CHECK(stopped->state_hash() == whole->state_hash());
  }
}

TEST_CASE("a requested stop occurs at the next instruction boundary") {
  const auto whole = one_machine("model95"), stopped = one_machine("model95");
  whole->scheduler().run_until(1'500_ms);
  RunControl control(*stopped);
  Machine& m = stopped->machine();
  unsigned stops = 0;
  // From inside the run: every interrupt that a line begins to request.
  m.interrupts().watch([&](unsigned, unsigned, Time) { control.request_stop(); });
  Time last{};
  while (control.run_until(1'500_ms) == Stop::request) {
    ++stops;
    CHECK(stopped->scheduler().between_instructions());
    CHECK(stopped->scheduler().now() >= last);
    last = stopped->scheduler().now();
  }
  m.interrupts().watch({});
  CHECK(stops > 10);
  CHECK(stopped->state_hash() == whole->state_hash());
  // Between runs: the next one does not begin.
  control.request_stop();
  CHECK(control.step(0) == Stop::request);
  CHECK(stopped->state_hash() == whole->state_hash());
}

TEST_CASE("a step of a halted machine ends after the event that wakes it, or at the limit") {
  test::Assembler program(0x7C00);
  program({0xFA, 0xF4});  // CLI; HLT
  const auto lab = std::make_unique<Lab>(load_machine("model95"));
  lab->insert_diskette(test::boot_diskette(program), "halt");
  RunControl control(*lab);
  Machine& m = lab->machine();
  for (Time t{}; !m.halted_for_good() && t < 5_s; t += 50_ms) control.run_until(t);
  REQUIRE(m.halted_for_good());
  const auto instructions = m.cpu().instructions();
  const Time limit = lab->scheduler().now() + 100_ms;
  CHECK(control.step(0, limit) == Stop::limit);
  CHECK(lab->scheduler().now() == limit);
  CHECK(m.cpu().instructions() == instructions);
  m.cpu().nmi();
  CHECK(control.step(0, limit + 1_ms) == Stop::step);  // its delivery
  CHECK(lab->scheduler().now() == limit);
}

TEST_CASE("stepping one of two machines does not change the end state of either") {
  const auto whole = two_machines(), stepped = two_machines();
  RunControl control(*stepped);
  Random choice(11);
  unsigned inside = 0;
  for (const Time t : {2_ms, 90_ms, 450_ms}) {
    REQUIRE(control.run_until(t) == Stop::limit);
    for (unsigned n = 0; n < 4000; ++n) {
      const std::size_t who = choice.below(2), other = 1 - who;
      const bool exact = stepped->scheduler().between_instructions();
      const auto before = stepped->machine(who).cpu().instructions();
      REQUIRE(control.step(who) == Stop::step);
      if (exact) REQUIRE(stepped->machine(who).cpu().instructions() - before <= 1);
      if (!stepped->scheduler().between_instructions()) ++inside;
      if (choice.below(200) == 0) CHECK(stepped->machine(other).describe().size() > 10);
    }
    control.settle();
    REQUIRE(stepped->scheduler().between_instructions());
  }
  CHECK(inside > 10);
  const Time end = stepped->scheduler().now() + 50_ms;  // a step of a halted machine lasts as long as it waits
  REQUIRE(control.run_until(end) == Stop::limit);
  whole->scheduler().run_until(end);
  for (std::size_t n = 0; n < 2; ++n)
    CHECK(stepped->machine(n).cpu().instructions() == whole->machine(n).cpu().instructions());
  CHECK(stepped->state_hash() == whole->state_hash());
}
