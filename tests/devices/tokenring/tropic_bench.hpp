// SPDX-License-Identifier: GPL-2.0-or-later
// A shared-RAM Token Ring adapter in a slot, a station at the other end of its ring, and the accesses that the period's
// Linux driver makes (2.2.26 ibmtr.c): order, width and values are the driver's, the code is our own. No processor;
// each access begins when the previous one has ended.
#pragma once

#include <memory>
#include <optional>

#include "devices/tokenring/common/tropic_card.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/bus/rig.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"

namespace planar::test {

using namespace planar::tokenring;
using Settings = std::vector<std::pair<std::string, std::string>>;

struct TropicBench {
  static constexpr std::uint16_t ports = 0xA20;
  static constexpr std::uint32_t mmio = 0xCC000, window = 0xD0000;
  static constexpr unsigned irq = 10;
  // The settings of a board.
  struct Setup {
    const McaEntry* entry = &TropicCard::tr16_4a_1990;
    unsigned window = 3;  ///< 8, 16, 32, 64 KB
    bool sixteen = true;
    RingConfig ring{.quick_insertion = true};
    Settings settings{};
    bool plugged = true;
  };

  TropicBench() : TropicBench(Setup{}) {}
  explicit TropicBench(const Setup& setup)
      : ring(rig.scheduler, setup.ring),
        slot(0, 16, rig.wiring()),
        made(setup.entry->make({slot, setup.plugged ? &ring : nullptr, "10:00:5a:12:34:56", setup.settings, 1})),
        card(static_cast<TropicCard*>(made.card.get())),
        other(rig.scheduler, ring, 1) {
    if (setup.ring.bits_per_second) other.port.insert_at_rest(other.parameters, Time{});
    configure(setup.window, setup.sixteen);
  }

  void configure(unsigned window_code, bool sixteen, bool alternate = false) {
    card->pos_write(3, static_cast<std::uint8_t>(0x20 | window_code << 2 | sixteen << 1 | alternate), now());
    card->pos_write(4, static_cast<std::uint8_t>(mmio >> 12 | 1), now());  // interrupt 10
    card->pos_write(5, 0x80, now());
    card->pos_write(2, static_cast<std::uint8_t>(window >> 12 | 1), now());
  }

  Time now() const { return rig.now; }
  void step(Time t) { rig.step(t); }
  bool interrupt() const { return rig.irqs.level[irq]; }
  /// Time passes until the card interrupts; false if it does not within `limit`.
  bool wait(Time limit = 4_s) {
    const Time end = now() + limit;
    while (!interrupt() && now() < end) step(10_us);
    return interrupt();
  }

  // ---- readb, writeb, readw with ntohs, writew with htons ----
  std::uint8_t rb(std::uint32_t at) { return static_cast<std::uint8_t>(rig.load(at, 1)); }
  void wb(std::uint32_t at, unsigned value) { rig.store(at, value & 0xFF, 1); }
  std::uint16_t rw(std::uint32_t at) {
    const std::uint32_t v = rig.load(at, 2);
    return static_cast<std::uint16_t>(v << 8 | v >> 8);
  }
  void ww(std::uint32_t at, unsigned value) { rig.store(at, (value << 8 | value >> 8) & 0xFFFF, 2); }
  std::uint8_t aca(unsigned reg) { return rb(mmio + 0x1E00 + reg); }
  void aca(unsigned reg, unsigned value) { wb(mmio + 0x1E00 + reg, value); }
  void aca_and(unsigned reg, unsigned value) { wb(mmio + 0x1E20 + reg, value); }
  void aca_or(unsigned reg, unsigned value) { wb(mmio + 0x1E40 + reg, value); }
  static constexpr unsigned ISRP_e = 8, ISRP_o = 9, ISRA_e = 10, ISRA_o = 11, SRPR_e = 0x18;

  void copy_to(std::uint32_t at, const Bytes& b) {
    std::size_t i = 0;
    for (; i + 4 <= b.size(); i += 4)
      rig.store(at + static_cast<std::uint32_t>(i),
                b[i] | b[i + 1] << 8 | b[i + 2] << 16 | std::uint32_t{b[i + 3]} << 24, 4);
    for (; i < b.size(); ++i) rig.store(at + static_cast<std::uint32_t>(i), b[i], 1);
  }
  Bytes copy_from(std::uint32_t at, std::size_t bytes) {
    Bytes b;
    for (; bytes >= 4; bytes -= 4, at += 4) {
      const std::uint32_t v = rig.load(at, 4);
      for (unsigned k = 0; k < 4; ++k) b.push_back(static_cast<std::uint8_t>(v >> (8 * k)));
    }
    for (; bytes; --bytes, ++at) b.push_back(static_cast<std::uint8_t>(rig.load(at, 1)));
    return b;
  }

