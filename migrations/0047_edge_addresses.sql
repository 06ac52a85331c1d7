-- Why: EDGE_IPV4 and EDGE_IPV6 are lists. The records of a connection that are addresses of the edge follow these lists,
--   also after an address has left them. New connections mark such records; this marks those of older connections.
-- Lock: row locks on connections that want A or AAAA records, until the migration commits. Checks only read these rows
--   and continue; a transition waits.

-- A record came from the edge's settings if the application's template is empty, or has a line for that type with the
-- variable, and none with the value itself. If a template has changed since, some records stay unmarked. These records
-- follow the lists as long as their address is listed.
UPDATE connections SET desired_records = (
  SELECT jsonb_agg(
    CASE
      WHEN wanted.record ->> 'type' IN ('A', 'AAAA') AND (
        applications.record_template = '[]' OR EXISTS (
          SELECT FROM jsonb_array_elements(applications.record_template) AS line
          WHERE line ->> 'type' = wanted.record ->> 'type'
            AND line ->> 'value' = CASE wanted.record ->> 'type' WHEN 'A' THEN '{edge_ipv4}' ELSE '{edge_ipv6}' END))
        AND NOT applications.record_template @> jsonb_build_array(jsonb_build_object('value', wanted.record -> 'value'))
      THEN wanted.record || '{"edge": true}'
      ELSE wanted.record
    END ORDER BY wanted.position)
  FROM jsonb_array_elements(connections.desired_records) WITH ORDINALITY AS wanted (record, position))
FROM applications
WHERE applications.id = connections.application_id AND connections.state <> 'archived'
  AND (connections.desired_records @> '[{"type": "A"}]' OR connections.desired_records @> '[{"type": "AAAA"}]');
