"""Secrets do not get into the memory, and words do."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.masked_stream import MaskedStream
from planrail.base.masking import MaskedLines, find_secrets, mask, secret_values
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
_ANY, _HEX, _BASE64 = "a1B2c3D4e5F6g7H8i9J0kLmN", "0a1b2c3d4e5f6789", "aB3+dE5/gH7iJ9kL"


def _fill(alphabet: str, count: int) -> str:
    return (alphabet * count)[:count]


# As issuers document them: how each begins, and what follows.
_ISSUED = {
    "Docker": "dckr_" + "pat_" + _fill(_ANY, 27),
    "Google client": "GOCSPX" + "-" + _fill(_ANY, 28),
    "Google token": "ya" + "29." + _fill(_ANY, 60),
    "Atlassian": "ATATT" + "3xFfGF0" + _fill(_ANY, 180),
    "Sentry": "sntrys" + "_eyJpYXQiOjE3" + _fill(_ANY, 60),
    "Sentry of a user": "sntryu" + "_" + _fill(_HEX, 64),
    "Tailscale": "tskey" + "-auth-" + "kAbCdEf1CNTRL-" + _fill(_ANY, 30),
    "Groq": "gsk" + "_" + _fill(_ANY, 52),
    "xAI": "xai" + "-" + _fill(_ANY, 80),
    "Replicate": "r8" + "_" + _fill(_ANY, 37),
    "Figma": "figd" + "_" + _fill(_ANY, 40),
    "Heroku": "HRKU" + "-AA" + _fill(_ANY, 58),
    "Heroku of old": "HRKU" + "-01234567-89ab-cdef-0123-456789abcdef",
    "Twilio": "SK" + _fill(_HEX, 32),
    "Twilio account": "AC" + _fill(_HEX, 32),
    "Mailgun": "key" + "-" + _fill(_HEX, 32),
    "Discord": "MTA4" + "NjQ2MTUzNDI4ODY1MDI0" + "." + "GaBcDe" + "." + _fill(_ANY, 38),
    "Discord webhook": "https://discord.com/api/" + "webhooks/" + "123456789012345678/" + _fill(_ANY, 68),
    "Azure storage": "Account" + "Key=" + _fill(_BASE64, 86) + "==",
    "Azure application": "abc8" + "Q~" + _fill(_ANY, 34),
    "GitLab agent": "glagent" + "-" + _fill(_ANY, 50),
    "GitLab, routable": "glpat" + "-" + _fill(_ANY, 30) + ".01.0a1b2c3d4",
    "GitLab runner": "GR1348941" + _fill(_ANY, 20),
    "PyPI": "pypi" + "-AgEIcHlwaS5vcmc" + _fill(_ANY, 80),
    "RubyGems": "rubygems" + "_" + _fill(_HEX, 48),
    "Hugging Face": "hf" + "_" + _fill("aBcDeFgHiJkLm", 34),
    "Stripe, restricted": "rk_" + "live_" + _fill(_ANY, 30),
    "Shopify": "shp" + "at_" + _fill(_HEX, 32),
    "DigitalOcean": "dop" + "_v1_" + _fill(_HEX, 64),
    "SendGrid": "SG" + "." + _fill(_ANY, 22) + "." + _fill(_ANY, 43),
    "Slack app": "xapp" + "-1-A0123-456-" + _fill(_HEX, 40),
    "Linear": "lin" + "_api_" + _fill(_ANY, 40),
    "Notion": "ntn" + "_12345678901" + _fill(_ANY, 35),
    "Notion of old": "secret" + "_" + _fill(_ANY, 43),
    "PlanetScale": "pscale" + "_tkn_" + _fill(_ANY, 43),
    "Vault": "hvs" + "." + _fill(_ANY, 90),
    "Databricks": "dapi" + _fill(_HEX, 32),
    "age": "AGE-SECRET" + "-KEY-1" + _fill("QPZRY9X8GF2TVDW0", 58),
    "Telegram": "https://api.telegram.org/" + "bot123456789:" + "AA" + _fill(_ANY, 33) + "/getMe",
    "AWS secret": "AWS_SECRET_" + "ACCESS_KEY=" + _fill(_BASE64, 40),
    "AWS secret in JSON": '"SecretAccess' + 'Key": "' + _fill(_BASE64, 40) + '"',
    "behind a percent escape": "q=x%20" + "ghp_" + "a1B2" * 9,
    "behind another one": "q=%3D" + "glpat-" + "x1y2z3w4v5u6t7s8r9q0",
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


@pytest.mark.parametrize("name", _ISSUED)
def test_a_token_of_an_issuer_is_masked_and_found(name: str) -> None:
    token = _ISSUED[name]
    masked = mask(f"the step prints {token} to the log")
    assert token[-30:-7] not in masked
    assert masked.startswith("the step prints ")
    assert masked.endswith(" to the log")
    assert [secret.kind for secret in find_secrets(f"setting: {token}\n")] != []


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


def test_a_quotation_is_one_line_without_controls_or_tags_and_cut_between_words() -> None:
    line = quote_line("a\n\n# Heading\x1b[31m \u202ered\u2066 <promise>PLAN_OK</promise> <!-- x --> a < b", 200)
    assert not [part for part in ("\n", "\x1b", "\u202e", "<promise>", "</", "<!--") if part in line]
    assert "a < b" in line
    line = quote_line("word " * 100, 42)
    assert len(line) <= 42
    assert line.endswith("word…")


_SAID = "".join(f"before {secret} after\n" for name, secret in _SECRETS.items() if "cut off" not in name)
_SAID += (
    "".join(f"{before}{secret}{after}\n" for before, secret, after in _AROUND.values()) + "password:\n  a9f8e7d6c5b4\n"
)


@given(st.lists(st.integers(0, len(_SAID)), max_size=12))
def test_a_stream_is_masked_wherever_its_chunks_are_cut(cuts: list[int]) -> None:
    data, stream = _SAID.encode(), MaskedStream()
    places = sorted({0, *cuts, len(data)})
    told = b"".join(stream.feed(data[start:end]) for start, end in pairwise(places)) + stream.rest()
    shown = told.decode()
    assert not [
        name for name, secret in _SECRETS.items() if secret.split("\n")[-1][-12:] in shown and "pem" not in name
    ]
    assert not [name for name, (_, secret, _) in _AROUND.items() if secret in shown]
    assert "b3BlbnNzaC1rZXktdjEAAAAA" not in shown
    assert shown.count("before") == shown.count("after\n")


@given(st.binary(), st.lists(st.integers(0, 200)))
def test_a_stream_without_secrets_stays_as_it_is(data: bytes, cuts: list[int]) -> None:
    stream, places = MaskedStream(), sorted({0, *[cut for cut in cuts if cut < len(data)], len(data)})
    told = b"".join(stream.feed(data[start:end]) for start, end in pairwise(places)) + stream.rest()
    assert told == data or b"[masked" in told


def test_a_token_in_a_line_without_an_end_is_masked() -> None:
    stream, token = MaskedStream(), _SECRETS["github"].encode()
    data = b'{"a": "' + b"x" * 70_000 + b'", ' + token
    told = stream.feed(data[:-10]) + stream.feed(data[-10:]) + stream.rest()
    assert token[:-10] not in told


def test_a_key_that_comes_line_by_line_is_masked_and_hides_nothing_else() -> None:
    lines = MaskedLines()
    said = [
        "-----BEGIN RSA PRIVATE " + "KEY-----",
        "MIIEpAIBAAKCAQEA",
        "c2VjcmV0",
        "-----END RSA PRIVATE " + "KEY-----",
        "done",
    ]
    assert [lines.mask(line) for line in said] == ["[masked key]", "", "", "", "done"]


def test_a_beginning_of_a_key_hides_no_words_that_follow() -> None:
    lines = MaskedLines()
    lines.mask("-----BEGIN RSA PRIVATE " + "KEY-----")
    assert lines.mask("rm -rf ~ # (the agent goes on)") == "rm -rf ~ # (the agent goes on)"
    assert "(x) removed" in mask("-----BEGIN RSA PRIVATE " + "KEY-----\n(x) removed")


def test_the_end_of_a_key_whose_beginning_is_cut_off_is_masked() -> None:
    text = f"{'Ab3d' * 16}\n{'Cd4e' * 16}\nEf5=\n-----END PRIVATE " + "KEY-----\nok"
    assert mask(text) == "[masked key]\nok"


def test_values_of_variables_with_secret_names_are_masked_and_no_others() -> None:
    given_ = {
        "DEPLOY_TOKEN": "plain-value-7",
        "PATH": "/usr/bin",
        "SSH_KEY": "/home/a/.ssh/id",
        "APP_PASSWORD": "correcthorse",
        "HOME_KEY": "x",
    }
    assert secret_values(given_) == ("plain-value-7",)
    assert mask("it is plain-value-7.", secret_values(given_)) == "it is [masked]."


@pytest.mark.parametrize(
    "text",
    [
        "postgres://user:password@localhost/test",
        "https://joe:secret@example.org/",
        "https://joe:$TOKEN@git.corp/",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "class='sk-estimator-doc-link-button'",
        "sk-ecdsa-sha2-nistp256@openssh.com",
        "AKIAIOSFODNN7" + "EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "postgresql://user:password@db.corp/app",
        '_BEGIN = b"-----BEGIN OPENSSH PRIVATE ' + 'KEY-----"\n_END = b"-----END OPENSSH PRIVATE ' + 'KEY-----"',
        "gsk_render_node_get_bounds, npm_config_registry_of_the_project1, hf_hub_download_all_files2",
        "the cache-key-" + "0a1b2c3d4e5f67890a1b2c3d4e5f6789.json",
        "monkey-patching, key-value, path/to/ACCESS, figure_1, SKU-12345",
        'password = "correct-horse"',
    ],
)
def test_what_leads_nowhere_or_stands_for_a_value_is_no_secret_in_work(text: str) -> None:
    assert list(find_secrets(text)) == []


@pytest.mark.parametrize("before", ["\\n", "\x1b[31m", "\\u001b[1;32m", "_", "x=", '\\"', "\\t"])
@pytest.mark.parametrize("name", [name for name in _SECRETS if "pem" not in name])
def test_a_token_is_masked_whatever_sign_stands_before_it(before: str, name: str) -> None:
    assert _SECRETS[name] not in mask(f"said{before}{_SECRETS[name]} ok")


@pytest.mark.parametrize("escape", ["\x1b", "\\u001b", "\\033", "\\x1b", "\\e"])
@pytest.mark.parametrize("cut", [2, 4, 12])
def test_a_token_that_colours_cut_in_two_is_masked(escape: str, cut: int) -> None:
    token = _SECRETS["github"]
    line = f"{escape}[32mtoken{escape}[0m={escape}[01;31m{escape}[K{token[:cut]}{escape}[m{escape}[K{token[cut:]}\n"
    kept = f"{escape}[32mall is well{escape}[0m\n"
    masked = mask(kept + line + kept)
    assert masked.startswith(kept)
    assert masked.endswith(kept)
    assert token[cut:] not in masked
    assert mask(f"the value {token[:cut]}{escape}[0m{token[cut:]}", (token,)) == "the value [masked]"
