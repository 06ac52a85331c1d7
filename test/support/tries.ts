/**
 * How many random cases a test tries: a part of what it was once held under, because every run draws new ones.
 * `TRIES=all` tries all.
 */
export const tries = (all: number, usually: number): number => (process.env['TRIES'] === 'all' ? all : usually);
