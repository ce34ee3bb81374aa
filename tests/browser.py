#!/usr/bin/env python3
"""browser.py - a student, a teacher and an administrator at a real server, in headless Chromium.

Starts a server whose own worker judges on the simulated GPU, with two problems on small data: conv2d, and conv1d with a roofline so
high that whatever is accepted waits in quarantine. Every page on the way is looked at as tests/pages.py does: at three
widths, in light and dark.

Usage: tests/browser.py BUILD [PICTURES]     PICTURES: a folder for a screenshot of each page
Needs  Debian's chromium, chromium-driver and python3-selenium; without them it skips, in TAP.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

import check_html
import pages
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

ROOT = pathlib.Path(__file__).resolve().parent.parent
COOKIE = "convjudge"
MOST_S = 600  # that a judging takes on a busy machine

HOSTILE_NAME = "Eve \"><script>say('name')<script>"
HOSTILE_PSEUDONYM = "<img src=x onerror=say(1)> \"'"
HOSTILE_FILE = "a'><script>say('file')<" + "\u202e" + "uc.cu"
HOSTILE_SOURCE = """// </code></pre><script>say('comment')</script> \u202e\u2066 javascript:say(1) \x1b[31m
#include <cuda_runtime.h>
#include <stdio.h>
#warning "</pre><script>say('warning')</script>"
__global__ void hello()
{
    printf("</pre><script>say('print')</script> \\x1b[31m \\xe2\\x80\\xae <a href=\\"javascript:say(1)\\">x</a>\\n");
}
extern "C" void solve(const float *input, const float *kernel, float *output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    printf("</pre><script>say('host')</script> \\x1b[31m\\n");
    hello<<<1, 1>>>();
    cudaDeviceSynchronize();
}
"""


# ---- the server ------------------------------------------------------------------------------------------------------

def is_small(case):
    count = 1
    for value in case["sizes"].values():
        count *= value[1] if isinstance(value, list) else value  # the largest, if it is drawn
    return case.get("timed") or count < 50000


def lighten(path, divisor):
    """Keeps the small hidden cases, and makes the timed ones smaller."""
    cases = json.loads(path.read_text())
    cases["cases"] = [case for case in cases["cases"] if is_small(case)]
    for case in cases["cases"]:
        if case.get("timed"):
            for name in case["sizes"]:
                if name.startswith("input"):
                    case["sizes"][name] //= divisor
    path.write_text(json.dumps(cases))


def make_home(home):
    """conv1d has one slow reference solution, and a hundred times as many operations as there are."""
    (home / "solutions/conv1d/accepted").mkdir(parents=True)
    for folder in ("base", "grader", "harness", "leaderboard", "simgpu"):
        (home / folder).symlink_to(ROOT / folder)
    for problem in ("conv1d", "conv2d"):
        for folder in ("problems", "testcases"):
            shutil.copytree(ROOT / folder / problem, home / folder / problem)
    (home / "solutions/conv2d").symlink_to(ROOT / "solutions/conv2d")
    shutil.copy(ROOT / "solutions/conv1d/accepted/naive.cu", home / "solutions/conv1d/accepted/naive.cu")
    lighten(home / "testcases/conv1d/hidden.json", 100)
    lighten(home / "testcases/conv2d/hidden.json", 16)
    problem = home / "problems/conv1d/problem.json"
    problem.write_text(problem.read_text().replace('"operations": "2 ', '"operations": "20000 '))


class Server:
    def __init__(self, build, folder):
        self.build, self.folder, self.state = build, folder, folder / "state"
        make_home(folder / "home")
        (folder / "tmp").mkdir()
        self.environment = dict(os.environ, CONVJUDGE_HOME=str(folder / "home"), TMPDIR=str(folder / "tmp"))
        self.socket = folder / "socket"
        (folder / "config.json").write_text(json.dumps({
            "listen": "127.0.0.1:0", "state": str(self.state), "socket": str(self.socket), "workers": ["sim"],
            "pages": {"title": "Parallel programming"}, "class": str(folder / "class.json")}))
        self.write_class()
        self.log = folder / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen([build / "convjudge", "serve", "--config", folder / "config.json"],
                                            stderr=log, env=self.environment)
        self.address = self.wait_for_address()

    def write_class(self, hours=3):
        """A class of one assignment that is due in some hours, and shows everything once it is closed."""
        due = time.time() + 3600 * hours + 600
        path = self.folder / "class.json"
        (self.folder / "class.json.new").write_text(json.dumps({
            "schema": 1, "title": "Parallel programming", "zone": "Europe/Berlin",
            "groups": [{"name": "tutorial <b>", "people": ["Ada", "Zoe <b>"]}],
            "assignments": [{"id": "week-1", "title": "Two <i>dimensions", "opens": "2026-01-01T00:00",
                             "due": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(due)),
                             "show": {"points": "closed", "sources": "closed"},
                             "problems": [{"problem": "conv2d", "points": {"accepted": 4}}]}]}))
        (self.folder / "class.json.new").rename(path)

    def read_class_anew(self, hours):
        before = self.log.read_text().count("event=class_read")
        self.write_class(hours)
        self.process.send_signal(signal.SIGHUP)
        for _ in range(200):
            if self.log.read_text().count("event=class_read") > before:
                return
            time.sleep(0.05)
        raise RuntimeError(self.log.read_text())

    def wait_for_address(self):
        for _ in range(400):
            found = re.search(r" event=started address=(\S+)", self.log.read_text())
            if found:
                return f"http://{found[1]}"
            time.sleep(0.05)
        raise RuntimeError(self.log.read_text())

    def token(self, name, role="student"):
        return subprocess.run([self.build / "convjudge", "token", "add", name, "--role", role, "--state", self.state],
                              env=self.environment, capture_output=True, text=True, check=True).stdout.strip()

    def time_references(self, problem):
        subprocess.run([self.build / "convjudge", "references", "--problem", problem, "--device", "sim"], check=True,
                       env=dict(self.environment, CONVJUDGE_DB=str(self.state / "convjudge.db")), capture_output=True)

    def hold_worker(self, held):
        """Lets it take no job meanwhile."""
        with sqlite3.connect(self.state / "convjudge.db", timeout=60) as store:
            store.execute("INSERT INTO drained VALUES ('own-1', '2026-01-31T12:00:00Z', 'by hand')" if held else "DELETE FROM drained")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def ask(method, url, body=None, **headers):
    """Status and headers of an answer, without following it."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=body.encode() if body is not None else None, headers=names, method=method)
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=200) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers


# ---- a person at a browser -------------------------------------------------------------------------------------------

class Person:
    def __init__(self, server, tests, pictures, axe):
        self.server, self.tests, self.pictures, self.axe = server, tests, pictures, axe
        self.driver = pages.browser()
        pages.emulate(self.driver, 1440, "light")

    def find(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css="main"):
        return self.find(css).text

    def script(self, text):
        return self.driver.execute_script(text)

    def go(self, path):
        self.driver.get(self.server.address + path)

    def path(self):
        return self.driver.current_url.removeprefix(self.server.address)

    def press(self, element):
        """Clicks, and waits for the next page."""
        old = self.find("html")
        element.click()
        end = time.monotonic() + 200
        while time.monotonic() < end:
            try:
                old.is_enabled()
            except WebDriverException:  # it belongs to a page that is gone
                return
            time.sleep(0.02)
        raise RuntimeError(f"{self.path()} is not left")

    def follow(self, words):
        """Presses a link or a button by its words."""
        for element in self.all("a, button"):
            if element.text == words:
                self.press(element)
                return
        raise RuntimeError(f"{self.path()} has no link or button '{words}'")

    def fill(self, css, text):
        element = self.find(css)
        element.clear()
        element.send_keys(text)

    def log_in(self, token):
        self.go("/")
        self.follow("Log in")
        self.fill("#token", token)
        self.follow_button("/login")

    def follow_button(self, action):
        """Sends the form with this action."""
        self.press(self.find(f"form[action='{action}'] button"))

    def hand_in(self, problem, mode="rank", path=None, text=None):
        """By a file or by its text; the number of the submission."""
        self.go(f"/problems/{problem}")
        if path:
            self.find("#file").send_keys(str(path))
        if text:
            # Keys cannot write every character, but people paste.
            self.paste(text)
        Select(self.find("#mode")).select_by_value(mode)
        self.press(self.find("form[action$='/submit'] button"))
        found = re.fullmatch(r"/submissions/(\d+)", self.path())
        if not found:
            raise RuntimeError(f"{self.path()}: {self.text()}")
        return int(found[1])

    def paste(self, text):
        """Into the editor, or into the plain field where there is no script."""
        self.driver.execute_script("const editor = document.querySelector('.CodeMirror');"
                                   "if (editor) editor.CodeMirror.setValue(arguments[0]);"
                                   "else document.querySelector('#code').value = arguments[0];", text)

    def try_samples(self):
        """With the keyboard; what the try found."""
        self.driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
        end = time.monotonic() + MOST_S
        while time.monotonic() < end:
            time.sleep(0.1)
            if self.text(".findings") and self.find("button.try").is_enabled():
                return self.text(".findings")
        raise RuntimeError(f"a try without an end: {self.text('.findings')}")

    def is_live(self):
        return bool(self.all("[data-events]"))

    def wait(self, steps=None):
        """Until the page shows a verdict, which the script does by itself. `steps` takes what was read meanwhile."""
        self.script("window.isFirst = true")
        end = time.monotonic() + MOST_S
        while time.monotonic() < end:
            try:
                read = self.script("const live = document.querySelector('[data-events]'); return live && window.isFirst && "
                                   "live.querySelector('.status-text').textContent")
            except WebDriverException:  # the page was just being left
                continue
            if read and steps is not None and read not in steps:
                steps.append(read)
            if not self.is_live():
                return
            time.sleep(0.05)
        raise RuntimeError(f"{self.path()} is not judged: {self.text()}")

    def look(self, name):
        """At three widths, in light and dark."""
        faults = check_html.MISTAKE.findall(self.driver.page_source)
        size = len(self.driver.page_source.encode())
        if size > pages.MOST_BYTES:
            faults.append(f"{size} bytes")
        for scheme in ("light", "dark"):
            for width in pages.WIDTHS:
                pages.emulate(self.driver, width, scheme)
                faults += [f"{width} {scheme}: {fault}" for fault in self.driver.execute_script(pages.WIDE) + self.driver.execute_script(pages.SMALL)]
                if self.pictures:
                    pages.take_picture(self.driver, self.pictures / f"{name.replace(' ', '-')}-{width}-{scheme}.png")
            if self.axe:
                self.driver.execute_script(self.axe)
                faults += [f"axe, {scheme}: {fault}" for fault in self.driver.execute_async_script(pages.AXE)]
        pages.emulate(self.driver, 1440, "light")
        faults += pages.elsewhere(self.driver, self.server.address)
        self.tests.expect(faults, f"{name} looks right")

    def expect(self, name, *claims):
        """Each claim is true, or it is a pair of a text and what should hold it."""
        faults = []
        for claim in claims:
            if isinstance(claim, tuple) and claim[0] not in claim[1]:
                faults.append(f"expected '{claim[0]}' in: {claim[1][:600]!r}")
            elif claim is False or claim is None:
                faults.append(f"at {self.path()}: {self.text()[:600]!r}")
        self.tests.expect(faults, name)


