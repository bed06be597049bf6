"""How values of numpy, pandas, polars and torch are compared, where those are there; they are never imported."""

from __future__ import annotations

import itertools
import math
import sys

from .classes import guarded
from .differences import Found, position, unequal
from .objects import AT_ONCE, OBJECT, VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .objects import Children, Entry
    from .walk import Walk

__all__ = ["READERS"]


def _ndarray(walk: Walk, expected: Any, actual: Any) -> Children | None:
    np = sys.modules["numpy"]
    left, right = (np.ndarray.view(one, np.ndarray) for one in (expected, actual))
    if left.dtype != right.dtype:
        raise Found("type", str(left.dtype), str(right.dtype), ".dtype")
    if left.shape != right.shape:
        raise Found("length", str(left.shape), str(right.shape), ".shape")
    _overlapping(walk, np, left, right)
    return _values(walk, np, left, right)


def _overlapping(walk: Walk, np: Any, left: Any, right: Any) -> None:
    """Who writes into one array sees it in those that overlap; so they must overlap on both sides."""
    if not (left.size and left.flags.writeable and right.flags.writeable) or len(walk.arrays) >= _MOST_ARRAYS:
        return
    for before, twin in walk.arrays:
        shared = [guarded(np.shares_memory, *pair, 10_000) for pair in ((left, before), (right, twin))]
        if None not in shared and bool(shared[0]) != bool(shared[1]):
            texts = [("shares memory" if one else "shares no memory") + " with an array met before" for one in shared]
            raise Found("aliasing", *texts)
    walk.arrays.append((left, right))


def _values(walk: Walk, np: Any, left: Any, right: Any) -> Children | None:
    """Of two arrays of one dtype and shape."""
    if left.dtype.names:
        return ((f"[{name!r}]", left[name], right[name]) for name in left.dtype.names)
    if left.dtype.kind in "OT":
        places = (("at", place, left.shape) for place in itertools.count())
        return zip(places, left.ravel().tolist(), right.ravel().tolist())
    alike = _alike_values(walk, np, left, right)
    if not alike.all():
        place = int(np.argmin(alike.ravel()))
        raise unequal(left.ravel()[place], right.ravel()[place], position(place, left.shape))
    return None


def _alike_values(walk: Walk, np: Any, left: Any, right: Any) -> Any:
    """For each place whether both are the same there."""
    kind = left.dtype.kind
    with np.errstate(all="ignore"):
        if kind == "c":
            real, imaginary = ((left.real, right.real), (left.imag, right.imag))
            return _alike_values(walk, np, *real) & _alike_values(walk, np, *imaginary)
        if kind == "f":
            same = _near(walk, np, left, right) if walk.close else (left == right) & _signs(np, left, right)
            return same | (np.isnan(left) & np.isnan(right))
        if kind in "mM":
            return (left == right) | (np.isnat(left) & np.isnat(right))
        if kind == "V":
            return np.array(left.tobytes() == right.tobytes())
        return np.asarray(left == right)


def _signs(np: Any, left: Any, right: Any) -> Any:
    return np.signbit(left) == np.signbit(right)


def _near(walk: Walk, np: Any, left: Any, right: Any) -> Any:
    """As `math.isclose` has it."""
    room = np.maximum(walk.rules.rtol * np.maximum(np.abs(left), np.abs(right)), walk.rules.atol)
    return (left == right) | (np.isfinite(left) & np.isfinite(right) & (np.abs(left - right) <= room))


def _number(walk: Walk, expected: Any, actual: Any) -> Children | None:
    """A number of numpy's, or a record."""
    np = sys.modules["numpy"]
    left, right = np.asarray(expected), np.asarray(actual)
    if left.dtype != right.dtype:
        raise Found("type", str(left.dtype), str(right.dtype), ".dtype")
    return _values(walk, np, left, right)


def _masked(_: Walk, expected: Any, actual: Any) -> Children:
    np = sys.modules["numpy"]
    masks = [np.ma.getmaskarray(one) for one in (expected, actual)]
    yield ".mask", *masks
    # What is behind the mask nobody sees.
    contents = [np.array(np.ma.getdata(one), subok=False) for one in (expected, actual)]
    if not contents[0].dtype.names:
        for content, mask in zip(contents, masks):
            content[mask] = np.zeros((), content.dtype)
    yield ".data", *contents
    yield ".fill_value", *(np.asarray(one.fill_value) for one in (expected, actual))


def _dtype(_: Walk, expected: Any, actual: Any) -> None:
    if expected is not actual and expected != actual:
        raise Found("value", str(expected), str(actual))


def _table(_: Walk, expected: Any, actual: Any) -> Children:
    """A DataFrame of pandas: not by its own `==` and `equals`, which see no types of columns and no names."""
    for name in ("columns", "index", "attrs"):
        yield f".{name}", getattr(expected, name), getattr(actual, name)
    for place, name in enumerate(list(expected.columns)):
        yield ("key", name), *(_backing(one.iloc[:, place]) for one in (expected, actual))


