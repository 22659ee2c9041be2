// SPDX-License-Identifier: GPL-2.0-or-later
// Two different adapters in one machine, active at the same time on one segment: driven by the machine's processor
// through one shared interrupt line, and one by the guest test bench while the other carries separate traffic.
#include <algorithm>

#include "devices/ethernet/common/remote_dma_card.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "roms/images.hpp"
#include "tests/devices/medium/wire.hpp"
#include "tests/machines/assembler.hpp"
#include "tests/machines/ps2.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr unsigned frames_each = 30, frame_bytes = 1514, irq = 5;
constexpr MacAddress ne2_mac{0x00, 0x00, 0xD8, 0x11, 0x22, 0x33}, de320_mac{0x00, 0x80, 0xC8, 0x44, 0x55, 0x66};

// A card's parameters for the program below: a block of words.
struct Card {
  std::uint16_t block, base, frame, receive_segment;
  std::uint8_t pos2;
  MacAddress own, other;
};
enum Field : unsigned {
  base = 0,
  data_port = 2,
  frame = 4,
  left = 6,
  sent = 8,
  segment = 10,
  offset = 12,
  received = 14,
  next_page = 16,
  served = 18,
  failed = 20,
  start_table = 22
};
constexpr Card cards[] = {
    {0x3000, 0x1000, 0x4000, 0x1000, 0x01 | 1 << 1 | 2 << 5, ne2_mac, de320_mac},  // NE/2 at 1000h, interrupt 5
    {0x3040, 0x0300, 0x4800, 0x2000, 0x01 | 2 << 2, de320_mac, ne2_mac},           // DE-320 at 300h, interrupt 5
};
constexpr std::uint16_t write_table = 0x3200, send_table = 0x3220, curr_table = 0x3240, header_table = 0x3260,
                        vector_at = 4 * (8 + irq);

