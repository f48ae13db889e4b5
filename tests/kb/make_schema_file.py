"""Write tests/files/schema_vN.duckdb, once for every schema version; never write an old one again.

python tests/kb/make_schema_file.py
"""

from __future__ import annotations

from pathlib import Path

from apikb.kb import store
from apikb.kb.observations import Block, ProjectObservation, ReleaseObservation, Row
from apikb.kb.releases import Release
from apikb.kb.schema import SCHEMA_VERSION
from apikb.kb.symbols import SymbolState


def main() -> None:
    path = Path(__file__).parents[1] / "files" / f"schema_v{SCHEMA_VERSION}.duckdb"
    function = SymbolState(kind="function", doc="00112233445566aa")
    rows = (Row("old", SymbolState(kind="module")), Row("old.f", function, 3))
    observed = ProjectObservation(
        "old",
        [ReleaseObservation(Release("1.0"), (), (b"x",))],
        {b"x": Block("old.py", rows)},
        lambda names: dict.fromkeys(names, "Do what was done of old.\n\n>>> old.f()"),
    )
    path.unlink(missing_ok=True)
    store.BLOCK_SIZE = 1 << 14  # A table takes a block at least, and the file is kept in the repository.
    store.publish(path, [observed])
    path.with_name(f"{path.name}.lock").unlink()


if __name__ == "__main__":
    main()
