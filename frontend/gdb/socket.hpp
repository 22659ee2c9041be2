// SPDX-License-Identifier: GPL-2.0-or-later
// A TCP port of the host that serves one client at a time. The only part of the debugger that uses sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace planar::gdb {

struct Endpoint {
  bool wait = false;  ///< the run begins when the client says so
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free port
};

/// Parses `[wait:][HOST:]PORT`; an IPv6 address is written in brackets. Throws Error.
Endpoint parse_endpoint(const std::string& text);

class Socket {
 public:
  /// Starts listening. Throws Error naming the address and the remedy.
  explicit Socket(const Endpoint& endpoint);
  ~Socket();
  Socket(const Socket&) = delete;

  /// The port that it listens on.
  std::uint16_t port() const { return port_; }
  bool connected() const { return client_ >= 0; }
  /// Waits up to `milliseconds` (negative: forever, or until a signal) for a client or, if one is connected, for bytes;
  /// meanwhile other clients' connections are closed. False: nothing has arrived.
  bool wait(int milliseconds);
  /// Accepts a waiting client if none is connected.
  bool accept();
  static constexpr std::size_t most_read = 65536;

  /// The bytes that have arrived, without waiting, at most `most_read`; nothing after the end of the connection, which
  /// disconnects the client.
  std::optional<std::string> read();
  /// Sends all bytes. A client that is gone or accepts nothing for ten seconds is disconnected.
  void write(std::string_view bytes);
  void disconnect();

 private:
  int listener_ = -1;
  int client_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace planar::gdb
