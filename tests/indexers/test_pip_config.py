"""pip's settings, read the way pip reads them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from apikb.indexers import pip_config
from apikb.indexers.pip_config import PipSettings, config_files, read_pip_settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a user's configuration only."""
    monkeypatch.setattr(pip_config, "config_files", lambda environ: iter([tmp_path / "a", tmp_path / "b"]))
    return tmp_path


def test_nothing_is_configured(home: Path) -> None:
    assert read_pip_settings({}) == PipSettings()


def test_files_then_environment(home: Path) -> None:
    (home / "a").write_text("[global]\nindex_url = https://a.invalid/simple\ncert = /a.pem\ntimeout = 7\n")
    (home / "b").write_text(
        "[install]\nindex-url = https://b.invalid/simple\n[global]\nextra-index-url = x\n"
    )
    found = read_pip_settings({"PIP_PROXY": "http://p:1", "REQUESTS_CA_BUNDLE": "/r.pem"})
    assert found == PipSettings("https://b.invalid/simple", "/a.pem", "http://p:1", 7)
    assert read_pip_settings({"PIP_INDEX_URL": "https://c.invalid"}).index_url == "https://c.invalid"
    assert read_pip_settings({"PIP_DEFAULT_TIMEOUT": "180"}).timeout == 7
    assert read_pip_settings({"PIP_TIMEOUT": "soon"}).timeout is None


def test_certificates_of_the_environment(home: Path) -> None:
    assert read_pip_settings({"CURL_CA_BUNDLE": "/c.pem"}).cert == "/c.pem"
    assert read_pip_settings({"CURL_CA_BUNDLE": "/c.pem", "PIP_CERT": "/p.pem"}).cert == "/p.pem"


def test_a_broken_file_is_passed_over(home: Path) -> None:
    (home / "a").write_bytes(b"no section\n\xff")
    (home / "b").write_text("[global]\nproxy = p:1\n")
    assert read_pip_settings({}) == PipSettings(proxy="p:1")


def test_where_the_files_are() -> None:
    paths = list(config_files({"PIP_CONFIG_FILE": "/x/own.conf"}))
    assert paths[-1] == Path("/x/own.conf")
    assert len(paths) >= 5
    assert list(config_files({"PIP_CONFIG_FILE": os.devnull})) == []


def test_the_same_files_as_pip() -> None:
    configuration = pytest.importorskip("pip._internal.configuration")
    found = configuration.get_configuration_files()
    pips = [Path(path) for kind in ("global", "user", "site") for path in found[kind]]
    assert list(config_files({})) == pips
