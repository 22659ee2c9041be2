#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the wheel of the Python package without the network: wheel_of_planar.py FOLDER. Needs setuptools, wheel and pip."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def build(folder):
    """Returns the path of the wheel built in `folder`. The source tree is not changed."""
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "python"
        shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache", "*.egg-info", "build"))
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
                        "--disable-pip-version-check", "--wheel-dir", folder, source], check=True)
    return next(pathlib.Path(folder).glob("planar-*.whl"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    print(build(sys.argv[1]))
