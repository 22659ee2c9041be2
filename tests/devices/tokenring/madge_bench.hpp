// SPDX-License-Identifier: GPL-2.0-or-later
// A Madge card in a slot, another station on its ring, and the accesses that the period's Linux driver makes (2.4.0
// madgemc.c, tms380tr.c): order, width and values are the driver's, the code is our own. No processor; each access
// begins when the previous one has ended. The driver's delays are kept.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "devices/medium/ring/ring.hpp"
#include "devices/tokenring/madge/madge_mc.hpp"
#include "tests/archived.hpp"
#include "tests/bus/rig.hpp"

namespace planar::test {

using namespace planar::net;
using tokenring::MadgeMc;
using tokenring::Tms380;
using Bytes = std::vector<std::uint8_t>;
using Settings = std::vector<std::pair<std::string, std::string>>;

/// A plain station that records what happens to it.
struct RingNeighbour final : RingStation {
  RingNeighbour(Scheduler& s, Ring& ring, std::string name, const MacAddress& node, std::uint64_t seed)
      : port(s, std::move(name), *this, seed) {
    port.attach(ring);
    RingInsertion insertion;
    insertion.node = node;
    insertion.bits_per_second = ring.config().bits_per_second;
    port.insert_at_rest(insertion, s.now());
  }
  bool frame_ends(const RingReception& r, Time) override {
    frames.emplace_back(r.frame.begin(), r.frame.begin() + static_cast<std::ptrdiff_t>(r.length));
    return copies;
  }
  void transmit_ends(const RingTransmitOutcome& outcome, Time now) override {
    outcomes.push_back(outcome);
    if (next < to_send.size()) port.transmit(to_send[next++], now);
  }
  void insertion_ends(const InsertionOutcome&, Time) override {}
  void ring_status_changed(std::uint16_t, Time) override {}
  std::vector<Bytes> frames;  // with FCS
  std::vector<RingTransmitOutcome> outcomes;
  std::vector<Bytes> to_send;
  std::size_t next = 0;
  bool copies = true;
  RingPort port;
};

struct MadgeBench {
  static constexpr std::uint16_t base = 0x0A20;
  static constexpr unsigned irq = 9, lists = 3;
  static constexpr MacAddress own{0x00, 0x00, 0xF6, 0x12, 0x34, 0x56}, peer{0x40, 0x00, 0x00, 0x00, 0x00, 0x01};
  static constexpr std::uint32_t scb = 0x1000, ssb = 0x1010, open_block = 0x1020, log = 0x1050, product = 0x1060,
                                 tpl = 0x1100, rpl = 0x1200, tx_data = 0x2000, rx_data = 0x8000, packet = 4504;

  explicit MadgeBench(const McaEntry& entry = MadgeMc::mc16, Settings settings = {}, unsigned width = 16,
                      RingConfig config = {.quick_insertion = true}, BusTiming timing = quiet_timing())
      : rig(timing),
        ring(rig.scheduler, config),
        slot(0, width, rig.wiring()),
        made(entry.make({slot, &ring, "00:00:f6:12:34:56", std::move(settings), 1})),
        card(made.card.get()),
        other(rig.scheduler, ring, "other", peer, 77) {
    pos(0x20 | 0x80);  // 16 Mbit/s, delayed release, fair
  }
  /// Enabled at 0A20h, arbitration level 9, interrupt 9; `pos4` is POS 4.
  void pos(unsigned pos4, unsigned pos3 = 0) {
    card->pos_write(3, static_cast<std::uint8_t>(pos3), rig.now);
    card->pos_write(4, static_cast<std::uint8_t>(pos4), rig.now);
    card->pos_write(5, 0, rig.now);
    card->pos_write(2, 0x01 | 1 << 1 | 2 << 6, rig.now);
  }
  Tms380& chip() { return static_cast<MadgeMc&>(*card).chip(); }
  const Tms380::Counters& counters() { return chip().counters(); }

  // ---- ports ----

