// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/scenario/scenario_steps.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "core/common/edit_distance.hpp"
#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "frontend/scenario/keys.hpp"
#include "machines/config/units.hpp"

namespace planar {

namespace {

const std::vector<std::string> verbs = {"wait",   "type",   "press", "key",      "mouse", "grab",
                                        "insert", "eject",  "reset", "describe", "pull",  "plug",
                                        "remove", "repeat", "end",   "snapshot", "power", "pause"};
constexpr int most_motion = 10'000;  // of the mouse, in one step
constexpr std::size_t most_steps = 1'000'000;
constexpr Time tap = 40_ms;            // how long a pressed key is down
constexpr Time longest = 1'000'000_s;  // eleven days: keeps sums well within the range of Time
constexpr Time still_default = 3_s;    // longer than the diskette motor's run-on time (2 s)

struct Word {
  std::string text;
  bool quoted = false;
  std::size_t column = 0;  // from 0
};

/// The parser of one line, with its error reporting.
class Line {
 public:
  Line(std::string_view text, std::string place) : text_(text), place_(std::move(place)) { split(); }

  [[noreturn]] void fail(std::size_t column, const std::string& problem) const {
    throw Error(fmt::format("{}:{}: {}", place_, column + 1, problem));
  }
  bool empty() const { return words_.empty(); }
  bool at_end() const { return next_ == words_.size(); }
  /// True if the next word is this one and is not in quotes.
  bool is(std::string_view word) const { return !at_end() && !words_[next_].quoted && words_[next_].text == word; }
  bool at_number() const {
    return !at_end() && !words_[next_].quoted && std::isdigit(static_cast<unsigned char>(words_[next_].text[0]));
  }
  bool take(std::string_view word) {
    if (!is(word)) return false;
    ++next_;
    return true;
  }
  const Word& word(const std::string& expected) {
    if (at_end()) fail(text_.size(), fmt::format("{} is missing here", expected));
    return words_[next_++];
  }
  std::string quoted(const std::string& expected) {
    const Word& w = word(expected);
    if (!w.quoted) fail(w.column, fmt::format("'{}': {} must be in double quotes", w.text, expected));
    if (w.text.empty()) fail(w.column, fmt::format("{} is empty", expected));
    return w.text;
  }
  /// "90 s" or "90s", as one word or two.
  Time time(const std::string& expected) {
    const Word& first = word(expected);
    auto value = parse_time(first.text);
    if (!value && !at_end() && !words_[next_].quoted) value = parse_time(first.text + " " + words_[next_++].text);
    if (!value || value->ps <= 0)
      fail(first.column, fmt::format("'{}' is not a time; write for example 90 s or 500 ms", first.text));
    if (*value > longest) fail(first.column, fmt::format("a step may take at most {:.0f} s", longest.seconds()));
    return *value;
  }
  /// A repeat count.
  unsigned count() {
    const Word& w = word("a number");
    const auto n = parse_number(w.text);
    if (!n || *n < 1 || *n > most_steps)
      fail(w.column, fmt::format("'{}': expects how often, 1 to {}", w.text, most_steps));
    return static_cast<unsigned>(*n);
  }
  /// A distance of mouse movement, possibly negative.
  int motion() {
    const Word& w = word("a number");
    const bool back = w.text.starts_with('-');
    const auto n = parse_number(std::string_view(w.text).substr(back ? 1 : 0));
    if (!n || *n > most_motion)
      fail(w.column, fmt::format("'{}': expects how far, -{} to {}", w.text, most_motion, most_motion));
    return back ? -static_cast<int>(*n) : static_cast<int>(*n);
  }
  std::size_t column() const { return at_end() ? text_.size() : words_[next_].column; }
  std::size_t last_column() const { return next_ ? words_[next_ - 1].column : 0; }
  void end() const {
    if (!at_end())
      fail(words_[next_].column, fmt::format("'{}' is not expected here; write one step per line", words_[next_].text));
  }
  /// The line without its comment.
  std::string source() const {
    const auto begin = words_.front().column;
    return std::string(text_.substr(begin, end_ - begin));
  }

