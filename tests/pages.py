#!/usr/bin/env python3
"""pages.py - looks at pages as a browser shows them: headless Chromium, at three widths, in light and dark.

Serves the folder with the headers of the judge's own server and visits every page in it. Each must load without a word on
the console and without a request to elsewhere, must not be wider than its window, must have nothing too small to press, and must
satisfy axe-core, where that is installed (`pip install --no-deps axe-playwright-python`): no serious finding.

Usage: tests/pages.py FOLDER [PICTURES]     PICTURES: a folder for a screenshot of each page and its print as PDF
Needs  Debian's chromium, chromium-driver and python3-selenium; without them it skips, in TAP.
"""
import base64
import functools
import http.server
import importlib.util
import pathlib
import re
import sys
import threading
import time

WIDTHS = (360, 768, 1440)
MOST_BYTES = 300 * 1000
EVENT = """event: state
data: {"state": "judging", "progress": {"step": "timed cases", "done": 2, "total": 3}}

"""


def skip(why):
    print(f"1..1\nok 1 # SKIP {why}")
    sys.exit(0)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    skip("python3-selenium is not installed")


def policy():
    """The Content-Security-Policy of the server, from the C."""
    source = (pathlib.Path(__file__).parent.parent / "service/http/http.c").read_text()
    texts = re.search(r'"Content-Security-Policy",((?:\s*"[^"]*")+)', source)[1]
    return "".join(re.findall(r'"([^"]*)"', texts))


class Server(http.server.SimpleHTTPRequestHandler):
    csp = policy()

    def end_headers(self):
        self.send_header("Content-Security-Policy", self.csp)
        super().end_headers()

    def translate_path(self, path):
        """/static/ is where a server has what a report has beside its pages."""
        return super().translate_path(path.replace("/static/", "/"))

    def do_GET(self):
        """Where a server tells what becomes of a submission, one event and then silence."""
        if not self.path.startswith("/api/"):
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(EVENT.encode())
        self.wfile.flush()
        time.sleep(30)

    def log_message(self, *_):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def browser():
    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                 "--disable-background-networking", "--force-device-scale-factor=1"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for path in ("/usr/bin/chromium", "/usr/bin/google-chrome"):
        if pathlib.Path(path).exists():
            options.binary_location = path
            return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    return skip("Chromium is not installed")


def axe_source():
    for package, inside in (("axe_playwright_python", "axe.min.js"), ("axe_selenium_python", "node_modules/axe-core/axe.min.js")):
        spec = importlib.util.find_spec(package)
        if spec and (pathlib.Path(spec.origin).parent / inside).exists():
            return (pathlib.Path(spec.origin).parent / inside).read_text()
    return None


class Tests:
    def __init__(self):
        self.count = self.failed = 0

    def expect(self, faults, name):
        self.count += 1
        print(f"{'not ok' if faults else 'ok'} {self.count} {name}", flush=True)
        for fault in faults:
            print("#", fault)
        self.failed += bool(faults)