# ---- what they do ----------------------------------------------------------------------------------------------------

def logging_in(person, token):
    person.go("/people/Ada")
    person.expect("who is not known is led to the login", person.path().startswith("/login"))
    person.look("login")
    person.fill("#token", "0" * 64)
    person.follow_button("/login")
    person.expect("a wrong token is refused with a sentence", ("not a token that is in force", person.text()))
    person.driver.get_log("browser")  # Chromium notes the status 401
    person.fill("#token", token)
    person.follow_button("/login")
    person.expect("a login leads to where one wanted to go", person.path() == "/people/Ada")
    first = person.driver.get_cookie(COOKIE)
    person.expect("the cookie is for requests alone", first["httpOnly"], first["sameSite"] == "Lax",
                  person.script("return document.cookie") == "")
    person.follow("Log out")
    person.expect("a logout ends the login", person.driver.get_cookie(COOKIE) is None)
    planted = "f" * 64
    person.driver.add_cookie({"name": COOKIE, "value": planted})
    person.log_in(token)
    second = person.driver.get_cookie(COOKIE)["value"]
    person.expect("each login has a cookie of its own, whatever the browser had before",
                  second not in (planted, first["value"]))
    for dead in (planted, first["value"]):
        status, _ = ask("GET", person.server.address + "/people/Ada", Cookie=f"{COOKIE}={dead}")
        person.expect("no other cookie is a login", status == 303)
    return second


