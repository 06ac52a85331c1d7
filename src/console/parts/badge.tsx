import type { ComponentChildren } from 'preact';
import { stateName, stateTone, type Tone } from '../states.ts';

export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

export const StateBadge = ({ state }: { state: string }) => <Badge tone={stateTone(state)}>{stateName(state)}</Badge>;
