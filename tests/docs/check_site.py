#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the documentation's site and checks it: check_site.py ROOT [--theme NAME]; ends with 4 (skipped) if MkDocs is not installed.

Every link within the site leads to an existing file and heading, no page loads anything from other sites, every page says for whom
it is and is found by the search, and lists and tables are rendered as such (Markdown on the web accepts some that MkDocs' does not).
"""
import argparse
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
NOT_LOADED = {"canonical", "next", "prev", "alternate"}  # values of rel


class Page(html.parser.HTMLParser):
    """Anchors, links, what is loaded, and the text of paragraphs of a page."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.loads, self.paragraphs, self.open = set(), [], [], [], None
        self.italics, self.audience = False, ""  # the paragraph in italics below the title
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif LOADED.get(tag) in values and not NOT_LOADED & set((values.get("rel") or "").split()):
            self.loads.append(values[LOADED[tag]])
        if tag == "p":
            self.open = ""
        self.italics = tag == "em" and self.open == "" and not self.paragraphs

    def handle_data(self, data):
        if self.open is not None:
            self.open += data
        if self.italics:
            self.audience += data

    def handle_endtag(self, tag):
        self.italics = False
        if tag == "p" and self.open is not None:
            self.paragraphs.append(self.open)
            self.open = None


def problems_of(site):
    files = {file: Page(file) for file in site.rglob("*.html") if file.name != "404.html"}
    bad = []
    for file, page in files.items():
        name = file.relative_to(site)
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    bad.append("%s: loads %s; the site has to work without a network" % (name, link))
                continue
            path = urllib.parse.unquote(parts.path)
            place = pathlib.Path(os.path.normpath(file.parent / path)) if path else file
            if place.is_dir():
                place /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not place.exists():
                bad.append("%s: %s leads nowhere" % (name, link))
            elif anchor and place in files and anchor not in files[place].anchors and anchor != "__top":
                bad.append("%s: %s: that page has no such heading" % (name, link))
        if not page.audience.startswith("For "):
            bad.append("%s: does not say for whom it is; begin the page with a line *For ...*" % name)
        for text in page.paragraphs:
            if re.search(r"^(- |\* |\d+\. |\|)", text, re.M) and "\n" in text:
                bad.append("%s: a list or table needs an empty line before it: %s" % (name, text[:60].replace("\n", " ")))
    index = site / "search/search_index.json"
    found = {entry["location"].split("#")[0] for entry in json.loads(index.read_text(encoding="utf-8"))["docs"]} if index.exists() else set()
    bad += ["%s: the search does not find it" % name for name in (str(file.relative_to(site)) for file in files)
            if name not in found and not (name == "index.html" and "" in found)]
    return len(files), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--theme", action="append", help="material and MkDocs' own by default")
    options = parser.parse_args()
    failed = 0
    for theme in options.theme or ["material", "mkdocs"]:
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder) / "site"
            made = subprocess.run([sys.executable, options.root / "docs/site/build.py", "--out", site, "--theme", theme], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if made.returncode:
                print(made.stdout)
                return made.returncode
            count, bad = problems_of(site)
        for line in bad:
            print(line)
        print("%s: %d pages, %d problems" % (theme, count, len(bad)))
        failed |= bool(bad) or count < 50
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
