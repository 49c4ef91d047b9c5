# In a bare system with httpdyno on PATH: uses what an installation must be able to do, and ends at the first failure.
fail() { echo "error: $*" >&2; exit 1; }
url=http://127.0.0.1:8080/hello
cd "$(mktemp -d)"

[ "$(httpdyno --version)" = "httpdyno $VERSION" ] || fail "expected httpdyno $VERSION, got: $(httpdyno --version)"
httpdyno reference >reference.log 2>&1 &
reference=$!
for _ in $(seq 100); do grep -q http reference.log && break; sleep 0.1; done

httpdyno load "$url" --duration 1s --json load.json >load.txt 2>&1 || { cat load.txt >&2; fail "load"; }
python3 - <<'PYTHON'
import json
found = json.load(open("load.json"))
assert found, "load wrote an empty document"
PYTHON
httpdyno ab -q -n 200 -c 4 "$url" | grep -q 'Complete requests: *200$' || fail "ab"
httpdyno-ab -q -n 20 "$url" >/dev/null || fail "httpdyno-ab"
httpdyno httperf --server 127.0.0.1 --port 8080 --uri /hello --num-conns 20 | grep -q 'replies 20' || fail "httperf"
kill "$reference"

for shell in bash zsh fish; do httpdyno completion "$shell" | grep -q httpdyno || fail "completion $shell"; done
prefix=$(dirname "$(dirname "$(readlink -f "$(command -v httpdyno)")")")
for page in httpdyno httpdyno-load httpdyno-run; do
  found=
  for share in "$prefix/share" /usr/share; do
    for file in "$share/man/man1/$page.1" "$share/man/man1/$page.1.gz"; do [ -s "$file" ] && found=$file; done
  done
  [ -n "$found" ] || fail "no man page of $page in $prefix/share or /usr/share"
done

# The demo installs two real servers from the index, and measures them.
httpdyno run demo --quick --results demo >run.txt 2>&1 || { cat run.txt >&2; fail "run demo --quick"; }
[ -s demo/index.html ] || [ -n "$(find . -name '*.html')" ] || fail "run demo wrote no report: $(ls demo)"
httpdyno report demo --out again --format html,md,json,svg,png >report.txt 2>&1 || { cat report.txt >&2; fail "report"; }
[ -n "$(find again -name '*.html')" ] || fail "report wrote no page"

httpdyno serve --listen 127.0.0.1:8765 >serve.log 2>&1 &
python3 - <<'PYTHON' || fail "serve: $(cat serve.log)"
import time
import urllib.request

for _ in range(100):
    try:
        page = urllib.request.urlopen("http://127.0.0.1:8765/", timeout=5).read().decode()
        break
    except OSError:
        time.sleep(0.1)
assert "Tornado vs Starlette" in page, "the stored run is not on the page"
PYTHON
echo "load, ab, httperf, completion, man pages, run demo, report, serve: all work"
