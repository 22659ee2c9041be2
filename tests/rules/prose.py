# SPDX-License-Identifier: GPL-2.0-or-later
"""The text that people read in a file: the comments and messages of a program, the sentences of a page. Identifiers, keys, code
spans and listings are left out."""
import re

STRING = r'"(?:\\.|[^"\\\n])*"'
QUOTED = r"'(?:\\.|[^'\\\n])*'"
# Comments and literals by language. Character literals are included, so that '"' does not begin a string.
TEXT = {
    "c": re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|%s|%s' % (STRING, QUOTED), re.S),
    "python": re.compile(r'#[^\n]*|"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|%s|%s' % (STRING, QUOTED), re.S),
    "asm": re.compile(r';[^\n]*|"[^"\n]*"|\'[^\'\n]*\''),
}
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.M)
# In a page: listings (fenced, or indented after an empty line), code spans, and link targets.
LISTING = re.compile(r"^ *(```|~~~).*?^ *\1 *$|(?<=\n\n)(?:(?: {4}|\t)(?! *(?:[-*]|\d+\.) )[^\n]*\n+)+", re.S | re.M)
NAME_SPAN = re.compile(r"`[^`\n]+`")
CODE_SPAN = re.compile(r"(`+)[^`].*?\1", re.S)
LINK_TARGET = re.compile(r"\]\([^)\s]*\)|<?https?://\S+|^\[[^]\n]*\]: *\S+", re.M)
# The text between two words of a sentence that continues on the next line: the end of one literal or comment line and
# the beginning of the next.
LINE_ENDS = re.compile(r'(?:\\n)?"[ \t]*(?=\n)|(?<=\n)[ \t]*(?:///?<?|\*(?!/)|#+|;+|"|>)')
KINDS = (("c", r"\.(cpp|hpp|c|h|inc)$"), ("python", r"\.py$"), ("asm", r"\.asm$"), ("page", r"\.md$"),
         ("whole", r"\.(sh|cmake|toml|json|ADF|txt|ld)$|(^|/)(CMakeLists\.txt|Makefile)$"))


def blank(pattern, text):
    """`text` with spaces in place of what the pattern finds: positions and lines are kept."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def literal(text):
    return text.lstrip("R")[:1] in ('"', "'")


def read_pieces(pattern, text):
    """(begin, end) of each comment, and of each literal of more than one word; adjacent literals count as one."""
    group, end = [], 0
    for found in list(pattern.finditer(text)) + [None]:
        if group and (found is None or not literal(found[0]) or text[end:found.start()].strip()):
            if " " in "".join(text[a + 1:b - 1] for a, b in group).strip():
                yield from group
            group = []
        if found is None:
            return
        if literal(found[0]):
            group.append(found.span())
            end = found.end()
        else:
            yield found.span()


def only(spans, text):
    """`text` with marks that end a sentence in place of everything outside the spans."""
    empty = re.sub(r"\S", "\0", text)
    out, at = [], 0
    for begin, end in spans:
        out += [empty[at:begin], text[begin:end]]
        at = end
    return "".join(out) + empty[at:]


def prose(file, text):
    """The readable text of `file`, as long as `text` and with the same lines; None: nothing."""
    kind = next((k for k, names in KINDS if re.search(names, file)), None)
    if kind is None:
        return None
    if kind == "page":
        text = blank(LINK_TARGET, blank(CODE_SPAN, blank(LISTING, text)))
    elif kind != "whole":
        text = blank(INCLUDE, text) if kind == "c" else text
        text = blank(NAME_SPAN, only(read_pieces(TEXT[kind], text), text))
    return blank(LINE_ENDS, text)
