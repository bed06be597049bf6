"""The program that the engine starts, as `python -I -S FOLDER/__main__.py ACTION …`. The actions are

    serve SOCKET                            be a zygote
    once REQUEST ARGUMENTS RESULT STATUS    be the supervisor of one call
    probe                                   say what this kernel offers, as JSON

and their arguments are descriptors.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NAME = "_bakeoff"


def _part(name: str) -> Any:  # noqa: ANN401 (a module)
    """A module of this folder, which is made a package first."""
    if _NAME not in sys.modules:
        here = os.path.dirname(os.path.abspath(__file__))
        spec = importlib.util.spec_from_file_location(
            _NAME, os.path.join(here, "__init__.py"), submodule_search_locations=[here]
        )
        assert spec is not None
        assert spec.loader is not None
        package = sys.modules[_NAME] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
    return importlib.import_module(f"{_NAME}.{name}")


def main(action: str, *arguments: str) -> None:
    if action == "serve":
        _part("zygote").serve(int(arguments[0]))
    elif action == "once":
        _part("supervisor").supervise(*map(int, arguments))
    else:
        print(json.dumps(_part("probe").found()))  # noqa: T201 (this is the answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
