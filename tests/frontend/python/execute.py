# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes a notebook and writes it with its outputs: execute.py NOTEBOOK OUT"""
import pathlib
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(pathlib.Path(sys.argv[2]).parent)}}).execute()
nbformat.write(notebook, sys.argv[2])
