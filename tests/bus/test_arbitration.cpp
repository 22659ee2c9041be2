// SPDX-License-Identifier: GPL-2.0-or-later
// Ownership of the channel: phases, levels, preemption, fairness, the 7.8 us limit, port 90h
// (docs/hardware/micro-channel.md#arbitration).
#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Log {
  std::vector<std::string> lines;
  void add(const std::string& name, const char* what, Time t) {
    lines.push_back(name + " " + what + " " + std::to_string(t.ps / 1000));
  }
};

/// Owns the channel for `hold`, or until it is preempted plus `reluctance` when hold is never.
struct Master final : BusMaster {
  Master(Rig& r, Log& l, std::string name, unsigned level, Time hold, bool fairness = true)
      : BusMaster(r.channel, std::move(name), fairness), log(l), level(level), hold(hold) {}
  void ask(Time now) { request_channel(level, now); }
  void granted(Time now) override {
    log.add(master_name(), "granted", now);
    if (hold != Time::never()) {
      release_channel(now + hold);
      if (again > 0 && --again > 0) ask(now);
    }
  }
  void preempted(Time now) override {
    log.add(master_name(), "preempted", now);
    if (reluctance != Time::never()) {
      release_channel(now + reluctance);
      if (again > 0 && --again > 0) ask(now);
    }
  }
  void timed_out(Time now) override { log.add(master_name(), "timed out", now); }
  void let_go(Time now) { release_channel(now); }
  Log& log;
  unsigned level;
  Time hold;
  Time reluctance = 100_ns;
  int again = 0;  // number of further consecutive grants to request
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("the lowest level wins, and every grant follows an arbitration phase of 300 ns") {
  Rig rig;
  Log log;
  Master scsi(rig, log, "scsi", 0xB, 1_us), disk(rig, log, "disk", 2, 500_ns), net(rig, log, "net", 9, 1_us);
  rig.step(10_us);
  scsi.ask(rig.now);
  net.ask(rig.now);
  disk.ask(rig.now + 100_ns);  // within the phase
  rig.step(10_us);
  REQUIRE(log.lines == Lines{"disk granted 10300", "net granted 11100", "scsi granted 12400"});
}

TEST_CASE("level Fh never wins: it is the processor's level") {
  Rig rig;
  Log log;
  Master odd(rig, log, "odd", 0xF, 1_us);
  odd.ask(0_ns);
  rig.step(100_us);
  REQUIRE(log.lines.empty());
}

TEST_CASE("a withdrawn request is not granted; the processor wins the phase instead") {
  Rig rig;
  Log log;
  Master net(rig, log, "net", 9, 1_us);
  net.ask(0_ns);
  net.withdraw_request(100_ns);
  rig.in(0x300);
  REQUIRE(log.lines.empty());
  REQUIRE(rig.now == 300_ns + 200_ns);
}

TEST_CASE("a requester waits for the end of the processor's cycle") {
  struct Asker {
    Asker(Rig& rig, Master& m, Time when)
        : master(m), event(rig.scheduler, "ask", Priority::device, Callback::to<&Asker::ask>(this)) {
      event.at(when);
    }
    void ask(Time now) { master.ask(now); }
    Master& master;
    Event event;
  };
  Rig rig;
  Log log;
  Master net(rig, log, "net", 9, 1_us);
  Asker asker(rig, net, 1'050_ns);
  rig.step(1_us);
  rig.in(0x300);  // 1000 to 1200 ns
  REQUIRE(rig.now == 1'200_ns);
  rig.in(0x300);  // arbitration to 1500, net to 2500, arbitration to 2800
  REQUIRE(rig.now == 3_us);
  REQUIRE(log.lines == Lines{"net granted 1500"});
}

TEST_CASE("port 90h bit 5 extends the phase to 600 ns; bit 7 gives it to the processor") {
  Rig rig;
  Log log;
  Master net(rig, log, "net", 9, 1_us);
  SECTION("extended arbitration") {
    rig.out(0x90, 0x20);
    net.ask(rig.now);
    rig.step(600_ns);
    REQUIRE(log.lines == Lines{"net granted 900"});
    REQUIRE((rig.channel.port_peek(0x90) & 0x20) == 0);  // reads as the time-out bit
  }
  SECTION("processor cycles during arbitration") {
    rig.out(0x90, 0x80);  // ends at 300 ns
    net.ask(rig.now);
    rig.in(0x300);
    REQUIRE(rig.now == 500_ns);
    rig.in(0x300);  // extends beyond the end of the phase: the grant waits
    REQUIRE(rig.now == 700_ns);
    rig.in(0x300);  // the processor has the channel again as soon as it is released
    REQUIRE(log.lines == Lines{"net granted 700"});
    REQUIRE(rig.now == 1'900_ns);
    REQUIRE((rig.channel.port_peek(0x90) & 0x80) != 0);
  }
}

TEST_CASE("port 90h reads the level of the latest grant") {
  Rig rig;
  Log log;
  Master net(rig, log, "net", 0xB, 1_us);
  REQUIRE(rig.in(0x90) == 0x0F);
  net.ask(rig.now);
  rig.step(10_us);
  REQUIRE(rig.in(0x90) == 0x0B);
}

TEST_CASE("another requester preempts a burst") {
  Rig rig;
  Log log;
  Master burst(rig, log, "burst", 0xC, Time::never()), disk(rig, log, "disk", 2, 500_ns);
  burst.ask(0_ns);
  rig.step(2_us);
  REQUIRE(burst.owns_channel());
  REQUIRE(rig.channel.owner_name() == "burst");
  disk.ask(rig.now);
  rig.step(2_us);
  REQUIRE(log.lines == Lines{"burst granted 300", "burst preempted 2000", "disk granted 2400"});
}

TEST_CASE("the processor's request preempts a burst if the planar supports that") {
  BusTiming timing = quiet_timing();
  timing.refresh = {15'120_ns, 400_ns};
  Log log;
  SECTION("supported") {
    Rig rig(timing);
    Master burst(rig, log, "burst", 0xC, Time::never());
    burst.ask(0_ns);
    rig.step(2_us);
    rig.in(0x300);
    REQUIRE(log.lines == Lines{"burst granted 300", "burst preempted 2000"});
    REQUIRE(rig.now == 2'000_ns + 100_ns + 300_ns + 200_ns);
  }
  SECTION("not supported: the next refresh ends the burst") {
    timing.arbitration.processor_preempts = false;
    Rig rig(timing);
    Master burst(rig, log, "burst", 0xC, Time::never());
    burst.ask(0_ns);
    rig.step(2_us);
    rig.in(0x300);
    REQUIRE(log.lines == Lines{"burst granted 300", "burst preempted 15120"});
    REQUIRE(rig.now == 15'120_ns + 100_ns + 400_ns + 200_ns);  // refresh falls within the arbitration phase
  }
}

TEST_CASE("refresh is served before a grant") {
  BusTiming timing = quiet_timing();
  timing.refresh = {15'120_ns, 400_ns};
  Rig rig(timing);
  Log log;
  Master net(rig, log, "net", 9, 1_us);
  rig.step(15'000_ns);
  net.ask(rig.now);
  rig.step(5_us);
  REQUIRE(log.lines == Lines{"net granted 15520"});
}

TEST_CASE("a fair burst master lets other masters and the processor in; an unfair one does not") {
  Log log;
  Rig rig;
  SECTION("two fair masters alternate although one has higher priority") {
    Master greedy(rig, log, "greedy", 4, Time::never()), meek(rig, log, "meek", 0xE, Time::never());
    greedy.again = meek.again = 3;
    greedy.ask(0_ns);
    rig.step(1_us);
    meek.ask(rig.now);
    rig.step(1'300_ns);
    REQUIRE(log.lines == Lines{"greedy granted 300", "greedy preempted 1000", "meek granted 1400",
                               "meek preempted 1400", "greedy granted 1800", "greedy preempted 1800",
                               "meek granted 2200", "meek preempted 2200"});
  }
  SECTION("without fairness the higher priority wins again immediately") {
    Master greedy(rig, log, "greedy", 4, Time::never(), false), meek(rig, log, "meek", 0xE, Time::never());
    greedy.again = 3;
    greedy.ask(0_ns);
    rig.step(1_us);
    meek.ask(rig.now);
    rig.step(2_us);
    REQUIRE(log.lines == Lines{"greedy granted 300", "greedy preempted 1000", "greedy granted 1400",
                               "greedy preempted 1400", "greedy granted 1800", "greedy preempted 1800",
                               "meek granted 2200"});
  }
  SECTION("the processor gets one cycle between two bursts of a fair master") {
    Master greedy(rig, log, "greedy", 4, Time::never());
    greedy.again = 3;
    greedy.ask(0_ns);
    rig.step(1_us);
    rig.in(0x300);  // burst ends at 1100, arbitration to 1400
    REQUIRE(rig.now == 1'600_ns);
    rig.in(0x300);  // greedy again: 1900, preempted immediately, 2000, 2300
    REQUIRE(rig.now == 2'500_ns);
    REQUIRE(log.lines.back() == "greedy preempted 1900");
  }
}

TEST_CASE(
    "an owner that keeps the channel for 7.8 us after -PREEMPT loses it; arbitration stays masked until port 90h "
    "clears it") {
  Rig rig;
  Log log;
  Master stuck(rig, log, "stuck", 6, Time::never()), net(rig, log, "net", 9, 1_us);
  stuck.reluctance = Time::never();
  stuck.ask(0_ns);
  rig.step(2_us);
  net.ask(rig.now);
  rig.step(7'799_ns);
  REQUIRE(rig.nmi.count == 0);
  rig.step(1_ns);
  REQUIRE(rig.nmi.level[NmiSource::bus_timeout]);
  REQUIRE(rig.nmi.last == 9'800_ns);
  REQUIRE(log.lines == Lines{"stuck granted 300", "stuck preempted 2000", "stuck timed out 9800"});
  REQUIRE(rig.channel.owner_name() == "processor");
  REQUIRE(rig.channel.port_peek(0x90) == 0x66);
  rig.step(50_us);
  REQUIRE(log.lines.size() == 3);  // net waits
  SECTION("a write with bit 6 = 0 resumes arbitration") {
    rig.out(0x90, 0x00);
    REQUIRE_FALSE(rig.nmi.level[NmiSource::bus_timeout]);
    rig.step(300_ns);
    REQUIRE(log.lines.size() == 4);
    REQUIRE(rig.in(0x90) == 0x09);
  }
  SECTION("a read of the time-out bit resumes arbitration") {
    REQUIRE(rig.in(0x90) == 0x66);
    rig.step(300_ns);
    REQUIRE(log.lines.size() == 4);
    REQUIRE((rig.in(0x90) & 0x40) == 0);
  }
}

TEST_CASE("the processor waits for a stuck owner and continues after the time-out") {
  Rig rig;
  Log log;
  Master stuck(rig, log, "stuck", 6, Time::never());
  stuck.reluctance = Time::never();
  stuck.ask(0_ns);
  rig.step(2_us);
  rig.in(0x300);
  REQUIRE(rig.now == 2_us + 7'800_ns + 200_ns);
  REQUIRE(rig.nmi.count == 1);
}

TEST_CASE("an NMI or forcing the arbitrate state stops arbitration") {
  Rig rig;
  Log log;
  Master net(rig, log, "net", 9, 1_us);
  SECTION("NMI") { rig.channel.nmi_delivered(rig.now); }
  SECTION("NMI within a phase") {
    net.ask(rig.now);
    rig.step(100_ns);
    rig.channel.nmi_delivered(rig.now);
  }
  SECTION("port 90h bit 6") { rig.out(0x90, 0x40); }
  net.ask(rig.now);
  rig.step(100_us);
  REQUIRE(log.lines.empty());
  REQUIRE((rig.in(0x90) & 0x60) == 0x40);
  rig.in(0x300);
  REQUIRE(rig.took == 200_ns);  // the processor has the channel
  rig.out(0x90, 0x00);
  rig.step(1_us);
  REQUIRE(log.lines.size() == 1);
}

TEST_CASE("requesters that never release the channel cannot stop the processor forever") {
  Rig rig;
  Log log;
  Master hog(rig, log, "hog", 4, 5_us, false);
  hog.again = 1'000'000;
  hog.ask(0_ns);
  rig.step(10_us);
  rig.in(0x300);
  REQUIRE(rig.took >= 10_ms);
  REQUIRE(rig.took < 11_ms);
}

TEST_CASE("the cost of a master's transfers follows width, alignment and streaming") {
  Rig rig;
  const Channel& channel = rig.channel;
  REQUIRE(channel.transfer_time({0x1000, 64, 32}) == 16 * 200_ns);
  REQUIRE(channel.transfer_time({0x1001, 64, 32}) == 17 * 200_ns);
  REQUIRE(channel.transfer_time({0x1000, 64, 16}) == 32 * 200_ns);
  REQUIRE(channel.transfer_time({0x1003, 1, 32}) == 200_ns);
  REQUIRE(channel.transfer_time({0x1000, 0, 32}) == 0_ns);
  REQUIRE(channel.transfer_time({0x1000, 64, 32}, 300_ns) == 16 * 300_ns);
  // Streaming at 10 MHz: 40 MB/s on 32 bits once it runs.
  REQUIRE(channel.transfer_time({0x1000, 4096, 32, true}) == 200_ns + 1023 * 100_ns);
}

TEST_CASE("memory without streaming data uses default cycles; another slave may stream") {
  BusTiming timing = quiet_timing();
  timing.memory_streams = false;
  Rig rig(timing);
  const Channel& channel = rig.channel;
  REQUIRE(channel.transfer_time({0x1000, 4096, 32, true}) == 1024 * 200_ns);
  REQUIRE(channel.transfer_time({0x1000, 4096, 32, true}, 300_ns) == 300_ns + 1023 * 100_ns);
}

TEST_CASE("a 32-bit master needs two cycles for each doubleword of 16-bit planar memory, not of another slave") {
  BusTiming timing;
  timing.memory_width = 16;
  Rig rig(timing);
  const Channel& channel = rig.channel;
  REQUIRE(channel.transfer_time({0x1000, 64, 32}) == 32 * 200_ns);
  REQUIRE(channel.transfer_time({0x1000, 64, 16}) == 32 * 200_ns);
  REQUIRE(channel.transfer_time({0x1000, 64, 32}, 300_ns) == 16 * 300_ns);
}

TEST_CASE("the processor is told when the memory path of a single-path planar is busy") {
  Rig rig;
  Log log;
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  rig.channel.set_steal([&](Time from, Time to) { spans.emplace_back(from.ps / 1000, to.ps / 1000); });
  struct Mover final : BusMaster {
    explicit Mover(Rig& r) : BusMaster(r.channel, "mover") {}
    void granted(Time now) override { release_channel(channel().transfer({0x1000, 16, 32}, now)); }
  } mover(rig);
  mover.request_channel(8, 1_us);
  rig.step(10_us);
  // Arbitration, four cycles, arbitration back to the processor.
  REQUIRE(spans == std::vector<std::pair<std::int64_t, std::int64_t>>{{1000, 1300}, {1300, 2100}, {2100, 2400}});
}

TEST_CASE("a burst in progress survives a snapshot") {
  auto finish = [](Rig& rig, Log& log, Master& disk) {
    disk.ask(rig.now);
    rig.step(1_us);
    rig.in(0x300);
    auto saver = Archive::saver();
    rig.archive(saver);
    return std::pair(log.lines, sha256_hex(saver.stream()));
  };
  Rig one;
  Log log_one;
  Master burst_one(one, log_one, "burst", 0xC, Time::never()), disk_one(one, log_one, "disk", 2, 500_ns);
  burst_one.ask(0_ns);
  one.step(2_us);
  auto saver = Archive::saver();
  one.archive(saver);

  Rig two;
  Log log_two;
  Master burst_two(two, log_two, "burst", 0xC, Time::never()), disk_two(two, log_two, "disk", 2, 500_ns);
  auto loader = Archive::loader(saver.stream());
  two.archive(loader);
  loader.expect_end();
  REQUIRE(burst_two.owns_channel());
  log_two.lines = log_one.lines;
  REQUIRE(finish(one, log_one, disk_one) == finish(two, log_two, disk_two));
}

TEST_CASE("a snapshot with other bus masters is rejected") {
  Rig one, two;
  Log log;
  Master extra(one, log, "extra", 9, 1_us);
  auto saver = Archive::saver();
  one.archive(saver);
  auto loader = Archive::loader(saver.stream());
  REQUIRE_THROWS_AS(two.archive(loader), Error);
}
