// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for flood. Bit 0 of the first byte: the evaluation of a guest's part, that is, the page of counters in
// its memory, the frames that it sends and receives, and its output on COM1; or the generator, driven by requests.
//
// A finding: a crash or sanitizer report, a count that does not add up, a datagram that does not fit into a frame, and
// those of device_run.hpp.
#include <algorithm>
#include <memory>

#include "devices/stations/peer/generator.hpp"
#include "frontend/guest_benchmarks/flood_result.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/fuzz/device_run.hpp"
#include "tests/fuzz/frontend/guest_lines.hpp"

namespace {

using namespace planar;
using namespace planar::net;
using fuzz::expect;
using fuzz::Input;

constexpr std::size_t word_of(GeneratorWord word) { return static_cast<std::size_t>(word); }

/// A request to the generator: valid except for the words changed by the input.
Bytes request(Input& input) {
  std::array<std::uint32_t, generator_words + 1> words{};
  const unsigned kind = input.u8();
  words[word_of(GeneratorWord::magic)] = generator_magic;
  words[word_of(GeneratorWord::operation)] = kind & 1 ? 2 : 1;
  words[word_of(GeneratorWord::run)] = kind >> 1 & 3;
  words[word_of(GeneratorWord::port)] = 2000;
  words[word_of(GeneratorWord::frame_bytes)] = 64 + input.u16() % 1455;
  words[word_of(GeneratorWord::interval)] = 10'000 + input.u16() * 100u;
  words[word_of(GeneratorWord::burst)] = 1 + input.u8();
  words[word_of(GeneratorWord::duration)] = 1 + input.u16();
  words[word_of(GeneratorWord::delay)] = input.u8();
  for (unsigned left = kind >> 3 & 3; left > 0; --left) words[input.u8() % words.size()] = input.u32();
  Bytes packet;
  for (const auto word : words) put32(packet, word);
  if (!(kind & 0x80)) packet.resize(4 * generator_words);
  if (kind & 0x40) packet.resize(input.u8());
  return packet;
}

class Bench final : public fuzz::DeviceRun<Bench> {
 public:
  Bench() { prepared(); }

  void archive(Archive& a) {
    bool used = service_.used();
    a(used, waiting_);
    if (a.loading()) service_.forget();
    if (used) service_.archive_used(a);
  }

  void operate(Input& input) {
    const unsigned first = input.u8();
    switch (first & 3) {
      case 0: {
        const auto answer =
            service_.datagram({ipv4(192, 168, 10, 2 + (first >> 6)), 1024}, generator_port, request(input), now);
        expect(!answer || answer->size() == 4 * generator_words, "an answer that is none of the generator");
        break;
      }
      case 1:  // waiting frames are sent
        for (unsigned left = input.u8() & 0x3F; left > 0 && waiting_ > 0; --left, --waiting_)
          service_.own_sent(first & 0x10, now);
        break;
      case 2: advance(10_us * input.u8()); break;
      default: advance(1_ms * input.u8()); break;
    }
    const GeneratorService::Run& run = service_.run();
    expect(run.offered + run.held_back + run.given_up <= run.generated, "more frames than were generated");
    expect(service_.waiting() <= waiting_, "frames that wait without being there");
  }

 private:
  void advance(Time by) {
    const Time end = now + by;
    for (unsigned intervals = 0; service_.due() <= end && intervals < 2000; ++intervals) {
      const Time due = service_.due();  // may be long past
      step(std::max(due - now, Time{}));
      const auto frames = service_.own_datagrams(waiting_, now);
      expect(service_.due() > due, "an interval that comes twice");
      for (const OwnDatagram& d : frames)
        expect(d.data.size() + generated_overhead >= 64 && d.data.size() + generated_overhead <= 1518,
               "a datagram that fits into no frame");
      waiting_ += static_cast<std::uint32_t>(frames.size());
    }
    if (now < end) step(end - now);
  }

  GeneratorService service_;
  std::uint32_t waiting_ = 0;
};

/// A machine with an adapter that is observed but executes nothing.
class Watched {
 public:
  Watched() : lab_(config()) {
    for (const auto& area : lab_.machine().memory().areas())
      if (area.kind == PageKind::ram && area.base == 0) ram_ = area.data;
  }

