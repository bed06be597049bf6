"""Which candidates the rules propose, round by round, for real repositories."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst
import pytest

from bakeoff.candidates import Candidate, Change
from bakeoff.candidates.tried import Tried
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    Decision,
    Profile,
    ProfiledFunction,
    ProfiledLine,
    Speedup,
    Verdict,
)
from bakeoff.sources import Brief, Proposal, Scope
from bakeoff.sources.rules import RulesSource
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule
from bakeoff.targets import Target
from bakeoff.workspaces import WorktreePool
from repositories import make_repository

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.anyio

PATH = "pkg/mod.py"
MODULE = '''\
"""Words."""


def pick(words, allowed):
    found = []
    for word in words:
        if word in allowed:
            found.append(clean(word))
    return sorted(found)[0]


def clean(word):
    text = ""
    for letter in word:
        text += letter.lower()
    return text


def apart(values):
    return sorted(values)[0]
'''


@asynccontextmanager
async def opened(folder: Path, content: str | bytes, name: str = "pick", **options):
    repository = make_repository(folder / "repository", {"pkg/__init__.py": "", PATH: content})
    async with WorktreePool(repository, size=1) as pool:
        target = Target(path=PATH, name=name)
        yield Brief(pool=pool, target=target, scope=Scope.of_target(target), **{"most": 30, **options})


async def proposed(brief: Brief, source: RulesSource | None = None) -> list[Proposal]:
    return [one async for one in (source or RulesSource()).propose(brief)]


def text_of(proposal: Proposal) -> str:
    assert proposal.change is not None
    content = proposal.change.contents[PATH]
    assert content is not None
    return content.decode()


def tried(
    proposals: Iterable[Proposal], *, wrong: Iterable[str] = (), speedups: dict[str, float] | None = None
) -> tuple[Tried, ...]:
    """What became of proposals: all but the wrong ones are verified, those with a speedup for their name timed too."""
    return tuple(_tried(one, one.name in set(wrong), (speedups or {}).get(one.name)) for one in proposals)


def _tried(proposal: Proposal, is_wrong: bool, speedup: float | None) -> Tried:
    candidate = Candidate(
        id=f"id-{proposal.name}",
        name=proposal.name,
        source="rules",
        change=proposal.change or Change(),
        parents=proposal.parents,
        note=proposal.note,
    )
    verdict = Verdict.WRONG if is_wrong else Verdict.VERIFIED
    measured = None
    if speedup is not None:
        decision = Decision.FASTER if speedup > 1 else Decision.SLOWER
        interval = Speedup(estimate=speedup, low=speedup, high=speedup)
        measured = CandidateMeasured(candidate=candidate.id, decision=decision, speedup=interval)
    return Tried(
        candidate=candidate, judged=CandidateJudged(candidate=candidate.id, verdict=verdict), measured=measured
    )


# The first round


async def test_each_rewrite_by_itself_and_all_at_once(tmp_path: Path):
    async with opened(tmp_path, MODULE) as brief:
        found = await proposed(brief)
        fingerprints = {one.change.fingerprint(base=brief.pool.read) for one in found}
    names = [one.name for one in found]
    assert len(names) == len(set(names)) == len(fingerprints)
    assert {"list-membership", "join-strings", "sorted-first"} <= set(names)
    by_name = {one.name: text_of(one) for one in found}
    assert by_name["sorted-first"] == MODULE.replace("sorted(found)[0]", "min(found)")
    everything = text_of(found[0])
    assert "allowed_set = set(allowed)" in everything
    assert "min(found)" in everything
    assert '"".join(' in everything
    for text in by_name.values():
        compile(text, "<made>", "exec")
        assert "return sorted(values)[0]" in text, "what the target does not call is left alone"
    assert all(one.note and not one.problem and one.parents == () for one in found)


async def test_a_third_is_kept_for_later_rounds(tmp_path: Path):
    async with opened(tmp_path, MODULE, most=3) as brief:
        assert len(await proposed(brief)) == 2


async def test_a_rule_with_several_places_is_tried_at_each_and_at_all(tmp_path: Path):
    source = "def pick(a, b):\n    x = sorted(a)[0]\n    y = sorted(b)[-1]\n    return x + y\n"
    async with opened(tmp_path, source) as brief:
        found = {one.name: text_of(one) for one in await proposed(brief)}
    assert found["sorted-first@2"] == source.replace("sorted(a)[0]", "min(a)")
    assert found["sorted-first@3"] == source.replace("sorted(b)[-1]", "max(b)")
    assert found["sorted-first"] == source.replace("sorted(a)[0]", "min(a)").replace("sorted(b)[-1]", "max(b)")


def profile_of(shares: dict[int, float], seconds: float = 1.0) -> Profile:
    lines = tuple(ProfiledLine(number=number, hits=1, share=share, text="") for number, share in shares.items())
    return Profile(functions=(ProfiledFunction(name="pick", path=PATH, seconds=seconds, lines=lines),))


async def test_cheap_lines_are_not_worth_a_candidate(tmp_path: Path):
    source = (
        "def pick(a, b, c):\n    x = sorted(a)[0]\n    y = sorted(b)[-1]\n    z = sorted(c)[0]\n    return x, y, z\n"
    )
    async with opened(tmp_path, source, profile=profile_of({2: 0.3, 3: 0.69, 4: 0.01})) as brief:
        names = [one.name for one in await proposed(brief)]
        unprofiled = await proposed(replace(brief, profile=Profile(problem="there is no line_profiler")))
    assert names == ["sorted-first", "sorted-first@3", "sorted-first@2"]
    assert len(unprofiled) == 4


async def test_what_no_profile_looks_into_may_be_worth_it(tmp_path: Path):
    source = "def pick(a, b):\n    def inner(c):\n        return sorted(c)[0]\n    return inner(a), sorted(b)[0]\n"
    async with opened(tmp_path, source, profile=profile_of({2: 0.01, 4: 0.99})) as brief:
        assert {one.name for one in await proposed(brief)} == {"sorted-first", "sorted-first@3", "sorted-first@4"}
    known = profile_of({2: 0.01, 3: 0.01, 4: 0.98})
    async with opened(tmp_path / "known", source, profile=known) as brief:
        assert {one.name for one in await proposed(brief)} == {"sorted-first@4"}


# Later rounds


async def test_what_was_good_is_combined_and_what_was_wrong_is_left_out(tmp_path: Path):
    async with opened(tmp_path, MODULE) as brief:
        first = await proposed(brief)
        alone = [one for one in first if "+" not in one.name]
        speedups = {"sorted-first": 1.2, "join-strings": 1.5}
        bad = {one.name for one in first} - speedups.keys()
        later = replace(brief, tried=tried(alone, wrong=bad, speedups=speedups))
        second = await proposed(later)
        # The source keeps nothing that it needs: another one says the same.
        assert [one.name for one in await proposed(later)] == [one.name for one in second]
        both = next(one for one in second if text_of(one).count("min(found)") and '"".join(' in text_of(one))
        assert set(both.parents) == {"id-sorted-first", "id-join-strings"}
        assert both.parents[0] == "id-join-strings", "the best comes first"
        assert both.name == "join-strings+sorted-first"
        assert not any("allowed_set" in text_of(one) for one in second)


async def test_the_search_ends_and_never_repeats_itself(tmp_path: Path):
    seen: set[str] = set()
    async with opened(tmp_path, MODULE, most=100) as brief:
        source = RulesSource()
        known = brief
        for number in range(30):
            found = await proposed(known, source)
            if not found:
                break
            assert number == 0 or len(found) <= 8
            for one in found:
                fingerprint = one.change.fingerprint(base=brief.pool.read)
                assert fingerprint not in seen
                seen.add(fingerprint)
            known = replace(known, tried=(*known.tried, *tried(found)))
        else:
            pytest.fail("there is no end to it")
    depths: dict[str, int] = {}
    for one in known.tried:
        depths[one.candidate.id] = 1 + max((depths[parent] for parent in one.candidate.parents), default=0)
    assert 1 < max(depths.values()) <= 4


async def test_slower_ones_are_not_built_upon(tmp_path: Path):
    async with opened(tmp_path, MODULE) as brief:
        first = await proposed(brief)
        speedups = {one.name: 0.5 for one in first}
        assert await proposed(replace(brief, tried=tried(first, speedups=speedups))) == []


def numbers(start: int) -> Rule:
    """A rule that finds only what it has made itself, or another one."""

    def find(function: Function):
        for node in function.walk(cst.Integer):
            if node.value == str(start):
                yield Rewrite(replace={node: cst.Integer(str(start + 1))})

    return Rule(name=f"from-{start}", summary="s", unsafe="u", before="", after="", calls=(), find=find)


async def test_what_becomes_possible_is_found_on_what_was_made(tmp_path: Path):
    source = RulesSource([numbers(start) for start in range(1, 9)])
    async with opened(tmp_path, "def pick():\n    return 1\n") as brief:
        made = []
        known = brief
        while found := await proposed(known, source):
            made += [(one.name, text_of(one)[-2]) for one in found]
            known = replace(known, tried=(*known.tried, *tried(found)))
    assert made[:2] == [("from-1", "2"), ("from-1+from-2+from-3+1more", "5")]
    assert dict(made)["from-1+from-2"] == "3"
    assert dict(made)["from-1+from-2+from-3"] == "4"
    assert {digit for _, digit in made} == set("2345678"), made


async def test_what_was_cheap_is_tried_when_all_else_is_fast(tmp_path: Path):
    source = (
        "def pick(a, b, c):\n    x = sorted(a)[0]\n    y = sorted(b)[-1]\n    z = sorted(c)[0]\n    return x, y, z\n"
    )
    async with opened(tmp_path, source, profile=profile_of({2: 0.985, 3: 0.0145, 4: 0.0005})) as brief:
        source_of_rules = RulesSource()
        first = await proposed(brief, source_of_rules)
        assert [one.name for one in first] == ["sorted-first@2"]
        slightly = tried(first, speedups={"sorted-first@2": 2.0})
        assert await proposed(replace(brief, tried=slightly), source_of_rules) == []
        much = tried(first, speedups={"sorted-first@2": 12.0})
        [ripe] = await proposed(replace(brief, tried=much), source_of_rules)
    assert ripe.parents == ("id-sorted-first@2",)
    assert "max(b)" in text_of(ripe)
    assert "sorted(c)[0]" in text_of(ripe)


async def test_minor_things_are_not_tried_place_by_place(tmp_path: Path):
    minor = replace(numbers(1), is_minor=True)
    async with opened(tmp_path, "def pick(a):\n    return 1 + 1 + 5 + 5\n") as brief:
        source = RulesSource([minor, numbers(5)])
        first = await proposed(brief, source)
        names = [one.name for one in first]
        assert names[0] == "from-5", "what is minor joins in when it has shown that it gains something"
        assert names[-1] == "from-1", "what is minor comes last"
        assert sorted(names[1:-1]) == ["from-5@2", "from-5@2-2"]
        # What was good at all places at once counts as good at each.
        alone = [one for one in first if one.name in {"from-1", "from-5"}]
        second = await proposed(replace(brief, tried=tried(alone, speedups={"from-1": 1.1, "from-5": 1.2})), source)
    assert "return 2 + 2 + 6 + 6" in text_of(second[0])
    assert second[0].parents == ("id-from-5", "id-from-1")


async def test_names_stay_short_however_much_is_combined(tmp_path: Path):
    rules = [replace(numbers(start), name=f"{start}-more") for start in (1, 2, 3, 5, 7)]
    async with opened(tmp_path, "def pick(a):\n    return 1, 3, 5, 7\n") as brief:
        source = RulesSource(rules)
        [whole, *_] = await proposed(brief, source)
        [known] = tried([replace(whole, name=f"{whole.name}-2")])
        [further, *_] = await proposed(replace(brief, tried=(known,)), source)
    assert whole.name == "1-more+3-more+5-more+1more"
    assert "return 3, 4, 6, 8" in text_of(further)
    assert further.name == "1-more+3-more+5-more+2more"


async def test_the_note_tells_of_all_that_was_combined(tmp_path: Path):
    rules = [replace(numbers(start), summary=f"{start} → {start + 1}") for start in (1, 2, 3, 5, 7)]
    async with opened(tmp_path, "def pick(a):\n    return 1, 5\n") as brief:
        source = RulesSource(rules)
        first = await proposed(brief, source)
        [one, other] = [one for one in first if "+" not in one.name]
        assert [one.note for one in first] == ["1 → 2; 5 → 6", "1; 5; 2; 3", "1 → 2", "5 → 6"]
        known = tried([one, other], speedups={"from-1": 1.1, "from-5": 1.2})
        [both, *_] = await proposed(replace(brief, tried=known), source)
        [whole] = tried([both], speedups={both.name: 1.3})
        [further, *_] = await proposed(replace(brief, tried=(*known, whole)), source)
    assert both.note == "5 → 6; 1 → 2"
    assert further.note == "5; 1; 2"


async def test_what_was_faster_is_combined_before_what_was_only_no_slower(tmp_path: Path):
    async with opened(tmp_path, "def pick(a):\n    return 1, 3, 5\n") as brief:
        source = RulesSource([numbers(1), numbers(3), numbers(5)])
        first = await proposed(brief, source)
        alone = [one for one in first if "+" not in one.name]
        second = await proposed(replace(brief, tried=tried(alone, speedups={"from-1": 1.1, "from-5": 1.2})), source)
    assert [text_of(one).split("return ")[1].strip() for one in second[:2]] == ["2, 3, 6", "2, 4, 6"]


async def test_candidates_of_others_are_not_proposed_again(tmp_path: Path):
    async with opened(tmp_path, "def pick(a):\n    return sorted(a)[0]\n") as brief:
        [only] = await proposed(brief)
        [same] = tried([replace(only, name="by hand")])
        theirs = Tried(candidate=replace(same.candidate, source="patches"), judged=same.judged)
        assert await proposed(replace(brief, tried=(theirs,))) == []


# Files and targets of all kinds


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
async def test_the_form_of_the_file_is_kept(tmp_path: Path, bom: bytes, newline: str):
    source = MODULE.replace("    ", "\t").replace("Words", "Wörter").replace("\n", newline)
    async with opened(tmp_path, bom + source.encode()) as brief:
        found = await proposed(brief)
    assert len(found) > 3
    for one in found:
        content = one.change.contents[PATH]
        assert content.startswith(bom + '"""Wörter'.encode())
        assert content.count(b"\n") == content.count(newline.encode())
        assert b"    " not in content
        assert b"\n\n\n\n" not in content.replace(b"\r", b"")


