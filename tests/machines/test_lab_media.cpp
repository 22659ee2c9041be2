// SPDX-License-Identifier: GPL-2.0-or-later
// A lab with several media: what can be attached to which, what is refused, and the guest's netio across a bridge.
#include "devices/medium/ring/ring.hpp"
#include "devices/stations/bridge/source_route_bridge.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "roms/images.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;
using Catch::Matchers::Contains;

namespace {

const std::string two_segments =
    "[net]\nattach = \"peer\"\nmedium = \"office\"\n"
    "[medium.office]\nrate = \"100 Mbit/s\"\n"
    "[medium.floor]\n"
    "[bridge.between]\nmedia = [\"floor\", \"office\"]\n"
    "[[machine]]\nname = \"client\"\nmodel = \"model95\"\n"
    "[machine.slot.1]\ncard = \"ne2\"\nmedium = \"floor\"\n"
    "[machine.slot.2]\ncard = \"oc2335\"\nmedium = \"office\"\n";

/// The guest's image with its settings sector requesting one short row.
Bytes short_netio() {
  Bytes image(roms::guest().begin(), roms::guest().end());
  const std::string settings =
      "planar-settings 1\ndo=netio\nseconds=0.2\nsizes=8192\nip=192.168.10.2\npeer=192.168.10.1\nseed=1\n";
  std::fill_n(image.begin() + 512, 512, std::uint8_t{0});
  std::copy(settings.begin(), settings.end(), image.begin() + 512);
  return image;
}

/// A lab whose first machine boots the guest, and the guest's output.
struct Running {
  explicit Running(const std::string& toml, const MediumFactory& make = make_medium)
      : lab(parse_lab(toml, "lab.toml"), make) {
    lab.insert_diskette(short_netio(), "guest");
    lab.machine().serial().on_output([&](std::uint8_t byte, Time) { text += static_cast<char>(byte); });
  }
  void run_until(const char* words) {
    const Time limit = lab.scheduler().now() + 60_s;
    while (text.find(words) == std::string::npos && lab.scheduler().now() < limit)
      lab.scheduler().run_until(lab.scheduler().now() + 10_ms);
    INFO(text);
    REQUIRE(text.find(words) != std::string::npos);
  }
  const net::Bridge& bridge() { return dynamic_cast<const net::Bridge&>(*lab.stations().at(1)); }

