"""What a model wrote, read for what it means: models put fences around data and code, and say a thing in many ways."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from bakeoff.candidates import canonical as canonical_file

__all__ = ["as_json", "canonical", "exact", "unfenced"]

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)


def unfenced(text: str) -> str:
    """What stands in the one fenced block of the text; the text itself, without white space around, where there is
    none, or where there are several."""
    blocks = _FENCED.findall(text)
    return (blocks[0][1] if len(blocks) == 1 else text).strip()


def as_json(text: str) -> Any:  # noqa: ANN401 (what JSON can hold)
    """The data that the text is, fenced or not. Raises ValueError for what is no JSON, NaN and infinity included."""
    try:
        return json.loads(unfenced(text), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def exact(text: str) -> str:
    """The text as it stands, but for white space around it."""
    return text.strip()


def canonical(text: str) -> str:
    """The text as it counts for telling answers apart, fenced or not: of JSON its value; of Python what is left without
    comments, formatting, docstrings and names of locals; of anything else the words, with single blanks."""
    body = unfenced(text)
    try:
        return json.dumps(as_json(body), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except ValueError:
        pass
    content = body.encode("utf-8", "surrogatepass")
    form = canonical_file("answer.py", content)
    return " ".join(body.split()) if form == content else form.decode("utf-8", "surrogatepass")
