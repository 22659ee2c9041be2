// SPDX-License-Identifier: GPL-2.0-or-later
// Where the panes are: in tabs beside and below the machine's picture, or floating above it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/window/content/rect.hpp"
#include "frontend/window/panes/pane.hpp"

namespace planar {

/// Upper and lower place share the height of a side; if only one is used, it has the whole side.
enum class Place : std::uint8_t { closed, left, left_below, right, right_below, bottom, floating };
inline constexpr std::string_view place_names[] = {"closed",      "left",   "left-below", "right",
                                                   "right-below", "bottom", "float"};

class Dock {
 public:
  Dock();
  Dock(const Dock&) = delete;

  /// Opens the panes listed in --panes: "cpu,wire=bottom". Throws Error naming the available panes or places.
  void open(const std::string& list);

  std::size_t panes() const { return panes_.size(); }
  const Pane& pane(std::size_t n) const { return *panes_[n].pane; }
  Place place(std::size_t n) const { return panes_[n].place; }
  bool shows(std::string_view pane) const;
  void put(std::size_t n, Place place);
  /// Opens pane `n` where it was last, or closes it.
  void toggle(std::size_t n);
  void close_all();
  /// The text with which open() opens the same panes.
  std::string layout() const;
  /// Shares of the area for left, right and bottom, and of the upper part on the left and on the right.
  const std::array<float, 5>& shares() const { return shares_; }
  void set_shares(const std::array<float, 5>& shares) { shares_ = shares; }

  /// Draws the panes within `area`; returns the rest, for the picture. Borders and tabs can be dragged with the mouse.
  Rect draw(const Rect& area, const Inspection& look);

 private:
  struct Entry {
    std::unique_ptr<Pane> pane;
    Place place = Place::closed;
    Place home = Place::right;  ///< where it opens next
    bool front = false;         ///< its tab is to be brought to the front
    bool shown = false;         ///< its tab is the visible one
  };
  bool used(Place place) const;
  void tabs(Place place, const Rect& rect, const Inspection& look);
  void floating(Entry& entry, const Rect& area, const Inspection& look);
  void place_menu(Entry& entry);
  void drag(const Entry& entry);
  void drop(const Rect& area);
  void column(Place upper, Place lower, const Rect& rect, float& share, const Inspection& look);
  static void border(const char* name, const Rect& rect, bool vertical, float& share, int whole, bool from_end);

  std::vector<Entry> panes_;
  std::optional<std::size_t> dragged_;                          // the pane whose tab is being moved
  std::array<float, 5> shares_{0.3F, 0.33F, 0.3F, 0.5F, 0.5F};  // as in shares()
  float &left_ = shares_[0], &right_ = shares_[1], &bottom_ = shares_[2];
  float &left_split_ = shares_[3], &right_split_ = shares_[4];
};

}  // namespace planar
