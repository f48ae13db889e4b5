"""The package index (PEP 503, 691, 700) and folders that stand in for it: releases, and their artifacts."""

from __future__ import annotations

import html
import importlib.util
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from email.message import Message
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from packaging.utils import InvalidName, canonicalize_name

from ..kb.errors import IndexingError
from ..kb.progress import NullProgress, Progress
from .archives import DEFAULT_LIMITS, Archive, FetchError, Limits
from .artifacts import (
    ArtifactFile,
    ArtifactKind,
    ListedFile,
    ProjectListing,
    group_releases,
    is_pure,
    kind_of,
    same_project,
)
from .connections import public
from .local_files import local_artifacts, open_artifact, open_local, url_path
from .pip_config import PipSettings, read_pip_settings
from .plain_page import read_plain_page
from .remote import RemoteSource
from .transfer import Page, StatusError, Transfer
from .zip_archive import ZipArchive

if TYPE_CHECKING:
    from pypi_simple import DistributionPackage, ProjectPage

SMALL = 1_000_000
"""Bytes: a pure wheel below this is one plain GET, since one round trip costs about as much."""
_JSON = "application/vnd.pypi.simple.v1+json"
_HTML = ("application/vnd.pypi.simple.v1+html", "text/html", "application/xhtml+xml")
ACCEPT = f"{_JSON}, {_HTML[0]};q=0.5, {_HTML[1]};q=0.01"
_ENDPOINT = re.compile(r"""^PYPI_SIMPLE_ENDPOINT\b[^=\n]*=\s*(['"])(https://[^'"\s]+)\1""", re.MULTILINE)


