// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/netperf_client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/common/error.hpp"
#include "devices/stations/peer/netperf_records.hpp"

namespace planar::net {
namespace {

using Phase = NetperfClient::Phase;
constexpr auto client_ports = [] {
  std::array<ServicePort, 1 + most_netperf_runs> ports{};
  ports[0].number = netperf_client_control;
  for (std::size_t n = 1; n < ports.size(); ++n)
    ports[n].number = static_cast<std::uint16_t>(netperf_client_data + n - 1);
  return ports;
}();
constexpr std::uint32_t fragment_data = 1480;  // at an MTU of 1500
constexpr Time longest_client_test = 3600_s;
constexpr std::uint32_t largest_datagram = 65507;         // without IP and UDP headers
constexpr std::uint32_t largest_block = 65535;            // for TCP: the send buffer
constexpr std::uint32_t largest_client_buffer = 1 << 20;  // accepted from a snapshot
constexpr Time given_up_pause = 1_ms;                     // after a datagram that was not sent

/// Sends the requests, and receives the two records that answer each.
class ClientControl final : public ServiceConnection {
 public:
  explicit ClientControl(NetperfClient& client) : client_(client) {}

  void opened(Time now) override { client_.connected(now); }
  void receive(ByteView data, Time now) override {
    in_.insert(in_.end(), data.begin(), data.end());
    while (in_.size() >= netperf_record_bytes) {
      const Bytes record(in_.begin(), in_.begin() + netperf_record_bytes);
      in_.erase(in_.begin(), in_.begin() + netperf_record_bytes);
      client_.take_record(record, now);
    }
  }
  std::size_t to_send(std::size_t at_most, Time now) override {
    if (client_.asks_at() <= now) out_ = client_.ask();
    return std::min(at_most, out_.size());
  }
  Time due() const override { return client_.asks_at(); }
  void take(std::span<std::uint8_t> data) override {
    const auto end = out_.begin() + static_cast<std::ptrdiff_t>(data.size());
    std::copy(out_.begin(), end, data.begin());
    out_.erase(out_.begin(), end);
  }
  bool leaving() const override { return client_.finished(); }
  void ended(Time now) override { client_.control_ended(now); }
  void archive(Archive& a) override {
    a.section("netperf control", 1);
    a(in_, out_);
  }

 private:
  NetperfClient& client_;
  Bytes in_, out_;
};

/// The data connection of TCP_STREAM.
class ClientData final : public ServiceConnection {
 public:
  explicit ClientData(NetperfClient& client) : client_(client) {}

  void opened(Time now) override { client_.begin(now); }
  void receive(ByteView, Time) override {}
  std::size_t to_send(std::size_t at_most, Time now) override { return client_.room(at_most, now); }
  void take(std::span<std::uint8_t> data) override {
    std::fill(data.begin(), data.end(), std::uint8_t{0});
    client_.count(data.size());
  }
  bool leaving() const override { return client_.over(); }
  void ended(Time now) override { client_.data_ended(now); }
  void archive(Archive& a) override { a.section("netperf data", 1); }

