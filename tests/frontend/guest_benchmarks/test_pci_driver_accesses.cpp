// SPDX-License-Identifier: GPL-2.0-or-later
// The guest's drivers of the Fast Ethernet cards make the accesses of Linux 2.2.16's rtl8139.c, tulip.c and eepro100.c
// and 2.2.17's 3c59x.c: order, width, value and number, from the probe to the first frame.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;

namespace {

/// An access of the guest to its adapter.
struct CardAccess {
  std::uint32_t offset = 0, value = 0;
  unsigned bytes = 0;
  bool write = false, port = false;
};

/// The accesses of a short run on pc-p166, whose card has its registers at multiples of `window`.
std::vector<CardAccess> accesses_of(const std::string& card, std::uint32_t window) {
  const auto file = std::filesystem::temp_directory_path() / ("planar-pci-" + std::to_string(::getpid()) + ".txt");
  const auto run = run_planar("netio --machine pc-p166 --card " + card +
                              " --sizes 1K --seconds 0.01 --quiet --trace io,memory --trace-device slot1." + card +
                              " --trace-file " + file.string());
  INFO(run.err);
  REQUIRE(run.status == 0);
  std::vector<CardAccess> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string when, category, device, address, arrow, value;
    words >> when >> category >> device >> address >> arrow >> value;
    if (category != "io" && category != "memory") continue;
    const auto hex = [](const std::string& text) { return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16)); };
    all.push_back(
        {hex(address) % window, hex(value), static_cast<unsigned>(value.size() / 2), arrow == "<-", category == "io"});
  }
  std::filesystem::remove(file);
  return all;
}

/// "44d=9C00" writes a doubleword, "37b?" reads a byte; consecutive reads of one register, however many, count as one.
std::vector<std::string> spelled(const std::vector<CardAccess>& all,
                                 const std::function<bool(const CardAccess&)>& left_out) {
  std::vector<std::string> words;
  for (const CardAccess& a : all) {
    if (left_out(a)) continue;
    const char width = a.bytes == 1 ? 'b' : a.bytes == 2 ? 'w' : 'd';
    std::string word =
        a.write ? fmt::format("{:02X}{}={:X}", a.offset, width, a.value) : fmt::format("{:02X}{}?", a.offset, width);
    if (a.write || words.empty() || words.back() != word) words.push_back(std::move(word));
  }
  return words;
}

/// Checks that the run begins with these; the value * stands for any: an address of the guest.
void check_begins(const std::vector<std::string>& is, const std::string& expected) {
  std::istringstream in(expected);
  std::size_t n = 0;
  for (std::string word; in >> word; ++n) {
    REQUIRE(n < is.size());
    INFO("access " << n << " of " << expected);
    const bool any = word.back() == '*';
    CHECK((any ? is[n].substr(0, word.size() - 1) + "*" : is[n]) == word);
    if ((any ? is[n].substr(0, word.size() - 1) + "*" : is[n]) != word) return;
  }
}

std::size_t written(const std::vector<CardAccess>& all, std::uint32_t offset, std::uint32_t value) {
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const CardAccess& a) { return a.write && a.offset == offset && a.value == value; }));
}

}  // namespace

TEST_CASE("PCI drivers: the RTL8139 driver makes the accesses of rtl8139.c") {
  if (short_runs()) SKIP("takes whole runs");
  const auto all = accesses_of("rtl8139", 0x100);
  const auto eeprom = [](const CardAccess& a) {
    return a.offset == 0x50 && (!a.write || (a.value & 0xC0) == 0x80 || a.value == 0xF7);
  };
  check_begins(spelled(all, eeprom),
               "52b=0 50b=C0 52b=3 5Bb=48 "                                                        // rtl8129_probe1()
               "37b=10 37b? 00b=* 01b=* 02b=* 03b=* 04b=* 05b=* 37b=C 44d=9C00 40d=3000400 68w? "  // rtl8129_open()
               "50b=C0 52b=60 50b=0 30d=* 4Cd=0 44b=E 08d=0 0Cd=0 37b=C 3Cw=C07F");
  // Four words of the EEPROM: 11 bits out and 16 in, a doubleword read as a delay after each edge.
  CHECK(written(all, 0x50, 0xF7) == 4);
  CHECK(std::count_if(all.begin(), all.end(), [](const CardAccess& a) { return a.offset == 0x50 && a.bytes == 4; }) ==
        4 * (11 * 2 + 1 + 16 * 2));
  // The first frame: address, then size and threshold; the handler acknowledges the causes that it has read.
  const auto words = spelled(all, [](const CardAccess& a) { return a.offset < 0x10 || a.offset >= 0x40; });
  const auto first = std::find_if(words.begin(), words.end(), [](const auto& w) { return w.starts_with("20d="); });
  REQUIRE(first != words.end());
  check_begins({first, words.end()}, "20d=* 10d=8003C 3Ew? 3Ew=4 10d? 3Ew? 3Ew=0");
}

