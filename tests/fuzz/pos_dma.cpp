// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for POS and DMA registers with active devices and bus masters: two devices with DMA service, and a card
// whose POS registers move its memory and I/O windows over RAM, ROM, the planar's own registers and another card's, and
// which transfers as a bus master to and from any address and releases the channel late or not at all.
//
// A finding: a crash or sanitizer report, an access that does not end, and those of device_run.hpp.
#include <array>
#include <memory>

#include "bus/host/host_bridge.hpp"
#include "bus/mca/dma.hpp"
#include "bus/mca/pos.hpp"
#include "devices/board/ps2/planar_pos.hpp"
#include "tests/fuzz/device_run.hpp"

namespace {

using namespace planar;
using namespace planar::bus;
using fuzz::Input;

constexpr Time limit = 300_ms;

struct Silent final : InterruptSink, NmiSink {
  void set_irq(unsigned, bool, Time) override {}
  void set_nmi(NmiSource, bool, Time) override {}
};

/// A device with DMA service that always has something to transfer.
struct Device final : private DmaClient {
  Device(DmaController& dma, const char* name) : line(dma, *this, name) {}
  std::uint16_t dma_read(unsigned, Time) override { return ++items; }
  void dma_write(unsigned, std::uint16_t value, Time) override { items = value; }
  void dma_terminal_count(Time now) override { line.withdraw(now); }
  std::uint16_t items = 0;
  DmaLine line;
};

/// POS 2: bit 0 enable, 7:4 memory window in 64 KB up to 1 MB; POS 3: memory window in 16 MB, and I/O window in 100h;
/// POS 4: arbitration level, bit 7 keeps the channel until the bus times out, bit 6 until it is preempted.
class Card final : public Adapter, private Slave, private BusMaster {
 public:
  Card(Slot& slot, std::uint16_t id) : BusMaster(slot.channel(), slot.device_name("card")), slot_(slot), id_(id) {}

  std::string_view name() const override { return "card"; }
  std::uint16_t adapter_id() const override { return id_; }
  void pos_write(unsigned reg, std::uint8_t value, Time now) override {
    if (reg < 2) return;
    pos_[reg - 2] = value;
    decode(now);
  }
  std::uint8_t pos_peek(unsigned reg) const override {
    return static_cast<std::uint8_t>(reg < 2 ? id_ >> 8 * reg : pos_[reg - 2]);
  }
  void channel_reset(Time now) override {
    pos_[0] &= 0xFE;
    withdraw_request(now);
    decode(now);
  }
  void describe(Description&) const override {}
  void archive(Archive& a) override {
    a(pos_, address_, bytes_, to_memory_, register_);
    if (a.loading()) decode(Time{});
  }

  void transfer(std::uint32_t address, unsigned bytes, bool to_memory, Time now) {
    if (requesting_channel() || owns_channel()) return;
    address_ = address;
    bytes_ = static_cast<std::uint16_t>(bytes + 1);
    to_memory_ = to_memory;
    request_channel(pos_[2] & 15, now);
  }

 private:
  void decode(Time) {
    memory_ = {};
    io_ = {};
    if (!(pos_[0] & 1)) return;
    const CycleSpec cycle{static_cast<unsigned>(pos_[3] & 1 ? 16 : 8), CycleKind::asynchronous, 100_ns};
    const std::uint32_t base = std::uint32_t{pos_[1]} << 24 | (pos_[0] & 0xF0u) << 12;
    memory_ = slot_.claim_memory(base, 0x1000, *this, cycle);
    io_ = slot_.claim_io(static_cast<std::uint16_t>(pos_[1] << 8), static_cast<std::uint16_t>(pos_[1] << 8 | 0x9F),
                         *this, cycle);
  }
  std::uint32_t read(std::uint32_t, unsigned, Time now) override {
    if (pos_[3] & 4) slot_.set_irq(5, register_ & 1, now);
    return register_++;
  }
  void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
    register_ = value;
    // A doorbell for every write here, including this card's own transfers.
    if (offset == 0) transfer(value, value & 0xFF, value & 0x100, now);
  }
  std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return register_; }

  void granted(Time now) override {
    if (pos_[2] & 0xC0) return;
    move(now);
  }
  void preempted(Time now) override {
    if ((pos_[2] & 0xC0) == 0x40) move(now);
  }
  void timed_out(Time) override {}
  void move(Time now) {
    const Time end = channel().transfer({address_, bytes_, slot_.width(), false, 100_ns}, now);
    std::array<std::uint8_t, 256> data{};
    const auto part = std::span(data).first(bytes_);
    if (to_memory_)
      slot_.memory().master_write(address_, part, end);
    else
      slot_.memory().master_read(address_, part, end);
    release_channel(std::min(end, now + 7_us));
  }

  Slot& slot_;
  std::uint16_t id_;
  std::array<std::uint8_t, 6> pos_{};
  std::uint32_t address_ = 0, register_ = 0;
  std::uint16_t bytes_ = 1;
  bool to_memory_ = false;
  MemoryClaim memory_;
  IoClaim io_;
};

