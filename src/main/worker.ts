import { cacheDir } from '../embedded/places.ts';
import { runWorker } from './parts.ts';
import { runProcess } from './process.ts';

await runProcess('worker', (graph, lifecycle) => runWorker(graph, lifecycle, cacheDir()));