 private:
  void split() {
    std::size_t at = 0;
    while (true) {
      while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at]))) ++at;
      if (at == text_.size() || text_[at] == '#') return;
      Word w{{}, text_[at] == '"', at};
      at = w.quoted ? quotation(w, at + 1) : plain(w, at);
      words_.push_back(std::move(w));
      end_ = at;
    }
  }
  std::size_t plain(Word& w, std::size_t at) {
    while (at < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at])) && text_[at] != '"')
      w.text += text_[at++];
    return at;
  }
  std::size_t quotation(Word& w, std::size_t at) {
    for (; at < text_.size() && text_[at] != '"'; ++at) {
      if (text_[at] != '\\')
        w.text += text_[at];
      else
        at = escape(w, at + 1);
    }
    if (at == text_.size()) fail(w.column, "the text has no closing quote");
    return at + 1;
  }
  /// Returns the position of the last character.
  std::size_t escape(Word& w, std::size_t at) {
    switch (at < text_.size() ? text_[at] : '\0') {
      case 'n': w.text += '\n'; return at;
      case 'r': w.text += '\r'; return at;
      case 't': w.text += '\t'; return at;
      case 'b': w.text += '\b'; return at;
      case 'e': w.text += '\x1B'; return at;
      case '"':
      case '\\':
      case '\'': w.text += text_[at]; return at;
      case 'x':
        if (const auto code =
                at + 2 < text_.size() ? parse_number("0x" + std::string(text_.substr(at + 1, 2))) : std::nullopt) {
          w.text += static_cast<char>(*code);
          return at + 2;
        }
        [[fallthrough]];
      default:
        fail(at - 1,
             "a backslash must start one of \\n \\t \\b \\e \\\" \\\\ or \\xHH; a backslash itself is written \\\\");
    }
  }

  std::string_view text_;
  std::string place_;
  std::vector<Word> words_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

void check_typeable(const Line& line, const std::string& text, std::size_t column) {
  for (const char c : text)
    if (!key_for(c))
      line.fail(column,
                fmt::format("the US keyboard has no key for the character with code {:02X}h; use ASCII, \\n \\t "
                            "\\b \\e, or press for other keys",
                            static_cast<unsigned char>(c)));
}

/// True for a step that waits for the machine, and may therefore have a `within`.
bool read_wait(Line& line, Step& step) {
  if (line.take("screen"))
    step.kind = StepKind::wait_screen;
  else if (line.take("prompt"))
    step.kind = StepKind::wait_prompt;
  else if (line.take("serial"))
    step.kind = StepKind::wait_serial;
  else if (line.take("still")) {
    step.kind = StepKind::wait_still;
    step.time = line.at_end() || line.is("within") ? still_default : line.time("a time");
    return true;
  } else if (line.take("until")) {
    step.kind = StepKind::wait_until;
    step.time = line.time("a virtual time");
    return false;
  } else {
    if (!line.at_number())
      line.fail(line.column(),
                "wait for what? write screen \"TEXT\", prompt \"TEXT\", serial \"TEXT\", still, until TIME or a time "
                "such as 5 s");
    step.kind = StepKind::wait_time;
    step.time = line.time("a time");
    return false;
  }
  step.text = line.quoted("the text to wait for");
  return true;
}

void expect(Line& line, std::string_view word) {
  if (!line.take(word)) line.fail(line.column(), fmt::format("expects '{}' here", word));
}

void read_station(Line& line, Step& step) {
  step.kind = line.take("pull")   ? StepKind::pull_cable
              : line.take("plug") ? StepKind::plug_cable
                                  : StepKind::remove_station;
  if (step.kind == StepKind::remove_station) line.take("remove");
  expect(line, step.kind == StepKind::remove_station ? "station" : "cable");
  step.text = line.word("a station").text;
}

/// Keys pressed together: "ctrl-alt-del".
const Word& read_chord(Line& line, Step& step) {
  const Word& chord = line.word("a key");
  try {
    step.keys = parse_chord(chord.text);
  } catch (const Error& e) { line.fail(chord.column, e.what()); }
  return chord;
}

void read_key(Line& line, Step& step) {
  step.kind = StepKind::key;
  const Word& key = read_chord(line, step);
  if (step.keys.size() != 1) line.fail(key.column, "expects one key; press takes several");
  step.down = line.take("down");
  if (!step.down && !line.take("up")) line.fail(line.column(), "expects 'down' or 'up' here");
}

