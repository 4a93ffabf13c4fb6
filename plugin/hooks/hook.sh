# The hooks of the plugin read this script, with $untildone set to the event. It hands over to hook.sh in the untildone home,
# as the hooks of `untildone install` do. UNTILDONE_WAY tells the two apart: only one of them answers an event.
h=${UNTILDONE_HOME:-$HOME/.untildone}
: "${UNTILDONE_WAY:=plugin}"
export UNTILDONE_WAY
if [ "$untildone" = SessionStart ] && [ "$UNTILDONE_WAY" = plugin ]; then
  # The home is new, or the plugin was updated: its scripts are written, and the home knows that there is a plugin.
  p=$CLAUDE_PLUGIN_ROOT
  if [ ! -f "$h/hook.sh" ] || [ ! -f "$h/plugin-hooks" ] || [ "$p/.claude-plugin/plugin.json" -nt "$h/plugin-hooks" ]; then
    [ -f "$p/bin/untildone" ] && command -v node >/dev/null 2>&1 &&
      sh "$p/bin/untildone" plugin-hooks </dev/null >/dev/null 2>&1
  fi
fi
for f in "$h/hook.sh" "$h/hold.sh"; do
  [ -f "$f" ] && command . "$f"
done
:
