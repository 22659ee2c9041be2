// SPDX-License-Identifier: GPL-2.0-or-later
// A frame generator, started by a client's datagram: it sends UDP datagrams of one length to the client's address and
// port, evenly or in bursts, at any rate up to the medium's.
//
// Request and answer are `generator_words` 32-bit words in network order, to and from `generator_port`; GeneratorWord
// gives the meaning of each. An extra word in a start request is the destination address of the frames, with the client
// as the gateway: a station beyond a router. A start request is answered with what will be sent; repeating it changes
// nothing. A report request is answered with the progress so far. One run at a time: a start with another number ends
// the previous run.
//
// Generated frames carry the run's number and a sequence number from 0. A frame counts as offered when its last bit has
// left the station. At each interval the generator fills its queue up to the burst plus one; frames that do not fit
// because earlier ones have not left yet (a rate beyond the medium's) are held back and never offered. A frame given up
// after too many collisions is counted separately.
//
// Not modelled: a host that feeds the generator (no time passes between two frames of a burst), several runs at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "devices/stations/peer/service.hpp"

namespace planar::net {

inline constexpr std::uint16_t generator_port = 12900;
inline constexpr std::uint32_t generator_magic = 0x504C464C;  ///< "PLFL"

/// Words of a request and of its answer.
enum class GeneratorWord : std::size_t {
  magic,
  operation,    ///< GeneratorOperation; in an answer with `generator_answer` set
  run,          ///< the client's number for the run
  error,        ///< in an answer: 0, or 22 for an invalid request
  port,         ///< destination port
  frame_bytes,  ///< of an Ethernet frame with its check sequence: 64 to 1518
  interval,     ///< ns from the start of one burst to that of the next: 600 to 4'000'000'000
  burst,        ///< back-to-back frames: 1 to 256
  duration,     ///< us from the first frame: 1 to 60'000'000
  delay,        ///< us from the answer to the first frame: up to 10'000'000
  running,      ///< in an answer: 1 while frames are still to come or waiting
  generated,    ///< frames of the intervals so far
  offered,      ///< of those: completely sent
  held_back,    ///< not sent because the medium was busy
  given_up,     ///< lost to collisions
  elapsed,      ///< us from the first interval to the last frame's last bit
  words
};
inline constexpr std::size_t generator_words = static_cast<std::size_t>(GeneratorWord::words);

enum class GeneratorOperation : std::uint32_t { start = 1, report = 2 };
inline constexpr std::uint32_t generator_answer = 0x80000000;

/// Bytes of an Ethernet frame other than the datagram's data: headers of Ethernet, IP and UDP, check sequence.
inline constexpr std::uint32_t generated_overhead = 14 + 20 + 8 + 4;

class GeneratorService final : public Service {
 public:
  struct Run {
    bool running = false;
    Ipv4 to = 0;
    std::uint32_t number = 0, port = 0, frame_bytes = 0, interval = 0, burst = 1, duration = 0, delay = 0;
    Time next{}, end{}, began{}, left{};
    std::uint32_t generated = 0, offered = 0, held_back = 0, given_up = 0;
    Ipv4 behind = 0;  ///< final destination of the frames, with `to` as the gateway; 0: `to` itself
    void archive(Archive& a) {
      a(running, to, behind, number, port, frame_bytes, interval, burst, duration, delay, next, end, began, left,
        generated, offered, held_back, given_up);
    }
  };

  std::string_view name() const override { return "generator"; }
  std::span<const ServicePort> ports() const override;
  std::optional<Bytes> datagram(const DatagramSender& from, std::uint16_t port, ByteView data, Time now) override;
  Time due() const override;
  std::vector<OwnDatagram> own_datagrams(std::size_t waiting, Time now) override;
  void own_sent(bool sent, Time now) override;
  bool used() const override { return run_.number != 0; }
  void archive_used(Archive& a) override;
  void forget() override {
    run_ = {};
    earlier_ = 0;
  }

  const Run& run() const { return run_; }
  /// Frames waiting for the medium, or on it.
  std::uint32_t waiting() const { return run_.generated - run_.offered - run_.held_back - run_.given_up; }

 private:
  Run run_;
  /// Frames of an earlier run that have not been sent yet.
  std::uint32_t earlier_ = 0;
};

}  // namespace planar::net
