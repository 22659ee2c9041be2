// SPDX-License-Identifier: GPL-2.0-or-later
// Debugging one machine of a lab while the other one is in the middle of long accesses.
#include "machines/lab/lab.hpp"
#include "tests/frontend/debug/debug_session.hpp"
#include "tests/machines/assembler.hpp"

using namespace debug_session;

namespace {

constexpr std::uint16_t origin = 0x7C00, body = 0x7C02;
constexpr unsigned instructions = 40;  // of one byte each, at `body`
constexpr Time end = 2'200_ms;

/// "busy" waits in an access to a port of its planar nearly always; "stepped" executes short instructions in a loop.
std::unique_ptr<Session> two_machines() {
  test::Assembler busy(origin), stepped(origin);
  busy({0xFA}).label("loop")({0xE4, 0x61, 0xE4, 0x61, 0xE4, 0x61}).jump(0xEB, "loop");  // CLI; IN AL,61h ...
  stepped({0x31, 0xDB}).label("loop");                                                  // XOR BX,BX
  for (unsigned n = 0; n < instructions; ++n) stepped({n % 2 ? 0x43u : 0x90u});         // NOP; INC BX
  stepped.jump(0xEB, "loop");
  std::vector<std::pair<std::string, Config>> machines;
  std::vector<Media> media(2);
  for (const std::string name : {"busy", "stepped"}) {
    Config config = load_machine(name == "busy" ? "model95" : "pc-p166");
    config.set("memory.size", name == "busy" ? "8 MB" : "16 MB", "test");
    machines.emplace_back(name, std::move(config));
  }
  media[0].diskette = NamedFile{"busy", test::boot_diskette(busy)};
  media[1].diskette = NamedFile{"stepped", test::boot_diskette(stepped)};
  OutputOptions output;
  output.quiet = true;
  return std::make_unique<Session>(LabConfig::join(std::move(machines)), std::move(media), output, StateOptions{});
}

/// The hash at `end`, to which the run is made in any case.
std::string hash_of(Session& session) {
  session.run(
      end, [] { return false; }, [] { return std::string(); });
  REQUIRE(session.now() >= end);
  return session.state_hash();
}

/// That of a run without a debugger.
const std::string& alone() {
  static const std::string hash = hash_of(*two_machines());
  return hash;
}

Breakpoint at_instruction(std::uint32_t address, std::size_t machine) {
  Breakpoint b;
  b.first = b.last = address;
  b.machine = machine;
  return b;
}

/// Runs until both machines are in their loops.
void until_both_loop(Debugger& d) {
  Breakpoint b;
  b.kind = BreakKind::time;
  b.at = 2'100_ms;
  b.once = true;
  d.add(b);
}

}  // namespace

TEST_CASE("a breakpoint stops its machine at its instruction while another machine is inside an access") {
  const auto session = two_machines();
  unsigned stops = 0, inside = 0;
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    if (d.lab().scheduler().now() < 1_s) {
      until_both_loop(d);
      return true;
    }
    const auto at = d.lab().machine(1).cpu().instruction_address();
    if (stop.breakpoint.kind == BreakKind::time) {
      REQUIRE((at >= body && at < body + instructions + 2u));
      REQUIRE((d.lab().machine(0).cpu().instruction_address() & 0xFFFFFFF0) == origin);
      for (unsigned n = 0; n < instructions; ++n) d.add(at_instruction(body + n, 1));
      return true;
    }
    REQUIRE(stop.machine == 1);
    REQUIRE(at == stop.breakpoint.first);
    inside += d.lab().scheduler().between_instructions() ? 0 : 1;
    if (++stops == 500) d.remove_all();
    return true;
  }));
  CHECK(hash_of(*session) == alone());
  CHECK(stops == 500);
  CHECK(inside > 100);
}

TEST_CASE("what stops another machine meanwhile does not make a machine run past its breakpoint") {
  const auto session = two_machines();
  unsigned stops[2]{};
  std::uint32_t last = 0;
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    if (d.lab().scheduler().now() < 1_s) {
      until_both_loop(d);
      return true;
    }
    if (stop.breakpoint.kind == BreakKind::time) {
      for (unsigned n = 0; n < instructions; ++n) d.add(at_instruction(body + n, 1));
      Breakpoint port;
      port.kind = BreakKind::port;
      port.first = port.last = 0x61;
      port.reads = true;
      port.machine = 0;
      d.add(port);
      return true;
    }
    REQUIRE(stop.machine == d.current());
    REQUIRE(d.lab().scheduler().between_instructions(d.machine().cpu()));
    if (stop.machine == 1) {
      // Each instruction of the body stops, in order.
      const auto at = d.machine().cpu().instruction_address();
      REQUIRE(at == stop.breakpoint.first);
      if (stops[1] > 0) REQUIRE(at == (last == body + instructions - 1 ? body : last + 1));
      last = at;
    }
    if (++stops[stop.machine] > 300) d.remove_all();
    return true;
  }));
  CHECK(hash_of(*session) == alone());
  CHECK(stops[0] > 0);
  CHECK(stops[1] > 0);
}

TEST_CASE("steps back in one machine end while another is inside an access") {
  const auto session = two_machines();
  bool done = false;
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    if (d.lab().scheduler().now() < 1_s) {
      until_both_loop(d);
      return true;
    }
    if (std::exchange(done, true)) return true;
    REQUIRE(stop.breakpoint.kind == BreakKind::time);
    for (const std::size_t machine : {1u, 0u}) {
      d.select(machine);
      const auto here = [&] { return std::pair(d.machine().cpu().clocks(), d.machine().cpu().instruction_address()); };
      while (!d.lab().scheduler().between_instructions(d.machine().cpu())) d.step(false);
      std::vector<std::pair<std::uint64_t, std::uint32_t>> places{here()};
      for (unsigned n = 0; n < 6; ++n) {
        REQUIRE(d.step(false).why == Stop::Why::stepped);
        places.push_back(here());
      }
      for (std::size_t n = places.size() - 1; n-- > 0;) {
        REQUIRE(d.reverse_step().why == Stop::Why::stepped);
        CHECK(here() == places[n]);
      }
      d.add(at_instruction(places[5].second, machine));
      for (unsigned n = 0; n < 6; ++n) REQUIRE(d.step(false).why != Stop::Why::asked);
      REQUIRE(d.reverse_continue().why == Stop::Why::breakpoint);
      CHECK(d.machine().cpu().instruction_address() == places[5].second);
      d.remove_all();
    }
    return true;
  }));
  CHECK(hash_of(*session) == alone());
  CHECK(done);
}
