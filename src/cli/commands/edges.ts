import { z } from 'zod';
import { deleteEdge, listEdges, type EdgeRow } from '../../db/edge/edges.ts';
import type { Command } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const list: Command = {
  name: 'edges',
  summary: 'Lists the edges and when each last reported',
  options: {},
  examples: ['edges'],
  requires: [],
  async run(_values, { pool }) {
    const edges = await listEdges(pool);
    return { json: edges, lines: edges.length === 0 ? ['No edge has registered.'] : edges.map(lineOf) };
  },
};

const remove: Command = {
  name: 'edge forget',
  summary: 'Deletes an edge that was taken out of service',
  details: 'The edge is then no longer reported as cut off.',
  options: { id: { type: 'string', value: 'ID', help: 'The edge, as `edges` shows it' } },
  examples: ['edge forget --id 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  requires: ['id'],
  async run({ id }, { pool }) {
    const parsed = z.uuid().safeParse(id);
    if (!parsed.success) throw new UsageError('--id must be the id of an edge.');
    if (!(await deleteEdge(pool, parsed.data))) throw new CommandError(`There is no edge ${parsed.data}.`);
    return { json: { id: parsed.data, forgotten: true }, lines: [`The edge ${parsed.data} is deleted.`] };
  },
};

export const edgeCommands = [list, remove];

const lineOf = ({ id, name, is_trusted, heard_at, silent_seconds }: EdgeRow): string =>
  is_trusted
    ? `${name} (${id}) is up to date.`
    : `${name} (${id}) is cut off. It last reported at ${heard_at.toISOString()}, ${Math.round(silent_seconds)} s ago.`;
