"""What an SSH signature says of itself: which kind of key made it, and whether somebody touched that key.

`ssh-keygen -Y verify` accepts a signature of any kind of key and does not ask for presence; this does. The byte that
tells of the touch is signed by the authenticator, so that it is worth what the authenticator is worth.
The format: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig and PROTOCOL.u2f.
"""

import base64
import binascii
import hashlib

from planrail.approval.channels import Refusal
from planrail.base.records import record

NAMESPACE = "planrail"
PRESENCE_KEYS = ("sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")

_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG"
_LONGEST = 8192  # characters; a signature of a hardware key has some four hundred; any pipe holds as many
_PRESENT = 0x01
_REMEDY = "make a key with `ssh-keygen -t ed25519-sk`, which asks to be touched, and approve with --key-file FILE"


@record
class Signature:
    """A signature, taken apart. `flags` and `counter` are those of the authenticator; None for other keys."""

    key_type: str
    fingerprint: str
    namespace: str
    flags: int | None = None
    counter: int | None = None


def parse_signature(armoured: str) -> Signature | Refusal:
    """The signature in an armoured text, or why it is none."""
    if len(armoured) > _LONGEST:
        return Refusal("the signature is too long to be one", _REMEDY)
    try:
        return _read_blob(_Bytes(_unarmour(armoured)))
    except (ValueError, binascii.Error):
        return Refusal("the signature cannot be read", _REMEDY)


def parse_key_type(text: str) -> str:
    """The kind of a public key, as its one-line file states it; empty where it is no such line."""
    words = text.split(None, 2)
    try:
        return _Bytes(base64.b64decode(words[1], validate=True)).string().decode() if len(words) > 1 else ""
    except (ValueError, binascii.Error):
        return ""


def decide_presence(signature: Signature) -> Refusal | None:
    """None where a person touched the key for this signature; else why that is not shown."""
    if (refusal := decide_key_type(signature.key_type)) is not None:
        return refusal
    if signature.namespace != NAMESPACE:
        return Refusal(f"the signature was made for {signature.namespace!r} and not for {NAMESPACE!r}", _REMEDY)
    if signature.flags is None or not signature.flags & _PRESENT:
        return Refusal("the key signed without being touched", _REMEDY)
    return None


def decide_key_type(key_type: str) -> Refusal | None:
    """None for a kind of key that can demand presence; else the reason why the key is not enough."""
    if key_type in PRESENCE_KEYS:
        return None
    reason = f"a key of type {key_type or 'unknown'} signs for any process that can reach it; nobody has to be present"
    return Refusal(reason, _REMEDY)


class _Bytes:
    """Reading the wire format of SSH from the front; a `ValueError` where it ends too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, count: int) -> bytes:
        if count > len(self._data):
            raise ValueError("it ends too early")
        taken, self._data = self._data[:count], self._data[count:]
        return taken

    def number(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        return self.take(self.number())

    def finish(self) -> None:
        if self._data:
            raise ValueError("more follows than belongs to it")


def _unarmour(armoured: str) -> bytes:
    lines = armoured.strip().splitlines()
    if len(lines) < 3 or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise ValueError("it has no frame")
    return base64.b64decode("".join(line.strip() for line in lines[1:-1]), validate=True)


def _read_blob(blob: _Bytes) -> Signature:
    if blob.take(len(_MAGIC)) != _MAGIC or blob.number() != 1:
        raise ValueError("it is of another format")
    key = blob.string()
    namespace = blob.string().decode()
    blob.string()  # reserved
    blob.string()  # the name of the hash
    inner = _Bytes(blob.string())
    blob.finish()
    key_type = _Bytes(key).string().decode()
    fingerprint = "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")
    flags, counter = _read_touch(key_type, inner)
    return Signature(key_type, fingerprint, namespace, flags, counter)


def _read_touch(key_type: str, inner: _Bytes) -> tuple[int | None, int | None]:
    """What the authenticator says. The signature must be of the key's own kind: others are laid out differently."""
    if key_type not in PRESENCE_KEYS:
        return None, None
    if inner.string().decode() != key_type:
        raise ValueError("the signature is of another kind than the key")
    inner.string()
    flags, counter = inner.take(1)[0], inner.number()
    inner.finish()
    return flags, counter
