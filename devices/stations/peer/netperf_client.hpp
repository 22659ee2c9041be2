// SPDX-License-Identifier: GPL-2.0-or-later
// netperf 2.1's client, TCP_STREAM and UDP_STREAM, against the netserver of a machine (docs/hardware/netperf.md): one
// test, started by whoever runs the machine, run once or until the confidence interval of its mean is narrow enough
// (-i, -I).
//
// It connects at once, and retries a second after each refusal, like a user who waits for the server. TCP_STREAM sends
// until the time is up, closes its direction and stops its clock when the server closes; UDP_STREAM stops it when the
// time is up, and the server's results follow two seconds later. The result is what the server counted, over the
// client's time.
//
// The host is too fast to be the bottleneck (inferred for a 2 x PII/400 at 100 Mbit/s, where a frame takes 123 us):
// data is available whenever a window or the send buffer has room.
//
// Each further run is another request on the same control connection, with its own data ports at both ends. It requests
// the buffer sizes read back in the previous run, as netperf does; Linux doubles them.
//
// Not modelled: data of TCP_STREAM left in the socket buffer when the time is up (less than 64 KB, counted and timed
// alike); partly queued messages of UDP_STREAM; the processor load of this end (it takes no time) and of the server.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "devices/stations/peer/netperf_confidence.hpp"
#include "devices/stations/peer/netserver.hpp"

namespace planar::net {

/// The client's own ports: the range of a Linux 2.2 client starts here (inferred; no figure depends on it). Each run
/// takes the next data port.
inline constexpr std::uint16_t netperf_client_control = 1024, netperf_client_data = 1025;
/// Delay before the client retries the connection.
inline constexpr Time netperf_client_patience = 1_s;
/// Send buffer bytes used by a fragment of 1480 bytes: about 1.7 KB in Linux 2.2 (38 fragments in 65536 bytes). Source:
/// inferred from Linux 2.2.16's socket buffers, not measured. Data still queued at the end counts: 0.04 % of a run of
/// 10 s at 100 Mbit/s.
inline constexpr std::uint32_t netperf_fragment_bytes = 1700;

/// Bytes of the socket buffers at both ends.
struct NetperfBuffers {
  std::uint32_t local_send = 0, local_receive = 0, remote_send = 0, remote_receive = 0;
  void archive(Archive& a) { a(local_send, local_receive, remote_send, remote_receive); }
};

struct NetperfClientConfig {
  NetperfTestType type = NetperfTestType::tcp_stream;  ///< or udp_stream
  Ipv4 server = 0;
  std::uint16_t port = netperf_port;
  Time length = 10_s;                  ///< up to an hour; the server is given whole seconds, rounded up
  std::uint32_t message_bytes = 8192;  ///< of a datagram, 1 to 65507; TCP_STREAM has no messages
  NetperfBuffers buffers{};            ///< requested sizes; 0: each system's default
  NetperfRepetition repetition{};

  void archive(Archive& a) { a(type, server, port, length, message_bytes, buffers, repetition); }
  bool sensible() const;
};

/// Result of a run.
struct NetperfOutcome {
  Time began{};                ///< when the clock was started
  Time elapsed{};              ///< by the client's clock
  std::uint64_t sent = 0;      ///< bytes; UDP_STREAM: messages
  std::uint64_t received = 0;  ///< the same, counted by the server
  NetperfBuffers buffers{};    ///< as returned by getsockopt()
  void archive(Archive& a) { a(began, elapsed, sent, received, buffers); }
};

class NetperfClient final : public Service {
 public:
  enum class Phase : std::uint8_t {
    calling,  ///< waits for the next attempt to connect, or for its answer
    ready,    ///< about to send the request for a run
    asking,   ///< waits for the answer to the request
    joining,  ///< TCP_STREAM: opens the data connection
    running,  ///< sends
    ending,   ///< waits for the server to close the data connection, and for its results
    done,     ///< has the results and needs no further run
    failed    ///< the server refused the test or went away
  };

