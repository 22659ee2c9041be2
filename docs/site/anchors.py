# SPDX-License-Identifier: GPL-2.0-or-later
"""Anchors of headings as the repository's pages write them (tests/docs/check_citations.cmake)."""
import re


def slug(heading, separator="-"):
    """Small letters, punctuation removed, blanks as hyphens; what MkDocs calls for each heading."""
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).strip().replace(" ", separator)
