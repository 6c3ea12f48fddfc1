import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readApiDocument } from './api-document.ts';

type Media = { schema?: object };
type Answer = { content?: Record<string, Media>; headers?: Record<string, object> };
type Operation = { responses: Record<string, Answer | { $ref: string }> };
export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, Answer>; headers: Record<string, object> };
};

type Exchange = { method: string; path: string; status: number; headers: Headers; text: string };

/**
 * Headers that each answer has whose response declares them; the others come with some answers only. Who guesses cookies
 * has met another limit than that of requests.
 */
const always = (name: string, status: number): boolean =>
  name === 'Location' || name === 'Retry-After' || (/RateLimit/.test(name) && status < 400);

/** Compares answers with the document: an undeclared or missing header, status, type or shape is a failure that says which. */
const createContract = (document: OpenApiDocument) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi', components: document.components });
  const ofSchema = new Map<object, ValidateFunction>();
  const ofText = new Map<string, ValidateFunction>();
  const operations = Object.entries(document.paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    methods,
  }));

  const validatorOf = (schema: object): ValidateFunction => {
    const known = ofSchema.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/');
    // Most answers refer to one of few schemas, and to compile one takes longer than a test.
    const validate = ofText.get(text) ?? ajv.compile(JSON.parse(text));
    ofText.set(text, validate);
    ofSchema.set(schema, validate);
    return validate;
  };

  const answerOf = (answer: Answer | { $ref: string } | undefined): Answer | undefined =>
    answer !== undefined && '$ref' in answer
      ? document.components.responses[answer.$ref.split('/').at(-1) ?? '']
      : answer;
  const described = Object.keys(document.components.headers);

  return ({ method, path, status, headers, text }: Exchange): void => {
    const operation = operations.find(({ pattern }) => pattern.test(path))?.methods[method.toLowerCase()];
    if (operation === undefined) return;
    const where = `${method} ${path} → ${status}`;
    const response = answerOf(operation.responses[String(status)]);
    if (response === undefined) throw new Error(`${where}: this status is not declared`);
    for (const name of described) {
      const isDeclared = response.headers?.[name] !== undefined;
      if (headers.has(name) && !isDeclared) throw new Error(`${where}: ${name} is not declared`);
      if (isDeclared && !headers.has(name) && always(name, status)) throw new Error(`${where}: ${name} is missing`);
    }
    const contentType = headers.get('content-type')?.split(';', 1)[0] ?? '';
    if (response.content === undefined || contentType === 'text/event-stream') return;
    const media = response.content[contentType];
    if (media?.schema === undefined) throw new Error(`${where}: ${contentType} is not declared`);
    const validate = validatorOf(media.schema);
    if (!validate(contentType.endsWith('json') ? JSON.parse(text) : text))
      throw new Error(`${where}: ${ajv.errorsText(validate.errors)}\n${text}`);
  };
};

let contract: Promise<ReturnType<typeof createContract>> | undefined;

/** The contract of every hub: `openapi.test.ts` shows that hubs serve this document. */
export const apiContract = (): Promise<ReturnType<typeof createContract>> => {
  contract ??= readApiDocument().then((text) => createContract(JSON.parse(text)));
  return contract;
};
