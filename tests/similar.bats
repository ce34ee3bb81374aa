#!/usr/bin/env bats
# Which submissions are named as copies.

bats_require_minimum_version 1.5.0
load helper

# renamed FILE: the same program with other names, comments and line breaks.
renamed() {
    sed 's/\<output\>/result/g; s/\<input\>/signal/g; s/\<kernel\>/weights/g; s/\<i\>/index/g; s/\<sum\>/total/g; s/\<tile\>/part/g
        s/;$/;\n/; s/^#include/\n\/\/ my own work\n&/' "$1"
}

# hands_in PERSON FILE
hands_in() {
    judge grade --problem conv1d --as "$1" "$2"
    ends 0 "Accepted"
}

# pair PERSON OTHER: what JSON says about the two.
pair() { jq ".pairs[] | select(.a.person == \"$1\" and (.b.person == \"$2\" or .b.from == \"$2\"))" similar.json; }

similar() {
    judge similar --json similar.json "$@"
    ends 0
}

@test "a renamed copy is named, an own solution is not" {
    local solutions=$root/solutions/conv1d/accepted
    renamed "$solutions/register_tile.cu" >copy.cu
    hands_in Ada "$solutions/register_tile.cu"
    hands_in Eve copy.cu
    hands_in Bob "$solutions/fft_overlap_save.cu"
    similar conv1d
    equal true "$(pair Ada Eve | jq '.same_source == false and .same_device_code and (.source | min) > 0.7')"
    equal '1 2' "$(pair Ada Eve | jq -r '"\(.a.run) \(.b.run)"')"
    equal '' "$(pair Ada Bob)$(pair Bob Eve)"
    equal true "$(pair Eve reference | jq '.b.file == "register_tile.cu"')"
    ends 0 "3 sources of 3 people" "Ada: register_tile.cu (run 1, " "Eve: copy.cu (run 2, " \
        "% or more in common, in percent of each one's source and device code; = is the same machine code:" "    source    device code"
    stored "SELECT count(*) FROM run_states WHERE state = 'ranked'" 3
}

@test "the earlier of several copies of a person is named once, and a person is not compared with itself" {
    submission >x.cu
    hands_in Ada x.cu
    hands_in Ada x.cu
    sed 's/sum/total/' x.cu >y.cu
    hands_in Ada y.cu
    hands_in Eve x.cu
    similar --problem conv1d --threshold 100
    equal 1 "$(pair Ada Eve | jq -s length)"
    equal 'true 1 4' "$(pair Ada Eve | jq -r '"\(.same_source) \(.a.run) \(.b.run)"')"
    equal '' "$(pair Ada Ada)"
}

@test "what the teacher handed out is left out" {
    # Two files that have nothing in common but the handout, which is most of each.
    mkdir -p home
    cp -r "$root"/{problems,testcases,simgpu,harness,grader,leaderboard} home/
    cp "$root/solutions/conv1d/accepted/register_tile.cu" home/problems/conv1d/starter.cu
    { cat home/problems/conv1d/starter.cu; echo '__global__ void ada(float *a) { a[threadIdx.x] *= 3; }'; } >a.cu
    { cat home/problems/conv1d/starter.cu; echo '__global__ void eve(int *a) { atomicAdd(a, blockIdx.x); }'; } >e.cu
    hands_in Ada a.cu
    hands_in Eve e.cu
    similar conv1d --threshold 50
    equal true "$(pair Ada Eve | jq '.source | min > 0.8')"
    CONVJUDGE_HOME=$PWD/home similar conv1d --threshold 50
    equal '' "$(pair Ada Eve)"
}

@test "files of an earlier semester are compared, too" {
    mkdir old
    submission >x.cu
    renamed x.cu >old/winner.cu
    echo 'int broken(' >old/broken.cu
    hands_in Ada x.cu
    similar conv1d --also old
    equal 'old winner.cu' "$(pair Ada old | jq -r '"\(.b.from) \(.b.file)"')"
    ends 0 "sources without device code here, of which only the text was compared: 1"
}

@test "folders in folders, files and databases are further sources, and nobody in them is a person" {
    mkdir -p earlier/2025/"Ada L_17_file_" published
    submission >x.cu
    renamed x.cu >"earlier/2025/Ada L_17_file_/winner.cu"
    cp "earlier/2025/Ada L_17_file_/winner.cu" earlier/2025/again.cu
    cp "$root/solutions/conv1d/accepted/vector_loads.cu" published/vectors.cu
    ln -s /etc earlier/link
    : >earlier/empty.cu
    printf 'x \xff' >earlier/binary.cu
    CONVJUDGE_DB=$PWD/old.db hands_in Eve x.cu
    hands_in Ada x.cu
    similar --problem conv1d --earlier earlier --earlier old.db --also published/vectors.cu
    equal '2025/Ada L_17_file_/winner.cu' "$(pair Ada earlier | jq -r .b.file)"
    equal 'x.cu of run 1 true' "$(pair Ada old.db | jq -r '"\(.b.file) \(.same_source)"')"
    equal '' "$(pair Ada published/vectors.cu)"
    equal false "$(jq 'any(.. | objects; .person? == "Eve")' similar.json)"
    equal 2 "$(jq .unreadable similar.json)"
    ends 0 "further files that could not be read, and were not compared: 2"
}

