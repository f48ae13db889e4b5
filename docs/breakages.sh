#!/bin/sh
# What a person sees for ten well-known breakages, as Markdown.  Needs a knowledge base with
# numpy, pandas, scikit-learn, torch, pillow, flask, networkx, attrs and click:
#
#     sh docs/breakages.sh KB > docs/breakages.md
set -eu
KB=$1
APIKB=${APIKB:-apikb}

show() { # the command as a reader would type it, then what it prints
    echo '```console'
    echo "\$ apikb $*"
    "$APIKB" "$@" --kb "$KB" 2>&1 || true
    echo '```'
    echo
}

breakage() { # title, symbol, release that has it, release that has not
    echo "## $1"
    echo
    show lookup "$2" --version "$3"
    show lookup "$2" --version "$4"
    show history "$2"
}

cat <<'HEAD'
# Ten well-known breakages

What `apikb lookup` and `apikb history` print, made by `sh docs/breakages.sh KB`. The exit code of `lookup` is 0 for present, 1 for absent or tombstone.

HEAD
breakage "numpy.float: an alias that a table served" numpy.float 1.23.5 1.24.3
breakage "numpy.product: gone with 2.0" numpy.product 1.26.4 2.0.0
breakage "DataFrame.append" pandas.DataFrame.append 1.5.3 2.0.0
breakage "load_boston: still there, but it raises" sklearn.datasets.load_boston 1.1.3 1.2.0
breakage "OneHotEncoder: a renamed parameter" "sklearn.preprocessing.OneHotEncoder(sparse)" 1.3.2 1.4.0
breakage "torch.symeig" torch.symeig 1.13.1 2.0.0
breakage "PIL.Image.ANTIALIAS" PIL.Image.ANTIALIAS 9.5.0 10.0.0
breakage "flask.Markup: moved to another distribution" flask.Markup 2.3.3 3.0.0
breakage "to_numpy_matrix" networkx.to_numpy_matrix 2.8.8 3.0
breakage "attr.s(cmp): deprecated, and still accepted" "attr.s(cmp)" 19.1.0 26.1.0
