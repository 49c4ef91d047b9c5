#!/bin/sh
# php-fpm, and Apache in front of it: TERM ends both, and when one ends the other does.
# usage: fpm.sh RUN_FOLDER
php-fpm8.2 --nodaemonize --fpm-config "$1/php-fpm.conf" &
php=$!
trap 'kill "$php" "$web" 2>/dev/null' TERM
apache2 -f "$1/httpd.conf" -D fpm -DFOREGROUND &
web=$!
wait "$web"
wait "$web"
kill "$php" 2>/dev/null
wait "$php"
