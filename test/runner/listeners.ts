// Every test file of a jest worker loads its own copy of slonik's logger, and each adds a listener to these streams, which
// last as long as the worker: after ten files Node would suspect a leak that no process of ours has.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
