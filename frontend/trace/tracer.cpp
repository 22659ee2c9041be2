// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/trace/tracer.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/common/edit_distance.hpp"
#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/guest/guest_image.hpp"

namespace planar {

namespace {

/// Instructions and calls are followed from this long before the first line, so that those then in progress are
/// complete.
constexpr Time lead = 1_ms;

std::shared_ptr<std::FILE> trace_output(const TraceOptions& options) {
  if (!options.categories) return nullptr;
  if (!options.file) return {stderr, std::fflush};
  return open_output(*options.file, "--trace-file");
}

/// All names that the device of a line can have, apart from the levels between them.
std::vector<std::string> device_names(Lab& lab) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < lab.machines(); ++n) {
    const std::string prefix = lab.name(n).empty() ? "" : lab.name(n) + ".";
    for (const auto& device : lab.machine(n).devices()) names.push_back(prefix + device);
    for (const char* other : {"planar", "video", "nobody"}) names.push_back(prefix + other);
  }
  for (net::Medium* medium : lab.media()) {
    names.push_back(medium->name());
    const Description described = medium->describe();
    for (const Description& port : described.parts()) names.push_back(port.name());
  }
  for (const char* station : {"peer", "host"}) names.emplace_back(station);
  return names;
}

/// The name of `name` within the machine called `label` ("" for all its devices); nothing if it is not a device of that
/// machine.
std::optional<std::string> within(const std::string& label, const std::string& name) {
  if (label.empty()) return name;
  if (name == label) return "";
  if (name.starts_with(label + ".")) return name.substr(label.size() + 1);
  return std::nullopt;
}

}  // namespace

Tracer::Tracer(Lab& lab, const TraceOptions& options)
    : lab_(lab),
      opens_(lab.scheduler(), "trace.opens", Priority::observer, Callback::to<&Tracer::open>(this)),
      closes_(lab.scheduler(), "trace.closes", Priority::observer, Callback::to<&Tracer::close>(this)) {
  const TraceFilter filter = options.filter();
  const TraceMask categories = options.categories ? parse_trace_categories(*options.categories) : 0;
  const bool several = lab.machines() > 1;
  for (std::size_t n = 0; n < lab.machines(); ++n) {
    const auto table = settings_of(lab.diskette_image(n)).empty() ? CallTable::linux : CallTable::own_guest;
    machines_.push_back(std::make_unique<Traced>(lab.machine(n), lab.trace(n), table));
    machines_[n]->categories = categories;
  }
  choose_devices(filter);
  from_ = filter.from;
  to_ = filter.to;
  file_ = trace_output(options);
  file_name_ = options.file.value_or("standard error");
  for (std::size_t n = 0; n < lab.machines(); ++n)
    lab.trace(n).set_sink([this, n, name = several ? lab.name(n) + ": " : ""](std::string_view line) {
      if (!machines_[n]->gate.pass()) return;
      if (n == 0 && listener_) listener_(line);
      if (!file_) return;
      std::fwrite(name.data(), 1, name.size(), file_.get());
      std::fwrite(line.data(), 1, line.size(), file_.get());
      std::fputc('\n', file_.get());
    });
  moved();
}

Tracer::~Tracer() {
  for (auto& traced : machines_) {
    follow(*traced, false);
    traced->trace.set_sink({});
  }
}

// A machine's trace lines name its devices without the machine's name. The first machine's trace also contains the
// lines of media and stations, which have full names.
void Tracer::choose_devices(TraceFilter filter) {
  const std::vector<std::string> chosen = std::move(filter.devices);
  const auto known = device_names(lab_);
  for (const auto& name : chosen) {
    bool found = false;
    for (std::size_t n = 0; n < lab_.machines(); ++n) found = found || (!name.empty() && name == lab_.name(n));
    for (const auto& device : known) found = found || names_device(name, device);
    if (found) continue;
    std::vector<std::string> parts = known;
    for (const auto& device : known)
      if (const auto dot = device.rfind('.'); dot != std::string::npos) parts.push_back(device.substr(dot + 1));
    const auto guess = nearest(name, parts);
    throw Error(fmt::format("--trace-device {}: there is no such device; {}", name,
                            guess.empty() ? fmt::format("the devices are {}", fmt::join(known, ", "))
                                          : fmt::format("did you mean '{}'?", guess)));
  }
  const auto of_one_machine = [&](const std::string& name) {
    for (std::size_t n = 0; n < lab_.machines(); ++n)
      if (within(lab_.name(n), name)) return true;
    return false;
  };
  for (std::size_t n = 0; n < lab_.machines(); ++n) {
    filter.devices.clear();
    bool whole = chosen.empty(), any = whole;
    for (const auto& name : chosen) {
      const auto own = within(lab_.name(n), name);
      whole = whole || own == "";
      any = any || own || n == 0 || !of_one_machine(name);
      filter.devices.push_back(own.value_or(name));
      if (n == 0) filter.devices.push_back(name);
    }
    // Of the lines of media and stations, only those of this machine's own adapters.
    if (whole && n == 0 && !chosen.empty())
      for (const auto& device : lab_.machine(n).devices()) filter.devices.push_back(device);
    else if (whole)
      filter.devices.clear();
    if (!any) machines_[n]->categories = 0;
    lab_.trace(n).set_filter(filter);
  }
}

void Tracer::moved() {
  const Time now = lab_.scheduler().now(), first = std::max(from_ - lead, Time{});
  for (auto& traced : machines_) {
    traced->instructions.forget();
    traced->calls.forget();
  }
  if (!chosen()) return;
  opens_.cancel();
  closes_.cancel();
  if (now < first) {
    close(now);
    opens_.at(first);
  } else if (now < to_) {
    open(now);
  } else {
    close(now);
  }
  if (to_ != Time::never() && now < to_) closes_.at(to_);
}

void Tracer::open(Time) {
  for (auto& traced : machines_) {
    traced->trace.set_categories(traced->categories);
    follow(*traced, true);
  }
}

void Tracer::close(Time) {
  for (auto& traced : machines_) {
    traced->trace.set_categories(0);
    follow(*traced, false);
  }
}

void Tracer::follow(Traced& traced, bool on) {
  if (traced.following == on) return;
  traced.following = on;
  const auto change = [&](TraceCategory c, cpu::Observer& observer) {
    if (!(traced.categories & trace_bit(c))) return;
    if (on)
      traced.machine.cpu().add_observer(observer);
    else
      traced.machine.cpu().remove_observer(observer);
  };
  change(TraceCategory::cpu, traced.instructions);
  change(TraceCategory::syscall, traced.calls);
}

bool Tracer::failed() const { return file_ && std::ferror(file_.get()); }
bool Tracer::flush() { return !file_ || (std::fflush(file_.get()) == 0 && !std::ferror(file_.get())); }

}  // namespace planar
