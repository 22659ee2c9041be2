// SPDX-License-Identifier: GPL-2.0-or-later
// A session with a debugger whose user is a function in the test.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/debug/debugger.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/session/session.hpp"
#include "machines/config/machine_files.hpp"
#include "roms/images.hpp"
#include "tests/catch.hpp"

namespace debug_session {

using namespace planar;

/// What the user does at each stop; false ends the run.
using AtStop = std::function<bool(Debugger&, const Stop&)>;

class FunctionClient final : public DebugClient {
 public:
  explicit FunctionClient(AtStop at_stop, std::function<bool(Debugger&)> poll = {})
      : at_stop_(std::move(at_stop)), poll_(std::move(poll)) {}
  bool waits() const override { return true; }
  bool stopped(Debugger& debugger, const Stop& stop) override { return at_stop_(debugger, stop); }
  bool poll(Debugger& debugger) override { return poll_ && poll_(debugger); }
  void ended(Debugger&) override {}

 private:
  AtStop at_stop_;
  std::function<bool(Debugger&)> poll_;
};

/// The built-in guest running netio for a few milliseconds.
inline std::unique_ptr<Session> netio_session(const std::string& machine, const std::string& card) {
  Config config = load_machine(machine);
  config.set("slot.1.card", card, "test");
  config.set("memory.size", "4 MB", "test");
  OutputOptions output;
  output.quiet = true;
  Media media;
  media.diskette =
      NamedFile{"guest", with_settings(roms::guest(), {{"do", "netio"}, {"seconds", "0.02"}, {"sizes", "1024"}})};
  return std::make_unique<Session>(LabConfig(std::move(config)), std::vector<Media>{std::move(media)}, output,
                                   StateOptions{});
}

/// Runs until the guest has finished its work.
inline RunEnd run(Session& session) {
  return session.run(
      60_s, [&] { return session.guest().done().has_value(); }, [] { return std::string(); });
}

/// The address of a function of the guest's kernel, from the committed map.
std::uint32_t guest_symbol(const std::string& name);

}  // namespace debug_session
