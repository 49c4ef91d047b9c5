# In a bare system: installs httpdyno in the given way, with nothing but Python and the index, and times a first load.
#   sh install.sh pip | uv-tool | uvx | pipx | first-verdict
fail() { echo "error: $*" >&2; exit 1; }
for program in cc gcc clang rustc cargo make git; do
  command -v "$program" >/dev/null && fail "$program is here: this system is not bare"
done
load='load http://127.0.0.1:8080/hello --requests 10 --quiet'
# Prints the seconds of a command that must succeed.
seconds() {
  begun=$(date +%s%N)
  "$@" >$HOME/out 2>&1 || { cat $HOME/out >&2; fail "\`$*\` failed"; }
  echo "$(( ($(date +%s%N) - begun) / 10000000 ))" | sed 's/..$/.&/'
}
size() { du -sm "$@" | awk '{ all += $1 } END { print all " MB" }'; }
installers() { python3 -m venv /opt/installers && /opt/installers/bin/pip install --quiet "$@"; }
server() { # with the Python that has httpdyno
  "$@" reference >$HOME/reference.log 2>&1 &
  for _ in $(seq 100); do grep -q http $HOME/reference.log && return; sleep 0.1; done
  fail "the reference server does not start: $(cat $HOME/reference.log)"
}

case $1 in
  pip)
    python3 -m venv /opt/httpdyno
    took=$(seconds /opt/httpdyno/bin/pip install httpdyno)
    echo "pip install: $took s, $(size /opt/httpdyno)"
    ln -s /opt/httpdyno/bin/httpdyno* /usr/local/bin/
    ;;
  uv-tool)
    installers uv
    took=$(seconds /opt/installers/bin/uv tool install --quiet httpdyno)
    echo "uv tool install: $took s, $(size $HOME/.local/share/uv)"
    export PATH="$HOME/.local/bin:$PATH"
    ;;
  uvx | pipx)
    installers uv pipx
    [ "$1" = uvx ] && set -- /opt/installers/bin/uvx httpdyno || set -- /opt/installers/bin/pipx run httpdyno
    took=$(seconds "$@" --version)
    echo "$(basename "$1") with an empty cache: $took s, $(size $HOME/.cache)"
    [ "$(tail -n 1 $HOME/out)" = "httpdyno $VERSION" ] || fail "expected httpdyno $VERSION, got: $(cat $HOME/out)"
    server "$@"
    took=$(seconds "$@" $load)
    echo "$(basename "$1") again, with a load of 10 requests: $took s"
    exit 0
    ;;
  first-verdict) # of a server that every Debian with Python has
    python3 -m http.server --bind 127.0.0.1 --directory /opt 8080 >$HOME/server.log 2>&1 &
    installers uv
    verdict() { /opt/installers/bin/uvx httpdyno load http://127.0.0.1:8080/ 2>$HOME/errors | head -n 1; }
    took=$(seconds verdict)
    grep -q 'requests/s' $HOME/out || fail "no verdict: $(cat $HOME/out $HOME/errors)"
    echo "uvx httpdyno load URL with an empty cache, to the line of its verdict after 10 s of load: $took s ($(cat $HOME/out))"
    exit 0
    ;;
  *) fail "no way $1" ;;
esac
[ "$(httpdyno --version)" = "httpdyno $VERSION" ] || fail "expected httpdyno $VERSION, got: $(httpdyno --version)"
server httpdyno
took=$(seconds httpdyno $load)
echo "a load of 10 requests: $took s"
