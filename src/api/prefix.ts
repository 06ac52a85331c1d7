/** The major version of the contract is part of every path. */
export const API_PREFIX = '/v1';
