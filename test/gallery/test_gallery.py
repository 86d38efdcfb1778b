"""The gallery: exhibits are made once, kept as long as their sources are what they were, and shown
when they fail."""

import json
import re
import runpy
from pathlib import Path

import pytest
from messages import naming

from cable_sim.cli import main
from cable_sim.scenes import CATALOGUE
from validation.gallery import exhibits
from validation.gallery.building import build, record_of
from validation.gallery.exhibits import Exhibit, Made
from validation.gallery.pages import write_pages
from validation.harness import Part, Picture, Quantity, Result, Study

PIXEL = (bytes.fromhex("89504e470d0a1a0a"), "picture.png")


class Catalogue:
    """A tiny catalogue: a paper, a scenario that misses, and two scenes, of which one breaks when
    it is told to."""

    def __init__(self, folder: Path) -> None:
        self.made: list[str] = []
        self.ours, self.broken = {"hang": 1.0, "swing": 2.0}, {"pendulum"}
        self.sources = {
            name: folder / f"{name}.py" for name in ("hang", "swing", "atwood", "pendulum")
        }
        for source in self.sources.values():
            source.write_text("0")

    def study(self, name: str) -> Study:
        def run(progress):
            """A ball hangs."""
            progress(0.5)
            found = Quantity("length", "1.0", 1.0, self.ours[name], 0.1, "m")
            return Result([found], [Picture("hanging", "A ball.", draw)])

        def draw():
            from matplotlib.figure import Figure

            figure = Figure((1.0, 1.0))
            figure.subplots().plot([0.0, 1.0])
            return figure

        return Study(f"On {name} | balls", "A. Author, 1900", Path(name), (Part("Figure 1", run),))

    def of_study(self, kind: str, name: str) -> Exhibit:
        def load(wanted: str) -> Study:
            self.made.append(wanted)
            return self.study(wanted)

        return exhibits._study_exhibit(kind, name, load, (self.sources[name],))

    def of_scene(self, name: str, group: str) -> Exhibit:
        def make(folder: Path, tell) -> Made:
            self.made.append(name)
            (folder / PIXEL[1]).write_bytes(PIXEL[0])
            if name in self.broken:
                raise ValueError("the rope | is\ntoo short")
            return Made(f"A {name}.", "", caption="After 2 s.")

        return Exhibit("scenes", name, f"A {name}.", make, (self.sources[name],), group)

    def kinds(self) -> dict:
        return {
            "papers": lambda: [self.of_study("papers", "hang")],
            "acceptance": lambda: [self.of_study("acceptance", "swing")],
            "cranes": list,
            "scenes": lambda: [
                self.of_scene("atwood", "Wheels"),
                self.of_scene("pendulum", "Balls"),
            ],
        }


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    (tmp_path / "sources").mkdir()
    made = Catalogue(tmp_path / "sources")
    monkeypatch.setattr(exhibits, "KINDS", made.kinds())
    return made


@pytest.fixture
def gallery(catalogue, tmp_path, capsys):
    """Runs ``cable-sim gallery``: exit status, lines, errors."""

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main(["gallery", "--out", str(tmp_path / "gallery"), *words])
        said = capsys.readouterr()
        return raised.value.code, said.out.splitlines(), said.err

    return run


def test_it_writes_pages_and_pictures(gallery, tmp_path):
    status, lines, _ = gallery()
    assert status == 1
    assert [line.split()[0] for line in lines[:-1]] == ["made", "missed", "made", "failed"]
    out = tmp_path / "gallery"
    papers = (out / "papers.md").read_text()
    assert (
        "| `hang` | [On hang \\| balls](papers/hang/index.md) | 1 of 1 quantities agree |" in papers
    )
    assert re.search(r"```\{toctree\}\n:hidden:\n\npapers/hang/index\n```", papers)
    page = (out / "papers" / "hang" / "index.md").read_text()
    assert "![hanging](hanging.png)" in page and "| length | 1.0 m |" in page
    assert (out / "papers" / "hang" / "hanging.png").read_bytes().startswith(b"\x89PNG")
    scenes = (out / "scenes.md").read_text()
    assert scenes.index("## Wheels") < scenes.index("### atwood") < scenes.index("## Balls")
    assert "![atwood](scenes/atwood/picture.png)\n\n*After 2 s.*" in scenes
    assert "cranes.md" not in {path.name for path in out.iterdir()}, "of nothing there is no page"


def test_every_link_on_its_pages_leads_somewhere(gallery, tmp_path):
    gallery()
    pages = list((tmp_path / "gallery").rglob("*.md"))
    assert len(pages) == 5
    for page in pages:
        for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
            assert (page.parent / target).is_file(), (page, target)


def test_what_misses_and_what_fails_is_told_with_its_reason(gallery, tmp_path):
    _, lines, _ = gallery()
    out = tmp_path / "gallery"
    assert (
        "missed: length" in lines[1]
        and "0 of 1 quantities agree; **missed**: length" in (out / "acceptance.md").read_text()
    )
    scenes = (out / "scenes.md").read_text()
    assert naming("**Failed:** ValueError rope \\| short").search(scenes)
    assert 'raise ValueError("the rope' in scenes
    assert [path.name for path in (out / "scenes" / "pendulum").iterdir()] == ["record.json"]


