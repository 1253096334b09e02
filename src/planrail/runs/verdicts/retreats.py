"""Words by which a yes takes itself back: "done, with a gap", "deferred", "a stub for now"."""

import re

from planrail.base.patterns import pattern

_RETREAT = pattern(
    r"\b(?:gaps?|defer(?:s|red|ring)?|partially|partial (?:implementation|support|coverage|fix)|to-?dos?|tbd|fixme|"
    r"stub(?:s|bed)?|placeholders?|follow-?ups?|unverified|postponed?|left (?:open|out|for later|undone)|for now|"
    r"(?P<absent>(?:is|are|was|were|still) (?:missing|incomplete)|still (?:open|pending|broken|fail\w*))|"
    r"(?:in|to|until|for) (?:a|the|some|another) (?:later|future|next|subsequent) (?:phase|change|pr|step)|future work|"
    r"not (?:yet )?(?:implemented|done|verified|tested|checked|run|covered|complete|finished)|"
    r"(?:could|can|did|was|were|does|is)(?: ?not|n['’]t)(?: be)? "
    r"(?:verif|check|test|run|implement|confirm|read|look)\w*|"
    r"unable to|assum(?:e|ed|ing)|presumably|not sure|unclear)\b",
    re.IGNORECASE,
)
# Right before it, with nothing but a few words between: "no gaps", "removes the last TODO".
_TURNED = pattern(
    r"(?:\b(?:no|not|never|without|zero|none|neither|nor|nothing|gone|remov(?:ed|es)|replac(?:ed|es)|fix(?:ed|es)?|"
    r"clos(?:ed|es)|resolv(?:ed|es)|fill(?:ed|s)|delet(?:ed|es))\b|n['’]t\b)(?:[\s'\"`(/-]+\w+){0,3}[\s'\"`(/-]*$",
    re.IGNORECASE,
)
_CONDITION = pattern(r"\b(?:if|when|whenever|where|whose|unless|because|on|for)\b[^.;]{0,40}$", re.IGNORECASE)


_LOOK_BACK = 80  # characters


def takes_back(note: str, subject: str = "") -> str:
    """The words of a note that take a yes back; "" where there are none. What the subject is about is no retreat."""
    known = subject.lower()
    for match in _RETREAT.finditer(note):
        before = note[max(0, match.start() - _LOOK_BACK) : match.start()]
        is_turned = _TURNED.search(before) or (match["absent"] and _CONDITION.search(before))
        if not is_turned and match[0].lower() not in known:
            return match[0]
    return ""
