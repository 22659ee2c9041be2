// SPDX-License-Identifier: GPL-2.0-or-later
// A wire between two processes over a stream socket. Each frame is preceded by its length, 32 bits big-endian, the same
// protocol as QEMU's `-netdev socket,connect=` and `listen=`. Both ends use the same address: the first one listens.
// When the other end goes away, the cable is unplugged until another one connects. A wire has two ends: a third planar
// reads the word "busy" in place of a length, reports it, and does not reconnect.
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/common/error.hpp"
#include "devices/stations/host/descriptor.hpp"
#include "devices/stations/host/links.hpp"

namespace planar::net {
namespace {

constexpr std::size_t longest = 65536;           // no frame is longer: the stream is out of sync or not ours
constexpr std::size_t most_unsent = 256 * 1518;  // beyond it the other end is considered stalled and frames are lost
constexpr std::uint32_t busy = 0x62757379;       // "busy"
constexpr int connect_milliseconds = 2000;       // of host time; an address that drops packets never answers
constexpr Time try_again = 1_s;                  // virtual time between two attempts to find the other end

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

constexpr std::string_view unix_prefix = "unix:";

Address resolve(const std::string& text) {
  Address a;
  if (text.starts_with(unix_prefix)) {
    auto& address = reinterpret_cast<sockaddr_un&>(a.storage);
    address.sun_family = AF_UNIX;
    text.copy(address.sun_path, sizeof address.sun_path - 1, unix_prefix.size());
    a.length = sizeof address;
    return a;
  }
  const auto colon = text.rfind(':');
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(text.substr(0, colon).c_str(), text.substr(colon + 1).c_str(), &hints, &found))
    throw Error(fmt::format("--net socket:{}: {}; write an address of this host or of the other end", text,
                            gai_strerror(error)));
  std::memcpy(&a.storage, found->ai_addr, found->ai_addrlen);
  a.length = found->ai_addrlen;
  ::freeaddrinfo(found);
  return a;
}

class SocketLink final : public HostLink {
 public:
  explicit SocketLink(const std::string& text) : text_(text), address_(resolve(text)) {
    if (const int reason = open(); reason)
      throw Error(
          fmt::format("--net socket:{}: nobody listens there, and planar cannot either: {}; write an address of this "
                      "host at the first end, and the same at the second",
                      text_, std::strerror(reason)));
  }
  ~SocketLink() override {
    // Removes only the socket that this process has bound: it may have been replaced.
    if (const auto there = socket_file(); there && there == bound_) ::unlink(path());
  }

  void send(ByteView frame, Time) override {
    if (!peer_ || unsent_.size() > most_unsent) return;
    put32(unsent_, static_cast<std::uint32_t>(frame.size()));
    put(unsent_, frame);
    flush();
  }

  bool exchange(Time now, HostDuration at_most) override {
    if (!peer_ && !listener_ && !refused_ && now >= retry_) {
      open();
      retry_ = now + try_again;
    }
    if (peer_) flush();
    const short wanted = static_cast<short>(peer_ && !unsent_.empty() ? POLLIN | POLLOUT : POLLIN);
    // poll() ignores negative descriptors.
    std::array<pollfd, 2> p{pollfd{peer_.get(), wanted, 0}, pollfd{listener_.get(), POLLIN, 0}};
    if (!wait_for(p, at_most)) return false;
    if (p[0].revents) receive();
    if (p[1].revents) accept();
    return true;
  }

 private:
  // Connects, or listens if nobody does. Returns 0 or the errno.
  int open() {
    Descriptor s = make();
    if (!s) return errno;
    const int error = connect(s.get());
    if (error == 0) {
      begin(std::move(s));
      return 0;
    }
    if (error == ETIMEDOUT || error == EAGAIN) return error;  // another process holds the address but does not respond
    if (error == ECONNREFUSED) remove_abandoned();
    s = make();
    if (!s) return errno;
    const int on = 1;
    ::setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(s.get(), address_.get(), address_.length) < 0 || ::listen(s.get(), 1) < 0) return errno;
    listener_ = std::move(s);
    bound_ = socket_file();
    return 0;
  }

  // 0 or the errno; never longer than connect_milliseconds.
  int connect(int s) const {
    ::fcntl(s, F_SETFL, ::fcntl(s, F_GETFL) | O_NONBLOCK);
    if (::connect(s, address_.get(), address_.length) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    pollfd p{s, POLLOUT, 0};
    if (!wait_for({&p, 1}, std::chrono::milliseconds(connect_milliseconds))) return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &length);
    return error;
  }

  // Removes the Unix socket of a process that died; any other file stays, and bind() reports it.
  void remove_abandoned() const {
    if (socket_file()) ::unlink(path());
  }

  const char* path() const { return text_.c_str() + unix_prefix.size(); }

  struct FileId {
    dev_t device;
    ino_t inode;
    bool operator==(const FileId&) const = default;
  };
  // The socket at the path of a Unix socket, if there is one.
  std::optional<FileId> socket_file() const {
    struct stat status {};
    if (!text_.starts_with(unix_prefix) || ::lstat(path(), &status) != 0 || !S_ISSOCK(status.st_mode))
      return std::nullopt;
    return FileId{status.st_dev, status.st_ino};
  }

  Descriptor make() const { return Descriptor(::socket(address_.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

  void begin(Descriptor s) {
    const int on = 1;
    ::setsockopt(s.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    peer_ = std::move(s);
    received_.clear();
    unsent_.clear();
  }

  void accept() {
    if (Descriptor s(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); s && peer_) {
      Bytes word;
      put32(word, busy);
      ::send(s.get(), word.data(), word.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      sink_->host_note("a third planar was refused: this wire has two ends");
    } else if (s) {
      begin(std::move(s));
      sink_->host_note("the other end is there");
    }
  }

  void lose(const char* why) {
    peer_.reset();
    sink_->host_note(fmt::format("the other end is gone: {}", why));
  }

  void flush() {
    while (!unsent_.empty()) {
      const ssize_t sent = ::send(peer_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR) lose(std::strerror(errno));
        return;
      }
      unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    }
  }

  void receive() {
    const ssize_t size = ::recv(peer_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (size <= 0) {
      if (size == 0)
        lose("it closed");
      else if (errno != EAGAIN && errno != EINTR)
        lose(std::strerror(errno));
      return;
    }
    put(received_, ByteView(buffer_).first(static_cast<std::size_t>(size)));
    std::size_t at = 0;
    while (received_.size() - at >= 4) {
      const std::size_t length = get32(received_, at);
      if (length == busy) {
        refused_ = true;
        lose("two others hold this wire; give this planar another address");
        return;
      }
      if (length > longest) {
        lose("it does not send frames with their lengths");
        return;
      }
      if (received_.size() - at - 4 < length) break;
      sink_->frame_from_host(ByteView(received_).subspan(at + 4, length));
      at += 4 + length;
    }
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::string text_;
  Address address_;
  Descriptor listener_, peer_;
  std::optional<FileId> bound_;  // the listener's file, for a Unix socket
  Bytes received_, unsent_;
  bool refused_ = false;
  Time retry_{};
  std::array<std::uint8_t, 65536> buffer_{};
};

}  // namespace

bool socket_address_good(const std::string& text) {
  if (text.starts_with(unix_prefix))
    return text.size() > unix_prefix.size() && text.size() - unix_prefix.size() < sizeof(sockaddr_un::sun_path);
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + colon + 1, end, port);
  return error == std::errc{} && last == end && port > 0;
}

std::unique_ptr<HostLink> open_socket(const std::string& address) { return std::make_unique<SocketLink>(address); }

}  // namespace planar::net