  // ---- ibmtr.c ----

  /// Where the driver sees an offset of the shared RAM, and the page that it selects for that.
  struct Place {
    std::uint32_t at = 0;
    std::uint8_t page = 0;
  };
  Place place(std::uint16_t offset) const {
    return {window + (offset & ~(page_mask << 8) & 0xFFFF), static_cast<std::uint8_t>(offset >> 8 & page_mask)};
  }
  std::uint32_t select(const Place& p) {
    aca(SRPR_e, p.page);
    return p.at;
  }

  /// Channel ID, address, identification; true if the driver accepts the card.
  bool probe() {
    const std::uint8_t segment = static_cast<std::uint8_t>(rig.in(ports));
    if (segment < 0x40 || segment > 0xE0) return false;
    CHECK(((segment & 0xFCu) << 11) + 0x80000 == mmio);
    CHECK((segment & 3) == 2);
    const std::string id = "4D4152533633583435313820";
    for (unsigned i = 0; i < 24; ++i) {
      const unsigned digit = static_cast<unsigned char>(id[i]);
      if ((rb(mmio + 0x1F30 + 2 * i) & 0xF) != (digit > '9' ? digit - 'A' + 10 : digit - '0')) return false;
    }
    CHECK((rig.in(ports + 2) & 0xFE) << 12 == window);
    for (unsigned i = 0; i < 6; ++i)
      address[i] =
          static_cast<std::uint8_t>((rb(mmio + 0x1F00 + 4 * i) & 0xF) << 4 | (rb(mmio + 0x1F02 + 4 * i) & 0xF));
    type = rb(mmio + 0x1FA0);
    const std::uint8_t ram = static_cast<std::uint8_t>(0xF - rb(mmio + 0x1FA6));
    constexpr unsigned sizes[] = {0, 16, 32, 64, 127, 128};
    mapped = 1u << ((aca(1) >> 2) + 4);
    available = ram ? sizes[ram] : mapped;
    const std::uint8_t paging = rb(mmio + 0x1FA8);
    constexpr std::uint16_t dhb_4[] = {2048, 4096, 4464}, dhb_16[] = {2048, 4096, 8192, 16384, 17960};
    dhb4 = dhb_4[0xF - rb(mmio + 0x1FAA)];
    dhb16 = dhb_16[0xF - rb(mmio + 0x1FAC)];
    if (mapped == 32 && (paging == 0xE || paging == 0xC)) page_mask = 0xC0;
    if (mapped == 64 && (paging == 0xD || paging == 0xC)) page_mask = 0x80;
    if (!page_mask) available = std::min(mapped, available);
    constexpr struct {
      unsigned blocks, dhb4, dhb16, count4, count16;
    } plan[] = {{16, 2048, 2048, 2, 2},
                {32, 4464, 4096, 4, 4},
                {64, 4464, 10240, 6, 6},
                {127, 4464, 16384, 6, 16},
                {128, 4464, 17960, 6, 16}};
    for (const auto& row : plan)
      if (row.blocks == available) {
        dhb4 = std::min<unsigned>(dhb4, row.dhb4);
        dhb16 = std::min<unsigned>(dhb16, row.dhb16);
        buffers4 = row.count4;
        buffers16 = row.count16;
      }
    return true;
  }

  void reset() {
    aca_and(ISRP_e, ~0x40u);
    rig.out(ports + 1, 0);
    step(50_ms);
    rig.out(ports + 2, 0);
    if (page_mask) aca(SRPR_e, 0xC0);
    aca_or(ISRP_e, 0x40);
  }
  /// The first interrupt.
  void initialised() {
    enter_handler();
    aca(0, window >> 12);
    first_srb = place(rw(mmio + 0x1E02));
    if (page_mask && available == 127) {
      const std::uint32_t top = select(place(0xFE00));
      for (unsigned i = 0; i < 512; ++i) wb(top + i, 0);
    }
    select(first_srb);
    CHECK(rb(first_srb.at) == 0x80);
    CHECK(rw(first_srb.at + 6) == 0);
    encoded_address = rw(first_srb.at + 8);
    sixteen = rb(first_srb.at + 1) & 1;
    aca(SRPR_e, saved_page);
  }
  void enter_handler() {
    saved_page = aca(SRPR_e);
    aca_and(ISRP_e, ~0x40u);
    rig.out(0, 0);  // the interrupt release that the driver writes to port 0 on the Micro Channel
  }
  bool come_up() {
    if (!probe()) return false;
    reset();
    if (!wait()) return false;
    initialised();
    return true;
  }

