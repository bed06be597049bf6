"""What a class is called, comes from and holds, read from `type` itself: a metaclass has no say."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Foreign = Any  # whatever the user's code made

__all__ = ["dict_of", "guarded", "method_of", "mro_of", "name_of", "root_of", "same_type", "title_of", "within"]

_module_of, _qualname_of, mro_of, dict_of = (
    vars(type)[name].__get__ for name in ("__module__", "__qualname__", "__mro__", "__dict__")
)


def name_of(kind: type) -> tuple[str, str]:
    """Module and qualified name; "" for a module that was taken away, or is no text."""
    module = guarded(_module_of, kind)
    return (module if type(module) is str else ""), _qualname_of(kind)


def title_of(kind: type) -> str:
    module, name = name_of(kind)
    return name if module in ("", "builtins") else f"{module}.{name}"


def within(kind: type, base: type) -> bool:
    """What `issubclass` says, where a metaclass has no say."""
    return any(one is base for one in mro_of(kind))


def same_type(one: type, other: type) -> bool:
    """The same class, perhaps in two worlds."""
    if one is other:
        return True
    names = name_of(one), name_of(other)
    if {names[0][1], names[1][1]} == {"Index", "RangeIndex"} and {root_of(one), root_of(other)} == {"pandas"}:
        return True
    return names[0] == names[1] and names[0][0] not in ("", "builtins")


def root_of(kind: type) -> str:
    return name_of(kind)[0].partition(".")[0]


def guarded(function: Callable[..., Any], *arguments: Foreign) -> Any:
    """What a foreign function gives, or None where it raises."""
    try:
        return function(*arguments)
    except Exception:
        return None


def method_of(kind: type, name: str) -> Any:
    """What the classes hold under this name, the first of them."""
    return next((dict_of(one)[name] for one in mro_of(kind) if name in dict_of(one)), None)