void read_mouse(Line& line, Step& step) {
  if (line.take("move")) {
    step.kind = StepKind::mouse_move;
    step.x = line.motion();
    step.y = line.motion();
    return;
  }
  if (!line.take("buttons")) line.fail(line.column(), "expects 'move' or 'buttons' here");
  step.kind = StepKind::mouse_buttons;
  if (line.take("none")) return;
  do {
    const unsigned bit = line.take("left") ? 1 : line.take("right") ? 2 : line.take("middle") ? 4 : 0;
    if (!bit) line.fail(line.column(), "expects left, right, middle or none here");
    step.buttons = static_cast<std::uint8_t>(step.buttons | bit);
  } while (!line.at_end());
}

unsigned read_diskette_drive(Line& line) {
  if (line.take("b")) return 1;
  line.take("a");
  return 0;
}

void read_insert(Line& line, Step& step) {
  if (line.take("station")) {
    step.kind = StepKind::insert_station;
    step.text = line.word("a station").text;
  } else if (line.take("cd")) {
    step.kind = StepKind::insert_cd;
    step.text = line.quoted("the image file");
  } else {
    if (!line.take("diskette"))
      line.fail(line.column(),
                "insert what? write diskette \"FILE\", diskette b \"FILE\", cd \"FILE\" or station STATION");
    step.kind = StepKind::insert_diskette;
    step.drive = read_diskette_drive(line);
    step.text = line.quoted("the image file");
  }
}

void read_eject(Line& line, Step& step) {
  if (line.take("cd")) {
    step.kind = StepKind::eject_cd;
    step.force = line.take("by");
    if (step.force) expect(line, "force");
  } else {
    if (!line.take("diskette")) line.fail(line.column(), "eject what? write diskette, diskette b, or cd");
    step.kind = StepKind::eject_diskette;
    step.drive = read_diskette_drive(line);
  }
}

Step read_step(Line& line) {
  Step step;
  bool bounded = false;
  if (line.take("wait")) {
    bounded = read_wait(line, step);
  } else if (line.take("type")) {
    step.kind = StepKind::type;
    step.text = line.quoted("the text to type");
    check_typeable(line, step.text, line.last_column());
    bounded = true;
  } else if (line.take("press")) {
    step.kind = StepKind::press;
    read_chord(line, step);
    step.time = line.take("for") ? line.time("how long the keys are held") : tap;
    bounded = true;
  } else if (line.take("grab")) {
    expect(line, "screen");
    step.kind = StepKind::grab_screen;
    if (!line.at_end()) step.text = line.quoted("the file");
  } else if (line.take("insert")) {
    read_insert(line, step);
  } else if (line.take("key")) {
    read_key(line, step);
  } else if (line.take("mouse")) {
    read_mouse(line, step);
  } else if (line.take("eject")) {
    read_eject(line, step);
  } else if (line.take("reset")) {
    step.kind = StepKind::reset;
  } else if (line.take("describe")) {
    step.kind = StepKind::describe;
    if (!line.at_end()) step.text = line.word("a device").text;
  } else if (line.is("pull") || line.is("plug") || line.is("remove")) {
    read_station(line, step);
  } else if (line.take("repeat")) {
    step.kind = StepKind::repeat;
    step.times = line.count();
    expect(line, "times");
  } else if (line.take("end")) {
    expect(line, "repeat");
    step.kind = StepKind::end_repeat;
  } else if (line.take("snapshot")) {
    step.kind = StepKind::snapshot;
    step.text = line.quoted("the file");
  } else if (line.take("power")) {
    expect(line, "off");
    step.kind = StepKind::power_off;
  } else if (line.take("pause")) {
    step.kind = StepKind::pause;
  } else {
    const Word& verb = line.word("a step");
    const auto guess = nearest(verb.text, verbs);
    line.fail(verb.column, fmt::format("there is no step '{}'{}", verb.text,
                                       guess.empty() ? "; steps are wait, type, press, key, mouse, grab screen, insert "
                                                       "diskette, eject diskette, insert cd, eject cd, reset, "
                                                       "describe, pull cable, plug cable, remove station, insert "
                                                       "station, repeat, snapshot, power off and pause"
                                                     : fmt::format("; did you mean '{}'?", guess)));
  }
  if (bounded && line.take("within")) step.limit = line.time("a time");
  line.end();
  step.source = line.source();
  return step;
}

}  // namespace