  unsigned in(unsigned port, unsigned bytes = 1) { return rig.in(static_cast<std::uint16_t>(base + port), bytes); }
  void out(unsigned port, unsigned value, unsigned bytes = 1) {
    rig.out(static_cast<std::uint16_t>(base + port), value, bytes);
  }
  void page(bool upper) {
    const unsigned control = in(1);
    if (upper)
      out(1, control | MadgeMc::SRSX);
    else if (control & MadgeMc::SRSX)
      out(1, control ^ MadgeMc::SRSX);
    in(1);
  }
  unsigned sif(unsigned reg) {
    if (reg < 8) return in(8 + reg, 2);
    page(true);
    const unsigned value = in(reg, 2);
    page(false);
    return value;
  }
  void sif(unsigned reg, unsigned value, unsigned bytes = 2) {
    if (reg < 8) return out(8 + reg, value, bytes);
    page(true);
    out(reg, value, bytes);
    page(false);
  }
  bool interrupt() const { return rig.irqs.level[irq]; }

  // ---- host memory: big-endian ----

  unsigned word(std::uint32_t at) const { return rig.ram[at] << 8 | rig.ram[at + 1]; }
  std::uint32_t wide(std::uint32_t at) const { return std::uint32_t{word(at)} << 16 | word(at + 2); }
  void word(std::uint32_t at, unsigned value) {
    rig.ram[at] = static_cast<std::uint8_t>(value >> 8);
    rig.ram[at + 1] = static_cast<std::uint8_t>(value);
  }
  void wide(std::uint32_t at, std::uint32_t value) {
    word(at, value >> 16);
    word(at + 2, value & 0xFFFF);
  }

  // ---- madgemc.c ----

  struct Identity {
    unsigned manufacturer, type, revision;
    MacAddress burnt_in;
  };
  Identity read_rom() {
    const unsigned control0 = in(0), control1 = in(1), both_off = control0 & ~0x0Cu;
    out(0, both_off);
    Identity id{in(8), in(9), in(10), {}};
    out(0, both_off | MadgeMc::PAGE);
    for (unsigned i = 0; i < 6; ++i) id.burnt_in[i] = static_cast<std::uint8_t>(in(9 + i));
    out(0, control0);
    out(1, control1);
    return id;
  }
  void map_sif() {
    const unsigned control = in(0);
    out(0, control | MadgeMc::SIFSEL);
    in(0);
  }
  void board_init() {
    out(1, 0);
    rig.step(100_us);
    out(1, MadgeMc::NSRESET);
    map_sif();
    out(1, in(1) | MadgeMc::INTERRUPTS);
  }
  void set_speed(bool fast) {
    const unsigned control = in(1);
    out(1, fast ? control | MadgeMc::SPEED_16 : control & ~unsigned{MadgeMc::SPEED_16});
  }

  // ---- tms380tr.c ----