def forging(person, cookie):
    """A form of another site, sent by a browser that is logged in."""
    url = person.server.address
    for place in ("/logout", "/problems/conv2d/submit", "/login", "/people/Ada/pseudonym"):
        for origin in ("http://evil.example", "null", url.replace("127.0.0.1", "127.0.0.1.evil.example")):
            status, _ = ask("POST", url + place, "token=x", Cookie=f"{COOKIE}={cookie}", Origin=origin)
            person.expect(f"a form from {re.sub(':[0-9]+', '', origin)} to {place} is refused", status == 403)
    status, _ = ask("POST", url + "/problems/conv2d/submit", "key=k", Cookie=f"{COOKIE}={cookie}")
    person.expect("a form that does not say where it comes from is refused", status == 403)


def looking_inside(person):
    """From request to request by plain links."""
    person.follow("Look inside")
    person.expect("a look inside shows a request of a warp", ("Warp 0, time 1.", person.text("#request")),
                  ("Blocks over time", person.text()), len(person.all("svg.plot")) >= 6)
    person.look("look inside")
    person.follow("Next time")
    person.expect("a link leads to the next time of the warp", ("Warp 0, time 2.", person.text("#request")))
    person.expect("a page is small", len(person.script("return document.documentElement.outerHTML")) < 300_000)


def handing_in(person):
    correct = ROOT / "solutions/conv2d/accepted"
    person.go("/")
    person.look("all problems")
    person.go("/problems/conv2d")
    person.look("problem before")
    steps = []
    person.server.hold_worker(True)
    first = person.hand_in("conv2d", path=correct / "naive.cu")
    person.expect("a file keeps its name", ("naive.cu", person.text()))
    person.expect("one reads how many are ahead", ("It is next.", person.text(".status-text")))
    person.look("waiting")
    person.server.hold_worker(False)
    person.wait(steps)
    person.expect("the page follows the judging by itself", len(steps) >= 2, ("Accepted", person.text(".verdict")))
    person.expect("the ladder says what to beat next", ("Next to beat: ", person.text()))
    person.look("submission")
    looking_inside(person)
    second = person.hand_in("conv2d", text=(correct / "shared_tile.cu").read_text())
    person.wait()
    person.expect("the text of a solution is judged, too", ("Accepted", person.text(".verdict")))
    person.hand_in("conv2d", path=ROOT / "solutions/conv2d/wrong_answer/flipped_filter.cu")
    person.wait()
    person.expect("a wrong answer is shown as pictures", ("Wrong Answer", person.text(".verdict")),
                  len(person.all(".pictures img")) >= 4)
    person.look("wrong submission")
    person.hand_in("conv2d", mode="test", text="extern \"C\" void solve(int) { nonsense }\n")
    person.wait()
    person.expect("what does not compile says so", ("Compile Error", person.text(".verdict")))
    person.look("compile error")
    return first, second


PROGRAM = "const mirror = document.querySelector('.CodeMirror'); return mirror ? mirror.CodeMirror.getValue() : document.querySelector('#code').value"
WITHOUT_A_SEMICOLON = """__global__ void copy(const float *input, float *output) { output[0] = input[0]; }
extern "C" void solve(const float *input, const float *kernel, float *output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    copy<<<1, 1>>>(input, output)
}
"""


