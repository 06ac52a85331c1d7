import type { Config } from '../config.ts';
import type { Admission } from '../edge/admission.ts';
import { internalHandler, type EdgeQuestions, type InternalHandler } from '../edge/internal.ts';
import type { PublicAuthority } from '../edge/public-authority.ts';
import { StreamRelays } from '../edge/stream-relays.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * Creates the handler of the edge's questions, for API processes and for edge agents. The edge asks whether a hostname
 * may get a certificate, and where a request goes.
 */
export function answerEdge(
  config: Config,
  admission: Admission,
  lifecycle: Lifecycle,
  {
    authority,
    ...more
  }: Omit<EdgeQuestions, 'authority' | 'relays' | 'sandboxNames'> & {
    /** Returns the limiter of certificate orders. Called only if a public certificate authority (CA) issues. */
    authority: () => PublicAuthority;
  },
): InternalHandler {
  const usesPublicCa = config.EDGE === 'acme';
  // A relay carries a websocket, so that the websocket ends when its hostname loses its admission.
  const relays = config.EDGE_STREAMS === 'relay' ? lifecycle.add('stream relays', new StreamRelays(admission)) : null;
  return internalHandler(admission, {
    ...more,
    sandboxNames: usesPublicCa ? 'refused' : 'admitted',
    authority: usesPublicCa ? authority() : null,
    relays,
  });
}
