#!/bin/sh
# php-fpm, and a web server in front of it: TERM ends both, and when one ends the other does.
# usage: fpm.sh RUN_FOLDER COMMAND...
php-fpm8.2 --nodaemonize --fpm-config "$1/php-fpm.conf" &
php=$!
shift
trap 'kill "$php" "$web" 2>/dev/null' TERM
"$@" &
web=$!
wait "$web"
wait "$web"
kill "$php" 2>/dev/null
wait "$php"
