// Every test file of a jest worker loads its own copy of slonik's logger, and each copy adds a listener to these
// streams. They live as long as the worker, so after ten files Node would report a leak that does not exist.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