  void command(unsigned bits) {
    for (int n = 0; n < 2 && sif(Tms380::SIFSTS) & 0x8000; ++n) {}
    sif(Tms380::SIFCMD, (bits ^ 0x80) | 0x8000);
  }
  struct Block {
    unsigned page, address;
    std::vector<unsigned> words;
  };
  /// Not a program, only some contents at the places of one.
  static std::vector<Block> image() {
    return {{0, 0xA000, {0x0300, 0x0000, 0x045B, 0x10FF}}, {0, 0xFFF8, {0x9034}}, {0, 0xFFFC, {0x0080, 0xA000}}};
  }
  void reset_adapter(bool fast = true, const std::vector<Block>& blocks = image()) {
    sif(Tms380::SIFACL, Tms380::ARESET);
    rig.step(40_us);
    unsigned acl = sif(Tms380::SIFACL);
    rig.step(20_us);
    acl &= ~3u;
    set_speed(fast);
    acl = (acl & ~unsigned{Tms380::ARESET} & ~0x100u) | Tms380::CPHALT | Tms380::BOOT | Tms380::SINTEN;
    sif(Tms380::SIFACL, acl);
    rig.step(40_us);
    for (const Block& block : blocks) {
      sif(Tms380::SIFADX, block.page);
      sif(Tms380::SIFADD, block.address);
      for (const unsigned w : block.words) sif(Tms380::SIFINC, w);
    }
    acl = sif(Tms380::SIFACL);
    CHECK((acl & Tms380::CPHALT) != 0);
    sif(Tms380::SIFACL, acl & ~unsigned{Tms380::CPHALT});
  }
  /// Returns the final status byte.
  unsigned bring_up() {
    rig.step(500_ms);
    command(0xFF00);
    rig.step(500_ms);
    unsigned status = 0;
    for (int n = 0; n < 6; ++n) {
      rig.step(500_ms);
      status = sif(Tms380::SIFSTS) & 0xFF;
      if ((status & 0xF0) == Tms380::INITIALIZE || (status & 0x30) == 0x30) break;
    }
    return status;
  }
  static std::array<unsigned, 11> parameters() { return {0x9F00, 0, 0, 0, 24, 24, 0x0505, 0, scb, 0, ssb}; }
  unsigned initialize(const std::array<unsigned, 11>& block = parameters()) {
    sif(Tms380::SIFADX, 1);
    sif(Tms380::SIFADD, 0x0A00);
    for (const unsigned w : block) sif(Tms380::SIFINC, w);
    command(Tms380::EXECUTE);
    unsigned status = 0;
    for (int n = 0; n < 22; ++n) {
      rig.step(500_ms);
      status = sif(Tms380::SIFSTS) & 0xFF;
      if (!(status & 0x70) || status & Tms380::ERROR) break;
    }
    return status;
  }
  unsigned ram_kilobytes() {
    const unsigned old_page = sif(Tms380::SIFADX), old_address = sif(Tms380::SIFADR);
    sif(Tms380::SIFADX, 1);
    sif(Tms380::SIFADR, 0x0A00);
    unsigned pointer = 0;
    for (int n = 0; n < 8; ++n) pointer = sif(Tms380::SIFINC);
    sif(Tms380::SIFADR, pointer);
    const unsigned size = sif(Tms380::SIFINC);
    sif(Tms380::SIFADX, old_page);
    sif(Tms380::SIFADR, old_address);
    return size;
  }
  /// Everything up to the point where OPEN can be issued.
  void start(bool fast = true) {
    out(0, 0);
    map_sif();
    board_init();
    out(7, 1);
    reset_adapter(fast);
    REQUIRE((bring_up() & 0xF0) == Tms380::INITIALIZE);
    REQUIRE(initialize() == 0);
    clear_ssb();
    sif(Tms380::SIFACL, Tms380::SINTEN, 1);
  }
  void clear_ssb() {
    for (unsigned n = 0; n < 4; ++n) word(ssb + 2 * n, 0xFFFF);
  }
  void execute(unsigned code, std::uint32_t parameter) {
    word(scb, code);
    wide(scb + 2, parameter);
    command(Tms380::EXECUTE | Tms380::SCB_REQUEST);
  }

  struct Event {
    unsigned code = 0xFF;
    std::array<unsigned, 4> words{};
  };
  void acknowledge() {
    clear_ssb();
    command(Tms380::SSB_CLEAR | 0x80);
  }
  /// One call of madgemc's handler; returns what the chip reported.
  std::vector<Event> service() {
    std::vector<Event> events;
    if (!(in(0) & MadgeMc::SINTR)) return events;
    for (unsigned pending = 0x80; pending & 0x80; pending = sif(Tms380::SIFSTS)) {
      const unsigned control = in(1);
      out(1, control ^ MadgeMc::INTERRUPTS);
      out(1, control);
      for (unsigned status = sif(Tms380::SIFSTS); status & 0x80; status = sif(Tms380::SIFSTS)) {
        events.push_back({status & 15, {word(ssb), word(ssb + 2), word(ssb + 4), word(ssb + 6)}});
        acknowledge();
      }
    }
    return events;
  }
  /// Serves interrupts until an event with this code arrives, and returns it; the others are dropped.
  Event await(unsigned code, Time limit = 20_s) {
    for (const Time until = rig.now + limit; rig.now < until;) {
      if (interrupt())
        for (const Event& e : service())
          if (e.code == code) return e;
      rig.step(5_us);
    }
    return {};
  }
  Event run(unsigned code, std::uint32_t parameter, unsigned awaited = 8) {
    execute(code, parameter);
    return await(awaited);
  }

