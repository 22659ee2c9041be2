# SPDX-License-Identifier: GPL-2.0-or-later
"""The text that people read in a file: comments and messages of a program, a page's sentences. Identifiers, keys, code spans and
listings are left out."""
import re

# A comment or a literal of C++ and C. Raw strings first, and character literals so that '"' begins no string.
C_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
PY_TEXT = re.compile(r'#[^\n]*|"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
ASM_TEXT = re.compile(r';[^\n]*|"[^"\n]*"|\'[^\'\n]*\'')
HASH_TEXT = re.compile(r'#[^\n]*|"(?:\\.|[^"\\\n])*"')
CODE_SPAN = re.compile(r"(`+)[^`].*?\1", re.S)
LISTING = re.compile(r"^ *(```|~~~).*?^ *\1 *$|^(?: {4}|\t)(?! *(?:[-*]|\d+\.) )[^\n]*$", re.S | re.M)
LINK_TARGET = re.compile(r"\]\([^)\s]*\)|<?https?://\S+|^\[[^]\n]*\]: *\S+", re.M)


def blank(pattern, text):
    """`text` with what the pattern finds replaced by as many spaces, so that places stay."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def pieces(pattern, text):
    """(begin, end) of comments and of literals with more than one word."""
    for found in pattern.finditer(text):
        literal = found[0].lstrip("R")[:1] in ('"', "'")
        if not literal or " " in found[0].strip("\"'").strip():
            yield found.start(), found.end()


def keep(text, spans):
    """`text` with everything outside the spans blanked."""
    out = re.sub(r"[^\n]", " ", text)
    parts, at = [], 0
    for begin, end in spans:
        parts += [out[at:begin], text[begin:end]]
        at = end
    return "".join(parts) + out[at:]


# What may stand between two words of a sentence that goes on in the next line: the end of one literal or comment line and the
# beginning of the next.
LEADER = re.compile(r'(?<=\n)[ \t]*(?:///?<?|\*(?!/)|#+|;+|"|>)|\\n?"?[ \t]*(?=\n)|(?<=\S)"[ \t]*(?=\n)')


def prose(file, text):
    """The text of `file` to be read, as long as `text` and with its lines in their places; None: nothing for people."""
    name = file.rsplit("/", 1)[-1]
    if re.search(r"\.(cpp|hpp|c|h|inc|ld|S)$", name):
        text = keep(blank(re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.M), text), pieces(C_TEXT, blank(
            re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.M), text)))
    elif name.endswith(".py"):
        text = keep(text, pieces(PY_TEXT, text))
    elif name.endswith(".asm"):
        text = keep(text, pieces(ASM_TEXT, text))
    elif re.search(r"\.(sh|cmake|toml|json|ADF|txt)$|^(CMakeLists\.txt|Makefile)$", name):
        pass
    elif name.endswith(".md"):
        text = blank(LINK_TARGET, blank(CODE_SPAN, blank(LISTING, text)))
    else:
        return None
    return blank(LEADER, text)
