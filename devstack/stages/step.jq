# The one thing a kubelet would do next about a pod, by name: the stages in pod.yaml carry it out, status.tpl writes it.
def is_unpullable: test(":(404|nonexistent)$");

def action($container; $status):
  ($status.state.waiting.reason // "") as $waiting
  | ($status.state.running != null) as $runs
  | ($container.image | is_unpullable) as $unpullable
  | if $unpullable and $runs then "stop"
    elif $unpullable and $waiting == "ErrImagePull" then "back-off"
    elif $unpullable and $waiting == "ImagePullBackOff" then "none"
    elif $runs and $status.image != $container.image then "stop"
    elif $runs and $status.ready then "none"
    elif $runs then "ready"
    elif ($status.containerID // "") != "" then "restart"
    else "start" end;

def actions:
  (.status.containerStatuses // []) as $statuses
  | [.spec.containers[] | . as $c | action($c; first($statuses[] | select(.name == $c.name)) // {})];

def condition($type): first((.status.conditions // [])[] | select(.type == $type) | .status) // "False";

def wanted_ready:
  . as $pod
  | all((.status.containerStatuses // [])[]; .ready)
    and all((.spec.readinessGates // [])[]; .conditionType as $gate | $pod | condition($gate) == "True");

def is_stale:
  (condition("Ready") == "True") != wanted_ready
  or (.status.observedGeneration // 0) != (.metadata.generation // 0);

def step:
  if .metadata.deletionTimestamp then
    if any((.status.containerStatuses // [])[]; .state.running) or condition("Ready") == "True"
    then "terminate" else "remove" end
  elif .status.phase == "Failed" or .status.phase == "Succeeded" then "none"
  elif .metadata.annotations["holdfast.dev/kwok-fail"] == "true" then "fail"
  elif (.status.containerStatuses // []) == [] then "admit"
  else actions as $actions
    | first(("stop", "restart", "start", "ready", "back-off") | select(. as $name | $actions | index($name)))
      // (if is_stale then "observe" else "none" end)
  end;

step
