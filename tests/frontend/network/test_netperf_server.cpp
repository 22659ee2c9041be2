// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netperf --serve`: the guest's netserver for an external netperf. Here that is another guest's, which reaches
// it as a program on the host would: through its own slirp and the first one's forwarded ports.
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"
#include "tests/frontend/network/loopback.hpp"

using namespace program;
using Catch::Matchers::Contains;

TEST_CASE("the guest's server serves an outside netperf over TCP and UDP, each test at its own port",
          "[netperf][slirp]") {
  if (short_runs()) SKIP("two machines beside each other");
  const Scratch scratch;
  const auto port = std::to_string(free_ports(5));
  Beside server(scratch, "netperf --serve 3 --net-time unthrottled --card smc8013 --json - --port " + port);
  REQUIRE(server.until(server.err_file(), "drive A"));
  const std::string client = "netperf --quiet --net slirp --net-time unthrottled --seconds 0.3 --json - --port " + port;
  for (const char* test : {"tcp_stream --sizes 4096", "udp_stream --sizes 1024", "udp_rr"}) {
    const auto said = run_planar(client + " --test " + test);
    INFO(test << ": " << said.err);
    REQUIRE(said.status == 0);
    CHECK(said.json()["rows"][0]["messages"].is_null() != (std::string(test) != "udp_rr"));
    CHECK_FALSE(said.json()["repeatable"].get<bool>());
  }
  const auto said = server.end();
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto result = nlohmann::ordered_json::parse(said.out);
  CHECK(result["test"] == "serve");
  CHECK(result["served"] == 3);
  CHECK(result["rows"].empty());
  CHECK(result["frames"]["received"].get<unsigned>() > 20);
  CHECK_THAT(said.err, Contains("netperf -H 127.0.0.1 -p " + port));
}

TEST_CASE("--serve refuses the client's options", "[netperf]") {
  CHECK_THAT(run_planar("netperf --serve 2 --against model77").err, Contains("--serve and --against"));
  CHECK_THAT(run_planar("netperf --serve 2 --runs 3").err, Contains("does not repeat"));
  CHECK_THAT(run_planar("netperf --serve 2 --test udp_rr").err, Contains("--test"));
  CHECK_THAT(run_planar("netperf --serve 2 --port 65535").err, Contains("65539"));
}
