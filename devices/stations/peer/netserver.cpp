// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/netserver.hpp"

#include <algorithm>
#include <optional>

#include "devices/stations/peer/netperf_records.hpp"
#include "devices/stations/peer/peer_tcp.hpp"

namespace planar::net {
namespace {

using namespace netperf;

constexpr std::uint16_t data_port = netperf_port + 1;  // for the first slot
constexpr auto netserver_ports = [] {
  constexpr std::size_t tcp = 1 + NetserverService::slots;
  std::array<ServicePort, tcp + NetserverService::slots> ports{};
  for (std::size_t n = 0; n < tcp; ++n) ports[n].number = static_cast<std::uint16_t>(netperf_port + n);
  for (std::size_t n = tcp; n < ports.size(); ++n)
    ports[n] = {Transport::udp, static_cast<std::uint16_t>(data_port + n - tcp)};
  return ports;
}();

constexpr std::uint32_t unknown_test = 998, no_room = 105, bad_request = 22;  // error numbers in a response
constexpr std::uint32_t largest_message = 1 << 20;
constexpr std::uint32_t largest_buffer = 1 << 20;  // accepted from a snapshot
constexpr std::uint32_t largest_datagram = 65507;  // without IP and UDP headers
constexpr std::uint32_t longest_test = 3600;       // seconds

bool known(NetperfTestType type) {
  using enum NetperfTestType;
  return type == tcp_stream || type == tcp_rr || type == udp_stream || type == udp_rr || type == tcp_crr;
}

/// A client's control connection: one test after another.
class Control final : public ServiceConnection {
 public:
  Control(std::array<NetserverTest, NetserverService::slots>& tests, std::uint32_t socket_buffer)
      : tests_(tests), socket_buffer_(socket_buffer) {}

  void receive(ByteView data, Time now) override {
    now_ = now;
    in_.insert(in_.end(), data.begin(), data.end());
    next_request();
  }
  // If a client requests the next test before the results, its request waits in the connection.
  bool reading() const override { return in_.size() < netperf_record_bytes; }

  std::size_t to_send(std::size_t at_most, Time now) override {
    now_ = now;
    if (out_.empty() && test() && over(*test(), now)) report(now);
    return std::min(at_most, out_.size());
  }
  void take(std::span<std::uint8_t> data) override {
    const auto end = out_.begin() + static_cast<std::ptrdiff_t>(data.size());
    std::copy(out_.begin(), end, data.begin());
    out_.erase(out_.begin(), end);
    if (out_.empty()) next_request();
  }
  Time due() const override { return test() ? test()->deadline() : Time::never(); }
  void ended(Time) override {
    if (test()) {
      const bool data_connection = test()->state == NetserverTest::State::running && test()->one_connection();
      test()->state = data_connection ? NetserverTest::State::abandoned : NetserverTest::State::free;
    }
    slot_.reset();
  }
  void archive(Archive& a) override {
    a.section("netserver control", 1);
    a(in_, out_, slot_);
    if (a.loading() && slot_ && *slot_ >= tests_.size()) slot_.reset();  // a damaged snapshot
  }

 private:
  NetserverTest* test() const { return slot_ ? &tests_[*slot_] : nullptr; }

  static bool over(const NetserverTest& t, Time now) {
    return t.state == NetserverTest::State::ended || t.state == NetserverTest::State::refused || now >= t.deadline();
  }

  void answer(std::uint32_t type, std::uint32_t error) {
    NetperfRecord record(type);
    record.set(error_word, error);
    out_ = record.bytes();
  }

  void next_request() {
    if (slot_ || !out_.empty() || in_.size() < netperf_record_bytes) return;
    const NetperfRecord request(Bytes(in_.begin(), in_.begin() + netperf_record_bytes));
    in_.erase(in_.begin(), in_.begin() + netperf_record_bytes);
    begin(request);
  }

