"""Approvals signed by a hardware key: `ssh-keygen` makes and checks the signature, planrail demands the touch.

Who may sign stands in a file of OpenSSH's "allowed signers" format outside the repository. A user who can write that
file can name a key of their own, so that it is worth most where only root can: `/etc/planrail/allowed_signers`.
"""

import base64
import binascii
import os
import shutil
import subprocess
from collections.abc import Mapping

from planrail.approval.channels import ChannelRefusal
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.records import record

NAMESPACE = "planrail"
PRESENCE_KEYS = ("sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")

_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG\0\0\0\1"  # with its version
_LONGEST = 8192  # characters; a signature of a hardware key has some four hundred; any pipe holds as many
_PRESENT = 0x01
_REMEDY = "make a key with `ssh-keygen -t ed25519-sk`, which asks to be touched, and approve with --key-file FILE"


@record
class Signature:
    """A signature, taken apart. `flags` are those of the authenticator; None for other keys."""

    key_type: str
    namespace: str
    flags: int | None = None


def parse_signature(armoured: str) -> Signature | ChannelRefusal:
    if len(armoured) > _LONGEST:
        return ChannelRefusal("the signature is too long to be one", _REMEDY)
    try:
        lines = armoured.strip().splitlines()
        if len(lines) < 3 or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
            raise ValueError("it has no frame")
        return _read_blob(base64.b64decode("".join(line.strip() for line in lines[1:-1]), validate=True))
    except (ValueError, binascii.Error):
        return ChannelRefusal("the signature cannot be read", _REMEDY)


def parse_key_type(text: str) -> str:
    """The kind of a public key, as its one-line file states it; empty where it is no such line."""
    words = text.split(None, 2)
    try:
        return _take(base64.b64decode(words[1], validate=True))[0].decode() if len(words) > 1 else ""
    except (ValueError, binascii.Error):
        return ""


def decide_presence(signature: Signature) -> ChannelRefusal | None:
    """None where a person touched the key for this signature; else why that is not shown.

    `ssh-keygen -Y verify` accepts a signature of any kind of key and does not ask for presence; this does. The byte
    that tells of the touch is signed by the authenticator, so that it is worth what the authenticator is worth.
    The format: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig and PROTOCOL.u2f.
    """
    if (refusal := decide_key_type(signature.key_type)) is not None:
        return refusal
    if signature.namespace != NAMESPACE:
        return ChannelRefusal(f"the signature was made for {signature.namespace!r} and not for {NAMESPACE!r}", _REMEDY)
    if signature.flags is None or not signature.flags & _PRESENT:
        return ChannelRefusal("the key signed without being touched", _REMEDY)
    return None


def decide_key_type(key_type: str) -> ChannelRefusal | None:
    """None for a kind of key that can demand presence; else the reason why the key is not enough."""
    if key_type in PRESENCE_KEYS:
        return None
    reason = f"a key of type {key_type or 'unknown'} signs for any process that can reach it; nobody has to be present"
    return ChannelRefusal(reason, _REMEDY)


def _take(data: bytes) -> tuple[bytes, bytes]:
    """The first string in SSH's wire format, and what follows; a `ValueError` where it ends too early."""
    size = int.from_bytes(data[:4], "big")
    if len(data) < 4 + size:
        raise ValueError("it ends too early")
    return data[4 : 4 + size], data[4 + size :]


def _read_blob(data: bytes) -> Signature:
    if not data.startswith(_MAGIC):
        raise ValueError("it is of another format")
    key, rest = _take(data[len(_MAGIC) :])
    namespace, rest = _take(rest)
    _, rest = _take(rest)  # reserved
    _, rest = _take(rest)  # the name of the hash
    inner, rest = _take(rest)
    if rest:
        raise ValueError("more follows than belongs to it")
    key_type = _take(key)[0].decode()
    if key_type not in PRESENCE_KEYS:
        return Signature(key_type, namespace.decode())
    kind, rest = _take(inner)
    _, touch = _take(rest)  # after the signature: a byte of flags, and how often the authenticator has signed
    if kind.decode() != key_type or len(touch) != 5:  # others are laid out differently
        raise ValueError("the signature is of another kind than the key")
    return Signature(key_type, namespace.decode(), touch[0])


_PROGRAM = "ssh-keygen"
_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/bin")  # before PATH, which an agent may have set
_DEFAULT_KEYS = ("id_ed25519_sk", "id_ecdsa_sk")
_SECONDS_TO_SIGN = 300  # for a person to find the key and touch it
_SECONDS_TO_VERIFY = 20


