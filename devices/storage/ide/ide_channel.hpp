// SPDX-License-Identifier: GPL-2.0-or-later
// An IDE channel: a cable with a master (device 0) and a slave (device 1), command block, control block and interrupt.
//
//   +0  data, 16 or 32 bits   +1 error, features   +2 sector count   +3 sector number   +4, 5 cylinder   +6 device/head
//   +7  status, command       control block +6: alternate status, device control
//
// Both devices take register writes; the one selected by device/head answers reads. If it is absent and the other is
// present, that one answers with status 0. With no device, the pull-down on DD7 gives 7Fh. Facts: ATA-3, 7.2 and 9.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "devices/storage/ide/ide_device.hpp"

namespace planar::storage {

/// What a channel is connected to.
class IdeHost {
 public:
  /// The interrupt of the cable: INTRQ of the selected device, if device control enables it.
  virtual void ide_interrupt(bool asserted, Time now) = 0;
  /// The selected device has data to move by DMA: IdeChannel::dma().
  virtual void ide_dma_request(Time now) = 0;

 protected:
  ~IdeHost() = default;
};

class IdeChannel final : private IdeCable {
 public:
  IdeChannel(Scheduler& scheduler, Trace& trace, std::string name, IdeHost& host, const IdeTiming& timing);

  /// Connects a drive as device 0 or 1, before the machine runs.
  void attach(unsigned number, DriveKind kind, std::optional<DiskImage> image);
  IdeDevice* device(unsigned number) const { return devices_.at(number).get(); }

  /// The command block from its second register on (offset 0 is 1F1h), and its data register.
  Slave& registers() { return registers_; }
  Slave& data() { return data_; }
  /// Its control block: one port, 3F6h.
  Slave& control() { return control_port_; }

  bool interrupt() const { return interrupt_; }
  /// The device that asserts DMARQ, or null.
  IdeDevice* dma() const;

  /// RESET#.
  void reset(Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  struct Registers final : Slave {
    explicit Registers(IdeChannel& c) : channel(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    std::string_view register_name(std::uint32_t offset, Direction direction) const override;
    IdeChannel& channel;
  };
  struct Data final : Slave {
    explicit Data(IdeChannel& c) : channel(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    std::string_view register_name(std::uint32_t, Direction) const override { return "data"; }
    PortRun port_run(std::uint32_t offset, unsigned bytes, Direction direction) override;
    void run_written(std::uint32_t offset, std::span<const std::uint8_t> data, PortRun& run, Time end) override;
    void run_read(std::uint32_t offset, std::span<std::uint8_t> data, PortRun& run, Time end) override;
    IdeChannel& channel;
  };
  struct Control final : Slave {
    explicit Control(IdeChannel& c) : channel(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return channel.status(); }
    std::string_view register_name(std::uint32_t, Direction d) const override {
      return d == Direction::read ? "alternate status" : "device control";
    }
    IdeChannel& channel;
  };

  // IdeCable
  void interrupt_changed(Time now) override;
  void dma_requested(Time now) override;

  unsigned selected_number() const { return select_ & ide_device1 ? 1 : 0; }
  IdeDevice* selected() const { return devices_[selected_number()].get(); }
  IdeDevice* other() const { return devices_[1 - selected_number()].get(); }
  std::uint8_t read_register(unsigned reg) const;
  std::uint8_t status() const;
  void write_register(unsigned reg, std::uint8_t value, Time now);

  Scheduler& scheduler_;
  Trace& trace_;
  const std::string name_;
  IdeHost& host_;
  const IdeTiming timing_;
  std::array<std::unique_ptr<IdeDevice>, 2> devices_;
  std::uint8_t select_ = 0;   // last value of device/head
  std::uint8_t control_ = 0;  // device control
  bool interrupt_ = false;
  Registers registers_{*this};
  Data data_{*this};
  Control control_port_{*this};
};

}  // namespace planar::storage
