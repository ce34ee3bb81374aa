#!/usr/bin/env bash
# Makes a kit for an assignment of Gradescope: a zip with a client that hands in to a server (docs/guides/other-systems.md). The settings come
# from SERVER, TOKEN, PROBLEM, MINUTES and PERSON. With a class.json, which is not packed, the problem must be one of it, and is its only
# one unless it is named; then the points to set at Gradescope are said.
# Usage: service/commands/kit.sh BUILD FILE.zip [CLASS.json]
set -euo pipefail
build=$(realpath "${1:?name the folder of the programs}")
target=$(realpath -m "${2:?name the file to write}")
here=$(cd "$(dirname "$0")" && pwd)
class=${3:-}
minutes=${MINUTES:-8} person=${PERSON:-email}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() { printf 'gradescope-kit: %s\n' "$*" >&2; exit 2; }

line='[[:cntrl:]]'
for setting in SERVER TOKEN PROBLEM MINUTES PERSON; do
    [[ ! ${!setting:-} =~ $line ]] || die "$setting: expected one line"
done
[[ ${SERVER:-} =~ ^https?://[^/]+ ]] || die "SERVER: expected the address of the server, https://judge.example.org, found '${SERVER:-}'"
[[ ${TOKEN:-} =~ ^[0-9a-f]{64}$ ]] || die "TOKEN: expected a token that submits for others: 'convjudge token add gradescope --hand-in-only' makes one"
[[ $minutes =~ ^[1-9][0-9]*$ && $minutes -lt 40 ]] ||
    die "MINUTES: expected 1 to 39, less than the time limit of the Gradescope assignment, found '$minutes'"
[[ $person =~ ^(email|login|name)$ ]] || die "PERSON: expected email, login or name, found '$person'"
[[ -z ${PROBLEM:-} || -d $here/../../problems/$PROBLEM ]] || die "PROBLEM: there is no problem '$PROBLEM'"
problem=${PROBLEM:-}
if [[ -n $class ]]; then
    command -v jq >/dev/null || die "jq is missing; install jq"
    mapfile -t problems < <(jq -r '[.assignments[].problems[].problem] | unique[]' "$class")
    [[ -n $problem || ${#problems[@]} != 1 ]] || problem=${problems[0]}
    [[ -n $problem ]] || die "PROBLEM: expected one of $(printf '%s, ' "${problems[@]}" | sed 's/, $//'): $class has several"
    # The highest band of speed gives its points alone.
    most=$(jq -r --arg problem "$problem" 'first(.assignments[].problems[] | select(.problem == $problem)).points |
        (.accepted // 0) + ([.cases[]?.points] | add // 0) + ([.speed.bands[]?.points] | max // 0)' "$class")
    [[ -n $most ]] || die "PROBLEM: $class has no problem '$problem'"
fi
command -v zip >/dev/null || die "zip is missing; install zip"

# The program, its libraries as the loader finds them here, and the loader itself.
mkdir "$scratch/lib"
strip -o "$scratch/lib/convjudge-service" "$build/convjudge-service"
ldd "$build/convjudge-service" | awk '$2 == "=>" { print $3 }' | while read -r library; do
    [[ -e $library ]] || die "a library of convjudge-service is missing here: $library"
    cp -L "$library" "$scratch/lib/"
done
cp -L "$(ldd "$build/convjudge-service" | awk '$1 ~ /\/ld-linux/ { print $1 }')" "$scratch/lib/loader"

cp "$here/setup.sh" "$here/run_autograder" "$here/client" "$scratch/"
printf 'server=%s\nproblem=%s\nminutes=%s\nperson=%s\n' "$SERVER" "$problem" "$minutes" "$person" >"$scratch/settings"
printf '%s\n' "$TOKEN" >"$scratch/token"
chmod 755 "$scratch"/{setup.sh,run_autograder,client} "$scratch"/lib/{loader,convjudge-service}
mkdir -p "$(dirname "$target")"
rm -f "$target"
# The token is in it.
(cd "$scratch" && umask 077 && zip -q -r -X "$target" .)
[[ -z $class ]] || printf 'gradescope-kit: set "Autograder points" of the assignment at Gradescope to %s\n' "$most" >&2
printf '%s\n' "$target"
