// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/common/error.hpp"
#include "devices/capture/pcapng.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Block {
  std::uint32_t type;
  Bytes body;
};

std::uint32_t little32(const Bytes& b, std::size_t at) {
  return b.at(at) | b.at(at + 1) << 8 | b.at(at + 2) << 16 | static_cast<std::uint32_t>(b.at(at + 3)) << 24;
}

// Reads a file according to the rules of the format; the two lengths of every block must agree.
std::vector<Block> read_blocks(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const Bytes all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<Block> blocks;
  for (std::size_t at = 0; at < all.size();) {
    const std::uint32_t length = little32(all, at + 4);
    REQUIRE(length % 4 == 0);
    REQUIRE(length >= 12);
    REQUIRE(at + length <= all.size());
    REQUIRE(little32(all, at + length - 4) == length);
    blocks.push_back({little32(all, at), Bytes(all.begin() + static_cast<std::ptrdiff_t>(at + 8),
                                               all.begin() + static_cast<std::ptrdiff_t>(at + length - 4))});
    at += length;
  }
  return blocks;
}

struct TemporaryFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("planar-test-" + std::to_string(getpid()) + ".pcapng");
  ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("every good frame is captured once, without FCS, with its virtual time", "[pcapng]") {
  for (const bool include_damaged : {false, true}) {
    const std::uint64_t rate = include_damaged ? 100'000'000 : 10'000'000;
    const std::int64_t byte_ns = include_damaged ? 80 : 800;
    TemporaryFile file;
    const Bytes first = make_frame(61), second = make_frame(1514, {0, 1, 2, 3, 4, 5});
    {
      Scheduler scheduler;
      EthernetSegment segment({.bits_per_second = rate});
      PcapngWriter writer(file.path, {&segment}, include_damaged);
      segment.add_observer(writer);
      Recorder a(scheduler, &segment, "a", 1), b(scheduler, &segment, "b", 2);
      a.port.transmit(first, Time{});
      scheduler.run_until(100_us);
      Bytes broken = make_frame(100);
      broken[20] ^= 1;
      a.port.transmit(broken, 100_us);
      scheduler.run_until(5_s);
      b.port.transmit(second, 5_s);
      scheduler.run_until(6_s);
      CHECK(writer.frames() == (include_damaged ? 3 : 2));
      writer.flush();
    }
    const auto blocks = read_blocks(file.path);
    REQUIRE(blocks.size() == (include_damaged ? 5 : 4));
    CHECK(blocks[0].type == 0x0A0D0D0A);
    CHECK(little32(blocks[0].body, 0) == 0x1A2B3C4D);
    CHECK(blocks[1].type == 1);
    CHECK((little32(blocks[1].body, 0) & 0xFFFF) == 1);
    // if_speed: option 8, the rate in eight bytes; after if_name, "segment" padded to eight.
    CHECK(little32(blocks[1].body, 20) == (8u << 16 | 8));
    CHECK(little32(blocks[1].body, 24) == rate);
    CHECK(little32(blocks[1].body, 28) == 0);
    const auto check = [](const Block& block, const Bytes& frame, std::uint64_t nanoseconds) {
      CHECK(block.type == 6);
      CHECK((static_cast<std::uint64_t>(little32(block.body, 4)) << 32 | little32(block.body, 8)) == nanoseconds);
      CHECK(little32(block.body, 12) == frame.size() - 4);
      CHECK(little32(block.body, 16) == frame.size() - 4);
      CHECK(std::equal(frame.begin(), frame.end() - 4, block.body.begin() + 20));
    };
    check(blocks[2], first, static_cast<std::uint64_t>((61 + 4 + 8) * byte_ns));
    check(blocks.back(), second, static_cast<std::uint64_t>(5'000'000'000 + (1514 + 4 + 8) * byte_ns));
    if (include_damaged) {
      const Bytes& body = blocks[3].body;
      CHECK(little32(body, 12) == 104);
      CHECK((little32(body, 20 + 104 + 4) & 1u << 24) != 0);  // epb_flags: CRC error
    }
  }
}

TEST_CASE("a capture that cannot be written is refused with the reason", "[pcapng]") {
  CHECK_THROWS_WITH(PcapngWriter("/nonexistent/folder/x.pcapng", {}), Catch::Contains("cannot write the capture"));
}

TEST_CASE("different media share a file, with an interface each with link type, name and rate", "[pcapng]") {
  TemporaryFile file;
  {
    Scheduler scheduler;
    EthernetSegment segment({}, "floor");
    ToyLine line("toy line");
    EthernetSegment stranger({}, "stranger");
    PcapngWriter writer(file.path, {&segment, &line}, true);
    for (Medium* medium :
         {static_cast<Medium*>(&segment), static_cast<Medium*>(&line), static_cast<Medium*>(&stranger)})
      medium->add_observer(writer);
    Ear a(scheduler, segment, "a", 1), b(scheduler, line, "b", 2), c(scheduler, stranger, "c", 3);
    const Bytes data = body(100);
    a.link->send(data, Time{});
    b.link->send(data, Time{});
    c.link->send(data, Time{});
    scheduler.run_until(1_ms);
    CHECK(writer.frames() == 2);
    writer.flush();
  }
  const auto blocks = read_blocks(file.path);
  REQUIRE(blocks.size() == 5);
  const auto name = [&](const Block& block, const std::string& text) {
    CHECK(little32(block.body, 8) == (static_cast<std::uint32_t>(text.size()) << 16 | 2));
    CHECK(std::equal(text.begin(), text.end(), block.body.begin() + 12));
  };
  CHECK((little32(blocks[1].body, 0) & 0xFFFF) == 1);
  name(blocks[1], "floor");
  CHECK((little32(blocks[2].body, 0) & 0xFFFF) == 147);
  name(blocks[2], "toy line");
  CHECK(little32(blocks[2].body, 24) == 4'000'000);  // if_speed, after the name and its own header
  // In the order of their ends: on Ethernet after 89.6 us, on the line after 202 us. Without their check sequences.
  CHECK(little32(blocks[3].body, 0) == 0);
  CHECK(little32(blocks[3].body, 8) == 89'600);
  CHECK(little32(blocks[3].body, 12) == 100);
  CHECK(little32(blocks[4].body, 0) == 1);
  CHECK(little32(blocks[4].body, 8) == 202'000);
  CHECK(little32(blocks[4].body, 12) == 100);
  CHECK((little32(blocks[3].body, 20 + 100 + 4) & 7u << 2) == 3u << 2);  // epb_flags: broadcast
  CHECK((little32(blocks[4].body, 20 + 100 + 4) & 7u << 2) == 3u << 2);
}