  explicit NetperfClient(std::uint32_t socket_buffer = 65535) : socket_buffer_(socket_buffer) {}

  /// Starts connecting; called by Peer::start_netperf(). An earlier test must be over.
  void start(const NetperfClientConfig& config, Time now);

  std::string_view name() const override { return "netperf"; }
  std::span<const ServicePort> ports() const override;
  bool listens() const override { return false; }
  std::unique_ptr<ServiceConnection> accept(std::uint16_t port) override;
  Time due() const override;
  std::vector<OwnConnection> own_connections(Time now) override;
  std::vector<OwnDatagram> own_datagrams(std::size_t waiting, Time now) override;
  void own_sent(bool sent, Time now) override;
  bool used() const override { return config_.has_value(); }
  void archive_used(Archive& a) override;
  void forget() override {
    config_.reset();
    run_ = {};
    outcomes_.clear();
  }

  struct Run {
    Phase phase = Phase::calling;
    bool called = false;  ///< connecting, not answered yet
    Time next{};          ///< next action that does not depend on the server
    Time began{}, stopped{};
    bool stopped_clock = false, has_results = false;
    std::uint32_t error = 0;       ///< from the server's records
    std::uint16_t data_port = 0;   ///< the server's
    std::uint64_t sent_bytes = 0;  ///< TCP_STREAM
    std::uint64_t messages = 0;    ///< UDP_STREAM: passed to the adapter
    std::uint32_t under_way = 0;   ///< of those: not sent yet
    std::uint64_t received = 0;    ///< by the server: bytes; UDP_STREAM: messages
    NetperfBuffers wanted{}, buffers{};
    void archive(Archive& a) {
      a(phase, called, next, began, stopped, stopped_clock, has_results, error, data_port, sent_bytes, messages,
        under_way, received, wanted, buffers);
    }
  };
  /// Empty before start().
  const std::optional<NetperfClientConfig>& config() const { return config_; }
  /// The latest run.
  const Run& run() const { return run_; }
  /// Outcomes of the completed runs.
  const std::vector<NetperfOutcome>& outcomes() const { return outcomes_; }
  /// Width of the confidence interval of their mean, relative to it; 0 for one run.
  double width() const;
  bool datagrams() const { return config_ && config_->type == NetperfTestType::udp_stream; }
  Time elapsed() const { return run_.stopped - run_.began; }
  /// 10^6 bit/s as netperf reports it; 0 before the results.
  double mbit_per_s() const { return run_.phase == Phase::done ? mbit_per_s(outcomes_.back()) : 0; }
  double mbit_per_s(const NetperfOutcome& outcome) const;

  // called by its connections
  void connected(Time now);
  /// When the request for the next run is sent; never if there is none.
  Time asks_at() const { return run_.phase == Phase::ready ? run_.next : Time::never(); }
  /// That request.
  Bytes ask();
  void take_record(ByteView record, Time now);
  void begin(Time now);
  /// Bytes of TCP_STREAM that may be sent; 0 when the time is up.
  std::size_t room(std::size_t at_most, Time now) const;
  void count(std::size_t bytes) { run_.sent_bytes += bytes; }
  void data_ended(Time now);
  void control_ended(Time now);
  bool over() const { return run_.phase >= Phase::ending; }
  bool finished() const { return run_.phase >= Phase::done; }

 private:
  void stop_clock(Time now);
  void end_run(Time now);
  bool enough() const;
  std::uint32_t most_under_way() const;
  std::uint16_t own_data_port() const { return static_cast<std::uint16_t>(netperf_client_data + outcomes_.size()); }

  const std::uint32_t socket_buffer_;
  std::optional<NetperfClientConfig> config_;
  Run run_;
  std::vector<NetperfOutcome> outcomes_;
};

}  // namespace planar::net
