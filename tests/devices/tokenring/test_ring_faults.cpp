// SPDX-License-Identifier: GPL-2.0-or-later
// Faults on a ring as seen by the drivers of the three families of adapters: the same faults for a shared-RAM adapter
// (ibmtr), a TMS380 (tms380tr) and a LANStreamer, in the codes that they have in common.
#include "tests/devices/tokenring/lanstreamer_bench.hpp"
#include "tests/devices/tokenring/madge_bench.hpp"
#include "tests/devices/tokenring/tropic_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// Offsets in the error log, common to all.
enum Log : unsigned { lost_frame = 6, congestion = 7, token = 10 };
constexpr MacAddress nobody{0x10, 0x00, 0x5A, 0x77, 0x77, 0x77};

struct Shared : TropicBench {
  RingPort& station() { return card->chip().port(); }
  void prepare() { REQUIRE(come_up()); }
  void ask() { ask_to_open(); }
  /// 0, or phase and reason.
  unsigned answer() {
    REQUIRE(wait(30_s));
    serve();
    if (opened) REQUIRE((wait() && (serve(), sap_open)));
    CHECK((opened || return_code == 7));
    return opened ? 0 : open_error;
  }
  void poll() {
    if (interrupt()) serve();
    step(20_us);
  }
  unsigned seen() const { return ring_status; }
  void begin(const MacAddress& to, std::size_t data) {
    results.clear();
    Bytes f = from_us(data);
    std::copy(to.begin(), to.end(), f.begin() + 2);
    ask_to_send(f);
  }
  bool ended() const { return !results.empty(); }
  unsigned frame_status() const { return results.back().status; }
  bool lost() const { return results.back().code == 0x23; }
  bool failed() const { return results.back().code != 0; }
  unsigned logged(unsigned at) {
    wb(select(srb), 8);
    command();
    REQUIRE(wait());
    serve();
    return log.at(at);
  }
  bool closed() {
    wb(select(srb), 8);
    command();
    REQUIRE(wait());
    serve();
    return return_code == 4;
  }
};

struct Madge : MadgeBench {
  RingPort& station() { return chip().port(); }
  Time now() const { return rig.now; }
  void prepare() { start(); }
  void ask() {
    write_open_block();
    write_lists();
    execute(Tms380::OPEN, open_block);
  }
  unsigned answer() {
    const Event e = await(8, 30_s);
    REQUIRE(e.words[0] == Tms380::OPEN);
    if (e.words[1] != Tms380::good_completion) {
      CHECK((e.words[1] & 0xFF00) == Tms380::OPEN_ERROR);
      return e.words[1] & 0xFF;
    }
    execute(Tms380::TRANSMIT, tpl);
    REQUIRE(await(6).code == 6);
    execute(Tms380::RECEIVE, rpl);
    REQUIRE(await(6).code == 6);
    return 0;
  }
  void poll() {
    if (interrupt())
      for (const Event& e : service()) {
        if (e.code == 4) status_ |= e.words[1];
        if (e.code == 12) done_ = true;
      }
    rig.step(20_us);
  }
  unsigned seen() const { return status_; }
  void begin(const MacAddress& to, std::size_t data) {
    done_ = false;
    list_ = send(frame(14 + data, to));
  }
  bool ended() const { return done_; }
  unsigned frame_status() const { return word(list_ + 4) & 0xFC; }
  bool lost() const { return (word(list_ + 4) & 0x4400) == 0x4400; }
  bool failed() const { return lost(); }
  unsigned logged(unsigned at) {
    CHECK(run(Tms380::READ_ERROR_LOG, log).words[1] == Tms380::good_completion);
    return rig.ram[log + at];
  }
  bool closed() { return run(Tms380::CLOSE, 0).words[1] == Tms380::ADAPTER_CLOSED; }
  bool done_ = false;
  std::uint32_t list_ = 0;
  unsigned status_ = 0;
};

