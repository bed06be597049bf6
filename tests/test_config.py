from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.config import Options, load
from bakeoff.errors import UsageError
from bakeoff.models.prices import Rates

TOML = """
model = "openai:small"
provider-concurrency = {openai = 3}
[providers.openai]
base-url = "http://127.0.0.1:1/v1"
requests_per_minute = 60
[prices."openai:small"]
tokens_in = 1
tokens-out = 2.5
"""


def options(folder: Path, text: str = "", *, environment: dict[str, str] | None = None, **flags: object) -> Options:
    (folder / "bakeoff.toml").write_text(text)
    return load(folder, environment=environment or {}, flags=flags).options


def test_tables_of_settings_are_read_with_hyphens_or_underscores(tmp_path: Path):
    found = options(tmp_path, TOML, max_cost="0.5", max_time="2m")
    assert found.model == ("openai:small",)
    assert found.providers["openai"].base_url == "http://127.0.0.1:1/v1"
    assert found.providers["openai"].requests_per_minute == 60
    assert found.prices == {"openai:small": Rates(tokens_in=1, tokens_out=2.5)}
    assert (found.max_cost, found.max_time) == (0.5, 120.0)


@pytest.mark.parametrize(
    ("said", "seconds"), [("500ms", 0.5), ("3", 3.0), (3, 3.0), (".5s", 0.5), ("2 min", 120.0), ("1h", 3600.0)]
)
def test_times_have_units_or_are_seconds(tmp_path: Path, said: object, seconds: float):
    assert options(tmp_path, timing=said).timing == seconds


@pytest.mark.parametrize(
    ("said", "openai", "others"),
    [("4", 4, 4), (8, 8, 8), ("openai=2", 2, None), ("openai=2, anthropic=5, 3", 2, 3), ({"openai": 7}, 7, None)],
)
def test_caps_are_for_all_providers_or_for_each(tmp_path: Path, said: object, openai: int, others: int | None):
    caps = options(tmp_path, provider_concurrency=said).provider_concurrency
    assert caps is not None
    assert (caps.of("openai"), caps.of("mistral")) == (openai, others)


@pytest.mark.parametrize("said", ["0", 0, "-1", "x", "", "openai=", "openai=0", "2,3", "1.5", True])
def test_a_cap_below_one_or_that_is_no_number_is_a_usage_error(tmp_path: Path, said: object):
    with pytest.raises(UsageError, match=r"provider-concurrency = .*a number from 1 up is wanted"):
        options(tmp_path, provider_concurrency=said)


def test_a_flag_wins_over_the_environment_over_the_file(tmp_path: Path):
    environment = {"BAKEOFF_PROVIDER_CONCURRENCY": "5"}
    assert options(tmp_path, TOML).provider_concurrency == {"openai": 3}
    assert options(tmp_path, TOML, environment=environment).provider_concurrency == {"": 5}
    assert options(tmp_path, TOML, environment=environment, provider_concurrency="6").provider_concurrency == {"": 6}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[providers.openai]\nconcurency = 8",
            r"there is no setting 'concurency' in providers.openai(.|\n)*concurrency\?",
        ),
        ("[providers.openai]\nconcurrency = 0", "concurrency of a provider must be at least 1, not 0"),
        ("[providers.openai]\nconcurrency = 'many'", "providers = .*Expected `int`"),
        ("[providers]\nopenai = 3", "providers = .*Expected `object`"),
        ("[prices.'openai:m']\ntokens_in = 1", "prices = .*tokens_out"),
        ("max_cost = 'much'", "max-cost = 'much' cannot be used"),
    ],
)
def test_a_mistake_in_a_table_is_told_with_its_place(tmp_path: Path, text: str, said: str):
    with pytest.raises(UsageError, match=said):
        options(tmp_path, text)
