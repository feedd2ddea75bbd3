#!/bin/sh
# Creates the namespace that Holdfast uses, with a month of history, and the search attributes of its workflows. Every step
# may be repeated: a second start changes nothing.
set -eu

attribute() { # name, type; the server sees a new namespace only after some seconds
  tries=0
  until temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$1" --type "$2"; do
    tries=$((tries + 1))
    [ "$tries" -lt 30 ] || exit 1
    sleep 1
  done
}

temporal operator cluster health
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 720h

attribute HoldfastWorkload Keyword
attribute HoldfastPhase Keyword
attribute HoldfastStep Int
attribute HoldfastPaused Bool