std::vector<Step> parse_steps(std::string_view text, const std::string& name, Time limit) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<Step> steps;
  for (unsigned number = 1; !text.empty(); ++number) {
    const auto newline = text.find('\n');
    const auto place = fmt::format("{}:{}", name, number);
    Line line(text.substr(0, newline), place);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.empty()) continue;
    Step step = read_step(line);
    if (step.limit == Time{}) step.limit = limit;
    step.origin = place;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Step> read_steps(const std::string& step_or_file, const std::string& origin, Time limit) {
  const auto first = step_or_file.substr(0, step_or_file.find_first_of(" \t\n"));
  bool is_step = first.size() != step_or_file.size();  // two words
  for (const auto& verb : verbs) is_step = is_step || first == verb;
  std::error_code unknown;  // a step may be too long for a file's name
  const bool exists = std::filesystem::exists(step_or_file, unknown);
  if (is_step && !exists) return parse_steps(step_or_file, origin, limit);
  if (!exists || std::filesystem::is_directory(step_or_file, unknown))
    throw Error(fmt::format("{}: '{}' is neither a step nor a readable file; an example of a step is: wait screen "
                            "\"TEXT\" within 90 s",
                            origin, step_or_file),
                ExitCode::missing_file);
  const auto text = read_host_file(step_or_file, 1 << 20, "cannot be read; check its permissions",
                                   "is no list of steps (it has at most 1 MB)");
  if (text.find('\0') != std::string::npos)
    throw Error(fmt::format("{}:1:1: is a binary file, not a list of steps", step_or_file));
  auto steps = parse_steps(text, step_or_file, limit);
  for (Step& step : steps) step.file = step_or_file;
  return steps;
}

std::vector<Step> unroll_steps(std::vector<Step> steps) {
  std::vector<Step> all;
  const Step* repeat = nullptr;
  std::size_t begin = 0;
  for (const Step& step : steps) {
    if (step.kind == StepKind::repeat) {
      if (repeat)
        throw Error(
            fmt::format("{}: repeat: inside another repeat ({}); write end repeat first", step.origin, repeat->origin));
      repeat = &step;
      begin = all.size();
    } else if (step.kind == StepKind::end_repeat) {
      if (!repeat)
        throw Error(fmt::format("{}: end repeat: there is no repeat before it; write repeat N times before the steps",
                                step.origin));
      const std::size_t length = all.size() - begin;
      if (begin + length * repeat->times > most_steps)
        throw Error(fmt::format("{}: repeat: makes more than {} steps", repeat->origin, most_steps));
      all.reserve(begin + length * repeat->times);
      for (unsigned n = 1; n < repeat->times; ++n)
        for (std::size_t k = 0; k < length; ++k) all.push_back(all[begin + k]);
      repeat = nullptr;
    } else {
      all.push_back(step);
    }
  }
  if (repeat) throw Error(fmt::format("{}: repeat: has no end; write end repeat after the steps", repeat->origin));
  return all;
}

std::vector<Step> typing_steps(const std::string& text, Time limit) {
  std::string quoted;
  for (std::size_t at = 0; at < text.size(); ++at) {
    // The step's escapes apply, so they are kept; only an unescaped quote would end the text.
    if (text[at] == '\\' && at + 1 < text.size())
      quoted += text[at++];
    else if (text[at] == '"')
      quoted += '\\';
    if (text[at] == '\n')
      quoted += "\\n";
    else
      quoted += text[at];
  }
  try {
    return parse_steps(fmt::format("wait still\ntype \"{}\"\n", quoted), "--type", limit);
  } catch (const Error& e) {  // its line and column refer to the generated steps
    const std::string_view said = e.what(), separator = ": ";
    throw Error(fmt::format("--type '{}': {}", text, said.substr(said.find(separator) + separator.size())), e.code());
  }
}

const std::vector<std::string>& step_words() { return verbs; }

}  // namespace planar
