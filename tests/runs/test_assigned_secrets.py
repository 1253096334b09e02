"""A password that work adds is found where nobody can take it for an example."""

import pytest

from planrail.runs.evidence.secrets import find_assigned

_VALUE = "hT7qLw92ZxPk4v"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (".env", f"DB_PASSWORD={_VALUE}"),
        ("config/app.yml", f"  password: {_VALUE}"),
        ("config/app.yml", f"  api_key: {_VALUE}  # of production"),
        ("deploy/prod.ini", f"client_secret = {_VALUE}"),
        ("src/app.py", f'API_KEY = "{_VALUE}"'),
        ("src/app.py", f"password: str = '{_VALUE}'"),
        ("src/app.ts", f"const authToken = `{_VALUE}`;"),
        ("src/app.js", f'  "apiKey": "{_VALUE}",'),
        ("src/A.java", f'String dbPassword = "{_VALUE}";'),
        ("src/a.rb", f":secret_key => '{_VALUE}'"),
        ("src/a.go", f'token := "{_VALUE}"'),
        ("main.tf", 'admin_password = "5f4dcc3b5aa765d61d8327deb882cf99"'),
        ("docs/run.md", f'password = "{_VALUE}"'),
    ],
)
def test_a_generated_value_of_a_secret_name_is_found(path: str, line: str) -> None:
    text = f"first\n{line}\nlast\n"
    found = list(find_assigned(path, text))
    assert [text[one.start : one.start + len(one.value)] for one in found] == [one.value for one in found]
    assert len(found) == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (".env", "DB_PASSWORD=changeme1234X"),
        (".env", "DB_PASSWORD=${DB_PASSWORD}"),
        (".env.example", f"DB_PASSWORD={_VALUE}"),
        ("tests/test_login.py", f'password = "{_VALUE}"'),
        ("src/fixtures/users.yml", f"password: {_VALUE}"),
        ("src/app.py", 'password = os.environ["DB_PASSWORD_2"]'),
        ("src/app.py", "token = make_Token2For(user)"),
        ("src/app.py", "api_key = settings.apiKey2Prod"),
        ("src/app.py", 'TOKEN_URL = "https://x.example/oAuth2/v1T"'),
        ("src/app.py", 'header_for_token = "X-Api-Key-V2"'),
        ("src/app.py", 'password = "correct horse battery"'),
        ("src/app.py", 'password = "CorrectHorseBattery1"'),
        ("src/app.py", 'tokenizer = "hT7qLw92ZxPk4v"'),
        ("src/app.py", 'password_hash = "$2b$12$hT7qLw92ZxPk4v"'),
        ("locale/de.yml", "password: Passwort_vergessen_2"),
        ("src/app.ts", 'token: "YOUR_API_TOKEN_4v9X2q"'),
        ("src/app.ts", "token: aB3dE5fG7hI9"),
        ("package-lock.json", f'"token": "{_VALUE}"'),
    ],
)
def test_what_stands_for_a_secret_is_none(path: str, line: str) -> None:
    assert not list(find_assigned(path, line))
