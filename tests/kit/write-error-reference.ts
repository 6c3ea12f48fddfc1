import { writeFile } from 'node:fs/promises';
import { ERROR_REFERENCE_FILE, renderErrorReference } from './error-reference.ts';

await writeFile(ERROR_REFERENCE_FILE, renderErrorReference());
