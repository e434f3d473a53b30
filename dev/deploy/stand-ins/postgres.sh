#!/bin/sh
# Like the official image: makes the data on the first start, then runs the server.
set -eu
data=/var/lib/postgresql/data
as_postgres() { exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s "$data/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$data"
  (umask 077 && printf "%s" "$POSTGRES_PASSWORD" > /run/password)
  chown postgres /run/password
  (as_postgres initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/run/password --locale=C -E UTF8 \
    --auth-local=trust --auth-host=scram-sha-256)
  rm /run/password
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
fi
install -d -o postgres -g postgres /run/postgresql
as_postgres postgres -D "$data" -c 'listen_addresses=*'
