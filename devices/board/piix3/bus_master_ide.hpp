// SPDX-License-Identifier: GPL-2.0-or-later
// The bus master of one IDE channel of the PIIX3: transfers a drive's DMA data between its FIFO and the memory
// described by a table of physical region descriptors.
//
//   +0  BMICX   3 direction (1: to memory), 0 start
//   +2  BMISX   6, 5 drive 1, 0 can do DMA (kept); 2 interrupt; 1 error; 0 active (2 and 1 are cleared by writing 1)
//   +4  BMIDTPX descriptor table, a doubleword boundary
//
//   descriptor: address (even), then 15:0 bytes (even, 0: 64 KB), 31 end of table
//
// Active is cleared when the last region is full or start is cleared; interrupt is set by the drive's interrupt.
// Address counters have 16 bits without a carry beyond them: tables and regions lie within 64 KB.
// Sources: docs/hardware/piix3.md#bus-master-ide.
// Simplified: the 64-byte FIFO is filled from one side and emptied to the other alternately, except that the drive
// continues reading while the FIFO is written to memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bus/pci/function.hpp"
#include "bus/pci/master.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/storage/ide/ide_channel.hpp"

namespace planar {

class BusMasterIde final : public pci::Master {
 public:
  /// Provided by the function that contains it.
  class Host {
   public:
    /// Present duration of one word on the cable.
    virtual Time dma_word(unsigned channel) const = 0;

   protected:
    ~Host() = default;
  };

  BusMasterIde(pci::Function& function, std::string name, unsigned channel, storage::IdeChannel& drives, Host& host);

  /// The eight registers, as bytes.
  std::uint8_t read(unsigned reg) const;
  void write(unsigned reg, std::uint8_t value, Time now);

  /// INTRQ has risen.
  void interrupt_rose() { status_ |= 0x04; }
  /// A drive asserts DMARQ.
  void go_on(Time now);

  void reset(Time now);
  void describe_registers(Description& d) const;
  void archive_registers(Archive& a);

 private:
  static constexpr std::uint32_t fifo_bytes = 64;
  enum class State : std::uint8_t {
    idle,    ///< not started, or the table is done
    fetch,   ///< the next descriptor is required or being fetched
    region,  ///< within a region; waits for DMARQ
    cable,   ///< data moves between drive and FIFO
    memory,  ///< data moves between FIFO and memory
  };

  // pci::Master
  std::span<std::uint8_t> burst_data() override;
  void burst_ended(pci::BurstEnd end, Time now) override;

  bool to_memory() const { return command_ & 0x08; }
  void stop(Time now);
  void fetched(Time now);
  void next_chunk(Time now);
  void cable_done(Time now);
  void chunk_done(Time now);
  Time cable_time(std::uint32_t bytes) const;

  Scheduler& scheduler_;
  const unsigned channel_;
  storage::IdeChannel& drives_;
  Host& host_;
  std::uint8_t command_ = 0, status_ = 0;
  std::uint32_t table_ = 0;  // BMIDTPX
  State state_ = State::idle;
  std::uint32_t next_ = 0;                // the next descriptor
  std::uint32_t address_ = 0, left_ = 0;  // rest of the region
  bool last_ = false;                     // the region is the last of the table
  std::uint32_t chunk_ = 0;               // bytes in the FIFO
  std::array<std::uint8_t, fifo_bytes> fifo_{};
  Time cable_free_{};  // when the cable may move the next word
  Event cable_;
};

}  // namespace planar
