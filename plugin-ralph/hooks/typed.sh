# Hands /ralph-loop and /cancel-ralph over to the plugin untildone, with the event as it came. Claude Code knows commands of
# plugins by their whole name (/ralph-loop:ralph-loop); the short one arrives as a prompt, which this recognises.
event=$(command -p cat)
case $event in
*'"hook_event_name":"UserPromptExpansion"'*) ;;
*'"prompt":"/ralph-loop'[\ \"\\]* | *'"prompt":"/cancel-ralph'[\ \"\\]*) ;;
*) exit 0 ;;
esac
# Beside this plugin in the repository, or in Claude Code's folder of plugins, or on PATH.
program=
for file in "$CLAUDE_PLUGIN_ROOT/../plugin/bin/untildone" "$CLAUDE_PLUGIN_ROOT"/../../untildone/*/bin/untildone; do
  [ -f "$file" ] && program=$file
done
# Whether this session is held is up to the other plugin, and not to this one.
unset CLAUDE_PLUGIN_ROOT
if [ "$program" ]; then
  printf '%s' "$event" | sh "$program" slash
elif command -v untildone >/dev/null 2>&1; then
  printf '%s' "$event" | untildone slash
else
  printf '%s\n' '{"decision":"block","reason":"untildone: the plugin untildone is missing, which answers this command. Install it with: /plugin install untildone@untildone"}'
fi
exit 0
