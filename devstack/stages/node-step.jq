# What a node should report and does not report yet.
(first((.status.conditions // [])[] | select(.type == "Ready") | .status) // "Unknown") as $reported
| (if .metadata.annotations["holdfast.dev/kwok-node-ready"] == "false" then "False" else "True" end) as $wanted
| if $reported == $wanted then "none" elif $wanted == "True" then "ready" else "not-ready" end
