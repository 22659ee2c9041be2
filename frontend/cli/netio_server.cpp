// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netio-server`: netio's server on the host, for guests that reach it through slirp or a tap device (and for
// netio clients of all generations). It uses host time and host sockets and takes no part in any emulation.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <list>
#include <memory>

#include "devices/stations/host/descriptor.hpp"
#include "devices/stations/host/host_net.hpp"
#include "devices/stations/peer/netio_protocol.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "machines/config/units.hpp"

namespace planar {

namespace {

constexpr std::size_t most_connections = 64;
constexpr std::size_t chunk = 65536;
constexpr Time byte_at_least = Time{1'000'000'000'000 / 1024};  // 1 KB/s: a guest far slower than real time

struct ServerOptions {
  std::string listen = fmt::format("127.0.0.1:{}", net::netio_port);
  std::string seconds = "6";
  std::string idle = "60";
  std::optional<std::string> json;
  bool once = false;
};

/// Host time since the start, as the protocol requires.
Time host_now() {
  static const auto start = std::chrono::steady_clock::now();
  return Time{std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count() *
              1000};
}

std::string name_of(const sockaddr_in& a) {
  return fmt::format("{}:{}", net::format_ipv4(ntohl(a.sin_addr.s_addr)), ntohs(a.sin_port));
}

class Connection {
 public:
  Connection(net::Descriptor socket, std::string client, Time duration)
      : socket_(std::move(socket)), client_(std::move(client)), service_(duration), since_(host_now()) {}

  /// The events to wait for: always readable; writable while there is something to send.
  pollfd wanted() {
    const bool sending = unsent_ < filled_ || service_.to_send(1, host_now()) > 0;
    return {socket_.get(), static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), 0};
  }