/// Both cards are a DP8390 with remote DMA. One handler serves the shared line: it polls each card in turn, sends the
/// next frame when one has been sent, and reads received frames. DS = 0; BX = the card's block.
Assembler program() {
  Assembler a(0x1000);
  a({0xFA, 0x31, 0xC0, 0x8E, 0xD8, 0x8E, 0xC0, 0x8E, 0xD0}).word({0xBC}, 0x0FF0)({0xFC});  // CLI; DS = ES = SS = 0; CLD
  const std::pair<unsigned, unsigned> setup[] = {
      {0x20, 0x11}, {0x21, 0x08}, {0x21, 0x04}, {0x21, 0x01}, {0x21, 0xFF & ~(1 << irq)}};
  for (const auto& [port, value] : setup) a({0xB0, value, 0xE6, port});  // 8259: vectors from 08h, one line unmasked
  for (unsigned n = 0; n < 2; ++n) {                                     // POS: slot n in setup, POS 2, setup off
    a({0xB0, 8 | n, 0xE6, 0x96}).word({0xBA}, 0x102)({0xB0, cards[n].pos2, 0xEE, 0xB0, 0x00, 0xE6, 0x96});
  }
  for (const Card& c : cards)
    a.word({0xBB}, c.block)({0x8B, 0x77, start_table}).call("table");  // MOV SI,[BX+start_table]
  for (const Card& c : cards) a.word({0xBB}, c.block).call("send");
  a({0xFB}).label("idle")({0xF4}).jump(0xEB, "idle");  // STI; HLT forever

  // Register, value pairs from SI to FFh.
  a.label("table")({0xAC, 0x3C, 0xFF}).jump(0x74, "table end");  // LODSB; CMP AL,FFh; JE
  a({0x8B, 0x17, 0x00, 0xC2, 0xAC, 0xEE}).jump(0xEB, "table");   // MOV DX,[BX]; ADD DL,AL; LODSB; OUT DX,AL
  a.label("table end")({0xC3});

  a.label("send")({0x8B, 0x77, frame, 0xFE, 0x44, 14});  // MOV SI,[BX+frame]; INC BYTE [SI+14]
  a.word({0xBE}, write_table).call("table")({0x8B, 0x57, data_port, 0x8B, 0x77, frame}).word({0xB9}, frame_bytes / 2);
  a({0xF3, 0x6F, 0x8B, 0x17, 0x83, 0xC2, 0x07});                 // REP OUTSW; DX = ISR
  a.label("written")({0xEC, 0xA8, 0x40}).jump(0x74, "written");  // until remote DMA is complete
  a.word({0xBE}, send_table).call("table")({0xC3});

  a.label("handler")({0x60, 0x1E, 0x06, 0x31, 0xC0, 0x8E, 0xD8});  // PUSHA; PUSH DS; PUSH ES; DS = 0
  for (const Card& c : cards) a.word({0xBB}, c.block).call("service");
  a({0xB0, 0x20, 0xE6, 0x20, 0x07, 0x1F, 0x61, 0xCF});  // EOI; POP ES; POP DS; POPA; IRET

  a.label("service")({0x8B, 0x17, 0x83, 0xC2, 0x07, 0xEC, 0x24, 0x0B})
      .jump(0x75, "mine")({0xC3});                                                // ISR: PRX, PTX, TXE
  a.label("mine")({0xEE, 0xFF, 0x47, served, 0xA8, 0x0A}).jump(0x74, "receive");  // acknowledge; was a frame sent?
  a({0xFF, 0x47, sent, 0xA8, 0x08}).jump(0x74, "good")({0xFF, 0x47, failed});
  a.label("good")({0xFF, 0x4F, left}).jump(0x74, "receive").call("send");
  a.label("receive")
      .word({0xBE}, curr_table)
      .call("table")({0x8B, 0x17, 0x83, 0xC2, 0x07, 0xEC, 0x88, 0xC4});  // AH = CURR
  a({0x8B, 0x17, 0xB0, 0x22, 0xEE, 0x3A, 0x67, next_page})
      .jump(0x75, "frame")({0xC3});  // page 0; CMP AH,[BX+next_page]
  a.label("frame").word({0xBE}, header_table).call("table");
  a({0x8A, 0x47, next_page, 0x8B, 0x17, 0x83, 0xC2, 0x09, 0xEE, 0x83, 0xEA, 0x09, 0xB0, 0x0A,
     0xEE});  // RSAR1 = page; read
  a({0x8E, 0x47, segment, 0x8B, 0x7F, offset, 0x8B, 0x57, data_port}).word({0xB9}, (frame_bytes + 4) / 2)({0xF3, 0x6D});
  a({0x26, 0x8A, 0x85, 0x13, 0xFA});  // MOV AL,ES:[DI-1517]: the header's next page
  a({0x89, 0x7F, offset, 0xFF, 0x47, received, 0x88, 0x47, next_page});
  a({0x48, 0x3C, 0x46}).jump(0x73, "boundary")({0xB0, 0x7F});  // DEC AX; BNRY is the page before it
  a.label("boundary")({0x8B, 0x17, 0x83, 0xC2, 0x03, 0xEE}).jump(0xEB, "receive");
  return a;
}

struct SharedLine {
  explicit SharedLine(const std::string& model) : lab(config(model)) {
    Assembler a = program();
    auto code = a.code();
    Bytes rom(0x8000, 0xFF);
    const Bytes jump{0xEA, 0x00, 0x10, 0x00, 0x00};  // JMP 0000:1000
    std::copy(jump.begin(), jump.end(), rom.begin() + 0x7FF0);
    lab.machine().load_firmware(rom, "jump.rom");
    put(0x1000, code);
    put_words(vector_at, {a.address("handler"), 0});
    put(write_table,
        {0x00, 0x22, 0x0A, frame_bytes & 0xFF, 0x0B, frame_bytes >> 8, 0x08, 0x00, 0x09, 0x40, 0x00, 0x12, 0xFF});
    put(send_table, {0x07, 0x40, 0x04, 0x40, 0x05, frame_bytes & 0xFF, 0x06, frame_bytes >> 8, 0x00, 0x26, 0xFF});
    put(curr_table, {0x00, 0x62, 0xFF});
    put(header_table,
        {0x00, 0x22, 0x07, 0x40, 0x0A, (frame_bytes + 4) & 0xFF, 0x0B, (frame_bytes + 4) >> 8, 0x08, 0x00, 0xFF});
    for (const Card& c : cards) {
      const auto table = static_cast<std::uint16_t>(c.block + 0x280);
      put_words(c.block, {c.base, static_cast<std::uint16_t>(c.base + 0x10), c.frame, frames_each, 0, c.receive_segment,
                          0, 0, 0x47, 0, 0, table});
      put(table, start(c.own));
      put(c.frame, contents(c, 0));
    }
    lab.machine().interrupts().watch([this](unsigned line, unsigned, Time) {
      if (line == irq && lab.machine().interrupts().sources(irq) == 3) ++both;
    });
    lab.medium().add_observer(log);
  }
  ~SharedLine() { lab.medium().remove_observer(log); }

