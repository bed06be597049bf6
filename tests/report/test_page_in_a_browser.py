"""The page in a real browser: what it looks like is for people, but that it works is for us."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from bakeoff.report.pages import page, pages
from report.experiments import hostile as hostile_matrix
from report.experiments import pilot
from report.kitchen import HOSTILE, hostile, won

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    Opened = Callable[..., Page]

PHONE = {"width": 375, "height": 812}
DESK = {"width": 1200, "height": 900}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CONTRAST = """
() => {
  const channels = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = channels(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const weak = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, svg")) continue;
    const style = getComputedStyle(element);
    const [one, other] = [light(channels(style.color)), light(ground(element))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) weak.push([element.className, style.color, walker.currentNode.data]);
  }
  return weak;
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("there is no chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """Opens a document from a file, as people do; fails where the browser complained or asked for anything else."""
    complaints: list[str] = []
    contexts = []

    def open_page(document: str, **options: object) -> Page:
        path = tmp_path / "report.html"
        path.write_text(document, encoding="utf-8")
        context = browser.new_context(**({"viewport": DESK} | options))
        contexts.append(context)
        view = context.new_page()
        view.on("console", lambda message: complaints.append(message.text))
        view.on("pageerror", lambda error: complaints.append(str(error)))
        view.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        view.on("request", lambda request: request.url != path.as_uri() and complaints.append(request.url))
        view.goto(path.as_uri())
        return view

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def document() -> str:
    kitchen = won()
    return page(kitchen.run, text=kitchen.text)


def names(view: Page) -> list[str]:
    return [name.split("\n")[0] for name in view.locator(".candidates tbody th").all_inner_texts()]


def test_tables_are_sorted_by_what_is_clicked(opened: Opened, document: str) -> None:
    view = opened(document)
    before = names(view)
    view.get_by_role("button", name="Candidate").click()
    assert names(view) == sorted(before, key=str.casefold)
    speedup = view.get_by_role("button", name="Speedup")
    speedup.click()
    fastest_first = ["join-strings+list-membership", "join-strings", "hoist-attributes", "list-membership"]
    assert names(view)[:4] == fastest_first
    assert view.get_by_role("columnheader", name="Speedup").get_attribute("aria-sort") == "descending"
    speedup.press("Enter")
    assert names(view)[:4] == fastest_first[::-1], "what was not timed stays last"
    assert view.locator("[aria-sort]").count() == 1
    view.get_by_role("button", name="Verdict").click()
    assert names(view) == before


def test_without_javascript_all_can_be_read(opened: Opened, document: str) -> None:
    view = opened(document, java_script_enabled=False)
    assert view.get_by_role("button").count() == 0, "nothing is offered that does not work"
    assert view.locator(".candidates tbody tr").count() == 13
    assert view.get_by_role("img", name="join-strings+list-membership: 3.10× [2.90, 3.30]").is_visible()
    report = view.get_by_text("assert 'strasse' == 'straße'")
    assert not report.is_visible()
    view.locator("summary", has_text="casefold").click()
    assert report.is_visible()


def test_a_name_leads_to_its_candidate(opened: Opened, document: str) -> None:
    view = opened(document)
    view.locator(".candidates").get_by_role("link", name="translate").click()
    assert view.get_by_text("one letter becomes two").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_from_their_ground(opened: Opened, document: str, scheme: str) -> None:
    view = opened(document, color_scheme=scheme)
    ground = view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) > 380) is (scheme == "light")
    view.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert view.evaluate(CONTRAST) == []


@pytest.mark.parametrize("what", ["won", "hostile", "long"])
def test_a_phone_needs_no_scrolling_to_the_side(opened: Opened, what: str) -> None:
    kitchen = {"won": won, "hostile": hostile, "long": lambda: hostile("pneumono" * 60)}[what]()
    view = opened(pages([kitchen.run, kitchen.run], text=kitchen.text), viewport=PHONE)
    assert view.evaluate(OVERFLOW) == 0
    view.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert view.evaluate(OVERFLOW) == 0


def test_what_candidates_wrote_does_nothing(opened: Opened) -> None:
    kitchen = hostile()
    view = opened(page(kitchen.run, text=kitchen.text))
    view.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert view.locator("img, svg[onload]").count() == 0
    assert view.get_by_text("onerror=alert(1)").first.is_visible()


@pytest.mark.parametrize(("window", "scheme"), [(DESK, "light"), (DESK, "dark"), (PHONE, "light")])
def test_it_can_be_looked_at(
    opened: Opened, document: str, tmp_path: Path, window: dict[str, int], scheme: str
) -> None:
    """pytest keeps the folder: have a look at what the page has become."""
    picture = opened(document, viewport=window, color_scheme=scheme).screenshot(
        path=tmp_path / "page.png", full_page=True
    )
    width, height = (int.from_bytes(picture[start : start + 4], "big") for start in (16, 20))
    assert width == window["width"]
    assert height > 3 * window["height"]


def test_on_paper_everything_is_unfolded(opened: Opened, document: str) -> None:
    view = opened(document)
    view.emulate_media(media="print")
    boxes = [report.bounding_box() for report in view.get_by_text("assert 'strasse' == 'straße'").all()]
    assert all(box is not None and box["height"] > 0 for box in boxes)
    assert boxes
    assert view.evaluate(OVERFLOW) == 0


# ── Matrices ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def matrix() -> str:
    made = pilot()
    return page(made.run, text=made.text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_stand_out_from_their_colours(opened: Opened, matrix: str, scheme: str) -> None:
    view = opened(matrix, color_scheme=scheme)
    view.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert view.evaluate(CONTRAST) == []
    shades = "[...document.querySelectorAll('.heat td')].map((one) => getComputedStyle(one).backgroundColor)"
    assert len(set(view.evaluate(shades))) > 5


@pytest.mark.promise("M10")
@pytest.mark.parametrize("what", ["pilot", "hostile"])
def test_a_matrix_fits_a_phone(opened: Opened, matrix: str, what: str) -> None:
    made = hostile_matrix(HOSTILE)
    view = opened(matrix if what == "pilot" else page(made.run, text=made.text), viewport=PHONE)
    view.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert view.evaluate(OVERFLOW) == 0
    lines = "[...document.querySelectorAll('.tasks tbody th')].map((one) => one.getBoundingClientRect().height)"
    assert what == "hostile" or max(view.evaluate(lines)) < 40, "a task's name is not broken into letters"


def test_points_of_a_drawing_are_where_their_numbers_say(opened: Opened, matrix: str) -> None:
    view = opened(matrix)
    rows = [[cell.inner_text() for cell in row.locator("td, th").all()] for row in view.locator(".ways tbody tr").all()]
    places = {}
    for group in view.locator(".plot g").all():
        box = group.locator("circle").bounding_box()
        assert box is not None
        places[group.locator("text").text_content()] = (box["x"], box["y"])
    costs = {number: float(cost.strip("$")) for number, _, cost, _ in rows}
    scores = {number: float(score) for number, _, _, score in rows}
    assert places.keys() == costs.keys()
    assert sorted(places, key=lambda one: places[one][0]) == sorted(places, key=lambda one: costs[one])
    for one in places:
        for other in places:
            assert scores[one] <= scores[other] or places[one][1] < places[other][1]


@pytest.mark.parametrize(("window", "scheme"), [(DESK, "light"), (DESK, "dark"), (PHONE, "light")])
def test_a_matrix_can_be_looked_at(
    opened: Opened, matrix: str, tmp_path: Path, window: dict[str, int], scheme: str
) -> None:
    picture = opened(matrix, viewport=window, color_scheme=scheme).screenshot(
        path=tmp_path / "matrix.png", full_page=True
    )
    assert int.from_bytes(picture[16:20], "big") == window["width"]