async def test_another_encoding_is_kept(tmp_path: Path):
    source = "# coding: latin-1\n\ndef pick(a):\n    return sorted(a)[0], 'ä'\n".encode("latin-1")
    async with opened(tmp_path, source) as brief:
        [only] = await proposed(brief)
        assert only.change.contents[PATH] == source.replace(b"sorted(a)[0]", b"min(a)")


TARGETS = {
    "method": ("Box.pick", "class Box:\n    @cached\n    def pick(self, a):\n        return sorted(a)[0]\n"),
    "async": ("pick", "async def pick(a):\n    return sorted(await a)[0]\n"),
    "decorated": ("pick", "@some(\n    thing\n)\ndef pick(a):\n    return sorted(a)[0]\n"),
    "nested": ("pick", "def pick(a):\n    def inner():\n        return sorted(a)[0]\n    return inner()\n"),
    "in a condition": (
        "pick",
        "try:\n    import x\nexcept ImportError:\n    def pick(a):\n        return sorted(a)[0]\n",
    ),
    "one line": ("pick", "def pick(a): return sorted(a)[0]\n"),
    "no newline": ("pick", "def pick(a): return sorted(a)[0]"),
    "generator": ("pick", "def pick(a):\n    yield sorted(a)[0]\n"),
    "property": ("Box.pick", "class Box:\n    @property\n    def pick(self):\n        return sorted(self.a)[0]\n"),
    "inner class": ("A.B.pick", "class A:\n    class B:\n        def pick(a):\n            return sorted(a)[0]\n"),
    "helper": (
        "Box.pick",
        "class Box:\n    def pick(self):\n        return Box.h()\n    def h():\n        sorted(a)[0]\n",
    ),
}


