// SPDX-License-Identifier: GPL-2.0-or-later
// The guest on gigabit Ethernet: netio and flood with both PRO/1000s, the accesses of their driver, and the effect of
// overload in its three modes of reception.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;
using Catch::Matchers::Contains;

namespace {

using Row = nlohmann::ordered_json;

Row gigabit(const std::string& arguments) {
  const auto run = run_planar(arguments + " --quiet --json -");
  INFO(arguments << ": " << run.err);
  REQUIRE(run.status == 0);
  return run.json();
}

double per_second(const Row& row) { return row.at("delivered_per_s").get<double>(); }

/// An access to the adapter's registers.
struct Access {
  std::uint32_t offset = 0, value = 0;
  bool write = false;
  bool operator==(const Access& o) const { return offset == o.offset && write == o.write && value == o.value; }
};
Access wrote(std::uint32_t offset, std::uint32_t value) { return {offset, value, true}; }

/// The accesses of a run, in order.
std::vector<Access> accesses(const std::string& arguments) {
  const auto file = std::filesystem::temp_directory_path() / ("planar-e1000-" + std::to_string(::getpid()) + ".txt");
  gigabit(arguments + " --trace memory --trace-device slot1.pro1000-82542 --trace-file " + file.string());
  std::vector<Access> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string when, category, device, address, arrow, value;
    words >> when >> category >> device >> address >> arrow >> value;
    const auto hex = [](const std::string& text) { return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16)); };
    if (category == "memory") all.push_back({hex(address) & 0x1FFFF, hex(value), arrow == "<-"});
  }
  std::filesystem::remove(file);
  return all;
}

std::size_t count_of(const std::vector<Access>& all, std::uint32_t offset, bool write) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Access& a) { return a.offset == offset && a.write == write; }));
}

constexpr std::uint32_t CTRL = 0x00, ICR = 0xC0, IMS = 0xD0, IMC = 0xD8, RCTL = 0x100, RDTR = 0x108, RDT = 0x128,
                        TCTL = 0x400, TDT = 0x438, TIDV = 0x440;

}  // namespace

TEST_CASE("gigabit: netio runs on both PRO/1000s") {
  for (const std::string card : {"pro1000-82542", "pro1000-82543"}) {
    const auto j = gigabit("netio --machine pc-p3-600 --card " + card + " --sizes 8192 --seconds 0.1");
    CHECK(j.at("rows").at(0).at("kb_per_s").get<double>() > 15000);  // more than 100 Mbit/s allows
  }
}

TEST_CASE("gigabit: the driver makes the accesses of Intel's") {
  if (short_runs()) SKIP("takes whole runs");
  const auto all = accesses("flood --machine pc-p3-600 --card pro1000-82542 --send kernel --seconds 0.02");
  const std::vector<Access> reset{wrote(IMC, 0xFFFFFFF7), wrote(IMC, 0xFFFFFFFF),  wrote(RCTL, 0),
                                  wrote(TCTL, 0),         wrote(CTRL, 0x04000000), wrote(IMC, 0xFFFFFFFF)};
  REQUIRE(all.size() > reset.size());
  CHECK(std::equal(reset.begin(), reset.end(), all.begin()));
  CHECK(std::find(all.begin(), all.end(), wrote(TIDV, 128)) != all.end());
  CHECK(std::find(all.begin(), all.end(), wrote(RDTR, 0x80000000)) != all.end());

  // For each frame sent, TDT is written with the next position.
  std::uint32_t place = 0, wrong = 0;
  bool first = true;
  for (const Access& a : all) {
    if (a.offset != TDT || !a.write || std::exchange(first, false)) continue;
    wrong += a.value != (place = (place + 1) % 80);
  }
  CHECK(wrong == 0);
  CHECK(count_of(all, TDT, true) > 1000);

  // An interrupt: ICR, mask, up to five rounds that end with ICR, unmask.
  std::size_t handlers = 0;
  for (std::size_t n = 1; n + 1 < all.size(); ++n) {
    if (all[n] != wrote(IMC, 0xFFFFFFF7) || all[n - 1].offset != ICR || all[n - 1].write) continue;
    ++handlers;
    unsigned rounds = 0;
    for (++n; n < all.size() && all[n].offset != IMS; ++n) rounds += all[n].offset == ICR && !all[n].write;
    CHECK(rounds >= 1);
    CHECK(rounds <= 5);
    if (n < all.size()) CHECK(all[n] == wrote(IMS, 0x129D));
  }
  CHECK(handlers > 10);
}

