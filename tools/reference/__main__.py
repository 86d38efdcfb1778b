"""Writes the generated pages of the reference, `make reference`; a test sees to it that they are up
to date."""

from tools.reference import PAGES, ROOT


def write() -> list[str]:
    """Write all pages anew; the names of those that have changed."""
    changed = []
    for path, page in PAGES.items():
        text = page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(str(path.relative_to(ROOT)))
    return changed


if __name__ == "__main__":
    for name in write():
        print(f"written: {name}")
