// SPDX-License-Identifier: GPL-2.0-or-later
// `planar timeline`: the buses of a Micro Channel machine and of a PC while each of them receives a frame.
#include "frontend/timeline_analysis/bus_view.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {

const std::string receive =
    " --test udp_stream --receive --sizes 1472 --seconds 0.1 --quiet --timeline-frame 40 --timeline ";

const BusView::Lane& lane(const BusView& view, const std::string& name) {
  const auto found = std::find_if(view.lanes.begin(), view.lanes.end(), [&](const auto& l) { return l.name == name; });
  REQUIRE(found != view.lanes.end());
  return *found;
}

}  // namespace

TEST_CASE("planar timeline shows the same frame on Micro Channel and PCI, one above the other", "[timeline]") {
  const Scratch scratch;
  const auto mca = scratch.file("mca.timeline.json"), pci = scratch.file("pci.timeline.json");
  REQUIRE(run_planar("netperf --machine model95 --card 3c527" + receive + mca).status == 0);
  REQUIRE(run_planar("netperf --machine pc-p166 --card 3c905b" + receive + pci).status == 0);

  const BusView channel = BusView::read(mca, "a", {}), bus = BusView::read(pci, "b", {});
  for (const BusView* view : {&channel, &bus}) {
    CHECK(view->bytes == 1518);
    CHECK(view->received);
    CHECK(view->until >= view->to);
    CHECK(view->lanes.front().name == "wire");
    for (const auto& each : view->lanes)
      for (const auto& span : each.spans) {
        CHECK(span.to > view->from);
        CHECK(span.from < view->until);
      }
  }
  CHECK(channel.to - channel.from > 1230_us);
  CHECK(bus.to - bus.from < 200_us);
  // The whole frame goes to memory within its time, with descriptors and the 3C527's report of it.
  const auto mca_card = channel.use(lane(channel, "channel: slot1.3c527"));
  const auto pci_card = bus.use(lane(bus, "pci: slot1.3c905b"));
  CHECK(mca_card.bytes >= 1514);
  CHECK(mca_card.bytes < 1514 + 256);
  CHECK(pci_card.bytes >= 1514);
  CHECK(pci_card.bytes < 1514 + 64);
  CHECK(mca_card.count > 20);  // bursts of 64 bytes
  CHECK(mca_card.time > 4 * pci_card.time);
  CHECK(bus.use(lane(bus, "isa: processor")).count > 0);  // the interrupt controller's

  const auto svg = scratch.file("bus.svg");
  const auto said = run_planar("timeline " + mca + " " + pci + " --name A --name 'B & C' --title Both --svg " + svg);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("A: frame ") && Contains("B & C: pci: slot1.3c905b: "));
  const auto picture = read_file(svg);
  CHECK(picture.starts_with("<svg"));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK_THAT(picture, Contains("B &amp; C") && Contains("pci: slot1.3c905b") && Contains("channel: processor"));
  const auto zoomed = scratch.file("zoom.svg");
  REQUIRE(run_planar("timeline " + pci + " --zoom '4 us' --svg " + zoomed).status == 0);
  CHECK(read_file(zoomed).size() < picture.size());
  CHECK_THAT(read_file(zoomed), Contains("shortly before a transfer"));

  CHECK(run_planar("timeline " + pci + " --frame 99999").status == 3);
  CHECK(run_planar("timeline " + pci + " --zoom soon").status == 2);
  CHECK(run_planar("timeline " + pci + " --view frame --zoom '4 us'").status == 2);
  CHECK_THAT(run_planar("timeline " + scratch.write("x.json", "{}")).err, Contains("x.json"));
}

TEST_CASE("of two machines, the frames of the first one are sent, those of the other one received", "[timeline]") {
  const Scratch scratch;
  const auto file = scratch.file("two.timeline.json");
  const auto said = run_planar(
      "netio --machine model77 --card ne2 --against model77:ne2 --seconds 0.1 --sizes 1024 --quiet --timeline-frame 40 "
      "--timeline " +
      file);
  INFO(said.err);
  REQUIRE(said.status == 0);
  const BusView view = BusView::read(file, {}, {});
  CHECK_FALSE(view.received);
  std::size_t data = 0, acknowledgements = 0;
  for (const auto& span : lane(view, "wire").spans) {
    const bool sent = span.kind == "sent";
    CHECK(sent == (span.bytes > 100));
    (sent ? data : acknowledgements) += 1;
  }
  CHECK(data > 0);
  CHECK(acknowledgements > 0);
}