@test "what is handed out besides the starter is left out, and its lines are named" {
    mkdir handed
    submission >handed/template.cu
    { cat handed/template.cu; echo '__global__ void ada(float *a) { a[threadIdx.x] *= 3; }'; } >a.cu
    { cat handed/template.cu; echo '__global__ void eve(int *a) { atomicAdd(a, blockIdx.x); }'; } >e.cu
    hands_in Ada a.cu
    hands_in Eve e.cu
    similar --problem conv1d --threshold 50
    equal true "$(pair Ada Eve | jq '.source | min > 0.8')"
    similar --problem conv1d --threshold 60 --handed-out handed
    equal '' "$(pair Ada Eve)"
    similar --problem conv1d --threshold 1 --handed-out handed/template.cu
    equal '' "$(pair Ada Eve | jq '.parts[]')"
}

@test "class.json names further sources and what was handed out" {
    mkdir -p course/old course/handed
    submission >course/old/x.cu
    submission >x.cu
    hands_in Ada x.cu
    jq -n '{schema: 1, title: "x", zone: "UTC", groups: [], assignments: [{id: "a", title: "A", opens: "2026-11-02T08:00", due: "2026-11-09T23:59", problems: [{problem: "conv1d", points: {accepted: 1}}]}], earlier: ["old"], handed_out: ["handed"]}' >course/class.json
    similar --problem conv1d --class course/class.json
    equal 'course/old x.cu' "$(jq -r '.pairs[] | select(.b.from != "reference") | "\(.b.from) \(.b.file)"' similar.json)"
    cp x.cu course/handed/
    similar --problem conv1d --class course/class.json
    equal '' "$(jq -r '.pairs[] | select(.b.from != "reference") | .b.file' similar.json)"
    rmdir course/old 2>/dev/null || rm -r course/old
    judge similar --problem conv1d --class course/class.json
    ends 2 "old"
    jq '.earlier = [range(70) | "handed"]' course/class.json >course/many.json
    judge similar --problem conv1d --class course/many.json
    ends 2 'course/many.json: "earlier" and the command line name more than 64 paths'
}

@test "equal machine code comes first, with the lines in common and the texts that no database has" {
    mkdir old
    cp "$root/solutions/conv1d/accepted/register_tile.cu" a.cu
    { echo '// other comments'; sed 's/;$/; \/\/ so/' a.cu; } >b.cu
    submission >old/x.cu
    hands_in Ada a.cu
    hands_in Bob b.cu
    submission 'int unused = 3; (void)unused;' >c.cu
    hands_in Cem c.cu
    similar --problem conv1d --earlier old --threshold 50
    equal 'true Ada Bob' "$(jq -r '[.pairs[] | select(.a.person != null and .b.person != null)][0] | "\(.same_machine_code) \(.a.person) \(.b.person)"' similar.json)"
    counts 1 '^ = *100 100 +100 100   Ada: a.cu'
    equal "true true" "$(pair Ada Bob | jq -r '.parts | "\(.[-1].lines[0][1] > 50) \(all(.lines[0][0] + 1 == .lines[1][0]))"')"
    equal true "$(pair Cem old | jq --rawfile x old/x.cu --slurpfile all similar.json '$all[0].texts[.b.source_hash] == $x')"
}

@test "of very many pairs the first are shown, and all are counted" {
    submission >x.cu
    hands_in Ada x.cu
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE copy AS SELECT * FROM runs WHERE id = 1;
        $(printf "UPDATE copy SET id = %d, person = 'person ' || id; INSERT INTO runs SELECT * FROM copy;" {2..25})"
    similar --problem conv1d --threshold 100
    equal 300 "$(jq '[.pairs[] | select(.a.person != null and .b.person != null)] | length' similar.json)"
    ends 0 "$(($(jq .pair_count similar.json) - 200)) pairs more are not shown here"
    sqlite3 "$CONVJUDGE_DB" "DROP TRIGGER runs_are_never_changed; UPDATE runs SET source_hash = 'unknown' WHERE id > 20" # as an upgrade leaves them
    similar --problem conv1d --threshold 100
    ends 0 "runs of an older version, whose sources were not kept: 5"
}

@test "names of files cannot change what a terminal shows, and the JSON stays UTF-8" {
    mkdir 'old'
    submission >$'old/\e[31m\xff"<b>.cu'
    submission >x.cu
    hands_in Ada x.cu
    similar --problem conv1d --earlier old
    lacks $'\e'
    equal $'\e[31m?"<b>.cu' "$(pair Ada old | jq -r .b.file)"
}

@test "an empty leaderboard has no pairs" {
    judge similar conv1d
    ends 0 "0 sources of 0 people, and " "no pair has 70 % in common"
}
