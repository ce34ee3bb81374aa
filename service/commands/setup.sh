#!/bin/sh
# Runs once, when Gradescope builds the image: the client brings all its libraries along, so that only the certificates of
# authorities may be missing, by which it knows the server.
set -e
kit=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /etc/ssl/certs/ca-certificates.crt ] && grep -q '^server=https:' "$kit/settings"; then
    apt-get update && apt-get install -y --no-install-recommends ca-certificates
fi
"$kit/client" --version
