// SPDX-License-Identifier: GPL-2.0-or-later
// The host bridge's ports for access to configuration space.
//
// Mechanism 1: CONFADD at CF8h, written and read only as a doubleword: bit 31 enable, 23:16 bus, 15:11 device, 10:8
// function, 7:2 register; CONFDATA at CFCh to CFFh, also as bytes and words. Accesses to CF8h of another width are not
// for the bridge: CF9h is the reset control register of Intel's chip sets.
// Mechanism 2: CSE at CF8h, a byte: 7:4 key (0: off), 3:1 function; FORWARD at CFAh: the bus. Device n of the sixteen
// then answers at Cn00h to CnFFh.
// Sources: PCI Local Bus Specification 2.1, 3.7.4.1 and 3.7.4.2. A bridge has one of the two.
//
// A bus number without a segment is absent. Not modelled: special cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "bus/pci/segment.hpp"
#include "core/memory/io_space.hpp"
#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar::pci {

enum class ConfigMechanism : std::uint8_t { one = 1, two = 2 };

class ConfigPorts final : private Slave {
 public:
  /// Claims its ports on the segment, which must already be attached to the host bridge.
  ConfigPorts(Segment& segment, IoSpace& io, ConfigMechanism mechanism);
  /// Adds a further segment of the host bridge, which mechanism 1 reaches by its bus number.
  void add(Segment& peer) { segments_.push_back(&peer); }

  void reset();
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  // CF8h to CFFh
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
  std::string_view register_name(std::uint32_t offset, Direction) const override;
  Time ready(std::uint32_t offset, unsigned bytes, Direction, Time start) override;

  /// C000h to CFFFh of mechanism 2.
  struct Windows final : Slave {
    explicit Windows(ConfigPorts& p) : ports(p) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    Time ready(std::uint32_t offset, unsigned bytes, Direction, Time start) override;
    ConfigPorts& ports;
  };

  struct Address {
    Segment* segment = nullptr;  ///< null: not enabled, or no such bus
    unsigned device = 0, function = 0, reg = 0;
  };
  Segment* segment_of(unsigned bus) const;
  Address address(std::uint32_t data_offset) const;
  void decode_windows();
  /// The end of a configuration cycle that no device answers: a master abort.
  Time aborted(Time start) const;

  std::vector<Segment*> segments_;  // the first has the ports
  IoSpace& io_;
  const ConfigMechanism mechanism_;
  std::uint32_t confadd_ = 0;
  std::uint8_t cse_ = 0, forward_ = 0;
  Windows windows_{*this};
  IoClaim claim_, window_claim_;
};

}  // namespace planar::pci
