"""The rule about wording: work and criteria in words that nobody can verify."""

import re
from collections.abc import Iterator
from itertools import takewhile

from planrail.plans.lint.document import Document, PlanLine, Problem, warning, without_code, without_quotations
from planrail.plans.text.outline import is_aside, is_criteria

# What a word means decides whether it is here: "correctly" and "several" are not, because in real plans a precise
# sentence contains them as often as not; "properly" is, because it never adds anything.
# Where the words are separated by spaces: matched from one word boundary to another, over text in lower case. An entry
# with letters beyond ASCII has no brackets, so that its other words can be taken out for a line of plain ASCII.
SPACED = (
    # English: adverbs that promise quality and say nothing about it
    r"properly|appropriately|adequately|suitably|sensibly|somehow|seamlessly|user-friendly|intuitively",
    r"robust(?:ly)?",
    # conditions that nobody has decided
    r"(?:if|where|when|whenever|wherever) (?:needed|necessary|appropriate|applicable|relevant)",
    r"as (?:needed|necessary|appropriate|applicable)",
    r"as required(?! by| in| for)|if required(?! by)|as you see fit|at your discretion|when it makes sense",
    # lists that do not end
    r"etc\.?(?![\w/])|and so on|and so forth|and the like|and more(?=[.)]?$)|among others|or something(?: similar| "
    r"like that)?(?! else)",
    # amounts that nobody has counted
    r"various|a bunch of|a couple of|a number of|miscellaneous|sort of|kind of(?= works)",
    r"(?:add|adds|adding|write|writing|fix|fixing|do|doing|make|making|handle|handling|implement|implementing|improve|"
    r"include|including|create|creating|update|updating|refactor|remove|removing|support|run|apply|provide|perform|"
    r"clean up|cover|change|need|needs) some",
    r"some (?:kind|sort|form) of|some (?:tests?|fixes|improvements?|changes|cleanup|clean-up|refactoring|polish|"
    r"validation|checks|error handling|logging|docs|documentation|tweaks|work)",
    # work that is named and not described
    r"(?:handle|handles|handling|consider|cover|covers|address|test|tests) "
    r"(?:all |any |the |various |other |possible )*(?:edge|corner)[ -]cases?(?!\s*[:(\u2013\u2014-])",
    r"(?:handle|handles|handling) (?:all |any |the )*errors? (?:gracefully|nicely|well)(?!\s*[:(\u2013\u2014-])",
    r"(?:improve|optimi[sz]e|enhance) (?:the )?(?:overall )?"
    r"(?:performance|usability|quality|readability|ux|code quality)(?=\s*(?:[.,;)]|$))",
    # outcomes without a measure
    r"should (?:just |now |still |mostly )?work(?=\s*(?:[.,;!)]|$))",
    r"(?:work|works|working|behave|behaves) as (?:expected|intended|it should)(?=\s*(?:[.,;!)]|$))",
    r"(?:good|fast|clean|simple|stable|secure) enough|as (?:fast|simple|small|soon|much|many|little|clean) as possible",
    r"reasonably (?:fast|small|short|good|quick|simple)|best[ -]effort basis|look(?:s)? (?:good|nice|right)",
    # decisions that are still open
    r"tbd|tba|to be (?:determined|decided|defined|specified|confirmed)|todo: ?(?:decide|figure|determine|define|tbd)|"
    r"figure out (?:later|how|what|whether)|decide later|not sure (?:yet|if|how|whether)|\?\?\?+",
    # German
    r"ordentlich|angemessen|sachgemäß|irgendwie|ggf\.?|gegebenenfalls|bei bedarf|nach bedarf|falls nötig|"
    r"falls erforderlich|wenn nötig|usw\.?|und so weiter|diverse|noch zu klären|noch offen|zu gegebener zeit",
    # French
    r"convenablement|de manière appropriée|de façon appropriée|si nécessaire|au besoin|le cas échéant|et ainsi de "
    r"suite|d'une manière ou d'une autre|à définir|à déterminer|si besoin",
    # Spanish
    r"adecuadamente|apropiadamente|debidamente|según sea necesario|si es necesario|cuando sea necesario|según "
    r"corresponda|de alguna manera|de algún modo|y así sucesivamente|entre otros|por definir|robust[oa]s?|como sea "
    r"necesario",
    # Portuguese
    r"adequadamente|apropriadamente|devidamente|se necessário|conforme necessário|quando necessário|de alguma forma|"
    r"e assim por diante|a definir|entre outros",
    # Italian
    r"adeguatamente|opportunamente|se necessario|all'occorrenza|in qualche modo|e così via|da definire",
    # Russian, Ukrainian
    r"при необходимости|по необходимости|если потребуется|если нужно|как-нибудь|как-то|каким-то образом|и так далее|"
    r"и т\. ?д\.?|и т\. ?п\.?|надлежащим образом|должным образом|по возможности|за потреби|за необхідності|і так далі",
    # Polish, Turkish
    r"odpowiednio|w razie potrzeby|jeśli to konieczne|i tak dalej|jakoś|do ustalenia|gerekirse|uygun şekilde|vb\.?|"
    r"vesaire",
)

