// SPDX-License-Identifier: GPL-2.0-or-later
// Breakpoints, steps and reverse steps: where they stop, and that the run computes the same as without them.
#include "frontend/debug/commands.hpp"
#include "tests/frontend/debug/debug_session.hpp"
#include "tests/machines/ps2.hpp"

using namespace debug_session;
using Catch::Matchers::Contains;

namespace {

struct End {
  std::string hash;
  std::string lines;  ///< of COM1
  Time at{};
};

End end_of(Session& session) {
  REQUIRE(run(session) == RunEnd::condition);
  End end{session.state_hash(), {}, session.now()};
  for (const auto& line : session.guest().lines()) end.lines += line.text + "\n";
  return end;
}

Breakpoint at_instruction(std::uint32_t address) {
  Breakpoint b;
  b.first = b.last = address;
  return b;
}

Position position(Debugger& d) { return {d.machine().cpu().clocks(), d.machine().cpu().instructions()}; }

void check_same(const End& watched, const End& alone) {
  CHECK(watched.hash == alone.hash);
  CHECK(watched.lines == alone.lines);
  CHECK(watched.at == alone.at);
}

}  // namespace

TEST_CASE("stopping, stepping and watching do not change a run's end") {
  for (const std::string machine : {"model56sx", "model95"}) {
    INFO(machine);
    const auto alone = netio_session(machine, "ne2");
    const auto watched = netio_session(machine, "ne2");
    unsigned stops = 0, watches = 0, ports = 0, interrupts = 0;
    const std::uint32_t send = guest_symbol("tcp_sendmsg");
    watched->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
      if (stop.why == Stop::Why::asked) {  // before the first instruction
        CHECK(d.machine().cpu().instructions() == 0);
        d.add(at_instruction(send));
        return true;
      }
      REQUIRE(stop.why == Stop::Why::breakpoint);
      const BreakKind kind = stop.breakpoint.kind;
      ++(kind == BreakKind::execute  ? stops
         : kind == BreakKind::memory ? watches
         : kind == BreakKind::port   ? ports
                                     : interrupts);
      if (kind == BreakKind::execute) CHECK(d.machine().cpu().instruction_address() == send);
      if (stops == 1 && d.breakpoints().size() == 1) {
        // The top of the stack, which is written by the next call. Then a register of the card, and the tick.
        const auto r = d.machine().cpu().registers();
        Breakpoint memory;
        memory.kind = BreakKind::memory;
        memory.first = r.gpr[4] - 4;
        memory.last = memory.first + 3;
        memory.reads = memory.writes = true;
        d.add(memory);
        Breakpoint port;
        port.kind = BreakKind::port;
        port.last = 0xFFFF;
        port.writes = true;
        d.add(port);
        Breakpoint interrupt;
        interrupt.kind = BreakKind::interrupt;
        interrupt.last = 0xFF;
        d.add(interrupt);
      }
      for (unsigned n = 0; n < 3; ++n) {
        const Position before = position(d);
        const Stop stepped = d.step(n == 1);
        CHECK(before < position(d));
        if (stepped.why != Stop::Why::stepped) break;
      }
      const unsigned hits = kind == BreakKind::execute  ? stops
                            : kind == BreakKind::memory ? watches
                            : kind == BreakKind::port   ? ports
                                                        : interrupts;
      if (hits == 15) d.remove(stop.breakpoint.number);
      return true;
    }));
    const End of_watched = end_of(*watched);
    CHECK(stops > 0);
    CHECK(watches > 0);
    CHECK(ports > 0);
    CHECK(interrupts > 0);
    check_same(of_watched, end_of(*alone));
  }
}

TEST_CASE("a step back reaches the previous boundary, and running forward again gives the same state") {
  const auto alone = netio_session("model95", "ne2");
  const auto back = netio_session("model95", "ne2");
  bool done = false;
  back->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    if (stop.why == Stop::Why::asked) {
      CHECK(d.reverse_step().why == Stop::Why::beginning);
      d.add(at_instruction(guest_symbol("tcp_sendmsg")));
      return true;
    }
    if (std::exchange(done, true)) return true;
    const std::string here = back->state_hash();
    std::vector<Position> positions{position(d)};
    std::vector<std::string> hashes{here};
    for (unsigned n = 0; n < 5; ++n) {
      REQUIRE(d.step(false).why == Stop::Why::stepped);
      positions.push_back(position(d));
      hashes.push_back(back->state_hash());
    }
    for (std::size_t n = positions.size() - 1; n-- > 0;) {
      INFO(n);
      REQUIRE(d.reverse_step().why == Stop::Why::stepped);
      CHECK(position(d) == positions[n]);
      CHECK(back->state_hash() == hashes[n]);
    }
    // Back to before the breakpoint, and to it again.
    REQUIRE(d.reverse_step().why == Stop::Why::stepped);
    CHECK(position(d) < positions[0]);
    REQUIRE(d.step(false).why == Stop::Why::stepped);
    CHECK(back->state_hash() == here);
    return true;
  }));
  const End end = end_of(*back);
  CHECK(done);
  check_same(end, end_of(*alone));
}

