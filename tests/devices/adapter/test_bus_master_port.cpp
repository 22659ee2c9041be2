// SPDX-License-Identifier: GPL-2.0-or-later
// The bus master side of an adapter: a snapshot is valid at any moment of a transfer, also between two of its bursts.
#include <numeric>

#include "devices/adapter/mca/bus_master_port.hpp"
#include "tests/archived.hpp"
#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct TestedTransfer final : BusMasterClient {
  TestedTransfer() { std::iota(buffer.begin(), buffer.end(), std::uint8_t{1}); }
  std::span<std::uint8_t> transfer_buffer() override { return buffer; }
  bool transferring() const override { return !done; }
  void transfer_done(Time) override { done = true; }
  std::vector<std::uint8_t> saved() { return saved_state(*this); }
  void restore(const std::vector<std::uint8_t>& stream) { restore_state(*this, stream); }
  void archive(Archive& a) {
    rig.archive(a);
    a(rig.ram, done);
    port.archive(a);
  }

  Rig rig;
  bus::Slot slot{0, 16, rig.wiring()};
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(100);
  BusMasterPort port{slot, "port", *this, 64};
  bool done = false;
};

/// The card's own registers: an access ends the transfer under way and begins another one.
struct OwnRegisters final : Slave {
  explicit OwnRegisters(TestedTransfer& t) : transfer(t) {}
  std::uint32_t read(std::uint32_t, unsigned, Time now) override { return touch(now); }
  void write(std::uint32_t, unsigned, std::uint32_t, Time now) override { touch(now); }
  std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0; }
  std::uint32_t touch(Time now) {
    if (touched++ == 0) {
      transfer.port.cancel(now);
      transfer.buffer = std::vector<std::uint8_t>(4, 0x5A);
      transfer.port.start(0x3000, 4, Direction::write, now);
    }
    return 0;
  }
  TestedTransfer& transfer;
  int touched = 0;
};

}  // namespace

TEST_CASE("a transfer that its own data cancel ends, and the card's new one is carried out") {
  TestedTransfer t;
  OwnRegisters registers(t);
  const MemoryClaim claim = t.rig.memory.claim(0x800000, 0x1000, registers, {});
  t.port.configure(8, true);
  t.port.start(0x800000, 100, GENERATE(Direction::write, Direction::read), t.rig.now);
  t.rig.step(100_us);
  CHECK(registers.touched == 64);  // its first burst
  CHECK(t.done);
  CHECK(std::equal(t.buffer.begin(), t.buffer.end(), t.rig.ram.begin() + 0x3000));
}

TEST_CASE("a bus master's transfer continues from a snapshot at any time, also if its last burst is the shortest") {
  TestedTransfer straight;
  straight.port.configure(8, true);
  straight.port.start(0x1000, 100, Direction::write, straight.rig.now);
  unsigned moments = 0;
  for (; !straight.done; ++moments) {
    REQUIRE(moments < 1000);
    const auto state = straight.saved();
    TestedTransfer resumed;
    resumed.port.configure(8, true);
    resumed.restore(state);
    CHECK(resumed.saved() == state);
    resumed.rig.step(100_us);
    CHECK(resumed.done);
    CHECK(std::equal(resumed.buffer.begin(), resumed.buffer.end(), resumed.rig.ram.begin() + 0x1000));
    straight.rig.step(50_ns);
  }
  CHECK(moments > 50);
}