  static Config config(const std::string& model) {
    Config c = load_machine(model);
    c.set("slot.1.card", "ne2", "--card 1=ne2");
    c.set("slot.1.mac", format_mac(ne2_mac), "--card 1=ne2");
    c.set("slot.2.card", "de320", "--card 2=de320");
    c.set("slot.2.mac", format_mac(de320_mac), "--card 2=de320");
    return c;
  }
  // NS8390 start-up, station address, physical matches only, interrupts PRX, PTX, TXE.
  static Bytes start(const MacAddress& mac) {
    Bytes t{0x00, 0x21, 0x0E, 0x49, 0x0A, 0x00, 0x0B, 0x00, 0x0C, 0x20, 0x0D, 0x02,
            0x01, 0x46, 0x02, 0x80, 0x03, 0x46, 0x07, 0xFF, 0x0F, 0x00, 0x00, 0x61};
    for (std::size_t i = 0; i < mac.size(); ++i) t.insert(t.end(), {static_cast<std::uint8_t>(1 + i), mac[i]});
    const Bytes rest{0x07, 0x47, 0x00, 0x21, 0x00, 0x22, 0x07, 0xFF, 0x0F, 0x0B, 0x0D, 0x00, 0x0C, 0x00, 0xFF};
    t.insert(t.end(), rest.begin(), rest.end());
    return t;
  }
  /// Frame `number` (from 1 on; 0 before the first is sent) of a card.
  static Bytes contents(const Card& c, std::uint8_t number) {
    Bytes f(c.other.begin(), c.other.end());
    f.insert(f.end(), c.own.begin(), c.own.end());
    f.insert(f.end(), {0x88, 0xB5, number});
    while (f.size() < frame_bytes) f.push_back(static_cast<std::uint8_t>(f.size() * 7 + c.base / 256));
    return f;
  }
  void put(std::uint32_t at, Bytes bytes) { lab.machine().memory().master_write(at, bytes, {}); }
  void put_words(std::uint32_t at, std::initializer_list<std::uint16_t> words) {
    Bytes b;
    for (const auto w : words) b.insert(b.end(), {static_cast<std::uint8_t>(w), static_cast<std::uint8_t>(w >> 8)});
    put(at, b);
  }
  unsigned get(const Card& c, Field f) {
    return lab.machine().peek_memory(c.block + f) | lab.machine().peek_memory(c.block + f + 1u) << 8;
  }

  Lab lab;
  Log log;
  unsigned both = 0;  // times at which a card raised the line while the other was already raising it
};

}  // namespace

TEST_CASE("two different adapters share an interrupt line: every frame of each arrives intact at the other") {
  for (const std::string model : {"model56sx", "model95"}) {
    INFO(model);
    SharedLine s(model);
    s.lab.scheduler().run_until(1_s);
    for (const Card& c : cards) {
      INFO("card at " << c.base);
      CHECK(s.get(c, left) == 0);
      CHECK(s.get(c, sent) == frames_each);
      CHECK(s.get(c, failed) == 0);
      CHECK(s.get(c, received) == frames_each);
      CHECK(s.get(c, served) >= frames_each);
      const Card& from = &c == &cards[0] ? cards[1] : cards[0];
      for (unsigned n = 0; n < frames_each; ++n) {
        const std::uint32_t at = c.receive_segment * 16u + n * (frame_bytes + 4);
        Bytes arrived;
        for (unsigned k = 0; k < frame_bytes; ++k) arrived.push_back(s.lab.machine().peek_memory(at + 4 + k));
        INFO("frame " << n + 1);
        CHECK(s.lab.machine().peek_memory(at) == 0x01);  // the receive status preceding it: intact
        CHECK((arrived == SharedLine::contents(from, static_cast<std::uint8_t>(n + 1))));
      }
    }
    // Simultaneously: frames of both alternate on the wire, and each raised the line while the other did.
    unsigned turns = 0;
    const Bytes* last = nullptr;
    for (const auto& e : s.log.entries) {
      if (!e.good) continue;
      if (last && !std::equal(last->begin(), last->begin() + 6, e.bytes.begin())) ++turns;
      last = &e.bytes;
    }
    CHECK(turns > frames_each / 2);
    CHECK(s.both > 0);
    CHECK_FALSE(s.lab.machine().interrupts().level(irq));
  }
}