TEST_CASE("a sleep in HLT is one step in either direction, and many steps back equal single ones") {
  const auto session = netio_session("model95", "ne2");
  unsigned done = 0;
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    const cpu::Cpu& cpu = d.machine().cpu();
    const auto later = [&] {
      Breakpoint b;
      b.kind = BreakKind::time;
      b.at = session->now() + 7_ms;
      b.once = true;
      return d.add(b) != 0;
    };
    if (stop.why == Stop::Why::asked || !cpu.asleep()) return later();
    const Position within = position(d);
    REQUIRE(d.reverse_step().why == Stop::Why::stepped);
    const Position begin = position(d);
    const std::string hash = session->state_hash();
    CHECK(cpu.asleep());
    CHECK(begin < within);
    CHECK(begin.instructions == within.instructions);
    REQUIRE(d.reverse_step().why == Stop::Why::stepped);
    CHECK(position(d).instructions + 1 == begin.instructions);
    CHECK_FALSE(cpu.asleep());
    REQUIRE(d.step(false).why == Stop::Why::stepped);
    CHECK(position(d) == begin);
    REQUIRE(d.step(false).why == Stop::Why::stepped);  // to the handler of the interrupt that ends the HLT
    CHECK(within < position(d));
    REQUIRE(d.reverse_step().why == Stop::Why::stepped);
    CHECK(position(d) == begin);
    CHECK(session->state_hash() == hash);
    for (unsigned n = 0; n < 300; ++n) REQUIRE(d.step(false).why == Stop::Why::stepped);
    REQUIRE(d.reverse_step(300).why == Stop::Why::stepped);
    CHECK(position(d) == begin);
    CHECK(session->state_hash() == hash);
    return ++done < 2 && later();
  }));
  run(*session);
  CHECK(done == 2);
}

TEST_CASE("continuing backwards stops at the latest breakpoint passed, and at the beginning") {
  const auto session = netio_session("model77", "ne2");
  std::vector<Position> hits;
  const std::uint32_t send = guest_symbol("tcp_sendmsg");
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    if (stop.why == Stop::Why::asked) {
      d.add(at_instruction(send));
      return true;
    }
    CHECK(d.machine().cpu().instruction_address() == send);
    hits.push_back(position(d));
    if (hits.size() < 3) return true;
    for (std::size_t n = 2; n-- > 0;) {
      INFO(n);
      const Stop back = d.reverse_continue();
      REQUIRE(back.why == Stop::Why::breakpoint);
      CHECK(position(d) == hits[n]);
      CHECK(d.machine().cpu().instruction_address() == send);
    }
    d.remove_all();
    CHECK(d.reverse_continue().why == Stop::Why::beginning);
    CHECK(d.machine().cpu().instructions() == 0);
    return false;
  }));
  CHECK(run(*session) == RunEnd::interrupted);
  CHECK(hits.size() == 3);
}

TEST_CASE("a search backwards returns to its start when the user requests a stop or leaves") {
  for (const bool leaves : {false, true}) {
    INFO(leaves);
    const auto alone = netio_session("model77", "ne2");
    const auto session = netio_session("model77", "ne2");
    bool searching = false;
    unsigned polls = 0, stops = 0;
    session->debug(std::make_unique<FunctionClient>(
        [&](Debugger& d, const Stop& stop) {
          if (stop.why == Stop::Why::asked) {
            d.add(at_instruction(guest_symbol("tcp_sendmsg")));
            return true;
          }
          ++stops;
          const std::string here = session->state_hash();
          d.remove_all();
          Breakpoint never;
          never.kind = BreakKind::port;
          never.first = never.last = 0x7777;
          never.writes = true;
          d.add(never);
          searching = true;
          CHECK(d.reverse_continue().why == Stop::Why::asked);
          searching = false;
          CHECK(session->state_hash() == here);
          d.remove_all();
          return true;
        },
        [&](Debugger& d) {
          if (!searching || ++polls < 3) return false;
          if (leaves) d.release();
          return !leaves;
        }));
    const End end = end_of(*session);
    CHECK(stops == 1);
    CHECK(polls == 3);
    check_same(end, end_of(*alone));
  }
}

