// SPDX-License-Identifier: GPL-2.0-or-later
// Texas Instruments TMS380, second generation (TMS380C16 and relatives): a Token Ring controller with a processor of
// its own, whose program the host downloads, and with a bus master's access to host memory.
//
// The chip knows its system interface (SIF), the host memory (Tms380Host), its local RAM, its port on the ring, and
// time; it knows no system bus. It behaves like TI's MAC microcode as seen by its driver in Linux; the downloaded
// program itself is stored but not executed. Sources: docs/hardware/tms380.md. Files by chapter: tms380.cpp SIF
// registers, download, interrupts; tms380_bringup.cpp bring-up, initialization, adapter check; tms380_processor.cpp who
// has the processor and the DMA channel; tms380_command.cpp SCB and SSB; tms380_transmit.cpp and tms380_receive.cpp the
// lists.
//
//   +0 SIFDAT  word of local RAM at the address          +8 SIFACL  adapter control
//   +2 SIFINC  the same, then address += 2               +A SIFADD  address, as SIFADR
//   +4 SIFADR  address within 64 KB                      +C SIFADX  which 64 KB
//   +6 SIFCMD  write: commands; SIFSTS read: status      +E DMALEN  length of the latest transfer
//
// Words in host memory and in local RAM are big-endian; a register has its natural value.
//
// The processor does one thing at a time, in turn: it takes a doorbell, executes a command, fetches a frame to send,
// closes the list of a sent one, moves a received one, posts a status. It stays with a transfer until that has ended.
// The ring works in parallel: frames are sent from local RAM and stored there.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/medium/ring/ring_port.hpp"

namespace planar::tokenring {

/// The board: interrupt pin and system bus.
class Tms380Host : public ChipHost {
 public:
  /// Moves the chip's transfer_buffer() to or from host memory (`direction` as seen by that), at most `burst` bus
  /// cycles in one piece (0: any number). Ends with transfer_done() or transfer_failed(). One transfer at a time.
  virtual void start_transfer(std::uint32_t address, unsigned burst, Direction direction, Time now) = 0;
  virtual void cancel_transfer(Time now) = 0;

