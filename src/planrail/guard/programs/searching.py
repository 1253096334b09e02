"""grep: in Claude Code's shell a function around ugrep, which knows options that run programs and write files.

The grep that another program calls (xargs, find -exec, env) is the system's own, and that one only reads. The
function hands the options of ugrep that run programs on to the system's grep at run time; here they are refused as far
as they are written out, and what the shell fills in is left to that. `find` is bfs there, whose further actions the
table of `finding` does not list, and `rg` the ripgrep that `readers` has a table for.
"""

from planrail.guard.programs.options import check_options
from planrail.guard.shell.words import Word

# Of GNU, BSD and ugrep. Left out: --filter, --pager, --view, --query (-Q), --config, --save-config, ---FILE.
_SHORTS = "abcEFGhHiIjklLnoPpqrRsSTuUvVwxyzZ0A:B:C:D:d:e:f:g:J:K:m:M:N:O:t:X::W"
_LONGS = (
    "after-context= any-line ascii basic-regexp before-context= binary binary-files= bool break byte-offset color?"
    " colour? colors= colours= column-number context? context-separator= count cpp csv decompress depth= dereference"
    " dereference-files dereference-recursive devices= directories= dotall empty encoding= exclude= exclude-dir="
    " exclude-from= exclude-fs= extended-regexp file= file-extension= file-magic= file-type= files"
    " files-with-matches files-without-match fixed-strings format= free-space from= fuzzy? glob= glob-ignore-case"
    " group-separator? heading help hex hexdump? hidden ignore-binary ignore-case iglob= ignore-files? include="
    " include-dir= include-from= include-fs= index initial-tab invert-match jobs= json label= line-buffered"
    " line-number line-regexp lines match max-count= max-depth= max-files= max-line= max-size= min-count= min-line="
    " min-size= mmap? neg-regexp= no-color no-colour no-config no-dereference no-filename no-group-separator no-heading"
    " no-hidden no-ignore-case no-ignore-files no-line-number no-messages no-mmap null null-data only-line-number"
    " only-matching passthru perl-regexp pretty? quiet range= recursive regexp= replace= separator? silent smart-case"
    " sort? stats tabs? tag? text tree ungroup unix-byte-offsets version width? with-filename with-hex word-regexp xml"
)
_UNKNOWN = "\0"  # no option has this letter


def judge(name: str, words: list[Word], _line: object) -> str:
    """Judge the options that are written out.

    What the shell fills in is left out: it is a value behind `--include=`, and no option at the start.
    """
    written, is_pattern = [], False
    for word in words:
        text = word.text if word.exact or "=" in word.text else word.text + _UNKNOWN
        is_operand = is_pattern or not (word.exact or word.text.startswith("-"))
        written.append(Word("x" if is_operand else text))
        is_pattern = word.exact and word.text == "-e" and not is_pattern
    return check_options(name, written, _SHORTS, _LONGS, numbers=True).reason
