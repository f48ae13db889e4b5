"""The one place that speaks HTTP (urllib3): pages, byte ranges, whole downloads, retries.

Everything that goes wrong leaves here as an `IndexingError` of ours.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar, cast
from urllib.parse import urljoin

import urllib3
from urllib3.exceptions import HTTPError, LocationValueError, MaxRetryError, ResponseError, SSLError

from .. import __version__
from ..kb.progress import Progress
from .archives import ArchiveError, FetchError, Limits, no_space_is_no_fault_of_the_archive, size_text
from .artifacts import ArtifactFile
from .connections import CONNECTIONS, Connections, public, without_user
from .pip_config import PipSettings
from .ranges import FileSource

ATTEMPTS = 4
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 60.0
_CHUNK = 64 * 1024
_SPOOLED_IN_MEMORY = 8 * 1024 * 1024
_SLOWEST = 8 * 1024
"""Bytes a second: a server that drips slower than this is given up."""
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)", re.IGNORECASE)


T = TypeVar("T")


class _TryAgain(Exception):
    """The answer may be better next time; `pause` is what the server asked for, in seconds."""

    def __init__(self, said: str, pause: float | None = None) -> None:
        super().__init__(said)
        self.pause = pause


class NoRanges(Exception):
    """The server does not give the range that was asked for."""


class StatusError(FetchError):
    """The server answered with an HTTP status that no retry will mend."""

    def __init__(self, url: str, status: int) -> None:
        super().__init__(f"{public(url)} answered {status}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Page:
    """An answer read whole; `url` is where redirects led."""

    url: str
    content_type: str
    body: bytes
    fetched: int = 0


class Transfer:
    """A pool of connections (at most 8 to a host) and the threads that use them.  Thread-safe.

    Not to be used across a fork: give worker processes bytes, not this.
    """

    def __init__(
        self,
        settings: PipSettings,
        progress: Progress,
        limits: Limits,
        *,
        index_url: str = "",
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._progress = progress
        self._limits = limits
        self._closed = threading.Event()
        self._sleep = sleep or self._closed.wait
        self._timeout = settings.timeout or 30.0
        self._connections = Connections(settings, index_url)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="apikb-fetch")
        self.requests = 0
        self.fetched = 0

    def close(self) -> None:
        """Close every connection; what is still being fetched is dropped, soon."""
        self._closed.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._connections.close()

    def submit(self, fetch: Callable[[int, int], bytes], start: int, stop: int) -> Future[bytes]:
        """Have a range fetched by one of the threads.

        Raises:
            FetchError: this is closed already.
        """
        try:
            return self._threads.submit(fetch, start, stop)
        except RuntimeError as error:
            raise FetchError("the index was closed while an artifact was read") from error

    def page(self, url: str, accept: str) -> Page:
        """Get a page of an index, at most `Limits.page_bytes` of it."""

        def read(response: urllib3.BaseHTTPResponse) -> Page:
            _expect(url, response, 200)
            body = b"".join(self._body(response, self._limits.page_bytes))
            fetched = len(body)
            if response.headers.get("Content-Encoding", "identity").lower() in ("gzip", "x-gzip"):
                body = _gunzip(body, self._limits.page_bytes)
            where = urljoin(url, response.geturl() or "")  # urllib3 tells the path alone
            return Page(where, response.headers.get("Content-Type", "text/html"), body, fetched)

        return self._get(url, {"Accept": accept, "Accept-Encoding": "gzip"}, read)

    def range(
        self, url: str, start: int, stop: int | None, counted: Callable[[int], None]
    ) -> tuple[bytes, int]:
        """Return the bytes [start, stop) and the size of the file; a negative start means its last bytes.

        Raises:
            NoRanges: the server answers with anything else.
        """
        asked = f"bytes={start}-{stop - 1}" if stop is not None else f"bytes={start}"

        def read(response: urllib3.BaseHTTPResponse) -> tuple[bytes, int]:
            if response.status in (200, 206, 416):
                first, last, size = _answered_range(response)
                at = start if start >= 0 else max(0, size + start)
                if (first, last) != (at, (size if stop is None else stop) - 1):
                    raise NoRanges
                return b"".join(self._body(response, last - first + 1, counted)), size
            raise StatusError(url, response.status)

        return self._get(url, {"Range": asked, "Accept-Encoding": "identity"}, read)

    def download(self, file: ArtifactFile) -> FileSource:
        """Download a whole artifact into a nameless temporary file (memory, if small) and check its hash."""
        most = self._limits.download_bytes
        if (file.size or 0) > most:
            raise ArchiveError(
                f"{file.filename}: a download of {size_text(file.size or 0)} is over the limit"
            )
        fetched = 0

        def counted(size: int) -> None:
            nonlocal fetched
            fetched += size

        spool = tempfile.SpooledTemporaryFile(max_size=_SPOOLED_IN_MEMORY)  # noqa: SIM115 - the source owns it

        def read(response: urllib3.BaseHTTPResponse) -> str:
            _expect(file.url, response, 200)
            digest = hashlib.sha256()
            spool.seek(0)
            with no_space_is_no_fault_of_the_archive():
                spool.truncate()
            for chunk in self._body(response, most, counted):
                digest.update(chunk)
                with no_space_is_no_fault_of_the_archive():
                    spool.write(chunk)
            return digest.hexdigest()

        try:
            found = self._get(file.url, {"Accept-Encoding": "identity"}, read)
            check_hash(file, found)
        except BaseException:
            spool.close()
            raise
        return FileSource(cast("io.BufferedIOBase", spool), fetched=fetched, sha256=found)

    def _get(self, url: str, headers: Mapping[str, str], read: Callable[[urllib3.BaseHTTPResponse], T]) -> T:
        """Send a GET until `read` is satisfied with the answer, at most four times."""
        pause, said = 0.0, ""
        for attempt in range(ATTEMPTS):
            if attempt:
                self._sleep(pause)
            self._check_open()
            try:
                with _given_back(self._send(url, headers)) as response:
                    if response.status in _AGAIN:
                        raise _TryAgain(f"it answered {response.status}", _retry_after(response))
                    return read(response)
            except _TryAgain as error:
                said, asked = str(error), error.pause
            except (HTTPError, OSError) as error:
                said, asked = _explain(error), None
                if _is_final(error):
                    break
            pause = min(asked or 0.5 * 2**attempt, _LONGEST_PAUSE)
        raise FetchError(f"{public(url)} cannot be fetched: {said}")

    def _send(self, url: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        with self._lock:
            self.requests += 1
        return self._connections.pool(url).request(
            "GET",
            without_user(url),
            headers={"User-Agent": f"apikb/{__version__}", **self._connections.authorization(url), **headers},
            preload_content=False,
            decode_content=False,
            retries=urllib3.Retry(total=None, connect=0, read=0, status=0, other=0, redirect=5),
            timeout=urllib3.Timeout(connect=min(self._timeout, 20.0), read=self._timeout),
        )

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise FetchError("the index was closed while it was read")

    def _body(
        self,
        response: urllib3.BaseHTTPResponse,
        most: int,
        counted: Callable[[int], None] | None = None,
    ) -> Iterator[bytes]:
        """Yield a body as it arrives, neither more than `most` nor for ever."""
        declared = response.headers.get("Content-Length", "")
        expected = min(int(declared) if declared.isdecimal() else most, most)
        if declared.isdecimal() and int(declared) > most:
            raise ArchiveError(f"a transfer of {size_text(int(declared))} is over the limit")
        give_up = time.monotonic() + self._timeout + expected / _SLOWEST
        received = 0
        while chunk := response.read1(_CHUNK):
            received += len(chunk)
            self._check_open()
            self._count(len(chunk))
            if counted:
                counted(len(chunk))
            if received > most:
                raise ArchiveError(f"a transfer of more than {size_text(most)} is over the limit")
            if time.monotonic() > give_up:
                raise _TryAgain("it sends too slowly")
            yield chunk
        if declared.isdecimal() and received != int(declared):
            raise _TryAgain(f"it sent {received:,} of {int(declared):,} bytes")

    def _count(self, size: int) -> None:
        with self._lock:
            self.fetched += size
        self._progress.bytes_fetched(size)


def check_hash(file: ArtifactFile, found: str) -> None:
    """Raise ArchiveError where the content is not what the index promised."""
    if file.sha256 and found != file.sha256:
        raise ArchiveError(
            f"{file.filename}: its sha256 is {found[:12]}…, where the index says {file.sha256[:12]}…"
        )


@contextlib.contextmanager
def _given_back(response: urllib3.BaseHTTPResponse) -> Iterator[urllib3.BaseHTTPResponse]:
    """Give the connection back to its pool whatever happens: a pool of 8 that blocks must not lose one."""
    try:
        yield response
    finally:
        response.close()  # where the body was not read to its end, this closes the connection
        response.release_conn()


def _expect(url: str, response: urllib3.BaseHTTPResponse, status: int) -> None:
    if response.status != status:
        raise StatusError(url, response.status)


def _answered_range(response: urllib3.BaseHTTPResponse) -> tuple[int, int, int]:
    """Return (first, last, size) of a 206 with a Content-Range that can be trusted."""
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
    plain = response.headers.get("Content-Encoding", "identity").lower() == "identity"
    if response.status != 206 or match is None or not plain:
        raise NoRanges
    first, last, size = (int(number) for number in match.groups())
    if response.headers.get("Content-Length", str(last - first + 1)) != str(last - first + 1):
        raise NoRanges
    return first, last, size


def _retry_after(response: urllib3.BaseHTTPResponse) -> float | None:
    """Return the seconds of a Retry-After; its date form is not worth a parser."""
    text = response.headers.get("Retry-After", "").strip()
    return float(text) if text.isdecimal() and len(text) < 9 else None


def _reason(error: BaseException) -> BaseException:
    return error.reason if isinstance(error, MaxRetryError) and error.reason else error


def _explain(error: BaseException) -> str:
    text = str(_reason(error))
    # urllib3 puts the repr of its own connection object first.
    return text.rpartition(">: ")[2] or type(error).__name__


def _is_final(error: BaseException) -> bool:
    """Return whether trying again is pointless: a bad certificate, a bad URL, redirects without end."""
    return isinstance(_reason(error), SSLError | LocationValueError | ResponseError)


def _gunzip(body: bytes, most: int) -> bytes:
    inflater = zlib.decompressobj(31)
    try:
        text = inflater.decompress(body, most + 1)
    except zlib.error as error:
        raise _TryAgain(f"a damaged answer ({error})") from error
    if len(text) > most:
        raise ArchiveError(f"a page of more than {size_text(most)} is over the limit")
    return text
