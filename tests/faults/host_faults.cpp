// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/faults/host_faults.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

struct State {
  std::uint64_t left = 0;  // calls up to the fault; 0: not armed
  int kind = planar_fault_fail;
  bool came = false;
  bool in_main = false;  // before and after main() an exception from an allocation is not caught
  char folder[4096] = "";
  char told[4096] = "";
};
State state;  // of the process: the layer between it and its host

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool below(const char* path) {
  return state.folder[0] != '\0' && std::strncmp(path, state.folder, std::strlen(state.folder)) == 0;
}

bool below(int descriptor) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t n = ::readlink(link, path, sizeof path - 1);
  if (n <= 0) return false;
  path[n] = '\0';
  return below(path);
}

void tell() {
  state.came = true;
  if (state.told[0] == '\0') return;
  const auto fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, state.told, O_CREAT | O_WRONLY, 0600));
  if (fd >= 0) ::syscall(SYS_close, fd);
}

/// Counts a call; true if it must fail.
bool due() {
  if (state.left == 0) return false;
  if (state.left > 1) {
    --state.left;
    return false;
  }
  tell();
  if (state.kind == planar_fault_fail || state.kind == planar_fault_memory) state.left = 0;
  return true;
}

bool files() { return state.left != 0 && state.kind != planar_fault_memory; }

template <class Place>
bool refuses(Place place, int error) {
  if (!files() || !below(place) || !due()) return false;
  errno = error;
  return true;
}

/// A write of `bytes`: returns how many are let through, or -1 for none and an error.
template <class Write>
ssize_t write_some(int descriptor, size_t bytes, Write write) {
  if (!files() || !below(descriptor)) return write(bytes);
  const bool first = !state.came;
  if (!due()) return write(bytes);
  if (state.kind == planar_fault_cut && first && bytes > 1) return write(bytes / 2);
  errno = ENOSPC;
  return -1;
}

__attribute__((constructor)) void arm_by_environment() {
  const char* const at = std::getenv("PLANAR_FAULT_AT");
  const char* const under = std::getenv("PLANAR_FAULT_UNDER");
  if (!at || !under) return;
  const char* const kind = std::getenv("PLANAR_FAULT_KIND");
  const auto is = [&](const char* name) { return kind && !std::strcmp(kind, name); };
  if (const char* const told = std::getenv("PLANAR_FAULT_TOLD"))
    std::snprintf(state.told, sizeof state.told, "%s", told);
  planar_fault_arm(std::strtoull(at, nullptr, 10),
                   is("stay")     ? planar_fault_stay
                   : is("cut")    ? planar_fault_cut
                   : is("memory") ? planar_fault_memory
                                  : planar_fault_fail,
                   under);
}

}  // namespace

extern "C" {

void planar_fault_arm(std::uint64_t n, int kind, const char* folder) {
  std::snprintf(state.folder, sizeof state.folder, "%s", folder);
  state.kind = kind;
  state.came = false;
  state.left = n;
}

bool planar_fault_disarm() {
  state.left = 0;
  return state.came;
}

// Functions declared by the C library, with their own exception specifications.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"

static int open_call(const char* name, const char* path, int flags, unsigned mode) {
  if (refuses(path, flags & (O_WRONLY | O_RDWR) ? ENOSPC : EIO)) return -1;
  return real<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const auto mode = va_arg(list, unsigned);
  va_end(list);
  return open_call("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const auto mode = va_arg(list, unsigned);
  va_end(list);
  return open_call("open64", path, flags, mode);
}
int mkstemp(char* path) {
  if (refuses(path, ENOSPC)) return -1;
  return real<int (*)(char*)>("mkstemp")(path);
}
ssize_t read(int descriptor, void* data, size_t bytes) {
  if (refuses(descriptor, EIO)) return -1;
  return real<ssize_t (*)(int, void*, size_t)>("read")(descriptor, data, bytes);
}
ssize_t pread(int descriptor, void* data, size_t bytes, off_t at) {
  if (refuses(descriptor, EIO)) return -1;
  return real<ssize_t (*)(int, void*, size_t, off_t)>("pread")(descriptor, data, bytes, at);
}
ssize_t write(int descriptor, const void* data, size_t bytes) {
  return write_some(descriptor, bytes, [&](size_t n) {
    return real<ssize_t (*)(int, const void*, size_t)>("write")(descriptor, data, n);
  });
}
ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t at) {
  return write_some(descriptor, bytes, [&](size_t n) {
    return real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(descriptor, data, n, at);
  });
}
int fsync(int descriptor) {
  if (refuses(descriptor, EIO)) return -1;
  return real<int (*)(int)>("fsync")(descriptor);
}
int fdatasync(int descriptor) {
  if (refuses(descriptor, EIO)) return -1;
  return real<int (*)(int)>("fdatasync")(descriptor);
}
int ftruncate(int descriptor, off_t bytes) noexcept {
  if (refuses(descriptor, EIO)) return -1;
  return real<int (*)(int, off_t)>("ftruncate")(descriptor, bytes);
}
int rename(const char* from, const char* to) noexcept {
  if (refuses(to, EIO)) return -1;
  return real<int (*)(const char*, const char*)>("rename")(from, to);
}
int link(const char* from, const char* to) noexcept {
  if (refuses(to, EIO)) return -1;
  return real<int (*)(const char*, const char*)>("link")(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  if (refuses(path, ENOSPC)) return -1;
  return real<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}
static std::FILE* open_stream(const char* name, const char* path, const char* mode) {
  if (refuses(path, ENOSPC)) return nullptr;
  return real<std::FILE* (*)(const char*, const char*)>(name)(path, mode);
}
std::FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
std::FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }
/// Marks a stream as the C library does after a failed write, so that ferror() reports it. glibc's _IO_ERR_SEEN.
static bool refuses_stream(std::FILE* file) {
  if (!refuses(::fileno(file), ENOSPC)) return false;
  file->_flags |= 0x20;
  return true;
}
size_t fwrite(const void* data, size_t size, size_t count, std::FILE* file) {
  if (refuses_stream(file)) return 0;
  return real<size_t (*)(const void*, size_t, size_t, std::FILE*)>("fwrite")(data, size, count, file);
}
int fflush(std::FILE* file) {
  if (file != nullptr && refuses_stream(file)) return EOF;
  return real<int (*)(std::FILE*)>("fflush")(file);
}

#pragma GCC diagnostic pop

using Main = int(int, char**, char**);
static Main* program;
#ifdef __clang__
[[clang::no_sanitize("function")]]  // main may have two parameters
#endif
static int
run_program(int argc, char** argv, char** environment) {
  state.in_main = true;
  const int result = program(argc, argv, environment);
  state.in_main = false;
  return result;
}
int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*linker)(),
                      void* stack) {
  program = main;
  return real<int (*)(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main")(
      run_program, argc, argv, init, fini, linker, stack);
}
}

static void* allocate(std::size_t bytes) {
  if (state.left != 0 && state.kind == planar_fault_memory && state.in_main && due()) return nullptr;
  return std::malloc(bytes ? bytes : 1);
}

void* operator new(std::size_t bytes) {
  if (void* const p = allocate(bytes)) return p;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
