// SPDX-License-Identifier: GPL-2.0-or-later
// A board that is not a PS/2: two buses of its own on the host bridge, a card on the second one, and the AT parts that
// every board has. Nothing outside this folder knows about it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bus/host/host_bridge.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/machine/board.hpp"
#include "tests/bus/plain_bus.hpp"
#include "tests/machines/toy/toy_card.hpp"

namespace planar::test {

struct ToyConfig final : BoardConfig {
  static constexpr bus::CycleTable table(Time synchronisation, Time cycle) {
    bus::CycleTable costs;
    costs.synchronisation = synchronisation;
    for (auto& row : costs.kinds) row = {cycle, true};
    return costs;
  }
  bus::CycleTable local = table(20_ns, 100_ns), slots = table(10_ns, 50_ns);
  bus::CycleTable cycles() const override { return local; }
};

class ToyBoard final : public Board {
 public:
  static const BoardKind& kind() {
    static const BoardKind row{
        .name = "toy",
        .tables = {},
        .read = [](Config&, const MachineConfig&) -> std::shared_ptr<const BoardConfig> {
          return std::make_shared<ToyConfig>();
        },
        .make = [](const BoardSite& site) -> std::unique_ptr<Board> { return std::make_unique<ToyBoard>(site); },
        .slot_bus = "toy",
        .usual_card = {},
        .card_choice = [](const std::string&, const std::string&) { return false; },
        .storage_card = [](unsigned) { return std::string_view{}; }};
    return row;
  }

  explicit ToyBoard(const BoardSite& site)
      : own_(dynamic_cast<const ToyConfig&>(*site.config.board)),
        host_(site.scheduler, site.memory, {}, site.trace),
        local_(site.scheduler, own_.local, "local"),
        second_(site.scheduler, own_.slots, "toy"),
        serial_(site.scheduler, site.trace, "com1"),
        diskette_(site.scheduler, site.trace),
        keyboard_(site.scheduler, site.trace),
        video_(site.scheduler) {
    host_.attach(local_);
    host_.attach(second_);
    site.memory.map_ram(0, ram_);
    site.memory.map_rom(0xFFFF0000, rom_);
    serial_.claim_ports(host_.io(), 0x3F8);
  }

  cpu::Pins& pins() override { return host_; }
  void start(cpu::Cpu& cpu, std::span<net::Medium* const>) override {
    cpu.set_a20(true);
    card_ = std::make_unique<ToyCard>(host_.io(), second_);
  }
  void reset(Time now) override { serial_.reset(now); }
  void archive(Archive& a) override {
    host_.archive(a);
    card_->archive(a);
    serial_.archive(a);
    a(ram_);
  }

  IoSpace& io() override { return host_.io(); }
  bus::InterruptLines& interrupts() override { return interrupts_; }
  std::span<bus::Bus* const> buses() const override { return buses_; }
  std::vector<bus::SlotView> slots() const override {
    bus::SlotView slot;
    slot.bus = &second_;
    slot.card = card_.get();
    slot.title = "toy counter";
    slot.resources.push_back({bus::CardResource::Kind::io, ToyCard::base, ToyCard::base + 3, "I/O 0400h-0403h"});
    return {slot};
  }
  bus::Card* card(unsigned number) const override { return number == 1 ? card_.get() : nullptr; }
  NetworkAdapter* adapter(unsigned) const override { return nullptr; }
  StorageAdapter* storage() const override { return nullptr; }

  Ns16550& serial() override { return serial_; }
  I82077& diskette() override { return diskette_; }
  I8042& keyboard_controller() override { return keyboard_; }
  const Vga& video() const override { return video_; }
  std::uint16_t checkpoint() const override { return 0; }
  std::vector<DescribedDevice> devices(Time) const override {
    return {{"toy", [this](Description& d) { second_.describe(d); }},
            {"slot1.counter", [this](Description& d) { card_->describe(d); }}};
  }

  void load_firmware(std::span<const std::uint8_t> image, const std::string&) override {
    std::copy(image.begin(), image.end(), rom_.end() - static_cast<std::ptrdiff_t>(image.size()));
  }
  std::uint32_t memory_end() const override { return 0x100000; }
  void load_kernel(const LinuxBoot&) override { throw Error("the toy board starts no kernel"); }

 private:
  const ToyConfig& own_;
  bus::HostBridge host_;
  PlainBus local_, second_;
  std::array<bus::Bus*, 2> buses_{&local_, &second_};
  bus::InterruptLines interrupts_;
  Ns16550 serial_;
  I82077 diskette_;
  I8042 keyboard_;
  Vga video_;
  std::vector<std::uint8_t> ram_ = std::vector<std::uint8_t>(0xA0000), rom_ = std::vector<std::uint8_t>(0x10000, 0xF4);
  std::unique_ptr<ToyCard> card_;
};

}  // namespace planar::test
