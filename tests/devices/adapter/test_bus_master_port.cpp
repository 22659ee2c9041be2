// SPDX-License-Identifier: GPL-2.0-or-later
// The bus master side of an adapter: a snapshot is good at any moment of a transfer, also between two of its bursts.
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

}  // namespace

TEST_CASE("a bus master's transfer goes on from a snapshot of any moment, where its last burst is the shortest") {
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