def writing(person):
    """In the editor: the starter, a try with its findings at their lines, a draft, and an earlier submission again."""
    person.go("/problems/conv2d")
    person.script("localStorage.clear()")
    person.go("/problems/conv2d")
    is_coloured = bool(person.all(".CodeMirror"))
    person.expect("the editor begins with the starter", ("solve(", person.script("return document.querySelector('#code').value")))
    for press in (Keys.TAB, Keys.TAB, Keys.ENTER, Keys.TAB, Keys.TAB):
        person.driver.switch_to.active_element.send_keys(press)
    person.expect("a few keys lead to the button", person.driver.switch_to.active_element.text == "Submit")
    person.paste(WITHOUT_A_SEMICOLON)
    found = person.try_samples()
    person.expect("a try says what is wrong and where", ("Compile Error", found), ("Line 6: expected a \";\"", found),
                  not is_coloured or ("expected a", person.text(".CodeMirror .finding")))
    person.look("an editor with a mistake")
    person.paste(WITHOUT_A_SEMICOLON.replace("output)\n", "output);\n"))
    found = person.try_samples()
    person.expect("a wrong sample is shown whole", ("Wrong Answer", found), bool(person.all(".elements tr.wrong")))
    person.look("an editor with a wrong sample")
    login = person.driver.get_cookie(COOKIE)
    person.driver.delete_all_cookies()
    person.expect("a try after the login has ended says so", ("Your login has ended, and your program stays here.", person.try_samples()))
    person.driver.add_cookie(login)
    time.sleep(0.5)  # the draft is kept a moment after the last key
    person.go("/problems/conv2d")
    person.expect("the browser keeps a draft", ("This is your draft.", person.text(".draft")))
    person.script("localStorage.setItem(Object.keys(localStorage)[0], '// of another tab')")
    person.go("/")
    person.go("/problems/conv2d")
    person.expect("a tab that changes nothing leaves the draft of another one", ("// of another tab", person.script(PROGRAM)))
    person.find(".draft button").click()
    number = person.hand_in("conv2d", "test", text=WITHOUT_A_SEMICOLON)
    person.wait()
    person.follow("Edit and submit again")
    person.expect("a submission is edited", (f"Submission {number}, edited", person.text("h2#submit")),
                  ("output)\n}", person.script("return document.querySelector('#code').value")))
    person.paste(WITHOUT_A_SEMICOLON + "// edited\n")
    person.go("/problems/conv2d")
    person.expect("the draft of a problem is not that of a submission", "// edited" not in person.script(PROGRAM))
    person.go(f"/submissions/{number}")
    person.follow("Edit and submit again")
    person.expect("which has one of its own", ("// edited", person.script(PROGRAM)), (f"Begin again with submission {number}", person.text(".draft")))
    second = person.hand_in("conv2d", "test", text=WITHOUT_A_SEMICOLON + "// again\n")
    person.wait()
    person.expect("it shows what changed", bool(person.all(f"a[href*='before={number}&after={second}']")))


def handing_in_without_a_script(person):
    person.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    person.hand_in("conv2d", mode="test", path=ROOT / "solutions/conv2d/accepted/shared_constant.cu")
    end = time.monotonic() + MOST_S
    looks = 0
    while person.is_live() and time.monotonic() < end:
        person.follow("Look again")
        looks += 1
        time.sleep(0.3)
    person.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    person.expect("without a script one looks again", looks > 0, ("Accepted", person.text(".verdict")))


def reading(person, first, second):
    person.go("/problems/conv2d")
    row = person.text("tr.you")
    person.expect("the board has the own place", ("Ada", row), ("µs", row))
    person.look("problem")
    person.go("/")
    person.expect("the list says what is solved", ("Accepted", person.text("table")))
    person.follow("Submissions")
    person.look("person")
    Select(person.find("#before")).select_by_value(str(first))
    Select(person.find("#after")).select_by_value(str(second))
    person.follow("Compare")
    person.expect("two submissions are compared", bool(person.all(".source .added, tr.added")))
    person.look("comparison")


def choosing_a_pseudonym(person, other):
    person.go("/people/Ada")
    person.fill("#pseudonym", "Countess")
    person.follow_button("/people/Ada/pseudonym")
    person.expect("the pseudonym is shown", person.find("#pseudonym").get_attribute("value") == "Countess")
    other.go("/problems/conv2d")
    person.expect("others see the pseudonym alone", ("Countess", other.text("#content")),
                  "Ada" not in other.text("#content"))
    other.go("/people/" + "Ada")
    person.expect("others do not see the person's page", ("There is no", other.text()))
    other.driver.get_log("browser")


