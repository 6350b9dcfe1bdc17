/** The contract in short: what routes take and answer, read off the types that are generated from the OpenAPI document. */
import type { components, paths } from "./generated/openapi.d.ts";

export type Schemas = components["schemas"];
export type Verb = "get" | "post" | "put" | "patch" | "delete";
/** Routes that have the verb. */
export type Route<V extends Verb> = { [P in keyof paths]: V extends keyof paths[P] ? P : never }[keyof paths];
type Operation<P extends keyof paths, V extends Verb> = V extends keyof paths[P] ? paths[P][V] : never;

/** What a filter takes. Codes may come from the address bar and references may be ids, so any text or number goes; nothing at all is left out of the request. */
type Sent<T> = T extends string ? string | number : T extends (infer Each)[] ? Sent<Each> | Sent<Each>[] : T;
type Params<O, Part extends string> = O extends { parameters: Record<Part, infer Given> } ? Given : never;
type Filters<O> = O extends { parameters: { query?: infer Given } } ? { [Name in keyof Given]?: Sent<NonNullable<Given[Name]>> | null | undefined } : Record<never, never>;
/** Filters, order and page of a GET. */
export type Query<P extends Route<"get">> = Filters<Operation<P, "get">>;

type Content<T> = T extends { content: { "application/json": infer Json } } ? Json : T extends { content: infer Media } ? Media[keyof Media] : never;
/** The JSON of a request. */
export type Body<P extends keyof paths, V extends Verb> = Content<NonNullable<Operation<P, V> extends { requestBody?: infer Given } ? Given : never>>;
/** What is sent alone is answered alone; lists of records and dry runs go by src/tables/calls.ts. */
type Alone<T> = Exclude<T, readonly unknown[] | Schemas["DryRunAnswer"]>;
type Json<T> = [T] extends [never] ? null : [Alone<T>] extends [never] ? T : Alone<T>;
/** The JSON of an answer; of a route that answers with nothing, null. */
export type Answer<P extends keyof paths, V extends Verb> = Operation<P, V> extends { responses: infer Given } ? Json<Content<Given[keyof Given]>> : never;
/** One row of a list. */
export type Row<P extends Route<"get">> = Answer<P, "get"> extends { results: (infer Each)[] } ? Each : Answer<P, "get"> extends (infer Each)[] ? Each : never;

type PathPart<O> = [Params<O, "path">] extends [never] ? { path?: never } : { path: { [Name in keyof Params<O, "path">]: string | number } };
type BodyPart<P extends keyof paths, V extends Verb> = [Body<P, V>] extends [never] ? { body?: never } : { body?: Body<P, V> };
export type Options<P extends keyof paths, V extends Verb> = PathPart<Operation<P, V>> & BodyPart<P, V> & { query?: Filters<Operation<P, V>>; signal?: AbortSignal | undefined };
/** The options may be left out where no path has to be filled in. */
export type Given<P extends keyof paths, V extends Verb> = [Params<Operation<P, V>, "path">] extends [never] ? [options?: Options<P, V>] : [options: Options<P, V>];

/** A page of a list, whatever is listed. */
export interface Page<T> {
  count: number;
  next: string | null;
  previous: string | null;
  results: T[];
}
