// SPDX-License-Identifier: GPL-2.0-or-later
// GDB's protocol without a connection: framing, every kind of packet, and invalid packets.
#include "core/common/random.hpp"
#include "frontend/gdb/protocol.hpp"
#include "frontend/gdb/registers.hpp"
#include "tests/frontend/debug/debug_session.hpp"

using namespace debug_session;
using namespace planar::gdb;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::vector<Received> read(std::string_view bytes) {
  PacketReader reader;
  for (const char c : bytes) reader.feed(std::string_view(&c, 1));
  std::vector<Received> all;
  while (auto r = reader.next()) all.push_back(std::move(*r));
  return all;
}

/// Talks to the debugger of a machine that is stopped before its first instruction.
void with_protocol(const std::function<void(Protocol&, Debugger&)>& talk) {
  const auto session = netio_session("model95", "ne2");
  bool talked = false;
  session->debug(std::make_unique<FunctionClient>([&](Debugger& d, const Stop& stop) {
    Protocol protocol;
    protocol.stopped(d, stop);
    talk(protocol, d);
    talked = true;
    return false;
  }));
  run(*session);
  CHECK(talked);
}

}  // namespace

TEST_CASE("packets are extracted from a stream, damaged ones are not") {
  CHECK(frame("OK") == "$OK#9a");
  const auto one = read("+$g#67-\x03");
  REQUIRE(one.size() == 3);
  CHECK(one[0].kind == Received::Kind::packet);
  CHECK(one[0].data == "g");
  CHECK(one[1].kind == Received::Kind::refused);
  CHECK(one[2].kind == Received::Kind::interrupt);
  // Bytes without a meaning, or without one any more, do not stay in the reader.
  CHECK(read(std::string(1000, '+')).empty());
  CHECK(read(std::string(1000, '-')).size() == 1);
  CHECK(read("\x03\x03+\x03").size() == 1);
  CHECK(read("$g#68$g#68$g#68").size() == 1);
  const std::string strange("any\0thing#$}*\x03", 14);
  const auto back = read(frame(strange));
  REQUIRE(back.size() == 1);
  CHECK(back[0].data == strange);
  for (const std::string bad : {"$g#68", "$g#6x", "$ab}#40", "$g#zz"}) {
    INFO(bad);
    const auto got = read(bad);
    REQUIRE(got.size() == 1);
    CHECK(got[0].kind == Received::Kind::damaged);
  }
  CHECK(read("$half a packet").empty());
  const auto restarted = read("$lost$g#67");
  REQUIRE(restarted.size() == 1);
  CHECK(restarted[0].data == "g");
  for (const std::string cut : {"$lost#$g#67", "$lost#b$g#67"}) {
    INFO(cut);
    const auto after = read(cut);
    REQUIRE(after.size() == 2);
    CHECK(after[0].kind == Received::Kind::damaged);
    CHECK(after[1].data == "g");
  }
  const auto huge = read(frame(std::string(longest_packet + 1, 'a')));
  REQUIRE(huge.size() == 1);
  CHECK(huge[0].kind == Received::Kind::damaged);
  CHECK_FALSE(from_hex("0"));
  CHECK_FALSE(from_hex("0g"));
  CHECK_FALSE(parse_hex("12345678123456781"));
  CHECK(parse_hex("fFf") == 0xFFFu);
}

TEST_CASE("registers, memory, threads and features are answered") {
  with_protocol([](Protocol& p, Debugger& d) {
    const auto ask = [&](std::string_view packet) { return p.handle(d, packet).reply; };
    CHECK_THAT(ask("qSupported:xmlRegisters=i386"), Contains("qXfer:features:read+") && Contains("ReverseStep+"));
    CHECK(ask("?") == "T02thread:1;");
    std::string xml;
    for (bool more = true; more;) {
      const auto part = ask(fmt::format("qXfer:features:read:target.xml:{:x},100", xml.size()));
      REQUIRE((part[0] == 'm' || part[0] == 'l'));
      more = part[0] == 'm';
      xml += part.substr(1);
    }
    CHECK(xml == target_description());
    CHECK_THAT(xml, Contains("org.gnu.gdb.i386.core") && Contains("\"st7\"") && Contains("\"fop\"") &&
                        Contains("\"cr3\"") && Contains("</target>"));
    CHECK(ask("qXfer:features:read:other.xml:0,100") == "E00");
    CHECK(ask("g").size() == 2 * (16 * 4 + 8 * 10 + (register_count() - 24) * 4));
    CHECK(ask("p8") == "f0ffffff");  // after RESET
    CHECK(ask("p10").size() == 20);
    CHECK(ask("Pf=01000000") == "OK");  // GS in real mode
    CHECK(ask("pf") == "01000000");
    CHECK(ask(fmt::format("p{:x}", register_count())) == "E02");
    CHECK(ask("m90000,4") == "00000000");
    CHECK(ask("M90000,4:11223344") == "OK");
    CHECK(ask("m90000,4") == "11223344");
    CHECK(ask("X90001,2:\xAA\xBB") == "OK");
    CHECK(ask("m90000,4") == "11aabb44");
    CHECK(ask("Mffff0,1:90") == "E0e");  // ROM
    CHECK(ask("qfThreadInfo") == "m1");
    CHECK(ask("qsThreadInfo") == "l");
    CHECK(ask("T1") == "OK");
    CHECK(ask("T2") == "E02");
    CHECK(ask("Hg1") == "OK");
    CHECK(ask("Hg2") == "E02");
    CHECK(from_hex(ask("qThreadExtraInfo,1")) == "model95");
    CHECK(ask("vCont?") == "vCont;c;C;s;S;r");
    CHECK(ask("vMustReplyEmpty").empty());
    CHECK(p.handle(d, "c").then == Protocol::Then::resume);
    CHECK(p.handle(d, "vCont;c").then == Protocol::Then::resume);
    CHECK(p.handle(d, "D").then == Protocol::Then::detach);
    CHECK(p.handle(d, "k").then == Protocol::Then::kill);
  });
}

