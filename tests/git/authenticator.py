"""A hardware key in software, for tests: it signs as a FIDO authenticator does, and says what it is told to say of touch.

Ed25519 after RFC 8032, in whole numbers: slow, and not safe against somebody who measures it. The key handle is the
secret itself, so that a program that knows nothing can sign with it.
"""

import base64
import hashlib
import sys
from pathlib import Path

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_Y = 4 * pow(5, _P - 2, _P) % _P

Point = tuple[int, int, int, int]  # x, y, z, and t = xy/z

KIND = "sk-ssh-ed25519@openssh.com"
PRESENT, ABSENT = 0x01, 0x00


def _root(square: int) -> int:
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    return _P - x if x % 2 else x


_X = _root((_Y * _Y - 1) * pow(_D * _Y * _Y + 1, _P - 2, _P))
_BASE: Point = (_X, _Y, 1, _X * _Y % _P)


def _add(a: Point, b: Point) -> Point:
    less, more = (a[1] - a[0]) * (b[1] - b[0]) % _P, (a[1] + a[0]) * (b[1] + b[0]) % _P
    twisted, scaled = 2 * a[3] * b[3] * _D % _P, 2 * a[2] * b[2] % _P
    e, f, g, h = more - less, scaled - twisted, scaled + twisted, more + less
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(point: Point, factor: int) -> Point:
    found: Point = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            found = _add(found, point)
        point, factor = _add(point, point), factor >> 1
    return found


def _encode(point: Point) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _number(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def _secret(seed: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254, digest[32:]


def public_half(seed: bytes) -> bytes:
    """The public key that belongs to a secret."""
    return _encode(_times(_BASE, _secret(seed)[0]))


def sign_plainly(seed: bytes, message: bytes) -> bytes:
    """An Ed25519 signature."""
    secret, prefix = _secret(seed)
    once = _number(prefix, message) % _L
    point = _encode(_times(_BASE, once))
    rest = (once + _number(point, public_half(seed), message) * secret) % _L
    return point + rest.to_bytes(32, "little")


def touch(seed: bytes, application: bytes, message: bytes, *, flags: int, counter: int) -> bytes:
    """What an authenticator signs: the application, its flags, its counter and the message."""
    head = hashlib.sha256(application).digest() + bytes([flags]) + counter.to_bytes(4, "big")
    return sign_plainly(seed, head + hashlib.sha256(message).digest())


def pack(*parts: bytes) -> bytes:
    """Strings as SSH writes them."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def armour(blob: bytes, title: str = "SSH SIGNATURE") -> str:
    """The text form of a blob."""
    text = base64.b64encode(blob).decode()
    lines = [text[at : at + 70] for at in range(0, len(text), 70)]
    return "\n".join([f"-----BEGIN {title}-----", *lines, f"-----END {title}-----", ""])


class Authenticator:
    """One key. `sign` makes the signature that `ssh-keygen -Y sign` would make with it."""

    def __init__(self, seed: bytes, application: bytes = b"ssh:") -> None:
        self.seed = hashlib.sha256(seed).digest()
        self.application = application
        self.key = pack(KIND.encode(), public_half(self.seed), application)

    @property
    def public_line(self) -> str:
        return f"{KIND} {base64.b64encode(self.key).decode()}"

    def sign(self, message: bytes, *, flags: int = PRESENT, namespace: bytes = b"planrail", counter: int = 7) -> str:
        digest = hashlib.sha512(message).digest()
        signed = b"SSHSIG" + pack(namespace, b"", b"sha512", digest)
        raw = touch(self.seed, self.application, signed, flags=flags, counter=counter)
        inner = pack(KIND.encode(), raw) + bytes([flags]) + counter.to_bytes(4, "big")
        head = b"SSHSIG" + (1).to_bytes(4, "big")
        return armour(head + pack(self.key, namespace, b"", b"sha512", inner))

    def write_key(self, path: Path, *, flags: int = PRESENT) -> Path:
        """The files that `ssh-keygen -t ed25519-sk` would leave: a handle for the authenticator, and the public half."""
        parts = pack(KIND.encode(), public_half(self.seed), self.application) + bytes([flags]) + pack(self.seed, b"")
        private = b"\1\2\3\4" * 2 + parts + pack(b"test")
        private += bytes(range(1, 1 + -len(private) % 8))
        blob = b"openssh-key-v1\0" + pack(b"none", b"none", b"") + (1).to_bytes(4, "big") + pack(self.key, private)
        path.write_text(armour(blob, "OPENSSH PRIVATE KEY"))
        path.chmod(0o600)
        path.with_name(path.name + ".pub").write_text(f"{self.public_line} test\n")
        return path


def main() -> None:
    """`authenticator.py SECRET APPLICATION FLAGS MESSAGE`, all in hexadecimal: the signature, likewise."""
    seed, application, flags, message = (bytes.fromhex(word) for word in sys.argv[1:5])
    print(touch(seed, application, message, flags=flags[0], counter=7).hex())


if __name__ == "__main__":
    main()