def sign(statement: bytes, key: str | None, *, environment: Mapping[str, str] | None = None) -> str:
    """The armoured signature of a statement, by a key that had to be touched. Raises where there is none such."""
    values = dict(os.environ if environment is None else environment)
    chosen = os.path.expanduser(key) if key else ""
    if not chosen:
        home = values.get("HOME") or os.path.expanduser("~")
        places = [os.path.join(home, ".ssh", name) for name in _DEFAULT_KEYS]
        chosen = next((place for place in places if os.path.exists(place)), "")
        if not chosen:
            text = f"there is no hardware key at {' or '.join(places)}"
            raise PlanrailError(text, remedy="ssh-keygen -t ed25519-sk, or approve with --key-file FILE")
    _raise(decide_key_type(_read_key_type(chosen)))
    command = [locate_program(), "-Y", "sign", "-n", NAMESPACE, "-f", chosen]
    try:  # its standard error is the person's screen: it says when to touch the key
        done = subprocess.run(command, input=statement, env=values, stdout=subprocess.PIPE, timeout=_SECONDS_TO_SIGN)
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolFailed(f"{command[0]} could not be run: {error}", remedy="approve once more") from error
    if done.returncode:
        raise PlanrailError("the key did not sign", remedy="plug it in, approve once more, and touch it when it blinks")
    armoured = done.stdout.decode("ascii", "replace")
    signature = parse_signature(armoured)
    _raise(signature if isinstance(signature, ChannelRefusal) else decide_presence(signature))
    return armoured


def verify(statement: bytes, signature: str, who: str, signers: str) -> str | ChannelRefusal:
    """The name by which this person signed this statement with a key that had to be touched, by the file of signers.

    `who` may be a name, an e-mail, or `name <e-mail>`; any of these may be what the file calls the signer. Empty: any
    signer of the file. What cannot be checked does not count.
    """
    parsed = parse_signature(signature)
    refusal = parsed if isinstance(parsed, ChannelRefusal) else decide_presence(parsed)
    if refusal is not None:
        return refusal
    assert isinstance(parsed, Signature)
    try:
        names = list_names(who) if who else find_signers(signature, signers)
        told = [name for name in names if not name.startswith("-") and name.isprintable()]
        for_name = ("-f", signers, "-n", NAMESPACE, "-I")
        checked = ((name, _run("verify", signature, *for_name, name, data=statement)) for name in told)
        name = next((name for name, done in checked if done.returncode == 0), None)
    except ToolFailed as error:
        return ChannelRefusal(error.message, error.remedy)
    if name is not None:
        return name
    whose = f"no key of {who}" if who else "the key of no signer"
    text = f"{whose} in {signers} made this signature of this text"
    return ChannelRefusal(
        text, remedy=f"let the signer be added to {signers} by a person who may write it, then approve again"
    )


def find_signers(signature: str, signers: str) -> list[str]:
    done = _run("find-principals", signature, "-f", signers)
    return [name for line in done.stdout.decode("utf-8", "replace").splitlines() for name in line.split(",") if name]


def list_names(who: str) -> list[str]:
    name, opening, rest = who.partition(" <")
    return list(dict.fromkeys([who, rest.removesuffix(">"), name])) if opening else [who]


def locate_program() -> str:
    """The path of `ssh-keygen`, the system's own before any other. Raises where there is none."""
    places = (os.path.join(folder, _PROGRAM) for folder in _FOLDERS)
    found = next((place for place in places if os.access(place, os.X_OK)), None) or shutil.which(_PROGRAM)
    if found is None:
        raise ToolFailed("ssh-keygen is not installed", remedy="install OpenSSH 8.2 or newer")
    return found


def _run(verb: str, signature: str, *options: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    program = locate_program()
    # at the end of a pipe: a file could be exchanged between our look at it and that of `ssh-keygen`
    reading, writing = os.pipe()
    try:
        os.write(writing, signature.encode("utf-8", "replace"))  # less than a pipe holds: it was parsed before
        os.close(writing)
        command, plain = (
            [program, "-Y", verb, "-s", f"/dev/fd/{reading}", *options],
            {"PATH": os.defpath, "LC_ALL": "C"},
        )
        seconds = _SECONDS_TO_VERIFY
        return subprocess.run(command, input=data, env=plain, pass_fds=[reading], capture_output=True, timeout=seconds)
    except (OSError, subprocess.SubprocessError) as error:
        text = f"{program} could not be run: {error}"
        raise ToolFailed(text, remedy="check the installation of OpenSSH") from error
    finally:
        os.close(reading)


def _read_key_type(key: str) -> str:
    public = key if key.endswith(".pub") else f"{key}.pub"
    try:
        with open(public, encoding="utf-8") as file:
            return parse_key_type(file.read())
    except (OSError, UnicodeDecodeError):
        text = f"{public} cannot be read, so that the kind of the key is not known"
        raise PlanrailError(text, remedy=f"ssh-keygen -y -f {key} > {public}") from None


def _raise(refusal: ChannelRefusal | None) -> None:
    if refusal is not None:
        raise PlanrailError(refusal.reason, remedy=refusal.remedy)
