// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/time/fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "core/common/sanitizer.hpp"

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

#if defined(PLANAR_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

// planar_switch(save, to, argument): pushes the callee-saved registers on the current stack, stores its pointer in
// *save, and continues on the stack `to`. A new stack receives `argument` as its function's first argument.
#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .local planar_switch
  .type planar_switch, @function
planar_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movq %rdx, %rdi
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size planar_switch, .-planar_switch
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .local planar_switch
  .type planar_switch, %function
planar_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  mov x0, x2
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size planar_switch, .-planar_switch
)");
#endif
#if defined(__x86_64__) || defined(__aarch64__)
extern "C" void planar_switch(void** save, void* to, void* argument);
#endif

namespace planar {

namespace {

constexpr std::size_t stack_bytes = 512 * 1024;

// The saved state of an inactive stack, and the switch between two stacks.
#if defined(__x86_64__) || defined(__aarch64__)
using SavedStack = void*;  // the stack pointer
void switch_stack(SavedStack& from, SavedStack& to, void* argument) { planar_switch(&from, to, argument); }
#else
using SavedStack = ucontext_t;
void switch_stack(SavedStack& from, SavedStack& to, void*) { swapcontext(&from, &to); }
#endif

/// Thrown inside the body to unwind it when its fiber is destroyed.
struct Unwind {};

/// The exceptions being handled belong to a stack, not to the thread (Itanium C++ ABI section 2.2.2): a processor may
/// be suspended inside a handler.
struct ExceptionState {
  void* caught = nullptr;
  unsigned uncaught = 0;
  void exchange() {
    auto* present = reinterpret_cast<char*>(abi::__cxa_get_globals());
    ExceptionState mine;
    std::memcpy(&mine.caught, present, sizeof caught);
    std::memcpy(&mine.uncaught, present + sizeof caught, sizeof uncaught);
    std::memcpy(present, &caught, sizeof caught);
    std::memcpy(present + sizeof caught, &uncaught, sizeof uncaught);
    *this = mine;
  }
};

}  // namespace

struct Fiber::Impl {
  std::function<void()> body;
  std::byte* mapping = nullptr;
  std::size_t guard = 0;
  bool started = false, ended = false, abandoned = false;
  std::exception_ptr thrown;
  ExceptionState handled;
  SavedStack inside{}, outside{};
#if defined(PLANAR_ADDRESS_SANITIZER)
  void* fake_inside = nullptr;
  void* fake_outside = nullptr;
  const void* outside_bottom = nullptr;
  std::size_t outside_size = 0;
#endif

  std::byte* bottom() const { return mapping + guard; }

  void enter() {
    handled.exchange();
#if defined(PLANAR_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(&fake_outside, bottom(), stack_bytes);
#endif
    switch_stack(outside, inside, this);
#if defined(PLANAR_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake_outside, nullptr, nullptr);
#endif
    handled.exchange();
  }

  void leave() {
#if defined(PLANAR_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(ended ? nullptr : &fake_inside, outside_bottom, outside_size);
#endif
    switch_stack(inside, outside, this);
    arrived();
  }

  void arrived() {
#if defined(PLANAR_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake_inside, &outside_bottom, &outside_size);
#endif
  }

  static void entry(Impl* self) {
    self->arrived();
    try {
      if (!self->abandoned) self->body();
    } catch (const Unwind&) {
    } catch (...) { self->thrown = std::current_exception(); }
    self->ended = true;
    self->leave();
    std::terminate();  // an ended fiber is never resumed
  }

#if defined(__x86_64__)
  void prepare() {
    // The stack as planar_switch leaves it: six registers, then the return address, where the stack must be 8 below a
    // multiple of 16, as after a call.
    auto* top = reinterpret_cast<std::uintptr_t*>(bottom() + stack_bytes);
    top[-2] = reinterpret_cast<std::uintptr_t>(&Impl::entry);
    inside = top - 2 - 6;
  }
#elif defined(__aarch64__)
  void prepare() {
    auto* frame = reinterpret_cast<std::uintptr_t*>(bottom() + stack_bytes - 160);
    frame[11] = reinterpret_cast<std::uintptr_t>(&Impl::entry);
    inside = frame;
  }
#else
  static void entry_by_halves(unsigned high, unsigned low) {
    entry(reinterpret_cast<Impl*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low)));
  }
  void prepare() {
    getcontext(&inside);
    inside.uc_stack.ss_sp = bottom();
    inside.uc_stack.ss_size = stack_bytes;
    inside.uc_link = nullptr;
    const auto self = std::uint64_t{reinterpret_cast<std::uintptr_t>(this)};
    makecontext(&inside, reinterpret_cast<void (*)()>(&Impl::entry_by_halves), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
  }
#endif
};

Fiber::Fiber(std::function<void()> body) : impl_(std::make_unique<Impl>()) {
  impl_->body = std::move(body);
  impl_->guard = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const mapping =
      mmap(nullptr, impl_->guard + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  impl_->mapping = static_cast<std::byte*>(mapping);
  mprotect(mapping, impl_->guard, PROT_NONE);
  impl_->prepare();
}

Fiber::~Fiber() {
  if (impl_->started && !impl_->ended) {
    impl_->abandoned = true;
    impl_->enter();
  }
  munmap(impl_->mapping, impl_->guard + stack_bytes);
}

void Fiber::resume() {
  if (impl_->ended) return;
  impl_->started = true;
  impl_->enter();
  if (impl_->thrown) std::rethrow_exception(std::exchange(impl_->thrown, nullptr));
}

void Fiber::suspend() {
  impl_->leave();
  if (impl_->abandoned) throw Unwind{};
}

bool Fiber::ended() const { return impl_->ended; }

}  // namespace planar
