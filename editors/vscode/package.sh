#!/bin/sh
# Makes zermelo.vsix, which `code --install-extension zermelo.vsix` installs. Needs npm, and the network the first time.
set -eu
cd "$(dirname "$0")"
cp ../../LICENSE LICENSE
trap 'rm -f LICENSE' EXIT
npm ci --no-audit --no-fund
npm run package
