"""A report's page as a browser takes it in."""

import re
from html.parser import HTMLParser


class Page(HTMLParser):
    """Words of a page, its anchors, those that it leads to, and what it would fetch; tags have to
    close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.leads, self.anchors, self.sources, self.words = [], [], set(), [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.leads += [found["href"]] if "href" in found else []
        self.anchors |= {f"#{found['id']}"} if "id" in found else set()
        self.sources += [found["src"]] if "src" in found else []
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))
