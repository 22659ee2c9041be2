// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/gdb/socket.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>

#include "core/common/error.hpp"
#include "machines/config/units.hpp"

namespace planar::gdb {

namespace {

constexpr int patience = 10'000;  // milliseconds for a client to accept data

bool ready(int fd, short events, int milliseconds) {
  pollfd p{fd, events, 0};
  return ::poll(&p, 1, milliseconds) > 0;
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

/// A listening socket, or -1 with errno set.
int listen_at(const addrinfo& a) {
  const int fd = ::socket(a.ai_family, a.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a.ai_protocol);
  if (fd < 0) return -1;
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd, a.ai_addr, a.ai_addrlen) == 0 && ::listen(fd, 1) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

}  // namespace

Endpoint parse_endpoint(const std::string& text) {
  Endpoint endpoint;
  std::string_view rest = text;
  const auto refuse = [&] {
    throw Error(fmt::format("--gdb {}: write a port (1234) or HOST:PORT, optionally preceded by wait:", text));
  };
  if (rest.starts_with("wait:")) {
    endpoint.wait = true;
    rest.remove_prefix(5);
  }
  if (const auto colon = rest.rfind(':'); colon != std::string_view::npos) {
    std::string_view host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.empty()) refuse();
    endpoint.host = host;
    rest.remove_prefix(colon + 1);
  }
  const auto port = parse_number(rest);
  if (!port || *port > 0xFFFF) refuse();
  endpoint.port = static_cast<std::uint16_t>(*port);
  return endpoint;
}

Socket::Socket(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (error != 0)
    throw Error(fmt::format("--gdb: {}: {}; give an address of this host", endpoint.host, ::gai_strerror(error)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  for (const addrinfo* a = list.get(); a && listener_ < 0; a = a->ai_next) listener_ = listen_at(*a);
  if (listener_ < 0)
    throw Error(fmt::format("--gdb: cannot listen on {}:{}: {}; give {}", endpoint.host, endpoint.port,
                            std::strerror(errno), errno == EADDRNOTAVAIL ? "an address of this host" : "another port"));
  port_ = bound_port(listener_);
}

Socket::~Socket() {
  disconnect();
  ::close(listener_);
}

bool Socket::wait(int milliseconds) {
  if (!connected()) return ready(listener_, POLLIN, milliseconds);
  pollfd both[] = {{client_, POLLIN, 0}, {listener_, POLLIN, 0}};
  while (::poll(both, std::size(both), milliseconds) > 0) {
    if (both[0].revents != 0) return true;  // possibly its end: the other one is then the next client
    const int other = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (other < 0) return false;
    ::close(other);
  }
  return false;
}

bool Socket::accept() {
  if (connected()) return false;
  client_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (!connected()) return false;
  const int on = 1;
  ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return true;
}

std::optional<std::string> Socket::read() {
  if (!connected()) return {};
  std::string all(most_read, '\0');
  std::size_t size = 0;
  bool ended = false;
  while (size < most_read && !ended) {
    const auto n = ::recv(client_, all.data() + size, most_read - size, 0);
    if (n > 0) {
      size += static_cast<std::size_t>(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
      break;
    } else {
      ended = true;
    }
  }
  if (ended && size == 0) {  // an end after bytes is reported by the next call
    disconnect();
    return {};
  }
  all.resize(size);
  return all;
}

void Socket::write(std::string_view bytes) {
  while (connected() && !bytes.empty()) {
    const auto n = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0)
      bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (n < 0 && errno == EINTR)
      continue;
    else if (!(n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && ready(client_, POLLOUT, patience)))
      disconnect();
  }
}

void Socket::disconnect() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

}  // namespace planar::gdb