  void begin(const NetperfRecord& request) {
    NetserverTest t;
    const auto type = request[type_word];
    if (type == debug_on || type == debug_off) return answer(debug_ok, 0);
    t.type = static_cast<NetperfTestType>(type);
    if (!known(t.type)) return answer(0, unknown_test);
    const bool udp_stream = t.type == NetperfTestType::udp_stream;
    const std::uint32_t response_type = type + 1;
    if (!t.stream()) {
      const std::uint32_t seconds = request[udp_stream ? udp_length : rr_length];
      t.request = request[udp_stream ? udp_message : rr_request];
      t.response = udp_stream ? 1 : request[rr_response];
      // A length below 0 is a number of transactions; only the client knows which one is the last.
      const std::uint32_t largest = t.datagrams() ? largest_datagram : largest_message;
      if (t.request - 1 >= largest || t.response - 1 >= largest || seconds - 1 >= longest_test)
        return answer(response_type, bad_request);
      t.length = 1_s * static_cast<std::int64_t>(seconds);
    }
    const auto free = std::find_if(tests_.begin(), tests_.end(),
                                   [](const NetserverTest& s) { return s.state == NetserverTest::State::free; });
    if (free == tests_.end()) return answer(response_type, no_room);
    t.receive_buffer = linux_buffer(request[t.stream()   ? stream_wants_receive
                                            : udp_stream ? udp_wants_receive
                                                         : rr_wants_receive],
                                    socket_buffer_, least_receive_buffer);
    t.send_buffer = udp_stream ? socket_buffer_
                               : linux_buffer(request[t.stream() ? stream_wants_send : rr_wants_send], socket_buffer_,
                                              least_send_buffer);
    t.state = t.one_connection() ? NetserverTest::State::asked : NetserverTest::State::running;
    t.began = now_;
    *free = t;
    slot_ = static_cast<std::uint8_t>(free - tests_.begin());
    NetperfRecord response(response_type);
    const std::size_t port_word = t.stream() ? stream_data_port : udp_stream ? udp_data_port : rr_data_port;
    response.set(port_word, static_cast<std::uint32_t>(data_port + *slot_));
    response.set(t.stream()   ? stream_receive_buffer
                 : udp_stream ? udp_receive_buffer
                              : rr_receive_buffer,
                 t.receive_buffer);
    response.set(t.stream() ? stream_send_buffer : udp_stream ? udp_send_buffer : rr_send_buffer, t.send_buffer);
    if (t.stream()) response.set(stream_receive_size, t.receive_buffer);  // a read takes all data available
    out_ = response.bytes();
  }

  void report(Time now) {
    const NetserverTest& t = *test();
    const Time passed = t.state == NetserverTest::State::ended ? t.stopped - t.began : now - t.began - netperf_pad;
    NetperfRecord results(static_cast<std::uint32_t>(t.type) + 2);
    if (t.state == NetserverTest::State::refused) {
      results.set(error_word, bad_request);
    } else if (t.type == NetperfTestType::udp_stream) {
      results.set(udp_messages, t.calls);
      results.set(udp_bytes, static_cast<std::uint32_t>(t.bytes));
      results.set_seconds(udp_elapsed, passed);
    } else if (t.stream()) {
      results.set_double(stream_bytes, static_cast<double>(t.bytes));
      results.set(stream_calls, t.calls);
      results.set_seconds(stream_elapsed, t.stopped - t.began);
    } else {
      results.set(rr_bytes, t.transactions * (t.request + t.response));
      results.set(rr_transactions, t.transactions);
      results.set_seconds(rr_elapsed, passed);
    }
    out_ = results.bytes();
    test()->state = NetserverTest::State::free;
    slot_.reset();
  }

  std::array<NetserverTest, NetserverService::slots>& tests_;
  const std::uint32_t socket_buffer_;
  Bytes in_, out_;
  std::optional<std::uint8_t> slot_;
  Time now_{};  // time of the latest call that passes it; take() follows to_send() at the same time
};

/// A data connection of one slot. Data is discarded if the slot has no test.
class Data final : public ServiceConnection {
 public:
  explicit Data(NetserverTest& test) : test_(test) {}

