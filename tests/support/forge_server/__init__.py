"""A scripted forge on loopback, over a real bare repository: the real `gh` program talks to it.

    with ForgeServer(hosted) as server:
        subprocess.run(["gh", "pr", "list", ...], env=os.environ | server.environment(folder))
    assert server.errors == []

It speaks GitHub's REST interface, and of its GraphQL what `gh pr list` asks for. A request that it does not know is an
error, and so is a body of another shape: the test that made it fails.
"""

from tests.support.forge_server.hosted import Hosted, HostedIssue, HostedRequest
from tests.support.forge_server.server import HOST, ForgeServer, Heard

__all__ = ["HOST", "ForgeServer", "Heard", "Hosted", "HostedIssue", "HostedRequest"]
