# What the script of `millrace plan <pipeline> --gcloud` is made of. Each function makes one thing unless it is there as
# it should be, so that a second run changes nothing. What a thing was made from is kept as a hash in its label
# `millrace-config` (or its description), and compared.

# Everything goes through here, in the project, without questions.
gc() {
  gcloud --project="$PROJECT" --quiet "$@"
}

say() {
  printf '%s\n' "$*"
}

# config_of TEXT... : a short hash of what a thing is made from.
config_of() {
  printf '%s\n' "$@" | sha256sum | cut -c1-16
}

account_email() {
  printf '%s@%s.iam.gserviceaccount.com' "$1" "$PROJECT"
}

ensure_service() {
  [ -n "$(gc services list --enabled --filter="config.name=$1" --format='value(config.name)')" ] && return
  say "enable $1"
  gc services enable "$1"
}

# Google's own account, as which Pub/Sub acts. It may not be there in a new project; asking for it twice changes nothing.
ensure_pubsub_agent() {
  gc beta services identity create --service=pubsub.googleapis.com >/dev/null
}

# ensure_account NAME DISPLAY_NAME
ensure_account() {
  gc iam service-accounts describe "$(account_email "$1")" >/dev/null 2>&1 && return
  say "make account $1"
  gc iam service-accounts create "$1" --display-name="$2"
}

# ensure_topic NAME
ensure_topic() {
  gc pubsub topics describe "$1" >/dev/null 2>&1 && return
  say "make topic $1"
  gc pubsub topics create "$1" --labels="$LABELS"
}

# ensure_subscription NAME TOPIC FLAG... : the flags are those that create and update share. A pause or a drain has taken the
# endpoint off, so that is looked at as it is.
ensure_subscription() {
  local name=$1 topic=$2 config flag endpoint='' found
  shift 2
  config=$(config_of "$topic" "$@")
  for flag in "$@"; do case $flag in --push-endpoint=*) endpoint=${flag#*=} ;; esac done
  if found=$(gc pubsub subscriptions describe "$name" --format='value[separator=" "](labels.millrace-config,pushConfig.pushEndpoint)' 2>/dev/null); then
    [ "${found% }" = "$config${endpoint:+ $endpoint}" ] && return
    say "change subscription $name"
    gc pubsub subscriptions update "$name" --update-labels="$LABELS,millrace-config=$config" "$@"
  else
    say "make subscription $name"
    gc pubsub subscriptions create "$name" --topic="$topic" --labels="$LABELS,millrace-config=$config" "$@"
  fi
}

# ensure_bucket NAME
ensure_bucket() {
  gc storage buckets describe "gs://$1" >/dev/null 2>&1 && return
  say "make bucket $1"
  gc storage buckets create "gs://$1" --location="$REGION" --uniform-bucket-level-access --public-access-prevention
}

# ensure_archive FILE OBJECT : objects are named by their hash, so one that is there is the right one.
ensure_archive() {
  gc storage objects describe "$2" >/dev/null 2>&1 && return
  say "put $1"
  gc storage cp "$1" "$2"
}

# ensure_repository NAME
ensure_repository() {
  gc artifacts repositories describe "$1" --location="$REGION" >/dev/null 2>&1 && return
  say "make repository $1"
  gc artifacts repositories create "$1" --location="$REGION" --repository-format=docker --labels="$LABELS"
}

# ensure_function NAME SOURCE FLAG... : one whose build has failed is there, labels and all, and deployed again.
ensure_function() {
  local name=$1 config found
  shift
  config=$(config_of "$@")
  found=$(gc functions describe "$name" --region="$REGION" --format='value[separator=" "](state,labels.millrace-config)' 2>/dev/null || true)
  [ "$found" = "ACTIVE $config" ] && return
  say "deploy function $name"
  local source=$1
  shift
  gc functions deploy "$name" --gen2 --region="$REGION" --source="$source" --trigger-http --no-allow-unauthenticated \
    --ingress-settings=internal-only --update-labels="$LABELS,millrace-config=$config" "$@"
}

# ensure_job NAME FLAG...
ensure_job() {
  local name=$1 description found
  shift
  description="Starts a sweep (millrace-config=$(config_of "$@"))"
  if found=$(gc scheduler jobs describe "$name" --location="$REGION" --format='value(description)' 2>/dev/null); then
    [ "$found" = "$description" ] && return
    say "change job $name"
    gc scheduler jobs update http "$name" --location="$REGION" --description="$description" "$@"
  else
    say "make job $name"
    gc scheduler jobs create http "$name" --location="$REGION" --description="$description" "$@"
  fi
}

# ensure_database NAME
ensure_database() {
  gc firestore databases describe --database="$1" >/dev/null 2>&1 && return
  say "make database $1"
  gc firestore databases create --database="$1" --location="$REGION" --type=firestore-native --delete-protection
}

