// SPDX-License-Identifier: GPL-2.0-or-later
// A bus master and a busy processor: the 3C527 fetches frames while the processor runs a loop. On the single path of
// the 56 SX the loop loses exactly the clocks of the transfers and their arbitration; on the dual path of the 95 a loop
// in the cache loses nothing, but a loop that accesses DRAM does.
#include "devices/ethernet/3c527/3c527.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/ps2.hpp"

using namespace planar;
using ethernet::Mc32;
using ethernet::ThreeC527;

namespace {

using Code = std::vector<std::uint8_t>;

constexpr std::uint32_t program_at = 0x1000;
constexpr unsigned copied_bytes = 1024;
constexpr Time warm_up = 300_ms, measured = 50_ms;

// Real mode. CX counts down, BP counts the iterations.
const Code copy_words{0xB8, 0x00, 0x20, 0x8E, 0xD8, 0x8E, 0xC0, 0x31, 0xED, 0xFC,  // DS = ES = 2000h, BP = 0, CLD
                      0x31, 0xF6, 0xBF, 0x00, 0x80, 0xB9, 0x00, 0x40, 0xF3, 0xA5,  // 4000h words from 0 to 8000h
                      0x45, 0xEB, 0xF3};                                           // INC BP, again
const Code enable_cache{0x0F, 0x20, 0xC0, 0x66, 0x25, 0xFF, 0xFF, 0xFF, 0x9F, 0x0F, 0x22, 0xC0};  // CR0.CD = NW = 0
const Code count_in_registers{0x31, 0xED, 0xB9, 0x00, 0x40, 0x49, 0x75, 0xFD, 0x45, 0xEB, 0xF7};
// 512 KB from 10000h on, more than the second-level cache: 64 KB per segment, one segment per iteration.
const Code read_memory{0x31, 0xED, 0xFC, 0xBB, 0x00, 0x10, 0x8E, 0xDB, 0x31, 0xF6, 0xB9, 0x00, 0x40, 0x66, 0xF3,
                       0xAD, 0x45, 0x81, 0xC3, 0x00, 0x10, 0x81, 0xFB, 0x00, 0x90, 0x72, 0xEB, 0xEB, 0xE6};

struct Bench {
  Bench(const std::string& model, const std::string& overlay, const Code& code, bool sends)
      : lab(config(model, overlay)) {
    Code rom(0x8000, 0xFF);
    const Code jump{0xEA, 0x00, 0x10, 0x00, 0x00};  // JMP 0000:1000
    std::copy(jump.begin(), jump.end(), rom.begin() + 0x7FF0);
    lab.machine().load_firmware(rom, "jump.rom");
    Code copy = code;
    lab.machine().memory().master_write(program_at, copy, {});
    boot();
    lab.scheduler().run_until(warm_up);
    if (sends) start_sending();
    const std::uint64_t before = passes();
    lab.scheduler().run_until(warm_up + measured);
    done = passes() - before;
  }

  static Config config(const std::string& model, const std::string& overlay) {
    Config c = load_machine(model);
    c.add_text(overlay, "overlay");
    c.set("slot.1.card", "3c527", "--card 3c527");
    return c;
  }
  std::uint64_t passes() {
    const auto r = lab.machine().cpu().registers();
    return std::uint64_t{r.gpr[5] & 0xFFFF} * 0x4000 + (0x4000 - (r.gpr[1] & 0xFFFF));
  }

  // The work of a driver, done without the processor, which runs its loop.
  Mc32& chip() { return static_cast<ThreeC527&>(*lab.machine().card(1)).chip(); }
  Time now() { return lab.scheduler().now(); }
  std::uint16_t get(std::uint32_t at) {
    return static_cast<std::uint16_t>(chip().ram_peek(at) | chip().ram_peek(at + 1) << 8);
  }
  void put(std::uint32_t at, std::uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) chip().ram_write(at + i, static_cast<std::uint8_t>(value >> 8 * i), now());
  }
  void boot() {
    auto& card = *ps2(lab.machine()).adapter_card(1);
    card.pos_write(2, 0x01 | 4 << 4, {});
    card.pos_write(4, 0x01 | 9 << 2, {});
    chip().write(Mc32::CONTROL, Mc32::RESET, {});
    chip().write(Mc32::CONTROL, 0, {});
  }
  // An endless list of frames.
  void start_sending() {
    const std::uint16_t first = get(Mc32::tx_mailbox + 2);
    std::uint16_t at = first;
    do {
      put(at + 4u, copied_bytes, 2);
      put(at + 6u, 0x60000, 4);
      put(at + 1u, Mc32::EOP, 1);
      at = get(at + 2u);
    } while (at != first);
    chip().write(Mc32::COMMAND, Mc32::restart, now());
  }

  Lab lab;
  std::uint64_t done = 0;
};

// No refresh and no row misses: every memory access takes the same time, so that clocks can be counted.
constexpr const char* plain_memory =
    "[memory.refresh]\nperiod = \"40 ms\"\n[memory.dram]\nread_miss = 2\nwrite_miss = 2\n";

}  // namespace

TEST_CASE("single path: a memory-bound loop loses exactly the time that the bus master uses") {
  Bench alone("model56sx", plain_memory, copy_words, false), with("model56sx", plain_memory, copy_words, true);
  const auto fetched = with.chip().counters().sent;
  REQUIRE(fetched > 30);
  // A frame of 1024 bytes: 16 bursts of 32 words of 200 ns each, an arbitration phase of 300 ns before each burst and
  // one after the last.
  const double stolen_us = static_cast<double>(fetched) * (16 * 32 * 0.2 + 17 * 0.3);
  // Copying a word takes a read and a write of two clocks each, 0.2 us.
  const double lost_us = static_cast<double>(alone.done - with.done) * 0.2;
  INFO(fetched << " frames, " << stolen_us << " us stolen, " << lost_us << " us lost of 50000");
  CHECK(alone.done > 240'000);
  CHECK(lost_us >= stolen_us);
  CHECK(lost_us <=
        stolen_us * (static_cast<double>(fetched) + 2.5) / static_cast<double>(fetched));  // two more are buffered in
                                                                                           // the card
}

TEST_CASE("dual path: a cached loop is not slowed down, a DRAM-bound loop is") {
  const auto cached = [](const Code& loop) {
    Code all = enable_cache;
    all.insert(all.end(), loop.begin(), loop.end());
    return all;
  };
  Bench alone("model95", "", cached(count_in_registers), false), with("model95", "", cached(count_in_registers), true);
  CHECK(with.chip().counters().sent > 30);
  CHECK(alone.done == with.done);
  CHECK(alone.done > 800'000);

  Bench reads_alone("model95", "", cached(read_memory), false), reads_with("model95", "", cached(read_memory), true);
  INFO(reads_alone.done << " against " << reads_with.done);
  CHECK(reads_with.done < reads_alone.done);
  // At most the time of the transfers: 16 bursts of 16 doublewords per frame, at 200 to 300 ns each.
  const double lost = 1 - static_cast<double>(reads_with.done) / static_cast<double>(reads_alone.done);
  const double taken = static_cast<double>(reads_with.chip().counters().sent) * 16 * 16 * 0.3 / 50'000;
  CHECK(lost > 0.01);
  CHECK(lost < taken * 1.2);
}
