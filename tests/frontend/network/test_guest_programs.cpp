// SPDX-License-Identifier: GPL-2.0-or-later
// The guest's programs other than netio: several sockets at once, and the messages for invalid settings.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/frontend/guest_diskette.hpp"

using program::guest_with;
using program::run_planar;
using program::Scratch;

namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The guest's output on COM1 until it ends. If the guest fails, the scenario fails.
std::string said(const Scratch& scratch, const std::vector<std::pair<std::string, std::string>>& settings,
                 const std::string& machine = "model95 --card ne2") {
  const auto com1 = scratch.file("com1.txt");
  const auto run =
      run_planar(fmt::format("run {} --image {} --until serial:@done --timeout '60 s' --quiet --serial file:{}",
                             machine, guest_with(scratch, settings), com1));
  const auto text = program::read_file(com1);
  INFO(run.err << text);
  const bool failed = holds(text, "@fail");
  REQUIRE(run.status == (failed ? 1 : 0));
  CHECK(holds(run.err, "the guest failed: ") == failed);
  return text;
}

}  // namespace

TEST_CASE("a process with several connections keeps their bytes apart", "[guest]") {
  const Scratch scratch;
  for (const std::string machine : {"model95 --card ne2", "model56sx --card 3c523"}) {
    INFO(machine);
    const auto two = said(scratch, {{"do", "sockets"}, {"bytes", "30001"}}, machine);
    INFO(two);
    CHECK(holds(two, "@sockets start connections=2"));
    CHECK(holds(two, "@sockets end bytes=30001 wrong=0"));
    CHECK(holds(two, "@done 0"));
  }
  const auto four = said(scratch, {{"do", "sockets"}, {"connections", "4"}, {"bytes", "8192"}});
  INFO(four);
  CHECK(holds(four, "@sockets end bytes=8192 wrong=0"));
  CHECK(holds(four, "@done 0"));
}

TEST_CASE("a refused connection fails the run with its reason", "[guest]") {
  const Scratch scratch;
  const auto text = said(scratch, {{"do", "sockets"}, {"port", "99"}});
  INFO(text);
  CHECK(holds(text, "@fail connect: error 111"));
  CHECK(holds(text, "@done 1"));
}

TEST_CASE("a lab with a failed guest is a failed scenario that names the guest", "[guest]") {
  const Scratch scratch;
  const auto machine = [](const std::string& name, const std::string& settings) {
    return "[[machine]]\nname = \"" + name + "\"\nmodel = \"model95\"\n[machine.slot.1]\ncard = \"ne2\"\n" +
           "[machine.guest]\n" + settings;
  };
  const auto failing =
      run_planar("run " +
                 scratch.write("lab.toml", machine("one", "do = \"idle\"\n") +
                                               machine("two", "do = \"sockets\"\nip = \"192.168.10.9\"\n")) +
                 " --quiet --until '14 s'");
  INFO(failing.err);
  CHECK(failing.status == 1);
  CHECK(holds(failing.err, "two: the guest failed: connect: error 113"));
  const auto good =
      run_planar("run " + scratch.write("good.toml", machine("one", "do = \"idle\"\n")) + " --quiet --until '2 s'");
  INFO(good.err);
  CHECK(good.status == 0);
}

TEST_CASE("an invalid setting ends the run and is named", "[guest]") {
  const Scratch scratch;
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"do", "nothing"}, {"colour", "blue"}, {"seconds", "x"}, {"sizes", "1024,70000"}, {"peer", "1.2.3"}}) {
    INFO(key);
    const auto text = said(scratch, {{key, value}});
    INFO(text);
    CHECK(holds(text, "@fail setting not understood: " + key + "=" + value));
    CHECK(holds(text, "@done 1"));
  }
}

TEST_CASE("an Ethernet adapter accepts an MTU of up to 1500 bytes, which segments follow", "[guest]") {
  const Scratch scratch;
  const auto small = said(scratch, {{"do", "sockets"}, {"bytes", "30001"}, {"mtu", "576"}});
  INFO(small);
  CHECK(holds(small, "@sockets end bytes=30001 wrong=0"));
  CHECK(holds(small, "@done 0"));
  const auto sent = [](const std::string& text) {
    return std::stoul(text.substr(text.find("@counters sent=") + std::string("@counters sent=").size()));
  };
  CHECK(sent(small) >= 2 * 30001 / 524);
  CHECK(sent(said(scratch, {{"do", "sockets"}, {"bytes", "30001"}})) < 2 * 30001 / 524);
  const auto large = said(scratch, {{"mtu", "1501"}});
  INFO(large);
  CHECK(holds(large, "@fail mtu 1501 is more than an Ethernet frame holds"));
  const auto none = said(scratch, {{"mtu", "5000"}});
  INFO(none);
  CHECK(holds(none, "@fail setting not understood: mtu"));
}

TEST_CASE("idle needs no network adapter", "[guest]") {
  const Scratch scratch;
  const auto text = said(scratch, {{"do", "idle"}, {"seconds", "0.2"}}, "model95");
  INFO(text);
  CHECK(holds(text, "@idle end"));
  CHECK(holds(text, "@done 0"));
}
