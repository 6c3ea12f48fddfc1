/** The scope in the registry. Nothing had this name on 2026-11-23 (E404), and nothing is published. */
export const SCOPE = '@causewayhub';
export const HUB = `${SCOPE}/hub`;
export const PROTOCOL = `${SCOPE}/bridge-protocol`;
export const CLIENT = `${SCOPE}/client`;
