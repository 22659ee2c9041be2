// SPDX-License-Identifier: GPL-2.0-or-later
// One machine: the parts of its list, and the wires between them. Nothing here decides anything; it reads like a
// schematic.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adf/nvram/slot_page.hpp"
#include "bus/common/interrupts.hpp"
#include "bus/host/host_bridge.hpp"
#include "bus/mca/arbitration.hpp"
#include "bus/mca/dma.hpp"
#include "bus/mca/pos.hpp"
#include "bus/mca/slot.hpp"
#include "core/cpu/cpu.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "devices/board/at/diskette/i82077.hpp"
#include "devices/board/at/input/i8042.hpp"
#include "devices/board/at/ports/ns16550.hpp"
#include "devices/board/at/ports/parallel_port.hpp"
#include "devices/board/at/system/coprocessor_ports.hpp"
#include "devices/board/at/system/i8259.hpp"
#include "devices/board/at/system/option_rom.hpp"
#include "devices/board/at/video/vga.hpp"
#include "devices/board/ps2/diskette_dma.hpp"
#include "devices/board/ps2/memory_controller.hpp"
#include "devices/board/ps2/nvram.hpp"
#include "devices/board/ps2/panel.hpp"
#include "devices/board/ps2/planar_pos.hpp"
#include "devices/board/ps2/system_control.hpp"
#include "machines/machine_config.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

struct LinuxBoot;

class Machine {
 public:
  /// Builds the machine, solves its slots and writes NVRAM and CMOS as the reference diskette would. `media` is what
  /// network adapters are plugged into, by CardConfig::medium; those that are not in it leave them unplugged. Throws
  /// Error for impossible configurations.
  Machine(Scheduler& scheduler, Trace& trace, const MachineConfig& config, std::span<net::Medium* const> media);
  ~Machine();
  Machine(const Machine&) = delete;

  const MachineConfig& config() const { return config_; }
  const adf::SlotPage& slot_page() const { return slot_page_; }

  cpu::Cpu& cpu() { return cpu_; }
  const cpu::Cpu& cpu() const { return cpu_; }
  Ns16550& serial() { return serial_; }
  I82077& diskette() { return diskette_; }
  const I82077& diskette() const { return diskette_; }
  I8042& keyboard_controller() { return keyboard_; }
  const Vga& video() const { return video_; }
  const InformationPanel& panel() const { return panel_; }
  const PostPorts& post_ports() const { return post_ports_; }
  AddressSpace& memory() { return space_; }
  const AddressSpace& memory() const { return space_; }
  IoSpace& io() { return host_.io(); }
  Nvram& nvram() { return nvram_; }
  RtcCmos& cmos() { return cmos_; }
  /// The bus that the slots are on, for observers.
  bus::Bus& bus() { return channel_; }
  bus::PosController& pos() { return pos_; }
  bus::InterruptLines& interrupts() { return interrupts_; }
  /// What is in slot `number` (counted from 1), or null.
  bus::Adapter* card(unsigned number);
  const bus::Adapter* card(unsigned number) const;
  /// The network adapter in slot `number` (counted from 1), or null.
  NetworkAdapter* adapter(unsigned number);
  const NetworkAdapter* adapter(unsigned number) const;
  /// The adapter that the configuration's SCSI drives are on, or null.
  const StorageAdapter* storage() const { return storage_; }
  StorageAdapter* storage() { return storage_; }

  /// Another firmware in place of the built-in one, as it is: 128, 64 or 32 KB, the smaller ones repeated up to FFFFFh.
  /// Before the machine runs; a snapshot does not hold it. Throws Error naming `name`.
  void load_firmware(std::span<const std::uint8_t> image, const std::string& name) { memory_.load_rom(image, name); }
  /// The end of the memory from 1 MB on: the first address after it.
  std::uint32_t memory_end() const { return 0x100000 + memory_.extended_kb() * 1024; }
  /// Puts a kernel into memory and shows the ROM that starts it (roms/README.md section 4). Before the machine runs;
  /// throws Error when the adapters leave no place for the ROM.
  void load_kernel(const LinuxBoot& boot);

  /// The processor stands in HLT with interrupts off: nothing but NMI or reset will wake it.
  bool halted_for_good() const;

  /// The time up to which describe() shows the devices: as far as the processor has come, but before any event that is
  /// due and has not fired.
  Time now() const;
  /// Its devices by name: "cpu", "pic", "pit", "dma"..., "slot1.ne2".
  std::vector<std::string> devices() const;
  /// The registers and state of the device of that name, or of all. Peeks only: nothing changes, no time passes. Throws
  /// Error, naming the nearest, if there is no such device.
  Description describe(std::string_view device) const;
  std::vector<Description> describe() const;

  /// As by the power switch: everything on the planar and in the slots is reset, then the processor. Memory, clock and
  /// NVRAM keep their contents.
  void reset(Time now);

  void archive(Archive& a);

 private:
  void wire_interrupts();
  void wire_control();
  void wire_pos();
  void fill_slots(std::span<net::Medium* const> media);
  AdapterParts make_adapter(const AdapterEntry& entry, const CardConfig& card, std::span<net::Medium* const> media);
  void load_firmware();
  void write_configuration();
  void connect(Output& output, std::function<void(bool, Time)> function);
  void connect_irq(Output& output, unsigned line, std::string name);
  void enable_functions(const PlanarFunctions& functions, Time now);
  struct DescribedDevice;
  std::vector<DescribedDevice> described() const;

  Scheduler& scheduler_;
  Trace& trace_;
  MachineConfig config_;

  AddressSpace space_;
  bus::HostBridge host_;
  bus::Channel channel_;
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
  cpu::Cpu cpu_;

  DisketteDma diskette_dma_;
  std::vector<std::unique_ptr<SignalFunction>> wires_;
  unsigned serial_irq_ = 4;

  std::vector<std::unique_ptr<bus::Slot>> slots_;
  std::vector<std::unique_ptr<bus::Adapter>> adapters_;  // by slot
  std::vector<NetworkAdapter*> network_;                 // the same, or null
  StorageAdapter* storage_ = nullptr;                    // the first one
  adf::SlotPage slot_page_;
};

}  // namespace planar
