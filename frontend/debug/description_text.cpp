// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/debug/description_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace planar {

namespace {

constexpr Time time_of(const Field& field) { return {static_cast<std::int64_t>(field.value)}; }

std::string seconds(Time t) {
  if (t == Time::never()) return "never";
  constexpr std::int64_t second = (1_s).ps;
  return fmt::format("{}.{:012} s", t.ps / second, t.ps % second);
}

std::string value_text(const Field& field) {
  switch (field.kind) {
    case Field::Kind::reg: return fmt::format("{:0{}X}h", field.value, (field.bits + 3) / 4);
    case Field::Kind::number: return fmt::format("{}", field.value);
    case Field::Kind::flag: return field.value ? "yes" : "no";
    case Field::Kind::time: return seconds(time_of(field));
    case Field::Kind::text: return field.text;
  }
  return {};
}

nlohmann::ordered_json value_json(const Field& field) {
  switch (field.kind) {
    case Field::Kind::reg:
    case Field::Kind::number: return field.value;
    case Field::Kind::flag: return field.value != 0;
    case Field::Kind::time:
      if (time_of(field) == Time::never()) return nullptr;
      return time_of(field).ps;
    case Field::Kind::text: return field.text;
  }
  return {};
}

void append_text(std::string& out, const Description& d, std::size_t indent) {
  out += fmt::format("{:{}}{}\n", "", indent, d.name());
  indent += 2;
  std::size_t width = 0;
  for (const Field& field : d.fields()) width = std::max(width, field.name.size());
  for (const Field& field : d.fields()) {
    const auto value = value_text(field);
    out += value.empty() ? fmt::format("{:{}}{}\n", "", indent, field.name)
                         : fmt::format("{:{}}{:<{}}  {}\n", "", indent, field.name, width, value);
  }
  for (const Description& part : d.parts()) append_text(out, part, indent);
}

}  // namespace

std::string to_text(const Description& description) {
  std::string out;
  append_text(out, description, 0);
  return out;
}

nlohmann::ordered_json to_json(const Description& description) {
  nlohmann::ordered_json j{{"name", description.name()}};
  for (const Field& field : description.fields()) j["fields"][field.name] = value_json(field);
  for (const Description& part : description.parts()) j["parts"].push_back(to_json(part));
  return j;
}

}  // namespace planar
