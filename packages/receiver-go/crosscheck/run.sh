#!/bin/sh
# Compares with the library of Standard Webhooks, if it can be downloaded.
set -eu
cd "$(dirname "$0")"
if go mod download; then
  go vet ./...
  go test ./...
else
  echo "receiver-go: not compared with the library of Standard Webhooks, which cannot be downloaded"
fi
