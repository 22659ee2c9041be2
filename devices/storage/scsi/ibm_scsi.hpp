// SPDX-License-Identifier: GPL-2.0-or-later
// IBM PS/2 SCSI Adapter/A (16 bits, 8EFEh) and IBM PS/2 SCSI Adapter/A with cache (32 bits, 8EFFh): the SCSI subsystem
// with its subsystem control blocks. Source of behaviour: Linux 2.2.26 ibmmca.c and its README; status codes that it
// does not read from 86Box's description of the same card (docs/hardware/scsi-subsystem.md#registers,
// docs/hardware/pos-and-adf.md#scsi-adapters-in-pos).
//
//   +0..3 R/W  command interface: address of a control block, or an immediate command
//   +4    R/W  attention: 7:4 request (1 immediate, 3 control block, 4 long one, E end of interrupt), 3:0 device
//   +5    R/W  basic control: 7 reset, 1 bus master enable, 0 interrupt enable
//   +6    R    interrupt status: 7:4 result, 3:0 device (0Fh: reset complete)
//   +7    R    basic status: 3 command interface full, 2 empty, 1 interrupt request, 0 busy
//
//   POS 2  bit 0 enable; bits 3:1 ports 3540h + 8n; bits 7:4 ROM (Fh: off)
//   POS 3  bits 7:5 the adapter's SCSI ID; bit 4 fairness; bits 3:0 arbitration level
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "devices/adapter/mca/bus_master_port.hpp"
#include "devices/adapter/mca/mca_card.hpp"
#include "devices/storage/drive/scsi_drive.hpp"

namespace planar::storage {

class IbmScsi final : public McaCard, public StorageAdapter, private Slave, private BusMasterClient {
 public:
  static const McaEntry plain, cached;  ///< rows of the registry

  IbmScsi(const McaContext& context, const McaEntry& entry, const TimingProfile& profile);

  // StorageAdapter
  void attach(unsigned id, DriveKind kind, std::optional<DiskImage> image) override;
  const Drive* drive(unsigned id) const override { return id < drives_.size() ? drives_[id].get() : nullptr; }
  void change_medium(unsigned id, std::optional<DiskImage> image) override;
  bool busy() const override { return step_ != Step::idle; }

  // bus::Adapter
  void archive(Archive& a) override;

 private:
  static constexpr unsigned subsystem = 15;  ///< as a device number: the adapter itself
  enum class Step : std::uint8_t {
    idle,
    fetch,         ///< the control block, by bus master transfer
    fetch_list,    ///< the scatter list
    prepare,       ///< firmware processing time
    select,        ///< the target is selected and receives its command
    medium,        ///< waits for the drive's next piece
    move,          ///< transfers a piece as bus master
    conclude,      ///< the firmware prepares the result
    store_status,  ///< the termination status block, by bus master transfer
  };
  struct Device {
    std::int8_t target = -1;  ///< physical unit; -1: not assigned
    std::uint8_t lun = 0;
    bool busy = false;  ///< one of its control blocks is waiting or in progress
    void archive(Archive& a) { a(target, lun, busy); }
  };
  struct Request {
    std::uint8_t attention = 0;
    std::uint32_t command = 0;
    void archive(Archive& a) { a(attention, command); }
  };
  /// How a control block ends.
  struct Ending {
    std::uint8_t result = 0;
    std::uint16_t status = 0;
    std::uint8_t device_status = 0, command_status = 0, device_error = 0, command_error = 0;
    void archive(Archive& a) { a(result, status, device_status, command_status, device_error, command_error); }
  };
  struct Segment {
    std::uint32_t address = 0, bytes = 0;
    void archive(Archive& a) { a(address, bytes); }
  };

