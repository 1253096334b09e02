"""Commands at random: readers and mutators in every wrapping that a shell has, and lines of the lists with bytes changed.

A command is a pure function of its seed, so that a failure is replayed with `compose("SEED")`.
"""

from functools import cache
from random import Random

from tests.guard.corpora import load_commands
from tests.guard.fuzz_tables import (
    AWK_TOKENS,
    AWKS,
    BYTES,
    FILES,
    GIT_GLOBALS,
    GIT_WORDS,
    MUTATORS,
    ODD,
    OPTIONS,
    PROGRAMS,
    REDIRECTIONS,
    SAFE_REDIRECTIONS,
    SED_TOKENS,
    SEPARATORS,
    SHAPES,
)


@cache
def _lines(name: str) -> tuple[str, ...]:
    return tuple(load_commands(name))


def _quote(random: Random, word: str) -> str:
    if len(word) < 2 or not word.replace("-", "").replace("/", "").replace(".", "").isalnum():
        return word
    cut = random.randrange(1, len(word))
    head, tail = word[:cut], word[cut:]
    shapes = (
        f"'{word}'",
        f'"{word}"',
        f"{head}''{tail}",
        f"{head}\\{tail}",
        f"$'{word}'",
        f'{head}"{tail}"',
        f"{head}\\\n{tail}",
        f'$"{word}"',
    )
    return random.choice(shapes)


def _operand(random: Random) -> str:
    return random.choice(FILES if random.random() < 0.8 else ODD)


def _git(random: Random) -> list[str]:
    word = random.choice(tuple(GIT_WORDS))
    options = GIT_WORDS[word].split(" ")
    before = [random.choice(GIT_GLOBALS)] if random.random() < 0.2 else []
    after = [_operand(random)] if random.random() < 0.3 else []
    return ["git", *before, word, *random.sample(options, min(len(options), random.randrange(3))), *after]


def _reader(random: Random) -> list[str]:
    name = random.choice(tuple(OPTIONS)) if random.random() < 0.75 else "git"
    if name == "git":
        return _git(random)
    options = OPTIONS[name].split(" ")
    words = random.sample(options, min(len(options), random.choice((0, 1, 1, 2, 3))))
    if name in {"sed", "awk"}:
        words.append(random.choice(PROGRAMS if name == "sed" else AWKS))
    if name in {"grep", "rg", "zgrep"}:
        words.append(random.choice(("x", "'a b'", "TODO", '"a|b"', "a\\|b", "'$x'", '"$(ls)"')))
    if name in {"xargs", "env", "timeout", "nice", "command", "time"} and random.random() < 0.8:
        words.extend(_reader(random) if random.random() < 0.8 else [random.choice(MUTATORS)])
    operands = [_operand(random) for _ in range(random.choice((0, 1, 1, 1, 2)))]
    words = [name, *words, *operands]
    return [name, *operands, *words[1 : -len(operands)]] if operands and random.random() < 0.15 else words


def _simple(random: Random) -> str:
    if random.random() < 0.06:
        return random.choice(MUTATORS)
    if random.random() < 0.15:
        return random.choice(_lines("harmless"))
    words = _reader(random)
    if random.random() < 0.15:
        place = random.randrange(len(words))
        words[place] = _quote(random, words[place])
    if random.random() < 0.25:
        pool = SAFE_REDIRECTIONS if random.random() < 0.8 else REDIRECTIONS
        words.insert(random.choice((len(words), len(words), 0, 1)), random.choice(pool))
    return " ".join(words)


def _compound(random: Random, depth: int) -> str:
    if depth <= 0 or random.random() < 0.45:
        return _simple(random)
    if random.random() < 0.5:
        return random.choice(SEPARATORS).join(_compound(random, depth - 1) for _ in range(2))
    shape = random.choice(SHAPES)
    return shape.format(*(_compound(random, depth - 1) for _ in range(4)))


def _mutate(random: Random, text: str) -> str:
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        place = random.randrange(len(text) + 1)
        match random.randrange(5):
            case 0:
                text = text[:place] + text[place + 1 :]
            case 1 | 2:
                text = text[:place] + random.choice(BYTES) + text[place:]
            case 3:
                text = text[:place] + random.choice(BYTES) + text[place + 1 :]
            case _:
                other = random.randrange(len(text) + 1)
                low, high = min(place, other), max(place, other)
                text = text[:low] + text[high:] if random.random() < 0.5 else text[:high] + text[low:high] + text[high:]
    return text


def compose_program(seed: str) -> str:
    """An awk or sed program of random tokens, in single quotes; its writing part is PWNED wherever it has one."""
    random = Random(seed)
    name, tokens, joint = random.choice((("awk", AWK_TOKENS, " "), ("awk", AWK_TOKENS, " "), ("sed", SED_TOKENS, "")))
    text = joint.join(random.choice(tokens) for _ in range(random.randrange(1, 14)))
    if name == "awk":
        starts = ('{ print {} > "PWNED" }', '{ {} ; print > "PWNED" }', '{ {} ; print > "PWNED"; x = 1 / 2 }', "{}")
        text = random.choice(starts).replace("{}", text, 1)
        return f"awk '{text}' src/a.txt"
    tail = random.choice(("", "", ";w PWNED", "w PWNED", ";1e touch PWNED", "\nw PWNED"))
    return f"sed {random.choice(('', '-n ', '-E '))}'{text}{tail}' src/a.txt"


def compose(seed: str) -> str:
    """The command of this seed, always the same."""
    random = Random(seed)
    kind = random.random()
    if kind < 0.62:
        command = _compound(random, random.choice((0, 1, 1, 2, 3)))
    elif kind < 0.8:
        command = random.choice(_lines("harmless"))
    elif kind < 0.92:
        command = random.choice(_lines("mutating"))
    else:
        command = random.choice(SEPARATORS).join((random.choice(_lines("harmless")), random.choice(_lines("mutating"))))
    often = 0.25 if kind < 0.62 else 0.9
    return _mutate(random, command) if random.random() < often else command
