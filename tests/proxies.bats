#!/usr/bin/env bats
# Behind a reverse proxy, as docs/guides/nginx.conf and docs/guides/Caddyfile set one up: TLS, limits, and progress line by line.

bats_require_minimum_version 1.5.0
load helper
load service

setup_file() {
    command -v openssl >/dev/null || skip "needs openssl"
    export keys=$BATS_FILE_TMPDIR
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
        -keyout "$keys/key.pem" -out "$keys/certificate.pem" 2>/dev/null
}

teardown() {
    [[ -z ${proxy:-} ]] || { kill "$proxy" 2>/dev/null || true; wait "$proxy" || true; }
    stop_server
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# over_tls CURL_ARGUMENT...: sets status and output as ask() does.
over_tls() {
    local answer
    answer=$(curl -s -m 20 --cacert "$keys/certificate.pem" -w '\n%{http_code}' "$@") || { echo "curl: $?"; return 1; }
    status=${answer##*$'\n'} output=${answer%$'\n'*}
}

await_proxy() {
    local i
    for ((i = 0; i < 2400; i++)); do
        if over_tls "$url/healthz" && [[ $status == 200 ]]; then return 0; fi
        sleep 0.05
    done
    cat proxy.log
    return 1
}

start_nginx() {
    command -v nginx >/dev/null || skip "needs nginx"
    local plain secure folder
    plain=$(free_port) secure=$(free_port)
    url=https://localhost:$secure plain_url=http://localhost:$plain
    {
        echo "daemon off; pid $PWD/nginx.pid; error_log $PWD/proxy.log; worker_processes 1; events {} http { access_log off;"
        for folder in client_body proxy fastcgi uwsgi scgi; do echo "${folder}_temp_path $PWD/$folder;"; done
        sed "s|/etc/ssl/certs/judge.example.org.pem|$keys/certificate.pem|; s|/etc/ssl/private/judge.example.org.key|$keys/key.pem|
             /listen \[::\]/d; s|listen 80;|listen 127.0.0.1:$plain;|; s|listen 443|listen 127.0.0.1:$secure|
             s|judge.example.org|localhost|; s|127.0.0.1:8080|$address|" "$root/docs/guides/nginx.conf"
        echo "}"
    } >nginx.conf
    [[ $(id -u) != 0 ]] || sed -i '1s/^/user root; /' nginx.conf # the folders are this user's
    nginx -c "$PWD/nginx.conf" 2>>proxy.log 3>&- &
    proxy=$!
    await_proxy
}

start_caddy() {
    command -v caddy >/dev/null || skip "needs caddy"
    local secure
    secure=$(free_port)
    url=https://localhost:$secure
    {
        printf '{\n\tadmin off\n\tauto_https disable_redirects\n}\n'
        sed "s|^judge.example.org {|localhost:$secure {\n\ttls $keys/certificate.pem $keys/key.pem|; s|127.0.0.1:8080|$address|" "$root/docs/guides/Caddyfile"
    } >Caddyfile
    HOME=$PWD caddy run --adapter caddyfile --config Caddyfile >proxy.log 2>&1 3>&- &
    proxy=$!
    await_proxy
}

# A student hands in, watches and reads, by the shell and by a browser, and nobody gets further than the judge lets him.
a_student_is_served() {
    local token=$1 headers=headers
    cp "$root/solutions/conv1d/accepted/naive.cu" mine.cu
    CONVJUDGE_SERVER=$url CONVJUDGE_TOKEN=$token judge submit --wait --problem conv1d mine.cu
    ends 2 "certificate"
    SSL_CERT_FILE=$keys/certificate.pem CONVJUDGE_SERVER=$url CONVJUDGE_TOKEN=$token judge submit --wait --problem conv1d mine.cu
    ends 0 "Accepted"
    over_tls -H "Authorization: Bearer $token" "$url/api/v1/submissions/1/events"
    equal 200 "$status"
    [[ $output == *judged* || $output == *Accepted* ]] || { echo "$output"; return 1; }
    over_tls -d "token=$token" -H "Origin: $url" -D "$headers" -c cookies "$url/login"
    equal 303 "$status"
    grep -qi '^set-cookie: .*; secure' "$headers"
    grep -qi '^strict-transport-security: max-age=31536000' "$headers"
    over_tls -b cookies "$url/submissions/1"
    equal 200 "$status"
    over_tls -b cookies -H "Origin: https://elsewhere.example" -d x=1 "$url/logout"
    equal 403 "$status"
    over_tls -H "X-Remote-User: root" "$url/api/v1/submissions/1"
    equal 401 "$status"
    head -c 3000000 /dev/zero >large
    # Caddy may have begun to pass it on, and then ends it.
    over_tls -H "Authorization: Bearer $token" --data-binary @large "$url/api/v1/submissions" || status="cut off"
    [[ $status == 413 || $status == 502 || $status == "cut off" ]] || { echo "$status"; return 1; }
    equal 1 "$(in_store 'SELECT count(*) FROM submission')"
}

@test "behind nginx a student hands in over TLS, watches and reads" {
    serve '{"workers": ["sim"]}'
    start_nginx
    a_student_is_served "$(token ada)"
    over_tls "$plain_url/problems"
    equal 301 "$status"
}

@test "behind Caddy a student hands in over TLS, watches and reads" {
    serve '{"workers": ["sim"]}'
    start_caddy
    a_student_is_served "$(token ada)"
}