def _series(_: Walk, expected: Any, actual: Any) -> Children:
    for name in ("name", "index", "attrs"):
        yield f".{name}", getattr(expected, name), getattr(actual, name)
    yield ".values", _backing(expected), _backing(actual)


def _index(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".names", list(expected.names), list(actual.names)
    if hasattr(expected, "levels"):
        left, right = ([str(dtype) for dtype in one.dtypes] for one in (expected, actual))
        yield ".dtypes", left, right
        yield ".values", list(expected), list(actual)
    else:
        yield ".values", _backing(expected), _backing(actual)


def _backing(column: Any) -> Any:
    """An array of numpy's where it is one, else pandas' own."""
    plain = isinstance(column.dtype, sys.modules["numpy"].dtype)
    return column.to_numpy() if plain else column.array


def _extension(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".dtype", str(expected.dtype), str(actual.dtype)
    if hasattr(expected, "categories"):
        for name in ("categories", "ordered"):
            yield f".{name}", getattr(expected, name), getattr(actual, name)
    yield "", list(expected), list(actual)


def _polars_table(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".columns", list(expected.columns), list(actual.columns)
    for name in list(expected.columns):
        yield ("key", name), expected[name], actual[name]


def _polars_series(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".name", expected.name, actual.name
    yield ".dtype", str(expected.dtype), str(actual.dtype)
    yield "", expected.to_list(), actual.to_list()


def _lazy(_: Walk, expected: Any, actual: Any) -> Children:
    """A query that was not run, or an expression: by how it is written down."""
    for left, right in ((expected, actual), (getattr(expected, "meta", None), getattr(actual, "meta", None))):
        yield ".serialize()", *(guarded(lambda one=one: one.serialize()) for one in (left, right))


def _generator(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".get_state()", expected.get_state(), actual.get_state()


def _tensor(walk: Walk, expected: Any, actual: Any) -> Children:
    for name, kind in (("dtype", "type"), ("shape", "length"), ("device", "value"), ("layout", "type")):
        left, right = str(getattr(expected, name)), str(getattr(actual, name))
        if left != right:
            raise Found(kind, left, right, f".{name}")
    yield ".requires_grad", expected.requires_grad, actual.requires_grad
    if expected.is_leaf and actual.is_leaf:  # others have none, and warn
        yield ".grad", expected.grad, actual.grad
    if expected.device.type == "meta":
        return
    _tensor_values(walk, *(_dense(one) for one in (expected, actual)))


def _dense(tensor: Any) -> Any:
    plain = tensor.detach()
    plain = plain.dequantize() if plain.is_quantized else plain
    return (plain if str(plain.layout) == "torch.strided" else plain.to_dense()).cpu().resolve_conj().resolve_neg()


def _tensor_values(walk: Walk, left: Any, right: Any) -> None:
    torch = sys.modules["torch"]
    shape = tuple(left.shape)
    if left.is_complex():
        left, right = torch.view_as_real(left), torch.view_as_real(right)
    alike = left == right
    if left.is_floating_point():
        left, right = (one.double() for one in (left, right))  # the small types of floats lack half of what follows
        if walk.close:
            room = torch.clamp(walk.rules.rtol * torch.maximum(left.abs(), right.abs()), min=walk.rules.atol)
            finite = torch.isfinite(left) & torch.isfinite(right)
            alike = (left == right) | (finite & ((left - right).abs() <= room))
        else:
            alike = (left == right) & (torch.signbit(left) == torch.signbit(right))
        alike |= torch.isnan(left) & torch.isnan(right)
    if not bool(alike.all()):
        place = int((~alike).reshape(-1).nonzero()[0])
        values = [one.reshape(-1)[place].item() for one in (left, right)]
        raise unequal(values[0], values[1], position(place // (left.numel() // max(1, math.prod(shape))), shape))


_MOST_ARRAYS = 64
READERS: dict[str, list[tuple[str, Entry]]] = {
    "numpy": [
        ("ma.MaskedArray", (_masked, OBJECT, True)),
        ("ndarray", (_ndarray, OBJECT, True)),
        ("generic", (_number, VALUE, True)),
        ("dtype", (_dtype, AT_ONCE, True)),
    ],
    "pandas": [
        ("DataFrame", (_table, OBJECT, True)),
        ("Series", (_series, OBJECT, True)),
        ("Index", (_index, VALUE, True)),
        ("api.extensions.ExtensionArray", (_extension, VALUE, True)),
    ],
    "polars": [
        ("DataFrame", (_polars_table, OBJECT, True)),
        ("Series", (_polars_series, OBJECT, True)),
        ("LazyFrame", (_lazy, OBJECT, True)),
        ("Expr", (_lazy, VALUE, True)),
    ],
    "torch": [("Tensor", (_tensor, OBJECT, True)), ("Generator", (_generator, OBJECT, True))],
}
