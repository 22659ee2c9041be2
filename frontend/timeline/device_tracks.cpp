// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/device_tracks.hpp"

#include <utility>

namespace planar {

DeviceTracks::DeviceTracks(TraceEventFile& file, unsigned process, std::string name, Describe describe)
    : file_(file), process_(process), name_(std::move(name)), describe_(std::move(describe)) {}

void DeviceTracks::sample(Time now) {
  Description d(name_);
  describe_(d);
  look(d, name_, now);
}

void DeviceTracks::look(const Description& d, const std::string& path, Time now) {
  for (const Field& field : d.fields()) {
    if (!field.moving) continue;
    const std::string name = path + ": " + field.name;
    const auto [at, is_new] = followed_.try_emplace(name, Followed{now, field.text, field.value, false});
    Followed& followed = at->second;
    if (is_new || (followed.text == field.text && followed.value == field.value)) continue;
    if (field.kind == Field::Kind::text) {
      finish(name, followed, now);
    } else {
      if (!followed.changed) file_.counter(process_, name, followed.since, followed.value);
      file_.counter(process_, name, now, field.value);
    }
    followed = {now, field.text, field.value, true};
  }
  for (const Description& part : d.parts()) look(part, path + ", " + part.name(), now);
}

void DeviceTracks::finish(const std::string& name, Followed& followed, Time now) {
  const bool drawn = !followed.text.empty() && followed.text != "idle" && followed.text != "none";
  if (drawn && now > followed.since)
    file_.slice(file_.track(process_, name), followed.text, "activity", followed.since, now);
}

void DeviceTracks::close(Time now) {
  for (auto& [name, followed] : followed_)
    if (followed.changed) finish(name, followed, now);
  followed_.clear();
}

}  // namespace planar