class SimpleIndex:
    """One package index, and folders beside it.  Thread-safe; close it, or use it in a `with`.

    Args:
        index_url: an http(s) or file URL, or the path of a folder; by default what pip uses.
        find_links: folders of wheels and sdists; a file found there is preferred to the index's.
        use_index: False reads `find_links` alone.
        settings: pip's settings, by default read from its configuration.
        sleep: what waits between two attempts (seconds); by default until `close`, at most.

    Raises:
        IndexingError: there is neither an index nor a folder to read.
    """

    def __init__(
        self,
        index_url: str | None = None,
        *,
        find_links: Sequence[Path] = (),
        use_index: bool = True,
        progress: Progress | None = None,
        limits: Limits = DEFAULT_LIMITS,
        settings: PipSettings | None = None,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        settings = settings or read_pip_settings()
        self._folders = tuple(find_links)
        self._limits = limits
        self._index = _index_location(index_url or settings.index_url) if use_index else None
        remote = self._index if isinstance(self._index, str) else ""
        self._transfer = Transfer(settings, progress or NullProgress(), limits, index_url=remote, sleep=sleep)
        if self._index is None and not self._folders:
            raise IndexingError("there is no index to read", hint="give --index-url or --find-links")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def location(self) -> str:
        """The index as it may be shown: no user, no password."""
        if self._index is None:
            return ", ".join(map(str, self._folders))
        return public(self._index) if isinstance(self._index, str) else str(self._index)

    @property
    def fetched(self) -> int:
        """Bytes of bodies that came over the network, pages and retries included."""
        return self._transfer.fetched

    @property
    def requests(self) -> int:
        """HTTP requests sent, retries included (redirects are not counted)."""
        return self._transfer.requests

    def close(self) -> None:
        """Close all connections.  Archives still open cannot read any more."""
        self._transfer.close()

    def releases(self, project: str) -> ProjectListing:
        """List a project's releases in PEP 440 order, and the files that belong to none.

        Raises:
            IndexingError: no such project, or the index is out of reach or not understood.
        """
        try:
            name = canonicalize_name(project, validate=True)
        except InvalidName as error:
            raise IndexingError(
                f"{project!r} is no project name", hint="a name as in `pip install`"
            ) from error
        listed, versions, fetched = self._from_index(name)
        local = [_listed_local(file, name) for folder in self._folders for file in local_artifacts(folder)]
        own = {file.filename: file for file in local if file}
        files = [*own.values(), *(file for file in listed if file.filename not in own)]
        if not files and not versions:
            raise IndexingError(
                f"no such project: {name} (at {self.location})",
                hint="use the name of `pip install` (pillow, not PIL); check its spelling",
            )
        releases, skipped = group_releases(name, files, versions)
        return ProjectListing(name, tuple(releases), tuple(skipped), fetched)

    def open(self, file: ArtifactFile) -> Archive:
        """Open an artifact: by ranges if it is a wheel, else whole.  Close the archive after use.

        Raises:
            ArchiveError: not an archive, malformed, hostile, or not what the index promised.
            FetchError: the transfer failed.
        """
        path = url_path(file.url)
        if path is not None:
            return open_local(file, path, self._limits)
        small = is_pure(file.filename) and file.size is not None and file.size < SMALL
        if file.kind is ArtifactKind.WHEEL and not small:
            source = RemoteSource(self._transfer, file)
            try:
                return ZipArchive(file, source, self._limits)
            except BaseException:
                source.close()
                raise
        return open_artifact(file, self._transfer.download(file), self._limits)

    def _from_index(self, name: str) -> tuple[list[ListedFile], Iterable[str], int]:
        """Return files, versions and the bytes that they took; nothing if there is no such project."""
        if self._index is None:
            return [], (), 0
        if isinstance(self._index, Path):
            return *_from_folder(self._index, name), 0
        url = f"{self._index.rstrip('/')}/{name}/"
        try:
            page = self._transfer.page(url, ACCEPT)
        except StatusError as error:
            if error.status in (404, 410):
                return [], (), 0
            raise self._out_of_reach(error) from error
        except FetchError as error:
            raise self._out_of_reach(error) from error
        return *_read_page(page, name), page.fetched

    def _out_of_reach(self, error: FetchError) -> IndexingError:
        return IndexingError(
            f"the index is out of reach: {error.message}",
            hint="check the network and the proxy, or name another index with --index-url",
        )


_BROKEN = "broken:"
"""In place of a URL that cannot be parsed; it is never fetched."""
_HREF = re.compile(rb"""(\bhref\s*=\s*["'])([^"']*)(["'])""", re.IGNORECASE)


def default_endpoint() -> str:
    """The address that pypi-simple knows.

    It is read in its source: to load it takes longer than all that a small project needs, and nothing
    else of it may be wanted.
    """
    found = importlib.util.find_spec("pypi_simple")
    if found is not None and found.origin is not None:
        written = _ENDPOINT.search(Path(found.origin).read_text("utf-8"))
        if written is not None:
            return written[2]
    from pypi_simple import PYPI_SIMPLE_ENDPOINT

    return PYPI_SIMPLE_ENDPOINT


def _index_location(given: str | None) -> str | Path:
    """Return the URL of an index, or the folder that stands in for one."""
    url = given or default_endpoint()
    scheme = _scheme(url)
    if scheme in ("http", "https"):
        return url
    folder = url_path(url) if scheme == "file" else Path(url) if len(scheme) < 2 else None
    if folder is None or not folder.is_dir():
        raise IndexingError(f"{url} is no index", hint="give an http(s) URL or a folder to --index-url")
    return folder


def _scheme(url: str) -> str:
    """Return the scheme of a URL, "" where it has none, "?broken" where it is none that could be used."""
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError:
        return "?broken"
    return parts.scheme if parts.hostname or parts.scheme not in ("http", "https") else "?broken"


def _from_folder(root: Path, name: str) -> tuple[list[ListedFile], Iterable[str]]:
    """Read a folder as an index: pages in folders by project, files in folders by project, or just files."""
    folder = root / name
    page = folder / "index.html"
    if page.is_file():
        return _read_page(Page(page.absolute().as_uri(), "text/html", page.read_bytes()), name)
    files = local_artifacts(folder if folder.is_dir() else root)
    return [listed for file in files if (listed := _listed_local(file, name))], ()


def _read_page(page: Page, name: str) -> tuple[list[ListedFile], Iterable[str]]:
    """Parse a project page.

    Raises:
        IndexingError: it is neither JSON nor HTML of the Simple API, or of a newer major version.
    """
    header = Message()
    header["Content-Type"] = page.content_type
    kind = header.get_content_type()
    try:
        if kind not in (_JSON, *_HTML):
            raise ValueError(f"it is {kind}")
        if kind != _JSON:
            return _from_html(page, name, header.get_param("charset"))
        data = json.loads(page.body)
        return read_plain_page(data, name) or _from_json(data, page, name)
    except (ValueError, RecursionError, AssertionError) as error:
        raise IndexingError(
            f"the answer of {public(page.url)} is not understood: {str(error).splitlines()[0]}",
            hint="--index-url wants the address of a Simple API, the folder above the projects",
        ) from error


def _from_json(data: Any, page: Page, name: str) -> tuple[list[ListedFile], Iterable[str]]:
    """Read any decoded JSON page.  Raises `ValueError` and its like."""
    from pypi_simple import ProjectPage

    with _any_minor_version():
        parsed = ProjectPage.from_json_data(_without_broken_urls(data), page.url)
    return _all_listed(parsed, page, name)


def _from_html(page: Page, name: str, charset: object) -> tuple[list[ListedFile], Iterable[str]]:
    """Read an HTML page.  Raises `ValueError` and its like."""
    from pypi_simple import ProjectPage

    encoding = charset if isinstance(charset, str) else None
    with _any_minor_version():
        parsed = ProjectPage.from_html(name, _HREF.sub(_unbroken, page.body), page.url, encoding)
    return _all_listed(parsed, page, name)


@contextmanager
def _any_minor_version() -> Iterator[None]:
    """A newer minor version of the API only adds to it; a newer major one is a `ValueError`."""
    from pypi_simple import UnexpectedRepoVersionWarning, UnsupportedRepoVersionError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnexpectedRepoVersionWarning)
        try:
            yield
        except UnsupportedRepoVersionError as error:
            raise ValueError(str(error)) from error