  void run(Input input) {
    std::fill_n(ram_ + page, page_bytes, std::uint8_t{0});
    set(0, 0x4B4E4953);
    FloodMeter meter(lab_);
    GuestOutput said;
    FloodResult result;
    result.rows.clear();
    for (unsigned done = 0; input.left() && done < 400; ++done) operate(input, meter, said);
    result.rows = flood_rows(said, meter, 0.25);
    for (const FloodRow& row : result.rows) static_cast<void>(row.discrepancy(false));
    static_cast<void>(result.knee());
    static_cast<void>(result.json().dump());
    static_cast<void>(result.table());
  }

 private:
  static constexpr std::uint32_t page = 0x40000, page_bytes = 4096, kernel = 0xC0000000;

  static Config config() {
    Config c = load_machine("model56sx");
    c.set("memory.size", "2 MB", "fuzz");
    c.set("slot.1.card", "ne2", "fuzz");
    return c;
  }
  void set(std::uint32_t word, std::uint32_t value) {
    for (unsigned n = 0; n < 4; ++n) ram_[page + 4 * word + n] = static_cast<std::uint8_t>(value >> 8 * n);
  }

  void operate(Input& input, FloodMeter& meter, GuestOutput& said) {
    static constexpr std::string_view tags[] = {"@flood",     "@flood generator", "@flood sink",
                                                "@counters",  "@forward",         "@flood start",
                                                "@flood end", "@flood stalled",   "@flood send"};
    static constexpr std::string_view keys[] = {"run",       "rate",       "frame",     "generated", "offered",
                                                "held_back", "given_up",   "delivered", "backlog",   "socket",
                                                "strange",   "interrupts", "forwarded", "queue"};
    const unsigned first = input.u8();
    switch (first & 7) {
      case 0: set(input.u16() % (page_bytes / 4), first & 8 ? input.u32() : input.u8()); break;
      case 1: {  // a few frames are counted
        const std::uint32_t count = input.u8();
        set(1, first >> 3 & 3);
        for (std::uint32_t n = 0; n < (count & 15); ++n) set(10 + n, count + n);
        set(2, first & 0x80 ? input.u32() : count);
        break;
      }
      case 2: try { meter.found_page(first & 0x80 ? input.u32() : kernel + page);
        } catch (const Error&) {}
        break;
      case 3: meter.run_ended(); break;
      case 4: fuzz::guest_line(said, input, tags, keys, now_); break;
      case 5: advance(10_us * input.u8()); break;
      default: frame(input, meter, first); break;
    }
  }

  void advance(Time by) { lab_.scheduler().advance(now_ += by); }

  void frame(Input& input, FloodMeter& meter, unsigned first) {
    static constexpr std::array<std::uint8_t, 6> guest{0, 0, 0xD8, 1, 2, 1}, station{2, 0, 0, 0, 0, 1};
    const bool own = first & 8;
    Bytes bytes;
    if (first & 0x10) {
      const auto any = input.take(input.u8());
      bytes.assign(any.begin(), any.end());
    } else {
      bytes.insert(bytes.end(), own ? station.begin() : guest.begin(), own ? station.end() : guest.end());
      bytes.insert(bytes.end(), own ? guest.begin() : station.begin(), own ? guest.end() : station.end());
      put16(bytes, 0x0800);
      put16(bytes, 0x4500 + (first & 0x80 ? input.u8() << 8 : 0));
      bytes.resize(bytes.size() + 7);
      bytes.push_back(17);
      bytes.resize(34);
      const unsigned ports = input.u8();
      constexpr std::uint16_t known[] = {generator_port, 2000, 12901, 1024};
      put16(bytes, known[ports & 3]);
      put16(bytes, known[ports >> 2 & 3]);
      put32(bytes, 0);
      if (ports & 0x10) {
        const Bytes asked = request(input);
        bytes.insert(bytes.end(), asked.begin(), asked.end());
      } else {
        put32(bytes, ports >> 5);
        put32(bytes, ports & 0x80 ? input.u32() : input.u8());
      }
    }
    if (bytes.size() < (first & 0x20 ? 0u : 64u)) bytes.resize(64);  // a shorter one is not valid
    const bool damaged = first & 0x20;
    meter.observe({lab_.medium(), now_, now_ + 50_us, bytes, damaged ? Damage::other : Damage::none,
                   own ? "slot1.ne2.port" : "peer.port"});
    advance(50_us);
  }

  Lab lab_;
  std::uint8_t* ram_ = nullptr;
  Time now_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench bench;
  static Watched watched;
  Input input(std::span(data, size));
  const unsigned first = input.u8();
  if (first & 1)
    watched.run(input);
  else
    bench.run(input, first >> 1, 100_s);
  return 0;
}
