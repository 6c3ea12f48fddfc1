/** Hub, protocol package and resource share this version. The manifest and the name of the zip contain it, too. */
export const VERSION = '1.0.0-rc.1';
