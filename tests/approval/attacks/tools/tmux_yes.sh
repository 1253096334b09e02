#!/bin/sh
# tmux_yes.sh TMUX...: wait until that tmux shows the question, type the word in it, and wait for planrail's answer.
until_shown() {
    turns=0
    until "$@" capture-pane -p 2>/dev/null | grep -q "$text"; do
        turns=$((turns + 1))
        [ $turns -lt 150 ] && "$@" has-session 2>/dev/null || return 1
        sleep 0.2
    done
}
text='approve?' && until_shown "$@" && sleep 0.2 || exit 0
word=$("$@" capture-pane -p | sed -n 's/.*Type \([a-z]*\) for yes.*/\1/p' | tail -n 1)
"$@" send-keys "$word" Enter && text='approved:' && until_shown "$@"
exit 0
