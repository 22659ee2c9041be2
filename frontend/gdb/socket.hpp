// SPDX-License-Identifier: GPL-2.0-or-later
// A TCP port of the host on which one client at a time is served. The only place of the debugger that knows sockets.
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
  std::uint16_t port = 0;  ///< 0: any that is free
};

/// Parses `[wait:][HOST:]PORT`; an IPv6 address stands in brackets. Throws Error.
Endpoint parse_endpoint(const std::string& text);

class Socket {
 public:
  /// Listens. Throws Error naming the address and the remedy.
  explicit Socket(const Endpoint& endpoint);
  ~Socket();
  Socket(const Socket&) = delete;

  /// The port that it listens on.
  std::uint16_t port() const { return port_; }
  bool connected() const { return client_ >= 0; }
  /// Waits up to `milliseconds` (negative: for ever, but not beyond a signal) for a client or, with one, for bytes;
  /// another client's connection is closed meanwhile. False: there is nothing.
  bool wait(int milliseconds);
  /// Takes the client that waits, if one does and there is none.
  bool accept();
  static constexpr std::size_t most_read = 65536;

  /// What has arrived, without waiting, at most `most_read` bytes; nothing (and the client is gone) after the end of
  /// the connection.
  std::optional<std::string> read();
  /// Sends all of it. A client that is gone, or takes nothing for ten seconds, is disconnected.
  void write(std::string_view bytes);
  void disconnect();

 private:
  int listener_ = -1;
  int client_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace planar::gdb