TEST_CASE("steps in both directions, breakpoints and monitor commands are answered") {
  with_protocol([](Protocol& p, Debugger& d) {
    const auto ask = [&](std::string_view packet) { return p.handle(d, packet).reply; };
    const std::string begin = ask("p8");
    CHECK(ask("s") == "T05thread:1;");
    const std::string second = ask("p8");
    CHECK(second != begin);
    CHECK(ask("vCont;s:1") == "T05thread:1;");
    CHECK(ask("bs") == "T05thread:1;");
    CHECK(ask("p8") == second);
    CHECK(ask("bs") == "T05thread:1;");
    CHECK(ask("p8") == begin);
    CHECK(ask("bs") == "T05replaylog:begin;thread:1;");
    CHECK(ask("bc") == "T05replaylog:begin;thread:1;");
    CHECK(ask("Z0,c0100000,1") == "OK");
    CHECK(ask("Z0,c0100000,1") == "OK");
    CHECK(d.breakpoints().size() == 1);
    CHECK(ask("Z1,c0100000,1") == "OK");
    CHECK(ask("Z2,1000,4") == "OK");
    CHECK(ask("Z3,1000,4") == "OK");
    CHECK(ask("Z4,1000,4") == "OK");
    CHECK(ask("Z5,1000,4").empty());
    CHECK(d.breakpoints().size() == 5);
    CHECK(ask("z2,1000,4") == "OK");
    CHECK(ask("z2,1000,4") == "OK");
    CHECK(d.breakpoints().size() == 4);
    for (unsigned n = 0; n < 300; ++n) p.handle(d, fmt::format("Z0,{:x},1", n));
    CHECK(d.breakpoints().size() == 256);
    CHECK(ask("Z0,ffff,1") == "E1c");
    p.reset(d);
    CHECK(d.breakpoints().empty());
    const auto monitor = [&](std::string_view line) {
      const auto answer = p.handle(d, "qRcmd," + to_hex(line));
      CHECK(answer.reply == "OK");
      REQUIRE(answer.console.size() == 1);
      return answer.console[0];
    };
    CHECK_THAT(monitor("help"), Contains("phys") && Contains("describe") && !Contains("reverse-step"));
    CHECK_THAT(monitor("regs"), Contains("EIP 0000FFF0"));
    CHECK_THAT(monitor("phys FFFF0 10"), StartsWith("000FFFF0 "));
    CHECK_THAT(monitor("describe pic"), Contains("master"));
    CHECK_THAT(monitor("step"), Contains("gdb itself"));
    CHECK_THAT(monitor("nonsense"), Contains("there is no command"));
  });
}

TEST_CASE("arbitrary packets do no harm") {
  with_protocol([](Protocol& p, Debugger& d) {
    Random random(7);
    const std::string_view letters = "?gGpPmMXzZHTcCsSbBDqQvkr0123456789abcdef,;:=-xF \x01\x7F\xFF";
    const std::vector<std::string> sound{"m1000,40",
                                         "M1000,2:0102",
                                         "Z2,1000,4",
                                         "P8=00000000",
                                         "G00",
                                         "vCont;s:1",
                                         "vCont;r1,2:1",
                                         "qXfer:features:read:target.xml:0,fff",
                                         "qRcmd,72656773",
                                         "Hg1",
                                         "X1000,1:a",
                                         "qThreadExtraInfo,1",
                                         "bs",
                                         "s1000",
                                         "qSupported",
                                         "Z0,fffffffff,1",
                                         "m,",
                                         "m-1,-1",
                                         "mffffffff,ffffffffffffffff",
                                         "Z2,ffffffff,ffffffffffffffff",
                                         "P=",
                                         "Pffffffffffffffff=00",
                                         "vCont;",
                                         "vCont;s:",
                                         "vCont;q:1",
                                         "qRcmd,",
                                         "qRcmd,0",
                                         "H",
                                         "T",
                                         "b",
                                         "z",
                                         "Z,,",
                                         "X0,ffffffff:"};
    const auto send = [&](const std::string& packet) {
      if (packet.starts_with("vCont;r")) return;  // may be asked to step for ever
      INFO(to_hex(packet));
      const auto answer = p.handle(d, packet);
      CHECK(answer.reply.size() <= 2 * longest_packet);
    };
    for (const auto& packet : sound) send(packet);
    for (unsigned n = 0; n < 3000; ++n) {
      std::string packet = sound[random.below(sound.size())];
      for (std::uint64_t changes = random.below(4); changes > 0 && !packet.empty(); --changes) {
        const char c = letters[random.below(letters.size())];
        switch (random.below(3)) {
          case 0: packet[random.below(packet.size())] = c; break;
          case 1: packet.insert(packet.begin() + static_cast<std::ptrdiff_t>(random.below(packet.size())), c); break;
          default: packet.erase(random.below(packet.size())); break;
        }
      }
      send(packet);
      p.reset(d);
    }
    PacketReader reader;
    for (unsigned n = 0; n < 100'000; ++n) {
      const char c = random.below(8) == 0 ? "$#}+-\x03"[random.below(6)] : static_cast<char>(random.below(256));
      reader.feed(std::string_view(&c, 1));
      while (reader.next()) {}
    }
    CHECK(p.handle(d, "g").reply.size() > 100);
  });
}