  /// The connection has been idle for `limit`: its client has gone without closing it, was never a netio client, or
  /// sends an occasional byte to keep it open. Each transfer counts as activity for the time it would take at 1 KB/s.
  bool idle(Time limit) const { return host_now() - busy_until_ >= limit; }
  /// False when the connection is over.
  bool serve(short events) {
    if (events & (POLLIN | POLLHUP | POLLERR)) {
      const ssize_t n = ::recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
      if (n > 0) moved(n);
      if (n > 0) service_.receive(net::ByteView(buffer_).first(static_cast<std::size_t>(n)), host_now());
    }
    if (events & POLLOUT) {
      if (unsent_ == filled_) fill();
      const ssize_t n =
          ::send(socket_.get(), outgoing_.data() + unsent_, filled_ - unsent_, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (n > 0) moved(n);
      if (n > 0) unsent_ += static_cast<std::size_t>(n);
    }
    return !service_.leaving();
  }

  const char* generation() const {
    switch (service_.generation()) {
      case net::NetioSession::Generation::first: return "up to 1.14";
      case net::NetioSession::Generation::second: return "1.16 and later";
      default: return "nothing of netio";
    }
  }
  double seconds() const { return (host_now() - since_).seconds(); }
  nlohmann::ordered_json json() const {
    return {{"schema", "planar.netio-server/2"}, {"client", client_},
            {"generation", generation()},        {"received_bytes", service_.received()},
            {"sent_bytes", service_.sent()},     {"host", {{"seconds", rounded(seconds(), 3)}}}};
  }
  std::string text() const {
    return fmt::format("{}: netio {}, {} KB received, {} KB sent, {:.1f} s host", client_, generation(),
                       service_.received() / 1024, service_.sent() / 1024, seconds());
  }

 private:
  void moved(ssize_t bytes) { busy_until_ = std::min(busy_until_ + byte_at_least * bytes, host_now()); }
  void fill() {
    unsent_ = filled_ = 0;
    while (const std::size_t n = service_.to_send(outgoing_.size() - filled_, host_now())) {
      service_.take(std::span(outgoing_).subspan(filled_, n));
      filled_ += n;
    }
  }

  net::Descriptor socket_;
  std::string client_;
  net::NetioSession service_;
  Time since_, busy_until_ = since_;  // as if its bytes had moved without pause at the lowest rate
  std::size_t unsent_ = 0, filled_ = 0;
  std::array<std::uint8_t, chunk> buffer_{}, outgoing_{};
};

net::Descriptor listen_at(const std::string& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const auto colon = text.rfind(':');
  unsigned port = 0;
  const char* end = text.data() + text.size();
  const char* digits = text.data() + (colon == std::string::npos ? 0 : colon + 1);
  const auto [last, error] = std::from_chars(digits, end, port);
  const std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  if (error != std::errc{} || last != end || port > 65535 || ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
    throw Error(fmt::format("--listen {}: write ADDRESS:PORT, for example 127.0.0.1:{} (port 0: any free one)", text,
                            net::netio_port));
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  net::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 ||
      ::listen(socket.get(), 16) < 0)
    throw Error(fmt::format("--listen {}: {}; {}", text, std::strerror(errno),
                            errno == EADDRINUSE
                                ? "another server holds the port, choose another one (the guest's --port)"
                                : "see `ip addr` for this host's addresses"));
  socklen_t length = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
  say("planar: netio server on {}, all versions\n", name_of(address));
  return socket;
}

int run(const ServerOptions& o) {
  const auto duration = parse_time(o.seconds + " s");
  if (!duration || *duration < 10_ms || *duration > 3600_s)
    throw Error(fmt::format("--seconds {}: expects 0.01 to 3600", o.seconds));
  if (o.json && !o.once) throw Error("--json: the result is of one connection; add --once");
  const auto idle = parse_time(o.idle + " s");
  if (!idle || *idle < 100_ms) throw Error(fmt::format("--idle {}: expects seconds, at least 0.1", o.idle));
  const Interruption interruption;
  const net::Descriptor listener = listen_at(o.listen);
  Time deaf_until{};  // the process had no descriptor left for another connection
  std::list<Connection> connections;
  std::vector<pollfd> fds;
  for (;;) {
    fds.clear();
    for (Connection& c : connections) fds.push_back(c.wanted());
    const bool listens = connections.size() < most_connections && host_now() >= deaf_until;
    if (listens) fds.push_back({listener.get(), POLLIN, 0});
    const bool watches = !connections.empty() || !listens;
    net::wait_for(fds, std::chrono::milliseconds(watches ? std::min<std::int64_t>(*idle / 1_ms, 1000) : 60'000));
    if (Interruption::asked()) return static_cast<int>(interrupted_exit);
    const bool knocked = listens && fds.back().revents;
    std::size_t i = 0;
    for (auto c = connections.begin(); c != connections.end(); ++i) {
      if ((!fds[i].revents || c->serve(fds[i].revents)) && !c->idle(*idle)) {
        ++c;
        continue;
      }
      if (o.json != "-") {
        fmt::print("{}\n", c->text());
        std::fflush(stdout);
      }
      if (o.json) write_json(*o.json, c->json());
      if (o.once) return 0;
      c = connections.erase(c);
    }
    if (!knocked) continue;
    sockaddr_in client{};
    socklen_t length = sizeof client;
    if (net::Descriptor s(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&client), &length, SOCK_CLOEXEC)); s)
      connections.emplace_back(std::move(s), name_of(client), *duration);
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      deaf_until = host_now() + 1_s;  // otherwise the pending client would be reported again at once
  }
}

}  // namespace

Verb add_netio_server(CLI::App& app) {
  auto o = std::make_shared<ServerOptions>();
  CLI::App* verb =
      app.add_subcommand("netio-server", "Serve netio on the host, for guests with --net slirp, tap or pcap");
  verb->add_option("--listen", o->listen, "Address to listen on; only this host reaches a loopback address")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  verb->add_option("--seconds", o->seconds, "How long the server sends for each size (netio from 1.16 on)")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--idle", o->idle,
                   "Close a connection that has been idle for this many seconds in total; each KB transferred offsets "
                   "one of them")
      ->type_name("N")
      ->capture_default_str();
  verb->add_flag("--once", o->once, "End after the first connection");
  add_json_option(*verb, o->json, "Write the connection's counts as JSON");
  return [o] { return run(*o); };
}

}  // namespace planar