  // ibm_scsi.cpp: POS, ports, interrupts
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  unsigned own_id() const { return pos_[3] >> 5; }
  std::uint8_t basic_status() const;
  void write_attention(std::uint8_t value, Time now);
  void write_control(std::uint8_t value, Time now);
  void post(std::uint8_t result, unsigned device, Time now);
  void end_of_interrupt(unsigned device, Time now);
  void update_irq(Time now);
  void stop(Time now);
  void reset_done(Time now);
  std::uint32_t command_word() const;
  void attention_taken(Time now);
  void immediate_done(Time now);
  std::uint8_t immediate(unsigned device, std::uint32_t command, Time now);
  std::uint8_t assign(std::uint32_t command);
  bool abort(unsigned device, Time now);
  bool sound() const;

  // ibm_scsi_blocks.cpp: control blocks
  bool work_sound() const;
  void next_request(Time now);
  void fetch(std::uint32_t address, Time now);
  void prepare(Time now);
  void execute(Time now);
  bool build_command(std::span<std::uint8_t, 12> cdb) const;
  void select(Time now);
  void answer(std::span<const std::uint8_t> data, Time now);
  std::array<std::uint8_t, 18> pos_information() const;
  std::array<std::uint8_t, 26> status_block() const;
  void next_piece(Time now);
  void medium_done(Time now);
  std::uint32_t segment_bytes() const;
  void move_segment(Time now);
  void move_done(Time now);
  void target_done(std::uint8_t status, Time now);
  void refuse(Time now);
  void conclude(const Ending& ending, Time now);
  void store_status(Time now);
  void finish(Time now);
  void step(Time now);
  std::uint32_t field(unsigned offset, unsigned bytes) const;
  void transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Step step, Time now);
  Device& device() { return devices_[active_.attention & 15]; }
  ScsiDrive* target() { return device().target < 0 ? nullptr : drives_[static_cast<unsigned>(device().target)].get(); }

  // BusMasterClient
  std::span<std::uint8_t> transfer_buffer() override { return std::span(buffer_).subspan(buffer_at_); }
  bool transferring() const override {
    return step_ == Step::fetch || step_ == Step::fetch_list || step_ == Step::move || step_ == Step::store_status;
  }
  void transfer_done(Time now) override;

  const Time attention_time_, immediate_time_, block_time_, select_time_, timeout_time_, conclude_time_, reset_time_;
  const DriveTiming disk_timing_, cdrom_timing_;
  std::array<std::unique_ptr<ScsiDrive>, 8> drives_;

  // the registers
  std::array<std::uint8_t, 4> interface_{};
  std::uint8_t written_ = 0;  // bytes of it written since the last attention
  std::uint8_t attention_ = 0;
  std::uint8_t control_ = 0;
  bool busy_ = false;
  std::uint8_t interrupt_status_ = 0;
  bool interrupting_ = false;
  std::deque<std::uint8_t> results_;  // queued after the one in the interrupt status register

  std::array<Device, 16> devices_;
  std::deque<Request> queue_;
  std::uint8_t pacing_ = 0;

  // the control block in progress
  Step step_ = Step::idle;
  Request active_;
  std::uint32_t block_address_ = 0;
  std::array<std::uint8_t, 36> block_{};
  std::vector<Segment> segments_;
  std::uint32_t segment_ = 0, segment_at_ = 0;
  std::uint32_t host_bytes_ = 0;    // room in the host's buffers
  std::uint32_t moved_ = 0;         // of them
  std::uint32_t target_bytes_ = 0;  // in the target's data phase
  std::uint32_t target_at_ = 0;
  ScsiReply::Data data_ = ScsiReply::Data::none;
  bool own_ = false;  // the data comes from the adapter, not from a target
  std::vector<std::uint8_t> buffer_;
  std::uint32_t buffer_at_ = 0, piece_ = 0;
  Ending ending_;
  std::array<std::uint8_t, 26> last_status_{};  // for "get command complete status"

  BusMasterPort master_;
  IoClaim io_claim_;
  Event attention_event_;
  Event immediate_event_;
  Event step_event_;
  Event reset_event_;
};

}  // namespace planar::storage
