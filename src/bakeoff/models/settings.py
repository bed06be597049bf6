"""What a user may say of a provider."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from bakeoff.errors import UsageError

__all__ = ["ProviderSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """How one provider is called.

    At most `concurrency` calls are open at a time, and fewer while it says that it is busy. `key_variable` names the
    environment variable that holds the key, where it is not the provider's usual one. `timeout` is of one attempt, and
    the longest that is waited because the provider asks for it. A call has at most `attempts`; `backoff` is what is
    waited before the second one, and doubles from there.
    """

    concurrency: int = 4
    base_url: str | None = None
    key_variable: str | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 600.0
    attempts: int = 6
    backoff: float = 1.0

    def __post_init__(self) -> None:
        _require("concurrency", self.concurrency, is_fit=self.concurrency >= 1, least="at least 1")
        _require("attempts", self.attempts, is_fit=self.attempts >= 1, least="at least 1")
        _require("timeout", self.timeout, is_fit=self.timeout > 0, least="above 0")
        _require("backoff", self.backoff, is_fit=self.backoff >= 0, least="at least 0")
        if self.base_url is not None:
            _require_address(self.base_url)
        for name, rate in (
            ("requests_per_minute", self.requests_per_minute),
            ("tokens_per_minute", self.tokens_per_minute),
        ):
            _require(name, rate, is_fit=rate is None or rate > 0, least="above 0")


def _require(name: str, value: float | None, *, is_fit: bool, least: str) -> None:
    if not is_fit:
        raise UsageError(f"{name} of a provider must be {least}, not {value}")


def _require_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    else:
        if parts.password is not None:
            raise UsageError(
                "base_url of a provider must be an address without a password: addresses are recorded",
                hint="key_variable names the environment variable that has a key",
            )
    if not is_one:
        raise UsageError(f"base_url of a provider must be an address like http://127.0.0.1:8080/v1, not {url!r}")
