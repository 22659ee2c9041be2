#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The documentation as a site with search, from the repository's own Markdown: build.py [--out DIR] [--theme NAME]

MkDocs makes it (Debian's packages mkdocs and mkdocs-material), in strict mode and without the network. The pages are those of
docs/README.md in its order, then those of the cards, and what they link to; README.md is the first page. What is added here: the navigation,
links where a page names another one as code (`docs/dos.md`), and for whom the pages of a folder are.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ABSENT = 4  # ctest: SKIP_RETURN_CODE
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)#:]+?)(#[^)]*)?\)")
CITATION = re.compile(r"`([A-Za-z0-9_./-]+\.md)(#[a-z0-9_-]+)?`")
AUDIENCE = re.compile(r"^\*For .*?\*$", re.M | re.S)
# For whom the pages of a folder are that do not say so themselves, and a generated one.
FOLDERS = {
    "docs/machine-files.md": "For those who write a machine or lab file: every key.",
    "docs/hardware": "For those who write or check a model: facts about the hardware, with sources.",
    "devices": "For those who ask how this card moves data and what limits it; `planar show` prints the same.",
    "roms": "For those who change planar's firmware or its guest.",
    "core": "For those who change the processor's model.",
    "tests": "For those who run the fuzz targets.",
}
OTHER_PAGES = ["CONTRIBUTING.md", "CHANGELOG.md", "roms/README.md", "roms/guest/README.md", "core/cpu/README.md",
               "core/cpu/timing/README.md", "core/cpu/runs/README.md", "tests/fuzz/README.md", "frontend/python/README.md"]


def pages():
    """Every page of the site, relative to the root of the source tree."""
    found = ["README.md", *OTHER_PAGES]
    for top in ("docs", "devices"):
        found += sorted(str(page.relative_to(ROOT)) for page in (ROOT / top).rglob("*.md"))
    return [page for page in found if (ROOT / page).is_file()]


def title(page):
    """A page's first heading."""
    found = re.search(r"^# (.*)$", (ROOT / page).read_text(encoding="utf-8"), re.M)
    return found[1].replace("`", "") if found else page


def audience(page):
    """The line that says for whom a page is: its own, or its folder's; None if there is neither."""
    own = AUDIENCE.search((ROOT / page).read_text(encoding="utf-8").split("\n## ")[0])
    if own:
        return own[0]
    folder = next((name for name in FOLDERS if (page + "/").startswith(name + "/")), None)
    return "*%s*" % FOLDERS[folder] if folder else None


def target(link, page):
    """What `link` of `page` leads to, relative to the root: from the page's folder or from the root; None if nothing is there."""
    for base in (os.path.dirname(page), ""):
        path = os.path.normpath(os.path.join(base, link))
        if not path.startswith("..") and (ROOT / path).exists():
            return path
    return None


def text_for_site(page, known):
    """A page's text with its audience and with links instead of citations."""
    text = (ROOT / page).read_text(encoding="utf-8")
    who = audience(page)
    if who and who not in text:
        text = re.sub(r"\A(# .*\n)", lambda heading: heading[1] + "\n" + who + "\n", text)

    def linked(found):
        place = target(found[1], page)
        if place not in known or place == page:
            return found[0]
        relative = os.path.relpath(place, os.path.dirname(page) or ".")
        return "[%s](%s%s)" % (found[1], relative, found[2] or "")

    out, listing = [], False
    for line in text.split("\n"):
        listing ^= line.startswith("```")
        code = listing or line.startswith("    ")
        out.append(line if code else re.sub(r"(?<!\[)" + CITATION.pattern + r"(?!\])", linked, line))
    return "\n".join(out)


def stage(folder, known):
    """Copies the pages, and the files that they link to, into `folder`."""
    for page in known:
        place = folder / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text_for_site(page, known), encoding="utf-8")
        for link in LINK.finditer((ROOT / page).read_text(encoding="utf-8")):
            path = target(link[1], page)
            if path and path not in known and (ROOT / path).is_file():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, folder / path)


def navigation(known):
    """[{section: [{title: page}, ...]}, ...]: the sections and order of docs/README.md, then the cards, then the rest."""
    left = [page for page in known if page not in ("README.md", "docs/README.md")]
    sections = [{"planar": [{"What it is": "README.md"}, {"The pages": "docs/README.md"}]}]

    def take(page, entries):
        if page not in left:
            return
        left.remove(page)
        within = [p for p in left if p.startswith(re.sub(r"(/README)?\.md$", "/", page))]
        if within and page != "roms/README.md":
            entries.append({title(page): [{"Overview": page}, *({title(p): p} for p in within)]})
            left[:] = [p for p in left if p not in within]
        else:
            entries.append({title(page): page})

    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"[A-Z].*:", line):
            sections.append({line[:-1]: []})
        for link in LINK.finditer(line):
            take(target(link[1], "docs/README.md"), next(iter(sections[-1].values())))
    cards = sorted(({title(p): p} for p in left if p.startswith("devices/")), key=lambda entry: next(iter(entry)).lower())
    sections.append({"The cards": cards})
    rest = [p for p in left if not p.startswith("devices/")]
    sections.append({"More": [{title(p): p} for p in rest]})
    return sections


def build(out, theme):
    """Builds the site in `out`; MkDocs' exit code."""
    import yaml  # of MkDocs' own Python, as MkDocs is
    from mkdocs.utils import get_theme_names
    if theme == "material" and theme not in get_theme_names():
        theme = "mkdocs"
    known = pages()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        stage(folder / "pages", known)
        (folder / "pages/site.css").write_bytes((HERE / "site.css").read_bytes())
        settings = {"docs_dir": str(folder / "pages"), "site_dir": str(out), "nav": navigation(known), "extra_css": ["site.css"]}
        if theme == "material":
            settings["theme"] = {"name": "material", "font": False, "icon": {"logo": "material/expansion-card"},
                                 "features": ["navigation.tabs", "navigation.top", "navigation.sections", "toc.follow"],
                                 "palette": [{"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo"},
                                             {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo"}]}
        else:
            settings["theme"] = {"name": theme, "highlightjs": False}
        (folder / "mkdocs.yml").write_text((HERE / "mkdocs.yml").read_text(encoding="utf-8") + yaml.safe_dump(settings, sort_keys=False),
                                           encoding="utf-8")
        environment = dict(os.environ, PYTHONPATH=str(HERE), PYTHONDONTWRITEBYTECODE="1")
        return subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(folder / "mkdocs.yml")],
                              env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/site")
    parser.add_argument("--theme", default="material", help="MkDocs' own theme serves where Material is not installed")
    options = parser.parse_args()
    try:
        import mkdocs  # noqa: F401
    except ImportError:
        print("this Python has no MkDocs; `make site` installs Debian's packages mkdocs and mkdocs-material and takes /usr/bin/python3")
        return ABSENT
    code = build(options.out.resolve(), options.theme)
    if code == 0:
        print("%s: %d pages" % (options.out / "index.html", len(pages())))
    return code


if __name__ == "__main__":
    sys.exit(main())
