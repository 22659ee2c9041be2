// SPDX-License-Identifier: GPL-2.0-or-later
// netperf's confidence intervals and socket buffers, with the guest's client and server (docs/hardware/netperf.md).
#include <cmath>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;
using Catch::Matchers::Contains;

namespace {

using Json = nlohmann::ordered_json;

std::string lasting(const char* seconds = "0.2") {
  return " --quiet --json - --seconds " + std::string(short_runs() ? "0.05" : seconds);
}

Json only_row(const Said& said) {
  INFO(said.err);
  REQUIRE(said.status == 0);
  REQUIRE(said.json().at("rows").size() == 1);
  return said.json().at("rows").at(0);
}

/// 2 t s / (mean sqrt(n - 1)) in percent, with n in the denominator of s, as in netperf.
double width(const Json& each, const char* figure, double t) {
  const auto n = static_cast<double>(each.size());
  double sum = 0, squares = 0;
  for (const auto& run : each) sum += run.at(figure).get<double>();
  const double mean = sum / n;
  for (const auto& run : each) squares += std::pow(run.at(figure).get<double>() - mean, 2);
  return 200 * t * std::sqrt(squares / n) / (mean * std::sqrt(n - 1));
}

}  // namespace

TEST_CASE("netperf repeats a test up to MAX times, requests the buffer sizes read back, and reports the width",
          "[netperf]") {
  const std::string command = "netperf --machine model95 --card smc8013 --sizes 4096 -i 5,2 -I 99,0.001" + lasting();
  const auto said = run_planar(command);
  const auto row = only_row(said);
  const auto& confidence = row.at("confidence");
  INFO(confidence);
  CHECK(confidence.at("runs") == 4);
  CHECK(confidence.at("level_percent") == 99);
  CHECK(confidence.at("width_percent") == 0.001);
  CHECK_FALSE(confidence.at("met").get<bool>());
  const auto& each = confidence.at("each");
  REQUIRE(each.size() == 4);
  const double expected = width(each, "mbit_per_s", 5.841);
  CHECK(confidence.at("achieved_percent").get<double>() == Approx(expected).epsilon(0.05).margin(0.05));
  CHECK_FALSE(confidence.contains("cpu_achieved_percent"));
  double mean = 0;
  for (const auto& run : each) mean += run.at("mbit_per_s").get<double>() / 4;
  CHECK(row.at("mbit_per_s").get<double>() == Approx(mean).margin(0.001));
  // The sizes returned by getsockopt() are requested in the next run: doubled, and then no further.
  for (std::size_t n = 0; n < each.size(); ++n)
    for (const char* buffer : {"local_send", "local_receive", "remote_send", "remote_receive"})
      CHECK(each.at(n).at("socket_buffers").at(buffer) == (n == 0 ? 65535 : 131070));
  CHECK(without_host_time(run_planar(command).json()) == without_host_time(said.json()));
}

TEST_CASE("netperf ends at MIN runs when the width is met; --runs below two give no width", "[netperf]") {
  const std::string command = "netperf --machine model95 --card smc8013 --test udp_rr" + lasting();
  const auto wide = only_row(run_planar(command + " -i 10,3 -I 95,100")).at("confidence");
  CHECK(wide.at("runs") == 3);
  CHECK(wide.at("met").get<bool>());
  CHECK(wide.at("achieved_percent").get<double>() < 100);
  const auto once = only_row(run_planar(command + " -i 2,1")).at("confidence");
  CHECK(once.at("runs") == 1);
  CHECK_FALSE(once.at("met").get<bool>());
  CHECK_FALSE(once.contains("achieved_percent"));
  const auto table = run_planar("netperf --machine model95 --card smc8013 --seconds 0.05 -i 2,1 --quiet");
  CHECK_THAT(table.out, Contains("mean of 1 runs") && Contains("WARNING"));
  CHECK_FALSE(only_row(run_planar(command)).contains("confidence"));
}

TEST_CASE("netperf -c and -C include the client's and the server's reported loads", "[netperf]") {
  const auto row =
      only_row(run_planar("netperf --machine model95 --card smc8013 --against model56sx:ne2 --sizes 4096 "
                          "-i 4,3 -c -C" +
                          lasting("0.5")));
  INFO(row);
  CHECK(row.at("server_cpu_load_percent").get<double>() > 20);  // a 386SX that receives
  CHECK(row.at("server_cpu_load_percent").get<double>() <= 100);
  CHECK(row.at("confidence").contains("server_cpu_achieved_percent"));
  CHECK(row.at("confidence").contains("cpu_achieved_percent"));
  CHECK(row.at("confidence").at("met").get<bool>() ==
        (row.at("confidence").at("achieved_percent").get<double>() <= 5 &&
         row.at("confidence").at("cpu_achieved_percent").get<double>() <= 5 &&
         row.at("confidence").at("server_cpu_achieved_percent").get<double>() <= 5));
  // The reference station's program takes no time, and reports no measured load.
  const auto alone = only_row(run_planar("netperf --machine model95 -C -c -i 4,2" + lasting()));
  CHECK_FALSE(alone.contains("server_cpu_load_percent"));
  CHECK(alone.at("confidence").contains("cpu_achieved_percent"));
  CHECK_FALSE(alone.at("confidence").contains("server_cpu_achieved_percent"));
  const std::string brief = "netperf --machine model95 --quiet -C --sizes 1024 --seconds 0.1";
  CHECK_THAT(run_planar(brief).out, Contains("the server does not measure its load"));
  CHECK_THAT(run_planar(brief + " --against model95").out, Contains("1024  load of the server, as it reports it: "));
}

