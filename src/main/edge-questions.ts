import type { Config } from '../config.ts';
import type { Admission } from '../edge/admission.ts';
import { internalHandler, type EdgeQuestions, type InternalHandler } from '../edge/internal.ts';
import type { PublicAuthority } from '../edge/public-authority.ts';
import { StreamRelays } from '../edge/stream-relays.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Answers the edge's questions as the settings want it, for an API process and for an edge's agent alike. */
export function answerEdge(
  config: Config,
  admission: Admission,
  lifecycle: Lifecycle,
  {
    authority,
    ...more
  }: Pick<EdgeQuestions, 'noteAsk' | 'checkedAddresses' | 'dialNames' | 'originDial'> & {
    /** Opened only where a public authority issues. */
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