  void ask_to_open(std::uint16_t options = 0x0100) {
    aca_and(ISRP_o, ~0x20u);
    aca_and(ISRA_o, ~0x20u);
    const std::uint32_t srb_at = first_srb.at;  // in whichever page the register selects
    for (unsigned i = 0; i < 60; ++i) wb(srb_at + i, 0);
    wb(srb_at, 3);
    ww(srb_at + 8, options);
    ww(srb_at + 28, sixteen ? dhb16 : dhb4);
    ww(srb_at + 24, sixteen ? buffers16 : buffers4);
    ww(srb_at + 26, 1032);
    wb(srb_at + 30, 2);
    wb(srb_at + 32, 2);
    wb(srb_at + 33, 1);
    srb = first_srb;
    aca_or(ISRP_e, 0x40);
    aca_or(ISRA_o, 0x20);
  }
  void command() { aca_or(ISRA_o, 0x20); }
  void ask_for_sap(std::uint8_t value = 0xAA) {
    const std::uint32_t at = select(srb);
    for (unsigned i = 0; i < 20; ++i) wb(at + i, 0);
    wb(at, 0x15);
    ww(at + 14, 0x88);
    wb(at + 17, 0x24);
    wb(at + 18, 1);
    wb(at + 16, value);
    command();
  }
  bool open(std::uint16_t options = 0x0100) {
    ask_to_open(options);
    if (!wait(20_s)) return false;
    serve();
    return opened && wait() && (serve(), sap_open);
  }
  void ask_to_send(const Bytes& frame) {
    to_send.push_back(frame);
    const std::uint32_t at = select(srb);
    wb(at, 0x0D);
    rig.store(at + 4, sap_station, 2);
    command();
  }
  void ask_to_close() {
    wb(select(srb), 4);
    command();
  }

