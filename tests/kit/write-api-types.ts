import { writeFile } from 'node:fs/promises';
import { readApiDocument } from './api-document.ts';
import { API_TYPES_FILE, generateApiTypes } from './generate-api-types.ts';

await writeFile(API_TYPES_FILE, await generateApiTypes(await readApiDocument()));
