// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/compare_timelines.hpp"

#include <algorithm>
#include <set>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/output/output.hpp"
#include "frontend/timeline_analysis/frame_picture.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

/// By then even the slowest pair has sent the frames that a timeline waits for.
constexpr const char* seconds_of_a_timeline = "1";

std::filesystem::path timeline_file(const std::filesystem::path& folder, const Cell& cell) {
  return folder / (cell.file_name() + ".timeline.json");
}

/// One cell for each machine and card, to be run with --timeline.
std::vector<Cell> timeline_cells(const std::vector<CellOutcome>& outcomes, const std::filesystem::path& folder) {
  std::vector<Cell> cells;
  std::set<std::string> seen;
  for (const CellOutcome& outcome : outcomes) {
    Cell cell = outcome.cell;
    cell.seed.reset();
    cell.placement.reset();
    if (!outcome.result || !seen.insert(cell.key()).second) continue;
    const auto file = timeline_file(folder, cell).string();
    cell.settings.insert(cell.settings.end(), {"--timeline", file, "--timeline-frame", "data"});
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

std::map<std::pair<std::string, MediumKind>, std::string> compare_timelines(const std::vector<CellOutcome>& outcomes,
                                                                            const MatrixOptions& options,
                                                                            const std::filesystem::path& folder) {
  make_folder(folder);
  MatrixOptions matrix = options;
  const auto sizes = options.benchmark->sizes(options.sizes);
  matrix.sizes = std::to_string(*std::max_element(sizes.begin(), sizes.end()));
  matrix.seconds = seconds_of_a_timeline;
  matrix.converge.clear();
  matrix.folder.clear();
  std::map<std::pair<std::string, MediumKind>, std::vector<FrameWay>> ways;
  for (const CellOutcome& outcome : run_matrix(timeline_cells(outcomes, folder), matrix)) {
    const AdapterEntry& card = find_adapter(outcome.cell.card);
    try {
      if (!outcome.result) throw Error(outcome.problem);
      const std::string title =
          std::string(card.title) + (outcome.cell.options.empty() ? "" : ", " + outcome.cell.options);
      ways[{outcome.cell.machine, card.medium}].push_back(
          FrameWay::read(timeline_file(folder, outcome.cell).string(), title));
    } catch (const Error& e) {
      say("planar: warning: no timeline of {} in {}: {}\n", outcome.cell.card_option(), outcome.cell.machine, e.what());
    }
  }
  std::map<std::pair<std::string, MediumKind>, std::string> pictures;
  for (const auto& [where, list] : ways)
    pictures[where] = svg_frame_ways("The path of one data frame in a steady stream", list);
  return pictures;
}

}  // namespace planar
