#!/bin/bash
# The part of the official image's behaviour that docker-compose.yml relies on: an empty folder becomes a database whose
# superuser has the password of POSTGRES_PASSWORD_FILE, and the scripts of /docker-entrypoint-initdb.d run once, while the
# server listens on its socket only.
set -eu
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" && chown -R postgres:postgres "$PGDATA" && chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # As in the image: local connections are trusted, others need the password.
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
  export PGHOST=/tmp
  pg_ctl -w start -o "-c listen_addresses='' -c unix_socket_directories=/tmp"
  for script in /docker-entrypoint-initdb.d/*.sh; do . "$script"; done
  pg_ctl -w -m fast stop
fi
exec "$@" -c unix_socket_directories=/tmp
