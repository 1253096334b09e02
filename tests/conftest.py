"""What every test stands on: no test touches the user's state, and properties are searched with a chosen effort."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # `tests.plans.documents`, however pytest was started

# The ordinary run looks at the same few examples each time; `make soak` looks at many, and at others each time.
settings.register_profile(
    "sample",
    max_examples=int(os.environ.get("PLANRAIL_EXAMPLES", "60")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate, Phase.target, Phase.shrink],
)
settings.register_profile(
    "soak",
    max_examples=int(os.environ.get("PLANRAIL_EXAMPLES", "4000")),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sample")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A soak may take an hour; every other test has the limit of the settings."""
    for item in items:
        if item.get_closest_marker("soak") is not None and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(3600))


@pytest.fixture(scope="session", autouse=True)
def _own_surroundings() -> None:
    """Modes of new files are the usual ones, whatever the umask; and what a test starts can be interrupted, also where
    the suite itself ignores that, under nohup or behind a `&`.

    A signal that is caught here is at its default in a program that is started; one that is ignored stays ignored.
    """
    os.umask(0o022)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """planrail's state and settings, and git's, are the test's own; what a command switches off is on again afterwards."""
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
    for name in ("PLANRAIL_DATABASE", "PLANRAIL_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    yield
    gc.enable()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the repository with other people's plans; the tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "cases").is_dir():
        pytest.skip("../shared is not here")
    return folder
