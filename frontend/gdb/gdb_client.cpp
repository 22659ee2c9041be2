// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/gdb/gdb_client.hpp"

#include <utility>

#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"

namespace planar::gdb {

GdbClient::GdbClient(const Endpoint& endpoint) : socket_(endpoint), wait_(endpoint.wait) {
  say("planar: gdb: target remote {}:{}{}\n", endpoint.host, socket_.port(),
      endpoint.wait ? " (the run begins when gdb says so)" : "");
}

void GdbClient::put(std::string_view data) {
  sent_ = frame(data);
  socket_.write(sent_);
}

void GdbClient::send(const Protocol::Answer& answer) {
  constexpr std::size_t piece = longest_packet / 4;  // of console text in one packet
  for (const std::string& text : answer.console)
    for (std::size_t at = 0; at < text.size(); at += piece) put("O" + to_hex(std::string_view(text).substr(at, piece)));
  if (!answer.silent) put(answer.reply);
}

bool GdbClient::wait_for_client() {
  while (!socket_.connected()) {
    if (Interruption::asked()) return false;
    if (socket_.wait(-1)) socket_.accept();
  }
  reader_ = {};
  resumed_ = false;
  return true;
}

// The connection is lost: handled as if gdb had detached.
bool GdbClient::lost(Debugger& debugger) {
  protocol_.reset(debugger);
  debugger.remove_all();  // including those of monitor commands
  debugger.release();
  resumed_ = false;
  return true;
}

bool GdbClient::poll(Debugger& debugger) {
  if (!socket_.connected()) {
    if (!socket_.wait(0) || !socket_.accept()) return false;
    reader_ = {};
    resumed_ = false;
    return true;  // gdb expects a stopped target
  }
  // While the machine runs, gdb sends only Ctrl-C and acknowledgements. What was received earlier is discarded before
  // more is read.
  if (interrupted()) return true;
  if (!socket_.wait(0)) return false;
  const auto bytes = socket_.read();
  if (!bytes) {
    lost(debugger);
    return false;
  }
  reader_.feed(*bytes);
  return interrupted();
}

bool GdbClient::interrupted() {
  while (const auto received = reader_.next())
    if (received->kind == Received::Kind::interrupt) return true;
  return false;
}

bool GdbClient::stopped(Debugger& debugger, const Stop& stop) {
  if (!socket_.connected() && !wait_for_client()) return false;
  const auto answer = protocol_.stopped(debugger, stop);
  if (std::exchange(resumed_, false)) send(answer);
  for (;;) {
    while (const auto received = reader_.next()) {
      const Next next = serve(debugger, *received);
      if (next != Next::serve) return next == Next::run;
    }
    if (!socket_.connected()) return lost(debugger);  // an answer could not be sent
    if (Interruption::asked()) return false;
    if (!socket_.wait(-1)) continue;
    const auto bytes = socket_.read();
    if (!bytes) return lost(debugger);
    reader_.feed(*bytes);
  }
}

GdbClient::Next GdbClient::serve(Debugger& debugger, const Received& received) {
  using Kind = Received::Kind;
  if (received.kind == Kind::refused) socket_.write(sent_);
  if (received.kind == Kind::damaged && !protocol_.no_acknowledgements()) socket_.write("-");
  if (received.kind != Kind::packet) return Next::serve;
  if (!protocol_.no_acknowledgements()) socket_.write("+");
  const auto answer = protocol_.handle(debugger, received.data);
  send(answer);
  switch (answer.then) {
    case Protocol::Then::stay: return Next::serve;
    case Protocol::Then::resume: resumed_ = true; return Next::run;
    case Protocol::Then::detach:
      socket_.disconnect();
      lost(debugger);
      return Next::run;
    case Protocol::Then::kill: socket_.disconnect(); return Next::end;
  }
  return Next::serve;
}

void GdbClient::ended(Debugger& debugger) {
  if (!socket_.connected()) return;
  Stop stop;
  stop.why = Stop::Why::ended;
  if (std::exchange(resumed_, false)) send(protocol_.stopped(debugger, stop));
  socket_.disconnect();
}

}  // namespace planar::gdb
