"""Reads the settings of a server: flags go before the environment, this before a file in TOML, this before defaults.

Every value is checked wherever it stands, also where another one goes before it, and all faults are told together.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tarocchi_solver.search import Budget
from tarocchi_solver.service.config import (
    MAXIMUM_BUDGET,
    SETTINGS,
    TOKEN_SETTINGS,
    ConfigError,
    ConfigFault,
    ServerConfig,
    Setting,
    Token,
    find_fault,
    lowered,
    secret_fault,
    shown,
)

PREFIX: Final = "TAROCCHI_"
FILE_VARIABLE: Final = "TAROCCHI_CONFIG"
TOKENS_VARIABLE: Final = "TAROCCHI_TOKENS"
FLAGS: Final[Mapping[str, str]] = {
    "address": "--address",
    "concurrent_searches": "--searches",
    "queue_size": "--queue-size",
    "search_threads": "--threads",
    "grace_seconds": "--grace",
    "tls_certificate": "--tls-certificate",
    "tls_key": "--tls-key",
    "tls_client_ca": "--tls-client-ca",
    "allow_plaintext": "--allow-plaintext",
    "metrics_address": "--metrics-address",
    "log_format": "--log-format",
    "log_level": "--log-level",
}
"""By setting. Other settings have no flag: secrets would show in the list of processes, the rest is rarely changed."""
OTHER_VARIABLES: Final = frozenset({FILE_VARIABLE, TOKENS_VARIABLE, "TAROCCHI_CACHE_DIR"})
"""Variables of this program that are no setting of one value."""
_SERVICE_LINK: Final = re.compile(
    r"TAROCCHI_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_[A-Z]+(_PROTO|_PORT|_ADDR)?)?)"
)
"""Variables with which Kubernetes tells every container about a service whose name begins with "tarocchi"."""
MOST_BYTES: Final = 1 << 20
_MOST_SECRET_BYTES: Final = 4096
_HIDDEN: Final = "(hidden)"
_TOKEN_KEYS: Final = (*TOKEN_SETTINGS, "secret_file")


@dataclass(frozen=True, slots=True)
class Given:
    """A value that was set, and where."""

    value: Any
    place: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings and where each of them comes from."""

    config: ServerConfig
    places: Mapping[str, str]
    """By setting, without those that have their defaults."""

    def lines(self) -> Iterator[str]:
        """Yields the settings as lines in TOML, with the place of each behind it and without any secret."""
        values = {key: _value_of(self.config, key) for key in SETTINGS}
        for key, value in values.items():
            if "." not in key and value is not None:
                yield self._line(key, key, value)
        for table in ("default_budget", "maximum_budget"):
            yield ""
            yield f"[{table}]"
            for key, value in values.items():
                if key.startswith(f"{table}.") and value is not None:
                    yield self._line(key.removeprefix(f"{table}."), key, value)
        for token in self.config.tokens:
            yield ""
            yield f"[[tokens]]  # {self.places.get('tokens', 'default')}"
            for name in TOKEN_SETTINGS:
                value = _HIDDEN if name == "secret" else getattr(token, name)
                if value is not None:
                    yield f"{name} = {_toml(value)}"

    def _line(self, name: str, key: str, value: object) -> str:
        return f"{name} = {_toml(value)}  # {self.places.get(key, 'default')}"


def _toml(value: object) -> str:
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)


def _value_of(config: ServerConfig, key: str) -> Any:
    value: Any = config
    for part in key.split("."):
        value = getattr(value, part)
    return value


def variable_of(key: str) -> str:
    """Returns the variable of the environment for a setting."""
    return PREFIX + key.upper().replace(".", "_")


def read_settings(
    flags: Mapping[str, Given] | None = None,
    environment: Mapping[str, str] | None = None,
    file: str | Path | None = None,
    find_file_faults: Callable[[ServerConfig], Iterable[ConfigFault]] = lambda config: (),
) -> Settings:
    """Reads and checks the settings.

    Args:
        flags: values by setting, with the names of their flags as places.
        environment: the variables; those that begin with another prefix are none of ours.
        file: a file in TOML, instead of the one that the environment names.
        find_file_faults: looks into the files that settings name, so that all faults are told together.

    Raises:
        ConfigError: something is wrong; every fault is told.
    """
    environment = environment or {}
    reader = _Reader()
    if file is None and FILE_VARIABLE in environment:
        file = environment[FILE_VARIABLE]
        if not file:
            reader.note(FILE_VARIABLE, FILE_VARIABLE, "it is empty: name a file, or leave it out")
    if file:
        reader.read_file(Path(file))
    reader.read_environment(environment)
    for key, given in (flags or {}).items():
        reader.take(key, given.value, given.place)
    return reader.settings(find_file_faults)


