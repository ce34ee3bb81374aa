#!/usr/bin/env python3
"""site.py - uses a running service as a student does, in headless Chromium: logs in, hands in, watches the submission being
judged, reads the report, finds the board, and looks at the list of submissions.

Every page on the way is held to what tests/pages.py asks of pages: nothing on the console, nothing from elsewhere, no wider
than its window at three widths in light and dark, no serious finding of axe-core.

Usage: tests/site.py URL TOKEN FILE.cu [PICTURES]     FILE.cu: an accepted solution of conv1d
Needs  what tests/pages.py needs; without it, it skips.
"""
import pathlib
import sys
import time

import pages
from selenium.webdriver.common.by import By


class Visit:
    def __init__(self, driver, home, pictures):
        self.driver, self.home, self.pictures = driver, home.rstrip("/") + "/", pictures
        self.axe, self.tests = pages.axe_source(), pages.Tests()

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, selector):
        self.driver.execute_script("arguments[0].scrollIntoView()", self.find(selector))
        self.find(selector).click()

    def wait(self, what, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if condition():
                    return []
            except Exception:  # the page may just be loading anew
                pass
            time.sleep(0.1)
        return [f"waited in vain: {what}, at {self.driver.current_url}"]

    def text(self):
        return self.find("main").text

    def look(self, name, faults=()):
        """The page that is shown now."""
        found = list(faults) + pages.look(self.driver, self.axe, self.pictures, name)
        self.tests.expect(found + pages.elsewhere(self.driver, self.home), name)


def log_in(visit, token):
    visit.driver.get(visit.home + "login")
    visit.look("the login page")
    visit.find("#token").send_keys("wrong")
    visit.press("main form button")
    visit.tests.expect(visit.wait("a complaint", lambda: visit.find("#complaint")), "a wrong token is refused")
    visit.driver.get_log("browser")  # Chromium notes the status 401
    visit.find("#token").send_keys(token)
    visit.press("main form button")
    visit.look("the problems", visit.wait("the name of who logged in", lambda: visit.find(".who .name")))


def hand_in(visit, source):
    visit.press('main a[href="/problems/conv1d"]')
    visit.wait("the form", lambda: visit.find("#code"))
    visit.look("a problem")
    visit.driver.execute_script("document.querySelector('#code').value = arguments[0]", source)
    visit.press("section[aria-labelledby=submit] button")
    visit.tests.expect(visit.wait("the submission's page", lambda: "/submissions/" in visit.driver.current_url), "a submission is handed in")


def watch(visit):
    """The page follows by itself: nothing is pressed here."""
    seen = set()

    def accepted():
        seen.update(element.text for element in visit.driver.find_elements(By.CSS_SELECTOR, ".status-text"))
        return visit.find(".verdict.good .name").text == "Accepted"

    faults = visit.wait("Accepted", accepted, 120)
    visit.tests.expect(faults or ([] if len(seen) > 1 else [f"of its progress it showed only {seen}"]), "a submission is watched being judged")
    faults = [] if "Rank" in visit.text() else ["no rank"]
    visit.look("a submission", faults + (["the source has carriage returns"] if "␍" in visit.text() else []))


def find_board(visit):
    name = visit.find(".who .name").text
    visit.press('.under a[href="/problems/conv1d"]')
    faults = visit.wait("the own row of the board", lambda: visit.find("tr.you"))
    visit.look("a problem with a board", faults)
    visit.press('header a[href^="/people/"]')
    visit.look("a person", visit.wait(name, lambda: visit.find("h1").text == name))


def log_out(visit):
    visit.press("header form button")
    visit.tests.expect(visit.wait("a link to log in", lambda: visit.find('header a[href="/login"]')), "logging out")


def main():
    home, token, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).read_text()
    pictures = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    driver = pages.browser()
    visit = Visit(driver, home, pictures)
    try:
        log_in(visit, token)
        hand_in(visit, source)
        watch(visit)
        find_board(visit)
        log_out(visit)
    finally:
        driver.quit()
        print(f"1..{visit.tests.count}")
    sys.exit(1 if visit.tests.failed else 0)


if __name__ == "__main__":
    main()
