// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/reassembly.hpp"

#include <algorithm>
#include <utility>

namespace planar::net {
namespace {

constexpr std::size_t ethernet_bytes = 14, ip_bytes = 20;
constexpr unsigned ip_type = 0x0800;
constexpr std::uint32_t more_fragments = 0x2000, offset_mask = 0x1FFF, longest_ip = 65535;

}  // namespace

bool Reassembly::is_fragment(ByteView frame) {
  return frame.size() >= ethernet_bytes + ip_bytes && get16(frame, 12) == ip_type &&
         (get16(frame, ethernet_bytes + 6) & (more_fragments | offset_mask)) != 0;
}

bool Reassembly::whole(const Datagram& datagram) {
  std::uint32_t next = 0;
  for (const Fragment& f : datagram.fragments) {
    if (f.from != next) return false;
    next = f.to();
  }
  return !datagram.fragments.back().more;
}

Bytes Reassembly::joined(const Datagram& datagram) {
  const Bytes& head = datagram.fragments.front().head;
  const std::size_t header = head.size() - ethernet_bytes, total = header + datagram.fragments.back().to();
  if (total > longest_ip) return {};
  Bytes ip(head.begin() + ethernet_bytes, head.end());
  set16(ip, 2, static_cast<std::uint32_t>(total));
  set16(ip, 6, 0);
  set16(ip, 10, 0);
  set16(ip, 10, checksum_fold(checksum_add(ip)));
  Bytes frame(head.begin(), head.begin() + ethernet_bytes);
  put(frame, ip);
  for (const Fragment& f : datagram.fragments) put(frame, f.data);
  return frame;
}

std::vector<Reassembly::Kept> Reassembly::kept() const {
  std::vector<Kept> all;
  for (const Datagram& d : datagrams_)
    for (const Fragment& f : d.fragments) {
      all.push_back({d.begun, f.head});
      put(all.back().frame, f.data);
    }
  return all;
}

std::optional<Bytes> Reassembly::take(ByteView frame, Time now) {
  const auto ip = frame.subspan(ethernet_bytes);
  const std::size_t header = (ip[0] & 15u) * 4u, total = get16(ip, 2);
  if (ip[0] >> 4 != 4 || header < ip_bytes || total <= header || total > ip.size() ||
      checksum_fold(checksum_add(ip.first(header))) != 0)
    return std::nullopt;
  const std::uint32_t place = get16(ip, 6);
  Fragment fragment;
  fragment.from = (place & offset_mask) * 8;
  fragment.more = (place & more_fragments) != 0;
  put(fragment.head, frame.first(ethernet_bytes + header));
  put(fragment.data, ip.subspan(header, total - header));
  if ((fragment.more && fragment.data.size() % 8 != 0) || fragment.to() > longest_ip - ip_bytes) return std::nullopt;

  Bytes key;
  put(key, ip.subspan(4, 2));
  put(key, ip.subspan(9, 1));
  put(key, ip.subspan(12, 8));
  std::erase_if(datagrams_, [&](const Datagram& d) { return now - d.begun > longest; });
  auto found = std::find_if(datagrams_.begin(), datagrams_.end(), [&](const Datagram& d) { return d.key == key; });
  if (found == datagrams_.end()) {
    if (datagrams_.size() == most_datagrams) datagrams_.erase(datagrams_.begin());
    found = datagrams_.insert(datagrams_.end(), Datagram{std::move(key), now, {}});
  }
  auto& fragments = found->fragments;
  const auto next =
      std::find_if(fragments.begin(), fragments.end(), [&](const Fragment& f) { return f.from >= fragment.from; });
  const auto fits = [](const Fragment& one, const Fragment& other) { return one.more && one.to() <= other.from; };
  if ((next != fragments.end() && !fits(fragment, *next)) ||
      (next != fragments.begin() && !fits(*std::prev(next), fragment))) {
    datagrams_.erase(found);
    return std::nullopt;
  }
  fragments.insert(next, std::move(fragment));
  if (!whole(*found)) return std::nullopt;
  Bytes datagram = joined(*found);
  datagrams_.erase(found);
  if (datagram.empty()) return std::nullopt;
  return datagram;
}

}  // namespace planar::net
