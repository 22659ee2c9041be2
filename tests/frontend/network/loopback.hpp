// SPDX-License-Identifier: GPL-2.0-or-later
// The host's side of a run through slirp: sockets on the loopback interface, with planar running beside the test.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>
#include <vector>

#include "devices/stations/host/descriptor.hpp"
#include "tests/frontend/guest_diskette.hpp"
#include "tests/frontend/program.hpp"

namespace program {

using planar::net::Descriptor;

/// Long enough for the slowest build on a busy host; a run that takes this long has failed.
inline constexpr int patience = 300'000;  // ms

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  a.sin_port = htons(port);
  return a;
}

/// A socket listening on a port of its own.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    auto a = loopback(0);
    socklen_t length = sizeof a;
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) < 0 || ::listen(socket_.get(), 4) < 0 ||
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&a), &length) < 0)
      throw std::runtime_error("no socket on the loopback");
    port_ = ntohs(a.sin_port);
  }
  std::uint16_t port() const { return port_; }
  /// The next connection; none if none arrives.
  Descriptor accept(int milliseconds = patience) const {
    pollfd p{socket_.get(), POLLIN, 0};
    if (::poll(&p, 1, milliseconds) <= 0) return Descriptor();
    return Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

/// A port that was free a moment ago.
inline std::uint16_t free_port() { return Listener().port(); }

/// The first of `count` ports in a row that were free a moment ago, over TCP and UDP. They are below the host's
/// ephemeral ports, which other tests may be given at the same time.
inline std::uint16_t free_ports(unsigned count) {
  const auto is_free = [](std::uint16_t port, int type) {
    const Descriptor s(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
    const auto a = loopback(port);
    return ::bind(s.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0;
  };
  auto first = static_cast<std::uint16_t>(20'000 + ::getpid() % 10'000);
  for (unsigned found = 0; found < count;) {
    const auto port = static_cast<std::uint16_t>(first + found);
    if (is_free(port, SOCK_STREAM) && is_free(port, SOCK_DGRAM)) {
      ++found;
    } else {
      first = static_cast<std::uint16_t>(port + 1);
      found = 0;
    }
    if (first > 32'000) throw std::runtime_error("no free ports on the loopback");
  }
  return first;
}

/// Up to `bytes` bytes, fewer at the end of the connection.
inline std::vector<std::uint8_t> receive(const Descriptor& s, std::size_t bytes) {
  std::vector<std::uint8_t> all(bytes);
  std::size_t at = 0;
  while (at < bytes) {
    pollfd p{s.get(), POLLIN, 0};
    const ssize_t n = ::poll(&p, 1, patience) > 0 ? ::recv(s.get(), all.data() + at, bytes - at, 0) : 0;
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  all.resize(at);
  return all;
}

inline bool send(const Descriptor& s, const std::vector<std::uint8_t>& data) {
  std::size_t at = 0;
  while (at < data.size()) {
    const ssize_t n = ::send(s.get(), data.data() + at, data.size() - at, MSG_NOSIGNAL);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

/// `planar ARGUMENTS` beside the test; ended together with it.
class Beside {
 public:
  /// `before`: shell commands, such as a limit ("ulimit -n 6;").
  Beside(const Scratch& scratch, const std::string& arguments, const std::string& before = {})
      : out_(scratch.file("beside-out")), err_(scratch.file("beside-err")) {
    const auto command =
        before + "exec '" + std::string(PLANAR_BINARY) + "' " + arguments + " </dev/null >" + out_ + " 2>" + err_;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~Beside() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Beside(const Beside&) = delete;

  /// Waits until `file` contains `text`. False if planar has ended before, or it did not appear.
  bool until(const std::string& file, const std::string& text) {
    for (int waited = 0; waited < patience; waited += 20) {
      if (read_file(file).find(text) != std::string::npos) return true;
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        ended_ = status;
        pid_ = -1;
        return read_file(file).find(text) != std::string::npos;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  /// Waits for its end.
  Said end() {
    if (pid_ > 0) ::waitpid(pid_, &ended_, 0);
    pid_ = -1;
    return {WIFEXITED(ended_) ? WEXITSTATUS(ended_) : 128, read_file(out_), read_file(err_)};
  }
  const std::string& err_file() const { return err_; }
  pid_t pid() const { return pid_; }

 private:
  std::string out_, err_;
  pid_t pid_ = -1;
  int ended_ = 0;
};

}  // namespace program
