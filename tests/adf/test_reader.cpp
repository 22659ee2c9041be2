// SPDX-License-Identifier: GPL-2.0-or-later
// The contents that the reader extracts from a description, including deviations from the grammar found in real files.
#include "adf/reader/embedded.hpp"
#include "adf/reader/print.hpp"
#include "adf/reader/reader.hpp"
#include "tests/adf/corpus.hpp"
#include "tests/catch.hpp"

using namespace planar::adf;

namespace {
const std::string head = "AdapterId 01234h AdapterName \"Test\" NumBytes 4\n";

bool warned(const Adapter& adapter, const std::string& words) {
  for (const Warning& warning : adapter.warnings)
    if (warning.text.find(words) != std::string::npos) return true;
  return false;
}
}  // namespace

TEST_CASE("the built-in NE/2 description has the address decoding that its drivers use", "[adf][reader]") {
  const Adapter ne2 = find_adf(0x7154);
  CHECK(ne2.id == 0x7154);
  CHECK(ne2.num_bytes == 1);
  CHECK(ne2.warnings.empty());
  CHECK(ne2.source == "built-in @7154.ADF");
  REQUIRE(ne2.items.size() == 3);

  const Item& io = ne2.items[0];
  const std::uint32_t bases[7] = {0x1000, 0x2020, 0x8020, 0xA0A0, 0xB0B0, 0xC0C0, 0xC3D0};
  REQUIRE(io.choices.size() == 7);
  for (unsigned n = 0; n < 7; ++n) {
    CHECK(io.choices[n].pos.bytes[0] == PosBits{0x0E, static_cast<std::uint8_t>((n + 1) << 1)});
    REQUIRE(io.choices[n].resources.size() == 1);
    CHECK(io.choices[n].resources[0] == Resource{ResourceKind::io, bases[n], bases[n] + 47});
  }
  const Item& interrupt = ne2.items[1];
  const std::uint32_t levels[4] = {3, 4, 5, 9};
  REQUIRE(interrupt.choices.size() == 4);
  for (unsigned n = 0; n < 4; ++n) {
    CHECK(interrupt.choices[n].pos.bytes[0] == PosBits{0x60, static_cast<std::uint8_t>(n << 5)});
    REQUIRE(interrupt.choices[n].resources.size() == 1);
    CHECK(interrupt.choices[n].resources[0] == Resource{ResourceKind::interrupt, levels[n], levels[n]});
  }
  REQUIRE(ne2.items[2].choices.size() == 1);
  CHECK(ne2.items[2].choices[0].pos.bytes[0] == PosBits{0x10, 0x10});  // boot ROM off
}

TEST_CASE("every built-in description is valid and is listed under its own ID", "[adf][reader]") {
  REQUIRE(!embedded_adfs().empty());
  for (const EmbeddedAdf& one : embedded_adfs()) {
    const Adapter adapter = parse_adf(one.text, one.file_name);
    CHECK(adapter.id == one.id);
    CHECK(adapter.warnings.empty());
    CHECK(embedded_adf(one.id)->text == one.text);
  }
  CHECK(!embedded_adf(0xFFFE));
}

TEST_CASE("fixed resources, both spellings, and ranges whose start lacks the h suffix", "[adf][reader]") {
  const Adapter sound = parse_adf(corpus::sound(), "@5085.ADF");
  CHECK(sound.fixed.pos.bytes[0] == PosBits{0xFE, 0x00});
  REQUIRE(sound.fixed.resources.size() == 1);
  CHECK(sound.fixed.resources[0] == Resource{ResourceKind::io, 0x388, 0x389});
  CHECK(sound.items[0].choices[0].resources[0] == Resource{ResourceKind::io, 0x220, 0x22F});
  CHECK(sound.items[3].choices[1].resources.empty());
  CHECK(sound.warnings.empty());

  const Adapter async = parse_adf(corpus::dual_async(), "@eeff.adf");
  CHECK(async.fixed.where.line == 4);
  REQUIRE(async.items.size() == 2);
  REQUIRE(async.items[0].choices[1].resources.size() == 2);
  CHECK(async.items[0].choices[1].resources[0] == Resource{ResourceKind::io, 0x2F8, 0x2FF});
  CHECK(async.items[0].choices[1].resources[1] == Resource{ResourceKind::interrupt, 3, 3});
}

TEST_CASE("interrupt level 2 means the line of level 9", "[adf][reader]") {
  const Adapter sound = parse_adf(corpus::sound(), "sound");
  CHECK(sound.items[1].choices[2].resources[0] == Resource{ResourceKind::interrupt, 9, 9});
}

TEST_CASE("keywords in any letter case, comments, tabs, CRLF and the DOS end-of-file mark are accepted",
          "[adf][reader]") {
  const std::string text =
      "\t; a comment after blanks\r\n  aDaPtErId\t4660\r\nADAPTERNAME \"Keeps; Its "
      "CASE\"\r\nnumbytes 2 ; trailing\r\n"
      "nameditem\r\n;prompt \"not this\"\r\nPROMPT \"p\"\r\nCHOICE \"c\" Pos [ 1 ] = 0000111xB IO "
      "10h-1Fh , 20h-2Fh "
      "INT 3 4, 5\r\n\x1A nothing of this is read \x00\x01 \"";
  const Adapter adapter = parse_adf(text, "x");
  CHECK(adapter.id == 0x1234);
  CHECK(adapter.name == "Keeps; Its CASE");
  REQUIRE(adapter.items.size() == 1);
  CHECK(adapter.items[0].prompt == "p");
  const Choice& choice = adapter.items[0].choices[0];
  CHECK(choice.pos.bytes[1] == PosBits{0xFE, 0x0E});
  CHECK(choice.resources.size() == 5);
  CHECK(adapter.warnings.empty());
}

