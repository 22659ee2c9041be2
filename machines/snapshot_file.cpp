// SPDX-License-Identifier: GPL-2.0-or-later
// Layout: "PLANARSN" | format version (4 bytes, little-endian) | SHA-256 of the stream as hex (64) | its length (8) |
// the stream, compressed with Zstandard.
#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "machines/lab.hpp"

namespace planar {

namespace {
constexpr char magic[] = "PLANARSN";
constexpr std::uint32_t format_version = 1;
constexpr std::size_t header_bytes = 8 + 4 + 64 + 8;
constexpr std::uint64_t largest = std::uint64_t{1} << 31;

std::uint64_t little(const std::uint8_t* p, int bytes) {
  std::uint64_t v = 0;
  for (int i = bytes; i-- > 0;) v = v << 8 | p[i];
  return v;
}
void put(std::vector<std::uint8_t>& out, std::uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
}
}  // namespace

void Snapshot::archive(Archive& a) {
  a.section("planar snapshot", 2);
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
  std::ofstream stream_out(file, std::ios::binary | std::ios::trunc);
  stream_out.write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(out.size()));
  stream_out.close();
  if (!stream_out)
    throw Error(
        fmt::format("{}: cannot be written; check the directory, its permissions and the free space", file.string()),
        ExitCode::missing_file);
}

Snapshot read_snapshot(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw Error(fmt::format("{}: cannot be read; check its name and permissions", file.string()),
                ExitCode::missing_file);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  const auto refuse = [&](const std::string& problem) {
    throw Error(fmt::format("{}: {}; create a new one with --snapshot-at", file.string(), problem),
                ExitCode::missing_file);
  };
  if (bytes.size() < header_bytes || std::memcmp(bytes.data(), magic, 8) != 0) refuse("is not a planar snapshot");
  if (little(bytes.data() + 8, 4) != format_version) refuse("was written by another version of planar");
  const std::string digest(bytes.begin() + 12, bytes.begin() + 76);
  const auto length = little(bytes.data() + 76, 8);
  if (length > largest) refuse("is damaged (impossible length)");
  std::vector<std::uint8_t> stream(length);
  const auto size =
      ZSTD_decompress(stream.data(), stream.size(), bytes.data() + header_bytes, bytes.size() - header_bytes);
  if (ZSTD_isError(size) || size != length || sha256_hex(stream) != digest) refuse("is damaged or truncated");
  Archive a = Archive::loader(std::move(stream));
  Snapshot snapshot;
  snapshot.archive(a);
  a.expect_end();
  return snapshot;
}

}  // namespace planar
