"""Usage limits, as the services answer at one: status, headers and body."""

from planrail.testing.model_server.script import Refusal, Turn


def claude_limit(resets_at: int, now: float) -> Turn:
    """A subscription of Claude is used up for its five hours. Claude Code reads the headers, not the message."""
    window = {"status": "rejected", "reset": str(resets_at)}
    unified = {
        **window,
        "representative-claim": "five_hour",
        "fallback": "unavailable",
        **{f"5h-{name}": value for name, value in window.items()},
        "5h-utilization": "1.0",
        "overage-status": "rejected",
        "overage-disabled-reason": "org_level_disabled",
    }
    headers = {f"anthropic-ratelimit-unified-{name}": value for name, value in unified.items()}
    headers |= {"retry-after": str(max(1, int(resets_at - now))), "x-should-retry": "true"}
    message = "This request would exceed your account's rate limit. Please try again later."
    return Turn(fault=Refusal(429, "rate_limit_error", message, tuple(headers.items())))


def codex_limit(resets_at: int, now: float) -> Turn:
    """A plan of Codex is used up. Codex reads the body, and tells people the time without its seconds."""
    body = {"plan_type": "pro", "resets_at": resets_at, "resets_in_seconds": max(0, int(resets_at - now))}
    fault = Refusal(429, "usage_limit_reached", "The usage limit has been reached", fields=tuple(body.items()))
    return Turn(fault=fault)
