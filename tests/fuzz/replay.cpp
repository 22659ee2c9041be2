// SPDX-License-Identifier: GPL-2.0-or-later
// Drives a fuzz target without libFuzzer, for any compiler and for CI:
//
//   fuzz_TARGET [--burst N] [--seed S] [--OPTION=VALUE of the target]... FILE|FOLDER...
//
// Runs every file, then N inputs derived from them by seeded mutation (the same ones each time). A finding aborts; the
// current input is named, and is saved as fuzz-finding.bin if it is a mutated one. An input that takes longer than ten
// seconds of host time counts as a hang.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/common/random.hpp"
#include "tests/fuzz/fuzz.hpp"

#pragma weak LLVMFuzzerInitialize  // only targets with their own options have it

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr unsigned hang_seconds = 10;

std::string current;  // the name for a finding
Bytes mutated;        // its bytes, if it is not in a file

void report(int number) {
  std::fprintf(stderr, "fuzz: %s in %s\n", number == SIGALRM ? "hang" : "crash", current.c_str());
  if (!mutated.empty()) {
    if (std::FILE* f = std::fopen("fuzz-finding.bin", "wb")) {
      std::fwrite(mutated.data(), 1, mutated.size(), f);
      std::fclose(f);
      std::fprintf(stderr, "fuzz: the input is kept as fuzz-finding.bin\n");
    }
  }
  std::signal(number, SIG_DFL);
  std::_Exit(1);
}

void run(const Bytes& input) {
  alarm(hang_seconds);
  LLVMFuzzerTestOneInput(input.data(), input.size());
  alarm(0);
}

/// One to six edits: a byte, a bit, an interesting number, a piece moved, removed or copied from another input.
Bytes mutate(const std::vector<Bytes>& corpus, planar::Random& random) {
  Bytes input = corpus[random.below(corpus.size())];
  static constexpr std::uint32_t numbers[] = {0,      1,      0x7F,    0x80,       0xFF,       0x100,     0x7FFF,
                                              0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  for (std::uint64_t edits = 1 + random.below(6); edits > 0; --edits) {
    if (input.empty()) input.push_back(0);
    const std::size_t at = random.below(input.size());
    const std::size_t length = 1 + random.below(std::min<std::size_t>(16, input.size() - at));
    const auto from = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(6)) {
      case 0: input[at] = static_cast<std::uint8_t>(random.next()); break;
      case 1: input[at] ^= static_cast<std::uint8_t>(1u << random.below(8)); break;
      case 2: {
        const std::uint32_t n = numbers[random.below(std::size(numbers))];
        for (std::size_t i = 0; i < 4 && at + i < input.size(); ++i)
          input[at + i] = static_cast<std::uint8_t>(n >> 8 * i);
        break;
      }
      case 3: input.erase(from, from + static_cast<std::ptrdiff_t>(length)); break;
      case 4: {
        const Bytes piece(from, from + static_cast<std::ptrdiff_t>(length));
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(random.below(input.size())), piece.begin(),
                     piece.end());
        break;
      }
      default: {
        const Bytes& other = corpus[random.below(corpus.size())];
        for (std::size_t i = at; i < at + length && i < other.size(); ++i) input[i] = other[i];
      }
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  std::uint64_t burst = 0, seed = 1;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--burst") && i + 1 < argc)
      burst = std::strtoull(argv[++i], nullptr, 10);
    else if (!std::strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else if (std::strncmp(argv[i], "--", 2) == 0)
      continue;  // an option of the target
    else if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path().string());
    } else
      files.emplace_back(argv[i]);
  }
  std::sort(files.begin(), files.end());
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(number, report);

  std::vector<Bytes> corpus;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "fuzz: cannot read %s\n", file.c_str());
      return 3;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    current = file;
    run(corpus.back());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "fuzz: no input; name files or folders, such as tests/fuzz/corpus/TARGET\n");
    return 2;
  }
  planar::Random random(seed);
  for (std::uint64_t i = 0; i < burst; ++i) {
    current = "mutation " + std::to_string(i) + " of seed " + std::to_string(seed);
    mutated = mutate(corpus, random);
    run(mutated);
  }
  std::printf("fuzz: %zu inputs and %llu mutations without a finding\n", corpus.size(),
              static_cast<unsigned long long>(burst));
  return 0;
}
