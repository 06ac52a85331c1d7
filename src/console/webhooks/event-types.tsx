import { DEFAULT_EVENTS, EVENT_TYPES, EVERY_EVENT } from '../../domain/webhook/events.ts';
import { Checkbox } from '../parts/fields.tsx';

/** Event types of a new endpoint. */
export const FIRST_EVENTS: readonly string[] = DEFAULT_EVENTS;

/** Chooses event types: every type, also of later releases, or some. */
export function EventTypes({ chosen, onChange }: { chosen: readonly string[]; onChange: (to: string[]) => void }) {
  const isEvery = chosen.includes(EVERY_EVENT);
  return (
    <fieldset class="event-types">
      <legend>Events</legend>
      <Checkbox
        label="Every event, also those of later releases"
        checked={isEvery}
        onValue={(every) => onChange(every ? [EVERY_EVENT] : [...FIRST_EVENTS])}
      />
      {!isEvery && (
        <ul>
          {EVENT_TYPES.map((type) => (
            <li key={type}>
              <Checkbox
                label={type}
                checked={chosen.includes(type)}
                onValue={(on) => onChange(on ? [...chosen, type] : chosen.filter((one) => one !== type))}
              />
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