# admit FLAG... : notes the version of the code at hand beside the state, unless it is noted there already; sets TOPOLOGY and
# EPOCH to its numbers. Run from the repository, with credentials as `gcloud auth application-default login` gives them.
# While the pipeline drains it is refused, unless DRAINING=yes: then it goes on draining under this version.
admit() {
  local numbers
  numbers=$(npx millrace admit --project="$PROJECT" --numbers "${DRAINING_FLAG[@]}" "$@")
  read -r TOPOLOGY EPOCH <<<"$numbers"
  say "topology $TOPOLOGY, epoch $EPOCH"
}

# hold_orders FLAG... : this script has set every push endpoint again. What operators have paused is stopped again, and what
# drains since the script began; then it fails, since the pipeline reads nothing (with DRAINING=yes that is meant).
hold_orders() {
  npx millrace admit --deployed --project="$PROJECT" "${DRAINING_FLAG[@]}" "$@"
}

DRAINING_FLAG=()
[ "${DRAINING:-no}" != yes ] || DRAINING_FLAG=(--draining)

# ensure_index DATABASE COLLECTION FIELD... : all ascending.
ensure_index() {
  local database=$1 collection=$2 want found flags=() field
  shift 2
  want="$collection:$(IFS=,; printf '%s' "$*")"
  # One line for each index: its collection group is in its name; the fields, without the document's own name at the end.
  found=$(gc firestore indexes composite list --database="$database" --format='csv[no-heading,separator=":"](name.segment(-3),fields[].fieldPath.list(separator=","))' |
    sed 's/,__name__//; s/"//g')
  printf '%s\n' "$found" | grep -qxF "$want" && return
  for field in "$@"; do flags+=(--field-config="field-path=$field,order=ascending"); done
  say "make index $want"
  gc firestore indexes composite create --database="$database" --collection-group="$collection" --query-scope=collection "${flags[@]}"
}

# ensure_exemption DATABASE COLLECTION FIELD
ensure_exemption() {
  local indexes inherited
  inherited=$(gc firestore indexes fields describe "$3" --database="$1" --collection-group="$2" --format='value(indexConfig.usesAncestorConfig)' 2>/dev/null || printf 'True')
  indexes=$(gc firestore indexes fields describe "$3" --database="$1" --collection-group="$2" --format='value(indexConfig.indexes)' 2>/dev/null || true)
  [ "$inherited" != True ] && [ -z "$indexes" ] && return
  say "exempt $2/$3 from indexes"
  gc firestore indexes fields update "$3" --database="$1" --collection-group="$2" --disable-indexes
}

# ensure_dataset NAME
ensure_dataset() {
  bq --project_id="$PROJECT" show --dataset "$1" >/dev/null 2>&1 && return
  say "make dataset $1"
  bq --project_id="$PROJECT" --location="$REGION" mk --dataset "$1"
}

# ensure_table DATASET.TABLE SCHEMA_JSON FLAG... : a table that is there only gets new columns.
ensure_table() {
  local table=$1 schema=$2 config file found
  shift 2
  config=$(config_of "$schema")
  file=$(mktemp)
  printf '%s' "$schema" >"$file"
  if found=$(bq --project_id="$PROJECT" --format=json show "$table" 2>/dev/null); then
    case $found in
    *"\"millrace-config\":\"$config\""* | *"\"millrace-config\": \"$config\""*) ;;
    *)
      say "change table $table"
      bq --project_id="$PROJECT" update --set_label="millrace-config:$config" "$table" "$file"
      ;;
    esac
  else
    say "make table $table"
    bq --project_id="$PROJECT" mk --table --label="millrace-config:$config" "$@" "$table" "$file"
  fi
  rm -f "$file"
}

# granted MEMBER ROLE CONDITION_TITLE COMMAND... : whether the policy that the command prints holds the grant.
granted() {
  local member=$1 role=$2 title=$3
  shift 3
  [ -n "$("$@" --flatten='bindings[].members' --filter="bindings.role=$role AND bindings.members=$member${title:+ AND bindings.condition.title=$title}" --format='value(bindings.role)')" ]
}

# grant_on KIND NAME MEMBER ROLE : KIND is topic, subscription, function, account or repository.
grant_on() {
  local kind=$1 name=$2 member=$3 role=$4 noun
  case $kind in
  topic) noun=(pubsub topics) ;;
  subscription) noun=(pubsub subscriptions) ;;
  function) noun=(run services) ;;
  account) noun=(iam service-accounts) ;;
  repository) noun=(artifacts repositories) ;;
  esac
  local where=()
  [ "$kind" = function ] && where=(--region="$REGION")
  [ "$kind" = repository ] && where=(--location="$REGION")
  granted "$member" "$role" '' gc "${noun[@]}" get-iam-policy "$name" "${where[@]}" && return
  say "grant $role on $kind $name to $member"
  gc "${noun[@]}" add-iam-policy-binding "$name" "${where[@]}" --member="$member" --role="$role" >/dev/null
}

