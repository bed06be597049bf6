"""Which files a candidate may edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.candidates import Change
from bakeoff.sources import Scope
from bakeoff.targets import Target


@pytest.mark.parametrize(
    ("globs", "path", "is_allowed"),
    [
        (("pkg/**",), "pkg/a.py", True),
        (("pkg/**",), "pkg/deep/er/a.py", True),
        (("pkg/**",), "pkgs/a.py", False),
        (("pkg/",), "pkg/deep/a.py", True),
        (("pkg/*.py",), "pkg/a.py", True),
        (("pkg/*.py",), "pkg/deep/a.py", False),
        (("**/*.py",), "a.py", True),
        (("**/*.py",), "deep/er/a.py", True),
        (("**/*.py",), "deep/er/a.c", False),
        (("a.py", "b.py"), "b.py", True),
        ((), "a.py", False),
        (("**",), "tests/test_a.py", False),
        (("**",), "pkg/tests/data.json", False),
        (("**",), "pkg/conftest.py", False),
        (("**",), "pkg/a_test.py", False),
        (("**",), "checks/odd.py", False),
        (("**",), "pkg/testing.py", True),
        (("**",), "pkg/test_data.txt", True),
    ],
)
def test_paths_in_and_out_of_scope(globs: tuple[str, ...], path: str, is_allowed: bool):
    assert Scope(globs=globs, tests=("checks/odd.py::test_x", "")).allows(path) is is_allowed


@pytest.mark.parametrize(
    ("path", "root", "inside", "outside"),
    [
        ("pkg/deep/mod.py", "", "pkg/other.py", "setup.py"),
        ("src/pkg/mod.py", "src", "src/pkg/deep/x.py", "src/other/x.py"),
        ("mod.py", "", "mod.py", "other.py"),
    ],
)
def test_the_scope_of_a_target_is_its_package(path: str, root: str, inside: str, outside: str):
    scope = Scope.of_target(Target(path=path, name="f", root=root))
    assert scope.allows(inside)
    assert not scope.allows(outside)


def test_what_of_a_change_is_outside_is_named():
    files = {"pkg/a.py": b"1", "setup.py": b"2", "tests/x": b"3"}
    change = Change.of(files, base=lambda _: None)
    assert Scope(globs=("pkg/**",)).outside(change) == ("setup.py", "tests/x")


@given(st.lists(st.sampled_from(["a", "b.py", "c"]), min_size=1, max_size=5))
def test_two_stars_fit_everything_that_is_no_test(parts: list[str]):
    path = "/".join(parts)
    assert Scope().allows(path)
    assert Scope(globs=(path,)).allows(path)
    assert Scope(globs=("/".join("*" for _ in parts),)).allows(path)
    assert not Scope(globs=("/".join("*" for _ in [*parts, "x"]),)).allows(path)
