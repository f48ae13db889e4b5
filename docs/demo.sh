#!/bin/sh
# What `make demo` runs; APIKB_KB and APIKB_CACHE point into the working copy.
set -u
run() {
    printf '\n$ apikb %s\n' "$*"
    "$BIN/apikb" "$@"
    code=$?
    # 1 and 3 are answers ("absent", "unknown"), not failures.
    case "$1:$code" in *:0 | lookup:1 | lookup:3) ;; *) exit "$code" ;; esac
}

run index click
run lookup click.BaseCommand --version 7.0
run lookup click.BaseCommand --version 9.0
run history click.BaseCommand
run sql "SELECT symbol, kind, added, last_seen, removed FROM spans
         WHERE project = 'click' AND visibility = 'exported' AND removed IS NOT NULL
         ORDER BY removed, symbol LIMIT 10"
