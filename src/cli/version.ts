/** Set from package.json when the bundles are built. */
declare const UNTILDONE_VERSION: string | undefined;

export const VERSION: string = typeof UNTILDONE_VERSION === 'string' ? UNTILDONE_VERSION : '0.0.0-source';