struct Streamer : LanStreamerBench {
  RingPort& station() { return card.chip().port(); }
  Time now() const { return rig.now; }
  void prepare() { reset(); }
  void ask() {
    at_ = in(LanStreamer::LAPWWO);
    issue_open(0);
  }
  unsigned answer() {
    const unsigned code = await_reply(30_s);
    if (code) {
      CHECK(code == LanStreamer::RC_FAILED);
      return local(at_ + 6);
    }
    out(LanStreamer::LAPA, at_ + 8);
    asb = swapped(in(LanStreamer::LAPDINC));
    srb = swapped(in(LanStreamer::LAPDINC));
    arb = swapped(in(LanStreamer::LAPDINC));
    start_channels();
    return 0;
  }
  void poll() {
    if (in(LanStreamer::SISR)&LanStreamer::ARB_CMD) status_ |= next_status();
    rig.step(20_us);
  }
  unsigned seen() const { return status_; }
  void begin(const MacAddress& to, std::size_t data) {
    number_ = (number_ + 1) % tx_count;
    send(number_, frame(data, 0, to));
  }
  bool ended() const { return transmit_status(number_) != 0; }
  unsigned frame_status() const { return transmit_status(number_) >> 8 & 0xFF; }
  bool lost() const { return (transmit_status(number_) & 0xFF0000FF) == 0xC0000002; }
  bool failed() const { return (transmit_status(number_) & 0x40000000) != 0; }
  unsigned logged(unsigned at) {
    CHECK(request(LanStreamer::SRB_READ_LOG) == 0);
    const unsigned both = local(srb + 6 + (at & ~1u));
    return at & 1 ? both & 0xFF : both >> 8;
  }
  bool closed() { return request(LanStreamer::SRB_READ_LOG) == LanStreamer::RC_CLOSED; }
  unsigned at_ = 0, number_ = tx_count - 1, status_ = 0;
};

/// An adapter, its bench's other station, and a third one after it that may be inserted and removed.
template <typename Bench>
struct Faulty : Bench {
  Faulty() : third(this->rig.scheduler, this->ring, 99) {
    third.parameters.node = {0, 0, 0, 0, 0, 9};  // no address is lower: it wins no contention
  }
  void pass(Time t) {
    for (const Time end = this->now() + t; this->now() < end;) this->poll();
  }
  template <typename Condition>
  void until(Condition condition, Time limit = 20_s) {
    for (const Time end = this->now() + limit; !condition() && this->now() < end;) this->poll();
    REQUIRE(condition());
  }
  void open() {
    this->prepare();
    this->ask();
    REQUIRE(this->answer() == 0);
  }
  /// The adapter is on the ring, but has not been told yet.
  void ask_and_join() {
    const auto purges = this->ring.counters().purges;
    this->prepare();
    this->ask();
    for (int n = 0; this->ring.counters().purges == purges; ++n) {
      REQUIRE(n < 200'000);
      this->rig.step(20_us);
    }
  }
  void third_comes() { third.port.insert_at_rest(third.parameters, this->now()); }
  void third_goes() { third.port.remove(this->now()); }
  bool exchange(const MacAddress& to, std::size_t data = 200) {
    this->begin(to, data);
    until([&] { return this->ended(); });
    return !this->lost();
  }
  MacAddress neighbour() { return this->other.port.node(); }

  RingRecorder third;
};

/// Sees when the first bit of a frame from the driver has been sent.
struct Departure final : WireObserver {
  Departure(Ring& ring, const Port& port) : sender(port.name()) { ring.add_observer(*this); }
  void begins(const Medium&, std::string_view who, Time) override { seen = seen || who == sender; }
  void observe(const WireRecord&) override {}
  std::string sender;
  bool seen = false;
};

}  // namespace

TEMPLATE_TEST_CASE("faults: an absent address and a congested receiver show in the frame status", "[ring][faults]",
                   Shared, Madge, Streamer) {
  Faulty<TestType> a;
  a.open();
  CHECK(a.exchange(a.neighbour()));
  CHECK((a.frame_status() & 0xCC) == 0xCC);
  CHECK(a.exchange(nobody));
  CHECK((a.frame_status() & 0xCC) == 0);
  a.other.copies = false;
  CHECK(a.exchange(a.neighbour()));
  CHECK((a.frame_status() & 0xCC) == 0x88);
  a.other.copies = true;
  CHECK(a.exchange(a.neighbour()));
  CHECK((a.frame_status() & 0xCC) == 0xCC);
}

