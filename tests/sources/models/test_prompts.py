"""The texts that models are asked with, ours and a user's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.sources.models.prompts import FIELDS, Prompt, Prompts


def test_ours_have_a_version_and_use_every_field_that_there_is():
    prompts = Prompts.of()
    for name, fields in FIELDS.items():
        prompt = prompts[name]
        assert prompt.version.isdigit()
        assert set(re.findall(r"\{\{(\w+)\}\}", prompt.text)) == fields
        assert not prompt.text.startswith("version")
        assert re.fullmatch(rf"{name} \d+ [0-9a-f]{{8}}", str(prompt))
    assert len(prompts["angles"].points()) == 8
    assert all("\n" not in point and len(point) > 20 for point in prompts["angles"].points())


def test_a_user_replaces_them_one_by_one(tmp_path: Path):
    (tmp_path / "fresh.md").write_text("version: mine-3\n\nMake it fast.\n{{ context }}\n")
    (tmp_path / "README.md").write_text("What these are for: {{anything}}")
    (tmp_path / "notes.txt").write_text("no prompt")
    prompts, ours = Prompts.of(tmp_path), Prompts.of()
    assert prompts["fresh"].version == "mine-3"
    assert prompts["fresh"].filled(context="CODE") == "Make it fast.\nCODE"
    assert prompts["repair"] == ours["repair"]
    assert prompts["fresh"].digest != ours["fresh"].digest


def test_one_without_a_version_is_known_by_its_digest(tmp_path: Path):
    (tmp_path / "angles.md").write_bytes(b"\xef\xbb\xbf- one\r\n- two\r\n  lines\r\n")
    prompt = Prompts.of(tmp_path)["angles"]
    assert prompt.points() == ("one", "two lines")
    assert re.fullmatch(r"angles [0-9a-f]{8}", str(prompt))
    assert Prompt.of("angles", "", where="angles.md").points() == ()


def test_what_is_put_in_is_not_looked_at_again():
    prompt = Prompt.of("fresh", "{{task}}\n\n{{angle}}\n\nA {{angle}}b {{context}}", where="fresh.md")
    filled = prompt.filled(task="\\1 {{context}}", angle="", context="{{task}}")
    assert filled == "\\1 {{context}}\n\n\nA b {{task}}"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("fresh.md", "{{contxt}}", r"fresh\.md: there is no field 'contxt'"),
        ("repair.md", "{{lineage}}", r"repair\.md: there is no field 'lineage'"),
        ("angles.md", "- {{task}}", r"angles\.md: there is no field 'task'"),
        ("frehs.md", "Hello", r"frehs\.md: there is no prompt of this name"),
        ("fresh.md", "x" * 300_000, r"fresh\.md is too large"),
        ("fresh.md", b"\xff\xfe", r"fresh\.md cannot be read"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_file(tmp_path: Path, name: str, text: str | bytes, said: str):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match=said):
        Prompts.of(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no folder of prompts"):
        Prompts.of(tmp_path / "none")
    (tmp_path / "fresh.md").mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        Prompts.of(tmp_path)
