/** A row as PostgreSQL gives it. */
export type Nullable<T> = { [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] };

/** Turns SQL's null into undefined. */
export function known<T>(row: object): T {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value ?? undefined])) as T;
}
