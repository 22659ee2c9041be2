// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/state/archive.hpp"
#include "core/state/crc16.hpp"
#include "tests/catch.hpp"
#include "tests/memory_limit.hpp"

using namespace planar;
using planar::tests::fits_into_memory;

namespace {
enum class Phase : std::uint8_t { idle, busy };
struct Part {
  std::uint16_t word = 0;
  std::int64_t signed_value = 0;
  bool flag = false;
  Phase phase = Phase::idle;
  std::array<std::uint8_t, 3> bytes{};
  std::vector<std::uint32_t> list;
  std::optional<Time> when;
  std::string text;
  void archive(Archive& a) {
    a.section("part", 1);
    a(word, signed_value, flag, phase, bytes, list, when, text);
  }
};
Part sample() { return {0xBEEF, -5, true, Phase::busy, {1, 2, 3}, {7, 8, 0xFFFFFFFF}, Time{42}, "ne2"}; }
std::vector<std::uint8_t> saved() {
  Archive a = Archive::saver();
  Part p = sample();
  p.archive(a);
  return a.stream();
}
}  // namespace

TEST_CASE("loaded values equal the saved ones") {
  Archive a = Archive::loader(saved());
  Part p;
  p.archive(a);
  a.expect_end();
  Archive again = Archive::saver();
  p.archive(again);
  REQUIRE(again.stream() == saved());
  REQUIRE(p.when == Time{42});
  REQUIRE(p.list.back() == 0xFFFFFFFF);
}

TEST_CASE("a truncated, damaged or foreign stream is rejected") {
  const auto good = saved();
  for (std::size_t n = 0; n < good.size(); ++n) {
    Archive a = Archive::loader({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n)});
    Part p;
    REQUIRE_THROWS_AS(p.archive(a), Error);
  }
  auto longer = good;
  longer.push_back(0);
  Archive a = Archive::loader(longer);
  Part p;
  p.archive(a);
  REQUIRE_THROWS_AS(a.expect_end(), Error);
  Archive foreign = Archive::loader(good);
  REQUIRE_THROWS_AS(foreign.section("other", 1), Error);
  Archive version = Archive::loader(good);
  REQUIRE_THROWS_AS(version.section("part", 2), Error);
}

TEST_CASE("an impossible time in a stream is refused; never is a valid time") {
  for (const Time t : {Time::never(), 4'000'000_s, Time{} - 4'000'000_s}) {
    Archive out = Archive::saver();
    Time saved = t, loaded{};
    out(saved);
    Archive in = Archive::loader(out.stream());
    in(loaded);
    CHECK(loaded == t);
  }
  for (const Time t : {Time::never() - 1_ps, 5'000'000_s, Time{INT64_MIN}}) {
    Archive out = Archive::saver();
    Time saved = t, loaded{};
    out(saved);
    Archive in = Archive::loader(out.stream());
    CHECK_THROWS_AS(in(loaded), Error);
  }
}

TEST_CASE("a large length in a stream takes no more memory than the elements present") {
  struct Large {
    std::array<std::uint64_t, 512> unused{};
    std::string mark;
    void archive(Archive& a) { a.section("large", 1); }
  };
  struct Lists {
    std::deque<Large> deque;
    std::vector<Large> vector;
    std::vector<std::uint64_t> numbers;
  };
  std::vector<std::uint8_t> stream{0, 0, 64, 0};  // 4 Mi elements, followed by as many bytes
  stream.resize(stream.size() + (4u << 20));
  const auto load = [&](auto member) {
    return fits_into_memory(64 << 20, [&] {
      Lists lists;
      Archive a = Archive::loader(stream);
      a(lists.*member);
    });
  };
  CHECK(load(&Lists::deque));
  CHECK(load(&Lists::vector));
  CHECK(load(&Lists::numbers));
  Archive a = Archive::loader({3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0});  // three numbers, but data for only two
  std::vector<std::uint32_t> numbers;
  CHECK_THROWS_AS(a(numbers), Error);
}

TEST_CASE("a loaded list replaces the length and elements of the old one") {
  const std::vector<std::uint16_t> saved{1, 2, 3};
  for (const std::size_t before : {0u, 2u, 3u, 9u}) {
    Archive out = Archive::saver();
    auto list = saved;
    std::deque<std::string> texts{"a", "", "ccc"};
    out(list, texts);
    Archive in = Archive::loader(out.stream());
    std::vector<std::uint16_t> loaded(before, 7);
    std::deque<std::string> loaded_texts(before, "before");
    in(loaded, loaded_texts);
    in.expect_end();
    CHECK(loaded == saved);
    CHECK(loaded_texts == texts);
  }
}

TEST_CASE("SHA-256 of the FIPS 180 example") {
  const std::string abc = "abc";
  REQUIRE(sha256_hex({reinterpret_cast<const std::uint8_t*>(abc.data()), 3}) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("CRC-16 of the usual check string") {
  const std::string digits = "123456789";
  REQUIRE(crc16({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()}) == 0x29B1);
}