TEST_CASE("socket buffers follow Linux 2.2's rules on both sides, over TCP and UDP", "[netperf]") {
  const auto buffers = [](const std::string& options) {
    return only_row(run_planar("netperf --machine model95 --card 3c529 " + options + lasting("0.1")))
        .at("socket_buffers");
  };
  const Json usual{{"local_send", 65535}, {"local_receive", 65535}, {"remote_send", 65535}, {"remote_receive", 65535}};
  const Json asked{{"local_send", 8192}, {"local_receive", 65535}, {"remote_send", 65535}, {"remote_receive", 32768}};
  const Json most{
      {"local_send", 131070}, {"local_receive", 131070}, {"remote_send", 131070}, {"remote_receive", 131070}};
  const Json least{{"local_send", 2048}, {"local_receive", 256}, {"remote_send", 2048}, {"remote_receive", 256}};
  for (const std::string against : {"", "--against model77:3c529 "}) {
    INFO(against);
    CHECK(buffers(against) == usual);
    CHECK(buffers(against + "-s 4096, -S ,16384") == asked);
    CHECK(buffers(against + "--test tcp_rr -s 4096, -S ,16384") == asked);
    CHECK(buffers(against + "--test tcp_rr -s 1000000 -S 70000") == most);
  }
  // The datagram test has no field for the server's send buffer.
  CHECK(buffers("--against model77:smc8013 --test udp_stream -s 4096, -S 16384") == asked);
  CHECK(buffers("--against model77:smc8013 --test udp_rr --sizes 1 -s 1 -S 1") == least);
}

TEST_CASE("a small receive buffer limits the window, a large send buffer holds more at the alarm", "[netperf]") {
  // In less than 0.1 s the guest does not fill the larger buffer.
  const std::string seconds = std::string(" --quiet --json - --seconds ") + (short_runs() ? "0.1" : "0.5");
  const auto figure = [&](const std::string& options, const char* member) {
    return only_row(run_planar("netperf --machine model95 --card smc8013 " + options + seconds))
        .at(member)
        .get<double>();
  };
  const double usual = figure("", "mbit_per_s");
  CHECK(figure("-S ,2048", "mbit_per_s") < 0.8 * usual);
  CHECK(figure("-S ,16384", "mbit_per_s") > 0.95 * usual);
  // 65535 bytes hold 43 fragments of six-fragment datagrams, twice as many bytes hold 86.
  const std::string datagrams = "--test udp_stream --sizes 8192 -s ";
  const double few = figure(datagrams + "32767", "messages"), many = figure(datagrams + "65535", "messages");
  CHECK(many - few >= 5);
  CHECK(many - few <= 9);
}

TEST_CASE("TCP_CRR uses a fresh port for each connection, more than the machine has sockets", "[netperf]") {
  const auto row = only_row(run_planar(
      "netperf --machine model95 --card smc8013 --against model77:smc8013 --test tcp_crr -i 4,3 -s 8192 -S 65535" +
      lasting("0.5")));
  INFO(row);
  CHECK(row.at("transactions").get<unsigned>() > (short_runs() ? 8u : 100u));
  CHECK(row.at("socket_buffers").at("local_receive") == 131070);
}

TEST_CASE("netperf refuses invalid options and says what to write instead", "[netperf]") {
  const auto refused = [](const std::string& options, const char* why) {
    const auto said = run_planar("netperf " + options);
    INFO(options << ": " << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(why));
  };
  refused("-i 3,5", "MIN not above MAX");
  refused("-i 31", "1 to 30");
  refused("-i ,", "MAX,MIN");
  refused("-I 99,5", "--iterations 10,3");
  refused("-i 3 -I 90,5", "95 or 99");
  refused("-i 3 -I 95,0", "0.001 to 100");
  refused("-s 0", "SEND,RECEIVE");
  refused("-S 1,x", "--remote-buffers 1,x");
  refused("--serve 1 -i 3,2", "--serve");
}