 protected:
  ~Tms380Host() = default;
};

/// How a transfer failed, as the adapter check block reports it.
enum class DmaFault : std::uint8_t { timeout, parity, bus_error };

struct Tms380Config {
  std::uint32_t ram_bytes = 0x20000;      ///< local RAM
  std::uint32_t reserved_bytes = 0x9000;  ///< of it for program and variables; the rest is frame buffers
  Time self_test{}, initialize{};         ///< bring-up diagnostics; what follows an initialization block
  // The processor's time for
  Time interrupt{};        ///< taking a doorbell (SIFCMD)
  Time command{};          ///< an SCB command
  Time look{};             ///< having a list fetched, whether it is valid or not
  Time transmit_list{};    ///< a valid transmit list: checks, buffers, setting up its transfers
  Time transmit_status{};  ///< a frame that is back from the ring
  Time receive_list{};     ///< a valid receive list: the frame, setting up its transfers, buffers
  Time status{};           ///< posting a status to the host
};

class Tms380 final : private net::RingStation {
 public:
  enum Register : unsigned {
    SIFDAT = 0,
    SIFINC = 2,
    SIFADR = 4,
    SIFCMD = 6,
    SIFSTS = 6,
    SIFACL = 8,
    SIFADD = 0xA,
    SIFADX = 0xC,
    DMALEN = 0xE
  };
  enum Acl : std::uint16_t { ARESET = 0x80, CPHALT = 0x40, BOOT = 0x20, SINTEN = 0x08 };
  /// High byte of SIFCMD. Bit 7 of a command: 0 clears the system interrupt.
  enum Cmd : std::uint16_t {
    INTERRUPT_ADAPTER = 0x8000,
    ADAPTER_RESET = 0x4000,
    SSB_CLEAR = 0x2000,
    EXECUTE = 0x1000,
    SCB_REQUEST = 0x0800,
    RECEIVE_CONTINUE = 0x0400,
    RECEIVE_VALID = 0x0200,
    TRANSMIT_VALID = 0x0100
  };
  /// Low byte of SIFSTS. With SYSTEM_INTERRUPT the four lowest bits are an Irq, with ERROR a code.
  enum Sts : std::uint8_t { SYSTEM_INTERRUPT = 0x80, INITIALIZE = 0x40, TEST = 0x20, ERROR = 0x10 };
  enum class Irq : std::uint8_t {
    adapter_check = 0,
    ring_status = 4,
    scb_clear = 6,
    command_status = 8,
    receive_status = 10,
    transmit_status = 12
  };
  /// Command words of SCB and SSB.
  enum Command : std::uint16_t {
    RING_STATUS = 1,  ///< of the SSB alone, as the next one
    COMMAND_REJECT = 2,
    OPEN = 3,
    TRANSMIT = 4,
    TRANSMIT_HALT = 5,
    RECEIVE = 6,
    CLOSE = 7,
    SET_GROUP_ADDRESS = 8,
    SET_FUNCTIONAL_ADDRESS = 9,
    READ_ERROR_LOG = 10,
    READ_ADAPTER = 11,
    MODIFY_OPEN_PARAMETERS = 13,
    RESTORE_OPEN_PARAMETERS = 14,
    SET_FIRST_16_GROUP = 15,
    SET_BRIDGE_PARAMETERS = 16,
    CONFIGURE_BRIDGE_PARAMETERS = 17
  };
  static constexpr std::uint16_t good_completion = 0x8000;  ///< first status word
  /// Why a command was rejected.
  enum Reject : std::uint16_t {
    ILLEGAL_COMMAND = 0x8000,
    ADDRESS_ERROR = 0x4000,
    ADAPTER_OPEN = 0x2000,
    ADAPTER_CLOSED = 0x1000,
    SAME_COMMAND = 0x0800
  };
  /// Completion of OPEN; with OPEN_ERROR the low byte is phase and error.
  enum OpenStatus : std::uint16_t {
    NODE_ADDRESS_ERROR = 0x4000,
    LIST_SIZE_ERROR = 0x2000,
    BUFFER_SIZE_ERROR = 0x1000,
    TRANSMIT_BUFFER_COUNT_ERROR = 0x0400,
    OPEN_ERROR = 0x0200,
    INVALID_OPEN_OPTION = 0x0100
  };
  enum OpenOption : std::uint16_t {
    WRAP = 0x8000,
    DISABLE_HARD_ERROR = 0x4000,
    DISABLE_SOFT_ERROR = 0x2000,
    PASS_ADAPTER_MAC = 0x1000,
    PASS_ATTENTION = 0x0800,
    CONTENDER = 0x0100,
    PASS_BEACON = 0x0080,
    FULL_DUPLEX_SELECTION = 0x0020,
    NO_EARLY_TOKEN_RELEASE = 0x0010
  };
  /// CSTAT of lists.
  enum Cstat : std::uint16_t {
    VALID = 0x8000,
    COMPLETE = 0x4000,
    START_FRAME = 0x2000,
    END_FRAME = 0x1000,
    FRAME_INTERRUPT = 0x0800,
    TRANSMIT_ERROR = 0x0400,   ///< of a transmit list that is done
    INTERFRAME_WAIT = 0x0400,  ///< of a receive list
    PASS_CRC = 0x0200,
    PASS_SOURCE = 0x0100,
    ADDRESS_MATCH = 0x0001
  };
  /// First status word of TRANSMIT and RECEIVE; with LIST_ERROR one of ListError.
  enum ListStatus : std::uint16_t {
    COMMAND_COMPLETE = 0x8000,
    FRAME_COMPLETE = 0x4000,
    LIST_ERROR = 0x2000,
    RECEIVE_COMPLETE = 0x8000,
    RECEIVE_SUSPENDED = 0x4000
  };
  enum ListError : std::uint16_t {
    NO_LIST_ERROR = 0,
    ILLEGAL_FRAME_FORMAT = 0x0002,
    UNENABLED_MAC_FRAME = 0x0004,
    ACCESS_PRIORITY_ERROR = 0x0008,
    FRAME_ERROR = 0x0010,
    ODD_ADDRESS = 0x0020,
    TRANSMIT_THRESHOLD = 0x0040,
    FRAME_SIZE_ERROR = 0x0080
  };
  /// First word of the adapter check block.
  enum AdapterCheck : std::uint16_t { DMA_READ_ABORT = 0x4000, DMA_WRITE_ABORT = 0x2000 };

  /// Addresses in local RAM.
  static constexpr std::uint32_t initialization_block = 0x10A00, adapter_check_block = 0x105E0;

  struct Counters {
    std::uint64_t sent = 0, received = 0, overruns = 0;
  };

