// SPDX-License-Identifier: GPL-2.0-or-later
// The firmware on each machine: power-on self-test, adapter set-up, configuration errors, booting from diskette. The
// tests check what a user sees: the screen, COM1, the checkpoints.
#include "adf/nvram/nvram.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"
#include "tests/machines/firmware/post_bench.hpp"
#include "tests/machines/ps2.hpp"

using namespace planar;
using namespace planar::test;
using Catch::Matchers::Contains;

namespace {

/// A machine with an NE/2 in slot 2 if `card` is true.
Config ps2_config(const std::string& model, bool card = true) {
  Config c = load_machine(model);
  if (card) c.set("slot.2.card", "ne2", "--card 2=ne2");
  return c;
}

/// Changes the adapter records and makes their checksum valid again.
template <typename Change>
void change_records(PostBench& bench, Change change) {
  auto& nvram = ps2(bench.machine()).nvram();
  auto records = adf::read_nvram(nvram.contents());
  change(records);
  const auto image = adf::write_nvram(records);
  std::copy(image.begin(), image.end(), nvram.contents().begin());
}

/// A card that never becomes ready: its ID stays 0000h.
class SilentCard final : public bus::Adapter {
 public:
  std::string_view name() const override { return "silent"; }
  std::uint16_t adapter_id() const override { return 0; }
  void pos_write(unsigned, std::uint8_t, Time) override { written_ = true; }
  std::uint8_t pos_peek(unsigned) const override { return 0; }
  void channel_reset(Time) override {}
  void describe(Description&) const override {}
  void archive(Archive&) override {}
  bool written() const { return written_; }

 private:
  bool written_ = false;
};

}  // namespace

