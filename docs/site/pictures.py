#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of the site in a headless Chromium, to look at: pictures.py FOLDER

Builds the site, serves it on the loopback interface, takes the pictures, and fails if the search finds nothing or the browser complains.
By hand; needs the packages mkdocs-material, chromium, chromium-driver and python3-selenium.
"""
import functools
import http.server
import pathlib
import subprocess
import sys
import tempfile
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

HERE = pathlib.Path(__file__).resolve().parent
# name, width, height, page, whether the browser prefers dark pages
PICTURES = (("first-page", 1300, 1400, "index.html", False), ("table", 1300, 1000, "docs/findings/overload.html", False),
            ("dark", 1300, 1000, "docs/ten-minutes.html", True), ("narrow", 500, 900, "docs/ten-minutes.html", False),
            ("search", 1300, 900, "index.html?q=latch", False))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):  # noqa: A002 (the base's name)
        pass


def browser(width, height):
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"):
        options.add_argument(argument)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as site:
        subprocess.run([sys.executable, HERE / "build.py", "--out", site], check=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, width, height, page, dark in PICTURES:
            window = browser(width, height)
            if dark:
                window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
            window.get(f"http://127.0.0.1:{server.server_address[1]}/{page}")
            if "?q=" in page:
                found = WebDriverWait(window, 60).until(lambda w: w.find_elements("css selector", ".md-search-result__item"))
                print(f"{page}: {len(found)} pages shown")
            window.save_screenshot(str(out / f"{name}.png"))
            complaints = window.get_log("browser")
            window.quit()
            if complaints:
                sys.exit(f"{page}: {complaints}")
            print(out / f"{name}.png")
        server.shutdown()


if __name__ == "__main__":
    main()
