"""Loading a file: its text exactly, or the reason why it cannot be a plan."""

import os
from pathlib import Path

import pytest

from planrail.base.errors import UnreadablePlan
from planrail.plans.text.source import MAX_BYTES, PlanSource, decode, load


def test_a_text_is_loaded_byte_for_byte_behind_a_link_and_from_a_shell_too(tmp_path: Path) -> None:
    data = "\ufeff# Ünïcode\r\n\ttab\x0cfeed\u2028sep\rend🚀".encode()
    (tmp_path / "plan.md").write_bytes(data)
    (tmp_path / "link.md").symlink_to("plan.md")
    assert load(str(tmp_path / "link.md")).text.encode() == data
    with open(tmp_path / "plan.md", "rb") as file:
        assert load(f"/dev/fd/{file.fileno()}").text.encode() == data


def test_a_file_of_the_greatest_size_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"x\n" * (MAX_BYTES // 2))
    assert len(load(str(path)).text) == MAX_BYTES
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(UnreadablePlan, match="MB"):
        load(str(path))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x00\x01", "binary"),
        (b"# Phase \xff\n", "not valid UTF-8"),
        (b"a\nb\n\xe9\n", "line 3"),
        ("# A\n".encode("utf-16"), "UTF-16"),
        (b"\xfe\xff\x00#", "UTF-16"),
        (b"\xed\xa0\x80", "not valid UTF-8"),
        (b"\xc0\x80", "not valid UTF-8"),
    ],
)
def test_what_is_not_utf8_text_is_said_to_be_what_it_is(data: bytes, message: str) -> None:
    with pytest.raises(UnreadablePlan, match=message) as error:
        decode("plan.md", data)
    assert "-f UTF-16" in error.value.remedy if message == "UTF-16" else error.value.remedy


def test_a_missing_file_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    paths = [tmp_path / "none.md", tmp_path, tmp_path / "pipe.md", "/dev/null", "/dev/zero", "a\x00b.md", "x" * 5000]
    for path in paths:
        with pytest.raises(UnreadablePlan) as error:
            load(str(path))
        assert error.value.remedy


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.md").touch(mode=0o000)
    with pytest.raises(UnreadablePlan, match="cannot be read"):
        load(str(tmp_path / "plan.md"))


def test_an_offset_lies_in_a_line() -> None:
    assert [PlanSource("plan.md", "a\nb\nc").line_at(offset) for offset in range(5)] == [1, 1, 2, 2, 3]