def _all_listed(parsed: ProjectPage, page: Page, name: str) -> tuple[list[ListedFile], Iterable[str]]:
    local = _scheme(page.url) == "file"
    return [_listed(package, name, local=local) for package in parsed.packages], parsed.versions or ()


def _without_broken_urls(data: Any) -> Any:
    """A JSON page in which a URL that cannot be parsed costs its own file only, not the project."""
    files = data.get("files") if isinstance(data, dict) else None
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("url"), str) and not _is_url(file["url"]):
            file["url"] = _BROKEN
    return data


def _unbroken(link: re.Match[bytes]) -> bytes:
    return link[0] if _is_url(link[2].decode("utf-8", "replace")) else link[1] + _BROKEN.encode() + link[3]


def _is_url(text: str) -> bool:
    try:
        urlsplit(html.unescape(text))
    except ValueError:
        return False
    return True


def _listed(package: DistributionPackage, project: str, *, local: bool) -> ListedFile:
    kind = kind_of(package.filename)
    if package.project is None or not same_project(package.project, project):
        return ListedFile(package.filename, None, None, "its name is another project's")
    if kind is None or package.package_type not in ("wheel", "sdist"):
        return ListedFile(package.filename, package.version, None, package.package_type or "unknown kind")
    if _scheme(package.url) not in ("http", "https", *(("file",) if local else ())):
        return ListedFile(package.filename, package.version, None, "a URL that is not fetched")
    uploaded = package.upload_time
    artifact = ArtifactFile(
        filename=package.filename,
        url=package.url,
        kind=kind,
        sha256=package.digests.get("sha256", "").lower() or None,
        size=package.size,
        yanked=package.is_yanked,
        yanked_reason=package.yanked_reason or None,
        requires_python=package.requires_python,
        uploaded_at=uploaded.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if uploaded else None,
    )
    return ListedFile(package.filename, package.version, artifact)


def _listed_local(file: ArtifactFile, project: str) -> ListedFile | None:
    """Return a local file with its version, None if it is another project's."""
    from pypi_simple import UnparsableFilenameError, parse_filename

    try:
        name, version, kind = parse_filename(file.filename, project)
    except UnparsableFilenameError:
        return None
    if not same_project(name, project):
        return None
    return ListedFile(file.filename, version, file if kind in ("wheel", "sdist") else None, kind)
