// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for netperf. Bit 0 of the first byte: the guest's output about its tests on COM1, whatever they are; or
// the server's protocol, with several clients whose control connections, data connections and datagrams arrive in any
// order.
//
// A finding: a crash or sanitizer report, more bytes than were requested, an answer that is not a record, requests that
// pile up in the server, and those of device_run.hpp.
#include <array>
#include <memory>

#include "devices/stations/peer/netserver.hpp"
#include "frontend/guest_benchmarks/netperf_result.hpp"
#include "tests/fuzz/device_run.hpp"
#include "tests/fuzz/frontend/guest_lines.hpp"

namespace {

using namespace planar;
using namespace planar::net;
using fuzz::expect;
using fuzz::Input;

// clang-format off
enum Operation : unsigned { connect, request, odd_request, data, answers, end, reset, datagram, pause, long_pause };
// clang-format on

class Bench final : public fuzz::DeviceRun<Bench> {
 public:
  Bench() { prepared(); }

  void archive(Archive& a) {
    service_.archive(a);
    for (Connection& c : connections_) {
      bool open = c.end != nullptr;
      a(open, c.port, c.ended);
      if (a.loading()) c.end = open ? service_.accept(c.port) : nullptr;
      if (c.end) c.end->archive(a);
    }
  }

  void operate(Input& input) {
    static constexpr std::array<std::uint32_t, 7> types{10, 13, 16, 19, 34, 1, 2};
    const unsigned first = input.u8();
    Connection& c = connections_[first >> 4 & 7];
    switch (first & 15) {
      case connect:
        if (c.end) break;
        c.port = static_cast<std::uint16_t>(netperf_port + (first & 0x80 ? input.u8() % 9 : 0));
        c.end = service_.accept(c.port);
        c.ended = false;
        break;
      case request: {  // a test, its lengths small numbers
        std::vector<std::uint8_t> record(netperf_record_bytes);
        record[3] = static_cast<std::uint8_t>(types[input.u8() % types.size()]);
        for (unsigned word = 2; word < 16; ++word) record[4 * word + 3] = input.u8();
        receive(c, record);
        break;
      }
      case odd_request: {
        std::vector<std::uint8_t> record(netperf_record_bytes);
        record[3] = static_cast<std::uint8_t>(types[input.u8() % types.size()]);
        for (unsigned left = input.u8() & 15; left > 0; --left) record[input.u8()] = input.u8();
        receive(c, record);
        break;
      }
      case data: {
        const auto bytes = input.take(input.u8());
        receive(c, bytes);
        break;
      }
      case answers: take(c, 1 + (input.u8() & 0x7F) * (first & 0x80 ? 64 : 1)); break;
      case end:
        if (c.end && !std::exchange(c.ended, true)) c.end->ended(now);
        break;
      case reset:
        if (c.end && !c.ended) c.end->ended(now);
        c = {};
        break;
      case datagram: {
        const auto port = static_cast<std::uint16_t>(netperf_port + 1 + (first >> 4 & 7));
        const std::vector<std::uint8_t> bytes(first & 0x80 ? input.u16() : input.u8());
        if (!service_.bound(port)) break;
        if (const auto answer = service_.datagram({ipv4(192, 168, 10, 2), 1024}, port, bytes, now))
          expect(!answer->empty() && answer->size() <= 65507, "an answer that fits into no datagram");
        break;
      }
      case pause: step(1_ms * input.u8()); break;
      case long_pause: step(100_ms * input.u8()); break;
      default: break;
    }
  }

 private:
  struct Connection {
    std::unique_ptr<ServiceConnection> end;
    std::uint16_t port = 0;
    bool ended = false;
  };

  void receive(Connection& c, ByteView bytes) {
    if (!c.end || c.ended || c.end->leaving()) return;
    for (std::size_t at = 0; at < bytes.size() && c.end->reading(); ++at) c.end->receive(bytes.subspan(at, 1), now);
  }
  void take(Connection& c, std::size_t most) {
    if (!c.end) return;
    const std::size_t n = c.end->to_send(most, now);
    expect(n <= most, "more bytes than were asked for");
    if (n == 0) return;
    std::vector<std::uint8_t> bytes(n);
    c.end->take(bytes);
    if (c.port == netperf_port) {
      sent_ += n;
      expect(n <= netperf_record_bytes, "an answer that is no record");
    }
  }

  NetserverService service_;
  std::array<Connection, 8> connections_;
  std::uint64_t sent_ = 0;
};

void guest(Input& input) {
  static constexpr std::string_view tags[] = {"@row",           "@run",         "@confidence", "@buffers", "@cpu",
                                              "@netperf start", "@netperf end", "@load",       "@served",  "@done"};
  static constexpr std::string_view keys[] = {
      "bytes", "messages", "us",    "received_kb", "received_rest", "ticks",  "busy",       "server_millionths",
      "level", "width",    "met",   "result",      "local",         "remote", "local_send", "local_receive",
      "test",  "runs",     "tests", "remote_send", "remote_receive"};
  static constexpr const char* tests[] = {"tcp_stream", "udp_stream", "tcp_rr", "tcp_crr", "udp_rr", "serve"};
  NetperfResult result;
  result.test = tests[input.u8() % std::size(tests)];
  GuestOutput said;
  Time now{};
  while (input.left()) fuzz::guest_line(said, input, tags, keys, now += 1_ms);
  result.rows = netperf_rows(said.lines(), result.datagrams());
  for (const NetperfRow& row : result.rows) expect(!row.runs.empty(), "a test without a run");
  static_cast<void>(result.json().dump());
  static_cast<void>(result.table());
  static_cast<void>(said.done());
  static_cast<void>(said.failure());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench bench;
  Input input(std::span(data, size));
  const unsigned first = input.u8();
  if (first & 1)
    guest(input);
  else
    bench.run(input, first >> 1, 4000_s);
  return 0;
}
