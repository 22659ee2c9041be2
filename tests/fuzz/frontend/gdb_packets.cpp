// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for what a client sends to `--gdb`: the stream of bytes, cut at any point, and its packets, which examine
// a stopped machine. The bytes: one operation each; a packet of a kind known to the protocol with any arguments, or
// arbitrary bytes.
//
// A finding: a crash or sanitizer report, packets that depend on where the stream is cut, a reader that keeps more than
// it was fed, and an answer that is longer than a packet may be.
#include <string>
#include <utility>
#include <vector>

#include "core/common/error.hpp"
#include "frontend/gdb/protocol.hpp"
#include "tests/fuzz/frontend/debugged_lab.hpp"

namespace {

using namespace planar;
using fuzz::expect;
using fuzz::Input;

constexpr std::size_t longest = 4096;
constexpr unsigned most_packets = 200;

/// Steps until a range is left, which may never happen: a client interrupts them.
bool endless(const std::string& packet) { return packet.starts_with("vCont;r"); }

std::string packet(Input& input) {
  static constexpr const char* kinds[] = {"?",
                                          "g",
                                          "G",
                                          "p",
                                          "P8=",
                                          "m",
                                          "M1000,4:",
                                          "X1000,4:",
                                          "Z0,",
                                          "Z2,1000",
                                          "Z4,",
                                          "z0,",
                                          "Hg",
                                          "T",
                                          "c",
                                          "s",
                                          "vCont;s:",
                                          "vCont;c",
                                          "vCont?",
                                          "qC",
                                          "qRcmd,",
                                          "qSupported",
                                          "qXfer:features:read:target.xml:",
                                          "qThreadExtraInfo,",
                                          "D",
                                          "k",
                                          "QStartNoAckMode",
                                          "qfThreadInfo",
                                          "m0,",
                                          "mf0000,",
                                          "P",
                                          "Z1,f0000,"};
  static constexpr const char* monitors[] = {"regs",        "mem 0 20", "dis",     "describe",    "time",
                                             "why",         "list",     "port 60", "translate 0", "break nic",
                                             "watch 400 2", "machine",  "help"};
  const unsigned kind = input.u8();
  std::string text = kinds[kind % std::size(kinds)];
  if (text == "qRcmd," && kind < 0x80)
    return text + gdb::to_hex(std::string_view(monitors[input.u8() % std::size(monitors)]));
  static constexpr std::string_view digits = "0123456789abcdef,:;=-g";
  for (unsigned left = input.u8() & 31; left > 0; --left) text += digits[input.u8() % digits.size()];
  return text;
}

std::vector<gdb::Received> received(const std::string& stream, std::size_t piece) {
  gdb::PacketReader reader;
  std::vector<gdb::Received> all;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    const auto part = std::string_view(stream).substr(at, piece);
    reader.feed(part);
    std::size_t kept = 0;
    while (auto one = reader.next()) {
      kept += 1 + one->data.size();
      // Consecutive refusals or interrupts count once, however they were cut.
      if (all.empty() || one->kind == gdb::Received::Kind::packet || all.back().kind != one->kind)
        all.push_back(std::move(*one));
    }
    expect(kept <= part.size() + gdb::longest_packet, "a reader that keeps more than it was fed");
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::DebuggedLab lab;
  Input input(std::span(data, std::min(size, longest)));
  std::string stream;
  while (input.left()) {
    switch (const unsigned first = input.u8(); first & 7) {
      case 0: {
        const auto bytes = input.take(first >> 3);
        stream.append(bytes.begin(), bytes.end());
        break;
      }
      case 1: stream += first & 8 ? "-" : "+"; break;
      case 2: stream += "\x03"; break;
      default: stream += gdb::frame(packet(input)); break;
    }
  }
  const auto whole = received(stream, stream.size() + 1), cut = received(stream, 3);
  expect(whole.size() == cut.size(), "packets that depend on where the stream is cut");
  gdb::Protocol protocol;
  std::size_t next = 0, count = 0;
  bool resumed = false;
  const auto serve = [&](Debugger& debugger, const Stop& stop) {
    const auto answer = protocol.stopped(debugger, stop);
    expect(!std::exchange(resumed, false) || !answer.reply.empty(), "a stop without a reply");
    while (next < whole.size() && ++count < most_packets) {
      const gdb::Received& one = whole[next];
      expect(one.kind == cut[next].kind && one.data == cut[next].data, "a packet that depends on where it is cut");
      ++next;
      if (one.kind != gdb::Received::Kind::packet || endless(one.data)) continue;
      const auto reply = protocol.handle(debugger, one.data);
      expect(reply.reply.size() <= 2 * gdb::longest_packet, "an answer longer than a packet");
      if (reply.then == gdb::Protocol::Then::kill) break;
      if (reply.then == gdb::Protocol::Then::detach) protocol.reset(debugger);
      if (reply.then != gdb::Protocol::Then::stay) return resumed = true;
    }
    protocol.reset(debugger);
    return false;
  };
  lab.run(serve, 20_us);
  return 0;
}
