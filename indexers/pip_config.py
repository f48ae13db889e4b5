"""What pip is configured for: the index, certificates, proxy and time-out.

Read the way pip reads it (files, then environment; the later wins), without starting pip,
which may not be there.  Of pip's settings only these count here: `index-url`, `cert`, `proxy`,
`timeout`.  apikb reads one index: `extra-index-url` and `find-links` are not followed, since
a name found in two places is two projects.  `trusted-host` is not followed either.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_NAME = "pip.ini" if sys.platform == "win32" else "pip.conf"
_SECTIONS = ("global", "install")
_CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True, slots=True)
class PipSettings:
    """What pip would use; None where it has its own default.  `timeout` is seconds."""

    index_url: str | None = None
    cert: str | None = None
    proxy: str | None = None
    timeout: float | None = None


def read_pip_settings(environ: Mapping[str, str] | None = None) -> PipSettings:
    """Return pip's settings from its files and from the environment."""
    environ = os.environ if environ is None else environ
    values: dict[str, str] = {}
    for path in config_files(environ):
        values |= _file_settings(path)
    for name, value in environ.items():
        if name.upper().startswith("PIP_") and value:
            values[_key(name[4:])] = value
    fallback = next((environ[name] for name in _CERTIFICATES if environ.get(name)), None)
    return PipSettings(
        index_url=values.get("index-url"),
        cert=values.get("cert") or fallback,
        proxy=values.get("proxy"),
        timeout=_seconds(values.get("timeout") or values.get("default-timeout")),
    )


def config_files(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield where pip's configuration may lie, the weakest first."""
    extra = environ.get("PIP_CONFIG_FILE")
    if extra == os.devnull:
        return  # pip's way to say: no file at all
    if sys.platform == "darwin":
        shared = platformdirs.site_data_dir("pip", appauthor=False, multipath=True).split(os.pathsep)
    else:
        shared = platformdirs.site_config_dir("pip", appauthor=False, multipath=True).split(os.pathsep)
    yield from (Path(folder) / _NAME for folder in shared)
    if sys.platform not in ("darwin", "win32"):
        yield Path("/etc") / _NAME
    yield Path.home() / ("pip" if sys.platform == "win32" else ".pip") / _NAME
    yield _user_folder() / _NAME
    yield Path(sys.prefix) / _NAME
    if extra:
        yield Path(extra)


def _user_folder() -> Path:
    if sys.platform == "darwin":
        own = Path(platformdirs.user_data_dir("pip", appauthor=False, roaming=True))
        return own if own.is_dir() else Path.home() / ".config" / "pip"
    return Path(platformdirs.user_config_dir("pip", appauthor=False, roaming=True))


def _file_settings(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, configparser.Error):
        return {}  # pip reports a broken file of its own; it is not ours to stop for
    found: dict[str, str] = {}
    for section in _SECTIONS:
        if parser.has_section(section):
            found |= {_key(name): value for name, value in parser.items(section) if value}
    return found


def _key(name: str) -> str:
    return name.lower().replace("_", "-").removeprefix("--")


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if 0 < seconds < 1e6 else None