def test_fresh_exhibits_are_kept_and_failed_ones_made_again(gallery, catalogue):
    gallery()
    catalogue.made.clear()
    catalogue.broken.clear()
    status, lines, _ = gallery()
    assert catalogue.made == ["swing", "pendulum"]
    assert status == 1 and [line.split()[1] for line in (lines[0], lines[2])] == ["kept"] * 2, (
        "it misses still"
    )
    catalogue.made.clear()
    catalogue.ours["swing"] = 1.0
    assert gallery()[0] == 0 and catalogue.made == ["swing"]
    catalogue.made.clear()
    assert gallery()[0] == 0 and catalogue.made == []
    catalogue.sources["hang"].write_text("1")
    gallery()
    assert catalogue.made == ["hang"]
    catalogue.made.clear()
    gallery("--all")
    assert catalogue.made == ["hang", "swing", "atwood", "pendulum"]


def test_only_some_of_it(gallery, catalogue, tmp_path):
    catalogue.broken.clear()
    status, _, _ = gallery("--only", "papers,scenes")
    assert status == 0 and catalogue.made == ["hang", "atwood", "pendulum"]
    assert {path.name for path in (tmp_path / "gallery").iterdir()} == {
        "papers",
        "papers.md",
        "scenes",
        "scenes.md",
    }
    status, _, errors = gallery("--only", "nix")
    assert status == 2 and naming("--only 'nix' papers acceptance cranes scenes").search(errors)


def test_an_interrupted_gallery_goes_on_where_it_was(gallery, catalogue, tmp_path, monkeypatch):
    study = catalogue.study

    def interrupted(name):
        if name == "swing":
            raise KeyboardInterrupt
        return study(name)

    monkeypatch.setattr(catalogue, "study", interrupted)
    status, _, _ = gallery()
    assert status == 130 and catalogue.made == ["hang", "swing"]
    out = tmp_path / "gallery"
    assert "| `swing` | | " in (out / "acceptance.md").read_text()
    assert "*Not made" in (out / "scenes.md").read_text()
    assert not list(out.rglob("*.part"))
    monkeypatch.setattr(catalogue, "study", study)
    catalogue.made.clear()
    gallery()
    assert catalogue.made == ["swing", "atwood", "pendulum"]


def test_removed_exhibits_are_deleted_and_foreign_folders_stay(gallery, tmp_path):
    gallery()
    out = tmp_path / "gallery"
    (out / "scenes" / "atwood").rename(out / "scenes" / "gone")
    (out / "scenes" / "mine").mkdir()
    gallery()
    assert {path.name for path in (out / "scenes").iterdir()} == {"atwood", "pendulum", "mine"}


def test_a_record_that_cannot_be_read_is_none(gallery, catalogue, tmp_path):
    gallery()
    out, exhibit = tmp_path / "gallery", catalogue.of_scene("atwood", "Wheels")
    record = out / "scenes" / "atwood" / "record.json"
    for text in ("{", "[]", "{}", json.dumps({**json.loads(record.read_text()), "new": 1})):
        record.write_text(text)
        assert record_of(out, exhibit) is None, text


def test_every_scene_and_crane_is_an_exhibit():
    assert [exhibit.name for exhibit in exhibits.scenes()] == list(CATALOGUE)
    assert {"tower_12t", "rtg_41t", "nehe_rope"} <= {exhibit.name for exhibit in exhibits.cranes()}
    assert all(exhibit.title and exhibit.group for exhibit in exhibits.scenes())
    assert len(exhibits.acceptance()) == 13
    assert {
        source
        for exhibit in exhibits.exhibits()
        for source in exhibit.sources
        if not source.exists()
    } == set()


def test_a_scene_is_pictured(tmp_path):
    (scene,) = (exhibit for exhibit in exhibits.scenes() if exhibit.name == "pendulum")
    build([scene], tmp_path)
    (page,) = write_pages(tmp_path, [scene])
    assert "*After 2 s. Largest tension " in page.read_text()
    from PIL import Image

    with Image.open(tmp_path / "scenes" / "pendulum" / "picture.png") as picture:
        assert picture.size == exhibits.SIZE and len(picture.getcolors(1 << 20)) > 100


def test_the_gallery_index_has_a_toctree_only_if_pages_exist():
    root = Path(__file__).parents[2]
    extension = runpy.run_path(str(root / "docs" / "extensions" / "gallery_pages.py"))
    page = (root / "docs" / "gallery" / "index.md").read_text()
    assert extension["without_tree"](page, {"index", "gallery/index", "gallery/papers"}) == page
    bare = extension["without_tree"](page, {"index", "gallery/index"})
    assert (
        "toctree" not in bare
        and bare.endswith(f"{extension['NOTE']}\n")
        and bare.startswith("# Gallery")
    )
    assert extension["outdated"](None, None, {"gallery/papers"}, set(), set()) == ["gallery/index"]
    assert extension["outdated"](None, None, {"proof"}, {"gallery/index"}, set()) == []