# grant_in_project MEMBER ROLE [CONDITION_TITLE EXPRESSION]
grant_in_project() {
  local member=$1 role=$2 title=${3:-} expression=${4:-} condition=None
  [ -n "$title" ] && condition="title=$title,expression=$expression"
  granted "$member" "$role" "$title" gc projects get-iam-policy "$PROJECT" && return
  say "grant $role in the project to $member${title:+ ($title)}"
  gc projects add-iam-policy-binding "$PROJECT" --member="$member" --role="$role" --condition="$condition" >/dev/null
}

# grant_on_table DATASET.TABLE MEMBER ROLE
grant_on_table() {
  local policy
  policy=$(bq --project_id="$PROJECT" --format=json get-iam-policy "$1" | tr -d '\n ')
  case $policy in *"\"$2\""*"\"role\":\"$3\""* | *"\"role\":\"$3\""*"\"$2\""*) return ;; esac
  say "grant $3 on table $1 to $2"
  bq --project_id="$PROJECT" add-iam-policy-binding --member="$2" --role="$3" "$1" >/dev/null
}

# ensure_metric NAME CONFIG_JSON
ensure_metric() {
  local config file found
  config=$(config_of "$2")
  file=$(mktemp)
  printf '%s' "${2/MILLRACE_CONFIG/$config}" >"$file"
  if found=$(gc logging metrics describe "$1" --format='value(description)' 2>/dev/null); then
    case $found in
    *"($config)") ;;
    *)
      say "change metric $1"
      gc logging metrics update "$1" --config-from-file="$file"
      ;;
    esac
  else
    say "make metric $1"
    gc logging metrics create "$1" --config-from-file="$file"
  fi
  rm -f "$file"
}

# ensure_alert DISPLAY_NAME POLICY_JSON
ensure_alert() {
  local config file name found
  config=$(config_of "$2" "${NOTIFICATION_CHANNELS:-}")
  file=$(mktemp)
  printf '%s' "${2/MILLRACE_CONFIG/$config}" >"$file"
  name=$(gc alpha monitoring policies list --filter="displayName=\"$1\"" --format='value(name)')
  if [ -n "$name" ]; then
    found=$(gc alpha monitoring policies list --filter="displayName=\"$1\"" --format='value(userLabels.millrace-config)')
    if [ "$found" != "$config" ]; then
      say "change alert $1"
      gc alpha monitoring policies update "$name" --policy-from-file="$file" ${NOTIFICATION_CHANNELS:+--set-notification-channels="$NOTIFICATION_CHANNELS"}
    fi
  else
    say "make alert $1"
    gc alpha monitoring policies create --policy-from-file="$file" ${NOTIFICATION_CHANNELS:+--notification-channels="$NOTIFICATION_CHANNELS"}
  fi
  rm -f "$file"
}

# ensure_dashboard DISPLAY_NAME CONFIG_JSON
ensure_dashboard() {
  local config name found
  config=$(config_of "$2")
  name=$(gc monitoring dashboards list --filter="displayName=\"$1\"" --format='value(name)')
  if [ -n "$name" ]; then
    found=$(gc monitoring dashboards list --filter="displayName=\"$1\"" --format='value(labels)')
    case $found in *"config-$config"*) return ;; esac
    say "replace dashboard $1"
    gc monitoring dashboards delete "$name"
  else
    say "make dashboard $1"
  fi
  gc monitoring dashboards create --config="${2/MILLRACE_CONFIG/config-$config}" >/dev/null
}

# remove WHAT DESCRIBE... -- DELETE... : runs the second command when the first one finds the thing.
remove() {
  local what=$1 describe=()
  shift
  while [ "$1" != -- ]; do
    describe+=("$1")
    shift
  done
  shift
  "${describe[@]}" >/dev/null 2>&1 || return 0
  say "remove $what"
  "$@"
}

# stop_pushing SUBSCRIPTION : it keeps what it has.
stop_pushing() {
  local endpoint
  endpoint=$(gc pubsub subscriptions describe "$1" --format='value(pushConfig.pushEndpoint)' 2>/dev/null) || return 0
  [ -n "$endpoint" ] || return 0
  say "stop subscription $1"
  gc pubsub subscriptions update "$1" --push-endpoint=
}

# ungrant_in_project MEMBER ROLE : all conditions. Grants on things go with the things; these would stay.
ungrant_in_project() {
  granted "$1" "$2" '' gc projects get-iam-policy "$PROJECT" || return 0
  say "take $2 in the project from $1"
  gc projects remove-iam-policy-binding "$PROJECT" --member="$1" --role="$2" --all >/dev/null
}