  Lab lab;
  std::string text;
};

std::string refusal(const std::string& toml) {
  try {
    Lab lab(parse_lab(toml, "lab.toml"));
    return {};
  } catch (const Error& e) { return e.what(); }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("each adapter is on the medium that its slot names, and the resolved lab is equivalent") {
  Lab lab(parse_lab(two_segments, "lab.toml"));
  REQUIRE(lab.media().size() == 2);
  CHECK(lab.medium(0).name() == "floor");
  CHECK(lab.medium(0).bits_per_second() == 10'000'000);
  CHECK(lab.medium(1).name() == "office");
  CHECK(lab.medium(1).bits_per_second() == 100'000'000);
  const auto ports = [&](std::size_t n) {
    std::string names;
    for (const net::Port* port : lab.medium(n).ports()) names += port->name() + " ";
    return names;
  };
  CHECK(ports(0) == "client.slot1.ne2.port between.floor ");
  CHECK(ports(1) == "client.slot2.oc2335 peer.port between.office ");
  CHECK(lab.media_of(0) == lab.media());
  CHECK_THAT(lab.summary(), Contains("slot 1: Novell NE/2") && Contains(", on floor\n") && Contains(", on office\n") &&
                                Contains("floor: 10 Mbit/s, half duplex\n") &&
                                Contains("between: a bridge between floor, office\n") &&
                                Contains("net peer; seed 1 on office\n"));
  const std::string resolved = lab.configuration();
  Lab again(parse_lab(resolved, "resolved.toml"));
  CHECK(again.configuration() == resolved);
  CHECK(again.state_hash() == lab.state_hash());
}

TEST_CASE("a lab's media, plugs and bridges are checked, with position and remedy") {
  CHECK(refusal(two_segments).empty());
  CHECK_THAT(refusal(replaced(two_segments, "\"ne2\"\nmedium = \"floor\"", "\"ne2\"")),
             Contains("slot.1.card") && Contains("does not say what it is plugged into") &&
                 Contains("slot.1.medium with one of floor, office"));
  CHECK_THAT(refusal(replaced(two_segments, "\"ne2\"\nmedium = \"floor\"", "\"ne2\"\nmedium = \"attic\"")),
             Contains("lab.toml:14") && Contains("there is no medium 'attic'; the lab has floor, office"));
  CHECK_THAT(refusal(replaced(two_segments, "\"ne2\"\nmedium = \"floor\"", "\"ne2\"\nmedium = \"office\"")),
             Contains("'ne2' works on 10 Mbit/s Ethernet, but medium 'office' is 100 Mbit/s Ethernet"));
  CHECK_THAT(refusal(replaced(two_segments, "medium = \"office\"\n[medium", "[medium")),
             Contains("net.attach") && Contains("write net.medium with one of floor, office"));
  CHECK_THAT(refusal(replaced(two_segments, "attach = \"peer\"", "attach = \"none\"")),
             Contains("net.medium") && Contains("leave it out"));
  CHECK_THAT(refusal(replaced(two_segments, "[net]\n", "[net]\nrate = \"10 Mbit/s\"\n")),
             Contains("net.rate") && Contains("write it into the table of the medium"));
  CHECK_THAT(refusal(replaced(two_segments, "[\"floor\", \"office\"]", "[\"floor\"]")),
             Contains("bridge.between.media") && Contains("expects two media or more"));
  CHECK_THAT(refusal(replaced(two_segments, "[\"floor\", \"office\"]", "[\"floor\", \"hall\"]")),
             Contains("there is no medium 'hall'"));
  CHECK_THAT(refusal(replaced(two_segments, "[bridge.between]",
                              "[bridge.again]\nmedia = [\"office\", \"floor\"]\n[bridge.between]")),
             Contains("closes a loop") && Contains("take one out"));
  CHECK_THAT(refusal(replaced(two_segments, "media = [", "ageing = \"5 s\"\nmedia = [")),
             Contains("bridge.between.ageing") && Contains("10 s to 1000000 s"));
  CHECK_THAT(refusal(replaced(two_segments, "[medium.floor]", "[medium.floor]\nkind = \"string\"")),
             Contains("medium.floor.kind") && Contains("ethernet"));
}

TEST_CASE(
    "the guest's netio reaches the other segment through the bridge; the run is reproducible and can be restored") {
  Running first(two_segments), second(two_segments);
  for (Running* r : {&first, &second}) r->run_until("@netio start");
  Archive saver = Archive::saver();
  second.lab.archive(saver);
  Running third(second.lab.configuration());
  Archive loader = Archive::loader(saver.stream());
  third.lab.archive(loader);
  loader.expect_end();
  for (Running* r : {&first, &third}) r->run_until("@done 0");
  CHECK(first.lab.scheduler().now() == third.lab.scheduler().now());
  CHECK(first.lab.state_hash() == third.lab.state_hash());
  const auto& crossed = first.bridge().counters();
  CHECK(first.lab.machine().adapter(1)->counters().sent > 60);
  CHECK(crossed.received >= first.lab.machine().adapter(1)->counters().sent);
  CHECK(crossed.flooded <= 2);  // the first ARP request
  CHECK(crossed.forwarded == crossed.received - crossed.flooded);
  CHECK(crossed.dropped == 0);
}

TEST_CASE("a lab's ring: its settings, and the guest's netio through a switch to a station") {
  std::string ring = replaced(two_segments, "rate = \"100 Mbit/s\"", "kind = \"token-ring\"\nlobe_metres = 50");
  ring = replaced(ring, "[bridge.between]", "[switch.between]");
  ring = replaced(ring, "[machine.slot.2]\ncard = \"oc2335\"\nmedium = \"office\"\n", "");
  ring = replaced(ring, "[medium.floor]", "[medium.floor]\nduplex = \"full\"");
  ring = replaced(ring, "card = \"ne2\"", "card = \"etherstreamer\"");
  CHECK_THAT(refusal(replaced(ring, "lobe_metres = 50", "rate = \"10 Mbit/s\"")),
             Contains("medium.office.rate") && Contains("a ring works at 4 or 16 Mbit/s"));
  CHECK_THAT(refusal(replaced(ring, "lobe_metres = 50", "rate = \"4 Mbit/s\"\nduplex = \"full\"")),
             Contains("medium.office.duplex") && Contains("16 Mbit/s only"));
  CHECK_THAT(refusal(replaced(ring, "[medium.floor]", "[medium.floor]\nlobe_metres = 3")),
             Contains("medium.floor.lobe_metres"));
  CHECK_THAT(
      refusal(replaced(ring, "card = \"etherstreamer\"\nmedium = \"floor\"", "card = \"ne2\"\nmedium = \"office\"")),
      Contains("medium 'office' is Token Ring"));

  Running first(ring);
  CHECK(dynamic_cast<const net::Ring&>(first.lab.medium(1)).config().lobe_metres == 50);
  CHECK_THAT(first.lab.summary(), Contains("office: Token Ring, 16 Mbit/s, half duplex\n") &&
                                      Contains("between: a switch between floor, office\n"));
  first.run_until("@netio start");
  Archive saver = Archive::saver();
  first.lab.archive(saver);
  Running second(first.lab.configuration());
  Archive loader = Archive::loader(saver.stream());
  second.lab.archive(loader);
  loader.expect_end();
  for (Running* r : {&first, &second}) r->run_until("@done 0");
  CHECK(first.lab.state_hash() == second.lab.state_hash());
  CHECK(first.bridge().counters().dropped == 0);
  CHECK(first.lab.medium(1).counts().at(0).value > 60);
}

TEST_CASE("a Token Ring adapter gets a dedicated full-duplex ring unless net.duplex says otherwise") {
  const auto lab_with = [](const char* duplex, const char* card = "tr16-4a-1994") {
    Config c = load_machine("model9595");
    c.set("slot.1.card", card, "--card");
    c.set("net.attach", "peer", "--net");
    if (duplex) c.set("net.duplex", duplex, "--duplex");
    return Lab(std::move(c));
  };
  CHECK_THAT(lab_with(nullptr).summary(), Contains("ring: Token Ring, 16 Mbit/s, full duplex\n"));
  CHECK_THAT(lab_with("full", "autolanstreamer").summary(), Contains("ring: Token Ring, 16 Mbit/s, full duplex\n"));
  CHECK_THROWS_WITH(lab_with("full"),
                    Contains("net.duplex") && Contains("'tr16-4a-1994' in slot 1 cannot send and receive at once"));
  const std::string half = lab_with("half").configuration();
  Lab again(parse_lab(half, "resolved"));
  CHECK(again.configuration() == half);
  CHECK_THAT(again.summary(),
             Contains("ring: Token Ring, 16 Mbit/s, half duplex\n") && Contains("uplink: 100 Mbit/s, full duplex\n"));
  CHECK_THROWS_WITH(lab_with("both"), Contains("net.duplex"));
}

TEST_CASE("a full-duplex Ethernet refuses a half-duplex card, wherever it is configured") {
  const auto with = [](const std::string& text) {
    Config user;
    user.add_text("machine = \"model95\"\n" + text, "test");
    return Lab(load_machine(std::move(user), "test"));
  };
  CHECK_THROWS_WITH(with("[slot.2]\ncard = \"ne2\"\n[net]\nduplex = \"full\"\n"),
                    Contains("net.duplex") && Contains("'ne2' in slot 2 cannot send and receive at once"));
  const std::string medium = "[medium.floor]\nduplex = \"full\"\n[net]\nmedium = \"floor\"\n";
  CHECK_THROWS_WITH(with("[slot.1]\ncard = \"3c523\"\nmedium = \"floor\"\n" + medium),
                    Contains("medium.floor.duplex") && Contains("'3c523' in slot 1"));
  CHECK_THAT(with("[slot.1]\ncard = \"etherstreamer\"\nmedium = \"floor\"\n" + medium).configuration(),
             Contains("duplex = \"full\""));
  CHECK_NOTHROW(with("[slot.1]\ncard = \"etherstreamer\"\n[net]\nduplex = \"full\"\n"));
}

namespace {

const std::string two_rings =
    "[net]\nattach = \"peer\"\nmedium = \"far\"\n"
    "[medium.floor]\n"
    "[medium.far]\nkind = \"token-ring\"\nring_number = 11\n"
    "[medium.near]\nkind = \"token-ring\"\nrate = \"4 Mbit/s\"\nring_number = 10\n"
    "[switch.between]\nmedia = [\"floor\", \"near\"]\n"
    "[bridge.rings]\nkind = \"source-route\"\nmedia = [\"near\", \"far\"]\nnumber = 3\n"
    "[[machine]]\nname = \"client\"\nmodel = \"model95\"\n"
    "[machine.slot.1]\ncard = \"ne2\"\nmedium = \"floor\"\n";

}  // namespace

TEST_CASE("source-routing bridges may close a loop, but need different numbers and no transparent bridge in it") {
  const std::string parallel =
      replaced(two_rings, "[[machine]]",
               "[bridge.second]\nkind = \"source-route\"\nmedia = [\"far\", \"near\"]\nnumber = 4\n[[machine]]");
  CHECK_THAT(refusal(replaced(parallel, "number = 4", "number = 3")),
             Contains("bridge.second.number") && Contains("bridge.rings"));
  CHECK_THAT(refusal(replaced(parallel, "[switch.between]\nmedia = [\"floor\", \"near\"]",
                              "[switch.between]\nmedia = [\"floor\", \"near\", \"far\"]")),
             Contains("switch.between.media") && Contains("closes a loop"));
  CHECK(refusal(parallel).empty());
}

TEST_CASE("two rings with a source-routing bridge: the guest's netio finds the route") {
  const std::string& lab = two_rings;
  CHECK_THAT(refusal(replaced(lab, "ring_number = 11", "ring_number = 10")),
             Contains("bridge.rings.media") && Contains("medium.far.ring_number"));
  CHECK_THAT(refusal(replaced(lab, "[\"near\", \"far\"]", "[\"near\", \"floor\"]")),
             Contains("bridge.rings.media") && Contains("joins rings"));
  Running run(lab);
  CHECK_THAT(run.lab.summary(), Contains("rings: a source-routing bridge between near, far\n"));
  const std::string resolved = run.lab.configuration();
  CHECK(Lab(parse_lab(resolved, "resolved.toml")).configuration() == resolved);
  run.run_until("@done 0");
  const auto& bridge = dynamic_cast<const net::SourceRouteBridge&>(*run.lab.stations().at(2));
  CHECK(bridge.counters().explored >= 1);
  CHECK(bridge.counters().routed > 60);
  CHECK(bridge.counters().dropped + bridge.counters().too_long == 0);
}

TEST_CASE("the guest's netio reaches a station on a medium unknown to planar") {
  const std::string toml =
      replaced(replaced(two_segments, "[machine.slot.2]\ncard = \"oc2335\"\nmedium = \"office\"\n", ""),
               "rate = \"100 Mbit/s\"\n", "");
  Running run(toml, [](Scheduler& scheduler, const MediumConfig& config) -> std::unique_ptr<net::Medium> {
    if (config.name == "office") return std::make_unique<ToyLine>(config.name);
    return make_medium(scheduler, config);
  });
  run.run_until("@done 0");
  CHECK(run.lab.medium(1).counts().at(0).value > 60);
  CHECK(run.bridge().counters().dropped == 0);
}
