// SPDX-License-Identifier: GPL-2.0-or-later
// Layout: "PLANARSN" | format version (4 bytes, little-endian) | SHA-256 of the stream as hex (64) | its length (8) |
// the stream, compressed with Zstandard.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "core/common/little_endian.hpp"
#include "core/host/host_files.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

namespace {
constexpr char magic[] = "PLANARSN";
constexpr std::uint32_t format_version = 2;
constexpr std::size_t header_bytes = 8 + 4 + 64 + 8;
constexpr std::uint64_t largest = std::uint64_t{1} << 31;  // file size
constexpr std::uint64_t longest_configuration = 1 << 20;

void put(std::vector<std::uint8_t>& out, std::uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
}

/// A compressed stream, decompressed piece by piece.
class Decompressor {
 public:
  explicit Decompressor(std::span<const std::uint8_t> compressed)
      : context_(ZSTD_createDCtx()), input_{compressed.data(), compressed.size(), 0} {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, largest_window_log);
  }
  /// Extends `stream` to `length` bytes if the compressed data suffices. Returns false if it is damaged or ends
  /// earlier.
  bool take(std::vector<std::uint8_t>& stream, std::uint64_t length) {
    while (stream.size() < length) {
      const std::size_t had = stream.size();
      stream.resize(had + std::min<std::uint64_t>(piece_bytes, length - had));
      ZSTD_outBuffer output{stream.data() + had, stream.size() - had, 0};
      left_ = ZSTD_decompressStream(context_.get(), &output, &input_);
      stream.resize(had + output.pos);
      if (ZSTD_isError(left_) || (output.pos == 0 && input_.pos == input_.size)) return false;
    }
    return true;
  }
  /// Whether nothing follows the data taken.
  bool at_end() {
    std::uint8_t more = 0;
    ZSTD_outBuffer output{&more, 1, 0};
    if (left_ != 0) left_ = ZSTD_decompressStream(context_.get(), &output, &input_);
    return left_ == 0 && output.pos == 0 && input_.pos == input_.size;
  }

 private:
  static constexpr std::size_t piece_bytes = 1 << 20;
  static constexpr int largest_window_log = 24;  // planar's own files have 21
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  ZSTD_inBuffer input_;
  std::size_t left_ = 1;  // the value returned by ZSTD_decompressStream; 0: the frame has ended
};

void archive_heading(Archive& a) { a.section("planar snapshot", 2); }

/// The configuration in the snapshot that begins with `stream`.
std::string configuration_of(const std::vector<std::uint8_t>& stream) {
  Archive a = Archive::loader(stream);
  archive_heading(a);
  std::string configuration;
  a(configuration);
  return configuration;
}

/// The maximum size in bytes of a sound snapshot of this lab.
std::uint64_t largest_state(const std::string& configuration) {
  constexpr std::uint64_t everything_else = 32 << 20;  // per machine: video memory, adapters, queues, COM1 output
  constexpr std::uint64_t changed_sector = storage::sector_bytes + 4;
  std::uint64_t bytes = everything_else;
  for (const MachineConfig& machine : parse_lab(configuration, "snapshot").read()) {
    bytes += machine.memory_bytes + everything_else;
    const auto add = [&](const storage::DiskSpec& disk, const storage::ImageKind& kind) {
      bytes += storage::DiskImage::open(storage::restored(disk), kind).sectors() * changed_sector;
    };
    for (const auto& floppy : machine.floppies)
      if (floppy) add(*floppy, storage::disk_kind);
    for (const DriveConfig& drive : machine.drives)
      if (drive.kind == storage::DriveKind::disk) add(drive.disk, storage::disk_kind);
  }
  return bytes;
}

}  // namespace

void Snapshot::archive(Archive& a) {
  archive_heading(a);
  a(configuration, diskettes, frontend, state);
}

void write_snapshot(const std::filesystem::path& file, Snapshot& snapshot) {
  Archive a = Archive::saver();
  snapshot.archive(a);
  const auto& stream = a.stream();
  std::vector<std::uint8_t> out(magic, magic + 8);
  put(out, format_version, 4);
  const auto digest = sha256_hex(stream);
  out.insert(out.end(), digest.begin(), digest.end());
  put(out, stream.size(), 8);
  const auto begin = out.size();
  out.resize(begin + ZSTD_compressBound(stream.size()));
  const auto size = ZSTD_compress(out.data() + begin, out.size() - begin, stream.data(), stream.size(), 3);
  if (ZSTD_isError(size))
    throw Error(fmt::format("{}: cannot compress the snapshot: {}", file.string(), ZSTD_getErrorName(size)));
  out.resize(begin + size);
  replace_file(file, out);
}

Snapshot read_snapshot(const std::filesystem::path& file) {
  const std::string remedy = "; create a new one with --snapshot-at";
  const std::string content = read_host_file(file, largest, "cannot be read; check its name and permissions",
                                             "is too large for a planar snapshot" + remedy);
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  const auto refuse = [&](const std::string& problem) {
    throw Error(fmt::format("{}: {}{}", file.string(), problem, remedy), ExitCode::missing_file);
  };
  if (bytes.size() < header_bytes || std::memcmp(bytes.data(), magic, 8) != 0) refuse("is not a planar snapshot");
  if (const auto format = load_little<std::uint32_t>(bytes.data() + 8); format != format_version)
    refuse(fmt::format("is a snapshot of format {}, and this planar reads format {}", format, format_version));
  const std::string digest(content, 12, 64);
  const auto length = load_little<std::uint64_t>(bytes.data() + 76);
  Decompressor source(bytes.subspan(header_bytes));
  // The configuration comes first. It limits the size of a sound state before memory is allocated for it.
  std::vector<std::uint8_t> stream;
  if (!source.take(stream, std::min<std::uint64_t>(length, longest_configuration))) refuse("is damaged or truncated");
  const std::uint64_t most = largest_state(configuration_of(stream));
  if (length > most)
    refuse(fmt::format("is damaged: it claims {} bytes, and the machines in it fill {} at most", length, most));
  if (!source.take(stream, length) || !source.at_end() || sha256_hex(stream) != digest)
    refuse("is damaged or truncated");
  Archive a = Archive::loader(std::move(stream));
  Snapshot snapshot;
  snapshot.file = file.string();
  snapshot.archive(a);
  a.expect_end();
  return snapshot;
}

}  // namespace planar
