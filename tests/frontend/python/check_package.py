#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python package as installed by its user: check_package.py package|notebook PLANAR ROOT

package   builds the wheel, installs it into a clean virtual environment and runs tests/frontend/python/test_planar.py there; checks the
          type hints (mypy, strict)
notebook  the same wheel beside the host's pandas: test_frames.py, and the notebook is executed with short runs

Nothing is downloaded. Ends with 4 (skipped) if the host's Python lacks modules that a part needs.
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 4
NEEDS = {"package": ("venv", "ensurepip", "pip", "setuptools", "wheel"),
         "notebook": ("venv", "ensurepip", "pip", "setuptools", "wheel", "pandas", "matplotlib", "nbclient", "ipykernel")}


def environment_with(wheel, folder, *options):
    """The Python of a new virtual environment that has the wheel."""
    subprocess.run([sys.executable, "-m", "venv", *options, folder], check=True)
    python = folder / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", wheel], check=True)
    return python


def unittests(python, file, folder, planar):
    subprocess.run([python, "-W", "error::ResourceWarning", file], cwd=folder, env=dict(os.environ, PLANAR=planar), check=True)


def check_package(planar, root, folder, wheel):
    python = environment_with(wheel, folder / "clean")
    listed = subprocess.run([python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"], check=True,
                            capture_output=True, text=True).stdout
    names = {entry["name"] for entry in json.loads(listed)}
    assert names <= {"planar", "pip", "setuptools", "wheel"}, "the environment is not clean: %s" % names
    unittests(python, root / "tests/frontend/python/test_planar.py", folder, planar)
    if importlib.util.find_spec("mypy"):
        subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", folder / "mypy", "--config-file", root / "frontend/python/pyproject.toml",
                        "--package", "planar"], cwd=root / "frontend/python/src", check=True)
    else:
        print("the type hints were not checked: this Python has no mypy")


def check_notebook(planar, root, folder, wheel):
    python = environment_with(wheel, folder / "notebook", "--system-site-packages")
    unittests(python, root / "tests/frontend/python/test_frames.py", folder, planar)
    kernel = folder / "jupyter/kernels/python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"}))
    environment = dict(os.environ, PLANAR=planar, JUPYTER_DATA_DIR=str(folder / "jupyter"), IPYTHONDIR=str(folder / "ipython"),
                       MPLCONFIGDIR=str(folder / "matplotlib"), MPLBACKEND="module://matplotlib_inline.backend_inline",
                       PYDEVD_DISABLE_FILE_VALIDATION="1", PLANAR_NOTEBOOK_SECONDS="0.2", PLANAR_NOTEBOOK_CARDS="ne2,3c529,sknet", PLANAR_NOTEBOOK_PLACEMENTS="1")
    for notebook in sorted((root / "frontend/python/notebooks").glob("*.ipynb")):
        subprocess.run([python, root / "tests/frontend/python/execute.py", notebook, folder / notebook.name], env=environment, check=True)
        cells = json.loads((folder / notebook.name).read_text(encoding="utf-8"))["cells"]
        pictures = sum("image/png" in output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))
        assert pictures >= 2, "%s: draws %d pictures" % (notebook.name, pictures)
        print("%s: %d cells, %d pictures" % (notebook.name, len(cells), pictures))


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in NEEDS:
        sys.exit(__doc__)
    part, planar, root = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve()), pathlib.Path(sys.argv[3]).resolve()
    lacks = [name for name in NEEDS[part] if importlib.util.find_spec(name) is None]
    if lacks:
        print("skipped: %s has no %s" % (sys.executable, ", ".join(lacks)))
        return SKIPPED
    sys.path.insert(0, str(root / "frontend/python"))
    sys.dont_write_bytecode = True
    from wheel_of_planar import build
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        wheel = build(folder)
        {"package": check_package, "notebook": check_notebook}[part](planar, root, folder, wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
