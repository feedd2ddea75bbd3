#!/bin/sh
# Creates and upgrades the two databases of Temporal. Every step may be repeated: a second start changes nothing.
set -eu

migrate() { # database, folder of its schema
  tool="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_SEEDS -p $DB_PORT -u $POSTGRES_USER --db $1"
  $tool create
  $tool setup-schema -v 0.0
  $tool update-schema -d "/etc/temporal/schema/postgresql/v12/$2/versioned"
}

migrate temporal temporal
migrate temporal_visibility visibility