 private:
  NetperfClient& client_;
};

}  // namespace

bool NetperfClientConfig::sensible() const {
  const bool datagrams = type == NetperfTestType::udp_stream;
  return (type == NetperfTestType::tcp_stream || datagrams) && length > 0_s && length <= longest_client_test &&
         message_bytes - 1 < (datagrams ? largest_datagram : largest_block) && repetition.sensible();
}

std::span<const ServicePort> NetperfClient::ports() const { return client_ports; }

std::unique_ptr<ServiceConnection> NetperfClient::accept(std::uint16_t port) {
  if (port == netperf_client_control) return std::make_unique<ClientControl>(*this);
  return std::make_unique<ClientData>(*this);
}

// Whole messages that fit in the send buffer, at least one.
std::uint32_t NetperfClient::most_under_way() const {
  const std::uint32_t fragments = (config_->message_bytes + fragment_data - 1) / fragment_data;
  return std::max(run_.buffers.local_send / (fragments * netperf_fragment_bytes), 1u);
}

Time NetperfClient::due() const {
  if (!config_) return Time::never();
  switch (run_.phase) {
    case Phase::calling:
    case Phase::joining: return run_.called ? Time::never() : run_.next;
    case Phase::running: {
      const Time end = run_.began + config_->length;
      return datagrams() && run_.under_way < most_under_way() ? std::min(run_.next, end) : end;
    }
    default: return Time::never();
  }
}

std::vector<OwnConnection> NetperfClient::own_connections(Time now) {
  if (now < due()) return {};
  if (run_.phase == Phase::running && now >= run_.began + config_->length) {
    run_.phase = Phase::ending;
    if (datagrams()) stop_clock(now);
    return {};
  }
  if (run_.phase != Phase::calling && run_.phase != Phase::joining) return {};
  run_.called = true;
  if (run_.phase == Phase::calling) return {{config_->server, netperf_client_control, config_->port}};
  return {{config_->server, own_data_port(), run_.data_port}};
}

std::vector<OwnDatagram> NetperfClient::own_datagrams(std::size_t, Time now) {
  std::vector<OwnDatagram> out;
  if (!datagrams() || run_.phase != Phase::running || now < run_.next) return out;
  for (; run_.under_way < most_under_way(); ++run_.under_way, ++run_.messages)
    out.push_back({config_->server, own_data_port(), run_.data_port, Bytes(config_->message_bytes), 0, true});
  return out;
}

void NetperfClient::own_sent(bool sent, Time now) {
  if (!run_.under_way) return;
  --run_.under_way;
  run_.next = sent ? now : now + given_up_pause;
}

void NetperfClient::connected(Time now) {
  run_.phase = Phase::ready;
  run_.next = now;
}

Bytes NetperfClient::ask() {
  run_.phase = Phase::asking;
  using namespace netperf;
  run_.buffers.local_send = linux_buffer(run_.wanted.local_send, socket_buffer_, least_send_buffer);
  run_.buffers.local_receive = linux_buffer(run_.wanted.local_receive, socket_buffer_, least_receive_buffer);
  NetperfRecord r(static_cast<std::uint32_t>(config_->type));
  const auto seconds = static_cast<std::uint32_t>((config_->length + 1_s - Time{1}) / 1_s);
  constexpr std::uint32_t alignment = 8;
  if (datagrams()) {
    r.set(udp_wants_receive, run_.wanted.remote_receive);
    r.set(udp_message, config_->message_bytes);
    r.set(specific + 2, alignment);
    r.set(udp_length, seconds);
  } else {
    r.set(stream_wants_send, run_.wanted.remote_send);
    r.set(stream_wants_receive, run_.wanted.remote_receive);
    r.set(specific + 3, alignment);
    r.set(stream_length, seconds);
  }
  return r.bytes();
}

void NetperfClient::take_record(ByteView record, Time now) {
  using namespace netperf;
  const NetperfRecord r(Bytes(record.begin(), record.end()));
  const auto type = static_cast<std::uint32_t>(config_->type);
  const bool response = run_.phase == Phase::asking && r[type_word] == type + 1;
  const bool results = run_.phase >= Phase::running && !run_.has_results;  // of any type: netserver swaps it twice
  if (finished()) return;
  if (r[error_word] || (!response && !results)) {
    run_.error = r[error_word];
    run_.phase = Phase::failed;
    return;
  }
  if (response) {
    run_.data_port = static_cast<std::uint16_t>(r[datagrams() ? udp_data_port : stream_data_port]);
    run_.buffers.remote_send = r[datagrams() ? udp_send_buffer : stream_send_buffer];
    run_.buffers.remote_receive = r[datagrams() ? udp_receive_buffer : stream_receive_buffer];
    run_.called = false;
    run_.next = now;
    run_.phase = Phase::joining;
    if (datagrams()) begin(now);
    return;
  }
  run_.has_results = true;
  const double bytes = r.real(stream_bytes);
  run_.received = datagrams() ? r[udp_messages] : bytes >= 0 && bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) : 0;
  if (run_.phase == Phase::ending && run_.stopped_clock) end_run(now);
}

