"""What is to be improved, and by which name it is imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.targets import Target
from repositories import write_files

FILES = {
    "src/shop/__init__.py": "",
    "src/shop/deep/__init__.py": "",
    "src/shop/deep/till.py": "",
    "space/acme/tools/m.py": "",
    "flat.py": "",
}


@pytest.mark.parametrize(
    ("text", "module", "root"),
    [
        ("src/shop/deep/till.py::f", "shop.deep.till", "src"),
        ("src/shop/deep/__init__.py::f", "shop.deep", "src"),
        ("flat.py::Class.f", "flat", ""),
        ("space/acme/tools/m.py::f", "m", "space/acme/tools"),
    ],
)
def test_packages_begin_where_there_is_no_more_init(tmp_path: Path, text: str, module: str, root: str):
    write_files(tmp_path, FILES)
    target = Target.find(text, tmp_path)
    assert (target.module, target.root, str(target)) == (module, root, text)


@pytest.mark.parametrize(
    ("modules", "module", "root"),
    [
        (["acme.tools.m"], "acme.tools.m", "space"),
        (["tools.m", "m"], "tools.m", "space/acme"),
        (["other.m"], "m", "space/acme/tools"),
        ([], "m", "space/acme/tools"),
    ],
)
def test_who_imports_it_knows_its_name(tmp_path: Path, modules: list[str], module: str, root: str):
    write_files(tmp_path, FILES)
    target = Target.find("space/acme/tools/m.py::f", tmp_path).imported_as(modules)
    assert (target.module, target.root) == (module, root)


@pytest.mark.parametrize("text", ["nothing.py::f", "src::f", "flat.py", "flat.py::f.<locals>.g", "../flat.py::f"])
def test_what_is_no_target_is_refused(tmp_path: Path, text: str):
    write_files(tmp_path / "inside", FILES)
    with pytest.raises(UsageError):
        Target.find(text, tmp_path / "inside")
