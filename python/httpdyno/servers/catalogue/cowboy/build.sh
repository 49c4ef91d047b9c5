# Debian has no package of cowboy; its rabbitmq-server carries cowboy, cowlib and ranch, compiled.
set -e
unpacked=$1
mkdir -p lib
for part in cowboy cowlib ranch; do
    cp -R "$unpacked"/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins/$part-* lib/$part
done
erlc server.erl
