// SPDX-License-Identifier: GPL-2.0-or-later
// A tap device of the host: an Ethernet interface whose other end is this process.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/common/error.hpp"
#include "devices/stations/host/descriptor.hpp"
#include "devices/stations/host/links.hpp"

namespace planar::net {
namespace {

constexpr std::size_t most_frames = 64;  // taken in one exchange

[[noreturn]] void fail(const std::string& name, int reason) {
  std::string remedy;
  switch (reason) {
    case ENOENT:
    case ENXIO:
    case ENODEV: remedy = "/dev/net/tun is missing; load its driver (modprobe tun)"; break;
    case EPERM:
    case EACCES:
      remedy = fmt::format(
          "the right is missing; once as root: ip tuntap add dev {0} mode tap user $USER; ip link set {0} up", name);
      break;
    case EBUSY: remedy = "another program holds it; name another device"; break;
    case EINVAL: remedy = "the device is not a tap device; see `ip -details link show`, or name another"; break;
    default: remedy = "see `ip link`"; break;
  }
  throw Error(fmt::format("--net tap:{}: {}: {}", name, std::strerror(reason), remedy));
}

class TapLink final : public HostLink {
 public:
  explicit TapLink(const std::string& name) : device_(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)) {
    if (!device_) fail(name, errno);
    ifreq request{};
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (::ioctl(device_.get(), TUNSETIFF, &request) < 0) fail(name, errno);
    bring_up(name);
  }

  // If the queue is full or the interface is down, the frame is lost, as on a cable without a station.
  void send(ByteView frame, Time) override {
    if (::write(device_.get(), frame.data(), frame.size()) < 0 && errno != EAGAIN)
      sink_->host_note(fmt::format("the tap device refused a frame: {}", std::strerror(errno)));
  }

  bool exchange(Time, HostDuration at_most) override {
    pollfd p{device_.get(), POLLIN, 0};
    if (!wait_for({&p, 1}, at_most)) return false;
    for (std::size_t i = 0; i < most_frames; ++i) {
      const ssize_t size = ::read(device_.get(), buffer_.data(), buffer_.size());
      if (size <= 0) break;
      sink_->frame_from_host(ByteView(buffer_).first(static_cast<std::size_t>(size)));
    }
    return true;
  }

 private:
  static void bring_up(const std::string& name) {
    const Descriptor control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    if (!control || ::ioctl(control.get(), SIOCGIFFLAGS, &request) < 0 || request.ifr_flags & IFF_UP) return;
    request.ifr_flags |= IFF_UP;
    if (::ioctl(control.get(), SIOCSIFFLAGS, &request) < 0)
      throw Error(fmt::format(
          "--net tap:{0}: the device is down and planar may not bring it up ({1}); as root: ip link set {0} up", name,
          std::strerror(errno)));
  }

  Descriptor device_;
  std::array<std::uint8_t, 65536> buffer_{};
};

}  // namespace

std::unique_ptr<HostLink> open_tap(const std::string& name) { return std::make_unique<TapLink>(name); }

}  // namespace planar::net
