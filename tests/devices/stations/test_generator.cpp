// SPDX-License-Identifier: GPL-2.0-or-later
// The station's generator: rates, bursts, the medium's limit, invalid requests, and its snapshot.
#include "devices/stations/peer/generator.hpp"

#include <algorithm>

#include "tests/devices/stations/talk.hpp"

using namespace planar;
using namespace planar::test;

namespace {

using Word = GeneratorWord;
using GeneratorWords = std::array<std::uint32_t, generator_words>;
std::uint32_t& at(GeneratorWords& w, Word word) { return w[static_cast<std::size_t>(word)]; }

constexpr std::uint16_t control_port = 4000, frames_port = 4001;

GeneratorWords request(GeneratorOperation operation = GeneratorOperation::start, std::uint32_t run = 1) {
  GeneratorWords w{};
  at(w, Word::magic) = generator_magic;
  at(w, Word::operation) = static_cast<std::uint32_t>(operation);
  at(w, Word::run) = run;
  at(w, Word::port) = frames_port;
  at(w, Word::frame_bytes) = 64;
  at(w, Word::interval) = 1'000'000;
  at(w, Word::burst) = 1;
  at(w, Word::duration) = 100'000;
  at(w, Word::delay) = 5'000;
  return w;
}

Bytes to_generator(const Bytes& data) {
  Bytes p;
  put16(p, control_port);
  put16(p, generator_port);
  put16(p, static_cast<std::uint32_t>(8 + data.size()));
  put16(p, 0);
  put(p, data);
  set16(p, 6, checksum_fold(checksum_add(p, checksum_pseudo(guest_ip, server_ip, 17, p.size()))));
  return p;
}

struct GeneratedFrame {
  Time when;
  std::size_t bytes;
  std::uint32_t run, number;
};

struct GeneratorClient : Talk {
  explicit GeneratorClient(PeerConfig config = {}) : Talk({}, config) { arp(); }
  void ask(const GeneratorWords& w) {
    Bytes b;
    for (const auto word : w) put32(b, word);
    send_ip(17, to_generator(b));
  }
  /// The generator's frames since the last call, and its last answer.
  std::vector<GeneratedFrame> frames() {
    std::vector<GeneratedFrame> list;
    for (; seen < guest.arrivals.size(); ++seen) {
      const auto& a = guest.arrivals[seen];
      REQUIRE(a.ok);
      const ByteView f = a.bytes;
      if (get16(f, 12) != 0x0800 || f[23] != 17) continue;
      const auto u = f.subspan(34, get16(f, 16) - 20u);
      CHECK(checksum_fold(checksum_add(u, checksum_pseudo(server_ip, guest_ip, 17, u.size()))) == 0);
      CHECK(get16(u, 0) == generator_port);
      if (get16(u, 2) == frames_port) {
        list.push_back({a.when, f.size(), get32(u, 8), get32(u, 12)});
      } else {
        REQUIRE(get16(u, 2) == control_port);
        for (std::size_t n = 0; n < answer.size(); ++n) answer[n] = get32(u, 8 + 4 * n);
      }
    }
    return list;
  }
  GeneratorWords report(std::uint32_t run = 1) {
    ask(request(GeneratorOperation::report, run));
    step(1_ms);
    frames();
    return answer;
  }
  std::size_t seen = 0;
  GeneratorWords answer{};
};

}  // namespace

