"""Values of pandas, polars, pydantic and torch: what their own `==` does not see is seen."""

from __future__ import annotations

import datetime as dt
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pydantic
import pytest

from bakeoff.instruments.compare import Rules, difference

if TYPE_CHECKING:
    from collections.abc import Callable

IS_TORCH_THERE = find_spec("torch") is not None
DAYS = pd.to_datetime(["2026-01-01", "2026-01-02"])


class Order(pydantic.BaseModel):
    number: int
    lines: list[str] = []


def frame(**changed: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": [1, 2], "b": [0.5, float("nan")], "c": ["x", None], **changed})


def polars_frame(**changed: Any) -> pl.DataFrame:
    return pl.DataFrame({"a": [1, 2], "b": [0.5, float("nan")], "c": ["x", None], **changed})


# What it is, the value, and others that are not the same, each with where that is seen.
CASES: list[tuple[str, Callable[[], Any], dict[str, Callable[[], Any]]]] = [
    (
        "a frame",
        frame,
        {
            "['a'][1]": lambda: frame(a=[1, 3]),
            "['a'].dtype": lambda: frame(a=np.array([1, 2], dtype="int32")),
            "['b'][0]": lambda: frame(b=[0.25, float("nan")]),
            "['c'][1]": lambda: frame(c=["x", "y"]),
            ".columns.values[0]": lambda: frame()[["b", "a", "c"]],
            ".index.values[0]": lambda: frame().set_index(pd.Index([1, 0])),
            ".attrs['unit']": lambda: _with_attrs(frame()),
        },
    ),
    (
        "a series",
        lambda: pd.Series([1, 2], name="n", index=DAYS),
        {
            ".name": lambda: pd.Series([1, 2], name="m", index=DAYS),
            ".index.names[0]": lambda: pd.Series([1, 2], name="n", index=DAYS.rename("day")),
            ".values[0]": lambda: pd.Series([0, 2], name="n", index=DAYS),
            ".values.dtype": lambda: pd.Series([1.0, 2.0], name="n", index=DAYS),
        },
    ),
    (
        "categories",
        lambda: pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["a", "b"])),
        {
            ".values.categories.values[0]": lambda: pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["b", "a"])),
            ".values.ordered": lambda: pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["a", "b"], ordered=True)),
        },
    ),
    (
        "several levels",
        lambda: pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["l", "n"]),
        {
            ".names[1]": lambda: pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["l", "m"]),
            ".values[1][1]": lambda: pd.MultiIndex.from_tuples([("x", 1), ("y", 3)], names=["l", "n"]),
        },
    ),
    (
        "nullable numbers",
        lambda: pd.Series([1, None], dtype="Int64"),
        {
            ".values[1]": lambda: pd.Series([1, 2], dtype="Int64"),
            ".values": lambda: pd.Series([1, None], dtype="Float64"),
        },
    ),
    (
        "a frame of polars",
        polars_frame,
        {
            "['a'][1]": lambda: polars_frame(a=[1, 3]),
            "['a'].dtype": lambda: polars_frame(a=pl.Series([1, 2], dtype=pl.Int32)),
            "['c'][1]": lambda: polars_frame(c=["x", ""]),
            ".columns[0]": lambda: polars_frame().select("b", "a", "c"),
        },
    ),
    (
        "a series of polars",
        lambda: pl.Series("s", [dt.date(2026, 1, 1), None]),
        {
            ".name": lambda: pl.Series("t", [dt.date(2026, 1, 1), None]),
            "[1]": lambda: pl.Series("s", [dt.date(2026, 1, 1)] * 2),
        },
    ),
    (
        "a query that was not run",
        lambda: polars_frame().lazy().filter(pl.col("a") > 1),
        {".serialize()": lambda: polars_frame().lazy().filter(pl.col("a") > 2)},
    ),
    ("an expression", lambda: pl.col("a") + 1, {".serialize()": lambda: pl.col("a") + 2}),
    (
        "a model of pydantic",
        lambda: Order(number=1, lines=["x"]),
        {
            ".number": lambda: Order(number=2, lines=["x"]),
            ".lines[0]": lambda: Order(number=1, lines=["y"]),
            ".__pydantic_fields_set__{'lines'}": lambda: Order.model_construct({"number"}, number=1, lines=["x"]),
        },
    ),
]


def _with_attrs(table: pd.DataFrame) -> pd.DataFrame:
    table.attrs["unit"] = "m"
    return table


@pytest.mark.parametrize(("make", "others"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_the_same_is_and_what_differs_is_found_where_it_does(
    make: Callable[[], Any], others: dict[str, Callable[[], Any]]
) -> None:
    assert difference(make(), make()) is None
    assert difference([make()], [make()]) is None
    for where, other in others.items():
        for pair in ((make(), other()), (other(), make())):
            found = difference(*pair)
            assert found is not None, where
            assert found.path == where


def test_a_tolerance_holds_in_tables_as_well() -> None:
    for make in (frame, polars_frame):
        one, other = make(), make(b=[0.5 * (1 + 1e-12), float("nan")])
        assert difference(one, other) is not None
        assert difference(one, other, Rules(rtol=1e-9)) is None


@pytest.mark.applies(IS_TORCH_THERE, "torch is not there")
def test_tensors() -> None:
    import torch

    def made(values: object = ((1.0, float("nan")), (-0.0, 2.0)), **options: Any) -> torch.Tensor:
        return torch.tensor(values, **options)

    assert difference(made(), made()) is None
    others = {
        "[1, 1]": made(((1.0, float("nan")), (-0.0, 3.0))),
        "[1, 0]": made(((1.0, float("nan")), (0.0, 2.0))),
        ".dtype": made(dtype=torch.float64),
        ".shape": made((1.0, 2.0)),
        ".requires_grad": made(requires_grad=True),
    }
    for where, other in others.items():
        found = difference(made(), other)
        assert found is not None, where
        assert where in found.path, (where, found)
    near = made(((1.0, float("nan")), (-0.0, 2.0 * (1 + 1e-6))))
    assert difference(made(), near) is not None
    assert difference(made(), near, Rules(rtol=1e-5)) is None
    assert difference(torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)) is None
    assert difference(torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)) is not None