# Where they are not, or where endings grow onto them: found anywhere.
UNSPACED = (
    "적절히|적절하게|적절한|적당히|적당한|필요시|필요 시|필요에 따라|필요하면|필요한 경우|등등|여러 가지|여러가지|"
    "제대로|어떻게든|추후 결정|추후 논의|견고하게|견고한|알아서|잘 처리|잘 동작",
    "適切に|適切な|必要に応じて|必要なら|必要であれば|いろいろ|色々|さまざまな|様々な|適宜|何らかの|なんとか|うまく|"
    "未定|要検討|きちんと|しっかり|等々|よしなに|適当に",
    "适当地?|適當地?|必要时|必要時|如有必要|如有需要|酌情|等等|某些|待定|妥善|尽量|盡量|视情况|視情況|根据需要|"
    "根據需要|按需要?调整|想办法|想辦法|合理地",
)


def find_vague_wording(document: Document) -> Iterator[Problem]:
    own = [re.escape(word.lower()) for word in document.settings.vague_words]
    spaced = [*SPACED, *(word for word in own if word.isascii())]
    plain = [part for entry in spaced for part in ([entry] if entry.isascii() else entry.split("|"))]
    boundary = r"(?<![\w/-])(?:{})(?![\w-])"
    unspaced = [*UNSPACED, *(word for word in own if not word.isascii())]
    vague = "|".join([boundary.format("|".join(spaced)), *unspaced])
    # A line of plain ASCII is only searched for words that are. Each pattern is compiled when a line wants it.
    vague_ascii = boundary.format("|".join(part for part in plain if part.isascii()))
    work = [(line.number, line.prose) for line in document.lines if _is_work(line)]
    if not document.is_markdown:
        items = [item for phase in document.plan.phases for item in phase.items if not item.is_done]
        work = [(item.line, without_code(item.text)) for item in items]
    for number, prose in work:
        text = without_quotations(prose).lower()
        match = re.search(vague_ascii if text.isascii() else vague, text)
        if match:
            message = f"“{match[0].strip()}” cannot be verified: say what exactly, or how it is measured"
            yield warning("vague-wording", number, message)


def _is_work(line: PlanLine) -> bool:
    """Whether a line states work or criteria that are still open; asides, titles and tables state other things."""
    if line.is_finished or line.kind in ("heading", "row"):
        return False
    titles = [line.label[:80]] if line.label else []
    if line.phase is None and not is_criteria(line.section.text) and not any(map(is_criteria, titles)):
        return False
    first = line.phase.first_line if line.phase is not None else -1
    titles += [part.text for part in takewhile(lambda part: part.parent and part.line > first, line.section.path())]
    return not any(is_aside(title) and not is_criteria(title) and not _VERIFIES.search(title) for title in titles)


_VERIFIES = re.compile("verif|valid|test|check|검증|验证|検証", re.IGNORECASE)
