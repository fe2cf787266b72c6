/** Generated from schemas/project.schema.json by scripts/generate.mjs; change the schema instead. */
export interface SchemaError {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
  propertyName?: string;
}
export interface Validate {
  (value: unknown): boolean;
  errors?: SchemaError[] | null;
}
/** Compares plain data with the schema of a project file; what is wrong is left in `errors`. */
export declare const validate: Validate;
