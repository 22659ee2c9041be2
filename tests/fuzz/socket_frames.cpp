// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for `--net socket:`: data that another process sends into the wire, cut and closed at any point.
//
// A finding: a crash or sanitizer report, a frame that the other end has not sent, and a frame that it has sent but
// that does not arrive.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "devices/stations/host/descriptor.hpp"
#include "devices/stations/host/links.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace planar;
using namespace planar::net;
using fuzz::expect;
using fuzz::Input;

namespace {

constexpr std::size_t longest_frame = 65536;
constexpr std::uint32_t busy_word = 0x62757379;

struct Sink final : HostSink {
  void frame_from_host(ByteView frame) override { frames.emplace_back(frame.begin(), frame.end()); }
  void host_note(std::string_view) override {}
  std::vector<Bytes> frames;
};

/// The frames in a stream of frames with their lengths, up to the first invalid one.
std::vector<Bytes> frames_of(ByteView stream) {
  std::vector<Bytes> frames;
  while (stream.size() >= 4) {
    const std::size_t length = get32(stream, 0);
    if (length > longest_frame || stream.size() - 4 < length) break;
    frames.emplace_back(stream.begin() + 4, stream.begin() + 4 + static_cast<std::ptrdiff_t>(length));
    stream = stream.subspan(4 + length);
  }
  return frames;
}

Descriptor connect_to(const std::string& path) {
  Descriptor s(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  expect(::connect(s.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "nobody listens");
  return s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("planar-fuzz-" + std::to_string(::getpid()) + ".wire")).string();
  Input input(std::span(data, std::min<std::size_t>(size, 1 << 16)));
  const auto link = open_socket("unix:" + path);
  Sink sink;
  link->attach(sink);
  Time now{};
  for (unsigned connections = 1 + (input.u8() & 3); connections; --connections) {
    Descriptor other = connect_to(path);
    for (unsigned n = 0; n < 3; ++n) link->exchange(now, HostDuration{});
    Bytes sent;
    sink.frames.clear();
    for (unsigned pieces = input.u8() & 15; pieces; --pieces) {
      const unsigned how = input.u8();
      Bytes piece;
      piece.reserve(2 * sizeof(std::uint32_t));  // without it GCC 14 believes the first byte is beyond the end
      if (how & 1) put32(piece, how & 2 ? input.u32() : how >> 4 ? input.u8() : 0);
      if (how & 4) put32(piece, busy_word);
      const auto bytes = input.take(input.u8());
      put(piece, bytes);
      if (how & 8) piece.resize(piece.size() + 64u * input.u8());
      if (::send(other.get(), piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
          static_cast<ssize_t>(piece.size()))
        break;  // it has closed the connection
      put(sent, piece);
      link->send(Bytes(60, 0x5A), now);
      for (unsigned n = 0; n < 2; ++n) link->exchange(now, HostDuration{});
    }
    for (unsigned n = 0; n < 4; ++n) link->exchange(now, HostDuration{});
    expect(sink.frames == frames_of(sent), "other frames than were sent");
    other.reset();
    now += 2_s;
    for (unsigned n = 0; n < 3; ++n) link->exchange(now, HostDuration{});
    if (frames_of(sent).size() != sink.frames.size()) break;
  }
  return 0;
}