// ---- together with the guest test bench ----

namespace {

/// An SMC 8013 in slot 2 that the guest does not use (it drives the first adapter that it knows), polled from outside
/// through the machine's ports and memory in place of a driver.
class SecondStation {
 public:
  static constexpr MacAddress own{0x00, 0x00, 0xC0, 0x77, 0x88, 0x99}, friends{0x02, 0x60, 0x8C, 0x01, 0x02, 0x03};
  static constexpr unsigned bytes = 700;

  explicit SecondStation(Lab& lab) : lab_(lab), friend_(lab.scheduler(), &lab.medium(), "friend", 55) {}

  /// The driver's initialisation; the other station starts to send.
  void start() {
    for (const auto& claim : ps2(lab_.machine()).slot_page().rows.at(1).result.claims) {
      if (claim.resource.kind == adf::ResourceKind::io) io_ = static_cast<std::uint16_t>(claim.resource.first);
      if (claim.resource.kind == adf::ResourceKind::memory) ram_ = claim.resource.first;
    }
    REQUIRE(io_ != 0);
    REQUIRE(ram_ != 0);
    out(0, 0x40);
    const std::pair<unsigned, unsigned> setup[] = {{0x0, 0x21}, {0xE, 0x49}, {0xA, 0},    {0xB, 0},
                                                   {0xC, 0x20}, {0xD, 0x02}, {0x1, 0x06}, {0x3, 0x06},
                                                   {0x2, 0x20}, {0x7, 0xFF}, {0xF, 0},    {0x0, 0x61}};
    for (const auto& [reg, value] : setup) out(0x10 + reg, value);
    for (unsigned n = 0; n < 6; ++n) out(0x11 + n, own[n]);
    const std::pair<unsigned, unsigned> run[] = {{0x7, 0x07}, {0x0, 0x21}, {0x0, 0x22},
                                                 {0x7, 0xFF}, {0xD, 0},    {0xC, 0}};
    for (const auto& [reg, value] : run) out(0x10 + reg, value);
    for (unsigned n = 0; n < 100; ++n) friend_.to_send.push_back(frame(own, friends, n));
    friend_.port.transmit(frame(own, friends, 255), now());
    send();
    running_ = true;
  }
  /// The work of its interrupt handler.
  void serve() {
    if (!running_) return;
    const unsigned causes = in(0x17);
    out(0x17, causes);
    if (causes & 0x08) ++failed;
    if (causes & 0x0A) send();
    for (;;) {
      out(0x10, 0x62);
      const unsigned current = in(0x17);
      out(0x10, 0x22);
      if (next_ == current) break;
      const Bytes header = load(next_ * 256u, 4);
      const unsigned length = header[2] | header[3] << 8;
      if (header[0] & 1) received.push_back(load(next_ * 256u + 4, length - 4));
      next_ = header[1];
      out(0x13, next_ == 0x06 ? 0x1F : next_ - 1);
    }
  }

  static Bytes contents(const MacAddress& to, const MacAddress& from, unsigned number) {
    Bytes f(to.begin(), to.end());
    f.insert(f.end(), from.begin(), from.end());
    f.insert(f.end(), {0x88, 0xB5, static_cast<std::uint8_t>(number)});
    while (f.size() < bytes) f.push_back(static_cast<std::uint8_t>(f.size() * 13 + number));
    return f;
  }
  static Bytes frame(const MacAddress& to, const MacAddress& from, unsigned number) {
    Bytes f = contents(to, from, number);
    append_fcs(f);
    return f;
  }

  Recorder& other() { return friend_; }
  unsigned sent = 0, failed = 0;
  std::vector<Bytes> received;