  void write_open_block(unsigned options = 0x0020, unsigned buffers = 40) {
    std::fill_n(rig.ram.begin() + open_block, 32, std::uint8_t{0});
    word(open_block, options);
    std::copy(own.begin(), own.end(), rig.ram.begin() + open_block + 2);
    word(open_block + 16, 14);
    word(open_block + 18, 26);
    word(open_block + 20, 2048);
    rig.ram[open_block + 26] = 20;
    rig.ram[open_block + 27] = static_cast<std::uint8_t>(buffers);
    wide(open_block + 28, product);
  }
  void write_lists() {
    for (unsigned i = 0; i < lists; ++i) {
      const std::uint32_t t = tpl + 32 * i, r = rpl + 16 * i;
      std::fill_n(rig.ram.begin() + t, 26, std::uint8_t{0});
      wide(t, tpl + 32 * ((i + 1) % lists));
      wide(r, rpl + 16 * ((i + 1) % lists));
      word(r + 4, i + 1 < lists ? 0xB800 : 0x3800);
      word(r + 6, 0);
      word(r + 8, packet);
      wide(r + 10, rx_data + packet * i);
    }
    free_tpl = next_rpl = 0;
  }
  /// Opened, transmitting and receiving, as the driver's open() leaves the card.
  void open(unsigned options = 0x0020) {
    write_open_block(options);
    write_lists();
    const Event e = run(Tms380::OPEN, open_block);
    REQUIRE(e.words[0] == Tms380::OPEN);
    REQUIRE(e.words[1] == Tms380::good_completion);
    execute(Tms380::TRANSMIT, tpl);
    REQUIRE(await(6).code == 6);
    execute(Tms380::RECEIVE, rpl);
    REQUIRE(await(6).code == 6);
  }
  /// AC, FC, addresses, and data up to `bytes` in total.
  static Bytes frame(std::size_t bytes, const MacAddress& to = peer, const MacAddress& from = own) {
    Bytes f{0x10, 0x40};
    f.insert(f.end(), to.begin(), to.end());
    f.insert(f.end(), from.begin(), from.end());
    while (f.size() < bytes) f.push_back(static_cast<std::uint8_t>(f.size() * 7));
    return f;
  }
  /// Puts a frame into the next transmit list; returns its address.
  std::uint32_t queue(const Bytes& f, unsigned cstat = 0xB900) {
    const std::uint32_t t = tpl + 32 * free_tpl, data = tx_data + 0x1800 * free_tpl;
    free_tpl = (free_tpl + 1) % lists;
    std::copy(f.begin(), f.end(), rig.ram.begin() + data);
    word(t + 6, static_cast<unsigned>(f.size()));
    word(t + 8, static_cast<unsigned>(f.size()));
    wide(t + 10, data);
    word(t + 4, cstat);
    return t;
  }
  std::uint32_t send(const Bytes& f, unsigned cstat = 0xB900) {
    const std::uint32_t t = queue(f, cstat);
    command(Tms380::TRANSMIT_VALID);
    return t;
  }
  struct Received {
    unsigned cstat = 0;
    Bytes bytes;
  };
  /// Takes the contents of the next receive list, which is returned to the adapter.
  Received take() {
    const std::uint32_t r = rpl + 16 * next_rpl, last = rpl + 16 * ((next_rpl + lists - 1) % lists);
    Received got{word(r + 4), {}};
    if (got.cstat & Tms380::VALID) return {};
    const auto from = rig.ram.begin() + wide(r + 10);
    got.bytes.assign(from, from + static_cast<std::ptrdiff_t>(word(r + 6)));
    next_rpl = (next_rpl + 1) % lists;
    word(r + 6, 0);
    word(last + 6, 0);
    word(last + 4, 0x8800);
    command(Tms380::RECEIVE_VALID);
    return got;
  }

  void archive(Archive& a) {
    rig.archive(a);
    a(rig.ram, rig.irqs.level);
    ring.archive(a);
    card->archive(a);
    other.port.archive(a);
    a(free_tpl, next_rpl);
  }
  std::vector<std::uint8_t> saved() { return saved_state(*this); }
  void restore(const std::vector<std::uint8_t>& stream) { restore_state(*this, stream); }

  Rig rig;
  Ring ring;
  bus::Slot slot;
  McaParts made;
  bus::Adapter* card;
  RingNeighbour other;
  unsigned free_tpl = 0, next_rpl = 0;
};

}  // namespace planar::test