TEST_CASE("PCI drivers: the LNE100TX driver makes the accesses of tulip.c") {
  if (short_runs()) SKIP("takes whole runs");
  const auto all = accesses_of("lne100tx", 0x100);
  const std::string nway = "68d=1 70d=BFFFF 30d=82420200 78w=8 60d=1301 ";
  check_begins(spelled(all, [](const CardAccess& a) { return a.offset == 0x48; }),
               "30d? 30d=E0000000 40d? " + nway +             // tulip_probe1()
                   "00d=1 00d=1A08000 18d=* 20d=* " + nway +  // tulip_open(), tulip_up()
                   "30d=82420200 30d=82422200 28d=801FBFF 38d=801FBFF 30d=82422202 10d=0");
  // Each frame requires one poll demand, which is any write to CSR1.
  CHECK(written(all, 0x08, 0) > 10);
}

TEST_CASE("PCI drivers: the 3C905B driver makes the accesses of 3c59x.c") {
  if (short_runs()) SKIP("takes whole runs");
  const auto all = accesses_of("3c905b", 0x80);
  // The EEPROM, 64 words, and the PHY's pins are checked below.
  unsigned window = 0;
  std::vector<CardAccess> others;
  std::size_t words_read = 0, mii = 0;
  for (const CardAccess& a : all) {
    if (a.offset == 0x0E && a.write && a.value >> 11 == 1) window = a.value & 7;
    if (window == 0 && a.offset == 0x0C && !a.write) ++words_read;
    if (window == 4 && a.offset == 0x08 && a.write) ++mii;
    if ((window == 0 && (a.offset == 0x0A || a.offset == 0x0C)) || (window == 4 && a.offset == 0x08)) continue;
    others.push_back(a);
  }
  CHECK(words_read == 64);
  CHECK(mii > 64);
  check_begins(spelled(others, [](const CardAccess&) { return false; }),
               "0Ew=800 0Ew=803 08w? 00d? 0Ew=804 "                // vortex_probe1()
               "0Ew=803 00d? 00d=1800000 0Ew=804 0Ew=803 06b=20 "  // vortex_open()
               "0Ew=5800 0Ew? 0Ew=2800 0Ew? 0Ew=7800 0Ew=802 00b=* 01b=* 02b=* 03b=* 04b=* 05b=* "
               "06w=0 08w=0 0Aw=0 0Ew=B000 "
               "0Ew=806 00b? 01b? 02b? 03b? 04b? 05b? 06b? 07b? 08b? 09b? 0Aw? 0Cw? 0Ew=804 0Cb? 06w=40 0Ew=807 "
               "0Ew=8980 20d=20 38d=* 2Fb=6 24d=0 0Ew=8005 0Ew=A800 0Ew=2000 0Ew=4800 0Ew=7EC6 0Ew=6869 0Ew=76CF");
  // boomerang_start_xmit(): stall, wait until it is not in progress, the idle list's pointer, unstall.
  const auto words = spelled(all, [](const CardAccess& a) { return a.offset != 0x0E && a.offset != 0x24; });
  const auto first = std::find(words.begin(), words.end(), "0Ew=3002");
  REQUIRE(first != words.end());
  check_begins({first, words.end()}, "0Ew=3002 0Ew? 24d? 24d=* 0Ew=3003");
}

TEST_CASE("PCI drivers: the PRO/100+ driver makes the accesses of eepro100.c") {
  if (short_runs()) SKIP("takes whole runs");
  const auto all = accesses_of("eepro100", 0x40);
  CHECK(std::all_of(all.begin(), all.end(), [](const CardAccess& a) { return a.port == (a.offset == 0x0E); }));
  check_begins(spelled(all, [](const CardAccess& a) { return a.port || a.offset == 0x10; }),
               "08d=0 08d=* 08d=0 "  // speedo_found1(): reset, self-test, reset
               "02w=100 02b? 04d=0 02b=6 02b? 02b=60 02b? 04d=* 02b=40 02b? 04d=* 02b=1 02b? 02b=70 02b? "
               "04d=* 02w=C10");  // speedo_open(), speedo_resume()
  CHECK(written(all, 0x08, 0) == 2);
  // speedo_start_xmit(): the command byte is 0, then a resume. The handler acknowledges the causes that it has read.
  CHECK(written(all, 0x02, 0x20) > 10);
  std::size_t wrong = 0;
  for (std::size_t n = 1; n < all.size(); ++n) {
    const CardAccess &a = all[n], &before = all[n - 1];
    if (a.offset == 0x02 && a.write && a.bytes == 1 && a.value == 0x20) wrong += before.offset != 0x02 || before.value;
    if (a.offset == 0x00 && a.write) wrong += before.offset != 0x00 || a.value != (before.value & 0xFC00);
  }
  CHECK(wrong == 0);
}
