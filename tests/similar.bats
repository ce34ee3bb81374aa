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
    ends 0 "3 sources of 3 people" "Ada: register_tile.cu (run 1, " "Eve: copy.cu (run 2, "
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
    judge similar conv1d --also nowhere
    ends 2 "nowhere: cannot be read"
}

@test "without similarity-tester device code alone is compared, and one line says so" {
    submission >x.cu
    renamed x.cu >y.cu
    hands_in Ada x.cu
    hands_in Eve y.cu
    CONVJUDGE_SIM_C=/usr/bin/no-such-program similar conv1d
    counts 1 '^/usr/bin/no-such-program is not installed \(Debian.s package similarity-tester\): only device code was compared'
    equal 'false true' "$(jq -r '"\(.sources_compared) \(.pairs[0].same_device_code)"' similar.json)"
}

@test "an empty leaderboard has no pairs, and wrong requests are refused" {
    judge similar conv1d
    ends 0 "0 sources of 0 people, and " "no pair has 70 % in common"
    judge similar conv9
    ends 2 "conv9"
    judge similar
    ends 2 "--problem"
    judge similar conv1d --threshold 0
    ends 2 "expected percent from 1 to 100, found '0'"
    judge similar conv1d --threshold much
    ends 2 "found 'much'"
}