TEST_CASE("gigabit: the driver polls without ICR, and writes RDT once per visit") {
  if (short_runs()) SKIP("takes whole runs");
  const auto flood =
      "flood --machine pc-p3-600 --card pro1000-82542 --depth hook --rates 300000 --seconds 0.01 --mode ";
  const auto polled = accesses(flood + std::string("poll"));
  const auto last_mask = std::find(polled.rbegin(), polled.rend(), wrote(IMC, 0xFFFFFFF7)).base();
  const std::vector<Access> after(last_mask, polled.end());
  CHECK(count_of(after, ICR, false) == 0);
  CHECK(count_of(after, RDT, true) > 100);
  CHECK(count_of(after, RDT, true) < 3000);

  const auto delayed = accesses(flood + std::string("delayed"));
  CHECK(std::find(delayed.begin(), delayed.end(), wrote(RDTR, 0x80000080)) != delayed.end());
  CHECK(count_of(delayed, RDT, true) > 2900);  // one for each frame that it received
}

TEST_CASE("gigabit: an interrupt per frame collapses, delayed ones collapse later, polling does not") {
  if (short_runs()) SKIP("takes whole runs");
  const auto rows = [](const std::string& mode) {
    return gigabit(
               "flood --machine pc-p3-600 --card pro1000-82542 --depth hook --rates 20000,200000,1488000 --seconds " +
               std::string(short_runs() ? "0.01" : "0.02") + " --mode " + mode)
        .at("rows");
  };
  const Row interrupt = rows("interrupt"), delayed = rows("delayed"), poll = rows("poll");
  for (const Row* of : {&interrupt, &delayed, &poll}) {
    REQUIRE(of->size() == 3);
    for (const Row& row : *of) {
      std::uint64_t lost = 0;
      for (const auto& [where, frames] : row.at("lost").items()) lost += frames.get<std::uint64_t>();
      CHECK(row.at("offered").get<std::uint64_t>() == row.at("delivered").get<std::uint64_t>() + lost);
    }
    CHECK(of->at(0).at("delivered_in_time") == of->at(0).at("offered"));
    CHECK(of->at(2).at("offered_per_s").get<double>() > 1'480'000);  // minimum frames at wire speed
  }
  CHECK(per_second(interrupt.at(1)) < 100'000);
  CHECK(per_second(delayed.at(1)) > 195'000);
  CHECK(per_second(delayed.at(2)) > 3 * per_second(interrupt.at(2)));
  CHECK(per_second(poll.at(2)) > 300'000);
  CHECK(per_second(poll.at(2)) > 1.5 * per_second(delayed.at(2)));
  // Excess frames stay in the card, whose packet buffer overflows.
  CHECK(poll.at(2).at("lost").at("backlog") == 0);
  CHECK(poll.at(2).at("lost").at("ring").get<std::uint64_t>() > 1000);
}

TEST_CASE("gigabit: one non-delayed interrupt per sixty frames doubles the send rate") {
  if (short_runs()) SKIP("takes whole runs");
  const auto sent = [](const std::string& card, const std::string& mode) {
    const auto j = gigabit("flood --machine pc-p3-600 --card " + card + " --send kernel --seconds 0.02 --mode " + mode);
    return j.at("rows").at(0).at("sent_per_s").get<double>();
  };
  for (const std::string card : {"pro1000-82542", "pro1000-82543"}) {
    const double usual = sent(card, "interrupt"), changed = sent(card, "delayed");
    INFO(card << " " << usual << " " << changed);
    CHECK(usual > 150'000);
    CHECK(changed > 1.6 * usual);
    CHECK(changed < 1'488'096);
  }
}
