// SPDX-License-Identifier: GPL-2.0-or-later
// An interface of the host through a packet socket: the guest's frames leave on it, and all that it receives is passed
// in.
//
// The host itself does not receive the guest's frames this way, nor the guest the host's (frames sent by the host are
// excluded: the cable carries them to the other stations); a tap device in a bridge, or slirp, connects the two. Frames
// that the host's driver has merged into larger ones are refused (ethtool -K IFACE gro off lro off).
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "core/common/error.hpp"
#include "devices/stations/host/descriptor.hpp"
#include "devices/stations/host/links.hpp"

namespace planar::net {
namespace {

constexpr std::size_t most_frames = 64;  // taken in one exchange

[[noreturn]] void fail(const std::string& name, const char* what, int reason) {
  std::string remedy = "see `ip link`";
  if (reason == EPERM || reason == EACCES)
    remedy = "the right is missing; run as root, or once: sudo setcap cap_net_raw+ep $(command -v planar)";
  throw Error(fmt::format("--net pcap:{}: {}: {}; {}", name, what, std::strerror(reason), remedy));
}

// A frame that a program of this host sent over a virtual interface may arrive without its TCP or UDP checksum.
void complete_checksum(std::span<std::uint8_t> frame) {
  constexpr std::size_t ethernet = 14;
  if (frame.size() < ethernet + 20 || get16(frame, 12) != 0x0800) return;
  const auto ip = frame.subspan(ethernet);
  const std::size_t header = (ip[0] & 15u) * 4, total = get16(ip, 2);
  if (ip[0] >> 4 != 4 || header < 20 || total > ip.size() || total < header || get16(ip, 6) & 0x3FFF) return;
  const auto body = ip.subspan(header, total - header);
  const std::size_t place = ip[9] == 6 ? 16 : ip[9] == 17 ? 6 : body.size();
  if (place + 2 > body.size()) return;
  body[place] = body[place + 1] = 0;
  const auto sum = checksum_fold(checksum_add(body, checksum_pseudo(get32(ip, 12), get32(ip, 16), ip[9], body.size())));
  body[place] = static_cast<std::uint8_t>(sum >> 8);
  body[place + 1] = static_cast<std::uint8_t>(sum);
}

class PacketLink final : public HostLink {
 public:
  explicit PacketLink(const std::string& name) {
    const unsigned index = ::if_nametoindex(name.c_str());
    if (!index) fail(name, "no such interface", errno);
    socket_ = Descriptor(::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));  // 0: nothing before bind()
    if (!socket_) fail(name, "no packet socket", errno);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(index);
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
      fail(name, "cannot listen on it", errno);
    packet_mreq promiscuous{};
    promiscuous.mr_ifindex = static_cast<int>(index);
    promiscuous.mr_type = PACKET_MR_PROMISC;
    const int on = 1;
    if (::setsockopt(socket_.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous) < 0 ||
        ::setsockopt(socket_.get(), SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) < 0)
      fail(name, "cannot receive all frames on it", errno);
  }

  // If the queue is full or the interface is down, the frame is lost, as on a cable without a station.
  void send(ByteView frame, Time) override {
    if (::send(socket_.get(), frame.data(), frame.size(), 0) < 0 && errno != EAGAIN)
      sink_->host_note(fmt::format("the interface refused a frame: {}", std::strerror(errno)));
  }

  bool exchange(Time, HostDuration at_most) override {
    pollfd p{socket_.get(), POLLIN, 0};
    if (!wait_for({&p, 1}, at_most)) return false;
    for (std::size_t i = 0; i < most_frames && take(); ++i) {}
    return true;
  }

 private:
  bool take() {
    sockaddr_ll from{};
    iovec data{buffer_.data(), buffer_.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(tpacket_auxdata))> control{};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(socket_.get(), &message, 0);
    if (size < 0) return false;
    if (from.sll_pkttype == PACKET_OUTGOING) return true;
    const auto frame = std::span(buffer_).first(static_cast<std::size_t>(size));
    const cmsghdr* extra = CMSG_FIRSTHDR(&message);
    if (extra && extra->cmsg_level == SOL_PACKET && extra->cmsg_type == PACKET_AUXDATA) {
      tpacket_auxdata status;
      std::memcpy(&status, CMSG_DATA(extra), sizeof status);
      if (status.tp_status & TP_STATUS_CSUMNOTREADY) complete_checksum(frame);
    }
    sink_->frame_from_host(frame);
    return true;
  }

  Descriptor socket_;
  std::array<std::uint8_t, 65536> buffer_{};
};

}  // namespace

std::unique_ptr<HostLink> open_packet_socket(const std::string& name) { return std::make_unique<PacketLink>(name); }

}  // namespace planar::net