  Tms380(Scheduler& scheduler, const std::string& name, Tms380Host& host, const Tms380Config& config,
         const net::MacAddress& burnt_in, std::uint64_t seed);

  /// `offset` 0 to 15, even for a word access; a byte access does not change the other half of the word.
  std::uint16_t read(unsigned offset, unsigned bytes, Time now);
  std::uint16_t peek(unsigned offset, unsigned bytes) const;
  void write(unsigned offset, unsigned bytes, std::uint16_t value, Time now);
  /// The reset pin: resets everything but the local RAM, and halts the processor.
  void reset(Time now);
  bool interrupt_pin() const { return sts_ & SYSTEM_INTERRUPT && acl_ & SINTEN; }
  /// The board's choice, taken when the chip goes onto the ring: 4 or 16 Mbit/s.
  void set_ring_speed(std::uint64_t bits_per_second) { ring_speed_ = bits_per_second; }

  std::span<std::uint8_t> transfer_buffer() { return transfer_; }
  /// A transfer that the chip has started has not ended.
  bool transferring() const { return dma_busy_; }
  void transfer_done(Time now);
  void transfer_failed(DmaFault fault, Time now);

  net::RingPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  enum class State : std::uint8_t { halted, testing, failed, ready, running, checked };
  /// What the processor is doing.
  enum class Task : std::uint8_t { none, doorbell, initialize, command, fetch, sent, receive, post };
  static constexpr unsigned tasks = 8;
  static constexpr std::size_t most_posts = 8,
                               most_lists = 255;  ///< statuses that wait; lists of one frame, which step_ counts
  struct Status {                                 // to be posted to the host
    Irq irq = Irq::command_status;
    bool uses_ssb = true;
    std::array<std::uint16_t, 4> words{};
    void archive(Archive& a) { a(irq, uses_ssb, words); }
  };
  struct Fragment {
    std::uint32_t address = 0, bytes = 0;
    void archive(Archive& a) { a(address, bytes); }
  };
  struct ListHeader {  // of a list in transfer_
    std::uint32_t next = 0;
    std::uint16_t cstat = 0, frame_size = 0;
  };
  struct Outgoing {  // a frame in local RAM that is sent or was
    std::vector<std::uint8_t> data;
    std::vector<std::uint32_t> lists;   // their addresses
    std::vector<std::uint16_t> cstats;  // as they were fetched
    bool finished = false, lost = false;
    std::uint8_t frame_status = 0;
    void archive(Archive& a) { a(data, lists, cstats, finished, lost, frame_status); }
  };
  struct Incoming {                  // a received frame in local RAM
    std::vector<std::uint8_t> data;  // with its FCS
    std::uint8_t frame_status = 0;
    void archive(Archive& a) { a(data, frame_status); }
  };
  struct OpenParameters {
    std::uint16_t options = 0, receive_list = 14, transmit_list = 14, buffer_bytes = 1024;
    std::uint32_t buffers = 0, transmit_least = 0, transmit_most = 0;
    bool full_duplex_only = false;
    void archive(Archive& a) {
      a(options, receive_list, transmit_list, buffer_bytes, buffers, transmit_least, transmit_most, full_duplex_only);
    }
  };

  // tms380.cpp
  std::uint32_t local_address() const { return std::uint32_t{adx_} << 16 | (adr_ & 0xFFFEu); }
  std::uint16_t local(std::uint32_t at) const;
  void put_local(std::uint32_t at, std::uint16_t value);
  std::uint16_t peek_word(unsigned offset) const;
  void write_acl(std::uint16_t value, Time now);
  void command(std::uint16_t value, Time now);
  void set_status(std::uint8_t value, Time now);
  void update_interrupt(Time now);
  bool sound() const;

  // tms380_bringup.cpp
  void stop(Time now);
  void start(Time now);
  void bring_up_ended(Time now);
  void do_initialize(Time now);
  std::uint8_t take_initialization_block();
  void publish_pointers();
  void adapter_check(AdapterCheck reason, DmaFault fault, Time now);

  // tms380_processor.cpp
  void wake(Time now);
  bool wants(Task task) const;
  Time first_work(Task task) const;
  void work(Time time, Time now) { processor_.at(now + time); }
  void dma(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now);
  void begin_transfer(Time now);
  void continue_task(Time now);
  void end_task(Time now);
  void drop_task(Time now);
  void do_doorbell(Time now);
  void do_post(Time now);
  void post(const Status& status);
  void post_list_status(Irq irq, Command command, std::uint16_t bits, std::uint32_t list);
  std::uint16_t get16(std::size_t at) const;
  std::uint32_t get32(std::size_t at) const;
  void put16(std::size_t at, std::uint16_t value);
  ListHeader list_header(std::vector<Fragment>& fragments) const;

