// SPDX-License-Identifier: GPL-2.0-or-later
// Direct boot of a Linux kernel: the state that the boot protocol guarantees to the set-up code, rejected files, and
// that power-on self-test, warm start and snapshot preserve it. The kernels are generated here: a header and a few
// instructions.
#include <cstring>
#include <iterator>
#include <numeric>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/descriptions.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {

using Bytes = std::vector<std::uint8_t>;

// Set-up code that prints on COM1: '+' if CS is 9020h, DS, ES, FS, GS and SS are 9000h and interrupts are off,
// otherwise '-'; the text at 99000h; the byte at 100000h. Then it stops the processor.
constexpr std::uint8_t reporter[] = {
    0x9C, 0x59,                                // pushf; pop cx
    0xB8, 0xE3, 0x00, 0x52, 0x31, 0xD2,        // mov ax, 00E3h (9600 8N1); push dx; xor dx, dx
    0xCD, 0x14, 0x5A,                          // int 14h; pop dx
    0xBB, 0x00, 0x90,                          // mov bx, 9000h
    0x8C, 0xC8, 0x3D, 0x20, 0x90, 0x75, 0x4B,  // mov ax, cs; cmp ax, 9020h; jne bad
    0x8C, 0xD8, 0x39, 0xD8, 0x75, 0x45,        // the same for DS ...
    0x8C, 0xC0, 0x39, 0xD8, 0x75, 0x3F,        // ES
    0x8C, 0xE0, 0x39, 0xD8, 0x75, 0x39,        // FS
    0x8C, 0xE8, 0x39, 0xD8, 0x75, 0x33,        // GS
    0x8C, 0xD0, 0x39, 0xD8, 0x75, 0x2D,        // SS
    0xF6, 0xC5, 0x02, 0x75, 0x28,              // test ch, 2 (IF); jnz bad
    0xB0, 0x2B, 0xE8, 0x2A, 0x00,              // mov al, '+'; call put
    0xBE, 0x00, 0x90,                          // mov si, 9000h
    0xAC, 0x84, 0xC0, 0x74, 0x05,              // line: lodsb; test al, al; jz kernel
    0xE8, 0x1F, 0x00, 0xEB, 0xF6,              // call put; jmp line
    0xE4, 0x92, 0x0C, 0x02, 0x24, 0xFE,        // kernel: in al, 92h; or al, 2; and al, FEh
    0xE6, 0x92,                                // out 92h, al: opens address line 20
    0xB8, 0xFF, 0xFF, 0x8E, 0xC0,              // mov ax, FFFFh; mov es, ax
    0x26, 0xA0, 0x10, 0x00,                    // mov al, es:[10h]
    0xE8, 0x09, 0x00,                          // call put
    0xFA, 0xF4,                                // stop: cli; hlt
    0xB0, 0x2D, 0xE8, 0x02, 0x00, 0xEB, 0xF7,  // bad: mov al, '-'; call put; jmp stop
    0x88, 0xC4, 0xBA, 0xFD, 0x03,              // put: mov ah, al; mov dx, 3FDh
    0xEC, 0xA8, 0x20, 0x74, 0xFB,              // wait: in al, dx; test al, 20h; jz wait
    0xBA, 0xF8, 0x03, 0x88, 0xE0, 0xEE, 0xC3,  // mov dx, 3F8h; mov al, ah; out dx, al; ret
};

// Set-up code that changes its own memory, like every kernel, and resets the processor.
constexpr std::uint8_t restarter[] = {
    0xFE, 0x06, 0x00, 0x04,  // inc byte [400h]
    0xB0, 0xFE, 0xE6, 0x64,  // mov al, FEh; out 64h, al
    0xEB, 0xFE,              // jmp $
};

void put(Bytes& b, std::size_t at, unsigned bytes, std::uint32_t value) {
  for (unsigned n = 0; n < bytes; ++n) b[at + n] = static_cast<std::uint8_t>(value >> (8 * n));
}

std::uint32_t get(const Bytes& b, std::size_t at) {
  return b[at] | b[at + 1] << 8 | b[at + 2] << 16 | static_cast<std::uint32_t>(b[at + 3]) << 24;
}

