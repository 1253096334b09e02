"""Signatures of hardware keys: which count, which do not, and who may sign."""

import base64
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.approval.channels import ChannelRefusal
from planrail.approval.people.signers import Signers, choose_signers, decide_guarded, describe_signers, locate_signers
from planrail.approval.people.signing import (
    Signature,
    decide_key_type,
    decide_presence,
    find_signers,
    list_names,
    parse_key_type,
    parse_signature,
    sign,
    verify,
)
from planrail.base.errors import PlanrailError
from tests.git.authenticator import ABSENT, KIND, PRESENT, Authenticator, armour, pack
from tests.git.middleware import build_middleware

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")
STATEMENT = b'{"plan": "plans/herons.md"}'
LENA = Authenticator(b"lena")
WHO = "lena <lena@example.org>"


@pytest.fixture
def signers(tmp_path: Path) -> str:
    path = tmp_path / "allowed_signers"
    path.write_text(f'lena@example.org namespaces="planrail" {LENA.public_line}\n')
    return str(path)


@pytest.fixture(scope="module")
def middleware(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which ssh-keygen finds the key in software."""
    library = build_middleware(tmp_path_factory.mktemp("middleware"))
    return {"PATH": os.environ["PATH"], "HOME": str(library.parent), "SSH_SK_PROVIDER": str(library)}


@needs_ssh
@pytest.mark.parametrize("who", [WHO, "lena@example.org", ""])
def test_a_signature_with_a_touch_counts_for_its_signer(signers: str, who: str) -> None:
    assert verify(STATEMENT, LENA.sign(STATEMENT), who, signers) == "lena@example.org"


@needs_ssh
def test_a_signature_counts_for_nobody_else_nothing_else_and_by_no_other_list(signers: str, tmp_path: Path) -> None:
    """Another person, statement, key, purpose; a list that cannot be read; a signature as long as a book."""
    for who in ("max <max@example.org>", "max", "-I", "lena", "lena@example.org\n"):
        assert isinstance(verify(STATEMENT, LENA.sign(STATEMENT), who, signers), ChannelRefusal)
    assert isinstance(verify(STATEMENT + b" ", LENA.sign(STATEMENT), WHO, signers), ChannelRefusal)
    assert isinstance(verify(STATEMENT, Authenticator(b"max").sign(STATEMENT), WHO, signers), ChannelRefusal)
    assert isinstance(verify(STATEMENT, armour(b"SSHSIG" + bytes(10**6)), WHO, signers), ChannelRefusal)
    assert isinstance(verify(STATEMENT, LENA.sign(STATEMENT), WHO, str(tmp_path / "none")), ChannelRefusal)
    assert isinstance(verify(STATEMENT, LENA.sign(STATEMENT), "", str(tmp_path)), ChannelRefusal)
    for namespace in (b"git", b"planrail2"):
        signature = LENA.sign(STATEMENT, namespace=namespace)
        parsed = parse_signature(signature)
        assert isinstance(parsed, Signature)
        assert decide_presence(parsed) is not None  # reading alone is enough, and ssh-keygen holds it too
        assert isinstance(verify(STATEMENT, signature, WHO, signers), ChannelRefusal)
    assert find_signers(LENA.sign(STATEMENT), signers) == ["lena@example.org"]
    assert find_signers(Authenticator(b"max").sign(STATEMENT), signers) == []


@needs_ssh
def test_without_a_touch_planrail_refuses_what_ssh_keygen_accepts(signers: str, tmp_path: Path) -> None:
    untouched = LENA.sign(STATEMENT, flags=ABSENT)
    (tmp_path / "sig").write_text(untouched)
    command = ["ssh-keygen", "-Y", "verify", "-n", "planrail", "-I", "lena@example.org", "-s", str(tmp_path / "sig")]
    assert subprocess.run([*command, "-f", signers], input=STATEMENT, capture_output=True).returncode == 0
    refusal = verify(STATEMENT, untouched, WHO, signers)
    assert isinstance(refusal, ChannelRefusal)
    assert refusal.reason == "the key signed without being touched"


@needs_ssh
def test_a_touch_that_is_written_in_afterwards_breaks_the_signature(signers: str) -> None:
    untouched = LENA.sign(STATEMENT, flags=ABSENT)
    blob = base64.b64decode("".join(untouched.splitlines()[1:-1]))
    forged = armour(blob[:-5] + bytes([PRESENT]) + blob[-4:])
    parsed = parse_signature(forged)
    assert isinstance(parsed, Signature)
    assert decide_presence(parsed) is None
    assert isinstance(verify(STATEMENT, forged, WHO, signers), ChannelRefusal)


@needs_ssh
def test_a_key_that_needs_no_touch_is_refused_at_signing_and_at_verifying(tmp_path: Path) -> None:
    key = tmp_path / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    with pytest.raises(PlanrailError, match="nobody has to be present"):
        sign(STATEMENT, str(key))
    made = subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "planrail", "-f", str(key)],
        input=STATEMENT,
        capture_output=True,
        check=True,
    )
    listed = tmp_path / "allowed_signers"
    listed.write_text(f"lena {key.with_suffix('.pub').read_text()}")
    refusal = verify(STATEMENT, made.stdout.decode(), "lena", str(listed))
    assert isinstance(refusal, ChannelRefusal)
    assert "nobody has to be present" in refusal.reason
    (tmp_path / "id.pub").write_text(LENA.public_line)  # which lies about the kind: the signature is believed at last
    with pytest.raises(PlanrailError, match=r"nobody has to be present|did not sign"):
        sign(STATEMENT, str(key))


def test_the_real_ssh_keygen_signs_with_a_touch_and_the_key_in_its_usual_place_is_found(
    middleware: dict[str, str], signers: str, tmp_path: Path
) -> None:
    (tmp_path / ".ssh").mkdir()
    LENA.write_key(tmp_path / ".ssh" / "id_ed25519_sk")
    signature = sign(STATEMENT, None, environment={**middleware, "HOME": str(tmp_path)})
    assert isinstance(verify(STATEMENT, signature, WHO, signers), str)
    key = LENA.write_key(tmp_path / "id_sk", flags=ABSENT)
    with pytest.raises(PlanrailError, match="without being touched"):
        sign(STATEMENT, str(key), environment=middleware)


@needs_ssh
def test_a_missing_key_and_a_device_that_does_not_sign_are_errors_with_advice(tmp_path: Path) -> None:
    with pytest.raises(PlanrailError) as caught:
        sign(STATEMENT, None, environment={"HOME": str(tmp_path)})
    assert "ssh-keygen -t ed25519-sk" in caught.value.remedy
    key = LENA.write_key(tmp_path / "id_sk")
    with pytest.raises(PlanrailError) as caught:
        sign(STATEMENT, str(key), environment={"HOME": str(tmp_path), "SSH_SK_PROVIDER": "/nowhere.so"})
    assert "touch it" in caught.value.remedy


def test_a_person_may_be_listed_by_name_or_by_address() -> None:
    assert list_names(WHO) == [WHO, "lena@example.org", "lena"]
    assert list_names("lena") == ["lena"]


@pytest.mark.full
@given(st.one_of(st.text(), st.binary().map(armour), st.binary().map(lambda rest: armour(b"SSHSIG\0\0\0\1" + rest))))
def test_no_text_breaks_the_reader_of_signatures(text: str) -> None:
    parsed = parse_signature(text)
    assert isinstance(parsed, ChannelRefusal) or decide_presence(parsed) is not None


@pytest.mark.full
@given(st.data())
def test_no_damage_makes_a_touch_of_a_missing_one(data: st.DataObject) -> None:
    """Reading alone: a changed byte leaves the signature refused, unless it is the byte of the touch itself."""
    blob = bytearray(base64.b64decode("".join(LENA.sign(STATEMENT, flags=ABSENT).splitlines()[1:-1])))
    position = data.draw(st.integers(0, len(blob) - 6))
    blob[position] ^= data.draw(st.integers(1, 255))
    parsed = parse_signature(armour(bytes(blob)))
    assert isinstance(parsed, ChannelRefusal) or decide_presence(parsed) is not None


def test_a_signature_whose_kind_is_not_its_keys_is_refused() -> None:
    key = pack(b"sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", b"x", b"ssh:")
    inner = pack(KIND.encode(), b"y" * 64) + bytes([PRESENT]) + bytes(4)
    blob = b"SSHSIG" + (1).to_bytes(4, "big") + pack(key, b"planrail", b"", b"sha512", inner)
    assert isinstance(parse_signature(armour(blob)), ChannelRefusal)


def test_both_kinds_of_hardware_keys_can_demand_presence_and_no_other() -> None:
    assert decide_key_type(KIND) is None
    assert decide_key_type("sk-ecdsa-sha2-nistp256@openssh.com") is None
    for kind in ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "", "sk-ssh-ed25519-cert-v01@openssh.com"):
        assert isinstance(decide_key_type(kind), ChannelRefusal)


def test_the_kind_of_a_public_key_is_read_from_its_bytes() -> None:
    assert parse_key_type(LENA.public_line) == KIND
    assert parse_key_type(LENA.public_line.replace(KIND, "ssh-ed25519")) == KIND
    assert parse_key_type("ssh-ed25519 !!") == parse_key_type("") == parse_key_type("x") == ""


def test_the_machines_list_goes_before_the_users_which_lies_with_their_settings(tmp_path: Path) -> None:
    machine = tmp_path / "machine"
    machine.write_text("")
    assert choose_signers({}, "/chosen", str(machine)) == str(machine)
    machine.unlink()
    assert choose_signers({}, "/chosen", str(machine)) == "/chosen"
    found = choose_signers({"XDG_CONFIG_HOME": str(tmp_path)}, "", str(machine))
    assert found == str(tmp_path / "planrail" / "allowed_signers")


def test_a_list_inside_the_repository_is_refused_also_behind_a_link_and_so_is_a_missing_one(tmp_path: Path) -> None:
    inside = tmp_path / "repository" / "allowed_signers"
    inside.parent.mkdir()
    inside.write_text("")
    link = tmp_path / "link"
    link.symlink_to(inside)
    for path in (inside, link):
        refusal = locate_signers({}, str(path), str(inside.parent), str(tmp_path / "none"))
        assert isinstance(refusal, ChannelRefusal)
        assert "lies in the repository" in refusal.reason
    refusal = locate_signers({}, str(tmp_path / "none"), None, str(tmp_path / "none"))
    assert isinstance(refusal, ChannelRefusal)
    assert 'namespaces="planrail"' in refusal.remedy


@pytest.mark.parametrize(
    ("mode", "owner", "is_guarded"),
    [
        (0o100644, 0, True),
        (0o100664, 0, False),
        (0o100646, 0, False),
        (0o100644, 1000, False),
        (0o040755, 0, True),
        (0o040775, 0, False),
        (0o041777, 0, True),
    ],
)
def test_a_list_is_guarded_where_only_root_can_change_it(mode: int, owner: int, *, is_guarded: bool) -> None:
    assert decide_guarded(os.stat_result((mode, 1, 1, 1, owner, 0, 0, 0, 0, 0))) is is_guarded


def test_a_list_that_the_user_could_change_is_refused_with_the_way_to_guard_it(tmp_path: Path) -> None:
    """It lies in a folder that anybody can write, behind a link that anybody can exchange, or behind links in a circle."""
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    listed = folder / "allowed_signers"
    listed.write_text("")
    refusal = locate_signers({}, str(listed), None, "/nowhere/allowed_signers")
    assert isinstance(refusal, ChannelRefusal)
    assert "name a key of its own" in refusal.reason
    assert f"sudo install -m 644 {listed} /nowhere/allowed_signers" in refusal.remedy
    (tmp_path / "real").write_text("")
    links = (("open/middle", "real"), ("first", "open/middle"), ("a", "b"), ("b", "a"))
    for name, target in links:
        (tmp_path / name).symlink_to(tmp_path / target)
    assert not describe_signers(str(tmp_path / "first")).is_guarded
    assert not describe_signers(str(tmp_path / "a")).is_guarded


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a list that is root's own")
def test_a_list_of_roots_is_guarded_also_behind_links_of_roots(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "allowed_signers").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    found = locate_signers({}, str(tmp_path / "link" / "allowed_signers"), None, "/nowhere/allowed_signers")
    assert isinstance(found, Signers)
    assert found.is_guarded
