#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of the report of planar compare in a headless Chromium, to look at: report.py PLANAR FOLDER

A comparison of all cards of a machine, and one of overload with means over placements: on the screen, with the pointer at a line, on a dark
page, and printed on A4. Fails if the browser complains or a plot is not drawn. By hand; needs the packages chromium, chromium-driver,
python3-selenium and, for the printed pages as PNG, poppler-utils.
"""
import base64
import pathlib
import shutil
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

REPORTS = {
    "netio": ("--machines", "model95", "--seconds", "1"),
    "flood": ("--do", "flood", "--machines", "model56sx", "--cards", "ne2,3c529,smc8013", "--sizes", "200,500,1000,2000,3000,5000",
              "--seconds", "0.1", "--runs", "3"),
}


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,900"):
        options.add_argument(argument)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def picture(window, file):
    """The whole page."""
    size = window.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    shot = window.execute_cdp_cmd("Page.captureScreenshot", {
        "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}})
    file.write_bytes(base64.b64decode(shot["data"]))
    print(file)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    planar, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, options in REPORTS.items():
            report = pathlib.Path(scratch) / name
            subprocess.run([planar, "compare", *options, "--quiet", "--report", report], check=True, stdout=subprocess.DEVNULL)
            window = browser()
            window.get((report / "compare.html").as_uri())
            plots, drawn = (len(window.find_elements("css selector", which)) for which in ("figure.chart", "figure.chart .uplot canvas"))
            picture(window, out / f"{name}-screen.png")
            over = window.find_elements("css selector", ".u-over")[0]
            window.execute_script("arguments[0].closest('figure').scrollIntoView()", over)
            webdriver.ActionChains(window).move_to_element_with_offset(over, 20, -60).perform()
            window.save_screenshot(str(out / f"{name}-pointer.png"))
            window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
            picture(window, out / f"{name}-dark.png")
            window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
            printed = window.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
            complaints = window.get_log("browser")
            window.quit()
            if complaints or plots == 0 or plots != drawn:
                sys.exit(f"{name}: {drawn} of {plots} plots are drawn; {complaints}")
            paper = out / f"{name}-print.pdf"
            paper.write_bytes(base64.b64decode(printed["data"]))
            print(paper)
            if shutil.which("pdftoppm"):
                subprocess.run(["pdftoppm", "-r", "60", "-png", paper, paper.with_suffix("")], check=True)


if __name__ == "__main__":
    main()
