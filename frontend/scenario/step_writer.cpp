// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/scenario/step_writer.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/scenario/keys.hpp"

namespace planar {

namespace {

/// `text` in double quotes, escaped as in a step.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\x1B': out += "\\e"; break;
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\x{:02X}", c) : std::string(1, c);
    }
  return out;
}

}  // namespace

StepWriter::StepWriter(const std::string& file, const std::string& option, std::string_view heading)
    : name_(file), file_(open_output(file, option)) {
  std::fwrite(heading.data(), 1, heading.size(), file_.get());
  std::fflush(file_.get());
}

void StepWriter::step(std::string_view text, Time now) {
  constexpr std::int64_t microsecond = 1'000'000;  // in picoseconds; six decimals are exact
  if (now != written_) fmt::print(file_.get(), "wait until {}.{:06} µs\n", now.ps / microsecond, now.ps % microsecond);
  written_ = now;
  if (!text.empty()) fmt::print(file_.get(), "{}\n", text);
  std::fflush(file_.get());  // the recording is complete however the run ends
}

void StepWriter::key(std::uint16_t code, bool pressed, Time now) {
  if (const auto name = key_name(code); !name.empty())
    step(fmt::format("key {} {}", name, pressed ? "down" : "up"), now);
}

void StepWriter::mouse_moved(int x, int y, Time now) { step(fmt::format("mouse move {} {}", x, y), now); }

void StepWriter::mouse_buttons(std::uint8_t pressed, Time now) {
  step(fmt::format("mouse buttons{}{}{}{}", pressed ? "" : " none", pressed & 1 ? " left" : "",
                   pressed & 2 ? " right" : "", pressed & 4 ? " middle" : ""),
       now);
}

void StepWriter::type(std::string_view text, Time now) {
  std::string typed;
  for (const char c : text)
    if (key_for(c)) typed += c;
  if (typed.empty()) return;
  // The machine may be slow to read: allow a minute, plus a second per character.
  step(fmt::format("type \"{}\" within {} s", in_quotes(typed), 60 + typed.size()), now);
}

void StepWriter::typing_stopped(Time now) {
  step("# The rest of the text was not typed: leave it out of the step before.", now);
}

void StepWriter::insert_diskette(unsigned drive, std::string_view name, Time now) {
  step(fmt::format("insert diskette{} \"{}\"", drive == 1 ? " b" : "", in_quotes(name)), now);
}

void StepWriter::eject_diskette(unsigned drive, Time now) {
  step(drive == 1 ? "eject diskette b" : "eject diskette", now);
}

void StepWriter::insert_cd(std::string_view file, Time now) {
  step(fmt::format("insert cd \"{}\"", in_quotes(file)), now);
}

void StepWriter::eject_cd(bool by_force, Time now) { step(by_force ? "eject cd by force" : "eject cd", now); }

void StepWriter::reset(Time now) { step("reset", now); }

void StepWriter::end(Time now) { step({}, now); }

void StepWriter::check() const {
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get()))
    throw Error(fmt::format("{}: could not be written completely; check the free space there", name_),
                ExitCode::missing_file);
}

}  // namespace planar
