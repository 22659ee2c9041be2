// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/panes/buffer_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace planar {

namespace {

std::optional<std::uint64_t> value(const Description& d, std::string_view name) {
  const Field* f = d.find_field(name);
  if (!f || f->kind == Field::Kind::text) return {};
  return f->value;
}

/// DP8390: pages of 256 bytes from the transmit page to the end of the receive ring.
void packet_pages(const Description& chip, std::vector<BufferBar>& bars) {
  const Description* ring = chip.find_part("receive ring");
  if (!ring) return;
  const auto start = value(*ring, "PSTART"), stop = value(*ring, "PSTOP"), boundary = value(*ring, "BNRY"),
             current = value(*ring, "CURR");
  if (!start || !stop || !boundary || !current || *start >= *stop) return;
  BufferBar bar;
  bar.title = "packet memory, pages of 256 bytes";
  bar.first = *start;
  bar.end = *stop;
  bar.cells = true;
  const auto inside = [&](std::uint64_t page) { return page >= *start && page < *stop; };
  // The driver keeps BNRY one page behind the next page to read.
  const std::uint64_t unread = *boundary + 1 >= *stop ? *start : *boundary + 1;
  if (inside(*boundary) && inside(*current) && unread != *current) {
    if (unread < *current) {
      bar.fills.push_back({unread, *current});
    } else {
      bar.fills.push_back({unread, *stop});
      bar.fills.push_back({*start, *current});
    }
  }
  bar.marks = {{"BNRY", *boundary}, {"CURR", *current}};
  if (const Description* transmit = chip.find_part("transmitter")) {
    const auto page = value(*transmit, "TPSR"), bytes = value(*transmit, "TBCR");
    if (page && bytes && *page != 0 && *page < *start) {
      bar.first = *page;
      if (value(*transmit, "sending").value_or(0)) bar.fills.push_back({*page, *page + (*bytes + 255) / 256});
      bar.marks.push_back({"TPSR", *page});
    }
  }
  if (const Description* remote = chip.find_part("remote DMA"))
    if (const auto address = value(*remote, "RSAR"), left = value(*remote, "RBCR"); address && left && *left)
      bar.marks.push_back({"RSAR", *address >> 8});
  bars.push_back(std::move(bar));
}

/// LANCE: descriptors, and the one that the chip polls.
void descriptor_rings(const Description& chip, std::vector<BufferBar>& bars) {
  for (const Description& part : chip.parts()) {
    const auto count = value(part, "descriptors"), current = value(part, "current");
    if (!count || !current || *count == 0) continue;
    BufferBar bar;
    bar.title = fmt::format("{}, {} descriptors", part.name(), *count);
    bar.end = *count;
    bar.cells = true;
    bar.marks = {{"current", *current}};
    bars.push_back(std::move(bar));
  }
}

/// SONIC: the receive resource area, with the resources that the driver has added and the chip has not yet taken.
void resource_area(const Description& chip, std::vector<BufferBar>& bars) {
  const auto start = value(chip, "RSA"), end = value(chip, "REA"), read = value(chip, "RRP"),
             write = value(chip, "RWP");
  if (!start || !end || !read || !write || *start >= *end) return;
  BufferBar bar;
  bar.title = "receive resource area";
  bar.first = *start;
  bar.end = *end;
  if (*read < *write) {
    bar.fills.push_back({*read, *write});
  } else if (*read > *write) {  // equal: the chip has taken the last one (RBE)
    bar.fills.push_back({*read, *end});
    bar.fills.push_back({*start, *write});
  }
  bar.marks = {{"RRP", *read}, {"RWP", *write}};
  bars.push_back(std::move(bar));
}

/// A level: the field `value` out of the field `of`, or the unused part.
struct Gauge {
  std::string_view value, of;
  std::uint64_t capacity;  ///< if no field gives it
  bool free;               ///< `value` is the unused part
  const char* title;
};
constexpr Gauge gauges[] = {
    {"TX Free", "", 2040, true, "TX FIFO, bytes"},
    {"RX Free", "", 2040, true, "RX FIFO, bytes"},
    {"buffers free", "buffers", 0, true, "receive buffers"},
    {"bytes moved", "bytes", 0, false, "bus master transfer, bytes"},
    {"bytes fetched", "frame bytes", 0, false, "frame to send, bytes fetched"},
    {"fetched", "frame at the port, bytes", 0, false, "frame at the port, bytes fetched"},
    {"next fetched", "next frame, bytes", 0, false, "next frame, bytes fetched"},
};

void levels(const Description& part, std::vector<BufferBar>& bars) {
  for (const Gauge& g : gauges) {
    const auto level = value(part, g.value);
    const std::uint64_t of = g.capacity ? g.capacity : value(part, g.of).value_or(0);
    if (!level || of == 0) continue;
    const std::uint64_t used = std::min(g.free ? of - std::min(*level, of) : *level, of);
    BufferBar bar;
    bar.title = fmt::format("{}: {} of {}", g.title, used, of);
    bar.end = of;
    if (used) bar.fills.push_back({0, used});
    bars.push_back(std::move(bar));
  }
}

/// TMS380: transmitter and receiver share the local RAM's buffers.
void shared_buffers(const Description& chip, std::vector<BufferBar>& bars) {
  const auto of = value(chip, "frame buffers");
  if (!of || *of == 0) return;
  for (const char* name : {"transmitter", "receiver"})
    if (const Description* part = chip.find_part(name))
      if (const auto used = value(*part, "buffers used")) {
        BufferBar bar;
        bar.title = fmt::format("local RAM, buffers of the {}: {} of {}", name, *used, *of);
        bar.end = *of;
        bar.cells = true;
        if (*used) bar.fills.push_back({0, std::min(*used, *of)});
        bars.push_back(std::move(bar));
      }
}

void collect(const Description& d, std::vector<BufferBar>& bars) {
  packet_pages(d, bars);
  descriptor_rings(d, bars);
  resource_area(d, bars);
  shared_buffers(d, bars);
  levels(d, bars);
  for (const Description& part : d.parts()) collect(part, bars);
}

}  // namespace

std::vector<BufferBar> buffer_bars(const Description& device) {
  std::vector<BufferBar> bars;
  collect(device, bars);
  return bars;
}

}  // namespace planar
