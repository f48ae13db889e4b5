"""A package index on the loopback that can misbehave, and builders of wheels and sdists."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import json
import re
import socket
import struct
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import pytest

from apikb.indexers.pip_config import PipSettings
from apikb.indexers.simple_index import SimpleIndex

Files = Mapping[str, bytes]


def make_wheel(files: Files, name: str = "pkg", version: str = "1.0", *, record: bool = True) -> bytes:
    """Build a wheel with METADATA and RECORD."""
    info = f"{name}-{version}.dist-info"
    whole = {**files, f"{info}/METADATA": f"Name: {name}\nVersion: {version}\n".encode()}
    lines = io.StringIO()
    writer = csv.writer(lines)
    for path, content in whole.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        writer.writerow([path, f"sha256={digest}", len(content)])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in whole.items():
            archive.writestr(path, content)
        if record:
            archive.writestr(f"{info}/RECORD", lines.getvalue())
    return out.getvalue()


def make_sdist(files: Files, name: str = "pkg", version: str = "1.0", *, mode: str = "w:gz") -> bytes:
    """Build an sdist in a tar, in its top folder, with PKG-INFO."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for path, content in {"PKG-INFO": b"Name: pkg\n", **files}.items():
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


class PackageIndex(ThreadingHTTPServer):
    """A Simple API and its files.  Its attributes are the switches."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.projects: dict[str, dict[str, bytes]] = {}
        self.entries: dict[str, dict[str, object]] = {}
        """More keys for a file's entry in the JSON page, by file name."""
        self.versions: list[str] | None = None
        self.html_only = False
        self.zipped_page = False
        self.ranges = "yes"
        """yes, no (200), wrong (another range), multipart, refused (416)."""
        self.statuses: list[int] = []
        """What to answer first, one each."""
        self.headers: dict[str, str] = {}
        self.cut: list[int] = []
        """How many bytes to leave out of the next answers."""
        self.reset = 0
        """How many connections to reset."""
        self.drip = 0.0
        """Seconds between two bytes."""
        self.etag: dict[str, int] = {}
        self.log: list[tuple[str, str | None]] = []
        self.seen: list[dict[str, str]] = []
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of the Simple API."""
        return f"http://127.0.0.1:{self.server_address[1]}/simple/"

    def add(self, filename: str, content: bytes, **entry: object) -> None:
        """List a file, and serve it."""
        project = re.sub(r"[-_.]+", "-", filename.split("-")[0]).lower()
        self.projects.setdefault(project, {})[filename] = content
        self.entries[filename] = entry

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: PackageIndex

    def do_GET(self) -> None:
        index = self.server
        with index.lock:
            index.log.append((unquote(self.path), self.headers.get("Range")))
            index.seen.append(dict(self.headers.items()))
            index.at_once += 1
            index.most_at_once = max(index.most_at_once, index.at_once)
            reset, index.reset = index.reset > 0, max(0, index.reset - 1)
            status = index.statuses.pop(0) if index.statuses else 0
        try:
            if reset:
                self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.request.close()
            elif status:
                self.answer(status, b"no", index.headers)
            else:
                self.route(urlsplit(unquote(self.path)).path.strip("/").split("/"))
        finally:
            with index.lock:
                index.at_once -= 1

    def route(self, parts: list[str]) -> None:
        index = self.server
        if parts[0] == "moved":
            self.answer(302, b"", {"Location": "/" + "/".join(parts[1:])})
        elif parts[0] == "simple" and len(parts) == 2 and parts[1] in index.projects:
            self.page(parts[1])
        elif parts[0] == "files" and (content := self.find(parts[1])) is not None:
            self.file(content)
        else:
            self.answer(404, b"not found")

    def find(self, filename: str) -> bytes | None:
        return next((files[filename] for files in self.server.projects.values() if filename in files), None)

    def page(self, project: str) -> None:
        files = self.server.projects[project]
        if self.server.html_only or "json" not in self.headers.get("Accept", ""):
            links = "".join(
                f'<a href="../../files/{name}#sha256={hashlib.sha256(data).hexdigest()}">{name}</a>\n'
                for name, data in files.items()
            )
            self.answer(200, f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), {}, "text/html")
            return
        body: dict[str, object] = {
            "meta": {"api-version": "1.1"},
            "name": project,
            "files": [
                {
                    "filename": name,
                    "url": f"../../files/{name}",
                    "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
                    "size": len(data),
                    **self.server.entries[name],
                }
                for name, data in files.items()
            ],
        }
        if self.server.versions is not None:
            body["versions"] = self.server.versions
        text = json.dumps(body).encode()
        extra = {"Content-Encoding": "gzip"} if self.server.zipped_page else {}
        text = gzip.compress(text) if self.server.zipped_page else text
        self.answer(200, text, extra, "application/vnd.pypi.simple.v1+json")

    def file(self, content: bytes) -> None:
        asked = self.headers.get("Range")
        ranges = self.server.ranges
        if asked is None or ranges == "no":
            self.answer(200, content)
        elif ranges == "refused":
            self.answer(416, b"", {"Content-Range": f"bytes */{len(content)}"})
        elif ranges == "multipart":
            self.answer(206, b"--x\r\n...", {}, "multipart/byteranges; boundary=x")
        else:
            match = re.fullmatch(r"bytes=(\d*)-(\d*)", asked)
            assert match, asked
            assert "," not in asked
            size = len(content)
            first = int(match[1]) if match[1] else max(0, size - int(match[2]))
            last = int(match[2]) if match[1] and match[2] else size - 1
            if ranges == "wrong":
                first, last = 0, max(0, last - first - 1)
            said = {"Content-Range": f"bytes {first}-{last}/{size}"}
            self.answer(206, content[first : last + 1], said)

    def answer(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, kind: str = "binary/x"
    ) -> None:
        index = self.server
        with index.lock:
            cut = index.cut.pop(0) if index.cut and status in (200, 206) else 0
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        sent = body[: len(body) - cut]
        if index.drip:
            for position in range(len(sent)):
                self.wfile.write(sent[position : position + 1])
                time.sleep(index.drip)
        else:
            self.wfile.write(sent)
        self.close_connection = self.close_connection or bool(cut)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def package_index() -> Iterator[PackageIndex]:
    """An index on the loopback."""
    server = PackageIndex()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def pauses() -> list[float]:
    """How long the client waited between attempts."""
    return []


@pytest.fixture
def client(package_index: PackageIndex, pauses: list[float]) -> Iterator[SimpleIndex]:
    """A client of that index which does not really wait."""
    with SimpleIndex(package_index.url, settings=PipSettings(timeout=5), sleep=pauses.append) as index:
        yield index


@pytest.fixture(name="make_wheel")
def make_wheel_fixture() -> Callable[..., bytes]:
    """The builder of wheels."""
    return make_wheel


@pytest.fixture(name="make_sdist")
def make_sdist_fixture() -> Callable[..., bytes]:
    """The builder of sdists."""
    return make_sdist
