// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/state/archive.hpp"
#include "core/state/crc16.hpp"
#include "tests/catch.hpp"

using namespace planar;

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

TEST_CASE("what is saved is what is loaded") {
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

TEST_CASE("SHA-256 of the FIPS 180 example") {
  const std::string abc = "abc";
  REQUIRE(sha256_hex({reinterpret_cast<const std::uint8_t*>(abc.data()), 3}) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("CRC-16 of the customary check string") {
  const std::string digits = "123456789";
  REQUIRE(crc16({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()}) == 0x29B1);
}