  /// One call of tok_interrupt().
  void serve() {
    enter_handler();
    const std::uint8_t status = aca(ISRP_o);
    causes |= status;
    if (status & 0x40) {
      check_reason = rw(window + rw(mmio + 0x1E06));
      aca_and(ISRP_o, ~0x40u);
    } else if (aca(ISRP_e) & 0x1C) {
      aca_and(ISRP_e, ~0x1Cu);
    } else {
      bool skip = false;
      if (status & 0x20) skip = serve_srb();
      if (status & 0x20 && !skip) {
        aca_and(ISRA_o, ~0x20u);
        aca_and(ISRP_o, ~0x20u);
      }
      if (status & 0x10) {
        asb_code = rb(select(asb) + 2);
        aca_and(ISRP_o, ~0x10u);
      }
      if (status & 0x08) serve_arb();
      if (status & 0x04) {
        const std::uint32_t at = select(ssb);
        results.push_back({rb(at), rb(at + 1), rb(at + 2), rb(at + 6)});
        aca_and(ISRP_o, ~0x04u);
        aca_or(ISRA_o, 0x01);
      }
    }
    aca_or(ISRP_e, 0x40);
    aca(SRPR_e, saved_page);
  }
  bool serve_srb() {
    const std::uint32_t at = select(srb);
    const std::uint8_t code = rb(at);
    return_code = rb(at + 2);
    if (code == 3) {
      open_error = rw(at + 6);
      srb = place(rw(at + 10));
      ssb = place(rw(at + 14));
      arb = place(rw(at + 12));
      asb = place(rw(at + 8));
      opened = return_code == 0;
      if (!opened) return false;
      aca_and(ISRP_o, ~0x20u);
      aca_and(ISRA_o, ~0x20u);
      ask_for_sap();
      return true;
    }
    if (code == 0x15) {
      sap_station = static_cast<std::uint16_t>(rig.load(at + 4, 2));
      sap_open = return_code == 0;
    }
    if (code == 8) log = copy_from(at + 6, 14);
    return false;
  }
  void serve_arb() {
    const std::uint32_t at = select(arb);
    switch (rb(at)) {
      case 0x81: take_frame(); break;
      case 0x82: fill_buffer(); break;
      case 0x84: ring_status |= rw(at + 6); break;
      default: FAIL("an ARB that no driver knows");
    }
    aca_and(ISRP_o, ~0x08u);
    aca_or(ISRA_o, 0x02);
  }
  /// tr_tx()
  void fill_buffer() {
    CHECK(rb(select(asb) + 2) == 0xFF);
    const std::uint16_t dhb = rw(select(arb) + 6);
    const Bytes request = copy_from(select(srb), 6);
    std::uint32_t at = select(asb);
    REQUIRE_FALSE(to_send.empty());
    const Bytes frame = to_send.front();
    to_send.erase(to_send.begin());
    wb(at, request[0]);
    rig.store(at + 4, request[4] | request[5] << 8, 2);
    wb(at + 9, 0xAA);
    wb(at + 1, request[1]);
    wb(at + 2, 0);
    wb(at + 8, 14);
    ww(at + 6, static_cast<unsigned>(frame.size()));
    for (std::size_t done = 0; done < frame.size();) {
      const Place p = place(static_cast<std::uint16_t>(dhb + done));
      const std::size_t room = page_mask ? 0x4000 - (p.at & 0x3FFF) : frame.size();
      const std::size_t n = std::min(room, frame.size() - done);
      copy_to(select(p), Bytes(frame.begin() + static_cast<long>(done), frame.begin() + static_cast<long>(done + n)));
      done += n;
    }
    aca_or(ISRA_o, 0x10);
  }
  /// tr_rx()
  void take_frame() {
    const Bytes request = copy_from(select(arb), 13);
    std::uint16_t next = static_cast<std::uint16_t>((request[6] << 8 | request[7]) + 2);
    std::uint32_t at = select(asb);
    CHECK(rb(at + 2) == 0xFF);
    wb(at, 0x81);
    rig.store(at + 4, request[4] | request[5] << 8, 2);
    rig.store(at + 6, request[6] | request[7] << 8, 2);
    Received r{static_cast<std::uint16_t>(request[4] << 8 | request[5]), request[8], request[9], request[12], 0, {}};
    while (next) {
      const std::uint32_t buffer = select(place(next));
      const std::uint16_t bytes = rw(buffer + 4);
      const Bytes part = copy_from(buffer + 6, bytes);
      r.bytes.insert(r.bytes.end(), part.begin(), part.end());
      r.status = rb(buffer + 3);
      next = rw(buffer);
    }
    CHECK(r.bytes.size() == static_cast<std::size_t>(request[10] << 8 | request[11]));
    received.push_back(std::move(r));
    if (keep_buffers) return;
    wb(select(asb) + 2, 0);
    aca_or(ISRA_o, 0x10);
  }
  /// Serves interrupts until none comes for `quiet`.
  void settle(Time quiet = 5_ms) {
    while (wait(quiet)) serve();
  }
  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, now());
    while (other.outcomes.size() == before) step(10_us);
  }

  Bytes for_us(std::size_t data, std::uint8_t dsap = 0xAA, std::uint8_t control = 3) {
    Bytes f = ring_frame(address, other.parameters.node, data);
    if (data >= 3) {
      f[14] = dsap;
      f[15] = 0xAA;
      f[16] = control;
    }
    return f;
  }
  Bytes from_us(std::size_t data) {
    Bytes f = ring_frame(other.parameters.node, address, data);
    if (data >= 3) f[14] = f[15] = 0xAA, f[16] = 3;
    return f;
  }

  void archive(Archive& a) {
    rig.archive(a);
    ring.archive(a);
    card->archive(a);
    other.port.archive(a);
  }

  struct Received {
    std::uint16_t station;
    std::uint8_t lan_header, dlc_header, type, status;
    Bytes bytes;
  };
  struct Result {
    std::uint8_t command, correlator, code, status;
  };

  Rig rig;
  Ring ring;
  bus::Slot slot;
  McaParts made;
  TropicCard* card;
  RingRecorder other;

  // what the driver has found and stored
  MacAddress address{0x10, 0x00, 0x5A, 0x12, 0x34, 0x56};
  unsigned type = 0, mapped = 0, available = 0, dhb4 = 0, dhb16 = 0, buffers4 = 2, buffers16 = 2;
  std::uint8_t page_mask = 0, saved_page = 0;
  bool sixteen = false, opened = false, sap_open = false, keep_buffers = false;
  Place first_srb{}, srb{}, ssb{}, arb{}, asb{};
  std::uint16_t encoded_address = 0, sap_station = 0, open_error = 0, ring_status = 0, check_reason = 0;
  std::uint8_t return_code = 0, asb_code = 0, causes = 0;
  std::vector<Bytes> to_send;
  std::vector<Received> received;
  std::vector<Result> results;
  Bytes log;
};

}  // namespace planar::test
