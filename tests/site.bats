#!/usr/bin/env bats
# The pages of a running service, as a student uses them in a browser.

load helper
load service

@test "a student logs in, hands in, watches the submission being judged and finds the board" {
    command -v chromium >/dev/null || skip 'Chromium is not installed'
    serve '{"workers": ["sim"]}'
    timeout 300 /usr/bin/python3 "$root/tests/site.py" "http://$address" "$(token ada)" "$root/solutions/conv1d/accepted/naive.cu"
}
