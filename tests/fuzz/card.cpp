// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for the network adapter selected by --card=NAME.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/common/error.hpp"
#include "tests/fuzz/network_adapter.hpp"

namespace {

const planar::McaEntry* chosen = nullptr;

}  // namespace

const planar::McaEntry& planar::fuzz::card() { return *chosen; }

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--card=";
  try {
    for (int i = 1; i < *argc; ++i)
      if (const std::string_view argument = (*argv)[i]; argument.starts_with(option))
        chosen = planar::find_mca(argument.substr(option.size()));
  } catch (const planar::Error& e) {
    std::fprintf(stderr, "fuzz: %s\n", e.what());
    std::exit(2);
  }
  if (!chosen) {
    std::fprintf(stderr, "fuzz: say which card, for example --card=ne2\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span input(data, size);
  return chosen->medium == planar::MediumKind::token_ring ? planar::fuzz::run_on_ring(input)
                                                          : planar::fuzz::run_on_ethernet(input);
}
