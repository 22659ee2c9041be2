// SPDX-License-Identifier: GPL-2.0-or-later
#include <exception>
#include <memory>
#include <stdexcept>

#include "core/time/fiber.hpp"
#include "tests/catch.hpp"

using planar::Fiber;

TEST_CASE("a fiber resumes where it was suspended, even inside an exception handler") {
  int sum = 0;
  std::unique_ptr<Fiber> fiber;
  fiber = std::make_unique<Fiber>([&] {
    try {
      throw 1;
    } catch (int) {
      for (int i = 0; i < 100; ++i) {
        sum += i;
        fiber->suspend();
      }
    }
  });
  while (!fiber->ended()) {
    try {
      throw 2;
    } catch (int mine) {
      fiber->resume();
      CHECK(mine == 2);
    }
  }
  CHECK(sum == 4950);
  CHECK(std::uncaught_exceptions() == 0);
}

TEST_CASE("a fiber destroyed while suspended is unwound, one that never ran is not entered") {
  struct Guard {
    bool& gone;
    ~Guard() { gone = true; }
  };
  bool gone = false, entered = false;
  std::unique_ptr<Fiber> fiber;
  fiber = std::make_unique<Fiber>([&] {
    const Guard guard{gone};
    fiber->suspend();
    entered = true;
  });
  fiber->resume();
  CHECK_FALSE(gone);
  fiber.reset();
  CHECK(gone);
  {
    Fiber never([&] { entered = true; });
  }
  CHECK_FALSE(entered);
}

TEST_CASE("an exception thrown in a fiber reaches the caller of resume() and ends the fiber") {
  Fiber fiber([] { throw std::runtime_error("thrown inside"); });
  CHECK_THROWS_WITH(fiber.resume(), "thrown inside");
  CHECK(fiber.ended());
  CHECK_NOTHROW(fiber.resume());
}
