// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/panes/frame_text.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace planar {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t address_bytes = 6;

unsigned word(Bytes b, std::size_t at) { return static_cast<unsigned>(b[at] << 8 | b[at + 1]); }
std::uint32_t long_word(Bytes b, std::size_t at) { return std::uint32_t{word(b, at)} << 16 | word(b, at + 2); }

std::string station(Bytes b) {
  return fmt::format("{:02X}:{:02X}:{:02X}:{:02X}:{:02X}:{:02X}", b[0], b[1], b[2], b[3], b[4], b[5]);
}
std::string ip_address(Bytes b) { return fmt::format("{}.{}.{}.{}", b[0], b[1], b[2], b[3]); }

void tcp(Bytes b, FrameText& out) {
  if (b.size() < 20) return;
  constexpr std::array<const char*, 6> names{"FIN", "SYN", "RST", "PSH", "ACK", "URG"};
  std::string flags;
  for (unsigned bit = 0; bit < names.size(); ++bit)
    if (b[13] >> bit & 1) flags += fmt::format("{}{}", flags.empty() ? "" : ",", names[bit]);
  const std::size_t header = static_cast<std::size_t>(b[12] >> 4) * 4;
  out.protocol = "TCP";
  out.info = fmt::format("{} > {} {} seq {} ack {} win {} len {}", word(b, 0), word(b, 2), flags, long_word(b, 4),
                         long_word(b, 8), word(b, 14), b.size() > header ? b.size() - header : 0);
  out.lines.push_back("TCP " + out.info);
}

void udp(Bytes b, FrameText& out) {
  if (b.size() < 8) return;
  out.protocol = "UDP";
  out.info = fmt::format("{} > {} len {}", word(b, 0), word(b, 2), word(b, 4));
  out.lines.push_back("UDP " + out.info);
}

void icmp(Bytes b, FrameText& out) {
  if (b.size() < 4) return;
  out.protocol = "ICMP";
  out.info = b[0] == 8   ? "echo request"
             : b[0] == 0 ? "echo reply"
             : b[0] == 3 ? fmt::format("unreachable, code {}", b[1])
                         : fmt::format("type {} code {}", b[0], b[1]);
  out.lines.push_back("ICMP " + out.info);
}

void ip(Bytes b, FrameText& out) {
  if (b.size() < 20 || b[0] >> 4 != 4) return;
  const std::size_t header = static_cast<std::size_t>(b[0] & 15) * 4, total = word(b, 2);
  if (header < 20 || total < header || total > b.size()) return;
  out.from = ip_address(b.subspan(12));
  out.to = ip_address(b.subspan(16));
  out.protocol = "IP";
  const unsigned fragment = word(b, 6) & 0x1FFF;
  out.info = fmt::format("protocol {} len {}{}", b[9], total, word(b, 6) & 0x3FFF ? ", fragment" : "");
  out.lines.push_back(fmt::format("IP {} > {} id {} ttl {} len {}{}", out.from, out.to, word(b, 4), b[8], total,
                                  fragment ? fmt::format(", fragment from {}", fragment * 8) : ""));
  if (fragment) return;
  const Bytes data = b.subspan(header, total - header);
  if (b[9] == 6) tcp(data, out);
  if (b[9] == 17) udp(data, out);
  if (b[9] == 1) icmp(data, out);
}

void arp(Bytes b, FrameText& out) {
  if (b.size() < 28) return;
  out.protocol = "ARP";
  const std::string sender = ip_address(b.subspan(14)), target = ip_address(b.subspan(24));
  out.info = word(b, 6) == 1 ? fmt::format("who has {}? tell {}", target, sender)
                             : fmt::format("{} is at {}", sender, station(b.subspan(8)));
  out.lines.push_back("ARP " + out.info);
}

void of_type(unsigned type, Bytes b, FrameText& out) {
  if (type == 0x0800)
    ip(b, out);
  else if (type == 0x0806)
    arp(b, out);
  else
    out.info = fmt::format("type {:04X} len {}", type, b.size());
}

void llc(Bytes b, FrameText& out) {
  if (b.size() < 3) return;
  out.protocol = "LLC";
  out.info = fmt::format("DSAP {:02X} SSAP {:02X} control {:02X} len {}", b[0], b[1], b[2], b.size());
  out.lines.push_back("LLC " + out.info);
  if (b[0] == 0xAA && b[1] == 0xAA && b.size() >= 8) of_type(word(b, 6), b.subspan(8), out);
}

void ethernet(Bytes b, FrameText& out) {
  if (b.size() < 18) return;
  out.to = station(b);
  out.from = station(b.subspan(address_bytes));
  const unsigned type = word(b, 12);
  out.protocol = "Ethernet";
  out.lines.push_back(
      fmt::format("Ethernet {} > {} {} {:04X}", out.from, out.to, type < 0x600 ? "length" : "type", type));
  const Bytes data = b.subspan(14, b.size() - 18);
  if (type < 0x600)
    llc(data.first(std::min<std::size_t>(type, data.size())), out);
  else
    of_type(type, data, out);
}

// MAC frames by their command (IEEE 802.5 major vector).
std::string_view mac_command(unsigned command) {
  switch (command) {
    case 0x00: return "response";
    case 0x02: return "beacon";
    case 0x03: return "claim token";
    case 0x04: return "ring purge";
    case 0x05: return "active monitor present";
    case 0x06: return "standby monitor present";
    case 0x07: return "duplicate address test";
    case 0x08: return "lobe media test";
    case 0x0B: return "remove ring station";
    case 0x0C: return "change parameters";
    case 0x0D: return "initialize ring station";
    case 0x20: return "request initialization";
    case 0x25: return "report new active monitor";
    case 0x26: return "report SUA change";
    case 0x27: return "report ring poll failure";
    case 0x28: return "report active monitor error";
    case 0x29: return "report soft error";
    default: return "MAC frame";
  }
}

void token_ring(Bytes b, FrameText& out) {
  if (b.size() < 18) return;
  out.to = station(b.subspan(2));
  out.from = station(b.subspan(2 + address_bytes));
  const std::size_t routing = b[8] & 0x80 ? b[14] & 0x1F : 0;
  out.lines.push_back(fmt::format("Token Ring {} > {} AC {:02X} FC {:02X}{}", out.from, out.to, b[0], b[1],
                                  routing ? fmt::format(" routing {} bytes", routing) : ""));
  if (b.size() < 18 + routing) return;
  const Bytes data = b.subspan(14 + routing, b.size() - 18 - routing);
  if ((b[1] & 0xC0) == 0) {
    out.protocol = "MAC";
    if (data.size() >= 4) out.info = fmt::format("{} ({:02X})", mac_command(data[3]), data[3]);
    out.lines.push_back("MAC " + out.info);
  } else {
    llc(data, out);
  }
}

}  // namespace

FrameText frame_text(net::LinkType link, Bytes bytes) {
  FrameText out;
  out.protocol = "?";
  out.info = fmt::format("{} bytes", bytes.size());
  if (link == net::LinkType::ethernet)
    ethernet(bytes, out);
  else
    token_ring(bytes, out);
  return out;
}

}  // namespace planar