TEST_CASE("help texts may span lines and are joined into one", "[adf][reader]") {
  const Adapter scsi = parse_adf(corpus::scsi(), "@8EFF.ADF");
  CHECK(scsi.items[3].help == "Where the ROM of the adapter appears.");
  CHECK(scsi.fixed.resources[0] == Resource{ResourceKind::interrupt, 14, 14});
  CHECK(scsi.items[3].choices[1].resources[0] == Resource{ResourceKind::memory, 0xC8000, 0xCFFFF});
}

TEST_CASE("header options are kept and displayed but have no effect", "[adf][reader]") {
  const Adapter display = parse_adf(corpus::aperture(), "x");
  REQUIRE(display.system_memory);
  CHECK(display.system_memory->granularity == 4096);
  CHECK(*display.system_memory->address_size == 65536);
  REQUIRE(display.options.size() == 2);
  CHECK(display.options[0].keyword == "InitProg");
  CHECK(display.options[0].operands == std::vector<std::string>{"12"});
  CHECK(to_text(display).find("AddressWidth 32") != std::string::npos);
}

TEST_CASE("unknown words are skipped with a warning up to the next keyword", "[adf][reader]") {
  const Adapter adapter = parse_adf(head +
                                        "ResourceGroup 12 \"x\" [3]\nNamedItem Prompt \"p\"\n"
                                        " Chioce \"lost\"\n Choice \"c\" pos[0]=XXXXXX1Xb Exec 1 2 io 10h-1Fh\n",
                                    "x");
  REQUIRE(adapter.items.size() == 1);
  REQUIRE(adapter.items[0].choices.size() == 1);
  CHECK(adapter.items[0].choices[0].resources.size() == 1);
  CHECK(warned(adapter, "unknown keyword ResourceGroup"));
  CHECK(warned(adapter, "unknown keyword Chioce (did you mean Choice?)"));
  CHECK(warned(adapter, "Exec calls a program"));
}

TEST_CASE("an Input item is skipped as a whole", "[adf][reader]") {
  const Adapter adapter = parse_adf(head +
                                        "Input Prompt \"number\" pos[0]=XXXXXX1Xb Help \"h\"\n"
                                        "NamedItem Prompt \"p\" Choice \"c\" pos[1]=XXXXXXX1b\n",
                                    "x");
  REQUIRE(adapter.items.size() == 1);
  CHECK(adapter.items[0].prompt == "p");
  CHECK(warned(adapter, "Input item"));
}

TEST_CASE("harmless irregularities only cause warnings", "[adf][reader]") {
  const auto warns = [](const std::string& body, const std::string& words) {
    return warned(parse_adf(head + body, "x"), words);
  };
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" pos[0]=XXXXXXX1b", "bit 0 of pos[0]"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" pos[3]=1XXXXXXXb", "bit 7 of pos[3]"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" pos[0]=XXXXX00Xb Choice \"b\" pos[0]=XXXXX0XXb", "overlap"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" pos[0]=XXXXX00X", "lacks the b"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" io 100-200", "is read as decimal"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" io 1A0-1AF", "is read as hexadecimal"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" io 1A0h", "single address"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" int 3 3", "claimed twice"));
  CHECK(warns("NamedItem Prompt \"two\nlines\" Choice \"a\" int 3", "quotation mark missing"));
  CHECK(warns("NamedItem Prompt \"p\" Choice \"a\" int 3 Choice \"A\" int 3", "the second is ignored"));
  CHECK(warns("NamedItem Prompt \"p\" pos[0]=XXXXX00Xb", "precedes the first Choice"));
  CHECK(warns("Prompt \"p\" Choice \"a\" int 3", "Prompt without NamedItem"));
  CHECK(warns("Help \"lonely\"", "a Help outside an item is ignored"));
  CHECK(warned(parse_adf("AdapterId 1 NumBytes 6", "x"), "there is no AdapterName"));
  CHECK(warned(parse_adf("AdapterId 1 NumBytes 6", "x"), "subaddress"));
}

TEST_CASE("the printed description lists items, choices, POS bits and claims", "[adf][print]") {
  const std::string text = to_text(find_adf(0x7154));
  CHECK(text.find("Novell NE/2 Ethernet Adapter\n  ID 7154h, 1 POS byte (POS 2), from built-in "
                  "@7154.ADF") == 0);
  CHECK(text.find("  1000h - 102Fh  pos[0]=XXXX001Xb  I/O 1000h-102Fh\n") != std::string::npos);
  CHECK(text.find("  Level 9  pos[0]=X11XXXXXb  IRQ 9\n") != std::string::npos);
  CHECK(text.find("  Disabled  pos[0]=XXX1XXXXb\n") != std::string::npos);
}