// clang-format off
enum Operation : unsigned { out8, out16, in8, in16, store, load, pos, setup, dma_extended, dma_8237, request, withdraw,
                            master, pause, long_pause, look };
// clang-format on

class Bench final : public fuzz::DeviceRun<Bench> {
 public:
  explicit Bench(unsigned width) : slot0_(0, width, wiring()), slot1_(1, 32, wiring()) {
    interrupts_.connect(silent_);
    channel_check_.connect(silent_);
    bus_.attach(channel_);
    channel_.connect(silent_);
    memory_.map_ram(0, ram_);
    memory_.map_rom(0xF0000, rom_);
    pos_.set_planar(&planar_);
    pos_.set_video(&video_);
    pos_.insert(0, &card0_);
    pos_.insert(1, &card1_);
    prepared();
  }

  void archive(Archive& a) {
    pos_.archive(a);
    planar_.archive(a);
    video_.archive(a);
    bus_.archive(a);
    dma_.archive(a);
    interrupts_.archive(a);
    channel_check_.archive(a);
    // Where claims overlap the latest one answers; all decodes are made again in the same order, before and after
    // loading.
    card0_.archive(a);
    card1_.archive(a);
    a(ram_, a_.items, b_.items);
  }

  void operate(Input& input) {
    const unsigned first = input.u8(), high = first >> 4;
    switch (first & 15) {
      case out8: {
        const unsigned port = input.u16();
        out(port, 1, input.u8());
        break;
      }
      case out16: {
        const unsigned port = input.u16();
        out(port, 2, input.u16());
        break;
      }
      case in8: in(input.u16(), 1); break;
      case in16: in(input.u16(), 2); break;
      case store: {
        const std::uint32_t at = input.u32();
        ended(bus_.memory_write(at, width(high), input.u32(), now));
        break;
      }
      case load: ended(bus_.memory_read(input.u32(), width(high), now).end); break;
      case pos: out(0x100 + (high & 7), 1, input.u8()); break;
      case setup: out(high & 1 ? 0x94 : 0x96, 1, high & 2 ? input.u8() : 0x08 | high >> 2); break;
      case dma_extended: {
        const unsigned function = input.u8();
        out(0x18, 1, function);
        for (const std::uint8_t b : input.take(high & 3)) out(0x1A, 1, b);
        break;
      }
      case dma_8237: {
        const unsigned reg = input.u8() & 15;
        out(high & 8 ? 0xC0 + 2 * reg : reg, 1, input.u8());
        break;
      }
      case request: (high & 1 ? a_ : b_).line.request(input.u8() & 15, now, high & 2); break;
      case withdraw: (high & 1 ? a_ : b_).line.withdraw(now); break;
      case master: {
        const std::uint32_t at = input.u32();
        (high & 1 ? card1_ : card0_).transfer(at, input.u8(), high & 2, now);
        break;
      }
      case pause: step(1_us * input.u8()); break;
      case long_pause: step(100_us * input.u8()); break;
      case look:
        changes_nothing([&] {
          for (unsigned port = 0; port < 0x110; ++port)
            bus_.io().peek(static_cast<std::uint16_t>(port), scheduler.now());
          Description d;
          pos_.describe(d);
          dma_.describe(d);
          channel_.describe(d);
        });
        break;
    }
  }

 private:
  SlotWiring wiring() {
    return {scheduler, bus_.io(), memory_, channel_, dma_, interrupts_, channel_check_, trace_, pos_.feedback()};
  }
  static unsigned width(unsigned high) { return std::min(4u, 1u << (high & 3)); }
  void in(unsigned port, unsigned bytes) { ended(bus_.io_read(static_cast<std::uint16_t>(port), bytes, now).end); }
  void out(unsigned port, unsigned bytes, std::uint32_t value) {
    ended(bus_.io_write(static_cast<std::uint16_t>(port), bytes, value, now));
  }

  Silent silent_;
  AddressSpace memory_;
  Trace trace_;
  std::vector<std::uint8_t> ram_ = std::vector<std::uint8_t>(0x10000), rom_ = std::vector<std::uint8_t>(0x10000, 0x90);
  HostBridge bus_{scheduler, memory_, {}, trace_};
  Channel channel_{scheduler, {}, bus_.io(), trace_};
  DmaController dma_{channel_, bus_.io(), memory_, trace_};
  PosController pos_{bus_.io(), trace_, 3};
  InterruptLines interrupts_;
  ChannelCheck channel_check_;
  PlanarPos planar_{0xFFEE};
  VideoPos video_;
  Device a_{dma_, "a"}, b_{dma_, "b"};
  Slot slot0_, slot1_;
  Card card0_{slot0_, 0x1234}, card1_{slot1_, 0x5678};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench narrow(16), wide(32);
  Input input(std::span(data, size));
  const unsigned first = input.u8();
  (first & 1 ? wide : narrow).run(input, first >> 1, limit);
  return 0;
}
