// SPDX-License-Identifier: GPL-2.0-or-later
// GDB's remote serial protocol (GDB manual, appendix E), packet by packet, without its framing and without a
// connection. A machine of the lab is a thread for gdb, numbered from 1. Every packet gets an answer; for one that is
// unknown or malformed it is the protocol's own: empty, or an error number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "frontend/debug/commands.hpp"
#include "frontend/debug/debugger.hpp"
#include "frontend/gdb/packet.hpp"

namespace planar::gdb {

class Protocol {
 public:
  enum class Then { stay, resume, detach, kill };
  struct Answer {
    std::string reply;
    Then then = Then::stay;
    bool silent = false;               ///< no reply now: the next stop is the reply
    std::vector<std::string> console;  ///< texts for the user, sent before the reply
  };

  /// Executes a request from gdb while the debugger is stopped.
  Answer handle(Debugger& debugger, std::string_view packet);
  /// The reply to a resumption that has ended with `stop`, with its console text.
  Answer stopped(Debugger& debugger, const Stop& stop);
  /// Removes gdb's breakpoints and resets the state for another connection.
  void reset(Debugger& debugger);
  /// gdb sends no acknowledgements and wants none.
  bool no_acknowledgements() const { return quiet_; }

 private:
  Answer query(Debugger& d, std::string_view packet);
  Answer verbose(Debugger& d, std::string_view packet);
  Answer monitor(Debugger& d, std::string_view digits);
  Answer resume(Debugger& d, char action, std::string_view arguments);
  Answer backwards(Debugger& d, char action);
  Answer breakpoint(Debugger& d, std::string_view packet);
  Answer select(Debugger& d, std::string_view packet);
  static Answer read_memory(Debugger& d, std::string_view packet);
  static Answer write_memory(Debugger& d, std::string_view packet, bool binary);
  static Answer all_registers(Debugger& d);
  static Answer set_all_registers(Debugger& d, std::string_view digits);
  static Answer one_register(Debugger& d, std::string_view packet);
  static Answer set_register(Debugger& d, std::string_view packet);
  static Answer transfer(std::string_view packet);

  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // type, address, length
  DebugCommands commands_{false};
  std::map<Key, unsigned> breakpoints_;
  Stop last_;
  bool quiet_ = false;
};

}  // namespace planar::gdb
