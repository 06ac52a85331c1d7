/** Files of Debian packages that tests open by path. The list of needed tools uses the same constants. */

/** Tables of PowerDNS's SQLite backend. The copy in /usr/share/doc is missing if dpkg skips documentation. */
export const POWERDNS_SCHEMA = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

/** Without this library PowerDNS refuses `launch=gsqlite3`. */
export const POWERDNS_BACKEND = '/usr/lib/*/pdns/libgsqlite3backend.so';

/** A library that changes the time of a process in which it is preloaded. */
export const FAKETIME_LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1';

export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
