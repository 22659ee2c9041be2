// SPDX-License-Identifier: GPL-2.0-or-later
// A snapshot, which a stranger may have made, neither accesses this host nor lets the guest do so unless the command
// line says so. Every other option on the command line has an effect or is refused.
#include <fmt/format.h>

#include "machines/config/lab_config.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/network/echo_diskette.hpp"
#include "tests/frontend/network/loopback.hpp"

using namespace program;
using Catch::Matchers::Contains;

TEST_CASE("a restored slirp is isolated and forwards no port unless the command line says so", "[snapshot]") {
  const Scratch scratch;
  const auto snap = scratch.file("lab.snap"), second = scratch.file("second.snap");
  const auto port = free_port();
  const auto forward = fmt::format(" --forward 'tcp 127.0.0.1:{} -> 23'", port);
  const auto image = scratch.write("echo.img", echo_diskette::image());
  REQUIRE(run_planar("run model95 --card ne2 --net-time unthrottled --net slirp --image " + image + forward +
                     " --quiet --until '100 ms' --snapshot-at '50 ms' " + snap)
              .status == 0);
  // From now on, an attempt to use the port gets a message that it is taken.
  const Descriptor taken(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = loopback(port);
  REQUIRE(::bind(taken.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(taken.get(), 1) == 0);
  const auto restored = [&](const std::string& file, const std::string& options) {
    return run_planar("run --quiet --json - --until '100 ms' --restore " + file + options);
  };
  const auto alone = restored(snap, " --snapshot-at '70 ms' " + second);
  INFO(alone.err);
  REQUIRE(alone.status == 0);
  CHECK(alone.json().at("net") == "slirp:isolated");
  CHECK_FALSE(alone.json().at("configuration").at("settings").contains("net.forward"));
  CHECK_THAT(alone.err, Contains("slirp:isolated") && Contains("--net slirp") && Contains("--forward"));
  for (const auto& file : {snap, second}) {
    const auto connected = restored(file, " --net slirp");
    INFO(connected.err);
    REQUIRE(connected.status == 0);
    CHECK(connected.json().at("net") == "slirp");
    CHECK_FALSE(connected.json().at("configuration").at("settings").contains("net.forward"));
    const auto forwarded = restored(file, forward);
    CHECK(forwarded.status != 0);
    CHECK_THAT(forwarded.err, Contains(std::to_string(port)));
  }
  CHECK(restored(snap, " --net peer").status == 2);
  CHECK(run_planar("describe --until '60 ms' --restore " + snap).status == 0);
  const auto debugged =
      run_planar("debug --quiet --restore " + snap + " --script " + scratch.write("s", "until 60 ms\n"));
  INFO(debugged.err);
  CHECK(debugged.status == 0);
}

TEST_CASE("a restored snapshot's steps insert only files that the command line names", "[snapshot]") {
  const Scratch scratch;
  const auto image = scratch.write("echo.img", echo_diskette::image());
  const auto second = scratch.write("second.img", echo_diskette::image('#')), snap = scratch.file("lab.snap");
  const auto whole = run_planar("run model77 --quiet --json - --image " + image +
                                " --do 'wait prompt \">\"' --do 'snapshot \"" + snap + "\"' --do 'insert diskette \"" +
                                second + "\"' --do 'press ctrl-alt-del' --do 'wait prompt \"#\"'");
  INFO(whole.err);
  REQUIRE(whole.status == 0);
  const auto restored = [&](const std::string& options) {
    return run_planar("run --quiet --json - --restore " + snap + options);
  };
  const auto refused = restored("");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains(second) && Contains("--insert"));
  CHECK(restored(" --insert " + image).status == 2);
  const auto unused = restored(" --do 'wait 1 ms' --insert " + image);
  CHECK(unused.status == 2);
  CHECK_THAT(unused.err, Contains("no step inserts it; leave it out"));
  const auto named = restored(" --insert " + second);
  INFO(named.err);
  REQUIRE(named.status == 0);
  CHECK(named.json().at("state_hash") == whole.json().at("state_hash"));
  CHECK(restored(" --do 'wait 1 ms'").status == 0);
  CHECK(run_planar("describe pic --restore " + snap).status == 0);  // no step is executed
  CHECK(run_planar("describe pic --until '60 s' --restore " + snap).status == 2);
}

TEST_CASE("a restored lab names no machine file of this host", "[snapshot]") {
  const Scratch scratch;
  const auto text =
      "[[machine]]\nname = \"a\"\nmodel = \"" + scratch.write("m.toml", "machine = \"model95\"\n") + "\"\n";
  CHECK(planar::load_lab(scratch.write("lab.toml", text)).size() == 1);
  CHECK_THROWS_WITH(planar::parse_lab(text, "snapshot"), Contains("snapshot:3:") && Contains("no built-in machine"));
}

TEST_CASE("options that would have no effect with --restore are refused", "[snapshot]") {
  const Scratch scratch;
  const auto netio = scratch.file("netio.snap"), netperf = scratch.file("netperf.snap"), lab = scratch.file("two.snap");
  const std::string brief = " --quiet --seconds 0.05 --sizes 1024";
  const auto saved = [&](const std::string& command, const std::string& file) {
    const auto said = run_planar(command + " --snapshot-at '0.5 s' " + file);
    INFO(said.err);
    REQUIRE(said.status == 0);
  };
  saved("netio --machine model95 --card lanstreamer:driver=3.04" + brief, netio);
  saved("netperf --machine model95 --card ne2 --quiet --seconds 0.05 --sizes 4096", netperf);
  saved("netio --machine model95 --card ne2 --against model95" + brief, lab);
  const auto refuses = [](const std::string& command, const std::string& option, const std::string& what) {
    const auto said = run_planar(command + option);
    INFO(command << option << ": " << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("--restore") && Contains(what));
  };
  const auto takes = [](const std::string& command) {
    const auto said = run_planar(command);
    INFO(command << ": " << said.err);
    CHECK(said.status == 0);
  };
  const auto restored = "netio --quiet --restore " + netio;
  takes(restored + " --card lanstreamer:driver=3.04 --os linux22");
  refuses(restored, " --card lanstreamer:driver=3.14", "3.14");
  refuses(restored, " --card lanstreamer:irq=9", "irq = \"9\": the snapshot has nothing of the kind");
  refuses(restored, " --mtu 1000", "--mtu");
  refuses(restored, " --rate '100 Mbit/s'", "does not match the snapshot");
  refuses(restored, " --os nt4", "linux22");
  refuses(restored, " --generation 2", "--generation");
  refuses(restored, " --bond 2", "--bond");
  refuses(restored, " --use 1", "--use");
  refuses(restored, " --runs 2", "--runs");
  refuses(restored, " --set peer.turnaround='61 us'", "turnaround");
  refuses("netperf --quiet --restore " + netperf, " --test tcp_rr", "--test");
  refuses("netperf --quiet --restore " + netperf, " --serve 2", "attach = ");
  refuses("netperf --quiet --restore " + netperf, " --response 2", "--response");
  refuses("netio --quiet --restore " + lab, " --seed 9", "seed = 9: the snapshot has seed = 1");
  refuses("netio --quiet --restore " + lab, " --memory '8 MB'", "--memory");
  for (const char* option : {" --memory '8 MB'", " --seed 9", " --card ne2"}) {
    refuses("run --quiet --restore " + netio, option, "--restore");
    refuses("debug --quiet --restore " + netio, option, "--restore");
    refuses("describe --restore " + netio, option, "--restore");
  }
  refuses("debug --quiet --restore " + netio, " --append x", "--append");
  refuses("describe --restore " + netio, " --image x", "--image");
}
