"""Connections to indexes and file servers: certificates, proxies, credentials."""

from __future__ import annotations

import ssl
import threading
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import urllib3

from ..kb.errors import IndexingError
from .pip_config import PipSettings

CONNECTIONS = 8
"""The most that are open to one host."""


class Connections:
    """Pools of connections, one pool for each proxy.  Thread-safe."""

    def __init__(self, settings: PipSettings, index_url: str) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._pools: dict[str | None, urllib3.PoolManager] = {}
        self._tls: ssl.SSLContext | None = None
        self._index_site = _site(index_url)
        self._login = urllib3.make_headers(basic_auth=_user(index_url)).get("authorization")

    def authorization(self, url: str) -> dict[str, str]:
        """Return the header with the index URL's user and password: for the index's own site only."""
        return {"Authorization": self._login} if self._login and _site(url) == self._index_site else {}

    def pool(self, url: str) -> urllib3.PoolManager:
        """Return the pool that a URL is to be fetched through."""
        scheme, host = urlsplit(url).scheme, urlsplit(url).hostname or ""
        proxy = self._settings.proxy
        if not proxy and not urllib.request.proxy_bypass(host):
            found = urllib.request.getproxies()
            proxy = found.get(scheme) or found.get("all")
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = self._new_pool(proxy)
            return self._pools[proxy]

    def close(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            pool.clear()

    def _new_pool(self, proxy: str | None) -> urllib3.PoolManager:
        self._tls = self._tls or _tls_context(self._settings.cert)
        if not proxy:
            return urllib3.PoolManager(maxsize=CONNECTIONS, block=True, ssl_context=self._tls)
        return urllib3.ProxyManager(
            without_user(proxy if "://" in proxy else f"http://{proxy}"),
            proxy_headers=urllib3.make_headers(proxy_basic_auth=_user(proxy)),
            maxsize=CONNECTIONS,
            block=True,
            ssl_context=self._tls,
        )


def public(url: str) -> str:
    """Return a URL as it may be shown and stored: without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def without_user(url: str) -> str:
    """Return a URL without user and password, which go into a header."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _site(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def _user(url: str) -> str | None:
    """Return `user:password` of a URL, None if it has none."""
    parts = urlsplit(url)
    return f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None


def _tls_context(cert: str | None) -> ssl.SSLContext:
    """Trust what pip is told to trust, else the system, else the certificates that requests brings."""
    try:
        context = ssl.create_default_context(cafile=cert if cert and not Path(cert).is_dir() else None)
        if cert and Path(cert).is_dir():
            context.load_verify_locations(capath=cert)
    except OSError as error:
        raise IndexingError(
            f"the certificates {cert} cannot be read ({error})",
            hint="see `pip config list` and the environment: PIP_CERT, REQUESTS_CA_BUNDLE",
        ) from error
    paths = ssl.get_default_verify_paths()
    if not cert and not context.cert_store_stats()["x509_ca"] and not paths.capath:
        import certifi

        context.load_verify_locations(certifi.where())
    return context
