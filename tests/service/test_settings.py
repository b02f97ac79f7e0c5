"""Settings of a server: every bad value is told, and what goes before what."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tarocchi_solver.cli import app
from tarocchi_solver.search import Budget
from tarocchi_solver.service.config import SETTINGS, ConfigError, ServerConfig, Token
from tarocchi_solver.service.settings import FLAGS, TOKENS_VARIABLE, Given, Settings, read_settings, variable_of

SECRET = "kept-to-itself-0123456789"
OTHER = "another-secret-0123456789"


def read(tmp_path: Path, text: str = "", environment: dict[str, str] | None = None, **flags: Any) -> Settings:
    file = tmp_path / "server.toml"
    file.write_text(text)
    given = {key: Given(value, FLAGS[key]) for key, value in flags.items()}
    return read_settings(given, environment, file)


def faults(tmp_path: Path, *arguments: Any, **flags: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, *arguments, **flags)
    assert SECRET not in str(caught.value)
    for fault in caught.value.faults:
        assert str(fault).isprintable()
    return [str(fault).replace(f"{tmp_path}/", "") for fault in caught.value.faults]


def test_a_default_that_nobody_gave_is_lowered_to_the_maximum(tmp_path: Path) -> None:
    settings = read(tmp_path, "[maximum_budget]\niterations = 500\n")
    assert settings.config.default_budget == Budget(iterations=500)
    assert "iterations = 500  # default, lowered to maximum_budget.iterations" in settings.lines()


def test_faults_do_not_hide_one_another(tmp_path: Path) -> None:
    """Only what may come from another fault alone is not told."""
    text = "metrics_address = '0.0.0.0:1'\nqueue_size = -1\ntls_key = 'k'\n[default_budget]\nworlds = 300_000\n"
    text += a_token() + a_token(secret="'short'") + a_token("'a b'") + "limit = 3\n"
    assert [line.removeprefix("server.toml: ").partition(": ")[0] for line in faults(tmp_path, text)] == [
        "queue_size",
        "default_budget.worlds",
        "tokens[2].limit",
        "tokens[1].secret",
        "tokens[1].name",
        "tokens[2].name",
        "tokens[2].secret",
        "tls_key",
        "metrics_address",
    ]
    # these depend on what is wrong
    told = faults(tmp_path, "address = 'x'\nmetrics_address = '0.0.0.0:1'\nallow_plaintext = 3\ntls_key = ''\n")
    assert len(told) == 3


def test_addresses_that_do_not_meet(tmp_path: Path) -> None:
    for one, other in (
        ("127.0.0.1:0", "127.0.0.1:0"),
        ("127.0.0.1:1", "127.0.0.1:2"),
        ("127.0.0.1:1", "127.0.0.2:1"),
        ("unix:/run/x", "127.0.0.1:1"),
    ):
        assert read(tmp_path, f"address = '{one}'\nmetrics_address = '{other}'\n").config.metrics_address == other


def test_every_setting_is_known() -> None:
    assert {key.partition(".")[0] for key in SETTINGS} | {"tokens"} == {entry.name for entry in fields(ServerConfig)}
    assert set(FLAGS) <= set(SETTINGS)


def test_the_defaults_can_be() -> None:
    assert ServerConfig().find_faults() == []
    assert read_settings().config == ServerConfig()
    for key, setting in SETTINGS.items():
        if setting.kind in (int, float) and "." not in key:
            assert setting.least <= getattr(ServerConfig(), key) <= setting.most


GOOD: dict[str, tuple[Any, str]] = {
    "address": ("localhost:1", "127.0.0.1:2"),
    "concurrent_searches": (3, "4"),
    "queue_size": (0, "7"),
    "concurrent_analyses": (3, "4"),
    "analysis_queue_size": (0, "7"),
    "long_calls": (3, "4"),
    "search_threads": (2, "3"),
    "default_budget.worlds": (11, "12"),
    "default_budget.iterations": (13, "14"),
    "default_budget.time_ms": (15, "16"),
    "maximum_budget.worlds": (17, "18"),
    "maximum_budget.iterations": (19, "20"),
    "maximum_budget.time_ms": (21, "22"),
    "request_size_limit": (5000, "6000"),
    "batch_size_limit": (5, "6"),
    "event_limit": (100, "101"),
    "niceness": (0, "19"),
    "grace_seconds": (1, "2.5"),
    "tls_certificate": ("a.pem", "b.pem"),
    "tls_key": ("a.key", "b.key"),
    "tls_client_ca": ("a.ca", "b.ca"),
    "allow_plaintext": (True, "false"),
    "metrics_address": ("localhost:3", "127.0.0.1:4"),
    "log_format": ("json", "text"),
    "log_level": ("debug", "warning"),
    "log_requests": (False, "true"),
}


def in_toml(key: str, value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    table, _, name = key.rpartition(".")
    return f"[{table}]\n{name} = {text}\n" if table else f"{name} = {text}\n"


@pytest.mark.parametrize("key", SETTINGS)
def test_the_environment_goes_before_the_file(key: str, tmp_path: Path) -> None:
    in_file, in_environment = GOOD[key]
    # the three files of TLS need one another
    rest = {other: GOOD[other][0] for other in ("tls_certificate", "tls_key") if key.startswith("tls") and other != key}
    text = "".join(in_toml(other, value) for other, value in rest.items()) + in_toml(key, in_file)
    first = read(tmp_path, text)
    second = read(tmp_path, text, {variable_of(key): in_environment})
    found = [
        next(line for line in settings.lines() if line.endswith(place))
        for settings, place in ((first, f"server.toml: {key}"), (second, variable_of(key)))
    ]
    name = key.rpartition(".")[2]
    is_file = SETTINGS[key].kind is Path
    # a file that a file names lies beside it
    assert found[0].startswith(
        f'{name} = "{tmp_path / in_file}"' if is_file else in_toml(name, in_file)[:-1].replace("'", '"')
    )
    assert found[1].replace('"', "").startswith(f"{name} = {in_environment}")


def test_flags_go_before_everything(tmp_path: Path) -> None:
    text, environment = "queue_size = 1\nsearch_threads = 2\nniceness = 3\n", {"TAROCCHI_QUEUE_SIZE": "4"}
    settings = read(tmp_path, text, {**environment, "TAROCCHI_SEARCH_THREADS": "5", "HOME": "x"}, queue_size=6)
    config = settings.config
    assert (config.queue_size, config.search_threads, config.niceness) == (6, 5, 3)
    assert settings.places["queue_size"] == "--queue-size"
    # what does not count is checked all the same
    assert faults(tmp_path, "queue_size = -1\n", {"TAROCCHI_QUEUE_SIZE": "many"}, queue_size=6) == [
        "server.toml: queue_size: -1 is out of range: give a whole number from 0 to 10,000",
        "TAROCCHI_QUEUE_SIZE: 'many' cannot be: give a whole number from 0 to 10,000, or leave it out",
    ]


def test_the_file_may_be_named_in_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("queue_size = 3\n")
    assert read_settings(environment={"TAROCCHI_CONFIG": str(file)}).config.queue_size == 3
    with pytest.raises(ConfigError, match="TAROCCHI_CONFIG: it is empty"):
        read_settings(environment={"TAROCCHI_CONFIG": ""})


def test_caps_of_the_default_replace_the_whole_of_it(tmp_path: Path) -> None:
    config = read(tmp_path, "[default_budget]\ntime_ms = 500\n[maximum_budget]\ntime_ms = 5000\n").config
    assert config.default_budget == Budget(time_ms=500)
    assert config.maximum_budget == Budget(ServerConfig().maximum_budget.worlds, 10**9, 5000)


@pytest.mark.parametrize("key", SETTINGS)
def test_a_value_that_cannot_be_is_told(key: str, tmp_path: Path) -> None:
    setting = SETTINGS[key]
    bad: list[tuple[Any, str]] = [([1], "of the wrong kind")]
    if setting.kind in (int, float):
        bad += [("1", "of the wrong kind"), (True, "of the wrong kind")]
        bad += [(int(setting.least) - 1, "out of range"), (int(setting.most) + 1, "out of range")]
    if setting.kind is int:
        bad.append((1.5, "of the wrong kind"))
    if setting.kind in (str, Path):
        bad += [("", "empty"), (3, "of the wrong kind")]
    if setting.kind is bool:
        bad += [("true", "of the wrong kind"), (1, "of the wrong kind")]
    for value, what in bad:
        (told,) = faults(tmp_path, in_toml(key, value))
        assert told.startswith(f"server.toml: {key}: "), told
        assert what in told
        assert setting.wanted in told
    empty, odd = (
        faults(tmp_path, "", {variable_of(key): text}) for text in ("", "?" if setting.kind is not Path else " ")
    )
    assert empty[0].startswith(f"{variable_of(key)}: it is empty")
    assert odd[0].startswith(variable_of(key))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("queue_sise = 3", "queue_sise: there is no key 'queue_sise': the nearest is queue_size"),
        ("searches = 3", "searches: there is no key 'searches': what the flag --searches sets is called concurrent_"),
        ("queue-size = 3", "queue-size: there is no key 'queue-size': what the flag --queue-size sets is called queue"),
        ("[default_budget]\nthreads = 3", "default_budget.threads: there is no key 'threads': the nearest is"),
        ("[default_budget]\niteration = 3", "default_budget.iteration: there is no key 'iteration': the nearest is"),
        ("default_budget = 3", "default_budget: 3 is no table: write [default_budget]"),
        ("tokens = 3", "tokens: this is no list of tables: write [[tokens]]"),
        ("tokens = [3]", "tokens: this is no list of tables: write [[tokens]]"),
        ("grace_seconds = nan", "grace_seconds: nan is out of range: give a number from 0 to 3,600"),
        ("address = 'x'", "address: 'x' is no address: give host and port"),
        ("address = '1.2.3.4:99999'", "address: '1.2.3.4:99999' is no address: a port is"),
        ("metrics_address = 'unix:/a'", "metrics_address: 'unix:/a' is no address for metrics: give host and port"),
        (
            "metrics_address = '0.0.0.0:1'",
            "metrics_address: 0.0.0.0:1 is not this machine alone, and metrics",
        ),
        ("log_format = 'xml'", "log_format: 'xml' is none of them: give text or json"),
        ("log_level = 'INFO'", "log_level: 'INFO' is none of them: give debug, info, warning or error"),
        ("address = 'unix:'", "address: 'unix:' is no address: give the path of the socket"),
        (
            "address = '127.0.0.1:1'\nmetrics_address = '127.0.0.1:1'",
            "metrics_address: calls are answered at 127.0.0.1:1 already: give the metrics another port",
        ),
        ("address = 'localhost:1'\nmetrics_address = '127.0.0.1:1'", "metrics_address: calls are answered at localho"),
        (
            "[default_budget]\niterations = 3\nworlds = 2\n[maximum_budget]\niterations = 2",
            "default_budget.iterations: 3 is more than maximum_budget.iterations, 2: lower it, or raise that one",
        ),
        (
            "[default_budget]\ntime_ms = 99_999",
            "default_budget.time_ms: 99,999 is more than maximum_budget.time_ms, 60",
        ),
        ("tls_key = 'x'", "tls_key: the certificate of this key is missing"),
        ("tls_certificate = 'x'", "tls_certificate: its key is missing"),
        ("tls_client_ca = 'x'", "tls_client_ca: certificates of clients are asked for under TLS only"),
    ],
)
def test_faults_of_a_file(text: str, told: str, tmp_path: Path) -> None:
    (found,) = faults(tmp_path, text)
    assert found.startswith(f"server.toml: {told}")


@pytest.mark.parametrize("text", ["queue_size = ", "a = 1\na = 2", "\x00", "queue_size = 1 # " + "x" * (1 << 20)])
def test_what_is_no_toml(text: str, tmp_path: Path) -> None:
    (found,) = faults(tmp_path, text)
    assert found.startswith("server.toml: this is no TOML (")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_settings(file=tmp_path / "missing.toml")


def test_an_unknown_variable_is_told(tmp_path: Path) -> None:
    told = faults(tmp_path, "", {"TAROCCHI_QUEUESIZE": "3", "QUEUE": "3", "TAROCCHI_CACHE_DIR": "x"})
    assert told == ["TAROCCHI_QUEUESIZE: there is no variable 'TAROCCHI_QUEUESIZE': the nearest is TAROCCHI_QUEUE_SIZE"]


@pytest.mark.parametrize(("key", "flag"), FLAGS.items())
def test_the_names_of_flags_lead_to_their_settings(key: str, flag: str, tmp_path: Path) -> None:
    name = f"TAROCCHI_{flag.removeprefix('--').upper().replace('-', '_')}"
    if name == variable_of(key):
        return
    (told,) = faults(tmp_path, "", {name: "3"})
    assert told == f"{name}: there is no variable '{name}': what the flag {flag} sets is called {variable_of(key)}"


def test_the_readme_lists_all_settings() -> None:
    """With flag, variable and default; what depends on the machine is told in words."""
    text = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
    table = text[text.index("| key | flag |") :].partition("\n\n")[0]
    rows = [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]
    assert {len(row) for row in rows} == {5}
    expected = {key: [FLAGS.get(key, ""), variable_of(key), default_of(key)] for key in SETTINGS}
    expected["tokens"] = ["", TOKENS_VARIABLE, ""]
    assert {row[0]: row[1:4] for row in rows} == expected
    assert all(len(row[4]) > 10 for row in rows)


def default_of(key: str) -> str:
    value: Any = ServerConfig(concurrent_searches=0, concurrent_analyses=0)
    for part in key.split("."):
        value = getattr(value, part)
    if key in ("concurrent_searches", "concurrent_analyses"):
        return "one for each core"
    return "" if value is None else json.dumps(value)


@pytest.mark.parametrize("service", ["TAROCCHI", "TAROCCHI_SOLVER"])
def test_variables_of_kubernetes_are_none_of_ours(service: str, tmp_path: Path) -> None:
    names = "SERVICE_HOST SERVICE_PORT SERVICE_PORT_GRPC PORT PORT_50051_TCP PORT_50051_TCP_ADDR PORT_50051_TCP_PROTO"
    assert read(tmp_path, "", {f"{service}_{name}": "x" for name in names.split()}).config == ServerConfig()


def a_token(name: str = "'site'", secret: str = f"'{SECRET}'", more: str = "") -> str:
    return f"[[tokens]]\nname = {name}\nsecret = {secret}\n{more}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (a_token(secret="'short'"), "tokens[0].secret: the secret has 5 characters, which can be guessed"),
        (a_token(secret=f"'{'x' * 513}'"), "tokens[0].secret: the secret has 513 characters: give at most 512"),
        (a_token(secret=f"'{SECRET} '"), "tokens[0].secret: the secret has other characters than those of tokens"),
        (a_token(secret=f"'{SECRET}è'"), "tokens[0].secret: the secret has other characters than those of tokens"),
        (a_token(secret=f"'{SECRET}:x'"), "tokens[0].secret: the secret has other characters than those of tokens"),
        (a_token(secret=f"'{SECRET}=x'"), "tokens[0].secret: the secret has other characters than those of tokens"),
        (a_token(secret="3"), "tokens[0].secret: the secret is no text"),
        (a_token(name="''"), "tokens[0].name: it is empty"),
        (a_token(name="'a b'"), "tokens[0].name: 'a b' is no name"),
        (a_token(name="3"), "tokens[0].name: 3 is of the wrong kind"),
        (a_token(more="requests_per_second = 0"), "tokens[0].requests_per_second: 0 is out of range"),
        (a_token(more="concurrent_requests = 1.5"), "tokens[0].concurrent_requests: 1.5 is of the wrong kind"),
        (a_token(more="limit = 3"), "tokens[0].limit: there is no key 'limit': the nearest is"),
        (a_token(more="secret_file = 'x'"), "tokens[0]: a token has either a secret or a secret_file"),
        ("[[tokens]]\nname = 'site'", "tokens[0]: a token has either a secret or a secret_file"),
        ("[[tokens]]\nname = 'site'\nsecret_file = 3", "tokens[0].secret_file: 3 is no name of a file"),
        ("[[tokens]]\nname = 'site'\nsecret_file = 'no'", "tokens[0].secret_file: the file no cannot be read"),
        (a_token() + a_token(secret=f"'{OTHER}'"), "tokens[1].name: 'site' is the name of tokens[0] too"),
        (a_token() + a_token(name="'b'"), "tokens[1].secret: it is the secret of tokens[0] too"),
    ],
)
def test_faults_of_tokens(text: str, told: str, tmp_path: Path) -> None:
    (found,) = faults(tmp_path, text)
    assert found.startswith(f"server.toml: {told}")


def test_tokens(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{OTHER}\n")
    text = a_token(more="requests_per_second = 2.5\nconcurrent_requests = 4")
    text += "[[tokens]]\nname = 'bot'\nsecret_file = 'secret'\n"
    assert read(tmp_path, text).config.tokens == (Token("site", SECRET, 2.5, 4), Token("bot", OTHER))
    (tmp_path / "secret").write_text("short")
    assert faults(tmp_path, text)[0].startswith("server.toml: tokens[1].secret_file: the secret has 5 characters")
    # those of the environment replace those of the file
    settings = read(tmp_path, a_token(), {"TAROCCHI_TOKENS": f"one:{OTHER} two:{SECRET}/+~=="})
    assert settings.config.tokens == (Token("one", OTHER), Token("two", f"{SECRET}/+~=="))
    for value, told in {
        "": "TAROCCHI_TOKENS: it is empty",
        f"one:{OTHER} {SECRET}": "TAROCCHI_TOKENS[1]: there is no colon",
        f"one:{OTHER},two:{SECRET}": "TAROCCHI_TOKENS[0]: there is a comma in the secret: write NAME:SECRET for each",
        f"one:{OTHER}{{}}": "TAROCCHI_TOKENS[0].secret: the secret has other characters than those of tokens, letters",
        "one:short": "TAROCCHI_TOKENS[0].secret: the secret has 5 characters",
        f"one:{OTHER} one:{SECRET}": "TAROCCHI_TOKENS[1].name: 'one' is the name of tokens[0] too",
    }.items():
        (found,) = faults(tmp_path, "", {"TAROCCHI_TOKENS": value})
        assert found.startswith(told)


def test_no_secret_is_shown(tmp_path: Path) -> None:
    settings = read(tmp_path, a_token(), {})
    for text in (repr(settings), str(settings.config.tokens), *settings.lines()):
        assert SECRET not in text
    assert 'secret = "(hidden)"' in list(settings.lines())


@pytest.mark.parametrize("address", ["0.0.0.0:1", "[::]:1", "example.org:1", "192.168.1.2:1", "128.0.0.1:1"])
def test_nothing_travels_in_the_clear_unless_told(address: str, tmp_path: Path) -> None:
    text = f"address = '{address}'\n"
    (told,) = faults(tmp_path, text)
    assert told.startswith(f"server.toml: address: {address} is not this machine alone")
    assert "tls_certificate" in told
    assert "allow_plaintext" in told
    (told,) = faults(tmp_path, text + a_token())
    assert "tokens would travel in the clear" in told
    assert read(tmp_path, text + "allow_plaintext = true\n").config.address == address
    assert read(tmp_path, text + "tls_certificate = 'a'\ntls_key = 'b'\n").config.address == address


@pytest.mark.parametrize(
    "address", ["127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "localhost:1", "unix:/run/tarocchi.sock", "unix:x"]
)
def test_this_machine_needs_no_encryption(address: str, tmp_path: Path) -> None:
    assert read(tmp_path, f"address = '{address}'\n").config.address == address


def test_all_faults_come_together(tmp_path: Path) -> None:
    text = "queue_size = -1\nnicenes = 3\naddress = 'x'\n[default_budget]\nworlds = 0\n" + a_token(secret="'x'")
    told = faults(tmp_path, text, {"TAROCCHI_EVENT_LIMIT": "1", "TAROCCHI_X": ""}, grace_seconds=-1.0)
    places = [line.split(": ")[1 if line.startswith("server.toml") else 0] for line in told]
    expected = (
        "queue_size nicenes address default_budget.worlds tokens[0].secret TAROCCHI_EVENT_LIMIT TAROCCHI_X --grace"
    )
    assert sorted(places) == sorted(expected.split())


def run(*arguments: str, **environment: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["serve", *arguments], env=environment)
    return result.exit_code, result.output


def test_serve_checks_and_prints_its_settings(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("queue_size = 3\n" + a_token())
    code, output = run("--check", "--config", str(file), "--searches", "2", TAROCCHI_NICENESS="4")
    assert code == 0
    lines = output.splitlines()
    assert f"queue_size = 3  # {file}: queue_size" in lines
    assert "concurrent_searches = 2  # --searches" in lines
    assert "niceness = 4  # TAROCCHI_NICENESS" in lines
    assert SECRET not in output
    # what it prints can be read back, but for the secrets
    file.write_text(output.replace("(hidden)", OTHER))
    assert read_settings(file=file).config.tokens == (Token("site", OTHER),)
    code, output = run("--check", "--queue-size", "-1", TAROCCHI_NICENESS="x")
    assert code == 2
    assert output.splitlines() == [
        "tarocchi: 2 faults:",
        "  TAROCCHI_NICENESS: 'x' cannot be: give a whole number from 0 to 19, or leave it out",
        "  --queue-size: -1 is out of range: give a whole number from 0 to 10,000",
    ]
    code, output = run("--check", "--tls-key", str(file), "--tls-certificate", str(file))
    assert code == 2
    assert output.startswith(f"tarocchi: --tls-certificate: the file {file} holds no certificate")
    # together with faults of other kinds
    code, output = run("--check", "--tls-key", str(file), "--tls-certificate", str(file), "--queue-size", "-1")
    assert (code, output.splitlines()[0]) == (2, "tarocchi: 2 faults:")
    assert f"  --tls-certificate: the file {file} holds no certificate" in output
    assert run("--config", "")[0] == 2
