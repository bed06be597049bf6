"""Keys of providers: where they come from, and that they are shown to nobody."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Secret", "key_of"]

_log = logging.getLogger(__name__)

_SERVICE = "bakeoff"  # what keys are kept under in the keyring: `keyring set bakeoff openai`


class Secret:
    """A text that is only had by asking for it. Printed it is hidden, and it cannot be pickled or copied. Those of the
    same text are equal."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text itself, for whoever sends it to its provider."""
        return self._value

    @property
    def is_sendable(self) -> bool:
        """Whether it can stand in a header."""
        return self._value.isascii() and self._value.isprintable()

    def hidden(self, text: str) -> str:
        """A text of somebody else without this one in it."""
        return text.replace(self._value, repr(self))

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return self._value == other.reveal() if isinstance(other, Secret) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is neither pickled nor copied")


def key_of(provider: str, environment: Mapping[str, str], variable: str | None) -> Secret | None:
    """The key of a provider: from an environment variable, else from the keyring where that is installed."""
    value = environment.get(variable, "").strip() if variable else ""
    if not value:
        value = (_kept(provider) or "").strip()
    return Secret(value) if value else None


def _kept(provider: str) -> str | None:
    """What the keyring has. One that is locked, or that has nowhere to keep anything, has no key."""
    try:
        import keyring  # noqa: PLC0415 (optional, and not needed where the environment has the key)
        import keyring.errors  # noqa: PLC0415
    except ImportError:
        return None
    try:
        return keyring.get_password(_SERVICE, provider)
    except keyring.errors.KeyringError as error:
        _log.info("the keyring was not read for %s: %r", provider, error)
        return None
