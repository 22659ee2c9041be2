// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for snapshots, selected by the first byte of the input:
//
//   0 to 2  the state of a machine with some bytes changed, except its memory, where nothing can go wrong
//   3       a snapshot file with a valid checksum and any configuration, diskette and state
//   4       a file that begins like a snapshot
//
// A finding: a crash or sanitizer report, an error that is not planar's own, a state that was accepted and does not run
// on or cannot be saved, and a file that is read as something other than what was written.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace planar;
using fuzz::expect;
using fuzz::Input;

namespace {

using Bytes = std::vector<std::uint8_t>;

struct Shape {
  const char* machine;
  const char* cards[3];
};
constexpr Shape shapes[] = {{"model56sx", {"ne2", "tr16-4a-1994", "3c523"}},
                            {"model77", {"3c527", "tr4-a", "lanstreamer"}},
                            {"model95", {"etherstreamer", "madge-mc32", "sknet"}}};

/// A machine some time after power-on, and the position of its memory in its state.
struct Saved {
  explicit Saved(const Shape& shape) {
    Config config = load_machine(shape.machine);
    for (unsigned slot = 1; slot <= std::size(shape.cards); ++slot)
      config.set("slot." + std::to_string(slot) + ".card", shape.cards[slot - 1], "fuzz");
    config.set("memory.size", "4 MB", "fuzz");
    Lab lab(std::move(config));
    lab.scheduler().run_until(30_ms);
    Archive a = Archive::saver();
    lab.archive(a);
    state = a.stream();
    configuration = lab.configuration();
    const std::string mark("\x06\0\0\0memory", 10);
    memory_at =
        static_cast<std::size_t>(std::search(state.begin(), state.end(), mark.begin(), mark.end()) - state.begin());
    memory_bytes = std::min<std::size_t>(4 << 20, state.size() - memory_at);
  }
  Bytes state;
  std::string configuration;
  std::size_t memory_at = 0, memory_bytes = 0;
};

void restore(const Saved& saved, Input& input) {
  Bytes state = saved.state;
  const std::size_t outside = state.size() - saved.memory_bytes;
  while (input.left() >= 4) {
    std::size_t at = input.u16();
    at = (at | std::size_t{input.u8()} << 16) % outside;
    if (at >= saved.memory_at) at += saved.memory_bytes;
    for (const std::uint8_t b : input.take(1 + (input.u8() & 7)))
      if (at < state.size()) state[at++] = b;
  }
  Lab lab(parse_lab(saved.configuration, "fuzz"));
  try {
    Archive a = Archive::loader(std::move(state));
    lab.archive(a);
    a.expect_end();
  } catch (const Error&) { return; }
  lab.scheduler().run_until(lab.scheduler().now() + 500_us);
  lab.state_hash();
}

const std::string& scratch() {
  static const std::string file =
      (std::filesystem::temp_directory_path() / ("planar-fuzz-" + std::to_string(::getpid()) + ".snap")).string();
  return file;
}

void made_up(Input& input) {
  Snapshot written;
  const auto text = input.take(input.u16());
  written.configuration.assign(text.begin(), text.end());
  for (unsigned n = input.u8() & 3; n; --n) {
    const auto image = input.take(input.u8());
    written.diskettes.push_back({"diskette " + std::to_string(n), {image.begin(), image.end()}});
  }
  const auto frontend = input.take(input.u8()), state = input.take(input.left());
  written.frontend.assign(frontend.begin(), frontend.end());
  written.state.assign(state.begin(), state.end());
  write_snapshot(scratch(), written);
  try {
    const Snapshot read = read_snapshot(scratch());
    expect(read.configuration == written.configuration && read.frontend == written.frontend &&
               read.state == written.state && read.diskettes.size() == written.diskettes.size(),
           "a snapshot is read as another one");
  } catch (const Error&) {}
}

void damaged_file(Input& input) {
  std::string content = "PLANARSN";
  if (input.u8() & 1) content += std::string("\x01\0\0\0", 4);
  const auto rest = input.take(input.left());
  content.append(rest.begin(), rest.end());
  std::ofstream(scratch(), std::ios::binary) << content;
  try {
    read_snapshot(scratch());
  } catch (const Error&) {}
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<Saved, 3> machines{Saved(shapes[0]), Saved(shapes[1]), Saved(shapes[2])};
  Input input(std::span(data, std::min<std::size_t>(size, 1 << 16)));
  switch (const unsigned kind = input.u8() % 5; kind) {
    case 3: made_up(input); break;
    case 4: damaged_file(input); break;
    default: restore(machines[kind], input); break;
  }
  std::filesystem::remove(scratch());
  return 0;
}