void NetperfClient::begin(Time now) {
  run_.phase = Phase::running;
  run_.called = false;
  run_.began = run_.next = now;
}

std::size_t NetperfClient::room(std::size_t at_most, Time now) const {
  return run_.phase == Phase::running && now < run_.began + config_->length ? at_most : 0;
}

void NetperfClient::stop_clock(Time now) {
  if (run_.stopped_clock) return;
  run_.stopped_clock = true;
  run_.stopped = now;
  if (run_.has_results) end_run(now);
}

bool NetperfClient::enough() const {
  const NetperfRepetition& wanted = config_->repetition;
  const std::size_t runs = outcomes_.size();
  if (runs < wanted.least) return false;
  const bool met = runs > 1 && width() * 1e6 <= wanted.width;
  return met || runs + 1 >= wanted.most;
}

// The values returned by getsockopt() are requested in the next run.
void NetperfClient::end_run(Time now) {
  outcomes_.push_back(
      {run_.began, elapsed(), datagrams() ? run_.messages : run_.sent_bytes, run_.received, run_.buffers});
  if (enough()) {
    run_.phase = Phase::done;
    return;
  }
  Run next;
  next.phase = Phase::ready;
  next.next = now;
  next.under_way = run_.under_way;
  next.wanted = run_.buffers;
  run_ = next;
}

void NetperfClient::data_ended(Time now) {
  if (run_.phase == Phase::ending)
    stop_clock(now);
  else if (!finished())
    run_.phase = Phase::failed;  // refused, or closed by the server before the end
}

void NetperfClient::control_ended(Time now) {
  if (run_.phase == Phase::calling) {
    run_.called = false;
    run_.next = now + netperf_client_patience;
  } else if (!finished()) {
    run_.phase = Phase::failed;
  }
}

double NetperfClient::mbit_per_s(const NetperfOutcome& outcome) const {
  if (outcome.elapsed <= Time{}) return 0;
  const double bytes = static_cast<double>(outcome.received) * (datagrams() ? config_->message_bytes : 1);
  return bytes * 8e-6 / outcome.elapsed.seconds();
}

double NetperfClient::width() const {
  std::vector<double> results;
  for (const NetperfOutcome& outcome : outcomes_) results.push_back(mbit_per_s(outcome));
  return netperf_width(results, config_->repetition.level);
}

void NetperfClient::start(const NetperfClientConfig& config, Time now) {
  config_ = config;
  outcomes_.clear();
  run_ = {};
  run_.next = now;
  run_.wanted = config.buffers;
}

void NetperfClient::archive_used(Archive& a) {
  a.section("netperf client", 3);
  a(config_);
  run_.archive(a);
  a(outcomes_);
  const auto in_reach = [](Time t) { return t >= Time{} && t < Time::never() - longest_client_test; };
  const auto runs_fit = [&] {
    const std::size_t runs = outcomes_.size(), most = config_->repetition.limit();
    for (const NetperfOutcome& run : outcomes_)
      if (!in_reach(run.began) || run.elapsed < Time{} || run.elapsed > Time::never() - run.began) return false;
    if (run_.phase == Phase::done) return runs >= 1 && runs <= most;
    return runs < most;
  };
  const bool good = config_ && config_->sensible() && run_.phase <= Phase::failed && runs_fit() &&
                    in_reach(run_.next) && in_reach(run_.began) && in_reach(run_.stopped) &&
                    run_.buffers.local_send <= largest_client_buffer;
  if (a.loading() && !good)
    throw Error("the snapshot's netperf client has values that it never has; the file is damaged, take a new one",
                ExitCode::missing_file);
}

}  // namespace planar::net
