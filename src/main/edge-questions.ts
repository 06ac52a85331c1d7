import type { Config } from '../config.ts';
import type { Admission } from '../edge/admission.ts';
import { internalHandler, type EdgeQuestions, type InternalHandler } from '../edge/internal.ts';
import type { PublicAuthority } from '../edge/public-authority.ts';
import { StreamRelays } from '../edge/stream-relays.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Creates the handler of the edge's questions, for API processes and for edge agents. */
export function answerEdge(
  config: Config,
  admission: Admission,
  lifecycle: Lifecycle,
  {
    authority,
    ...more
  }: Pick<EdgeQuestions, 'recordAsk' | 'checkedAddresses' | 'dialNames' | 'originDial'> & {
    /** Called only where a public certificate authority issues. */
    authority: () => PublicAuthority;
  },
): InternalHandler {
  const isPublic = config.EDGE === 'acme';
  const relays = config.EDGE_STREAMS === 'relay' ? lifecycle.add('stream relays', new StreamRelays(admission)) : null;
  return internalHandler(admission, {
    ...more,
    sandboxNames: isPublic ? 'refused' : 'admitted',
    authority: isPublic ? authority() : null,
    relays,
  });
}