@pytest.mark.parametrize("kind", TARGETS)
async def test_targets_of_all_kinds(tmp_path: Path, kind: str):
    name, source = TARGETS[kind]
    async with opened(tmp_path, source, name) as brief:
        [only] = await proposed(brief)
    assert text_of(only) in {
        source.replace(f"sorted({inner})[0]", f"min({inner})") for inner in ("a", "self.a", "await a")
    }


async def test_what_cannot_be_rewritten_says_why(tmp_path: Path):
    async with opened(tmp_path, "def pick(:\n") as brief:
        [unreadable] = await proposed(brief)
        [missing] = await proposed(replace(brief, target=Target(path="pkg/other.py", name="f")))
        [forbidden] = await proposed(replace(brief, scope=Scope(globs=("docs/**",))))
        [unknown] = await proposed(replace(brief, target=Target(path="pkg/__init__.py", name="f")))
        assert await proposed(replace(brief, target=None)) == []
        assert await proposed(replace(brief, most=0)) == []
    assert "line 1 cannot be parsed" in unreadable.problem
    assert "no such file" in missing.problem
    assert "may not be edited" in forbidden.problem
    assert "no function 'f'" in unknown.problem
    assert {one.change for one in (unreadable, missing, forbidden, unknown)} == {None}


async def test_a_rule_that_stumbles_is_told_of_and_the_others_go_on(tmp_path: Path):
    def stumbling(function: Function):
        raise IndexError("nothing there")
        yield

    bad = Rule(name="bad", summary="s", unsafe="u", before="", after="", calls=(), find=stumbling)
    async with opened(tmp_path, "def pick():\n    return 1\n") as brief:
        good, told = await proposed(brief, RulesSource([bad, numbers(1)]))
    assert (good.name, told.name, told.change) == ("from-1", "bad", None)
    assert "nothing there" in told.problem


def test_libcst_is_imported_late():
    code = "import sys, json, bakeoff.sources.rules as r; r.RulesSource(); print(json.dumps([*sys.modules]))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "libcst" not in json.loads(found.stdout)
