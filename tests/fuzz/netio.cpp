// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for the server's side of netio's protocol, and for the reference station that carries it. Bit 0 of the
// first byte: the protocol on its own, as run by `planar netio-server`, with its bytes cut into pieces; or frames to
// the station, ARP, ICMP, UDP and TCP with valid checksums, from a client that knows what the station has sent so far.
//
// A finding: a crash or sanitizer report, a protocol whose outcome depends on where its bytes are cut, more bytes than
// were requested, and those of device_run.hpp.
#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "devices/stations/peer/generator.hpp"
#include "devices/stations/peer/netio_protocol.hpp"
#include "devices/stations/peer/peer.hpp"
#include "tests/fuzz/device_run.hpp"

namespace {

using namespace planar;
using namespace planar::net;
using fuzz::expect;
using fuzz::Input;

std::vector<std::uint8_t> saved(NetioSession& session) {
  Archive a = Archive::saver();
  session.archive(a);
  return a.stream();
}

/// The client's data in both directions; those of `cut` in pieces.
void protocol(Input& input) {
  NetioSession whole(10_ms), cut(10_ms);
  Time now{};
  std::vector<std::uint8_t> sent(256), other(256);
  while (input.left()) {
    const unsigned first = input.u8();
    now += 1_ms * (first >> 5);
    switch (first & 3) {
      case 0: {
        const auto data = input.take(input.u8());
        whole.receive(data, now);
        for (std::size_t at = 0; at < data.size();) {
          const auto piece = std::min<std::size_t>(1 + (first >> 2 & 7), data.size() - at);
          cut.receive(data.subspan(at, piece), now);
          at += piece;
        }
        break;
      }
      case 1: {  // a record
        std::vector<std::uint8_t> record(8);
        record[3] = first >> 2 & 3;
        for (unsigned n = 4; n < 8; ++n) record[n] = first & 0x10 ? input.u8() : n == 6 ? 4 : 0;
        whole.receive(record, now);
        for (const std::uint8_t& byte : record) cut.receive({&byte, 1}, now);
        break;
      }
      default: {
        const std::size_t most = 1 + (input.u8() & 0xFF);
        const std::size_t n = whole.to_send(most, now);
        expect(n <= most && n <= sent.size(), "more bytes than were asked for");
        expect(cut.to_send(most, now) == n, "another offer after other pieces");
        whole.take(std::span(sent).first(n));
        cut.take(std::span(other).first(n));
        expect(std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(n), other.begin()), "other bytes");
        break;
      }
    }
    expect(saved(whole) == saved(cut), "a course that depends on where the bytes are cut");
  }
}

// clang-format off
enum Operation : unsigned { tcp, udp, icmp, arp, raw, broken, pause, long_pause, follow, segment_of, generate };
// clang-format on
constexpr Ipv4 client_ip = ipv4(192, 168, 10, 2);
constexpr MacAddress client_mac{0x00, 0x00, 0xD8, 1, 2, 3};
constexpr unsigned syn = 2, ack = 16;

class Bench final : public fuzz::DeviceRun<Bench>, private EthernetStation {
 public:
  explicit Bench(std::uint32_t mtu)
      : peer_(scheduler, trace_, wire_, 1, {.mtu = mtu, .services = {.netio_duration = 20_ms}}),
        client_(scheduler, "client", *this, 77) {
    client_.attach(wire_);
    send(arp_request());
    step(2_ms);
    prepared();
  }

  void archive(Archive& a) {
    wire_.archive(a);
    peer_.archive(a);
    client_.archive(a);
    a(next_, expected_);
  }