struct Shape {
  unsigned protocol = 0x0202;
  bool high = true;
  std::size_t kernel_bytes = 100'000;
};

/// A kernel file: boot sector, four set-up sectors that run `code`, and a kernel of one repeated letter.
template <std::size_t n>
NamedFile kernel(const std::uint8_t (&code)[n], const Shape& shape = {}) {
  Bytes b(5 * 512 + shape.kernel_bytes, 'K');
  std::fill(b.begin(), b.begin() + 5 * 512, std::uint8_t{0});
  b[0x1F1] = 4;
  put(b, 0x1F4, 2, static_cast<std::uint32_t>((shape.kernel_bytes + 15) / 16 & 0xFFFF));
  put(b, 0x1FE, 2, 0xAA55);
  b[0x200] = 0xEB;  // jump over the header
  b[0x201] = 0x6E;
  std::memcpy(&b[0x202], "HdrS", 4);
  put(b, 0x206, 2, shape.protocol);
  b[0x211] = shape.high ? 1 : 0;
  std::copy(std::begin(code), std::end(code), b.begin() + 0x270);
  return {"vmlinuz", std::move(b)};
}

NamedFile ramdisk(std::size_t bytes) {
  Bytes b(bytes);
  for (std::size_t n = 0; n < bytes; ++n) b[n] = static_cast<std::uint8_t>(n * 7 + (n >> 8));
  return {"ramdisk", std::move(b)};
}

const LinuxBoot::Part& part_at(const LinuxBoot& boot, std::uint32_t address) {
  for (const auto& part : boot.parts)
    if (part.address == address) return part;
  FAIL("nothing was put at " << std::hex << address);
  throw std::logic_error("unreachable");
}

constexpr std::uint32_t end_8mb = 8 << 20;
constexpr std::uint32_t setup = 0x90000;

class LinuxBench {
 public:
  explicit LinuxBench(const std::string& model) : lab_(load_machine(model)) {
    lab_.machine().serial().on_output([this](std::uint8_t c, Time) { com1 += static_cast<char>(c); });
  }
  Machine& machine() { return lab_.machine(); }
  LinuxBoot load(const NamedFile& k, const std::optional<NamedFile>& disk = {}, const std::string& text = "") {
    auto boot = prepare_linux_boot(k, disk, text, machine().memory_end());
    lab_.load_kernel(boot);
    return boot;
  }
  void run(Time duration) { lab_.scheduler().run_until(lab_.scheduler().now() + duration); }
  bool halt(Time limit = 5'000_ms) {
    const Time end = lab_.scheduler().now() + limit;
    while (lab_.scheduler().now() < end && !machine().halted_for_good()) run(20_ms);
    run(10_ms);  // the last characters are sent on COM1
    return machine().halted_for_good();
  }
  std::string screen() {
    std::string all;
    for (const auto& line : machine().video().text_lines()) all += line + "\n";
    return all;
  }
  Lab& lab() { return lab_; }
  std::string com1;

 private:
  Lab lab_;
};

void check_refused(const NamedFile& k, const std::optional<NamedFile>& disk, const std::string& text,
                   const std::string& why, ExitCode code = ExitCode::missing_file) {
  try {
    prepare_linux_boot(k, disk, text, end_8mb);
    FAIL("not refused: " << why);
  } catch (const Error& e) {
    CHECK_THAT(e.what(), Contains(why));
    CHECK(e.code() == code);
  }
}

}  // namespace

TEST_CASE("A kernel's set-up code starts on every machine in the state that the boot protocol requires", "[linux]") {
  const auto model = GENERATE("model56sx", "model77", "model95", "pc-p166", "pc-p3-800");
  CAPTURE(model);
  LinuxBench bench(model);
  bench.load(kernel(reporter), {}, "root=/dev/ram0 quiet");
  REQUIRE(bench.halt());
  CHECK(bench.com1 == "+root=/dev/ram0 quietK");
}