class _Reader:
    """Collects values and faults, from what goes last to what goes first."""

    def __init__(self) -> None:
        self._given: dict[str, Given] = {}
        self._tokens: list[Token] | None = None
        self._token_places: list[str] = []
        self._faults: list[ConfigFault] = []

    def note(self, key: str, place: str, message: str) -> None:
        """Notes a fault."""
        self._faults.append(ConfigFault(key, message, place))

    def take(self, key: str, value: Any, place: str) -> None:
        """Takes a value for a setting, if it can have it."""
        sentence = find_fault(key, value)
        if sentence is None:
            self._given[key] = Given(value, place)
        else:
            self.note(key, place, sentence)

    def settings(self, find_file_faults: Callable[[ServerConfig], Iterable[ConfigFault]]) -> Settings:
        """Returns the settings, or raises `ConfigError`."""
        values = {key: given.value for key, given in self._given.items() if "." not in key}
        # caps of a default replace the whole of the one that is not set, as in a request
        for table, base in (("default_budget", Budget()), ("maximum_budget", MAXIMUM_BUDGET)):
            caps = {key.partition(".")[2]: given.value for key, given in self._given.items() if key.startswith(table)}
            if caps:
                values[table] = replace(base, **caps)
        places = {key: given.place for key, given in self._given.items()}
        if "default_budget" not in values and "maximum_budget" in values:
            default = ServerConfig().default_budget
            values["default_budget"] = lowered(default, values["maximum_budget"])
            for cap in ("worlds", "iterations", "time_ms"):
                if getattr(default, cap) != getattr(values["default_budget"], cap):
                    places[f"default_budget.{cap}"] = f"default, lowered to maximum_budget.{cap}"
        config = ServerConfig(**values, tokens=tuple(self._tokens or ()))
        known = {fault.key for fault in self._faults}
        for fault in (*config.find_faults(known), *find_file_faults(config)):
            # of what is no token at all nothing else is said
            if not known & {fault.key, fault.key.partition(".")[0]}:
                self.note(fault.key, self._place_of(fault.key), fault.message)
        if self._faults:
            raise ConfigError(self._faults)
        if self._token_places:
            places["tokens"] = self._token_places[0].partition("[")[0]
        return Settings(config, places)

    def _place_of(self, key: str) -> str:
        if key.startswith("tokens["):
            index, _, rest = key.removeprefix("tokens[").partition("]")
            return self._token_places[int(index)] + rest
        given = self._given.get(key)
        return given.place if given else ""

    # the file

    def read_file(self, path: Path) -> None:
        """Takes what stands in a file."""
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise ValueError(f"it is larger than {MOST_BYTES:,} bytes")
            content = tomllib.loads(data.decode("utf-8"))
        except OSError as error:
            cause = error.strerror or error
            self.note(str(path), str(path), f"the file cannot be read ({cause}): name one that this user can read")
            return
        except (ValueError, RecursionError) as error:
            self.note(str(path), str(path), f"this is no TOML ({error}): correct it there")
            return
        tables = sorted({key.partition(".")[0] for key in SETTINGS if "." in key})
        plain = [key for key in SETTINGS if "." not in key]
        for name, value in content.items():
            place = f"{path}: {name}"
            if name in plain:
                self.take(name, _from_file(SETTINGS[name], value, path), place)
            elif name == "tokens":
                self._read_tokens(value, path)
            elif name not in tables:
                self.note(name, place, _unknown("key", name, [*plain, *tables, "tokens"]))
            elif not isinstance(value, dict):
                self.note(name, place, f"{shown(value)} is no table: write [{name}] and the caps below it")
            else:
                caps = [key.partition(".")[2] for key in SETTINGS if key.startswith(f"{name}.")]
                for cap, number in value.items():
                    if cap in caps:
                        self.take(f"{name}.{cap}", number, f"{place}.{cap}")
                    else:
                        self.note(f"{name}.{cap}", f"{place}.{cap}", _unknown("key", cap, caps))

    def _read_tokens(self, value: object, path: Path) -> None:
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.note("tokens", f"{path}: tokens", "this is no list of tables: write [[tokens]] above each token")
            return
        self._tokens = []
        for index, entry in enumerate(value):
            place = f"{path}: tokens[{index}]"
            for name in entry:
                if name not in _TOKEN_KEYS:
                    key = f"tokens[{index}].{name}"
                    self.note(key, f"{place}.{name}", _unknown("key", name, _TOKEN_KEYS))
            token = Token(
                entry.get("name", ""),
                self._secret_of(entry, path, index, place),
                entry.get("requests_per_second"),
                entry.get("concurrent_requests"),
            )
            self._tokens.append(token)
            self._token_places.append(place)

    def _secret_of(self, entry: Mapping[str, Any], path: Path, index: int, place: str) -> Any:
        key = f"tokens[{index}].secret"
        if ("secret" in entry) == ("secret_file" in entry):
            self.note(key, place, "a token has either a secret or a secret_file: give one of them")
            return ""
        if "secret" in entry:
            return entry["secret"]
        name = entry["secret_file"]
        if not isinstance(name, str) or not name:
            self.note(key, f"{place}.secret_file", f"{shown(name)} is no name of a file: give one")
            return ""
        try:
            with _beside(path, name).open("rb") as file:
                secret = file.read(_MOST_SECRET_BYTES + 1).decode("utf-8").strip("\r\n")
        except OSError as error:
            text = f"the file {name} cannot be read ({error.strerror or error}): name one that this user can read"
            self.note(key, f"{place}.secret_file", text)
            return ""
        except ValueError:
            self.note(key, f"{place}.secret_file", f"the file {name} holds no text: write the secret into it")
            return ""
        if sentence := secret_fault(secret):
            self.note(key, f"{place}.secret_file", sentence)
        return secret

    # the environment

    def read_environment(self, environment: Mapping[str, str]) -> None:
        """Takes what stands in the variables of this program."""
        keys = {variable_of(key): key for key in SETTINGS}
        for name, text in environment.items():
            if name in keys:
                setting = SETTINGS[keys[name]]
                value = _from_text(setting, text)
                if value is None:
                    what = "it is empty" if not text.strip() else f"{shown(text)} cannot be"
                    self.note(keys[name], name, f"{what}: give {setting.wanted}, or leave it out")
                else:
                    self.take(keys[name], value, name)
            elif name == TOKENS_VARIABLE:
                self._read_pairs(text)
            elif name.startswith(PREFIX) and name not in OTHER_VARIABLES and not _SERVICE_LINK.fullmatch(name):
                self.note(name, name, _unknown("variable", name, [*keys, *OTHER_VARIABLES]))

    def _read_pairs(self, text: str) -> None:
        self._tokens, self._token_places = [], []
        form = "write NAME:SECRET for each token, with spaces between them"
        if not text.strip():
            self.note("tokens", TOKENS_VARIABLE, f"it is empty: {form}, or leave it out")
        for index, pair in enumerate(text.split()):
            name, colon, secret = pair.partition(":")
            place = f"{TOKENS_VARIABLE}[{index}]"
            self._tokens.append(Token(name, secret))
            self._token_places.append(place)
            if not colon:
                self.note(f"tokens[{index}]", place, f"there is no colon in it: {form}")
            elif "," in secret:
                self.note(f"tokens[{index}]", place, f"there is a comma in the secret: {form}")


def _unknown(what: str, name: str, known: list[str] | tuple[str, ...]) -> str:
    bare = name.removeprefix(PREFIX).strip("-").replace("-", "_").lower()
    for key, flag in FLAGS.items():
        by_flag = variable_of(key) if name.startswith(PREFIX) else key
        if bare == flag.strip("-").replace("-", "_") and by_flag in known:
            return f"there is no {what} {shown(name)}: what the flag {flag} sets is called {by_flag}"
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return f"there is no {what} {shown(name)}: the nearest is {nearest[0]}"


def _beside(path: Path, name: str) -> Path:
    """Returns a file that another one names: from the folder of that one on."""
    return path.parent / Path(name).expanduser()


def _from_file(setting: Setting, value: object, path: Path) -> object:
    return _beside(path, value) if setting.kind is Path and isinstance(value, str) and value else value


def _from_text(setting: Setting, text: str) -> Any:
    """Returns the value that a variable holds, None if it is of another kind."""
    text = text.strip()
    if setting.kind is bool:
        return {"true": True, "false": False}.get(text.lower())
    if not text:
        return None
    try:
        return Path(text).expanduser() if setting.kind is Path else setting.kind(text)
    except ValueError:
        return None
