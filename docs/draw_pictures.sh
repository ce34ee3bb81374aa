#!/usr/bin/env bash
# Draws the picture of README.md anew: a page of a submission that tests/draw_pages.c fills in, as a browser shows it.
# Usage: docs/draw_pictures.sh BUILD     after `make test-tools`; needs chromium
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1") picture=$PWD/docs/pictures/submission.png source=solutions/conv1d/accepted/shared_tile.cu
scratch=$(mktemp -d)
trap 'kill %1 2>/dev/null; rm -rf "$scratch"' EXIT
export CONVJUDGE_DB=$scratch/leaderboard.db

"$build/convjudge" grade --device sim:h200 --json "$scratch/result.json" "$source" >/dev/null 2>&1
"$build/convjudge" explain --device sim:h200 --json "$scratch/explain.json" "$source" >/dev/null 2>&1
mkdir "$scratch/pages"
ln -s . "$scratch/pages/static" # where its pages look for the style sheet
"$build/tests/draw_pages" "$scratch/pages" "$scratch/result.json" "$scratch/explain.json" "$source"
python3 -m http.server --directory "$scratch/pages" --bind 127.0.0.1 8765 >"$scratch/log" 2>&1 &
sleep 1
chromium --headless --no-sandbox --hide-scrollbars --window-size=1100,1060 --screenshot="$picture" http://127.0.0.1:8765/submission.html