def emulate(driver, width, scheme):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                           {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


WIDE = """
const room = document.documentElement.clientWidth, wide = [];
if (document.documentElement.scrollWidth > room) wide.push(`page: ${document.documentElement.scrollWidth} of ${room}`);
for (const element of document.querySelectorAll('main *')) {
  if (element.closest('.scroll, .source, .CodeMirror, pre, svg')) continue;
  const box = element.getBoundingClientRect();
  if (box.width && box.right > room + 1) wide.push(`${element.tagName} ${element.className} ends at ${box.right}`);
}
return wide.slice(0, 5);"""

# WCAG 2.2, 2.5.8: what one presses is 24 px wide and high, or a circle of 24 px around its middle touches nothing else
# that one presses, nor the circle of another small one. A link within a sentence may be as high as its line.
SMALL = """
const LEAST = 24;
const in_text = e => getComputedStyle(e).display === 'inline' &&
  [...e.parentElement.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
const targets = [...document.querySelectorAll('a[href], button, input, select, summary, textarea')]
  .filter(e => !e.closest('.CodeMirror, svg') && e.checkVisibility())
  .map(e => ({e, box: e.getBoundingClientRect()})).filter(({box}) => box.width && box.height)
  .map(one => ({...one, x: (one.box.left + one.box.right) / 2, y: (one.box.top + one.box.bottom) / 2,
                is_small: Math.min(one.box.width, one.box.height) < LEAST - 0.5}));
const apart = (a, b) => b.is_small ? Math.hypot(a.x - b.x, a.y - b.y) - LEAST / 2
  : Math.hypot(Math.max(b.box.left - a.x, 0, a.x - b.box.right), Math.max(b.box.top - a.y, 0, a.y - b.box.bottom));
return targets.filter(a => a.is_small && !in_text(a.e) &&
    targets.some(b => b !== a && !a.e.contains(b.e) && !b.e.contains(a.e) && apart(a, b) < LEAST / 2 - 0.5))
  .slice(0, 5).map(({e, box}) => `too small to press: ${box.width.toFixed()} x ${box.height.toFixed()}: ${e.outerHTML.slice(0, 120)}`);"""

# Contrast in tables that scroll is looked at as well; what axe cannot decide is not a finding.
AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(result => done(result.violations
  .filter(found => ['serious', 'critical', 'moderate'].includes(found.impact))
  .map(found => `${found.id}: ${found.help}: ${found.nodes.slice(0, 3).map(node => node.html.slice(0, 150)).join(' | ')}`)));"""


def elsewhere(driver, home):
    """Requests that did not go to our server, and what the console said."""
    faults = [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
    for entry in driver.get_log("performance"):
        found = re.search(r'"Network.requestWillBeSent".*?"request":\{.*?"url":"([^"]*)"', entry["message"])
        if found and not found[1].startswith((home, "data:")):
            faults.append(f"request to {found[1]}")
    return faults


def take_picture(driver, path):
    height = driver.execute_script("return document.documentElement.scrollHeight")
    width = driver.execute_script("return window.innerWidth")
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {
        "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
    path.write_bytes(base64.b64decode(shot["data"]))


def follow(driver):
    """The script shows what the event said."""
    for _ in range(50):
        words = driver.find_element("css selector", ".status-text").text
        if words == "timed cases: 2 of 3":
            return []
        time.sleep(0.1)
    return [f"the page did not follow the event: {words}"]


def look(driver, axe, pictures, name):
    """The faults of the page that is shown, at every width and in both schemes."""
    faults = []
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            emulate(driver, width, scheme)
            faults += [f"{width} {scheme}: {fault}" for fault in driver.execute_script(WIDE) + driver.execute_script(SMALL)]
            if pictures:
                take_picture(driver, pictures / f"{name}-{width}-{scheme}.png")
        if axe:
            driver.execute_script(axe)
            faults += [f"axe, {scheme}: {fault}" for fault in driver.execute_async_script(AXE)]
    return faults


def visit(driver, home, page, pictures, axe, tests):
    driver.get(home + page)
    faults = look(driver, axe, pictures, pathlib.Path(page).stem)
    if driver.find_elements("css selector", "[data-events]"):
        faults += follow(driver)
    faults += elsewhere(driver, home)
    if pictures:
        emulate(driver, 1440, "light")
        printed = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
        (pictures / f"{pathlib.Path(page).stem}.pdf").write_bytes(base64.b64decode(printed["data"]))
    tests.expect(faults, f"{page} in a browser")


def main():
    folder = pathlib.Path(sys.argv[1])
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    pages = sorted(path.name for path in folder.glob("*.html"))
    driver, home, axe, tests = browser(), serve(folder), axe_source(), Tests()
    print(f"1..{2 * len(pages)}")
    try:
        for page in pages:
            size = (folder / page).stat().st_size
            tests.expect([f"{size} bytes"] if size > MOST_BYTES else [], f"{page} has less than 300 KB")
            visit(driver, home, page, pictures, axe, tests)
    finally:
        driver.quit()
    sys.exit(1 if tests.failed else 0)


if __name__ == "__main__":
    main()