TEST_CASE("the generator sends the requested frames evenly and counts them", "[generator]") {
  GeneratorClient c;
  c.ask(request());
  c.step(4_ms);
  CHECK(c.frames().empty());
  CHECK(at(c.answer, Word::operation) == (1 | generator_answer));
  CHECK(at(c.answer, Word::error) == 0);
  CHECK(at(c.answer, Word::running) == 1);
  c.ask(request());  // again: nothing changes
  c.step(200_ms);
  const auto frames = c.frames();
  REQUIRE(frames.size() == 100);
  for (std::size_t n = 0; n < frames.size(); ++n) {
    CHECK(frames[n].bytes == 64);
    CHECK(frames[n].run == 1);
    CHECK(frames[n].number == n);
    if (n > 0) CHECK(frames[n].when - frames[n - 1].when == 1_ms);
  }
  GeneratorWords w = c.report();
  CHECK(at(w, Word::running) == 0);
  CHECK(at(w, Word::generated) == 100);
  CHECK(at(w, Word::offered) == 100);
  CHECK(at(w, Word::held_back) == 0);
  CHECK(at(w, Word::given_up) == 0);
  CHECK(at(w, Word::elapsed) > 99'000);
  CHECK(at(w, Word::elapsed) < 99'200);
}

TEST_CASE("an interval rounded to whole nanoseconds does not add a frame to a run", "[generator]") {
  GeneratorClient c;
  GeneratorWords w = request();
  at(w, Word::interval) = 142'857;  // 7000 frames/s
  at(w, Word::duration) = 300'000;
  c.ask(w);
  c.step(400_ms);
  CHECK(c.frames().size() == 2100);
}

TEST_CASE("bursts are back-to-back frames of the requested length", "[generator]") {
  GeneratorClient c;
  GeneratorWords w = request();
  at(w, Word::burst) = 8;
  at(w, Word::interval) = 20'000'000;
  at(w, Word::frame_bytes) = 200;
  c.ask(w);
  c.step(200_ms);
  const auto frames = c.frames();
  REQUIRE(frames.size() == 40);
  for (std::size_t n = 1; n < frames.size(); ++n) {
    CHECK(frames[n].bytes == 200);
    // 200 bytes, preamble and gap at 10 Mbit/s
    if (n % 8) CHECK(frames[n].when - frames[n - 1].when == 176'000_ns);
  }
  CHECK(frames[8].when - frames[0].when == 20_ms);
}

TEST_CASE("frames beyond the medium's rate are held back, and the offered rate is the medium's", "[generator]") {
  GeneratorClient c;
  GeneratorWords w = request();
  at(w, Word::interval) = 50'000;
  c.ask(w);
  c.step(200_ms);
  const auto frames = c.frames();
  GeneratorWords r = c.report();
  CHECK(at(r, Word::generated) == 2000);
  CHECK(at(r, Word::offered) == frames.size());
  CHECK(at(r, Word::offered) + at(r, Word::held_back) == 2000);
  CHECK(frames.size() >= 1488);  // 100 ms of 67.2 us each
  CHECK(frames.size() <= 1491);
}

TEST_CASE("a frame longer than the station's MTU is not sent, and counted as given up", "[generator]") {
  PeerConfig config;
  config.mtu = 576;
  GeneratorClient c(config);
  GeneratorWords w = request();
  at(w, Word::frame_bytes) = 1000;
  c.ask(w);
  c.step(200_ms);
  CHECK(c.frames().empty());
  GeneratorWords r = c.report();
  CHECK(at(r, Word::generated) == 100);
  CHECK(at(r, Word::given_up) == 100);
  CHECK(at(r, Word::running) == 0);
}

TEST_CASE("an invalid request is refused, and another number ends a run", "[generator]") {
  GeneratorClient c;
  const auto refused = [&](Word word, std::uint32_t value) {
    GeneratorWords w = request();
    at(w, word) = value;
    c.answer = {};
    c.ask(w);
    c.step(20_ms);
    CHECK(c.frames().empty());
    CHECK(at(c.answer, Word::error) == 22);
    CHECK(at(c.answer, Word::running) == 0);
  };
  refused(Word::run, 0);
  refused(Word::interval, 0);
  refused(Word::interval, 599);
  refused(Word::frame_bytes, 63);
  refused(Word::frame_bytes, 1519);
  refused(Word::frame_bytes, 0xFFFFFFFF);
  refused(Word::burst, 0);
  refused(Word::burst, 257);
  refused(Word::duration, 0);
  refused(Word::duration, 0xFFFFFFFF);
  refused(Word::delay, 10'000'001);
  refused(Word::port, 0);
  refused(Word::port, 65536);
  refused(Word::operation, 3);
  refused(Word::operation, 2);  // there is no such run
  c.answer = {};
  c.send_ip(17, to_generator(Bytes(12, 0x50)));
  GeneratorWords w = request();
  at(w, Word::magic) = 1;
  c.ask(w);
  c.step(20_ms);
  CHECK(c.frames().empty());
  CHECK(c.answer == GeneratorWords{});

  c.ask(request());
  c.step(50_ms);
  c.ask(request(GeneratorOperation::start, 2));
  c.step(200_ms);
  const auto frames = c.frames();
  const auto first = std::count_if(frames.begin(), frames.end(), [](const GeneratedFrame& f) { return f.run == 1; });
  CHECK(first > 40);
  CHECK(first < 60);
  CHECK(static_cast<std::size_t>(first) + 100 == frames.size());
  GeneratorWords r = c.report(2);
  CHECK(at(r, Word::offered) == 100);
}

TEST_CASE("a run continues from a snapshot of the station", "[generator]") {
  const auto saved = [](GeneratorClient& c) {
    Archive a = Archive::saver();
    c.peer.archive(a);
    return a.stream();
  };
  GeneratorClient never, used;
  const auto before = saved(never);
  used.ask(request());
  used.step(45_ms);
  used.frames();
  const auto state = saved(used);
  used.step(30_ms);
  const auto number = used.frames().size();
  REQUIRE(number > 20);
  Archive back = Archive::loader(before);
  used.peer.archive(back);
  CHECK(saved(used) == before);
  Archive again = Archive::loader(state);
  used.peer.archive(again);
  CHECK(saved(used) == state);
}
