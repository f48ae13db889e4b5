#!/bin/sh
# What `make demo` runs; APIKB_KB and APIKB_CACHE point into the working copy.
set -u
run() {
    printf '\n$ apikb'
    for word; do
        case "$word" in *" "*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$BIN/apikb" "$@"
    code=$?
    # 1 and 3 are answers ("absent", "unknown"), not failures.
    case "$1:$code" in *:0 | lookup:1 | lookup:3) ;; *) exit "$code" ;; esac
}

run index click
run lookup click.get_terminal_size --version 8.0.4
run lookup click.get_terminal_size --version 8.1.0
run history click.get_terminal_size
run sql "SELECT symbol, kind, added, last_seen, removed FROM spans
         WHERE project = 'click' AND visibility = 'exported' AND removed IS NOT NULL
           AND symbol NOT LIKE 'click.%.%'
         ORDER BY removed, symbol"
