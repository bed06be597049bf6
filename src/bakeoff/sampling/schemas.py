"""JSON schemas: data held against them by the `jsonschema` package, and what is wrong said in words for a model.

Every draft that the package knows can be used, named by `$schema`; without one it is 2020-12. `format` describes, and
is not checked. Nothing is fetched: a schema may only refer to what stands in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from jsonschema.exceptions import SchemaError, ValidationError
    from jsonschema.protocols import Validator
    from referencing._core import Resolver
    from referencing.jsonschema import SchemaResource

__all__ = ["Schema"]

_MOST_PROBLEMS: Final = 5
_LONGEST_PROBLEM: Final = 300


class Schema:
    """A schema that data is held against. Raises UsageError for one that is none, or that refers to what is not there:
    before anything is paid for."""

    def __init__(self, source: Mapping[str, Any]) -> None:
        self._validator = _validator(_object(source))

    def problems(self, value: Any) -> list[str]:  # noqa: ANN401 (what JSON can hold)
        """What is wrong with the value, the first few; none where it fits."""
        try:
            return [_words(_nearest(error)) for error in islice(self._validator.iter_errors(value), _MOST_PROBLEMS)]
        except RecursionError:
            return ["it is nested too deeply"]


def _object(source: object) -> dict[str, Any]:
    if not isinstance(source, Mapping):
        raise _refused("it is no object")
    if not isinstance(source.get("$schema", ""), str):
        raise _refused("its $schema is no text")
    return dict(source)


def _validator(source: dict[str, Any]) -> Validator:
    try:
        import jsonschema  # noqa: PLC0415 (optional, and a quarter of a second)
        import jsonschema.validators  # noqa: PLC0415
        import referencing  # noqa: PLC0415
        import referencing.exceptions  # noqa: PLC0415
        import referencing.jsonschema  # noqa: PLC0415
    except ImportError:
        hint = "pip install 'bakeoff[models]' brings it"
        raise UsageError("what checks JSON schemas is not installed", hint=hint) from None
    kind = jsonschema.validators.validator_for(source, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(source)
        resource = referencing.Resource.from_contents(source, default_specification=referencing.jsonschema.DRAFT202012)
        registry: referencing.Registry[Any] = referencing.Registry().with_resource("", resource).crawl()
        _follow(resource, registry.resolver_with_root(resource))
    except jsonschema.SchemaError as error:
        raise _refused(_words(error)) from None
    except referencing.exceptions.Unresolvable as error:
        raise _refused(f"there is no {error.ref!r} in it", hint="put it under $defs") from None
    return kind(source, registry=registry)


def _follow(resource: SchemaResource, resolver: Resolver[Any]) -> None:
    """See that every reference leads somewhere; the package would look only once a value comes to it."""
    contents = resource.contents
    for word in ("$ref", "$dynamicRef"):
        if isinstance(contents, dict) and isinstance(contents.get(word), str):
            resolver.lookup(contents[word])
    for inner in resource.subresources():
        _follow(inner, resolver.in_subresource(inner))


def _refused(why: str, *, hint: str | None = None) -> UsageError:
    return UsageError(f"the JSON schema cannot be used: {why}", hint=hint)


def _nearest(error: ValidationError) -> ValidationError:
    """Of a value that fits none of several forms, what keeps it from the one that it is closest to."""
    from jsonschema.exceptions import best_match  # noqa: PLC0415 (see _validator)

    return best_match(iter([error])) or error


def _words(error: ValidationError | SchemaError) -> str:
    message = error.message
    if len(message) > _LONGEST_PROBLEM:
        # It begins with the value; what is asked of it comes at the end.
        half = _LONGEST_PROBLEM // 2
        message = f"{message[:half]} … {message[-half:]}"
    where = error.json_path.removeprefix("$").removeprefix(".")
    return f"{where}: {message}" if where else message
