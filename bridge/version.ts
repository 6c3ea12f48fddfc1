/** The version of the resource; the manifest and the name of the zip are made from it. */
export const VERSION = '1.0.0';
