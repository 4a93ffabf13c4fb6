#!/bin/sh
# Runs a command with secrets that lie in files: NAME_FILE=/run/secrets/name becomes NAME. Only these names are taken.
set -eu
for name in UNTILDONE_QUEUE_PASSWORD UNTILDONE_FLEET_SECRET ANTHROPIC_API_KEY; do
  eval "file=\${${name}_FILE:-}"
  [ -n "$file" ] || continue
  if ! value=$(cat -- "$file") || [ -z "$value" ]; then
    echo "with-secrets: ${name}_FILE names $file, which cannot be read or is empty" >&2
    exit 78
  fi
  export "$name=$value"
  unset "${name}_FILE"
done
exec "$@"