 private:
  Time now() { return lab_.scheduler().now(); }
  void out(unsigned port, unsigned value) {
    const auto* range = lab_.machine().io().find(static_cast<std::uint16_t>(io_ + port));
    REQUIRE(range != nullptr);
    range->slave->write(io_ + port - range->first, 1, value, now());
  }
  unsigned in(unsigned port) {
    const auto* range = lab_.machine().io().find(static_cast<std::uint16_t>(io_ + port));
    REQUIRE(range != nullptr);
    return range->slave->read(io_ + port - range->first, 1, now()) & 0xFF;
  }
  Bytes load(std::uint32_t at, unsigned count) {
    const auto* range = lab_.machine().memory().find(ram_ + at);
    REQUIRE(range != nullptr);
    Bytes b;
    for (unsigned k = 0; k < count; ++k) {  // wraps from the ring's last page to its first
      const std::uint32_t place = at + k < 0x2000 ? at + k : at + k - 0x2000 + 0x600;
      b.push_back(static_cast<std::uint8_t>(range->slave->read(ram_ + place - range->base, 1, now())));
    }
    return b;
  }
  void send() {
    const Bytes f = contents(friends, own, sent++);
    const auto* range = lab_.machine().memory().find(ram_);
    REQUIRE(range != nullptr);
    for (std::size_t k = 0; k < f.size(); ++k)
      range->slave->write(ram_ + static_cast<std::uint32_t>(k) - range->base, 1, f[k], now());
    out(0x14, 0);
    out(0x15, f.size() & 0xFF);
    out(0x16, static_cast<unsigned>(f.size() >> 8));
    out(0x10, 0x26);
  }

  Lab& lab_;
  Recorder friend_;
  std::uint16_t io_ = 0;
  std::uint32_t ram_ = 0;
  unsigned next_ = 0x07;
  bool running_ = false;
};

/// The guest's image with settings for one short row.
Bytes netio_row() {
  Bytes image(roms::guest().begin(), roms::guest().end());
  const std::string settings =
      "planar-settings 1\ndo=netio\nseconds=0.2\nsizes=8192\nip=192.168.10.2\npeer=192.168.10.1\nseed=1\n";
  std::fill_n(image.begin() + 512, 512, std::uint8_t{0});
  std::copy(settings.begin(), settings.end(), image.begin() + 512);
  return image;
}

}  // namespace

TEST_CASE("the guest's netio runs over one adapter beside other traffic over a second, on one segment") {
  Config c = load_machine("model95");
  c.set("slot.1.card", "ne2", "--card 1=ne2");
  c.set("slot.2.card", "smc8013", "--card 2=smc8013");
  c.set("slot.2.mac", format_mac(SecondStation::own), "--card 2=smc8013");
  Lab lab(std::move(c));
  lab.insert_diskette(netio_row(), "guest");
  std::string text;
  lab.machine().serial().on_output([&](std::uint8_t byte, Time) { text += static_cast<char>(byte); });
  SecondStation second(lab);
  const auto runs_until = [&](const char* words, Time limit) {
    while (text.find(words) == std::string::npos && lab.scheduler().now() < limit) {
      lab.scheduler().run_until(lab.scheduler().now() + 200_us);
      second.serve();
    }
    INFO(text);
    REQUIRE(text.find(words) != std::string::npos);
  };
  runs_until("@netio start", 30_s);
  second.start();
  runs_until("@netio end", 60_s);
  runs_until("@done 0", 60_s);
  INFO(text);
  CHECK(text.find("@card ne2 slot 1") != std::string::npos);
  // The other traffic: its frames arrived at the other station in order, and that station's frames arrived here,
  // complete.
  const auto& heard = second.other().arrivals;
  unsigned whole = 0;
  for (const auto& a : heard) {
    if (!a.ok || !std::equal(SecondStation::friends.begin(), SecondStation::friends.end(), a.bytes.begin())) continue;
    CHECK((a.bytes == SecondStation::frame(SecondStation::friends, SecondStation::own, whole)));
    ++whole;
  }
  CHECK(second.failed == 0);
  CHECK(whole > 50);
  CHECK((second.sent - whole) <= 1);
  REQUIRE(second.received.size() == 101);
  CHECK((second.received[0] == SecondStation::contents(SecondStation::own, SecondStation::friends, 255)));
  for (unsigned n = 0; n < 100; ++n)
    CHECK((second.received[n + 1] == SecondStation::contents(SecondStation::own, SecondStation::friends, n)));
  // Both used the network.
  CHECK(lab.machine().adapter(1)->counters().sent > 60);
  CHECK(lab.machine().adapter(2)->counters().sent > 50);
}
