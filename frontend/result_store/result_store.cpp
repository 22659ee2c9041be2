// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/result_store/result_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "core/state/sha256.hpp"

namespace planar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".json";
constexpr std::size_t key_digits = 64;
constexpr std::uint64_t largest_entry = 64 << 20;
/// No process takes this long to write one entry.
constexpr auto longest_writing = std::chrono::hours(1);

bool begins_with_key(const std::string& name) {
  return name.size() >= key_digits + extension.size() && name.find_first_not_of("0123456789abcdef") == key_digits &&
         name.compare(key_digits, extension.size(), extension) == 0;
}

/// Applies `change` to the count in the cache's file `hits`, under a lock, and returns the result; 0 if the file cannot
/// be used.
std::uint64_t with_hits(const fs::path& file, const std::function<std::uint64_t(std::uint64_t)>& change) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return 0;
  std::uint64_t hits = 0;
  if (::flock(descriptor, LOCK_EX) == 0) {
    char text[24] = {};
    const ssize_t n = ::pread(descriptor, text, sizeof text, 0);
    std::from_chars(text, text + std::max<ssize_t>(n, 0), hits);
    hits = change(hits);
    const auto now = fmt::format("{:020}\n", hits);  // fixed length, so that no digits of an older count remain
    if (::pwrite(descriptor, now.data(), now.size(), 0) < 0) hits = 0;
  }
  ::close(descriptor);
  return hits;
}

}  // namespace

std::string result_key(const RunIdentity& identity) {
  return sha256_hex(
      nlohmann::ordered_json{"planar.cell/1", identity.program_sha256, identity.arguments, identity.machine_sha256}
          .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

fs::path user_cache_folder() {
  const auto named = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return value ? fs::path(value) : fs::path();
  };
  if (!named("PLANAR_NO_CACHE").empty()) return {};
  auto base = named("XDG_CACHE_HOME");
  if (!base.is_absolute()) base = named("HOME").is_absolute() ? named("HOME") / ".cache" : fs::path();
  return base.empty() ? base : base / "planar" / "results";
}

ResultStore::ResultStore(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

fs::path ResultStore::file_of(const RunIdentity& identity) const {
  return folder_ / (result_key(identity) + std::string(extension));
}

std::optional<KeptRun> ResultStore::take(const RunIdentity& identity, const Schemas& schemas) const {
  const auto file = file_of(identity);
  std::error_code absent;
  if (!fs::is_regular_file(file, absent)) return std::nullopt;
  try {
    auto run = read_kept_run(read_host_file(file, largest_entry, "", ""), identity, schemas).run;
    if (run && run->result) {
      ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
      return run;
    }
  } catch (const Error&) {}  // unreadable: the run is repeated and the entry replaced
  return std::nullopt;
}

std::string ResultStore::keep(const KeptRun& run, const RunIdentity& identity) const {
  if (!run.result || !run.result->value("repeatable", false)) return {};
  try {
    make_folder(folder_);
    replace_file(file_of(identity), kept_run_text(run, identity));
  } catch (const std::exception& e) { return e.what(); }  // also from the JSON: a file name may be invalid UTF-8
  return {};
}

void ResultStore::drop(const RunIdentity& identity) const {
  std::error_code gone;
  fs::remove(file_of(identity), gone);
}

void ResultStore::add_hits(std::uint64_t hits) const {
  if (hits) with_hits(folder_ / "hits", [&](std::uint64_t before) { return before + hits; });
}

ResultStore::Files ResultStore::files() const {
  Files files;
  std::error_code problem;
  for (fs::directory_iterator at(folder_, problem), end; !problem && at != end; at.increment(problem)) {
    const auto name = at->path().filename().string();
    if (!begins_with_key(name)) continue;
    std::error_code gone;  // another process may have removed it meanwhile
    Entry entry{at->path(), at->file_size(gone), {}};
    if (!gone) entry.used = at->last_write_time(gone);
    if (gone) continue;
    (name.size() == key_digits + extension.size() ? files.entries : files.unfinished).push_back(std::move(entry));
  }
  return files;
}

void ResultStore::trim() const {
  std::error_code gone;
  const auto now = fs::file_time_type::clock::now();
  auto [list, unfinished] = files();
  for (const Entry& entry : unfinished)
    if (now - entry.used > longest_writing) fs::remove(entry.file, gone);
  std::uint64_t bytes = 0;
  for (const Entry& entry : list) bytes += entry.bytes;
  std::sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : list) {
    if (bytes <= limit_) return;
    fs::remove(entry.file, gone);
    bytes -= entry.bytes;
  }
}

std::size_t ResultStore::clear() const {
  std::error_code gone;
  std::size_t removed = 0;
  const auto [entries, unfinished] = files();
  for (const Entry& entry : entries) removed += fs::remove(entry.file, gone) ? 1 : 0;
  for (const Entry& entry : unfinished) fs::remove(entry.file, gone);
  if (fs::exists(folder_ / "hits", gone)) with_hits(folder_ / "hits", [](std::uint64_t) { return 0; });
  return removed;
}

ResultStore::Usage ResultStore::usage() const {
  Usage usage;
  for (const Entry& entry : files().entries) {
    ++usage.entries;
    usage.bytes += entry.bytes;
  }
  std::error_code absent;
  if (fs::exists(folder_ / "hits", absent))
    usage.hits = with_hits(folder_ / "hits", [](std::uint64_t hits) { return hits; });
  return usage;
}

}  // namespace planar
