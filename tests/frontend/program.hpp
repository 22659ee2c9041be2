// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the planar program as a user would, and keeps its output.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace program {

/// A directory of this test run's own, removed at its end.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "planar-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Said {
  int status;
  std::string out;
  std::string err;
  nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
};

/// `planar ARGUMENTS` through the shell, standard input empty, with no settings of the user who runs the tests and no
/// results of earlier runs. `environment`: as for env(1).
inline Said run_planar(const std::string& arguments, const std::string& environment = {}) {
  static const Scratch scratch;
  setenv("XDG_CONFIG_HOME", scratch.file("config").c_str(), 1);
  setenv("PLANAR_NO_CACHE", "1", 1);
  const auto out = scratch.file("out"), err = scratch.file("err");
  const auto command = (environment.empty() ? "" : "env " + environment + " ") + "'" + std::string(PLANAR_BINARY) +
                       "' " + arguments + " </dev/null >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, read_file(out), read_file(err)};
}

}  // namespace program