  std::uint32_t receive_buffer() const override { return test_.receive_buffer; }
  void receive(ByteView data, Time now) override {
    if (test_.state == NetserverTest::State::asked) {
      test_.state = NetserverTest::State::running;
      test_.began = now;
    }
    if (test_.state != NetserverTest::State::running || test_.datagrams()) return;
    if (test_.type == NetperfTestType::tcp_crr) return take_request(data.size());
    test_.bytes += data.size();
    ++test_.calls;
    if (test_.stream()) return;
    in_request_ += data.size();
    const auto complete = static_cast<std::uint32_t>(in_request_ / test_.request);
    in_request_ %= test_.request;
    test_.transactions += complete;
    owed_ += std::uint64_t{complete} * test_.response;
  }
  std::size_t to_send(std::size_t at_most, Time) override {
    return static_cast<std::size_t>(std::min<std::uint64_t>(at_most, owed_));
  }
  void take(std::span<std::uint8_t> data) override {
    std::fill(data.begin(), data.end(), std::uint8_t{0});
    owed_ -= data.size();
  }
  bool leaving() const override {
    return test_.type == NetperfTestType::tcp_crr && in_request_ == test_.request && owed_ == 0;
  }
  void ended(Time now) override {
    if (!test_.one_connection()) return;
    if (test_.state == NetserverTest::State::abandoned) test_.state = NetserverTest::State::free;
    if (test_.state == NetserverTest::State::free) return;
    if (test_.state == NetserverTest::State::asked) test_.began = now;  // it never sent anything
    test_.state = NetserverTest::State::ended;
    test_.stopped = now;
  }
  void archive(Archive& a) override {
    a.section("netserver data", 1);
    a(in_request_, owed_);
  }

 private:
  // The connection's only request; anything after it is not read.
  void take_request(std::size_t bytes) {
    if (in_request_ == test_.request) return;
    test_.bytes += bytes;
    ++test_.calls;
    in_request_ = std::min<std::uint64_t>(in_request_ + bytes, test_.request);
    if (in_request_ < test_.request) return;
    ++test_.transactions;
    owed_ = test_.response;
  }

  NetserverTest& test_;
  std::uint64_t in_request_ = 0, owed_ = 0;  // bytes
};

}  // namespace

// One that the receive buffer does not hold is dropped, although the station reads every datagram at once (Linux 2.2,
// sock_queue_rcv_skb); of several fragments, as the one buffer into which they are joined. Longer ones than the request
// are truncated to its size, as by recv().
std::optional<Bytes> NetserverTest::take_datagram(std::size_t size, Time now) {
  constexpr std::uint32_t ip_and_udp = 20 + 8;
  if (PeerTcp::truesize(static_cast<std::uint32_t>(size) + ip_and_udp) >= receive_buffer) return std::nullopt;
  const bool whole = size >= request;
  bytes += std::min<std::size_t>(size, request);
  if (type == NetperfTestType::udp_stream) {
    calls += whole;
    if (whole) return std::nullopt;
    state = State::ended;
    stopped = now;
    return std::nullopt;
  }
  if (!whole) {
    state = State::refused;
    return std::nullopt;
  }
  ++transactions;
  return Bytes(response, 0);
}

void NetserverTest::archive(Archive& a) {
  a(state, type, request, response, send_buffer, receive_buffer, length, began, stopped, bytes, calls, transactions);
  if (!a.loading()) return;  // a damaged snapshot
  request = std::clamp(request, 1u, largest_message);
  response = std::clamp(response, 1u, largest_message);
  receive_buffer = std::min(receive_buffer, largest_buffer);
}

std::span<const ServicePort> NetserverService::ports() const { return netserver_ports; }

std::size_t NetserverService::slot_of(std::uint16_t port) { return std::min<std::size_t>(port - data_port, slots - 1); }

std::unique_ptr<ServiceConnection> NetserverService::accept(std::uint16_t port) {
  if (port == netperf_port) return std::make_unique<Control>(tests_, socket_buffer_);
  return std::make_unique<Data>(tests_[slot_of(port)]);
}

bool NetserverService::bound(std::uint16_t port) const {
  const NetserverTest& test = tests_[slot_of(port)];
  return test.state == NetserverTest::State::running && test.datagrams();
}

std::optional<Bytes> NetserverService::datagram(const DatagramSender&, std::uint16_t port, ByteView data, Time now) {
  return tests_[slot_of(port)].take_datagram(data.size(), now);
}

void NetserverService::archive(Archive& a) {
  a.section("netserver", 2);
  for (NetserverTest& t : tests_) t.archive(a);
}

}  // namespace planar::net
