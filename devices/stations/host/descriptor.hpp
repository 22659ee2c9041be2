// SPDX-License-Identifier: GPL-2.0-or-later
// An owning file descriptor, and a wait in host time.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <span>
#include <utility>

#include "devices/stations/host/host_link.hpp"

namespace planar::net {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

/// ppoll() for at most `at_most`. Returns the number of descriptors with an event; 0 (and all revents 0) if a signal or
/// an error ended it.
inline int wait_for(std::span<pollfd> fds, HostDuration at_most) {
  const timespec wait{static_cast<time_t>(at_most.count() / 1'000'000'000), at_most.count() % 1'000'000'000};
  const int ready = ::ppoll(fds.data(), fds.size(), &wait, nullptr);
  if (ready > 0) return ready;
  for (pollfd& p : fds) p.revents = 0;
  return 0;
}

}  // namespace planar::net
