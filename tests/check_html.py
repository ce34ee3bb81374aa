#!/usr/bin/env python3
"""check_html.py - reads pages as strictly as a parser can, and prints each fault.

Each element ends where it must, attributes occur once, ids differ, references by id and links within the folder lead
somewhere, headings go down one level at a time, tables have heads with a scope, pictures and plots have names, nothing is amiss with a template, and nothing comes from elsewhere: no URL with a
host, no script but ours, no style in an attribute. A page has less than 300 KB.

Usage: tests/check_html.py FOLDER
"""
import html.parser
import pathlib
import re
import sys

EMPTY = {"meta", "link", "input", "br", "hr", "img", "col", "area", "base", "embed", "source", "track", "wbr"}
MOST_BYTES = 300 * 1000
MISTAKE = re.compile(r"\[\w+\.html:\d+: [^\]]*\]|\[\w+: nothing shows the value \w+\]")  # of a template (service/web/template.h)


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path, self.open, self.ids, self.wanted, self.links = path, [], set(), set(), set()
        self.level, self.faults, self.names = 0, [], []

    def fault(self, words):
        self.faults.append(f"{self.path}:{self.getpos()[0]}: {words}")

    def handle_startendtag(self, tag, attributes):
        self.start(tag, attributes)

    def handle_starttag(self, tag, attributes):
        self.start(tag, attributes)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> ends {self.open[-1:]}")
        else:
            self.open.pop()

    def start(self, tag, attributes):
        given = dict(attributes)
        if len(given) < len(attributes):
            self.fault(f"<{tag}> has an attribute twice")
        for name, value in attributes:
            self.attribute(tag, name, value or "")
        if re.fullmatch("h[1-6]", tag):
            level = int(tag[1])
            if level > self.level + 1:
                self.fault(f"<{tag}> follows <h{self.level}>")
            self.level = level
        if tag == "th" and "scope" not in given:
            self.fault("<th> without a scope")
        if tag == "img" and "alt" not in given:
            self.fault("<img> without alt")
        if tag == "svg" and given.get("aria-hidden") != "true" and "aria-labelledby" not in given:
            self.fault("<svg> without a name")
        if tag == "script" and not re.search(r"(live|editor|codemirror/(codemirror|clike))\.js$", given.get("src", "")):
            self.fault("a script of another name")
        if tag == "style":
            self.fault("<style>")

    def attribute(self, tag, name, value):
        if name == "id":
            if value in self.ids:
                self.fault(f"id {value} twice")
            self.ids.add(value)
        elif name in ("aria-labelledby", "aria-describedby", "for"):
            self.wanted.update(value.split())
        elif name in ("href", "src", "action"):
            self.links.add(value)
            if re.match(r"([a-z+]+:)?//|[a-z+]+:(?<!data:)", value):
                self.fault(f"{tag} {name}={value}")
        elif name.startswith("on") or name == "style":
            self.fault(f"{tag} has {name}")

    def finish(self, folder):
        self.close()
        if self.open:
            self.fault(f"not ended: {self.open}")
        for name in self.wanted - self.ids:
            self.fault(f"no element has the id {name}")
        for link in self.links:
            place, _, part = link.partition("#")
            if place == "" and part and part not in self.ids:
                self.fault(f"#{part} leads nowhere")
            if place and not place.startswith(("data:", "/", "?")) and not (folder / place).exists():
                self.fault(f"{place} does not exist")
        return self.faults


def main():
    folder, faults = pathlib.Path(sys.argv[1]), []
    for path in sorted(folder.glob("*.html")):
        text = path.read_bytes()
        if len(text) >= MOST_BYTES:
            faults.append(f"{path}: {len(text)} bytes")
        faults += [f"{path}: {words}" for words in MISTAKE.findall(text.decode())]
        page = Page(path)
        page.feed(text.decode())
        faults += page.finish(folder)
        if not text.startswith(b"<!DOCTYPE html>") or b'<html lang="en">' not in text:
            faults.append(f"{path}: no doctype or language")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
