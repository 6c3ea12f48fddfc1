/** The version of the release without its suffix `-rc`; also in the manifest and the name of the zip. */
export const VERSION = '1.0.0';
