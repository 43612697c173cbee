#!/bin/sh
# The Postgres image runs this script once, when the image creates its cluster.
# The script creates a database and a role for each owner.
# A role can open only its own database, because the script revokes the public permission to connect.
set -eu

for database in postgres template1; do
  psql -v ON_ERROR_STOP=1 --username postgres --dbname postgres \
    --command "REVOKE ALL ON DATABASE $database FROM PUBLIC"
done

create_database() {
  psql -v ON_ERROR_STOP=1 --username postgres --dbname postgres \
    --set owner="$1" --set password="$2" <<'SQL'
CREATE ROLE :"owner" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE :"owner" OWNER :"owner";
REVOKE ALL ON DATABASE :"owner" FROM PUBLIC;
SQL
}

create_database account "$ACCOUNT_PASSWORD"
create_database vault "$VAULT_PASSWORD"
create_database billing "$BILLING_PASSWORD"
create_database telemetry "$TELEMETRY_PASSWORD"
