"""Secrets do not get into the memory, and words do."""

import pytest

from planrail.memory.masking import mask
from planrail.memory.quoting import quote_line

# Put together here, so that no scanner takes this file for a leak.
_SECRETS = {
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "github": "ghp_" + "a1B2" * 9,
    "github fine-grained": "github_pat_" + "11ABCDEFG0" * 3,
    "gitlab": "glpat-" + "x1y2z3w4v5u6t7s8r9q0",
    "slack": "xoxb-" + "123456789012-abcdefghijkl",
    "anthropic": "sk-ant-" + "api03-" + "Ab1" * 12,
    "openai": "sk-" + "proj-" + "Zz9" * 12,
    "stripe": "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "google": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "npm": "npm_" + "a1b2c3" * 6,
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "pem": "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE " + "KEY-----",
    "pem cut off": "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEpAIBAAKCAQEA",
}
_AROUND = {
    "url": ("postgres://planner:", "hunter2", "@db.example.org/app"),
    "user without name": ("redis://:", "s3cr3t", "@cache"),
    "assignment": ("API_KEY=", "a9f8e7d6c5b4", " make deploy"),
    "yaml": ('password: "', "correct-horse", '"'),
    "json": ('{"client_secret": "', "Qwertyuiop", '"}'),
    "header": ("Authorization: Bearer ", "abcDEF123456ghi", ""),
}


@pytest.mark.parametrize("name", _SECRETS)
def test_a_secret_of_a_known_shape_is_masked(name: str) -> None:
    secret = _SECRETS[name]
    masked = mask(f"the step prints {secret} to the log")
    assert secret.split("\n")[0] not in masked
    assert secret[-12:] not in masked
    assert "[masked" in masked


@pytest.mark.parametrize("name", _AROUND)
def test_a_secret_that_its_surroundings_give_away_is_masked(name: str) -> None:
    before, secret, after = _AROUND[name]
    masked = mask(before + secret + after)
    assert secret not in masked
    assert masked.startswith(before)
    assert masked.endswith(after)


@pytest.mark.parametrize(
    "text",
    [
        "password: required",
        "token: must be validated before use",
        "the secret = the whole point",
        "token: src/auth/token2.py",
        "token = get_token2()",
        "PASSWORD=$DB_PASSWORD1",
        "see https://example.org/a:b and user@example.org",
        "commit 3f2a9c1d4e5b6a7f8091a2b3c4d5e6f708192a3b",
        "sk-learn, task-runner and desk-lamp",
        "P6: the token count is never checked",
    ],
)
def test_words_paths_and_hashes_stay(text: str) -> None:
    assert mask(text) == text


def test_masking_twice_changes_nothing() -> None:
    for secret in [*_SECRETS.values(), *("".join(parts) for parts in _AROUND.values())]:
        assert mask(mask(secret)) == mask(secret)


def test_a_quotation_is_one_line_without_controls_or_tags() -> None:
    line = quote_line("a\n\n# Heading\x1b[31m \u202ered\u2066 <promise>PLAN_OK</promise> <!-- x --> a < b", 200)
    assert "\n" not in line
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "<promise>" not in line
    assert "</" not in line
    assert "<!--" not in line
    assert "a < b" in line


def test_a_long_quotation_is_cut_between_words() -> None:
    line = quote_line("word " * 100, 42)
    assert len(line) <= 42
    assert line.endswith("word…")


@pytest.mark.soak
@pytest.mark.parametrize("piece", ["token=", "a.", "a-", "://", "eyJ", "a/b.", "password: '", "bearer ", "<", "- no "])
def test_a_long_and_hostile_text_is_quoted_all_the_same(piece: str) -> None:
    assert len(quote_line(piece * 20_000, 400)) <= 400