TEST_CASE("every machine boots a diskette without errors in less than three seconds") {
  for (const std::string model : {"model56sx", "model77", "model95"}) {
    INFO(model);
    PostBench bench(ps2_config(model), "sample-bios.img");
    REQUIRE(bench.post());
    CHECK(bench.now() < 3'000_ms);
    REQUIRE((bench.machine().board().checkpoint() & 0xFF) == started);
    REQUIRE(bench.halt());
    INFO(bench.screen());
    CHECK(no_configuration_error(bench.screen()));
    CHECK_THAT(bench.screen(), Contains("sample-bios: ok"));
    CHECK_THAT(bench.com1(), Contains("sample-bios: ok\r\n"));
    CHECK_THAT(bench.com1(), Contains("Micro Channel ok"));
  }
}

TEST_CASE("a protected mode program with its own interrupt handlers runs on every machine") {
  for (const std::string model : {"model56sx", "model77", "model95"}) {
    INFO(model);
    PostBench bench(ps2_config(model, false), "sample-pmode.img");
    REQUIRE(bench.post());
    while (bench.com1().find("timer ") == std::string::npos && bench.now() < 5'000_ms) bench.run(20_ms);
    bench.key(0x1E, true);
    bench.key(0x1E, false);
    REQUIRE(bench.halt());
    CHECK_THAT(bench.screen(), Contains("sample-pmode: ok"));
    CHECK_THAT(bench.com1(), Contains("ticks in a second ok"));
    CHECK_THAT(bench.com1(), Contains("keyboard bytes 2"));
  }
}

TEST_CASE("POST writes an adapter's POS bytes from its record and enables it") {
  PostBench bench(ps2_config("model56sx"), "");
  const auto records = adf::read_nvram(ps2(bench.machine()).nvram().contents());
  REQUIRE(records.slots[1].id == 0x7154);
  bus::Adapter* card = ps2(bench.machine()).adapter_card(2);
  REQUIRE_FALSE(card->pos_peek(2) & 1);
  REQUIRE(bench.post());
  CHECK(card->pos_peek(2) == (records.slots[1].pos[0] | 1));

  SECTION("a record without the enable flag leaves the adapter configured but disabled") {
    PostBench other(ps2_config("model56sx"), "");
    change_records(other, [](adf::NvramConfig& r) { r.slots[1].enable = false; });
    REQUIRE(other.post());
    CHECK(ps2(other.machine()).adapter_card(2)->pos_peek(2) == (records.slots[1].pos[0] & 0xFE));
    CHECK(no_configuration_error(other.screen()));
  }
}

TEST_CASE("161: the battery is dead") {
  PostBench bench(ps2_config("model56sx"), "sample-bios.img");
  ps2(bench.machine()).cmos().set_battery_good(false);
  REQUIRE(bench.post());
  CHECK_THAT(bench.screen(), Contains("161 Clock and configuration memory lost power"));
  CHECK(ps2(bench.machine()).cmos().cmos(0x0E) & 0x80);
  CHECK((bench.machine().board().checkpoint() & 0xFF) == started);  // an error does not prevent booting
}

TEST_CASE("162: a byte of the configuration memory or the adapter records is damaged") {
  PostBench bench(ps2_config("model56sx"), "sample-bios.img");
  SECTION("CMOS") {
    ps2(bench.machine()).cmos().set_cmos(0x15, ps2(bench.machine()).cmos().cmos(0x15) ^ 1);
    REQUIRE(bench.post());
    CHECK_THAT(bench.screen(), Contains("162 Configuration memory (CMOS) checksum"));
    CHECK(ps2(bench.machine()).cmos().cmos(0x0E) == 0x40);
    CHECK(ps2(bench.machine()).adapter_card(2)->pos_peek(2) & 1);  // its record is good
  }
  SECTION("adapter records") {
    ps2(bench.machine()).nvram().contents()[0x1C] ^= 0x10;
    REQUIRE(bench.post());
    CHECK_THAT(bench.screen(), Contains("162 Adapter records (NVRAM) checksum"));
    CHECK(ps2(bench.machine()).cmos().cmos(0x0E) == 0x20);
    CHECK_FALSE(ps2(bench.machine()).adapter_card(2)->pos_peek(2) & 1);
    REQUIRE(bench.halt());
    CHECK_THAT(bench.com1(), Contains("sample-bios: ok"));  // COM1 and diskette work by default
  }
}

TEST_CASE("163: date and time are not set") {
  PostBench bench(ps2_config("model56sx"), "");
  ps2(bench.machine()).cmos().set_date_time({.year = 1995, .month = 0, .day = 0}, {});
  REQUIRE(bench.post());
  CHECK_THAT(bench.screen(), Contains("163 Date and time are not set"));
  CHECK(ps2(bench.machine()).cmos().cmos(0x0E) == 0x04);
}

TEST_CASE("164: the memory found differs from the memory recorded") {
  PostBench bench(ps2_config("model56sx"), "");
  ps2(bench.machine()).cmos().set_cmos(0x18, ps2(bench.machine()).cmos().cmos(0x18) ^ 0x04);
  ps2(bench.machine()).cmos().seal();
  REQUIRE(bench.post());
  CHECK_THAT(bench.screen(), Contains("164 Memory size differs from the record"));
  CHECK(ps2(bench.machine()).cmos().cmos(0x0E) == 0x10);
}

TEST_CASE("165: a slot contains a different adapter than its record") {
  PostBench bench(ps2_config("model56sx"), "");
  SECTION("the wrong adapter stays disabled") {
    change_records(bench, [](adf::NvramConfig& r) { r.slots[1].id = 0x6042; });
    REQUIRE(bench.post());
    CHECK_THAT(bench.screen(), Contains("165 Adapter differs from the record, slot 2"));
    CHECK_THAT(bench.screen(), Contains("found 7154, recorded 6042"));
    CHECK_FALSE(ps2(bench.machine()).adapter_card(2)->pos_peek(2) & 1);
  }
  SECTION("a removed adapter is reported") {
    change_records(bench, [](adf::NvramConfig& r) { r.slots[2] = {0x6042, true, 1, {0x03}}; });
    REQUIRE(bench.post());
    CHECK_THAT(bench.screen(), Contains("found FFFF, recorded 6042"));
    CHECK(ps2(bench.machine()).adapter_card(2)->pos_peek(2) & 1);
  }
  SECTION("the system board has a different ID") {
    change_records(bench, [](adf::NvramConfig& r) { r.planar.id = 0x1234; });
    REQUIRE(bench.post());
    CHECK_THAT(bench.screen(), Contains("165 System board differs from the record"));
  }
  CHECK(ps2(bench.machine()).cmos().cmos(0x0E) == 0x02);
}

TEST_CASE("166: an adapter that never becomes ready takes a second and stays disabled") {
  PostBench bench(ps2_config("model56sx", false), "");
  SilentCard card;
  ps2(bench.machine()).pos().insert(0, &card);
  REQUIRE(bench.post());
  CHECK_THAT(bench.screen(), Contains("166 Adapter does not answer, slot 1"));
  CHECK(ps2(bench.machine()).cmos().cmos(0x0E) == 0x01);
  CHECK_FALSE(card.written());
  CHECK(bench.now() > 1'000_ms);
  ps2(bench.machine()).pos().insert(0, nullptr);
}

TEST_CASE("without a diskette POST prompts for one, and Ctrl-Alt-Del restarts") {
  PostBench bench(ps2_config("model95"), "");
  REQUIRE(bench.post());
  CHECK_THAT(bench.screen(), Contains("No bootable diskette: drive A cannot be read."));
  CHECK_THAT(bench.screen(), Contains("press Ctrl-Alt-Del"));
  CHECK(bench.machine().board().panel_text() == "NO BOOT ");

  bench.insert("sample-bios.img");
  for (const std::uint16_t code : {0x1D, 0x38, 0x53}) bench.key(code, true);
  REQUIRE(bench.halt());
  CHECK_THAT(bench.screen(), Contains("sample-bios: ok"));
  CHECK(no_configuration_error(bench.screen()));
}
