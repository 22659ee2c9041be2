// SPDX-License-Identifier: GPL-2.0-or-later
// The board of a PC with PCI: host bridge with one or two PCI segments, PCI-to-ISA bridge with the AT's parts, and
// slots.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bus/common/interrupts.hpp"
#include "bus/host/host_bridge.hpp"
#include "bus/isa/isa_bus.hpp"
#include "bus/pci/config_ports.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "devices/board/at/diskette/i82077.hpp"
#include "devices/board/at/dma/diskette_channel.hpp"
#include "devices/board/at/dma/i8237.hpp"
#include "devices/board/at/input/i8042.hpp"
#include "devices/board/at/ports/ns16550.hpp"
#include "devices/board/at/ports/parallel_port.hpp"
#include "devices/board/at/system/coprocessor_ports.hpp"
#include "devices/board/at/system/i8259.hpp"
#include "devices/board/at/system/memory_controller.hpp"
#include "devices/board/at/system/option_rom.hpp"
#include "devices/board/at/system/post_ports.hpp"
#include "devices/board/at/system/signal.hpp"
#include "devices/board/at/video/vga.hpp"
#include "devices/board/north_bridge/north_bridge.hpp"
#include "devices/board/piix3/elcr.hpp"
#include "devices/board/piix3/piix3_ports.hpp"
#include "devices/board/piix3/pirq_router.hpp"
#include "machines/boards/pc/pc_config.hpp"
#include "machines/machine/board.hpp"
#include "machines/machine/board_wires.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

class PcBoard final : public Board {
 public:
  static BoardKind kind();

  explicit PcBoard(const BoardSite& site);
  ~PcBoard() override;

  cpu::Pins& pins() override { return host_; }
  void start(cpu::Cpu& cpu, std::span<net::Medium* const> media) override;
  void reset(Time now) override;
  void archive(Archive& a) override;

  IoSpace& io() override { return host_.io(); }
  bus::InterruptLines& interrupts() override { return interrupts_; }
  std::span<bus::Bus* const> buses() const override { return buses_; }
  pci::Segment* pci() override { return &pci_; }
  std::vector<bus::SlotView> slots() const override;
  bus::Card* card(unsigned number) const override;
  NetworkAdapter* adapter(unsigned number) const override;
  StorageAdapter* storage() const override { return south_.ide.get(); }

  Ns16550& serial() override { return serial_; }
  I82077& diskette() override { return diskette_; }
  I8042& keyboard_controller() override { return keyboard_; }
  const Vga& video() const override { return video_; }
  std::uint16_t checkpoint() const override { return post_ports_.checkpoint(); }
  std::vector<DescribedDevice> devices(Time now) const override;

  void load_firmware(std::span<const std::uint8_t> image, const std::string& name) override {
    memory_.load_rom(image, name);
  }
  std::uint32_t memory_end() const override { return 0x100000 + memory_.extended_kb() * 1024; }
  void load_kernel(const LinuxBoot& boot) override;

 private:
  struct Occupant {
    std::unique_ptr<pci::Slot> slot;
    PciParts card;
    std::string_view title;
    std::uint32_t id = 0;
  };
  void wire_interrupts(cpu::Cpu& cpu);
  void wire_control(cpu::Cpu& cpu);
  void fill_slots(std::span<net::Medium* const> media);
  void load_built_in_firmware();
  void write_configuration();
  pci::SlotWiring wiring(pci::Segment& segment);

  Scheduler& scheduler_;
  Trace& trace_;
  AddressSpace& space_;
  const MachineConfig& config_;
  const PcConfig& own_;

  bus::HostBridge host_;
  pci::Segment pci_;
  std::unique_ptr<pci::Segment> peer_;  // the host bridge's second one
  isa::IsaBus isa_;
  std::vector<pci::Segment*> segments_{&pci_};
  std::vector<bus::Bus*> buses_{&isa_, &pci_};  // the board's own devices are on the first
  bus::InterruptLines interrupts_;
  PirqRouter router_;
  std::unique_ptr<pci::ConfigPorts> config_ports_;
  pci::Slot bridge_slot_, isa_slot_;
  std::unique_ptr<NorthBridge> bridge_;
  SouthBridgeParts south_;

  MemoryController memory_;
  OptionRom kernel_loader_;
  I8259Pair pic_;
  I8254 timers_;
  Elcr elcr_;
  I8237Pair dma_;
  Piix3Ports system_;
  RtcCmos cmos_;
  I8042 keyboard_;
  Ns16550 serial_;
  ParallelPort parallel_;
  I82077 diskette_;
  Vga video_;
  PostPorts post_ports_;
  CoprocessorPorts coprocessor_;
  DisketteChannel diskette_dma_;

  BoardWires wires_{interrupts_};
  std::vector<Occupant> slots_;  // by slot
};

}  // namespace planar
