# shellcheck shell=bash
# Stages of a set-up, to be sourced by bash in the folder of the checkout. Every stage leaves a stamp with a digest of what it
# depends on: a finished stage is skipped, an interrupted or failed one is done again. One of them may run beside those after it.
# Who sources this defines `check`, which is called once, before the first stage that has something to do.

logs=build/logs
stamps=.venv/stamps
job=     # the process group of what runs beside, and
beside=  # the name of that stage
begun=   # and when it began
ticker=  # the process that shows the time, on a terminal
tick=1   # every so many seconds
checked=
clear=
[ ! -t 1 ] || clear=$'\r\033[K'

# due NAME KEY: whether the stage has not been finished with this KEY; what it needs has been checked then.
due() {
  if [ -f "$stamps/$1" ] && [ "$(<"$stamps/$1")" = "$2" ]; then return 1; fi
  if [ -z "$checked" ]; then check; checked=1; fi
}

# tell TEXT: a line, in the place of the one that shows the time.
tell() { printf '%s%s\n' "$clear" "$1"; }

# show NAME BEGIN: show the time since BEGIN in the last line of a terminal, until `hide`.
show() {
  [ -n "$clear" ] || return 0
  (while kill -0 $$ 2>/dev/null; do printf '%s[%s] %d s' "$clear" "$1" $((SECONDS - $2)); sleep "$tick"; done) &
  ticker=$!
}

hide() {
  [ -n "$ticker" ] || return 0
  kill "$ticker" 2>/dev/null || :
  wait "$ticker" 2>/dev/null || :
  ticker=
  printf %s "$clear"
}

# perform NAME KEY WHAT COMMAND...: run the command with its output in a log, and leave a stamp if it does not fail; sets `status`.
perform() {
  local name=$1 key=$2 begin=$SECONDS
  mkdir -p "$logs"
  tell "[$name] $3"
  shift 3
  set +e # not `if`: inside a condition the commands of a function would run on after a failure
  (set -e; "$@") >"$logs/$name.log" 2>&1 </dev/null
  status=$?
  set -e
  if [ $status != 0 ]; then return; fi
  mkdir -p "$stamps"
  printf '%s' "$key" >"$stamps/$name"
  tell "[$name] done in $((SECONDS - begin)) s"
}

# give_up NAME: show the end of the log of a stage that failed, and end.
give_up() {
  hide
  tail -n 30 "$logs/$1.log" >&2
  echo "[$1] failed, whole log in $logs/$1.log; the same command goes on from here" >&2
  exit 1
}

# stage NAME KEY WHAT COMMAND...: run the command unless it has been finished with the same KEY.
stage() {
  due "$1" "$2" || return 0
  show "$1" $SECONDS
  perform "$@"
  hide
  [ "$status" = 0 ] || give_up "$1"
}

# stage_beside NAME KEY WHAT COMMAND...: the same, but the next stages begin at once; `join` waits for its end. It is the one that
# takes longest, so the others leave it a processor.
stage_beside() {
  due "$1" "$2" || return 0
  begun=$SECONDS
  job=begins # who interrupts now finds the process all the same: `$!` is known as soon as it is there
  set -m # with a process group of its own, which ends as a whole
  (perform "$@"; exit "$status") &
  set +m
  job=$! beside=$1
  renice -n 5 -p $$ >/dev/null 2>&1 || :
}

# join: wait for the stage beside, if there is one.
join() {
  [ -n "$job" ] || return 0
  show "$beside" "$begun"
  status=0
  wait "$job" || status=$?
  hide
  job=
  [ "$status" = 0 ] || give_up "$beside"
}

# leave: nothing of the set-up outlives it.
leave() {
  hide
  if [ "$job" = begins ]; then job=${!:-}; fi
  [ -n "$job" ] || return 0
  kill -- "-$job" 2>/dev/null || :
  wait "$job" 2>/dev/null || :
}

trap leave EXIT
trap 'echo; echo "Interrupted; the same command goes on from here." >&2; exit 130' INT TERM HUP
