import { sql, type Fragment } from './pool.ts';

/**
 * Whether a hostname is this name or lies below it, asked in the order of names read from their ends, which the indexes
 * over `reverse('.' || hostname)` keep. No character of a hostname comes after a tilde.
 */
export const isAtOrBelow = (hostname: Fragment, name: Fragment): Fragment => sql.fragment`
  (reverse('.' || ${hostname}) COLLATE "C" >= reverse('.' || ${name})
    AND reverse('.' || ${hostname}) COLLATE "C" < reverse('.' || ${name}) || '~')`;
