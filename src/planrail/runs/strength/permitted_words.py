"""The words by which a phase says that it will change a file, and those by which it says something else. As data."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _verbs(text: str) -> frozenset[str]:
    """Each word, and its form at the beginning of a title: `write`, `writing`."""
    return frozenset(form for verb in text.split() for form in (verb, f"{verb.removesuffix('e')}ing"))


# With these, what follows directly may be put somewhere else: "add `.env` to .gitignore".
ADDING = _verbs("add append put insert include register save store") | _words("putting")
MOVING = _verbs("move rename delete remove drop") | _words("dropping")
CHANGING = (
    ADDING
    | MOVING
    | _verbs("create modify change edit update write rewrite extend adjust replace introduce generate configure bump")
    | _verbs("fix correct refactor amend patch set")
    | _words("setting")
)
CHANGED = _words(
    "new added created modified changed edited updated written rewritten extended adjusted replaced removed deleted "
    "renamed moved generated configured fixed corrected refactored amended touched affected"
)
LABELS = _words("file files path paths scope touch touches changes creates modifies writes updates adds deletes")
IN_LABELS = _words("the these following to be all and or in of by this that phase task step we will")
# What stands in one sentence, list or row of a table with these, and after them, is not said to change.
REFUSING = _words(
    "not never no none nothing neither nor don't don’t won't won’t mustn't mustn’t shouldn't shouldn’t doesn't doesn’t "
    "cannot can't can’t without avoid except excluding excluded besides unless instead rather but only unchanged "
    "untouched stay stays staying remain remains keep keeps kept keeping leave leaves left leaving intact preserve "
    "preserves reference references context background non-goal non-goals out later future deferred rejected "
    "alternatives considered assumption assumptions already read-only readonly"
)
# These lead to a file that is looked at.
READING = _words(
    "follow follows read reads see as like per from using use uses via by with according about against on of for so "
    "that what which who how why where when while if because since than matches match fits fit says say described "
    "describes respect respects obey obeys honour honor comply check checks review inspect run runs look cite mention "
    "mentions link links pointer pointers refer refers compare conform conforms similar e.g i.e based under"
)
ARTICLES = _words(
    "the a an new existing our its your project's project’s own both all everything file files folder folders"
)
PLACES = _words("to in into inside at")
# What an order can be about in a file: a part that is there, or one that is put there or taken out.
INSIDE = _words("in inside")
PUTTING = ADDING | _verbs("write rewrite introduce generate")
TAKING = _verbs("move delete remove drop") | _words("dropping")
# Behind a noun, these and the words in -ed tell something of it: "the failure seen in".
TOLD = _words("seen found shown given written known kept held made built read said told thrown set put run dead")
JOINING = _words(", and or & + plus")
# Before a word of CHANGING, these say that the agent is told to do it.
BEGINNING = _words(", : ( — – - and or then also please first finally next now we &")
# Before it in its sentence, these say that something else does it: "the tool will read settings and write `.envrc`".
TELLING = _words(
    "will must should shall can could may might would is are was were has have had does did to that which who"
)
SUBJECTS = _words("the a an this these that it they he she you users agents")
BEING = _words("is are gets get will must should shall be being needs has have to")
ENDING = _words(". ; : ) ( — – - ! ?")
# Behind "AGENTS.md is updated": what else follows may say who does it, and when.
AFTER_CHANGED = ENDING | _words("with for to so too also accordingly , and")
AFTER = ENDING | _words(
    "so for with when if as too also where which by because since while again accordingly once after before until "
    "using then section sections itself"
)