  // tms380_command.cpp
  void do_command(Time now);
  void execute(Time now);
  std::uint16_t refusal() const;
  void completed(std::uint16_t status);
  bool command_sound() const;
  void execute_open(Time now);
  std::uint16_t take_open_block(net::RingInsertion& insertion);
  void read_log();
  void leave_ring();
  void pass_mac_frames();
  void insertion_ends(const net::InsertionOutcome& outcome, Time now) override;
  void ring_status_changed(std::uint16_t bits, Time now) override;

  // tms380_transmit.cpp
  void do_fetch(Time now);
  bool fetch_sound() const;
  void list_fetched(Time now);
  void next_fragment(Time now);
  void frame_fetched(Time now);
  ListError check_list(const ListHeader& list) const;
  ListError check_frame() const;
  void list_error(ListError error, Time now);
  void end_transmit();
  void transmit_halted();
  void send_next(Time now);
  void do_sent(Time now);
  std::uint32_t buffers_of(std::size_t bytes) const;
  std::uint32_t transmit_buffers() const;
  std::uint32_t receive_buffers() const;
  void transmit_ends(const net::RingTransmitOutcome& outcome, Time now) override;

  // tms380_receive.cpp
  void do_receive(Time now);
  bool receive_sound() const;
  void receive_list_fetched(Time now);
  void store_fragment(Time now);
  std::uint32_t bytes_to_store() const;
  void close_list(Time now);
  void list_closed(Time now);
  void follow(std::uint32_t next);
  bool frame_ends(const net::RingReception& reception, Time now) override;

  Tms380Host& host_;
  const Tms380Config config_;
  const net::MacAddress burnt_in_;
  std::uint64_t ring_speed_ = 16'000'000;

  // system interface
  std::vector<std::uint8_t> ram_;
  std::uint16_t acl_ = 0, adr_ = 0, adx_ = 0, dmalen_ = 0, pending_ = 0;
  std::uint8_t sts_ = 0;
  bool asserted_ = false;
  State state_ = State::halted;

  // processor and DMA channel
  Task task_ = Task::none, served_ = Task::none;
  std::uint8_t step_ = 0;
  std::uint32_t dma_address_ = 0;
  Direction dma_direction_ = Direction::read;
  bool dma_busy_ = false;
  std::uint8_t retries_ = 0, dma_errors_ = 0, parity_errors_ = 0;
  std::vector<std::uint8_t> transfer_;

  // initialization
  std::uint32_t scb_ = 0, ssb_ = 0;
  std::uint16_t receive_burst_ = 0, transmit_burst_ = 0;
  std::uint8_t bus_retries_ = 0, parity_retries_ = 0;

  // commands and statuses
  bool execute_ = false, scb_request_ = false, ssb_free_ = true;
  std::array<std::uint16_t, 3> request_{};
  std::vector<std::uint8_t> open_block_;
  std::deque<Status> posts_;
  bool opening_ = false, open_ = false;
  OpenParameters parameters_;
  std::uint16_t opened_options_ = 0;
  std::uint32_t group_ = 0, functional_ = 0;

  // transmit lists
  bool transmitting_ = false, transmit_waits_ = false, transmit_blocked_ = false, halting_ = false;
  std::uint32_t transmit_list_ = 0, transmit_next_ = 0;
  std::uint16_t transmit_cstat_ = 0, frame_size_ = 0;
  Outgoing building_;
  std::vector<Fragment> fragments_;
  std::uint32_t fragment_ = 0;
  std::deque<Outgoing> outgoing_;

  // receive lists
  bool receiving_ = false, receive_waits_ = false, receive_suspended_ = false, relink_ = false;
  bool frame_begun_ = false, pass_crc_ = false;  // of the first frame of incoming_
  std::uint32_t receive_list_ = 0, receive_next_ = 0, moved_ = 0;
  std::uint16_t receive_cstat_ = 0;
  std::vector<Fragment> receive_fragments_;
  std::uint32_t receive_fragment_ = 0;
  std::deque<Incoming> incoming_;

  Counters counters_;
  net::RingPort port_;
  Event processor_, bring_up_;
};

}  // namespace planar::tokenring
