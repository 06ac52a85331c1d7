import { setTimeout as pause } from 'node:timers/promises';
import { openTemporal, withDeadline } from '../../src/temporal/client.ts';

/** Retries follow after 100 ms and more, so that some of these moments lie between two attempts. */
test.each([20, 60, 120, 180, 260])(
  'a call to an unreachable Temporal that is retried ends when its connection closes after %d ms',
  async (ms) => {
    const temporal = openTemporal({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'none');
    const { connection } = temporal;
    const call = withDeadline(temporal, 60_000, () => connection.workflowService.getSystemInfo({}));
    const ended = expect(call).rejects.toThrow(/CANCELLED|UNAVAILABLE/);
    await pause(ms);
    await connection.close();
    await ended;
  },
);
