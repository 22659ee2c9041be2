// SPDX-License-Identifier: GPL-2.0-or-later
// The timing models through the executor: real machine code, with the processor's own clock count.
#include <algorithm>
#include <memory>
#include <vector>

#include "core/cpu/cpu.hpp"
#include "tests/catch.hpp"
#include "tests/core/cpu/timing/timing_support.hpp"

using namespace planar;
using namespace planar::cpu;

namespace {

using Bytes = std::vector<std::uint8_t>;

class NoPins : public Pins {
 public:
  Cycle io_read(std::uint16_t, unsigned, Time start) override { return {0xFFFFFFFF, start + 300_ns}; }
  Time io_write(std::uint16_t, unsigned, std::uint32_t, Time start) override { return start + 300_ns; }
  Cycle memory_read(std::uint32_t, unsigned, Time start) override { return {0xFFFFFFFF, start + 300_ns}; }
  Time memory_write(std::uint32_t, unsigned, std::uint32_t, Time start) override { return start + 300_ns; }
  Cycle acknowledge_interrupt(Time start) override { return {0x20, start + 600_ns}; }
  void shutdown(Time) override {}
  void fpu_error(bool, Time) override {}
};

// clang-format off
struct Machine { const char* name; TimingConfig timing; ClockDomain clock; double mhz; };
// clang-format on

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = {
      {"56SX", timing_test::sx_config(), ClockDomain(20'000'000), 20},
      {"77", timing_test::i486_config(), ClockDomain(100'000'000, 3), 100.0 / 3},
      {"95", timing_test::pentium_config(), ClockDomain(90'000'000), 90},
  };
  return all;
}

/// A processor in flat 32-bit protected mode with 8 MB of RAM; code at 1 MB, stack below.
class Bench {
 public:
  explicit Bench(const Machine& m) : trace_(), ram_(8u << 20) {
    space_.map_ram(0, ram_);
    CpuConfig config;
    config.model = m.timing.model;
    config.clock = m.clock;
    config.timing = m.timing;
    cpu_ = std::make_unique<Cpu>(scheduler_, space_, pins_, trace_, config);
    Registers r;
    r.eip = 0x100000;
    r.gpr[4] = 0x0FF000;
    r.cr0 = 0x11;
    for (auto& s : r.segment) s = {0x10, 0, 0xFFFFFFFF, 0x93, true};
    r.segment[1] = {0x08, 0, 0xFFFFFFFF, 0x9B, true};
    cpu_->set_registers(r);
  }
  void load(std::uint32_t at, const Bytes& code) { std::copy(code.begin(), code.end(), ram_.begin() + at); }
  /// Runs from `eip` until the processor reaches `stop`; returns the clocks taken.
  std::uint64_t run(std::uint32_t eip, std::uint32_t stop, std::uint32_t ecx) {
    Registers r = cpu_->registers();
    r.eip = eip;
    r.gpr[1] = ecx;
    r.gpr[6] = 0x200000;
    r.gpr[7] = 0x480000;
    r.cr0 = 0x11;
    cpu_->set_registers(r);
    const std::uint64_t before = cpu_->clocks();
    for (std::uint64_t n = 0; cpu_->registers().eip != stop; ++n) {
      if (n == 2000000) FAIL("the code does not come to its end");
      cpu_->step();
    }
    return cpu_->clocks() - before;
  }

 private:
  Scheduler scheduler_;
  AddressSpace space_;
  NoPins pins_;
  Trace trace_;
  std::vector<std::uint8_t> ram_;
  std::unique_ptr<Cpu> cpu_;
};

}  // namespace

TEST_CASE("The executor runs the delay loop at the class's BogoMIPS", "[cpu][timing]") {
  const double expected[] = {2.8, 16.6, 36};
  for (std::size_t i = 0; i < machines().size(); ++i) {
    const Machine& m = machines()[i];
    INFO(m.name);
    Bench b(m);
    b.load(0x100000, {0x49, 0x79, 0xFD, 0x90});  // dec ecx; jns $-1; nop
    const std::uint32_t loops = 20000;
    b.run(0x100000, 0x100003, 100);
    const auto clocks = b.run(0x100000, 0x100003, loops);
    CHECK(m.mhz * 1e6 * loops / static_cast<double>(clocks) / 500000 == Approx(expected[i]).epsilon(0.05));
  }
}

TEST_CASE("The executor predicts loops of two to six pairs", "[cpu][timing]") {
  for (unsigned pairs : {2u, 3u, 4u, 6u}) {
    CAPTURE(pairs);
    Bench b(machines()[2]);
    Bytes code;
    for (unsigned i = 1; i < pairs; ++i) code.insert(code.end(), {0x46, 0x47});  // inc esi; inc edi
    code.insert(code.end(), {0x49, 0x79, static_cast<std::uint8_t>(0u - (code.size() + 3)), 0x90});
    b.load(0x100000, code);
    const auto stop = static_cast<std::uint32_t>(0x100000 + code.size() - 1);
    b.run(0x100000, stop, 100);
    CHECK(static_cast<double>(b.run(0x100000, stop, 10000)) / 10000 == Approx(pairs).epsilon(0.01));
  }
}

TEST_CASE("The executor runs a block copy at the machine's rate", "[cpu][timing]") {
  const double low[] = {4, 12, 15}, high[] = {8, 20, 60};
  for (std::size_t i = 0; i < machines().size(); ++i) {
    const Machine& m = machines()[i];
    INFO(m.name);
    Bench b(m);
    b.load(0x100000, {0xF3, 0xA5, 0x90});  // rep movsd
    const std::uint32_t dwords = 128 * 1024;
    b.run(0x100000, 0x100002, dwords);
    const double rate = 4.0 * dwords / (static_cast<double>(b.run(0x100000, 0x100002, dwords)) / m.mhz);
    CHECK(rate > low[i]);
    CHECK(rate < high[i]);
  }
}
