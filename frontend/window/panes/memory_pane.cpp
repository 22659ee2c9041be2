// SPDX-License-Identifier: GPL-2.0-or-later
// Memory as bytes and text, physical or through the page tables, with a search.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/window/panes/memory_search.hpp"
#include "frontend/window/panes/pane.hpp"
#include "frontend/window/panes/widgets.hpp"

namespace planar {

namespace {

constexpr std::uint32_t most_in_row = 16, least_in_row = 4;

class MemoryPane final : public Pane {
 public:
  std::string_view name() const override { return "memory"; }
  const char* title() const override { return "Memory"; }
  const char* help() const override { return "physical or linear memory, with search"; }

  void draw(const Inspection& look) override {
    controls(look);
    rows(look.machine);
  }

 private:
  static std::optional<std::uint32_t> hexadecimal(const char* text) {
    const std::string digits = text;
    if (digits.empty() || digits.size() > 8 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return {};
    return static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
  }

  void controls(const Inspection& look) {
    const float digit = ImGui::GetFontSize() * 0.6F;
    ImGui::SetNextItemWidth(10 * digit);
    if (ImGui::InputText("##address", address_.data(), address_.size(),
                         ImGuiInputTextFlags_CharsHexadecimal | ImGuiInputTextFlags_EnterReturnsTrue))
      if (const auto at = hexadecimal(address_.data())) go(*at);
    widgets::next_in_line(8, "[ ] linear");
    ImGui::Checkbox("linear", &linear_);
    widgets::next_in_line(8, "DE AD or \"text\"  Find");
    ImGui::SetNextItemWidth(16 * digit);
    const bool entered = ImGui::InputTextWithHint("##search", "DE AD or \"text\"", search_.data(), search_.size(),
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    if (ImGui::Button("Find") || entered) find(look.machine);
    if (!said_.empty()) widgets::coloured(widgets::quiet, said_);
  }

  void go(std::uint32_t at) {
    base_ = at & ~(most_in_row - 1);
    marked_ = at;
    marked_bytes_ = 1;
  }

  // Searches physical memory once around, beginning after the last match.
  void find(const Machine& machine) {
    const auto pattern = parse_pattern(search_.data());
    if (!pattern) {
      said_ = "write bytes in hexadecimal, or text in double quotes";
      return;
    }
    const std::uint32_t end = std::max(machine.memory_end(), 0x100000u);
    const std::uint32_t from = marked_bytes_ > 0 ? marked_ + 1 : base_;
    auto at = find_pattern(machine.memory(), *pattern, from, end, machine.now());
    // Up to a match that begins before `from`: the last one again, if there is no other.
    const auto wrapped = std::min<std::uint64_t>(from + pattern->size() - 1, end);
    if (!at) at = find_pattern(machine.memory(), *pattern, 0, static_cast<std::uint32_t>(wrapped), machine.now());
    if (!at) {
      said_ = "not found";
      return;
    }
    linear_ = false;
    go(*at);
    marked_bytes_ = static_cast<std::uint32_t>(pattern->size());
    said_ = fmt::format("found at {:08X}", *at);
  }

  /// Bytes per row: a power of two, as many as fit beside the address and the text.
  static std::uint32_t row_size() {
    std::uint32_t bytes = most_in_row;
    const int room = widgets::characters_that_fit();
    const auto length = [](std::uint32_t n) { return static_cast<int>(8 + 2 + 3 * n + 1 + 1 + n); };  // as rows() draws
    while (bytes > least_in_row && length(bytes) > room) bytes /= 2;
    return bytes;
  }

  void rows(const Machine& machine) {
    const std::uint32_t row_bytes = row_size();
    const float line_height = ImGui::GetTextLineHeightWithSpacing();
    const int count = std::max(4, static_cast<int>(ImGui::GetContentRegionAvail().y / line_height));
    if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows))
      base_ -= static_cast<std::uint32_t>(static_cast<std::int32_t>(ImGui::GetIO().MouseWheel) * 3) * row_bytes;
    for (int row = 0; row < std::min(count, 128); ++row) {
      const std::uint32_t at = base_ + static_cast<std::uint32_t>(row) * row_bytes;
      std::string bytes, characters;
      bool marked = false;
      for (std::uint32_t n = 0; n < row_bytes; ++n) {
        const auto value = linear_ ? machine.cpu().peek_linear(at + n) : std::optional(machine.peek_memory(at + n));
        bytes += value ? fmt::format("{:02X}{}", *value, n == 7 ? "  " : " ") : "-- ";
        characters += value && *value >= 0x20 && *value < 0x7F ? static_cast<char>(*value) : '.';
        marked = marked || (marked_bytes_ > 0 && at + n - marked_ < marked_bytes_);
      }
      widgets::coloured(marked ? widgets::accent : widgets::quiet, fmt::format("{:08X}", at));
      ImGui::SameLine(0, widgets::px(10.0F));
      widgets::coloured(marked ? widgets::accent : ImGui::GetColorU32(ImGuiCol_Text), bytes);
      ImGui::SameLine(0, widgets::px(6.0F));
      widgets::coloured(widgets::good, characters);
    }
  }

  std::uint32_t base_ = 0;
  std::uint32_t marked_ = 0, marked_bytes_ = 0;
  bool linear_ = false;
  std::array<char, 9> address_{'0', '0', '0', '0', '0', '0', '0', '0'};
  std::array<char, 64> search_{};
  std::string said_;
};

}  // namespace

std::unique_ptr<Pane> make_memory_pane() { return std::make_unique<MemoryPane>(); }

}  // namespace planar