TEST_CASE("On a P6 a directly started kernel finds the memory type ranges set", "[linux]") {
  struct Row {
    const char* model;
    std::uint64_t mask;  // of a single range that covers all memory
  };
  const auto row =
      GENERATE(Row{"pc-p2-400", 0xFF8000800}, Row{"pc-p3-600", 0xFF8000800}, Row{"pc-p3-800", 0xFF0000800});
  CAPTURE(row.model);
  LinuxBench bench(row.model);
  bench.load(kernel(reporter));
  REQUIRE(bench.halt());
  const Description cpu = bench.machine().describe("cpu");
  const auto value = [&](const char* name) {
    const Field* f = test::find_field(cpu, "MTRR", name);
    REQUIRE(f);
    return f->value;
  };
  CHECK(value("default type") == 0xC00);  // enabled, with the fixed ranges; everything else is uncacheable
  CHECK(value("base 0") == 6);            // write-back
  CHECK(value("mask 0") == row.mask);
  CHECK(value("mask 1") == 0);
}

TEST_CASE("Kernels of every boot protocol receive the addresses of ramdisk, heap and command line, low and high",
          "[linux]") {
  for (const unsigned protocol :
       {0x0200u, 0x0201u, 0x0202u, 0x0203u, 0x0204u, 0x0205u, 0x0206u, 0x0208u, 0x020Au, 0x020Fu})
    for (const bool high : {false, true}) {
      CAPTURE(protocol, high);
      auto k = kernel(reporter, {protocol, high});
      put(k.bytes, 0x22C, 4, 0x37FFFFFF);
      put(k.bytes, 0x238, 4, 2047);
      const auto boot = prepare_linux_boot(k, ramdisk(500'000), "a=b", end_8mb);
      const auto& header = part_at(boot, setup).bytes;
      CHECK(part_at(boot, high ? 0x100000 : 0x10000).bytes == Bytes(100'000, 'K'));
      CHECK(header[0x210] == 0xFF);
      CHECK(get(header, 0x218) == ((end_8mb - 500'000) & ~0xFFFu));
      CHECK(get(header, 0x21C) == 500'000);
      CHECK((header[0x211] & 0x80) == (protocol >= 0x0201 ? 0x80 : 0));
      CHECK((get(header, 0x224) & 0xFFFF) == (protocol >= 0x0201 ? 0x8E00 : 0));
      CHECK(get(header, 0x228) == (protocol >= 0x0202 ? 0x99000 : 0));
      CHECK((get(header, 0x20) & 0xFFFF) == (protocol >= 0x0202 ? 0 : 0xA33F));
      CHECK(std::memcmp(&header[0x9000], "a=b", 4) == 0);
    }
}

TEST_CASE("The oldest and the newest boot protocol start", "[linux]") {
  const auto protocol = GENERATE(0x0200u, 0x020Fu);
  CAPTURE(protocol);
  LinuxBench bench("model56sx");
  auto k = kernel(reporter, {protocol, true});
  put(k.bytes, 0x238, 4, 2047);
  bench.load(k, {}, "root=/dev/fd0");
  REQUIRE(bench.halt());
  CHECK(bench.com1 == "+root=/dev/fd0K");
}

TEST_CASE("A zero count of set-up sectors means four", "[linux]") {
  auto k = kernel(reporter);
  k.bytes[0x1F1] = 0;
  CHECK(part_at(prepare_linux_boot(k, {}, "", end_8mb), 0x100000).bytes == Bytes(100'000, 'K'));
}

TEST_CASE("vga= is passed to the set-up code, which interprets it", "[linux]") {
  const auto mode = [](const std::string& text) {
    return get(part_at(prepare_linux_boot(kernel(reporter), {}, text, end_8mb), setup).bytes, 0x1FA) & 0xFFFF;
  };
  CHECK(mode("ro") == 0);
  CHECK(mode("vga=normal ro") == 0xFFFF);
  CHECK(mode("ro vga=ext") == 0xFFFE);
  CHECK(mode("vga=ask") == 0xFFFD);
  CHECK(mode("ro vga=0x0F01 quiet") == 0x0F01);
  CHECK(mode("novga=5 vga=6") == 6);
  check_refused(kernel(reporter), {}, "vga=big", "vga=big", ExitCode::bad_configuration);
}

TEST_CASE("From protocol 2.10 on the memory that a kernel needs for decompression is reserved", "[linux]") {
  auto k = kernel(reporter, {0x020A, true});
  put(k.bytes, 0x22C, 4, 0x7FFFFFFF);
  put(k.bytes, 0x238, 4, 2047);
  put(k.bytes, 0x258, 4, 0x100000);   // preferred address
  put(k.bytes, 0x260, 4, 5'000'000);  // size while it starts
  CHECK_NOTHROW(prepare_linux_boot(k, ramdisk(2'000'000), "", end_8mb));
  check_refused(k, ramdisk(3'000'000), "", "ramdisk: does not fit");
  put(k.bytes, 0x258, 4, 0x1000000);
  check_refused(k, {}, "", "does not fit: 20243 KB are needed above 1 MB, 7168 KB are available");
  CHECK_NOTHROW(prepare_linux_boot(k, {}, std::string(2047, 'x'), 32 << 20));
  check_refused(k, {}, std::string(2048, 'x'), "does not fit");
}

TEST_CASE("POST does not modify kernel, ramdisk and command line", "[linux]") {
  const bool high = GENERATE(true, false);
  CAPTURE(high);
  LinuxBench bench("model56sx");
  const auto boot =
      bench.load(kernel(reporter, {0x0202, high, high ? 1'500'000u : 500'000u}), ramdisk(3'000'000), "text");
  REQUIRE(bench.halt());
  for (const auto& part : boot.parts) {
    std::size_t changed = 0;
    for (std::size_t n = 0; n < part.bytes.size(); ++n) {
      const auto address = part.address + static_cast<std::uint32_t>(n);
      // The kernel's stack grows below the command line.
      if (address >= setup + 0x8E00 && address < setup + 0x9000) continue;
      changed += bench.machine().peek_memory(address) != part.bytes[n];
    }
    CAPTURE(part.address);
    CHECK(changed == 0);
  }
}

TEST_CASE("The header contains the addresses of ramdisk and command line", "[linux]") {
  const auto disk = ramdisk(300'000);
  SECTION("2.02: a pointer to the command line, heap up to 98E00h, ramdisk on the last pages") {
    const auto boot = prepare_linux_boot(kernel(reporter), disk, "a=b", end_8mb);
    const auto& header = part_at(boot, setup).bytes;
    CHECK(header[0x210] == 0xFF);
    CHECK(header[0x211] == 0x81);
    CHECK((get(header, 0x224) & 0xFFFF) == 0x8E00);
    CHECK(get(header, 0x228) == 0x99000);
    CHECK(std::memcmp(&header[0x9000], "a=b", 4) == 0);
    const std::uint32_t place = (end_8mb - 300'000) & ~0xFFFu;
    CHECK(get(header, 0x218) == place);
    CHECK(get(header, 0x21C) == 300'000);
    CHECK(part_at(boot, place).bytes == disk.bytes);
    CHECK(part_at(boot, 0x100000).bytes == Bytes(100'000, 'K'));
    CHECK(boot.checked_sum == std::accumulate(header.begin(), header.end(), std::uint32_t{0}));
  }
  SECTION("2.00: the old magic number and offset, and a kernel that loads low") {
    const auto boot = prepare_linux_boot(kernel(reporter, {0x0200, false}), {}, "a=b", end_8mb);
    const auto& header = part_at(boot, setup).bytes;
    CHECK((get(header, 0x20) & 0xFFFF) == 0xA33F);
    CHECK(get(header, 0x20) >> 16 == 0x9000);
    CHECK(get(header, 0x224) == 0);
    CHECK(get(header, 0x228) == 0);
    CHECK(part_at(boot, 0x10000).bytes == Bytes(100'000, 'K'));
  }
  SECTION("A ramdisk is placed below 16 MB, below the limit that newer kernels specify, and below mem=") {
    const std::uint32_t end_64mb = 64 << 20;
    auto place = [&](const NamedFile& k, const std::string& text) {
      return get(part_at(prepare_linux_boot(k, disk, text, end_64mb), setup).bytes, 0x218);
    };
    CHECK(place(kernel(reporter), "") == ((0x1000000 - 300'000) & ~0xFFFu));
    auto newer = kernel(reporter, {0x0203, true});
    put(newer.bytes, 0x22C, 4, 0x1FFFFFF);
    CHECK(place(newer, "") == ((0x2000000 - 300'000) & ~0xFFFu));
    CHECK(place(newer, "ro mem=4M") == ((0x400000 - 300'000) & ~0xFFFu));
    CHECK(place(newer, "ro mem=3072k x") == ((0x300000 - 300'000) & ~0xFFFu));
    CHECK(place(newer, "ro oldmem=4M") == ((0x2000000 - 300'000) & ~0xFFFu));
  }
}

TEST_CASE("Files that are not kernels, truncated files and files that do not fit are rejected with exit code 3",
          "[linux]") {
  auto cut = [](NamedFile k, std::size_t bytes) {
    k.bytes.resize(bytes);
    return k;
  };
  const auto good = kernel(reporter);
  check_refused({"empty", {}}, {}, "", "is not a Linux kernel");
  check_refused({"text", Bytes(5000, 'x')}, {}, "", "is not a Linux kernel");
  check_refused({"vmlinux", {0x7F, 'E', 'L', 'F', 1, 1}}, {}, "", "is an ELF file");
  check_refused({"vmlinux.gz", {0x1F, 0x8B, 8}}, {}, "", "is a gzip file");
  auto diskette = good;
  std::memset(&diskette.bytes[0x202], 0, 4);
  check_refused(diskette, {}, "", "no HdrS header");
  check_refused(cut(good, 0x210), {}, "", "ends within the kernel's header");
  auto ancient = good;
  put(ancient.bytes, 0x206, 2, 0x0105);
  check_refused(ancient, {}, "", "older than Linux 1.3.73");
  check_refused(cut(kernel(reporter, {0x020A, true}), 0x250), {}, "", "ends within the kernel's header");
  check_refused(cut(good, 0x400), {}, "", "ends within the set-up code");
  check_refused(cut(good, good.bytes.size() - 5000), {}, "", "its header specifies 98 KB");
  auto sectors = good;
  sectors.bytes[0x1F1] = 200;
  check_refused(sectors, {}, "", "200 set-up sectors");
  check_refused(kernel(reporter, {0x0202, false, 600'000}), {}, "", "a zImage may have at most 512 KB");
  check_refused(kernel(reporter, {0x0202, true, 8'000'000}), {}, "", "--memory");
  check_refused(good, ramdisk(7'400'000), "", "ramdisk: does not fit");
  check_refused(good, NamedFile{"ramdisk", {}}, "", "is empty");
  check_refused(good, ramdisk(7'000'000), "mem=4M", "ramdisk: does not fit");
  check_refused(good, {}, std::string(256, 'x'), "at most 255", ExitCode::bad_configuration);
  CHECK_NOTHROW(prepare_linux_boot(good, ramdisk(7'000'000), std::string(255, 'x'), end_8mb));
}

TEST_CASE("A kernel that has run is not restarted by a warm start", "[linux]") {
  LinuxBench bench("model56sx");
  bench.load(kernel(restarter), {}, "");
  const auto seen = [&] { return bench.screen().find("has been overwritten since") != std::string::npos; };
  for (int n = 0; n < 300 && !seen(); ++n) bench.run(20_ms);
  CHECK_THAT(bench.screen(), Contains("has been overwritten since"));
  bench.run(3'000_ms);
  CHECK_THAT(bench.screen(), Contains("drive A"));
}

TEST_CASE("A snapshot contains the loader's ROM and the kernel that it will start", "[linux]") {
  LinuxBench first("model95");
  first.load(kernel(reporter), {}, "once");
  first.run(100_ms);
  REQUIRE(first.com1.empty());
  Archive saved = Archive::saver();
  first.lab().archive(saved);

  LinuxBench second("model95");
  Archive loaded = Archive::loader(saved.stream());
  second.lab().archive(loaded);
  loaded.expect_end();
  REQUIRE(first.halt());
  REQUIRE(second.halt());
  CHECK(second.com1 == "+onceK");
  CHECK(first.lab().state_hash() == second.lab().state_hash());
}