def has_markup(person):
    """Whether a script or a link with one has come onto the page."""
    return person.script("""
        const links = [...document.querySelectorAll('[href], [src], [action]')];
        return [...document.scripts].some(script => !/\/static\/((live|editor)\.js|codemirror\/)/.test(script.src)) ||
            document.querySelector('main i, main img[onerror]') !== null || links.some(element => ['href', 'src', 'action'].some(
                name => /^\\s*javascript:/i.test(element.getAttribute(name) || '')));""")


def attacking(person, others, scratch):
    """Nothing of what a student wrote becomes markup or a script, on his own pages and on those of others."""
    path = scratch / HOSTILE_FILE
    path.write_text(HOSTILE_SOURCE, encoding="utf-8")
    person.hand_in("conv2d", mode="test", path=path)
    person.wait()
    text = person.script("return document.body.textContent")
    person.expect("a hostile submission is text", not has_markup(person), ("<script>say('comment')</script>", text),
                  ("a'><script>say('file')<", text), ("<script>say('name')", text), "\u202e" not in text, "\u2066" not in text, "\x1b" not in text, ("[U+202E]", text))
    person.look("hostile submission")
    person.hand_in("conv2d", path=ROOT / "solutions/conv2d/accepted/constant_memory.cu")
    person.wait()
    own = person.find("header a[href^='/people/']").get_attribute("href").removeprefix(person.server.address)
    person.go(own)
    person.expect("a hostile name is text on the own page", not has_markup(person), (HOSTILE_NAME, person.text("h1")))
    person.fill("#pseudonym", HOSTILE_PSEUDONYM)
    person.press(person.find("form[action$='/pseudonym'] button"))
    for other in others:
        for place in ("/", "/problems/conv2d", "/teacher", "/admin"):
            other.go(place)
            other.expect(f"a hostile name is text at {place} of others", not has_markup(other))
        other.driver.get_log("browser")  # Chromium notes each status 403
    others[0].go("/problems/conv2d")
    others[0].expect("a hostile pseudonym is text on the board", (HOSTILE_PSEUDONYM, others[0].text()))


def teaching(teacher, student, second):
    """A class page, a group with its link, a token, and a decision."""
    student.hand_in("conv1d", path=ROOT / "solutions/conv1d/accepted/vector_loads.cu")
    student.wait()
    student.expect("what is too good to be true waits for a teacher", ("quarantine", student.text(".verdict")))
    teacher.go("/teacher")
    teacher.expect("the class page says who solved what", ("Ada", teacher.text()), ("Eve", teacher.text()))
    teacher.look("class")
    teacher.fill("section[aria-labelledby=quarantine] input[name=why]", "I have read it, and it is honest.")
    teacher.follow("Accept: it ranks")
    teacher.expect("a decision takes the run out of quarantine", ("No run needs a decision", teacher.text()))
    student.go("/problems/conv1d")
    student.expect("what a teacher accepted ranks", ("Ada", student.text("tr.you")))
    teacher.go("/teacher")
    teacher.fill("#group", "Monday's \"group\" <i>")
    teacher.follow("Make the group")
    link = teacher.text("code.secret")
    teacher.expect("a group has a link", link.startswith(teacher.server.address + "/join/"))
    teacher.look("invitation")
    student.driver.get(link)
    student.look("join")
    student.follow("Join the group")
    student.go("/problems/conv2d")
    everybody = student.text()
    student.follow("Monday's \"group\" <i>")
    student.expect("a group's board has no best times of everybody", ("The best time over the weeks", everybody),
                   "The best time over the weeks" not in student.text())
    student.expect("who followed it is in the group", ("Ada", student.text("tr.you")),
                   len(student.all("table:first-of-type tbody tr")) >= 1)
    teacher.go("/teacher")
    teacher.fill("#name", "Grace")
    teacher.follow("Make a token")
    token = teacher.text("code.secret")
    status, headers = ask("POST", teacher.server.address + "/login", f"token={token}", Origin=teacher.server.address)
    teacher.expect("a token of a teacher is a login", status == 303, (COOKIE, headers.get("Set-Cookie") or ""))
    teacher.go("/teacher")
    teacher.fill("#name", "Root")
    teacher.follow("Make a token")
    teacher.expect("a teacher makes no token for an administrator", ("students", teacher.text()))
    teacher.driver.get_log("browser")


