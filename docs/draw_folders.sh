#!/usr/bin/env bash
# Draws docs/folders.txt as a picture: docs/folders.svg. Edges that follow from others are left out: base, and a folder
# that is also reached through another one.
# Usage: docs/draw_folders.sh     needs graphviz
set -euo pipefail
cd "$(dirname "$0")"

die() { printf 'draw_folders: %s\n' "$*" >&2; exit 2; }
command -v dot >/dev/null || die "dot is missing; install graphviz"

graph() {
    sed 's/ *|.*//; /^#/d; /^ *$/d' folders.txt | awk -F: '
        { order[++count] = $1; below[$1] = $2; layer[$1] = $1; sub(/\/.*/, "", layer[$1]) }
        END {
            print "digraph folders {"
            print "  rankdir=TB; ranksep=0.14; nodesep=0.12; edge [color=\"#808080\", arrowsize=0.6];"
            print "  node [shape=box, style=\"filled,rounded\", fillcolor=white, fontname=\"Helvetica\", fontsize=11, height=0.24, margin=\"0.08,0.02\"];"
            print "  graph [fontname=\"Helvetica-Bold\", fontsize=13, color=\"#b0b0b0\", style=rounded, bgcolor=white];"
            for (i = 1; i <= count; i++) nodes[layer[order[i]]] = nodes[layer[order[i]]] " \"" order[i] "\" [label=\"" label(order[i]) "\"];"
            for (name in nodes)
                if (split(nodes[name], parts, ";") > 2) print "  subgraph \"cluster_" name "\" { label=\"" name "/\"; " nodes[name] " }"
                else print "  " nodes[name]
            for (i = 1; i <= count; i++) reach(order[i])
            print "}"
        }
        function label(folder,    text) { text = folder; if (sub(/^[a-z]+\//, "", text) == 0) text = folder "/"; return text }
        # Folders stand lowest first, so whatever is below has its own set of reachable folders already.
        function reach(folder,    word, n, i, j, through) {
            n = split(below[folder], word, " ")
            for (i = 1; i <= n; i++) {
                reaches[folder, word[i]]
                for (j = 1; j <= count; j++) if ((word[i], order[j]) in reaches) { reaches[folder, order[j]]; through[order[j]] }
            }
            for (i = 1; i <= n; i++) if (!(word[i] in through) && (word[i] != "base" || n == 1)) printf "  \"%s\" -> \"%s\";\n", folder, word[i]
        }'
}
# The last line lets `make lint` see that the picture is that of today's graph.
graph | dot -Tsvg | sed '/^<!-- .* -->$/d' >folders.svg
printf '<!-- %s -->\n' "$(sha256sum <folders.txt | cut -c1-16)" >>folders.svg