TEMPLATE_TEST_CASE("faults: a frame lost on the ring is reported, logged, and causes a soft error report",
                   "[ring][faults]", Shared, Madge, Streamer) {
  Faulty<TestType> a;
  a.third_comes();
  a.open();
  a.pass(100_ms);
  Departure departure(a.ring, a.station());
  a.begin(a.neighbour(), 1400);
  a.until([&] { return departure.seen; });
  a.rig.step(100_us);
  a.third_goes();
  a.until([&] { return a.ended(); });
  CHECK(a.lost());
  CHECK(a.failed());
  a.pass(3_s);
  CHECK((a.seen() & ring_status::soft_error) != 0);
  CHECK(a.logged(lost_frame) == 1);
  CHECK(a.logged(lost_frame) == 0);
  CHECK(a.exchange(a.neighbour()));
  CHECK((a.frame_status() & 0xCC) == 0xCC);
}

TEMPLATE_TEST_CASE("faults: when the monitor leaves, the adapter replaces it and counts a lost token", "[ring][faults]",
                   Shared, Madge, Streamer) {
  Faulty<TestType> a;
  a.third_comes();
  a.open();
  a.pass(100_ms);
  a.other.port.remove(a.now());
  a.pass(4_s);
  CHECK((a.seen() & ring_status::ring_recovery) != 0);
  CHECK(a.station().active_monitor());
  CHECK(a.logged(token) == 0);
  a.third_goes();
  a.pass(3_s);
  CHECK((a.seen() & ring_status::soft_error) != 0);
  CHECK((a.seen() & ring_status::single_station) != 0);
  CHECK(a.logged(token) == 1);
}

TEMPLATE_TEST_CASE("faults: the cable is pulled during insertion", "[ring][faults]", Shared, Madge, Streamer) {
  Faulty<TestType> a;
  a.ask_and_join();
  a.station().set_plugged(false, a.now());
  CHECK(a.answer() == 0x22);
  CHECK_FALSE(a.station().inserted());
  a.station().set_plugged(true, a.now());
  a.open();
  CHECK(a.exchange(a.neighbour()));
}

TEMPLATE_TEST_CASE("no station can join a beaconing ring", "[ring][faults]", Shared, Madge, Streamer) {
  Faulty<TestType> a;
  a.third_comes();
  a.ring.set_broken(a.third.port, true, a.now());
  a.prepare();
  a.rig.step(5_s);
  a.ask();
  CHECK(a.answer() == 0x27);
  a.ring.set_broken(a.third.port, false, a.now());
  a.rig.step(30_s);
  a.open();
  CHECK(a.exchange(a.neighbour()));
}

TEMPLATE_TEST_CASE("faults: the trunk breaks at an open adapter, and is repaired", "[ring][faults]", Shared, Madge,
                   Streamer) {
  Faulty<TestType> a;
  a.third_comes();
  a.open();
  a.pass(100_ms);
  a.ring.set_broken(a.station(), true, a.now());
  a.pass(4_s);
  const unsigned beaconing = ring_status::transmitting_beacon | ring_status::hard_error | ring_status::signal_loss;
  CHECK((a.seen() & beaconing) == beaconing);
  a.ring.set_broken(a.station(), false, a.now());
  a.pass(5_s);
  CHECK(a.station().inserted());
  CHECK(a.exchange(a.neighbour()));
  CHECK((a.frame_status() & 0xCC) == 0xCC);
}

TEMPLATE_TEST_CASE("faults: a server removes the station, during insertion and later", "[ring][faults]", Shared, Madge,
                   Streamer) {
  Faulty<TestType> a;
  a.ask_and_join();
  a.station().remove_by_server(a.now());
  CHECK((a.answer() & 0x0F) == static_cast<unsigned>(InsertionError::remove_received));
  a.open();
  a.pass(100_ms);
  a.station().remove_by_server(a.now());
  a.pass(100_ms);
  CHECK((a.seen() & ring_status::remove_received) != 0);
  CHECK(a.closed());
  a.open();
  CHECK(a.exchange(a.neighbour()));
}
