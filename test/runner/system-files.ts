/** Files of Debian's packages that tests open by their path. The list of needed tools names the same constants. */

/** The tables of PowerDNS's SQLite backend. A copy in /usr/share/doc is missing where dpkg leaves out documentation. */
export const POWERDNS_SCHEMA = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

/** Without this library PowerDNS refuses `launch=gsqlite3`. */
export const POWERDNS_BACKEND = '/usr/lib/*/pdns/libgsqlite3backend.so';

/** Preloaded into a process, this library changes the time that the process reads. */
export const FAKETIME_LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1';

export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
