"""Names for plan files that a person can read: a few words of the prompt, then an adjective and a noun.

The prompt is the user's text in any language. What it says in links, mark-up and code is no name for a plan, and what
looks like a key or a hash must not become one.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ADJECTIVES = """
    able agile amber bold brave breezy bright brisk calm candid cheery clear clever cosy crisp curious daring deft eager
    early fair fleet fond frank fresh gentle glad golden happy hardy honest humble jolly keen kind lively lucid lucky
    mellow merry mild neat nimble noble patient plucky polite proud quick quiet ready rosy sage silver smart snug sunny
    swift tidy trusty vivid warm wise witty zesty
"""

_NOUNS = """
    acorn anchor badger beacon birch bison breeze brook canyon cedar clover comet coral crane creek daisy dolphin ember
    falcon fern finch fjord fox garnet glade harbor heron ibis island juniper kite lagoon lantern lark lemur lynx maple
    marten meadow nutmeg oak orchid otter owl panda pebble pine plover puffin quail raven reef river robin sparrow
    spruce stork summit swan thistle tiger tulip walnut willow wren
"""

# Words of every sentence, of politeness, and of asking for a plan. Not "not": a name must not say the opposite.
_STOP_WORDS = """
    a an the this that these those it its is are was were be been being am do does did done have has had having
    i me my mine we us our ours you your yours he she him his her they them their there here
    and or but nor so if then than as at by for from in into of off on onto out over per to under up upon via with
    within will would shall should can could may might must let lets id ill im ive youre
    what which who whom whose when where why how some any all each every both few more most other such only own
    same too very just also about again once now please kindly thanks thank hi hello hey want wants need needs like
    plan planning plans make sure etc eg ie vs

    der die das den dem des ein eine einen einem einer eines und oder aber ist sind war im am zu zum zur von vom mit für
    auf bitte wir ich du sie er es uns mir mich dass wie was

    le la les un une des du de et ou mais est sont dans sur pour par avec que qui ce cette ces je tu il elle nous vous
    mon ma mes notre plaît sil svp

    el los las unos unas y o pero es son en con por para se lo su sus mi mis al del nos por favor que

    um uma os as e ou mas com na nos nas do da dos das ao

    il lo gli uno di da e o ma per su con che si

    и в во на с со по для из к у от что как это мы я
"""

ADJECTIVES = tuple(_ADJECTIVES.split())
NOUNS = tuple(_NOUNS.split())
STOP_WORDS = frozenset(_STOP_WORDS.split())


MAX_CHARACTERS = 40
MAX_BYTES = 120  # of 255 that a file name may have; the two words and a sub-agent's id come behind
_LOOKED_AT = 4_000  # characters of the prompt; a name comes from its beginning
_LONGEST_MIXED = 15  # letters and digits in one long run are a key or a hash, not a word
_FENCE = "```"
_JOINERS = "'’ʼ\u200c\u200d\u00ad"  # what stands inside a word and is no letter
_KEY_PREFIXES = ("sk-", "pk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "akia", "eyj")
# Letters and marks that nobody can see: a name must not hold them.
_FILLERS = (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)
_INVISIBLE = frozenset((*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810), *_FILLERS))


def slug_of(prompt: str) -> str:
    """A few words of the prompt, joined by hyphens; "" where none of them could be part of a name."""
    text = _without_tags(_without_code(prompt[:_LOOKED_AT])).replace("](", " ")
    slug = ""
    for word in _words(text):
        longer = f"{slug}-{word}" if slug else _cut(word)
        if not _fits(longer):
            break
        slug = longer
    return slug


def two_words(choose: "Callable[[int], int]") -> str:
    """An adjective and a noun. `choose(n)` picks a number below n."""
    return f"{ADJECTIVES[choose(len(ADJECTIVES))]}-{NOUNS[choose(len(NOUNS))]}"


def file_name(prompt: str, choose: "Callable[[int], int]") -> str:
    slug = slug_of(prompt)
    return f"{slug}-{two_words(choose)}.md" if slug else f"{two_words(choose)}.md"


def _without_code(text: str) -> str:
    """The text without fenced blocks and code spans; a span that is one plain name stays, it is a word."""
    prose = " ".join(text.split(_FENCE)[::2])
    parts = prose.split("`")
    for index in range(1, len(parts) - 1, 2):
        if not parts[index].replace("_", "a").replace("-", "a").isalnum():
            parts[index] = " "
    return "".join(parts)


def _without_tags(text: str) -> str:
    """The text without `<tag>`, `</tag>` and `<!-- comments -->`; `a < b` is none of them."""
    first, *others = text.split("<")
    kept = [first]
    for part in others:
        end = part.find("-->") + 2 if part.startswith("!--") and "-->" in part else part.find(">")
        is_tag = end >= 0 and (part[0].isalpha() or part[0] in "/!")
        kept.append(" " + part[end + 1 :] if is_tag else " " + part)
    return "".join(kept)


def _words(text: str) -> "Iterator[str]":
    used: set[str] = set()
    for chunk in text.lower().split():
        for word in _split(_telling_part(chunk)):
            is_key = len(word) > _LONGEST_MIXED and word.isascii() and not word.isalpha() and not word.isdigit()
            if word not in used and word not in STOP_WORDS and not is_key:
                used.add(word)
                yield word


def _telling_part(chunk: str) -> str:
    """What a name can use of a chunk without spaces: nothing of a link or a key, of a path the file's name."""
    bare = chunk.lstrip("([{<\"'*_@#")
    if "://" in bare or bare.startswith(("www.", "mailto:", *_KEY_PREFIXES)):
        return ""
    bare = bare.partition("=")[0]  # a value is no word, and may be a password
    folder, slash, name = bare.rstrip(".,;:!?)]}>\"'*_/").rpartition("/")
    if slash and (not folder or "/" in folder or "." in name or folder in ("~", ".", "..")):
        return name.rpartition(".")[0] or name
    return bare


def _split(chunk: str) -> "Iterator[str]":
    """The runs of letters, digits and their marks."""
    word = ""
    for character in chunk + " ":
        if character in _JOINERS:
            continue
        # `isalnum` knows no vowel signs, without which Hindi or Thai cannot be read: they may continue an identifier.
        if character != "_" and f"a{character}".isidentifier() and ord(character) not in _INVISIBLE:
            word += character
            continue
        if word[:1].isalnum():
            yield word
        word = ""


def _cut(word: str) -> str:
    """As much of a word as fits: scripts without spaces have long ones. No letter loses its marks."""
    end = len(word)
    while not _fits(word[:end]) or (end < len(word) and not word[end].isalnum()):
        end -= 1
    return word[:end]


def _fits(slug: str) -> bool:
    return len(slug) <= MAX_CHARACTERS and len(slug.encode("utf-8", "surrogatepass")) <= MAX_BYTES
