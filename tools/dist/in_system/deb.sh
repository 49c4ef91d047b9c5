# In a bare system with shells and man-db: upgrades the Debian package from an older one, uses it and purges it; no file may be left.
#   sh deb.sh OLDER.deb NEWER.deb
fail() { echo "error: $*" >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive
packages=/usr/lib/httpdyno/lib/python3/site-packages/httpdyno
# All files with their kind, size and target, without those of dpkg, apt, debconf and man-db themselves, and the user's own.
files() {
  find / -xdev \( -path "$HOME" -o -path /tmp -o -path /proc -o -path /sys -o -path /dev -o -path /run \
    -o -path '/var/lib/dpkg/status*' -o -path '/var/lib/dpkg/lock*' -o -path /var/lib/dpkg/triggers -o -path /var/lib/apt -o -path /var/log \
    -o -path /var/cache/apt -o -path /var/cache/debconf -o -path /var/cache/man \) -prune -o -type d -printf '%p %y\n' -o -printf '%p %y %s %l\n' | sort
}
# apt has no lists here: what the package needs must be in a bare system.
install() {
  begun=$(date +%s%N)
  apt-get install --yes --no-install-recommends "$HOME/$1" >$HOME/out 2>&1 || { cat $HOME/out >&2; fail "apt-get install $1"; }
  echo "$1: $(( ($(date +%s%N) - begun) / 100000000 ))" | sed 's/.$/.& s/'
}

files >$HOME/before
install "$1"
[ -n "$(find "$packages" -name 'removed.*.pyc')" ] || fail "the older package has no compiled module: the upgrade would prove nothing"
install "$2"
[ -z "$(find "$packages" -name 'removed.*')" ] || fail "the upgrade left $(find "$packages" -name 'removed.*')"
[ -n "$(find "$packages" -name '__main__.*.pyc')" ] || fail "no module is compiled"
echo "installed: $(du -sm /usr/lib/httpdyno | cut -f 1) MB, with compiled modules"

for program in httpdyno httpdyno-ab httpdyno-httperf; do
  man -w "$program" >/dev/null || fail "man -w $program"
  "$program" --help >/dev/null || fail "$program --help"
done
man httpdyno-load | grep -q -- --duration || fail "man httpdyno-load"
bash -c '
  . /usr/share/bash-completion/bash_completion
  _completion_loader httpdyno || [ $? -eq 124 ]
  complete -p httpdyno >/dev/null || exit 1
  COMP_LINE="httpdyno swe" COMP_POINT=12 COMP_CWORD=1 COMP_WORDS=(httpdyno swe)
  _httpdyno
  [[ $COMPREPLY == sweep* ]]' || fail "completion in bash"
zsh -f -c 'autoload -U compinit; compinit -u -D; [[ $_comps[httpdyno] == _httpdyno ]] && . /usr/share/zsh/vendor-completions/_httpdyno' ||
  fail "completion in zsh"
fish -c 'complete -C "httpdyno swe"' | grep -q sweep || fail "completion in fish"
sh -eu $HOME/use.sh

# Modules as an optimising Python compiles them, which postinst does not.
python3 -m compileall -q -o 1 "$packages"
apt-get purge --yes httpdyno >$HOME/out 2>&1 || { cat $HOME/out >&2; fail "apt-get purge"; }
files >$HOME/after
diff $HOME/before $HOME/after || fail "after the purge the files are not those of before the installation"
echo "purged: the files are those of before the installation"
