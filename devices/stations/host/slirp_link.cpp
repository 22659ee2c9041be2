// SPDX-License-Identifier: GPL-2.0-or-later
// libslirp as a link: it runs on virtual time, and its sockets are polled in exchange(). The only file that uses
// libslirp.
//
// The guest's network is 192.168.10.0/24 (host_net.hpp). slirp answers ARP, DHCP, ping of its own addresses and name
// queries, and forwards TCP and UDP to wherever this process may connect.
//
// Not forwarded: IPv6, broadcast and multicast other than DHCP, ICMP beyond what the host allows unprivileged
// processes. A snapshot holds no connections: after a restore the guest's are gone, as if a router had been
// power-cycled.
#include <fmt/format.h>
#include <libslirp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/common/error.hpp"
#include "devices/stations/host/descriptor.hpp"
#include "devices/stations/host/links.hpp"
#include "devices/stations/reassembly.hpp"

namespace planar::net {
namespace {

in_addr in(Ipv4 address) { return {htonl(address)}; }

class SlirpLink final : public HostLink {
 public:
  SlirpLink(const std::vector<Forward>& forwards, bool isolated) : forwards_(!forwards.empty()) {
    static constexpr SlirpCb callbacks{
        .send_packet = [](const void* data, size_t size, void* link) -> ssize_t {
          self(link).sink_->frame_from_host({static_cast<const std::uint8_t*>(data), size});
          return static_cast<ssize_t>(size);
        },
        .guest_error = [](const char* text, void* link) { self(link).sink_->host_note(text); },
        .clock_get_ns = [](void* link) -> std::int64_t { return self(link).now_.ps / 1000; },
        .timer_new = nullptr,
        .timer_free = [](void* timer, void* link) { self(link).remove(static_cast<Timer*>(timer)); },
        .timer_mod = [](void* timer, std::int64_t ms, void*) { static_cast<Timer*>(timer)->due = 1_ms * ms; },
        .register_poll_fd = [](int, void*) {},
        .unregister_poll_fd = [](int, void*) {},
        .notify = [](void*) {},
        .init_completed = [](Slirp*, void*) {},
        .timer_new_opaque = [](SlirpTimerId id, void* argument, void* link) -> void* {
          auto& timers = self(link).timers_;
          timers.push_back(std::make_unique<Timer>(Timer{id, argument, Time::never()}));
          return timers.back().get();
        },
    };
    SlirpConfig config{};
    config.version = 4;
    config.in_enabled = true;
    config.restricted = isolated;
    config.disable_host_loopback = isolated;
    config.vnetwork = in(slirp_network);
    config.vnetmask = in(slirp_mask);
    config.vhost = in(slirp_host);
    config.vdhcp_start = in(slirp_guest);
    config.vnameserver = in(slirp_name_server);
    slirp_ = slirp_new(&config, &callbacks, this);
    if (!slirp_) throw Error("--net slirp: libslirp refused its configuration; it must be 4.7 or later");
    for (const Forward& f : forwards) add(f);
  }
  ~SlirpLink() override { slirp_cleanup(slirp_); }
  SlirpLink(const SlirpLink&) = delete;

  void send(ByteView frame, Time now) override {
    now_ = now;
    // Between two guests on a segment, libslirp must not answer: it takes every IP packet as addressed to itself.
    const bool ours = frame[0] & 1 || (frame[0] == 0x52 && frame[1] == 0x55);
    if (!ours) return;
    if (!Reassembly::is_fragment(frame)) return input(frame);
    if (const auto datagram = fragments_.take(frame, now)) input(*datagram);
  }

  bool exchange(Time now, HostDuration at_most) override {
    now_ = now;
    polled_.clear();
    std::uint32_t timeout = UINT32_MAX;
    slirp_pollfds_fill(
        slirp_, &timeout, [](int fd, int events, void* link) { return self(link).watch(fd, events); }, this);
    const int ready = wait_for(polled_, at_most);
    slirp_pollfds_poll(
        slirp_, 0, [](int i, void* link) { return self(link).happened(i); }, this);
    for (std::size_t i = 0; i < timers_.size(); ++i) {
      Timer& timer = *timers_[i];
      if (timer.due > now) continue;
      timer.due = Time::never();
      slirp_handle_timer(slirp_, timer.id, timer.argument);
    }
    return ready > 0;
  }

  Time next_timer() const override {
    Time next = Time::never();
    for (const auto& timer : timers_) next = std::min(next, timer->due);
    return next;
  }

  bool host_may_begin() const override { return forwards_; }

 private:
  struct Timer {
    SlirpTimerId id;
    void* argument;
    Time due;
  };

  void input(ByteView frame) { slirp_input(slirp_, frame.data(), static_cast<int>(frame.size())); }

  static SlirpLink& self(void* link) { return *static_cast<SlirpLink*>(link); }

  void add(const Forward& f) {
    if (slirp_add_hostfwd(slirp_, f.udp, in(f.host), f.host_port, in(f.guest), f.guest_port) == 0) return;
    const int reason = errno;
    const auto place = fmt::format("{} {}:{}", f.udp ? "udp" : "tcp", format_ipv4(f.host), f.host_port);
    slirp_cleanup(slirp_);
    throw Error(fmt::format("forward {}: {}; {}", place, std::strerror(reason),
                            reason == EACCES          ? "ports below 1024 are root's, take a higher one"
                            : reason == EADDRNOTAVAIL ? "the host has no such address; 127.0.0.1 or 0.0.0.0 always work"
                                                      : "another program may hold the port, take another one"));
  }

  void remove(Timer* timer) {
    std::erase_if(timers_, [&](const auto& t) { return t.get() == timer; });
  }

  int watch(int fd, int events) {
    short wanted = 0;
    if (events & SLIRP_POLL_IN) wanted |= POLLIN;
    if (events & SLIRP_POLL_OUT) wanted |= POLLOUT;
    if (events & SLIRP_POLL_PRI) wanted |= POLLPRI;
    polled_.push_back({fd, wanted, 0});
    return static_cast<int>(polled_.size() - 1);
  }

  int happened(int index) const {
    const short events = polled_[static_cast<std::size_t>(index)].revents;
    int result = 0;
    if (events & POLLIN) result |= SLIRP_POLL_IN;
    if (events & POLLOUT) result |= SLIRP_POLL_OUT;
    if (events & POLLPRI) result |= SLIRP_POLL_PRI;
    if (events & POLLERR) result |= SLIRP_POLL_ERR;
    if (events & POLLHUP) result |= SLIRP_POLL_HUP;
    return result;
  }

  bool forwards_;
  Slirp* slirp_ = nullptr;
  Time now_{};
  Reassembly fragments_;
  std::vector<std::unique_ptr<Timer>> timers_;
  std::vector<pollfd> polled_;
};

}  // namespace

std::unique_ptr<HostLink> open_slirp(const std::vector<Forward>& forwards, bool isolated) {
  return std::make_unique<SlirpLink>(forwards, isolated);
}

}  // namespace planar::net
