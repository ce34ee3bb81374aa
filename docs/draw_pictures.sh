#!/usr/bin/env bash
# Takes the pictures of README.md and docs/tutorials/student.md anew: eleven people submit reference solutions to a server, and a
# browser shows the pages that one of them, who submitted a plain kernel, gets.
# Usage: docs/draw_pictures.sh BUILD     after `make service`; needs chromium, curl and jq; takes some minutes
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1") pictures=$PWD/docs/pictures
scratch=$(mktemp -d)
pages=$scratch/pages
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$scratch"' EXIT
mkdir "$pages" "$pages/static"
export CONVJUDGE_SERVER=$scratch/socket CONVJUDGE_TOKEN=
jq -n --arg scratch "$scratch" '{listen: "127.0.0.1:8765", socket: "\($scratch)/socket", state: "\($scratch)/state",
    workers: ["sim"], teachers: [env.USER // "root"]}' >"$scratch/config.json"
"$build/convjudge" serve --config "$scratch/config.json" 2>"$scratch/log" &
until grep -q event=started "$scratch/log"; do sleep 0.1; done

while read -r person solution; do
    "$build/convjudge" submit "solutions/conv1d/accepted/$solution.cu" --as "$person" --wait
done <<'END'
hedy    constant_memory
lise    shared_constant
edsger  shared_constant
ada     naive
mary    shared_tile
grace   shared_tile
emmy    shared_both
alan    fft_overlap_save
kurt    register_tile
paul    vector_loads
john    fft_in_registers
END

token=$("$build/convjudge" token add ada --config "$scratch/config.json" 2>/dev/null)
get() { curl -sf -H "Authorization: Bearer $token" "http://127.0.0.1:8765/$1" -o "$pages/${2:-$1}"; }
get submissions/4 submission.html
get problems/conv1d board.html
get static/style.css
# The part of the page that says where the time goes, alone.
sed 's|</head>|<style>body > header, main > :not([aria-labelledby=source]) { display: none }</style>&|' \
    "$pages/submission.html" >"$pages/explain.html"
# The board of the problem's page, alone; it follows the statement and the editor.
sed -i 's|</head>|<style>main > :not(h1, [aria-labelledby=boards]) { display: none }</style>&|' "$pages/board.html"

python3 -m http.server --directory "$pages" --bind 127.0.0.1 8766 2>"$scratch/http" &
sleep 1
take() { # NAME HEIGHT
    chromium --headless --no-sandbox --hide-scrollbars --window-size="1100,$2" --screenshot="$pictures/$1.png" \
        "http://127.0.0.1:8766/$1.html" 2>>"$scratch/http"
}
take submission 1060
take explain 1190
take board 1020
