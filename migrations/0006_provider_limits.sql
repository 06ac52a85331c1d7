-- Why: all processes together stay within what a DNS provider allows an account, and one writer at a time works in a zone
-- whose provider cannot compare before it writes. Neither keeps a connection or a transaction while a provider is asked.
-- Lock: creates, and one column with a constant default on credentials (no rewrite).

-- What is left of an account's windows. Unlogged: after a crash a full allowance is a guess as good as any.
CREATE UNLOGGED TABLE request_allowances (
  -- A hash over provider, address and credential; says nothing of any of them.
  account text PRIMARY KEY,
  state jsonb NOT NULL,
  used_at timestamptz NOT NULL
);
CREATE INDEX request_allowances_old ON request_allowances (used_at);

-- Who may write in a zone, and until when. The holder confirms its lease before each write; one that ran out is taken over.
CREATE TABLE zone_leases (
  -- A hash over provider and zone: the table shows no tenant's zones.
  zone text PRIMARY KEY,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL
);

-- The provider's own handles of the zones, so that writing in one needs no search for it.
ALTER TABLE credentials ADD COLUMN zone_handles jsonb NOT NULL DEFAULT '[]';

-- Neither of the two tables holds a tenant's data, and processes of the API use both when they ask a provider.
GRANT SELECT, INSERT, UPDATE, DELETE ON request_allowances, zone_leases TO svc_api;