  void operate(Input& input) {
    static constexpr std::uint16_t ports[] = {netio_port, 7, 9, 80, 5001, generator_port, 0, 65535};
    const unsigned first = input.u8(), high = first >> 4;
    switch (first & 15) {
      case tcp: {  // flags; distance from the expected sequence number; window; data
        const unsigned flags = input.u8();
        const auto ahead = static_cast<std::int8_t>(input.u8());
        const std::uint32_t seq = next_ + static_cast<std::uint32_t>(std::int32_t{ahead} * (high & 8 ? 4096 : 1));
        const unsigned window = input.u16();
        segment(ports[high & 7], {seq, expected_, flags, window}, input, input.u8());
        break;
      }
      case segment_of: {  // anything
        const unsigned port = input.u16();
        const std::uint32_t seq = input.u32(), acknowledged = input.u32();
        const unsigned flags = input.u8(), window = input.u16();
        segment(port, {seq, acknowledged, flags, window}, input, input.u8());
        break;
      }
      case follow: {  // as by a client: a connection, or data in order
        const std::size_t length = high & 4 ? input.u16() % 1461 : input.u8();
        segment(ports[high & 3 ? 0 : 1], {next_, expected_, high & 8 ? syn : ack, 8760}, input, length);
        next_ += static_cast<std::uint32_t>(high & 8 ? 1 : length);
        break;
      }
      case udp: {
        Bytes packet;
        put16(packet, 1024);
        put16(packet, ports[high & 7]);
        const auto data = input.take(input.u8());
        put16(packet, static_cast<std::uint32_t>(8 + data.size()) + (high & 8 ? input.u8() : 0));
        put16(packet, 0);
        put(packet, data);
        send_ip(17, packet, {});
        break;
      }
      case icmp: {
        Bytes message{8, 0, 0, 0};
        put(message, input.take(input.u8()));
        if (high & 1) message[0] = static_cast<std::uint8_t>(input.u8());
        set16(message, 2, checksum_fold(checksum_add(message)));
        send_ip(1, message, {});
        break;
      }
      case arp: {
        Bytes frame = arp_request();
        std::size_t at = 14 + (input.u8() & 31);
        for (const std::uint8_t b : input.take(high))
          if (at < frame.size()) frame[at++] = b;
        send(frame);
        break;
      }
      case raw: {
        Bytes frame(peer_.config().mac.begin(), peer_.config().mac.end());
        put(frame, client_mac);
        put16(frame, high & 1 ? 0x0800 : input.u16());
        put(frame, input.take(input.u8()));
        send(frame);
        break;
      }
      case broken: {  // an IP header with any fields, including options, and its checksum
        const auto header = input.take(20 + 4 * (high & 7));
        if (header.size() < 20) break;
        send_ip(6, Bytes(input.u8()), header);
        break;
      }
      case generate: {  // a request to the generator; bit 0 of `high`: any words, otherwise valid ones
        Bytes packet;
        put16(packet, 1024);
        put16(packet, generator_port);
        put16(packet, 8 + 4 * generator_words);
        put16(packet, 0);
        put32(packet, generator_magic);
        put32(packet, high & 2 ? 2 : 1);
        put32(packet, input.u8());  // run
        put32(packet, 0);
        put32(packet, high & 1 ? input.u32() : 2000);
        put32(packet, high & 1 ? input.u32() : 64 + input.u16() % 1455);
        put32(packet, high & 1 ? input.u32() : 10'000 + input.u16() * 100u);
        put32(packet, high & 1 ? input.u32() : 1 + input.u8());
        put32(packet, high & 1 ? input.u16() : 1 + input.u16() % 20'000u);  // at most 66 ms
        put32(packet, high & 1 ? input.u32() : input.u16());
        packet.resize(8 + 4 * generator_words);
        send_ip(17, packet, {});
        break;
      }
      case pause: step(100_us * input.u8()); break;
      case long_pause: step(10_ms * input.u8()); break;
      default: break;
    }
  }

 private:
  struct Header {
    std::uint32_t seq, ack;
    unsigned flags, window;
  };

  void frame_ends(const Reception& r, Time) override {
    // The client acknowledges everything from the station.
    if (r.length < 58 || get16(r.frame, 12) != 0x0800 || r.frame[23] != 6) return;
    const std::size_t total = get16(r.frame, 16), header = (r.frame[46] >> 4) * 4u;
    if (total < 20 + header || (r.frame[47] & 4)) return;
    expected_ = get32(r.frame, 38) + static_cast<std::uint32_t>(total - 20 - header) + ((r.frame[47] & 3) ? 1 : 0);
  }
  void transmit_ends(const TransmitOutcome&, Time) override {}

  static Bytes arp_request() {
    Bytes f(broadcast_mac.begin(), broadcast_mac.end());
    put(f, client_mac);
    put16(f, 0x0806);
    put(f, Bytes{0, 1, 8, 0, 6, 4, 0, 1});
    put(f, client_mac);
    put32(f, client_ip);
    put(f, Bytes(6, 0));
    put32(f, ipv4(192, 168, 10, 1));
    return f;
  }
  void segment(unsigned port, const Header& h, Input& input, std::size_t length) {
    Bytes t;
    put16(t, 1024);
    put16(t, port);
    put32(t, h.seq);
    put32(t, h.ack);
    const unsigned option_words = h.flags & 0x80 ? input.u8() & 15 : 0;
    t.push_back(static_cast<std::uint8_t>((5 + option_words) << 4));
    t.push_back(static_cast<std::uint8_t>(h.flags & 0x3F));
    put16(t, h.window);
    put32(t, 0);
    const auto options = input.take(4 * option_words);
    put(t, options);
    t.resize(20 + 4 * option_words);
    const auto data = input.take(std::min<std::size_t>(length, 16));  // the rest repeats them
    for (std::size_t n = 0; n < length; ++n) t.push_back(data.empty() ? std::uint8_t{0} : data[n % data.size()]);
    const auto pseudo = checksum_pseudo(client_ip, peer_.config().address, 6, t.size());
    set16(t, 16, checksum_fold(checksum_add(t, pseudo)));
    send_ip(6, t, {});
  }
  Bytes usual_header(unsigned protocol, std::size_t bytes) const {
    Bytes ip{0x45, 0};
    put16(ip, static_cast<std::uint32_t>(20 + bytes));
    put32(ip, 0x00010000);
    ip.push_back(64);
    ip.push_back(static_cast<std::uint8_t>(protocol));
    put16(ip, 0);
    put32(ip, client_ip);
    put32(ip, peer_.config().address);
    return ip;
  }
  void send_ip(unsigned protocol, const Bytes& payload, ByteView header) {
    Bytes f(peer_.config().mac.begin(), peer_.config().mac.end());
    put(f, client_mac);
    put16(f, 0x0800);
    Bytes ip = header.empty() ? usual_header(protocol, payload.size()) : Bytes(header.begin(), header.end());
    set16(ip, 10, 0);
    set16(ip, 10, checksum_fold(checksum_add(ip)));
    put(f, ip);
    put(f, payload);
    send(f);
  }
  void send(Bytes frame) {
    if (client_.busy()) step(2_ms);
    if (client_.busy()) return;
    frame.resize(std::clamp<std::size_t>(frame.size(), 60, 1514));
    append_fcs(frame);
    client_.transmit(frame, now);
  }

  Trace trace_;
  EthernetSegment wire_{{.bits_per_second = 100'000'000}};
  Peer peer_;
  EthernetPort client_;
  std::uint32_t next_ = 1000, expected_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench usual(1500), small(576);
  Input input(std::span(data, size));
  const unsigned first = input.u8();
  if (first & 1)
    protocol(input);
  else
    (first & 2 ? small : usual).run(input, first >> 2, 20_s);
  return 0;
}
