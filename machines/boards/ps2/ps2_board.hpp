// SPDX-License-Identifier: GPL-2.0-or-later
// The board of a PS/2 with Micro Channel: its parts and the wires between them. There is no logic here; it reads like a
// schematic.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adf/nvram/slot_page.hpp"
#include "bus/common/interrupts.hpp"
#include "bus/host/host_bridge.hpp"
#include "bus/mca/arbitration.hpp"
#include "bus/mca/dma.hpp"
#include "bus/mca/pos.hpp"
#include "bus/mca/slot.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "devices/board/at/ports/parallel_port.hpp"
#include "devices/board/at/system/coprocessor_ports.hpp"
#include "devices/board/at/system/i8259.hpp"
#include "devices/board/at/system/memory_controller.hpp"
#include "devices/board/at/system/option_rom.hpp"
#include "devices/board/at/system/post_ports.hpp"
#include "devices/board/ps2/diskette_dma.hpp"
#include "devices/board/ps2/nvram.hpp"
#include "devices/board/ps2/panel.hpp"
#include "devices/board/ps2/planar_pos.hpp"
#include "devices/board/ps2/system_control.hpp"
#include "machines/boards/ps2/ps2_config.hpp"
#include "machines/machine/board.hpp"
#include "machines/machine/board_wires.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

class Ps2Board final : public Board {
 public:
  static BoardKind kind();
  explicit Ps2Board(const BoardSite& site);
  ~Ps2Board() override;

  // Specific to a PS/2.
  const adf::SlotPage& slot_page() const { return slot_page_; }
  bus::PosController& pos() { return pos_; }
  Nvram& nvram() { return nvram_; }
  RtcCmos& cmos() { return cmos_; }
  bus::Adapter* adapter_card(unsigned number) const;

  cpu::Pins& pins() override { return host_; }
  void start(cpu::Cpu& cpu, std::span<net::Medium* const> media) override;
  void reset(Time now) override;
  void archive(Archive& a) override;

  IoSpace& io() override { return host_.io(); }
  bus::InterruptLines& interrupts() override { return interrupts_; }
  std::span<bus::Bus* const> buses() const override { return buses_; }
  std::vector<bus::SlotView> slots() const override;
  bus::Card* card(unsigned number) const override { return adapter_card(number); }
  NetworkAdapter* adapter(unsigned number) const override;
  StorageAdapter* storage() const override { return storage_; }

  Ns16550& serial() override { return serial_; }
  I82077& diskette() override { return diskette_; }
  I8042& keyboard_controller() override { return keyboard_; }
  const Vga& video() const override { return video_; }
  std::string panel_text() const override { return panel_.text(); }
  std::uint16_t checkpoint() const override { return post_ports_.checkpoint(); }
  std::vector<DescribedDevice> devices(Time now) const override;
  std::string_view slot_device() const override { return bus::PosController::device_name; }

  void load_firmware(std::span<const std::uint8_t> image, const std::string& name) override {
    memory_.load_rom(image, name);
  }
  std::uint32_t memory_end() const override { return 0x100000 + memory_.extended_kb() * 1024; }
  void load_kernel(const LinuxBoot& boot) override;

 private:
  void wire_interrupts(cpu::Cpu& cpu);
  void wire_control(cpu::Cpu& cpu);
  void wire_pos();
  void fill_slots(std::span<net::Medium* const> media);
  McaParts make_adapter(const McaEntry& entry, const CardConfig& card, std::span<net::Medium* const> media);
  void load_built_in_firmware();
  void write_configuration();
  void enable_functions(const PlanarFunctions& functions, Time now);

  Scheduler& scheduler_;
  Trace& trace_;
  AddressSpace& space_;
  const MachineConfig& config_;
  const Ps2Config& own_;

  bus::HostBridge host_;
  bus::Channel channel_;
  std::array<bus::Bus*, 1> buses_{&channel_};
  bus::InterruptLines interrupts_;
  bus::ChannelCheck channel_check_;
  bus::DmaController dma_;
  bus::PosController pos_;
  PlanarPos planar_pos_;
  VideoPos video_pos_;

  MemoryController memory_;
  OptionRom kernel_loader_;
  I8259Pair pic_;
  I8254 timers_;
  SystemControl system_;
  RtcCmos cmos_;
  Nvram nvram_;
  I8042 keyboard_;
  Ns16550 serial_;
  ParallelPort parallel_;
  I82077 diskette_;
  Vga video_;
  InformationPanel panel_;
  PostPorts post_ports_;
  CoprocessorPorts coprocessor_;

  DisketteDma diskette_dma_;
  BoardWires wires_{interrupts_};
  unsigned serial_irq_ = 4;

  std::vector<std::unique_ptr<bus::Slot>> slots_;
  std::vector<std::unique_ptr<bus::Adapter>> adapters_;  // indexed by slot
  std::vector<NetworkAdapter*> network_;                 // the same, or null
  StorageAdapter* storage_ = nullptr;                    // the first one
  adf::SlotPage slot_page_;
};

}  // namespace planar
