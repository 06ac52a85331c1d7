/** The name is the zone itself or stands below it. The root, an empty name, holds every name. */
export const isInZone = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`);
