// SPDX-License-Identifier: GPL-2.0-or-later
// `--gdb`: lets gdb stop and examine a run through a TCP port. gdb may attach, detach and attach again at any time.
#pragma once

#include <string>

#include "frontend/debug/debugger.hpp"
#include "frontend/gdb/packet.hpp"
#include "frontend/gdb/protocol.hpp"
#include "frontend/gdb/socket.hpp"

namespace planar::gdb {

class GdbClient final : public DebugClient {
 public:
  /// Listens and reports the address on standard error. Throws Error if it cannot.
  explicit GdbClient(const Endpoint& endpoint);

  // DebugClient
  bool waits() const override { return wait_; }
  bool stopped(Debugger& debugger, const Stop& stop) override;
  bool poll(Debugger& debugger) override;
  void ended(Debugger& debugger) override;

 private:
  enum class Next { serve, run, end };
  bool wait_for_client();
  bool interrupted();
  Next serve(Debugger& debugger, const Received& received);
  void send(const Protocol::Answer& answer);
  void put(std::string_view data);
  bool lost(Debugger& debugger);

  Socket socket_;
  bool wait_;
  PacketReader reader_;
  Protocol protocol_;
  std::string sent_;      // the last packet, for retransmission
  bool resumed_ = false;  // gdb is waiting for a stop
};

}  // namespace planar::gdb
