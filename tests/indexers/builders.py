"""Tiny artifacts out of folders, made the way an index would serve them."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its posix path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def make_wheel(
    target: Path, name: str, version: str, files: Mapping[str, bytes], tag: str = "py3-none-any"
) -> Path:
    """A wheel with a RECORD; metadata files given are kept."""
    info = f"{name}-{version}.dist-info"
    content = {path: data for path, data in files.items() if not path.endswith(".dist-info/RECORD")}
    content.setdefault(
        f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    )
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    lines = []
    for path, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}")
    content[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,"]).encode()
    file = target / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in content.items():
            archive.writestr(path, data)
    return file


def make_sdist(target: Path, name: str, version: str, files: Mapping[str, bytes]) -> Path:
    """A source distribution with its one top folder."""
    file = target / f"{name}-{version}.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(f"{name}-{version}/{path}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file
