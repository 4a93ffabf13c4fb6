export function requireInEsm(from?: string): { js: string };