TEST_CASE("range steps end when the user requests a stop") {
  const auto session = netio_session("model77", "ne2");
  unsigned polls = 0;
  session->debug(std::make_unique<FunctionClient>(
      [&](Debugger& d, const Stop&) {
        CHECK(d.step_range(0, 0xFFFF'FFFF).why == Stop::Why::asked);
        CHECK(polls == 3);
        return false;
      },
      [&](Debugger&) { return ++polls == 3; }));
  CHECK(run(*session) == RunEnd::interrupted);
}

TEST_CASE("a bus master's accesses to a descriptor stop the run") {
  for (const bool read : {true, false}) {
    const auto session = netio_session("model95", "etherstreamer");
    std::vector<std::string> accesses;
    session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
      if (stop.why == Stop::Why::asked) {
        constexpr std::uint32_t transmit_list = 0xB0;  // TX2LFDA: the driver passes a descriptor by its address
        const auto& claims = ps2(d.machine()).slot_page().rows.front().result.claims;
        Breakpoint b;
        b.kind = BreakKind::port;
        for (const auto& claim : claims)
          if (claim.resource.kind == adf::ResourceKind::io) b.first = b.last = claim.resource.first + transmit_list;
        b.writes = true;
        d.add(b);
        return true;
      }
      if (stop.breakpoint.kind == BreakKind::port) {
        d.remove_all();
        Breakpoint b;
        b.kind = BreakKind::memory;
        b.physical = true;
        b.first = d.machine().cpu().registers().gpr[0] + 4;  // its status
        b.last = b.first + 3;
        (read ? b.reads : b.writes) = true;
        d.add(b);
        return true;
      }
      accesses.push_back(stop.text);
      CHECK(stop.written == !read);
      return false;
    }));
    run(*session);
    REQUIRE(accesses.size() == 1);
    CHECK_THAT(accesses[0], Contains(read ? "is read by DMA or a bus master" : "is written by DMA or a bus master"));
  }
}

TEST_CASE("frames, times, POS writes and registers of an adapter stop a run") {
  const auto session = netio_session("model95", "ne2");
  DebugCommands commands(true);
  std::vector<std::string> seen;
  std::vector<std::string> script{"break pos 1", "delete all", "until 3 s", "break nic ne2", "delete all", "frame"};
  std::size_t next = 0;
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    seen.push_back(DebugCommands::describe_stop(d, stop));
    while (next < script.size()) {
      const std::string line = script[next++];
      const auto result = commands.execute(d, line);
      if (result.then == DebugCommands::Then::resume || line.starts_with("break")) return true;
    }
    return false;
  }));
  run(*session);
  REQUIRE(seen.size() == 5);
  CHECK_THAT(seen[1], Contains("POS") && Contains("slot 1") && Contains("is written"));
  CHECK_THAT(seen[2], Contains("the time is reached") && Contains("3.0000"));
  CHECK_THAT(seen[3], Contains("port ") && Contains("h is "));
  CHECK_THAT(seen[4], Contains("has sent"));
}

TEST_CASE("a user's write takes effect and is the limit for steps back") {
  const auto session = netio_session("model95", "ne2");
  DebugCommands commands(true);
  bool done = false;
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    if (stop.why == Stop::Why::asked) {
      commands.execute(d, "until 1200 ms");
      return true;
    }
    done = true;
    CHECK_THAT(commands.execute(d, "phys 90000 4").text, !Contains("DE AD BE EF"));
    commands.execute(d, "writephys 90000 DE AD BE EF");
    CHECK_THAT(commands.execute(d, "phys 90000 4").text, Contains("00090000  DE AD BE EF"));
    CHECK(d.reverse_step().why == Stop::Why::beginning);
    CHECK_THROWS_WITH(commands.execute(d, "writephys FFFF0 90"), Contains("is not writable memory"));
    CHECK_THROWS_WITH(commands.execute(d, "phys"), Contains("needs an address"));
    CHECK_THROWS_WITH(commands.execute(d, "regz"), Contains("did you mean 'regs'"));
    CHECK_THROWS_WITH(commands.execute(d, "until 1 ms"), Contains("ahead"));
    CHECK_THROWS_WITH(commands.execute(d, "break int 100"), Contains("beyond FFh"));
    return false;
  }));
  run(*session);
  CHECK(done);
}