def closing(server, teacher, student):
    """Before the deadline and after it: what is due, points, and sources of others."""
    student.go("/")
    student.expect("the first page says until when", ("in 3 hours", student.text("section[aria-labelledby=assignments]")))
    student.look("assignments")
    student.go("/people/Ada")
    student.expect("points are not shown before closing", not student.all("#points"))
    student.go("/problems/conv2d")
    student.expect("a problem says until when", ("in 3 hours", student.text()))
    student.expect("no sources before closing", not student.all("a[href$='/sources']"))
    server.read_class_anew(-2)
    student.go("/people/Ada")
    student.expect("points are shown after closing", ("Two <i>dimensions: 0 of 4", student.text()))
    student.look("points of one")
    student.go("/problems/conv2d/sources")
    student.expect("sources of others are for who handed in in time", ("No sources are open to you yet", student.text()))
    teacher.go("/teacher")
    teacher.follow("Points")
    teacher.expect("the teacher sees everybody's points", ("Ada", teacher.text()), ("Zoe <b>", teacher.text()))
    teacher.look("points of all")
    teacher.go("/teacher/summary")
    teacher.expect("the summary names who handed in nothing", ("Zoe <b>", teacher.text()), not has_markup(teacher))
    teacher.look("summary")


def operating(admin):
    admin.go("/admin")
    admin.expect("the page for administrators names the worker", ("sim", admin.text()))
    admin.look("operation")


def judging_again(admin):
    admin.follow("Rejudgings")
    admin.expect("nothing has been judged again", ("Nothing has been judged again yet", admin.text()))
    Select(admin.find("#problem")).select_by_visible_text("conv2d")
    admin.fill("#why", "<i>another</i> driver")
    admin.press(admin.find("form[action='/admin/batches'] button"))
    deadline = time.monotonic() + MOST_S
    while time.monotonic() < deadline and re.search("waiting|under way", admin.text()):
        time.sleep(1)
        admin.go(admin.path())
    admin.expect("a page says what a rejudging would change", ("What it would change", admin.text()),
                 ("<i>another</i> driver", admin.text()), not has_markup(admin), (" stay as they are", admin.text()))
    admin.look("rejudging")
    address = admin.path()
    admin.follow_button(address + "/apply")
    admin.expect("a rejudging is applied", ("applied", admin.text()), not admin.all(f"form[action='{address}/apply']"))
    admin.go("/admin/batches")
    admin.look("rejudgings")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    tests, axe, people = pages.Tests(), pages.axe_source(), []
    if not axe:
        print("# axe-core is not installed, and nothing looks whether pages can be used by all")
    with tempfile.TemporaryDirectory(prefix="convjudge-browser-") as scratch:
        scratch = pathlib.Path(scratch)
        server = Server(build, scratch)
        try:
            for _ in range(4):
                people.append(Person(server, tests, pictures, axe))
            ada, eve, teacher, admin = people
            cookie = logging_in(ada, server.token("Ada"))
            forging(ada, cookie)
            eve.log_in(server.token(HOSTILE_NAME))
            teacher.log_in(server.token("Emmy", "teacher"))
            admin.log_in(server.token("Root", "admin"))
            server.time_references("conv2d")
            first, second = handing_in(ada)
            handing_in_without_a_script(ada)
            reading(ada, first, second)
            attacking(eve, (ada, teacher, admin), scratch)
            choosing_a_pseudonym(ada, eve)
            teaching(teacher, ada, second)
            closing(server, teacher, ada)
            operating(admin)
            judging_again(admin)
            writing(ada)
        except Exception as fault:  # one more failed test, after which the others mean nothing
            tests.expect([repr(fault)[:1000], *traceback.format_exc().splitlines()], "the visit goes on to its end")
        finally:
            for person in people:
                person.driver.quit()
            server.stop()
    print(f"1..{tests.count}")
    sys.exit(1 if tests.failed else 0)


if __name__ == "__main__":
    main()
